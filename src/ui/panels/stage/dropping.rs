//! Where dragged nodes are dropped: a basin, which gives them its value of the grouping key. What shows that is set
//! on the elements themselves: a drag reports its position all the time, and nothing else changes.

use gloo::timers::callback::Timeout;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{DragEvent, Element, Node};
use yew::{Callback, TargetCast};

use crate::ui::store::{Action, EditAction, Store};
use berth_protocol::gesture::Gesture;

/// The type under which a dragged node's name travels.
const DRAGGED: &str = "text/x-berth-node";
/// What marks the basin below the pointer, and the card that was taken up.
const GOAL: &str = "data-goal";
const GONE: &str = "data-gone";
/// Cards that are chosen.
const CHOSEN: &str = ".node--selected";

/// Lets nodes be dropped where it listens.
pub fn allow() -> Callback<DragEvent> {
    Callback::from(|event: DragEvent| {
        let types = event.data_transfer().map(|data| data.types());
        if types.is_some_and(|types| types.includes(&DRAGGED.into(), 0)) {
            event.prevent_default();
            if let Some(basin) = around(&event, ".basin")
                && !basin.has_attribute(GOAL)
            {
                unmark(GOAL);
                let _ = basin.set_attribute(GOAL, "");
            }
        }
    })
}

/// The pointer leaves the basin, or moves on within it.
pub fn leave() -> Callback<DragEvent> {
    Callback::from(|event: DragEvent| {
        let to = event.related_target();
        let to = to.and_then(|to| to.dyn_into::<Node>().ok());
        if around(&event, ".basin").is_some_and(|basin| !basin.contains(to.as_ref())) {
            unmark(GOAL);
        }
    })
}

/// Takes a node up: its name travels with the mouse.
pub fn drag(node: &str) -> Callback<DragEvent> {
    let node = node.to_owned();
    Callback::from(move |event: DragEvent| {
        if let Some(data) = event.data_transfer() {
            // A browser that cannot carry text cannot drag.
            let _ = data.set_data(DRAGGED, &node);
        }
        if let Some(card) = around(&event, ".node") {
            // The browser first makes the picture that goes with the mouse.
            Timeout::new(0, move || take_up(&card)).forget();
        }
    })
}

/// The drag is over, wherever it ended.
pub fn end() -> Callback<DragEvent> {
    Callback::from(|_: DragEvent| unmark_all())
}

/// Marks the card that was taken up; with it go all chosen ones if it is of them.
fn take_up(card: &Element) {
    let _ = card.set_attribute(GONE, "");
    if card.matches(CHOSEN).unwrap_or_default() {
        each(CHOSEN, |card| {
            let _ = card.set_attribute(GONE, "");
        });
    }
}

fn around(event: &DragEvent, selector: &str) -> Option<Element> {
    let target = event.target_dyn_into::<Element>()?;
    target.closest(selector).ok().flatten()
}

fn unmark_all() {
    unmark(GOAL);
    unmark(GONE);
}

fn unmark(mark: &str) {
    each(&format!("[{mark}]"), |element| {
        let _ = element.remove_attribute(mark);
    });
}

fn each(selector: &str, act: impl Fn(&Element)) {
    let Ok(found) = gloo::utils::document().query_selector_all(selector) else {
        return;
    };
    for node in (0..found.length()).filter_map(|at| found.get(at)) {
        if let Ok(element) = node.dyn_into::<Element>() {
            act(&element);
        }
    }
}

/// Moves what is dropped to this domain: the dragged node, and all chosen ones if it is of them.
pub fn drop_on(store: &Store, value: Option<&str>, act: &Callback<Action>) -> Callback<DragEvent> {
    let (act, key) = (act.clone(), store.stage.group_by.clone());
    let (chosen, value) = (store.stage.chosen.clone(), value.map(str::to_owned));
    Callback::from(move |event: DragEvent| {
        let data = event.data_transfer();
        let Some(node) = data.and_then(|data| data.get_data(DRAGGED).ok()) else {
            return;
        };
        if node.is_empty() {
            return;
        }
        event.prevent_default();
        unmark_all();
        let nodes = if chosen.contains(&node) {
            chosen.iter().cloned().collect()
        } else {
            vec![node]
        };
        act.emit(Action::Edit(EditAction::Gesture(Gesture::MoveNodes {
            nodes,
            topology_key: key.clone(),
            value: value.clone(),
        })));
    })
}
