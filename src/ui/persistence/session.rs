//! A visit stored for the next one: the manifests, the recorded mutations, the run's position, and the state of the
//! page.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::pin::Pin;
use std::rc::Rc;

use borsh::BorshSerialize;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::parts::{self, BACK, MOMENT, PAGE, RUN, Run, SOURCE, TEXT};
use super::tab::{self, Tab};
use super::visits::{self, Change};
use crate::ui::engine::{Engine, module_address};
use crate::ui::lazy_module;
use crate::ui::store::{Action, Keeping, PageAction, PageState, Store, Visit};
use berth_protocol::command::Moment;

/// After this many failures, only the manifests are restored.
const PATIENCE: u8 = 2;

/// Stores the visit when it changes.
#[derive(Default)]
pub struct Saver {
    tab: Tab,
    /// Visits are stored: the page is not embedded, and its visit is not being forgotten.
    keeps: bool,
    /// The name of the source that gave the visit, and the tab identifier under which the visit before is stored.
    source: Option<String>,
    back: Option<String>,
    /// Pairs a stored moment with its run.
    stamp: u64,
    version: u32,
    /// The run's position, and whether a terminal command waits.
    moment: (Moment, bool),
    page: Option<PageState>,
    /// The stored large entries of the journal.
    large: BTreeSet<u64>,
    /// The last visit is being restored; it stays stored until that is done.
    restores: bool,
    /// Storing has failed: the next time, all of the visit is stored.
    lost: Rc<Cell<bool>>,
    teller: Teller,
}

/// Tells the page whether its visit is kept.
#[derive(Clone, Default)]
struct Teller {
    act: Callback<Action>,
    told: Rc<Cell<Keeping>>,
}

/// How the page begins.
#[derive(Default)]
pub struct Begun {
    /// The last visit of this tab, or else of any tab.
    pub visit: Option<Visit>,
    /// The one that this tab had before.
    pub before: Option<Visit>,
    /// Stores the visit from now on.
    pub saver: Saver,
}

/// Reads the last visit; `keeps`: the page restores and stores one.
pub async fn begin(keeps: bool) -> Begun {
    let mut begun = Begun::default();
    if !keeps {
        return begun;
    }
    let saver = &mut begun.saver;
    saver.keeps = true;
    saver.tab = Tab::begin();
    // A first visit does not wait for the store.
    if let Some(id) = saver.tab.stored() {
        read(&id, &mut begun).await;
    }
    begun
}

/// Reads a stored visit. Cold: kept out of the first download.
#[inline(never)]
fn read<'a>(id: &'a str, begun: &'a mut Begun) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
    Box::pin(async move {
        let saver = &mut begun.saver;
        tab::move_visits().await;
        let parts = visits::read(id).await;
        begun.visit = parts.visit(&this_build(), saver.tab.failures() < PATIENCE);
        saver.source = parts.text(SOURCE);
        saver.back = parts.text(BACK);
        let names = parts.0.keys();
        saver.large = names.filter_map(|name| parts::digest(name)).collect();
        if let Some(id) = &saver.back {
            visits::hold(id);
            begun.before = visits::read(id).await.visit(&this_build(), true);
        }
    })
}

impl Saver {
    /// From now on `act` is told whether the visit is kept.
    pub fn tell(&mut self, act: Callback<Action>) {
        self.teller.act = act;
    }

    /// The visit as stored last.
    pub fn last(&self) -> impl Future<Output = Option<Visit>> + use<> {
        let id = self.tab.stored().filter(|_| self.keeps);
        let replays = self.tab.failures() < PATIENCE;
        async move { visits::read(&id?).await.visit(&this_build(), replays) }
    }

    /// From now on this tab stores another visit, which the source of that name gave; the visit so far stays stored.
    pub fn leave_for(&mut self, source: &str) {
        if self.keeps {
            self.back = Some(self.tab.leave());
            self.source = Some(source.to_owned());
        }
    }

    /// Whether this tab's visit came from the source of that name.
    pub fn is_at(&self, source: &str) -> bool {
        self.source.as_deref() == Some(source)
    }

    /// Forgets the visit that this tab had before.
    pub fn forget_before(&mut self) {
        self.back = None;
        self.write_now(BACK, None);
    }

    /// This tab's visit no longer comes from a source.
    pub fn leave_source(&mut self) {
        self.source = None;
        self.write_now(SOURCE, None);
        self.forget_before();
    }

    /// Restoring the last visit begins.
    pub fn restores(&mut self) {
        self.restores = true;
        if self.keeps {
            self.tab.set_failures(self.tab.failures() + 1);
        }
    }

    /// Restoring the last visit has finished.
    pub fn restored(&mut self) {
        self.restores = false;
        if self.keeps {
            self.tab.set_failures(0);
        }
    }

    /// Stores the manifests.
    pub fn save_text(&self, text: &str) {
        self.write_now(TEXT, Some(text.into()));
    }

    /// Stores what has changed since the last call.
    pub fn save(&mut self, engine: &Engine, store: &Store) {
        if self.restores || !self.keeps {
            return;
        }
        if lazy_module::is_missing() {
            self.save_later();
        } else {
            self.save_now(engine, store);
        }
    }

    /// What stores a visit is fetched first. In the meantime the journal has the changes.
    fn save_later(&self) {
        let teller = self.teller.clone();
        spawn_local(async move {
            match lazy_module::fetch().await {
                Ok(()) => teller.act.emit(Action::Save),
                Err(_) => teller.tell(Keeping::Unfetched),
            }
        });
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    fn save_now(&mut self, engine: &Engine, store: &Store) {
        let mut change = Change::new();
        let is_new = self.tab.take_new() | self.lost.replace(false);
        if is_new {
            self.begin_anew(store, &mut change);
        }
        let version = engine.journal_version();
        let is_news = is_new || version != self.version;
        if is_news {
            self.version = version;
            self.stamp = now();
            self.add_run(engine, &mut change);
            // The visit that could not be restored is overwritten.
            self.tab.set_failures(0);
        }
        let moment = (store.run_moment(), store.terminal.is_busy());
        if is_news || moment != self.moment {
            self.moment = moment;
            let (at, waits) = moment;
            add(&mut change, MOMENT, &(self.stamp, at, waits));
        }
        let page = store.page_state();
        if self.page.as_ref() != Some(&page) {
            add(&mut change, PAGE, &(this_build(), &page));
            self.page = Some(page);
        }
        if change.is_empty() {
            return;
        }
        let whole = is_news.then(|| {
            match change
                .iter()
                .any(|(name, bytes)| name == RUN && bytes.is_none())
            {
                true => Keeping::Manifests,
                false => Keeping::Kept,
            }
        });
        self.write(&change, whole);
        if is_new {
            spawn_local(async {
                tab::remove_old().await;
            });
        }
    }

    /// Removes what is stored of this visit and of all that are closed. Nothing is stored until the page is loaded
    /// again.
    pub fn forget(&mut self) -> impl Future<Output = bool> + use<> {
        self.keeps = false;
        let own: Vec<String> = [Some(self.tab.id()), self.back.take()]
            .into_iter()
            .flatten()
            .collect();
        async move { tab::forget(&own).await }
    }

    /// Adds what is stored once.
    fn begin_anew(&mut self, store: &Store, change: &mut Change) {
        self.page = None;
        self.large.clear();
        let parts = [
            (TEXT, Some(&*store.editor.text)),
            (SOURCE, self.source.as_deref()),
            (BACK, self.back.as_deref()),
        ];
        change.extend(parts.map(|(name, text)| (name.to_owned(), text.map(Into::into))));
    }

    fn add_run(&mut self, engine: &Engine, change: &mut Change) {
        let written = engine.journal(&self.large);
        let run = written.as_ref().map(|written| Run {
            build: this_build(),
            stamp: self.stamp,
            journal: written.list.clone(),
        });
        change.push((RUN.to_owned(), run.and_then(|run| borsh::to_vec(&run).ok())));
        let written = written.unwrap_or_default();
        let gone = self.large.difference(&written.large);
        change.extend(gone.map(|digest| (parts::large(*digest), None)));
        let new = written.new.into_iter();
        change.extend(new.map(|(digest, bytes)| (parts::large(digest), Some(bytes))));
        self.large = written.large;
    }

    /// Stores a part, if the rest is stored: otherwise it is stored with the rest.
    fn write_now(&self, name: &str, bytes: Option<Vec<u8>>) {
        if self.keeps && !self.tab.is_new() {
            self.write(&vec![(name.to_owned(), bytes)], None);
        }
    }

    /// Begins to store a change. `whole`: what is kept if that succeeds.
    fn write(&self, change: &Change, whole: Option<Keeping>) {
        self.tab.list();
        let written = visits::write(&self.tab.id(), change);
        let (lost, teller) = (Rc::clone(&self.lost), self.teller.clone());
        spawn_local(async move {
            match (written.await, whole) {
                (Ok(()), Some(keeping)) => teller.tell(keeping),
                (Ok(()), None) => {}
                (Err(reason), _) => {
                    lost.set(true);
                    if reason == Keeping::Full && tab::remove_closed().await {
                        teller.act.emit(Action::Save);
                    } else {
                        teller.tell(reason);
                    }
                }
            }
        });
    }
}

impl Teller {
    fn tell(&self, keeping: Keeping) {
        if self.told.replace(keeping) != keeping {
            self.act.emit(Action::Page(PageAction::Keeps(keeping)));
        }
    }
}

fn add(change: &mut Change, name: &str, value: &impl BorshSerialize) {
    change.push((name.to_owned(), borsh::to_vec(value).ok()));
}

fn this_build() -> String {
    module_address().unwrap_or_default()
}

fn now() -> u64 {
    js_sys::Date::now() as u64
}
