//! A store and its engine without a page between them, for tests.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::host::Host;
use crate::ui::store::{Action, EditAction, Effect, Store};
use berth_protocol::command::{Command, Query};
use berth_protocol::page::Update;
use berth_session::{Options, Session};

/// A store and the host that answers it at once.
pub struct Pair {
    pub store: Store,
    host: Host,
    session: Rc<RefCell<Session>>,
}

impl Pair {
    /// The page after these manifests are opened.
    pub fn open(text: &str, options: Options) -> Self {
        let session = Rc::new(RefCell::new(Session::new(options)));
        let mut pair = Self {
            store: Store::default(),
            host: Host::of(Rc::clone(&session)),
            session,
        };
        pair.act(Action::Edit(EditAction::Open(text.to_owned())));
        pair
    }

    /// The engine's session.
    pub fn session(&self) -> Rc<RefCell<Session>> {
        Rc::clone(&self.session)
    }

    /// Lets the engine work until nothing is left, as its worker does between messages.
    pub fn work(&mut self) {
        while self.host.is_running() {
            for update in self.host.work() {
                self.act(Action::Update(Box::new(update)));
            }
        }
    }

    /// Takes an action, and all updates that follow from it. Fixes are not searched.
    pub fn act(&mut self, action: Action) {
        let mut actions = VecDeque::from([action]);
        while let Some(action) = actions.pop_front() {
            for effect in self.store.act(action) {
                let command = match effect {
                    Effect::Send(command) | Effect::SendWithFields(command) => command,
                    Effect::Reduce { position } => Command::Ask(Query::Reduce {
                        position,
                        date: "2026-11-30".to_owned(),
                    }),
                    _ => continue,
                };
                let updates = self.host.handle(command).into_iter();
                let update = |update: Update| Action::Update(Box::new(update));
                actions.extend(updates.map(update));
            }
        }
    }
}
