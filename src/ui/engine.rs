//! The engine behind the page. It runs in a worker, or in slices on the page's own thread if the browser refuses
//! workers; the rest of the page sees only commands and updates.

#![deny(clippy::wildcard_enum_match_arm)]

mod changes;
mod host;
mod jobs;
mod journal;
mod lesson;
mod mirror;
mod patch;
mod prewarm;
mod progress;
mod restoring;
mod rows;
mod terminal;
#[cfg(test)]
#[allow(clippy::wildcard_enum_match_arm, reason = "tests look for some variants")]
pub mod test_host;
mod worker;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::lazy_module;
use crate::js::Berth;
use berth_protocol::command::{Command, Control, Moment, Query, Recorded, Run, Travel};
use berth_protocol::page::Update;
use berth_protocol::remark::Remark;
use host::Host;
use mirror::Mirror;
use progress::{Reporter, Unanswered};
use worker::{Fault, Line};

pub use berth_session::export::redact_link;
pub use berth_session::reduce::date;
pub use berth_session::terminal::pasted;
pub use berth_session::{
    LeaveOut, Redacted, Version, compact, count_documents, device_dump_command, dump_command,
    has_comments, redact,
};
pub use journal::{Journal, Written, read as read_journal};
pub use lesson::{Summary, summary};
pub use worker::{module_address, serve};

/// The name of the page's one source file, as problems give it.
pub const FILE_NAME: &str = "scenario.yaml";

/// The update that reports a refusal.
fn refused(message: impl Into<Remark>) -> Update {
    Update::Refused {
        message: message.into(),
    }
}

/// What is wrong with the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The worker did not start, so the engine shares the page's thread.
    Inline,
    /// It has not answered for a while.
    Silent,
    /// It has ended, for this reason.
    Stopped(String),
}

/// The page's engine. Clones share the same engine.
#[derive(Clone)]
pub struct Engine {
    backend: Rc<RefCell<Backend>>,
    /// Tells the page that a mutation takes long.
    unanswered: Rc<Unanswered>,
    mirror: Rc<Mirror>,
    journal: Rc<RefCell<Journal>>,
}

#[derive(Clone)]
enum Backend {
    Worker(Line),
    Inline(Rc<Inline>),
}

/// A host on the page's own thread.
struct Inline {
    host: RefCell<Host>,
    /// A slice is already scheduled.
    works: Cell<bool>,
    reporter: RefCell<Reporter>,
    on_update: Callback<Update>,
}

impl Engine {
    /// Starts the engine, and sets `globalThis.berth` once the lazy module is there, since it answers at once. `on_update`
    /// is called with every update, `on_trouble` with what is wrong from now on.
    pub fn start(on_update: Callback<Update>, on_trouble: Callback<Option<Trouble>>) -> Self {
        let mirror = Rc::new(Mirror::default());
        let journal = Rc::new(RefCell::new(Journal::default()));
        let unanswered = Rc::new(Unanswered::new(on_update.clone()));
        let on_update = noting(Rc::clone(&journal), Rc::clone(&unanswered), on_update);
        let backend = Rc::new(RefCell::new(Inline::backend(&mirror, &on_update)));
        let on_fault = {
            let (backend, mirror) = (Rc::clone(&backend), Rc::clone(&mirror));
            let (on_update, unanswered) = (on_update.clone(), Rc::clone(&unanswered));
            Callback::from(move |fault| {
                let trouble = match fault {
                    Fault::Silent => Some(Trouble::Silent),
                    Fault::Answers => None,
                    Fault::Stopped(why) => {
                        unanswered.answered();
                        Some(Trouble::Stopped(why))
                    }
                    Fault::NotStarted(commands) => {
                        mirror.forget();
                        let inline = Inline::backend(&mirror, &on_update);
                        backend.replace(inline.clone());
                        commands.into_iter().for_each(|it| inline.handle(it));
                        Some(Trouble::Inline)
                    }
                };
                on_trouble.emit(trouble);
            })
        };
        if let Some(line) = worker::call(on_update.clone(), on_fault) {
            let worker = line.clone();
            lazy_module::when_fetched(move |module| {
                if !module.is_null() {
                    worker.share(module);
                }
            });
            backend.replace(Backend::Worker(line));
        }
        let engine = Self {
            backend,
            unanswered,
            mirror: Rc::clone(&mirror),
            journal,
        };
        let owner = mirror::Link::new(Rc::clone(&mirror), engine.clone(), on_update);
        let session = Rc::clone(mirror.session());
        lazy_module::when_fetched(move |_| {
            // If `globalThis.berth` cannot be set, the page works without it.
            let _ = crate::js::install(Berth::shared(session, Rc::new(owner)));
        });
        engine
    }

    /// Sends a command; updates follow later.
    pub fn send(&self, command: Command) {
        if let Command::Control(Control::Restore { recording, .. }) = &command {
            self.journal.replace(Journal::of(&recording.recorded));
        }
        if !self.is_inline() {
            self.mirror.note(&command);
        }
        self.pass_on(command);
    }

    /// Makes the worker compile the code that the first keystroke needs, once the lazy module is there. An inline engine
    /// would block the page.
    pub fn warm_up(&self) {
        if self.is_inline() {
            return;
        }
        let engine = self.clone();
        spawn_local(async move {
            if lazy_module::fetch().await.is_ok() {
                engine.pass_on(Command::Control(Control::WarmUp));
            }
        });
    }

    /// Asks what only the lazy module can answer, once it is there; `missing`: it could not be fetched.
    pub async fn ask_when_fetched(self, query: Query, missing: impl FnOnce()) {
        match lazy_module::fetch().await {
            Ok(()) => self.send(Command::Ask(query)),
            Err(_) => missing(),
        }
    }

    /// Incremented when [`Engine::journal`] changes.
    pub fn journal_version(&self) -> u32 {
        self.journal.borrow().version
    }

    /// The serialized mutations so far, for [`read_journal`]; `None` if they are too many to store. `stored`: the large
    /// ones that need not be serialized again.
    pub fn journal(&self, stored: &BTreeSet<u64>) -> Option<Written> {
        self.journal.borrow_mut().written(stored)
    }

    /// The mutations so far; `None` if they are too large for a link.
    pub fn recorded(&self) -> Option<Vec<Recorded>> {
        self.journal.borrow_mut().recorded()
    }

    /// Sends a command that the mirror has already applied.
    fn pass_on(&self, command: Command) {
        if let Command::Mutate(mutation) = &command {
            self.journal.borrow_mut().sent(mutation);
            if !self.is_inline() {
                self.unanswered.sent();
            }
        }
        let backend = self.backend.borrow().clone();
        backend.handle(command);
    }

    /// A caller of `globalThis.berth` applied a command to the page's own session.
    fn did(&self, command: &Command, before: Moment, taken: bool) {
        if let Command::Mutate(mutation) = command {
            let mut journal = self.journal.borrow_mut();
            journal.sent(mutation);
            journal.noted(before, false, taken);
            settle(&mut journal);
        }
        self.pass_on(Command::Run(Run::Pause));
    }

    /// Records the run's position, as reported to the page.
    pub fn moved_to(&self, position: usize) {
        if !self.is_inline() {
            self.mirror
                .note(&Command::Travel(Travel::Seek { position }));
        }
    }

    /// Whether the engine shares the page's thread.
    pub fn is_inline(&self) -> bool {
        matches!(*self.backend.borrow(), Backend::Inline(_))
    }
}

fn settle(journal: &mut Journal) {
    if !lazy_module::is_missing() {
        journal.settle();
    }
}

/// Routes acknowledgements to the journal, and all other updates to the page.
fn noting(
    journal: Rc<RefCell<Journal>>,
    unanswered: Rc<Unanswered>,
    on_update: Callback<Update>,
) -> Callback<Update> {
    Callback::from(move |update| {
        if let Update::Noted {
            before,
            interrupts,
            taken,
        } = update
        {
            let mut journal = journal.borrow_mut();
            journal.noted(before, interrupts, taken);
            settle(&mut journal);
            if journal.is_answered() {
                unanswered.answered();
            }
        } else {
            on_update.emit(update);
        }
    })
}

impl Backend {
    fn handle(&self, command: Command) {
        match self {
            Self::Worker(line) => line.send(command),
            Self::Inline(inline) => inline.handle(command),
        }
    }
}

impl Inline {
    fn backend(mirror: &Mirror, on_update: &Callback<Update>) -> Backend {
        let host = Host::of(Rc::clone(mirror.session()));
        Backend::Inline(Rc::new(Self {
            host: RefCell::new(host),
            works: Cell::new(false),
            reporter: RefCell::default(),
            on_update: on_update.clone(),
        }))
    }

    fn handle(self: &Rc<Self>, command: Command) {
        let updates = self.host.borrow_mut().handle(command);
        let go_on = self.host.borrow().is_running();
        updates
            .into_iter()
            .for_each(|update| self.on_update.emit(update));
        if go_on && !self.works.replace(true) {
            self.work_later();
        }
    }

    fn work_later(self: &Rc<Self>) {
        let inline = Rc::clone(self);
        Timeout::new(0, move || {
            let report = {
                let work = inline.host.borrow().under_way();
                inline
                    .reporter
                    .borrow_mut()
                    .report(work, js_sys::Date::now())
            };
            report
                .into_iter()
                .for_each(|update| inline.on_update.emit(update));
            if !inline.host.borrow().is_running() {
                inline.works.set(false);
                return;
            }
            let updates = inline.host.borrow_mut().work();
            updates
                .into_iter()
                .for_each(|update| inline.on_update.emit(update));
            inline.work_later();
        })
        .forget();
    }
}
