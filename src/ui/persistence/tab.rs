//! Each tab keeps its own visit. A new tab starts with the visit that was stored last, and then goes its own way.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{BroadcastChannel, MessageEvent};

use super::parts::{BACK, SOURCE, TEXT};
use super::{storage, visits};

/// The name of this tab's identifier in the tab's own storage.
const TAB: &str = "tab";
/// The storage name of the list of tabs: their identifiers, the latest last.
const TABS: &str = "tabs";
/// The channel on which tabs ask whether a second tab has their identifier, as a duplicated tab has.
const CHANNEL: &str = "berth.tabs";
/// Visits of more tabs than these are removed, the oldest first, unless the tab is open.
const KEPT: usize = 8;
/// The same where nothing tells which tabs are open: on a host without TLS.
const KEPT_BLINDLY: usize = 64;
/// An answer that another tab has the identifier comes within this time.
const ANSWER_MS: f64 = 5000.0;
/// Storage name of the number of consecutive failures to restore: the visit itself may break the page.
const FAILED: &str = "failed";

/// Whether this browser may keep visits.
pub fn has_visits() -> bool {
    storage::get(TABS).is_some()
}

/// This tab's place among the stored visits.
#[derive(Default)]
pub struct Tab {
    id: Rc<RefCell<String>>,
    /// The tab whose visit this one starts with.
    from: Option<String>,
    /// Nothing is stored under the identifier yet.
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
        let is_new = Rc::new(Cell::new(own.is_none()));
        let id = Rc::new(RefCell::new(own.unwrap_or_else(new_id)));
        claim(&id.borrow());
        let listener = answer(&id, &is_new);
        Self {
            id,
            from,
            is_new,
            _listener: listener,
        }
    }

    /// Takes a new identifier; returns the old one, whose visit stays stored.
    pub fn leave(&mut self) -> String {
        let id = new_id();
        claim(&id);
        self.is_new.set(true);
        self.from = None;
        self.id.replace(id)
    }

    pub fn id(&self) -> String {
        self.id.borrow().clone()
    }

    /// The identifier under which this tab's visit is stored, or, until it is, that of the visit it starts with.
    pub fn stored(&self) -> Option<String> {
        match self.is_new.get() {
            true => self.from.clone(),
            false => Some(self.id()),
        }
    }

    /// Whether nothing is stored under this tab's identifier yet.
    pub fn is_new(&self) -> bool {
        self.is_new.get()
    }

    /// The same; `false` from then on.
    pub fn take_new(&self) -> bool {
        self.is_new.replace(false)
    }

    /// Lists this tab as the latest.
    pub fn list(&self) {
        let id = self.id();
        let mut tabs = listed();
        tabs.retain(|tab| *tab != id);
        tabs.push(id);
        set_listed(&tabs);
    }

    /// How often restoring this tab's visit has failed in a row.
    pub fn failures(&self) -> u8 {
        let count = storage::get(&self.name(FAILED));
        count.and_then(|it| it.parse().ok()).unwrap_or_default()
    }

    pub fn set_failures(&self, count: u8) {
        match count {
            0 => storage::remove(&self.name(FAILED)),
            count => storage::set(&self.name(FAILED), &count.to_string()),
        }
    }

    fn name(&self, name: &str) -> String {
        named(&self.id.borrow(), name)
    }
}

/// Removes the visits of tabs that are closed, but some of the latest; returns whether there were any.
pub async fn remove_old() -> bool {
    let old = closed(&listed(), visits::open().await.as_deref(), KEPT);
    remove(&old).await && !old.is_empty()
}

/// Removes the visits of all tabs that are closed, to make room; returns whether there were any.
pub async fn remove_closed() -> bool {
    let Some(open) = visits::open().await else {
        return false;
    };
    let old = closed(&listed(), Some(&open), 0);
    remove(&old).await && !old.is_empty()
}

/// Removes the visits of this tab and of all that are closed, and begins one that is empty.
pub async fn forget(own: &[String]) -> bool {
    let open = visits::open().await.unwrap_or_default();
    let others = |id: &String| open.contains(id) && !own.contains(id);
    let mut gone = listed();
    gone.retain(|id| !others(id));
    gone.extend_from_slice(own);
    let is_gone = remove(&gone).await;
    let id = new_id();
    storage::set_of_tab(TAB, &id);
    let mut tabs = listed();
    tabs.push(id);
    set_listed(&tabs);
    is_gone
}

/// The listed tabs, the latest last, without the last `kept` ones and those that are open.
fn closed(tabs: &[String], open: Option<&[String]>, kept: usize) -> Vec<String> {
    let kept = open.map_or(kept.max(KEPT_BLINDLY), |_| kept);
    let old = tabs.iter().rev().skip(kept);
    let is_open = |id: &&String| open.is_some_and(|open| open.contains(id));
    old.filter(|id| !is_open(id)).cloned().collect()
}

async fn remove(gone: &[String]) -> bool {
    if visits::forget(gone).await.is_err() {
        return false;
    }
    // Another tab may have listed itself in the meantime.
    let mut tabs = listed();
    tabs.retain(|id| !gone.contains(id));
    set_listed(&tabs);
    for id in gone {
        storage::remove_all(&named(id, ""));
    }
    true
}

/// Moves the visits of the earlier storage, which was too small for most dumps.
pub async fn move_visits() {
    for id in listed() {
        let part = |name: &str| {
            Some((
                name.to_owned(),
                Some(storage::get(&named(&id, name))?.into()),
            ))
        };
        let change: visits::Change = [TEXT, SOURCE, BACK].into_iter().filter_map(part).collect();
        // Of another build, runs are not restored.
        if !change.is_empty() && visits::write(&id, &change).await.is_ok() {
            storage::remove_all(&named(&id, ""));
        }
    }
}

fn named(id: &str, name: &str) -> String {
    format!("{id}.{name}")
}

fn listed() -> Vec<String> {
    let tabs = storage::get(TABS).unwrap_or_default();
    tabs.split_whitespace().map(str::to_owned).collect()
}

fn set_listed(tabs: &[String]) {
    storage::set(TABS, &tabs.join(" "));
}

pub fn new_id() -> String {
    let random = (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
    format!("{:x}-{random:x}", js_sys::Date::now() as u64)
}

/// From now on this tab has this identifier, which keeps its visit from being removed.
fn claim(id: &str) {
    storage::set_of_tab(TAB, id);
    visits::hold(id);
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
            claim(&another);
            id.replace(another);
            is_new.set(true);
        }
    });
    let _ = channel.post_message(&question.into());
    Some(listener)
}

#[cfg(test)]
mod tests {
    use super::{KEPT_BLINDLY, closed};

    fn tabs(names: &str) -> Vec<String> {
        names.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_visit_of_an_open_tab_is_never_removed() {
        let all = tabs("a b c d e");
        let open = tabs("a c");
        assert_eq!(closed(&all, Some(&open), 2), tabs("b"));
        assert_eq!(closed(&all, Some(&open), 0), tabs("e d b"));
        assert_eq!(closed(&all, Some(&all), 0), tabs(""));
    }

    #[test]
    fn where_nothing_tells_which_are_open_many_are_kept() {
        let many: Vec<String> = (0..=KEPT_BLINDLY).map(|id| id.to_string()).collect();
        assert_eq!(closed(&many, None, 2), tabs("0"));
    }
}
