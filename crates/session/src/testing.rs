//! Sessions for this package's tests.

use berth_core::api::source::SourceFile;
use berth_kubectl::Output;

use crate::session::{Clock, Options, Session};
use crate::simulated;

/// [`TWO_NODES`], for `concat!`.
macro_rules! two_nodes {
    () => {
        "
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
"
    };
}
pub(crate) use two_nodes;

/// Two nodes of the same size.
pub(crate) const TWO_NODES: &str = two_nodes!();

/// At the beginning of these manifests, which have no errors.
#[track_caller]
pub(crate) fn session(text: &str) -> Session {
    session_with(text, Options::default())
}

/// Like [`session`], in a simulated cluster.
#[track_caller]
pub(crate) fn simulated(text: &str) -> Session {
    let options = Options {
        live: true,
        ..Options::default()
    };
    session_with(text, options)
}

#[track_caller]
pub(crate) fn session_with(text: &str, options: Options) -> Session {
    let mut session = Session::new(options);
    let taken = session.apply(&[SourceFile::new("test.yaml", text)]);
    let problems = session.problems();
    assert!(taken && !session.has_errors(), "{text}\n{problems:?}");
    session
}

/// Runs a line to the end of its commands; the clock then stands.
pub(crate) fn alone(session: &mut Session, line: &str) -> Output {
    session.by_clock(Clock::V0_1, |session| simulated::command(session, line))
}
