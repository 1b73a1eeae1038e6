//! One change that helps the Pods of a group together, as the board of pending Pods offers it.
//!
//! The candidates are those of every Pod; equal changes of several Pods become one with the edits of all of them. Each is
//! committed before the first of the Pods' last attempts, and the run continues until all of them were tried again.

use std::collections::VecDeque;

use berth_protocol::fix::{Candidate, Change, GroupFix};

use super::{new_node, pairs};
use crate::fixes::verify;
use crate::preview::Target;
use crate::session::Session;
use crate::{edit, fixes, preview};

/// Maximum number of Pods whose own candidates are collected.
const MAX_PODS: usize = 50;
/// Maximum number of Pods that changes are tried for.
const MAX_TRIED: usize = 200;
/// Maximum number of nodes that a fix adds.
const MAX_NODES: u32 = 50;

/// The search for the change that helps the most of them, one step at a time. A change of the session makes it stale.
pub struct GroupSearch {
    /// Ascending.
    positions: Vec<usize>,
    targets: Vec<Target>,
    /// Positions whose candidates are collected.
    collected: usize,
    candidates: VecDeque<Candidate>,
    /// The single changes, for pairs of them.
    singles: Vec<Candidate>,
    best: Option<GroupFix>,
}

impl GroupSearch {
    /// A search for the Pods of these attempts, by position in the log.
    pub fn new(mut positions: Vec<usize>) -> Self {
        positions.sort_unstable();
        positions.dedup();
        positions.truncate(MAX_TRIED);
        Self {
            positions,
            targets: Vec::new(),
            collected: 0,
            candidates: VecDeque::new(),
            singles: Vec::new(),
            best: None,
        }
    }

    /// The attempt before which the change is made.
    pub fn position(&self) -> Option<usize> {
        self.positions.first().copied()
    }

    /// Collects the candidates of one Pod, or tries one. `Some` when the search is over; the answer inside is `None` if
    /// nothing helps.
    pub fn advance(&mut self, session: &Session) -> Option<Option<GroupFix>> {
        if let Some(position) = self.positions.get(self.collected).copied() {
            self.collect(session, position);
            self.collected += 1;
            if self.collected == self.positions.len() {
                self.singles = self.candidates.iter().cloned().collect();
            }
            return None;
        }
        let Some(candidate) = self.candidates.pop_front() else {
            let singles = std::mem::take(&mut self.singles);
            if self.best.is_some() || singles.is_empty() {
                return Some(self.best.take());
            }
            self.candidates = pairs::of(&singles).into();
            return None;
        };
        if self.best.is_some() && candidate.rank().is_last_resort() {
            return Some(self.best.take());
        }
        if let Some(found) = self.tried(session, &candidate) {
            let helps_all = found.helped >= self.targets.len();
            if !helps_all {
                // Next, so that more nodes of a pool precede changes of a higher rank.
                if let Some(more) = self.with_more_nodes(session, &candidate, found.helped) {
                    self.candidates.push_front(more);
                }
            }
            if self
                .best
                .as_ref()
                .is_none_or(|best| found.helped > best.helped)
            {
                self.best = Some(found);
            }
            if helps_all {
                return Some(self.best.take());
            }
        }
        None
    }

    fn collect(&mut self, session: &Session, position: usize) {
        let then = session.branch(position);
        let Some(target) = then.and_then(|then| fixes::target(&then)) else {
            return;
        };
        self.targets.push(target);
        if self.collected >= MAX_PODS {
            return;
        }
        let mut own = fixes::candidates(session, position).unwrap_or_default();
        // It is no help for the others.
        own.retain(|candidate| !matches!(candidate.what, Change::Forgo { .. }));
        if self.collected == 0 {
            self.candidates = own.into();
            return;
        }
        for candidate in own {
            let mut known = self.candidates.iter_mut();
            if let Some(known) = known.find(|known| known.what == candidate.what) {
                let new = candidate.edits.into_iter();
                let new: Vec<_> = new.filter(|edit| !known.edits.contains(edit)).collect();
                known.edits.extend(new);
            }
        }
    }

    /// What the candidate does for the group; `None` if it does not place the first Pod.
    fn tried(&self, session: &Session, candidate: &Candidate) -> Option<GroupFix> {
        let then = session.branch(self.position()?)?;
        let (first, others) = self.targets.split_first()?;
        let fix = verify::verified(&then, candidate, first)?;
        if others.is_empty() {
            return Some(GroupFix {
                fix,
                helped: 1,
                tried: 1,
            });
        }
        let after = edit::objects_after(&then, &fix.edits).ok()?;
        let (helped, tried) = preview::preview_all(&then, after, &fix.edits, &self.targets).ok()?;
        Some(GroupFix { fix, helped, tried })
    }

    /// If one node helps some Pods, as many as all of them would need.
    fn with_more_nodes(
        &self,
        session: &Session,
        candidate: &Candidate,
        helped: usize,
    ) -> Option<Candidate> {
        let Change::AddNode { count, .. } = &candidate.what else {
            return None;
        };
        let count = usize::try_from(*count).ok()?;
        let wanted = (self.targets.len() * count).div_ceil(helped.max(1));
        let wanted = u32::try_from(wanted.max(count + 1)).ok()?;
        let then = session.branch(self.position()?)?;
        let cluster = then.run().cluster();
        (wanted <= MAX_NODES)
            .then(|| new_node::several(cluster, candidate, wanted))
            .flatten()
    }
}
