//! Fixes: changes that would let a Pod schedule, in the order in which an operator would try them. Where no single change
//! of what exists helps, pairs are tried.
//!
//! The facts of an attempt suggest candidates, family by family and bounded in number. Each is then committed on a
//! branch of the session, and the Pod is tried again. A candidate is a fix only if the Pod then schedules.

mod candidates;
mod devices;
mod dry_run;
mod fields;
mod forgo;
mod gates;
mod group;
mod labels;
mod lines;
mod new_node;
mod node;
mod pairs;
mod pod;
mod replace;
mod requests;
mod search;
mod source;
mod template;
mod terms;
mod verify;
mod victims;

use berth_protocol::fix::{Candidate, Fix};
use berth_protocol::remark::Remark;

use super::preview::Target;
use crate::explain;
use crate::session::Session;
use candidates::FixContext;
pub use gates::ungate;
pub use group::GroupSearch;
pub use lines::terminal_lines;
pub use search::FixSearch;
use source::Source;

/// Maximum number of candidates of one family.
const MAX_PER_FAMILY: usize = 8;
/// Maximum number of candidates in total.
const MAX_CANDIDATES: usize = 40;

/// At most 40 changes that may let the Pod of an attempt schedule, by rank. Empty if it was scheduled.
/// Positions as in [`crate::explain::attempt`].
///
/// # Errors
/// As [`crate::explain::attempt`].
pub fn candidates(session: &Session, position: usize) -> Result<Vec<Candidate>, Remark> {
    let cycle = explain::attempt(session, position)?;
    if cycle.selected.is_some() || cycle.error {
        return Ok(Vec::new());
    }
    let then = session.branch(position);
    let candidates = then.and_then(|then| {
        let run = then.history.with_sources();
        Some(by_family(&FixContext::new(&then, run, &cycle)?))
    });
    Ok(candidates.unwrap_or_default())
}

/// Tries one candidate; `None` if the Pod still would not schedule.
pub fn verify(session: &Session, position: usize, candidate: &Candidate) -> Option<Fix> {
    let then = session.branch(position)?;
    crate::fixes::verify::verified(&then, candidate, &target(&then)?)
}

/// The fixes of an attempt, by rank: tries [`crate::fixes::candidates`] and, if need be, pairs of them, and keeps the
/// first of every group that helps.
///
/// # Errors
/// As [`crate::explain::attempt`].
pub fn find(session: &Session, position: usize) -> Result<Vec<Fix>, Remark> {
    let mut search = FixSearch::new(position, candidates(session, position)?);
    let then = session.branch(position);
    let target = then.as_ref().and_then(target);
    let (Some(then), Some(target)) = (then, target) else {
        return Ok(Vec::new());
    };
    while !search.is_done() {
        search.verify_next(|candidate| crate::fixes::verify::verified(&then, candidate, &target));
    }
    Ok(search.fixes().to_vec())
}

/// The Pod that is tried next.
pub(crate) fn target(session: &Session) -> Option<Target> {
    let pod = session.history.with_sources().next_pod()?;
    let source = Source::at(session, pod.object.document);
    Some(Target {
        key: pod.object.key(),
        source: source.map(|source| (source.document, source.object)),
    })
}

fn by_family(context: &FixContext<'_>) -> Vec<Candidate> {
    let families = [
        node::taints_and_cordons(context),
        pod::tolerations(context),
        requests::candidates(context),
        labels::candidates(context),
        pod::node_affinity(context),
        pod::spread(context),
        terms::candidates(context),
        devices::candidates(context),
        pod::ports(context),
        victims::candidates(context),
        forgo::candidates(context),
        new_node::candidates(context),
    ];
    let mut families = families.map(candidates::Family::finish);
    let mut limit = MAX_PER_FAMILY;
    let total = |limit: usize, families: &[Vec<Candidate>]| -> usize {
        families.iter().map(|family| family.len().min(limit)).sum()
    };
    while total(limit, &families) > MAX_CANDIDATES {
        limit -= 1;
    }
    for family in &mut families {
        family.truncate(limit);
    }
    let mut all: Vec<Candidate> = families.into_iter().flatten().collect();
    template::complete(context, &mut all);
    if context.session.is_simulated() {
        replace::complete(&mut all, MAX_CANDIDATES);
    }
    // The sort is stable: among changes of one rank, those for nodes that the Pod was meant for stay first.
    all.sort_by_key(Candidate::rank);
    all
}

#[cfg(test)]
mod tests;
