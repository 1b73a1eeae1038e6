//! What the page would show of a session's current moment.

use berth_protocol::cycle::Cycle;
use berth_protocol::page::Explained;
use berth_protocol::remark::Remark;
use berth_session::{Session, explain, frame};

use crate::scene::still::{self, Still};
use crate::scene::view::View;

/// The state with the last attempt before it. `group_by`: the key that nodes are grouped by; the best place if not given.
pub fn latest(session: &Session, group_by: Option<&str>) -> Still {
    let made = session.attempts().map(|(position, _)| position);
    let last = made.take_while(|position| *position < session.position());
    let explained = last
        .last()
        .map(|at| explained(session, at, explain::attempt(session, at)));
    Still::new(view(session), explained, group_by)
}

/// The state with an attempt that is explained already.
pub fn with_attempt(session: &Session, position: usize, cycle: Cycle) -> Still {
    let explained = explained(session, position, Ok(cycle));
    Still::new(view(session), Some(explained), None)
}

fn view(session: &Session) -> View {
    let version = session.manifests().prepared.release.version();
    View::of(frame::build(session), version.minor())
}

fn explained(session: &Session, position: usize, result: Result<Cycle, Remark>) -> Explained {
    let made = position < session.log().len();
    still::explained(position, made, session.time_of(position), result)
}
