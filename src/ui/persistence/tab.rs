//! Each tab keeps its own visit. A new tab starts with the visit that was stored last, and then goes its own way.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{BroadcastChannel, MessageEvent};

use super::storage;

/// The name of this tab's identifier in the tab's own storage.
const TAB: &str = "tab";
/// The storage name of the list of tabs: their identifiers, the latest last.
const TABS: &str = "tabs";
/// The channel on which tabs ask whether a second tab has their identifier, as a duplicated tab has.
const CHANNEL: &str = "berth.tabs";
/// Visits of more tabs than these are removed, the oldest first.
const KEPT: usize = 8;
/// An answer that another tab has the identifier comes within this time.
const ANSWER_MS: f64 = 5000.0;

/// This tab's place in the storage.
#[derive(Default)]
pub struct Tab {
    id: Rc<RefCell<String>>,
    /// The tab whose visit this one starts with.
    from: Option<String>,
    /// The identifier is new, so nothing is stored under it yet.
    is_new: Rc<Cell<bool>>,
    /// Answers other tabs, and hears their answers.
    _listener: Option<EventListener>,
}

impl Tab {
    /// Finds this tab's visit, or the last one of all tabs.
    pub fn begin() -> Self {
        let known = storage::of_tab(TAB);
        let tabs = listed();
        let own = known.filter(|id| tabs.contains(id));
        let from = own.clone().or_else(|| tabs.last().cloned());
        let is_new = own.is_none();
        let id = Rc::new(RefCell::new(own.unwrap_or_else(new_id)));
        storage::set_of_tab(TAB, &id.borrow());
        let is_new = Rc::new(Cell::new(is_new));
        let listener = answer(&id, &is_new);
        Self {
            id,
            from,
            is_new,
            _listener: listener,
        }
    }

    /// The visit that is stored under an identifier.
    pub fn stored(id: String) -> Self {
        Self {
            id: Rc::new(RefCell::new(id)),
            ..Self::default()
        }
    }

    /// Takes a new identifier; returns the old one, whose visit stays stored.
    pub fn leave(&mut self) -> String {
        let id = new_id();
        storage::set_of_tab(TAB, &id);
        self.is_new.set(true);
        self.from = None;
        self.id.replace(id)
    }

    /// Whether nothing is stored under this tab's identifier yet. `false` from then on.
    pub fn take_new(&self) -> bool {
        self.is_new.replace(false)
    }

    /// A value of this tab's visit, or, until something is stored for it, of the one that it starts with.
    pub fn first<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        if self.is_new.get() {
            read(&named(self.from.as_ref()?, name))
        } else {
            read(&self.name(name))
        }
    }

    /// The storage name of a value of this tab's visit.
    pub fn name(&self, name: &str) -> String {
        named(&self.id.borrow(), name)
    }

    /// Stores a value of this tab's visit. If there is no room, the oldest visits of other tabs make room.
    pub fn set(&self, name: &str, value: &str) {
        let (id, name) = (self.id.borrow().clone(), self.name(name));
        let mut tabs = listed();
        tabs.retain(|tab| *tab != id);
        tabs.push(id);
        while tabs.len() > KEPT {
            forget(&tabs.remove(0));
        }
        while !storage::set(&name, value) && tabs.len() > 1 {
            forget(&tabs.remove(0));
        }
        storage::set(TABS, &tabs.join(" "));
    }

    /// Removes a value of this tab's visit.
    pub fn remove(&self, name: &str) {
        storage::remove(&self.name(name));
    }
}

fn named(id: &str, name: &str) -> String {
    format!("{id}.{name}")
}

fn listed() -> Vec<String> {
    let tabs = storage::get(TABS).unwrap_or_default();
    tabs.split_whitespace().map(str::to_owned).collect()
}

/// Removes everything that is stored for a tab.
fn forget(id: &str) {
    storage::remove_all(&named(id, ""));
}

pub fn new_id() -> String {
    let random = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
    format!("{:x}-{random:x}", js_sys::Date::now() as u64)
}

/// Asks whether another tab has this identifier: a tab is duplicated with its storage. Then this tab takes a new one.
fn answer(id: &Rc<RefCell<String>>, is_new: &Rc<Cell<bool>>) -> Option<EventListener> {
    let channel = BroadcastChannel::new(CHANNEL).ok()?;
    let (id, is_new) = (Rc::clone(id), Rc::clone(is_new));
    let began = js_sys::Date::now();
    let question = id.borrow().clone();
    let replies = channel.clone();
    let listener = EventListener::new(&channel, "message", move |event| {
        let message = event.dyn_ref::<MessageEvent>();
        let Some(text) = message.and_then(|message| message.data().as_string()) else {
            return;
        };
        let own = id.borrow().clone();
        if text == own {
            let _ = replies.post_message(&format!("!{own}").into());
        } else if text.strip_prefix('!') == Some(&own) && js_sys::Date::now() - began < ANSWER_MS {
            let another = new_id();
            storage::set_of_tab(TAB, &another);
            id.replace(another);
            is_new.set(true);
        }
    });
    let _ = channel.post_message(&question.into());
    Some(listener)
}
