//! What one visit leaves for the next in the browser's storage: the manifests, what was done, where the run is,
//! and what the page is like.

use borsh::{BorshDeserialize, BorshSerialize};

use super::engine::{Engine, module_address, read_journal};
use super::keep;
use super::store::{Kept, Store, Visit};
use crate::protocol::journal::{Course, Moment};

/// The manifests.
pub const TEXT: &str = "text";
/// What was done, and the moment at which the run is.
const RUN: &str = "run";
const MOMENT: &str = "moment";
/// What the page is like.
const PAGE: &str = "page";
/// How often in a row a visit was not there again: it may be what breaks the page.
const FAILED: &str = "failed";
/// After so many failures only the manifests are brought back.
const PATIENCE: u8 = 2;

/// What was done. It leads to the same session only in the same build.
#[derive(BorshSerialize, BorshDeserialize)]
struct Run {
    build: String,
    stamp: u64,
    journal: Vec<u8>,
}

/// Keeps a visit for the next one.
#[derive(Default)]
pub struct Keeper {
    /// Tells which run a moment belongs to.
    stamp: u64,
    version: u32,
    /// Where the run is, and whether a line of the terminal waits.
    moment: (Moment, bool),
    page: Option<Kept>,
    /// The last visit is on its way back: until then it is what is kept.
    restores: bool,
}

/// What the last visit left.
pub fn last() -> Option<Visit> {
    let text = keep::get(TEXT).filter(|text| !text.trim().is_empty())?;
    let page: Option<(String, Kept)> = keep::get_value(PAGE);
    let page = page.filter(|(build, _)| *build == this_build());
    Some(Visit {
        text,
        course: course(),
        page: page.map(|(_, page)| page),
    })
}

fn course() -> Option<Course> {
    if failures() >= PATIENCE {
        return None;
    }
    let run: Run = keep::get_value(RUN)?;
    if run.build != this_build() {
        return None;
    }
    let done = read_journal(&run.journal)?;
    let (stamp, at, waits): (u64, Moment, bool) = keep::get_value(MOMENT)?;
    (stamp == run.stamp).then_some(Course { done, at, waits })
}

fn failures() -> u8 {
    keep::get(FAILED)
        .and_then(|count| count.parse().ok())
        .unwrap_or_default()
}

impl Keeper {
    /// The last visit is being brought back from now on.
    pub fn restores(&mut self) {
        self.restores = true;
        keep::set(FAILED, &(failures() + 1).to_string());
    }

    /// It is there.
    pub fn restored(&mut self) {
        self.restores = false;
        keep::remove(FAILED);
    }

    /// Keeps what changed since the last time.
    pub fn keep(&mut self, engine: &Engine, store: &Store) {
        if self.restores {
            return;
        }
        let version = engine.journal_version();
        let is_news = version != self.version;
        if is_news {
            self.version = version;
            self.stamp = now();
            let run = engine.journal().map(|journal| Run {
                build: this_build(),
                stamp: self.stamp,
                journal,
            });
            keep::set_value(RUN, run.as_ref());
            // What did not come back is no longer there.
            keep::remove(FAILED);
        }
        let moment = (store.run_moment(), store.terminal.busy);
        if is_news || moment != self.moment {
            self.moment = moment;
            let (at, waits) = moment;
            keep::set_value(MOMENT, Some(&(self.stamp, at, waits)));
        }
        let page = store.kept();
        if self.page.as_ref() != Some(&page) {
            keep::set_value(PAGE, Some(&(this_build(), &page)));
            self.page = Some(page);
        }
    }
}

fn this_build() -> String {
    module_address().unwrap_or_default()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "some milliseconds"
)]
fn now() -> u64 {
    js_sys::Date::now() as u64
}
