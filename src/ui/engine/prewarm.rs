//! A browser compiles WebAssembly code when it first runs, so that run is slow. Once the editor has the focus, the
//! worker therefore runs the code of a keystroke on a separate session. This also loads the lazy module ([`crate::ui`],
//! `lazy_module`) before the first keystroke.

use std::hint::black_box;

use super::changes::mutate_soon;
use super::patch::{Sent, pieces};
use berth_protocol::command::Mutation;
use berth_session::{Options, Session};

/// Manifests with a little of everything common.
const MANIFESTS: &str = include_str!("prewarm/manifests.yaml");
/// The typed values: a node's CPU.
const TYPED: [&str; 4] = ["4", "45", "4", "46"];

/// Types into a separate session.
pub fn up() {
    let mut session = Session::new(Options::default());
    let mut sent = Sent::default();
    for cpu in TYPED {
        let text = MANIFESTS.replace("CPU", cpu);
        sent.text = Some(text.as_str().into());
        let goes_on = false;
        mutate_soon(&mut session, Mutation::Type { text, goes_on });
        let updates = pieces(&mut sent, &session);
        black_box(borsh::to_vec(&updates).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use berth_session::SourceFile;

    #[test]
    fn the_manifests_are_valid_and_their_pods_are_placed() {
        let mut session = Session::new(Options::default());
        session.apply(&[SourceFile::new("w.yaml", MANIFESTS.replace("CPU", "4"))]);
        session.run_to_end();
        assert_eq!(session.problems(), []);
        let frame = berth_session::frame::build(&session);
        assert!(frame.pods.len() >= 3 && frame.pods.iter().all(|pod| pod.node.is_some()));
        up();
    }
}
