//! A visit stored for the next one: the manifests, the recorded mutations, the run's position, and the state of the
//! page.

use borsh::{BorshDeserialize, BorshSerialize};

use super::storage;
use super::tab::Tab;
use crate::ui::engine::{Engine, module_address, read_journal};
use crate::ui::store::{PageState, Store, Visit};
use berth_protocol::command::{Moment, Recording};

/// Storage names are those of the tab ([`Tab::name`]). The manifests.
const TEXT: &str = "text";
/// Storage names of the recorded mutations and of the run's position.
const RUN: &str = "run";
const MOMENT: &str = "moment";
/// Storage name of the page's state.
const PAGE: &str = "page";
/// Storage names of the source that gave the visit, and of the tab identifier under which the visit before is stored.
const SOURCE: &str = "source";
const BACK: &str = "back";
/// Storage name of the number of consecutive failures to restore: the visit itself may break the page.
const FAILED: &str = "failed";
/// After this many failures, only the manifests are restored.
const PATIENCE: u8 = 2;

/// The recorded mutations. They reproduce the same session only in the same build.
#[derive(BorshSerialize, BorshDeserialize)]
struct Run {
    build: String,
    stamp: u64,
    journal: Vec<u8>,
}

/// Stores the visit when it changes.
pub struct Saver {
    tab: Tab,
    /// Pairs a stored moment with its run.
    stamp: u64,
    version: u32,
    /// The run's position, and whether a terminal command waits.
    moment: (Moment, bool),
    page: Option<PageState>,
    /// The last visit is being restored; it stays stored until that is done.
    restores: bool,
}

/// The last visit of this tab, or else of any tab, and what stores it from now on.
pub fn begin() -> (Option<Visit>, Saver) {
    let tab = Tab::begin();
    let visit = last(&tab);
    let saver = Saver {
        tab,
        stamp: 0,
        version: 0,
        moment: Default::default(),
        page: None,
        restores: false,
    };
    (visit, saver)
}

fn last(tab: &Tab) -> Option<Visit> {
    let text = tab.first(TEXT, storage::get);
    let text = text.filter(|text| !text.trim().is_empty())?;
    let page: Option<(String, PageState)> = tab.first(PAGE, storage::get_value);
    let page = page.filter(|(build, _)| *build == this_build());
    Some(Visit {
        text,
        recording: recording(tab),
        page: page.map(|(_, page)| page),
    })
}

fn recording(tab: &Tab) -> Option<Recording> {
    if failures(tab) >= PATIENCE {
        return None;
    }
    let run: Run = tab.first(RUN, storage::get_value)?;
    if run.build != this_build() {
        return None;
    }
    let recorded = read_journal(&run.journal)?;
    let (stamp, at, waits): (u64, Moment, bool) = tab.first(MOMENT, storage::get_value)?;
    (stamp == run.stamp).then_some(Recording {
        recorded,
        at,
        waits,
    })
}

fn failures(tab: &Tab) -> u8 {
    storage::get(&tab.name(FAILED))
        .and_then(|count| count.parse().ok())
        .unwrap_or_default()
}

impl Saver {
    /// The visit as stored last.
    pub fn last(&self) -> Option<Visit> {
        last(&self.tab)
    }

    /// From now on this tab stores another visit, which the source of that name gave; the visit so far stays stored.
    pub fn leave_for(&mut self, source: &str) {
        let before = self.tab.leave();
        self.tab.set(BACK, &before);
        self.tab.set(SOURCE, source);
        (self.version, self.stamp) = (0, 0);
        self.page = None;
    }

    /// Whether this tab's visit came from the source of that name.
    pub fn is_at(&self, source: &str) -> bool {
        self.tab.first(SOURCE, storage::get).as_deref() == Some(source)
    }

    /// The visit that this tab had before.
    pub fn before(&self) -> Option<Visit> {
        let id = self.tab.first(BACK, storage::get)?;
        last(&Tab::stored(id))
    }

    /// Forgets the visit that this tab had before.
    pub fn forget_before(&self) {
        self.tab.remove(BACK);
    }

    /// This tab's visit no longer comes from a source.
    pub fn leave_source(&self) {
        self.tab.remove(SOURCE);
        self.forget_before();
    }

    /// Restoring the last visit begins.
    pub fn restores(&mut self) {
        self.restores = true;
        let failures = failures(&self.tab) + 1;
        self.tab.set(FAILED, &failures.to_string());
    }

    /// Restoring the last visit has finished.
    pub fn restored(&mut self) {
        self.restores = false;
        self.tab.remove(FAILED);
    }

    /// Stores the manifests.
    pub fn save_text(&self, text: &str) {
        self.tab.set(TEXT, text);
    }

    fn set(&self, name: &str, value: Option<&impl BorshSerialize>) {
        match value.and_then(storage::text_of) {
            Some(text) => self.tab.set(name, &text),
            None => self.tab.remove(name),
        }
    }

    /// Stores what has changed since the last call.
    pub fn save(&mut self, engine: &Engine, store: &Store) {
        if self.restores {
            return;
        }
        let version = engine.journal_version();
        let is_new = self.tab.take_new();
        if is_new {
            self.save_text(&store.editor.text);
            self.page = None;
        }
        let is_news = is_new || version != self.version;
        if is_news {
            self.version = version;
            self.stamp = now();
            let run = engine.journal().map(|journal| Run {
                build: this_build(),
                stamp: self.stamp,
                journal,
            });
            self.set(RUN, run.as_ref());
            // The visit that could not be restored is overwritten.
            self.tab.remove(FAILED);
        }
        let moment = (store.run_moment(), store.terminal.is_busy());
        if is_news || moment != self.moment {
            self.moment = moment;
            let (at, waits) = moment;
            self.set(MOMENT, Some(&(self.stamp, at, waits)));
        }
        let page = store.page_state();
        if self.page.as_ref() != Some(&page) {
            self.set(PAGE, Some(&(this_build(), &page)));
            self.page = Some(page);
        }
    }
}

fn this_build() -> String {
    module_address().unwrap_or_default()
}

fn now() -> u64 {
    js_sys::Date::now() as u64
}
