//! The session that `globalThis.berth` answers from at once, while the page's own is in a worker.
//!
//! Both are given the same commands, and the same commands make the same session. The mirror takes
//! them only when somebody asks: until then it costs nothing.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use yew::Callback;

use super::Engine;
use super::host::Host;
use super::restoring::moment;
use crate::js::{Change, Owner};
use crate::protocol::journal::Moment;
use crate::protocol::page::{Command, Update};
use crate::session::{Options, Session, SourceFile};

/// A session that lags behind, and what it has to do to catch up.
pub struct Mirror {
    session: Rc<RefCell<Session>>,
    waiting: RefCell<Vec<Command>>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self {
            session: Rc::new(RefCell::new(Session::new(Options::default()))),
            waiting: RefCell::new(Vec::new()),
        }
    }
}

impl Mirror {
    pub fn session(&self) -> &Rc<RefCell<Session>> {
        &self.session
    }

    /// Remembers what was done to the page's own session.
    pub fn note(&self, command: &Command) {
        let changes = !matches!(
            command,
            Command::Look(_)
                | Command::Check(_)
                | Command::Fix { .. }
                | Command::WhyNot { .. }
                | Command::Find { .. }
                | Command::Export
                | Command::Complete { .. }
                | Command::Run
                // Where that was is told.
                | Command::Interrupt
                | Command::Drawn
                | Command::WarmUp
                | Command::Pause
        );
        let Ok(mut waiting) = self.waiting.try_borrow_mut() else {
            return;
        };
        match (waiting.last(), command) {
            _ if !changes => {}
            // Where the run was in between does not matter.
            (Some(Command::Seek { .. }), Command::Seek { .. }) => {
                waiting.pop();
                waiting.push(command.clone());
            }
            (
                Some(Command::Type { .. }),
                Command::Type {
                    text,
                    goes_on: true,
                },
            ) => {
                if let Some(Command::Type { text: last, .. }) = waiting.last_mut() {
                    last.clone_from(text);
                }
            }
            _ => waiting.push(command.clone()),
        }
    }

    fn catch_up(&self) {
        let waiting = self.waiting.take();
        if waiting.is_empty() {
            return;
        }
        let mut host = Host::of(Rc::clone(&self.session));
        for command in waiting {
            host.carry_out(command);
        }
    }
}

/// Keeps a mirror and the page's own session the same.
pub struct Link {
    mirror: Rc<Mirror>,
    engine: Engine,
    told: Callback<Update>,
    /// Where the session was before the change that is being made.
    before: Cell<Moment>,
}

impl Link {
    pub fn new(mirror: Rc<Mirror>, engine: Engine, told: Callback<Update>) -> Self {
        Self {
            mirror,
            engine,
            told,
            before: Cell::default(),
        }
    }

    fn moment(&self) -> Moment {
        let session = self.mirror.session.try_borrow();
        session.map_or_else(|_| Moment::default(), |session| moment(&session))
    }
}

impl Owner for Link {
    fn before(&self) {
        self.mirror.catch_up();
        self.before.set(self.moment());
    }

    fn changed(&self, change: Change) {
        let command = match change {
            Change::Opened(files) => Command::Open {
                text: joined(&files),
            },
            Change::Edited(files) => Command::Type {
                text: joined(&files),
                goes_on: false,
            },
            Change::Undone => Command::Undo,
            Change::Redone => Command::Redo,
            Change::LeftFork => Command::BackToFirstRun,
            Change::Moved => Command::Seek {
                position: self.moment().position,
            },
        };
        if self.engine.is_inline() {
            // The session is the page's own: only the news are missing.
            let session = self.mirror.session.try_borrow();
            let taken = session.is_ok_and(|session| session.stands());
            self.engine.did(command, self.before.get(), taken);
            return;
        }
        if let Command::Open { text } | Command::Type { text, .. } = &command {
            // The page learns it here, for the engine takes it that the page has the texts that come from it.
            let text = text.clone();
            self.told.emit(Update::Sources { text });
        }
        self.engine.pass_on(command);
    }
}

/// Several files as one text of many documents.
fn joined(files: &[SourceFile]) -> String {
    let texts: Vec<&str> = files.iter().map(|file| file.text.as_ref()).collect();
    texts.join("\n---\n")
}
