//! What the page would show of a session's current moment.

use berth_protocol::cycle::Cycle;
use berth_protocol::page::Explained;
use berth_protocol::remark::Remark;
use berth_session::{Session, explain, frame};

use crate::scene::moment::{Moment, Shown};
use crate::scene::progress::Revealed;
use crate::scene::rows;
use crate::scene::view::View;

/// The state at the current moment, and an attempt explained.
pub struct Scene {
    view: View,
    explained: Option<Explained>,
    group_by: String,
}

impl Scene {
    /// `position`: the attempt to explain. `group_by`: the key that nodes are grouped by; the best place if not given.
    pub fn new(session: &Session, position: Option<usize>, group_by: Option<&str>) -> Self {
        let explained = position.map(|at| explained(session, at, explain::attempt(session, at)));
        Self::with(session, explained, group_by)
    }

    /// With an attempt that is explained already.
    pub fn of(session: &Session, position: usize, cycle: Cycle) -> Self {
        Self::with(session, Some(explained(session, position, Ok(cycle))), None)
    }

    fn with(session: &Session, explained: Option<Explained>, group_by: Option<&str>) -> Self {
        let version = session.manifests().prepared.release.version();
        let view = View::of(frame::build(session), version.minor());
        Self {
            explained,
            group_by: group_by.unwrap_or_else(|| view.domain_key()).to_owned(),
            view,
        }
    }

    /// With the last attempt before the moment.
    pub fn latest(session: &Session, group_by: Option<&str>) -> Self {
        let made = session.attempts().map(|(position, _)| position);
        let last = made.take_while(|position| *position < session.position());
        Self::new(session, last.last(), group_by)
    }

    /// The explained attempt.
    pub fn cycle_mut(&mut self) -> Option<&mut Cycle> {
        self.explained.as_mut()?.result.as_mut().ok()
    }

    pub fn moment(&self) -> Moment<'_> {
        let shown = Shown {
            explained: self.explained.as_ref(),
            revealed: Revealed::all(),
            is_stepping: false,
            chosen: None,
            placed: self.explained.as_ref().and_then(placed),
            group_by: &self.group_by,
        };
        Moment::new(&self.view, shown)
    }
}

/// The Pod that the attempt placed.
fn placed(explained: &Explained) -> Option<&str> {
    let cycle = explained.result.as_ref().ok()?;
    cycle.selected.is_some().then_some(cycle.pod.as_str())
}

fn explained(session: &Session, position: usize, result: Result<Cycle, Remark>) -> Explained {
    Explained {
        position,
        made: position < session.log().len(),
        at_ms: session.time_of(position),
        rows: result.as_ref().map(rows::count).unwrap_or_default(),
        result,
    }
}
