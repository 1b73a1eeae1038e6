//! What runs for the first time is slow in a browser: it compiles what it is about to run. So the worker goes once
//! through what a key in the editor needs, as soon as the focus is there, with a cluster of its own: by the time that
//! somebody types, what of the program was still to come ([`crate::ui`], `rest`) is there, and compiled.

use std::hint::black_box;

use super::host::change_soon;
use super::patch::{Sent, pieces};
use crate::protocol::page::Command;
use crate::session::{Options, Session};

/// Something of all that manifests commonly have.
const MANIFESTS: &str = include_str!("warm/manifests.yaml");
/// What the keys write: a node's CPU.
const TYPED: [&str; 4] = ["4", "45", "4", "46"];

/// Types some keys into manifests that nobody sees.
pub fn up() {
    let mut session = Session::new(Options::default());
    let mut sent = Sent::default();
    for cpu in TYPED {
        let text = MANIFESTS.replace("CPU", cpu);
        sent.text = Some(text.as_str().into());
        let goes_on = false;
        change_soon(&mut session, Command::Type { text, goes_on });
        let updates = pieces(&mut sent, &session);
        black_box(borsh::to_vec(&updates).is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::SourceFile;

    #[test]
    fn the_manifests_are_in_order_and_their_pods_find_places() {
        let mut session = Session::new(Options::default());
        session.apply(&[SourceFile::new("w.yaml", MANIFESTS.replace("CPU", "4"))]);
        session.run_to_end();
        assert_eq!(session.problems(), []);
        let frame = session.frame();
        assert!(frame.pods.len() >= 3 && frame.pods.iter().all(|pod| pod.node.is_some()));
        up();
    }
}
