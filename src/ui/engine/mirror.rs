//! The session from which `globalThis.berth` answers synchronously while the page's own session is in a worker.
//!
//! Both sessions get the same commands, and the same commands produce the same session. The mirror applies them only
//! when it is queried, so it costs nothing until then.

#![deny(clippy::wildcard_enum_match_arm)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use yew::Callback;

use super::Engine;
use super::host::Host;
use super::restoring::moment;
use crate::js::{Change, Owner};
use berth_protocol::command::{Command, Control, Moment, Mutation, Travel};
use berth_protocol::page::Update;
use berth_session::{Options, Session, SourceFile};

/// A lagging session, and the commands it has not applied yet.
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

    /// Queues a command that changed or moved the page's own session.
    pub fn note(&self, command: &Command) {
        let Ok(mut waiting) = self.waiting.try_borrow_mut() else {
            return;
        };
        match command {
            Command::Mutate(mutation) => note_mutation(&mut waiting, mutation),
            Command::Travel(travel) => {
                // Intermediate positions do not matter.
                let seeks =
                    |command: &Command| matches!(command, Command::Travel(Travel::Seek { .. }));
                if seeks(command) && waiting.last().is_some_and(seeks) {
                    waiting.pop();
                }
                waiting.push(Command::Travel(*travel));
            }
            Command::Control(Control::Restore { .. } | Control::Fields(_)) => {
                waiting.push(command.clone());
            }
            // Patches report the position of a run ([`Engine::moved_to`]).
            Command::Run(_)
            | Command::Ask(_)
            | Command::Compare(_)
            | Command::Control(Control::Drawn | Control::WarmUp) => {}
        }
    }

    /// Drops what is queued: the session will be the engine's own.
    pub fn forget(&self) {
        self.waiting.take();
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

/// Queues a mutation; of successive typed texts only the last is kept.
fn note_mutation(waiting: &mut Vec<Command>, mutation: &Mutation) {
    if let Mutation::Type {
        text,
        goes_on: true,
    } = mutation
        && let Some(Command::Mutate(Mutation::Type { text: last, .. })) = waiting.last_mut()
    {
        last.clone_from(text);
        return;
    }
    waiting.push(Command::Mutate(mutation.clone()));
}

/// Keeps a mirror and the page's own session in sync.
pub struct Link {
    mirror: Rc<Mirror>,
    engine: Engine,
    on_update: Callback<Update>,
    /// The session's moment before the change in progress.
    before: Cell<Moment>,
}

impl Link {
    pub fn new(mirror: Rc<Mirror>, engine: Engine, on_update: Callback<Update>) -> Self {
        Self {
            mirror,
            engine,
            on_update,
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
            Change::Opened(files) => Command::Mutate(Mutation::Open {
                text: joined(&files),
            }),
            Change::Edited(files) => Command::Mutate(Mutation::Type {
                text: joined(&files),
                goes_on: false,
            }),
            Change::Undone => Command::Mutate(Mutation::Undo),
            Change::Redone => Command::Mutate(Mutation::Redo),
            Change::LeftFork => Command::Mutate(Mutation::BackToFirstRun),
            Change::Moved => Command::Travel(Travel::Seek {
                position: self.moment().position,
            }),
        };
        if self.engine.is_inline() {
            // The session is the page's own; the page only lacks the updates.
            let session = self.mirror.session.try_borrow();
            let taken = session.is_ok_and(|session| session.sources_accepted());
            self.engine.did(&command, self.before.get(), taken);
            return;
        }
        if let Command::Mutate(mutation) = &command
            && let Some(text) = mutation.text()
        {
            // The engine assumes that the page has the texts of its own commands.
            let text = text.to_owned();
            self.on_update.emit(Update::Sources { text });
        }
        self.engine.pass_on(command);
    }
}

/// Joins several files into one multi-document text.
fn joined(files: &[SourceFile]) -> String {
    let texts: Vec<&str> = files.iter().map(|file| file.text.as_ref()).collect();
    texts.join("\n---\n")
}
