//! The searches for the smallest fixes of an attempt, each reported at once, and for the change that helps the most Pods
//! of a group of the board: a candidate a slice.

use super::super::patch::Sent;
use super::{Job, Jobs, Kind};
use berth_protocol::page::Update;
use berth_protocol::work::{Amount, Task, Work};
use berth_session::{FixSearch, GroupSearch, Session, fixes};

/// Begins to search, unless the attempt's fixes are being searched for.
pub fn begin(jobs: &mut Jobs, session: &Session, position: usize) {
    let kind = Kind::Fixes(position);
    if !jobs.has(&kind) {
        let candidates = fixes::candidates(session, position).unwrap_or_default();
        jobs.begin(kind, FixSearch::new(position, candidates));
    }
}

/// Begins to search for the fix of a group, unless it is being searched for.
pub fn begin_group(jobs: &mut Jobs, mut positions: Vec<usize>) {
    positions.sort_unstable();
    let kind = Kind::GroupFix(positions.clone());
    if !jobs.has(&kind) {
        jobs.begin(kind, GroupSearch::new(positions));
    }
}

impl Job for FixSearch {
    fn advance(&mut self, session: &mut Session, _: &mut Sent) -> (Vec<Update>, bool) {
        let found = self.try_next(session);
        let done = self.is_done();
        let update = (found || done).then(|| Update::Fixes {
            position: self.position(),
            fixes: self.fixes().to_vec(),
            done,
        });
        (update.into_iter().collect(), !done)
    }

    fn work(&self) -> Option<Work> {
        let (done, all) = self.tried();
        let (task, amount) = (Task::Fixes, Amount::Changes { done, all });
        Some(Work { task, amount })
    }
}

impl Job for GroupSearch {
    fn advance(&mut self, session: &mut Session, _: &mut Sent) -> (Vec<Update>, bool) {
        let Some(found) = GroupSearch::advance(self, session) else {
            return (Vec::new(), true);
        };
        let position = self.position().unwrap_or_default();
        let fix = found.map(Box::new);
        (vec![Update::Nearest { position, fix }], false)
    }

    fn work(&self) -> Option<Work> {
        let (task, amount) = (Task::Nearest, Amount::Unknown);
        Some(Work { task, amount })
    }
}
