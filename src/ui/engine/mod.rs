//! The engine behind the page. It runs in a worker, or in slices on the page's own thread where
//! workers are refused; the rest of the page sees only commands and updates.

mod host;
mod journal;
mod living;
mod mirror;
mod patch;
mod restoring;
mod rows;
mod warm;
mod worker;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::Callback;

use crate::js::Berth;
use crate::protocol::journal::Moment;
use crate::protocol::page::{Command, Update};
use host::Host;
use journal::Journal;
use mirror::Mirror;
use worker::Line;

pub use host::FILE_NAME;
pub use journal::read as read_journal;
pub use worker::{module_address, serve};

/// The page's engine. Copies are the same engine.
#[derive(Clone)]
pub struct Engine {
    way: Way,
    mirror: Rc<Mirror>,
    journal: Rc<RefCell<Journal>>,
}

#[derive(Clone)]
enum Way {
    Worker(Line),
    Inline(Rc<Inline>),
}

/// A host on the page's own thread.
struct Inline {
    host: RefCell<Host>,
    /// Slices follow each other already.
    works: Cell<bool>,
    told: Callback<Update>,
}

impl Engine {
    /// Starts the engine, and sets `globalThis.berth`. `told` is called with everything that it
    /// tells.
    pub fn start(told: Callback<Update>) -> Self {
        let mirror = Rc::new(Mirror::default());
        let journal = Rc::new(RefCell::new(Journal::default()));
        let told = noting(Rc::clone(&journal), told);
        let inline = || {
            let host = Host::of(Rc::clone(mirror.session()));
            let told = told.clone();
            Way::Inline(Rc::new(Inline {
                host: RefCell::new(host),
                works: Cell::new(false),
                told,
            }))
        };
        let way = match worker::call(told.clone()) {
            Some(line) => Way::Worker(line),
            None => inline(),
        };
        let engine = Self {
            way,
            mirror: Rc::clone(&mirror),
            journal,
        };
        let owner = mirror::Link::new(Rc::clone(&mirror), engine.clone(), told);
        // The page works without `globalThis.berth` if something keeps it from being set.
        let _ = crate::js::install(Berth::shared(Rc::clone(mirror.session()), Rc::new(owner)));
        engine
    }

    /// Does what the user wants; what comes of it is told later.
    pub fn send(&self, command: Command) {
        if let Command::Restore { course, .. } = &command {
            self.journal.replace(Journal::of(&course.done));
        }
        if matches!(self.way, Way::Worker(_)) {
            self.mirror.note(&command);
        }
        self.pass_on(command);
    }

    /// Lets the worker run once what the first key in the editor needs. On the page's own thread it would be in the way.
    pub fn warm_up(&self) {
        if let Way::Worker(line) = &self.way {
            line.send(&Command::WarmUp);
        }
    }

    /// A number that changes with what [`Engine::journal`] holds.
    pub fn journal_version(&self) -> u32 {
        self.journal.borrow().version
    }

    /// What was done so far, to be read by [`read_journal`]; `None` if it is too much to be kept.
    pub fn journal(&self) -> Option<Vec<u8>> {
        self.journal.borrow().written()
    }

    /// Sends a command that the mirror has carried out already.
    fn pass_on(&self, command: Command) {
        self.journal.borrow_mut().sent(&command);
        match &self.way {
            Way::Worker(line) => line.send(&command),
            Way::Inline(inline) => inline.handle(command),
        }
    }

    /// Somebody else did it to the session that is this page's own.
    fn did(&self, command: Command, before: Moment, taken: bool) {
        if command.is_deed() {
            let mut journal = self.journal.borrow_mut();
            journal.sent(&command);
            journal.noted(before, false, taken);
        }
        self.pass_on(Command::Pause);
    }

    /// Where the run is by now, as the page was told.
    pub fn moved_to(&self, position: usize) {
        if matches!(self.way, Way::Worker(_)) {
            self.mirror.note(&Command::Seek { position });
        }
    }

    /// Whether the engine shares the page's thread.
    pub fn is_inline(&self) -> bool {
        matches!(self.way, Way::Inline(_))
    }
}

/// Keeps what is said for the journal from the page, which need not know.
fn noting(journal: Rc<RefCell<Journal>>, told: Callback<Update>) -> Callback<Update> {
    Callback::from(move |update| match update {
        Update::Noted {
            before,
            interrupts,
            taken,
        } => journal.borrow_mut().noted(before, interrupts, taken),
        update => told.emit(update),
    })
}

impl Inline {
    fn handle(self: &Rc<Self>, command: Command) {
        let updates = self.host.borrow_mut().handle(command);
        let go_on = self.host.borrow().is_running();
        updates
            .into_iter()
            .for_each(|update| self.told.emit(update));
        if go_on && !self.works.replace(true) {
            self.work_later();
        }
    }

    fn work_later(self: &Rc<Self>) {
        let inline = Rc::clone(self);
        Timeout::new(0, move || {
            if !inline.host.borrow().is_running() {
                inline.works.set(false);
                return;
            }
            let updates = inline.host.borrow_mut().work();
            updates
                .into_iter()
                .for_each(|update| inline.told.emit(update));
            inline.work_later();
        })
        .forget();
    }
}
