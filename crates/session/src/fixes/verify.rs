//! Verifies a candidate: commits it on a branch of the session ([`crate::preview::preview`]).

use crate::preview::Target;
use crate::session::Session;
use crate::{edit, preview};
use berth_core::api::edit::document;
use berth_protocol::edit::Edit;
use berth_protocol::fix::{Candidate, Change, Fix};

use super::dry_run;
use super::replace::replace;

/// Maximum number of feasible nodes that a fix lists.
const MAX_NAMED: usize = 8;

/// Turns the candidate into a fix for the Pod that this session tries next; `None` if it does not help. Objects that
/// the API server refuses to update are replaced.
pub(super) fn verified(session: &Session, candidate: &Candidate, target: &Target) -> Option<Fix> {
    let after = edit::objects_after(session, &candidate.edits).ok()?;
    if matches!(candidate.what, Change::Forgo { .. }) {
        preview::preview_without(session, after, &candidate.edits, target)?;
        return Some(Fix {
            rank: candidate.rank(),
            what: candidate.what.clone(),
            edits: candidate.edits.clone(),
            node: String::new(),
            feasible_count: 0,
            feasible: Vec::new(),
            template: None,
            moves: Vec::new(),
        });
    }
    let objects = (&session.manifests().loaded, &after);
    if dry_run::rules_out(session.run(), objects, &candidate.edits) {
        return None;
    }
    let mut candidate = candidate.clone();
    let placement = match preview::preview(session, after.clone(), &candidate.edits, target) {
        Ok(placement) => placement?,
        Err(refused) => {
            if !replace(&mut candidate.edits, refused) {
                return None;
            }
            preview::preview(session, after, &candidate.edits, target).ok()??
        }
    };
    if text_may_refuse(session, &candidate.edits) {
        edit::changes(session, &candidate.edits).ok()?;
    }
    Some(Fix {
        rank: candidate.rank(),
        what: candidate.what,
        edits: candidate.edits,
        node: placement.node,
        feasible_count: u32::try_from(placement.feasible.len()).unwrap_or(u32::MAX),
        feasible: placement.feasible.into_iter().take(MAX_NAMED).collect(),
        template: candidate.template,
        moves: placement.moves.into_iter().take(MAX_NAMED).collect(),
    })
}

/// Whether the edited documents use what edits in place may refuse: anchors, aliases, merges, explicit keys.
/// Any other text follows the objects, so it is not edited to verify a fix.
fn text_may_refuse(session: &Session, edits: &[Edit]) -> bool {
    let loaded = &session.manifests().loaded;
    edits.iter().filter_map(Edit::object).any(|object| {
        document(loaded, object)
            .is_some_and(|document| loaded.text(&document.source).contains(['&', '*', '<', '?']))
    })
}
