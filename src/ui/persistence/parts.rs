//! The parts in which a visit is stored, by name: the manifests, the recorded mutations with their large entries, the
//! run's position, and the state of the page.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::ui::engine::read_journal;
use crate::ui::store::{PageState, Visit};
use berth_protocol::command::{Moment, Recording};

/// The manifests.
pub const TEXT: &str = "text";
/// The recorded mutations, and the run's position.
pub const RUN: &str = "run";
pub const MOMENT: &str = "moment";
/// The page's state.
pub const PAGE: &str = "page";
/// The source that gave the visit, and the tab identifier under which the visit before is stored.
pub const SOURCE: &str = "source";
pub const BACK: &str = "back";
/// Begins the names of large entries of the mutations.
const LARGE: &str = "large.";

/// The name of a large entry.
pub fn large(digest: u64) -> String {
    format!("{LARGE}{digest:016x}")
}

/// The digest that names a large entry.
pub fn digest(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_prefix(LARGE)?, 16).ok()
}

/// The recorded mutations. They reproduce the same session only in the same build.
#[derive(BorshSerialize, BorshDeserialize)]
pub struct Run {
    pub build: String,
    /// Pairs a moment with its run.
    pub stamp: u64,
    pub journal: Vec<u8>,
}

/// Everything that is stored of a visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts(pub BTreeMap<String, Vec<u8>>);

impl Parts {
    /// A part as text.
    pub fn text(&self, name: &str) -> Option<String> {
        String::from_utf8(self.0.get(name)?.clone()).ok()
    }

    fn value<T: BorshDeserialize>(&self, name: &str) -> Option<T> {
        borsh::from_slice(self.0.get(name)?).ok()
    }

    /// The visit, in this build; `replays`: with its run, not only its manifests.
    pub fn visit(&self, build: &str, replays: bool) -> Option<Visit> {
        let text = self.text(TEXT).filter(|text| !text.trim().is_empty())?;
        let page: Option<(String, PageState)> = self.value(PAGE);
        let page = page.filter(|(by, _)| by == build);
        Some(Visit {
            text,
            recording: replays.then(|| self.recording(build)).flatten(),
            page: page.map(|(_, page)| page),
        })
    }

    fn recording(&self, build: &str) -> Option<Recording> {
        let run: Run = self.value(RUN)?;
        if run.build != build {
            return None;
        }
        let recorded = read_journal(&run.journal, |digest| self.0.get(&large(digest)).cloned())?;
        let (stamp, at, waits): (u64, Moment, bool) = self.value(MOMENT)?;
        (stamp == run.stamp).then_some(Recording {
            recorded,
            at,
            waits,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{MOMENT, PAGE, Parts, RUN, Run, TEXT, digest, large};
    use crate::ui::engine::Journal;
    use crate::ui::store::PageState;
    use berth_protocol::command::{Moment, Mutation};

    const BUILD: &str = "page-1.js";

    /// A stored visit that opened this text, with its run at position 3.
    fn stored(text: &str) -> Parts {
        let mut journal = Journal::default();
        let text = text.to_owned();
        journal.sent(&Mutation::Open { text: text.clone() });
        journal.noted(Moment::default(), false, true);
        let written = journal.written(&BTreeSet::new()).unwrap();
        let (build, stamp, journal) = (BUILD.to_owned(), 7, written.list);
        let at = Moment {
            log_length: 4,
            position: 3,
        };
        let run = Run {
            build,
            stamp,
            journal,
        };
        let mut parts = Parts::default();
        let mut set = |name: &str, bytes: Vec<u8>| parts.0.insert(name.to_owned(), bytes);
        set(TEXT, text.into_bytes());
        set(RUN, borsh::to_vec(&run).unwrap());
        set(MOMENT, borsh::to_vec(&(stamp, at, false)).unwrap());
        set(PAGE, borsh::to_vec(&(BUILD, PageState::default())).unwrap());
        for (digest, bytes) in written.new {
            set(&large(digest), bytes);
        }
        parts
    }

    #[test]
    fn a_visit_of_any_size_is_read_with_its_run() {
        for text in ["kind: Pod\n", &"kind: Node\n---\n".repeat(300_000)] {
            let parts = stored(text);
            let visit = parts.visit(BUILD, true).unwrap();
            assert_eq!(visit.text, text);
            assert!(visit.page.is_some());
            let recording = visit.recording.unwrap();
            assert_eq!((recording.recorded.len(), recording.at.position), (1, 3));
        }
    }

    #[test]
    fn another_build_or_a_missing_part_leaves_the_manifests() {
        let text = "kind: Node\n---\n".repeat(10_000);
        let parts = stored(&text);
        let other = parts.visit("page-2.js", true).unwrap();
        assert_eq!(
            (other.text, other.recording, other.page),
            (text, None, None)
        );
        assert!(parts.visit(BUILD, false).unwrap().recording.is_none());
        let is_large = |name: &String| digest(name).is_some();
        for lost in [
            RUN.to_owned(),
            MOMENT.to_owned(),
            parts.0.keys().find(|name| is_large(name)).unwrap().clone(),
        ] {
            let mut parts = parts.clone();
            parts.0.remove(&lost);
            let visit = parts.visit(BUILD, true).unwrap();
            assert!(visit.recording.is_none(), "{lost}");
        }
        assert!(Parts::default().visit(BUILD, true).is_none());
    }
}
