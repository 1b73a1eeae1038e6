//! Drop targets of dragged nodes: a group, which sets its value of the grouping key. The feedback is set directly on
//! the DOM elements, because a drag fires events continuously and changes nothing else.

use gloo::timers::callback::Timeout;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{DataTransfer, DragEvent, Element, Node};
use yew::{Callback, TargetCast};

use super::templates;
use crate::ui::store::{Action, EditAction, Store};
use crate::words;
use berth_protocol::gesture::{Gesture, Label};

/// The data type of a dragged node's name.
const DRAGGED: &str = "text/x-berth-node";
/// The data type of new nodes: a template's name and a number.
const TEMPLATE: &str = "text/x-berth-template";
/// Attributes that mark the group below the pointer, and the dragged cards or the palette that a row is dragged from.
const GOAL: &str = "data-goal";
const GONE: &str = "data-gone";
/// Selector of the chosen cards.
const CHOSEN: &str = ".node--selected";

/// Allows dropping nodes on a group with this value of the grouping key, and says what a drop would do.
pub fn allow(key: &str, value: Option<&str>) -> Callback<DragEvent> {
    let (key, value) = (key.to_owned(), value.map(str::to_owned));
    Callback::from(move |event: DragEvent| {
        let types = event.data_transfer().map(|data| data.types());
        let has = |kind: &str| {
            let types = types.as_ref();
            types.is_some_and(|types| types.includes(&kind.into(), 0))
        };
        if has(DRAGGED) || has(TEMPLATE) {
            event.prevent_default();
            if let Some(group) = around(&event, ".basin")
                && !group.has_attribute(GOAL)
            {
                unmark(GOAL);
                let text = words::drop_here(&carried(), &key, value.as_deref());
                let _ = group.set_attribute(GOAL, &text);
            }
        }
    })
}

/// The names of the dragged nodes: a drag's data cannot be read before the drop.
fn carried() -> Vec<String> {
    let mut names = Vec::new();
    each(&format!("[{GONE}][data-node]"), |card| {
        names.extend(card.get_attribute("data-node"));
    });
    names
}

/// Starts a drag of new nodes. The palette, which covers zones, makes way.
pub fn carry_template(event: &DragEvent, template: &str, count: &str) {
    if let Some(data) = event.data_transfer() {
        let _ = data.set_data(TEMPLATE, &format!("{template} {count}"));
    }
    if let Some(palette) = around(event, ".palette") {
        // The browser takes the drag image first.
        Timeout::new(0, move || {
            let _ = palette.set_attribute(GONE, "");
        })
        .forget();
    }
}

/// The gesture that adds the dragged new nodes to this domain.
fn added(data: &DataTransfer, key: &str, value: Option<&str>) -> Option<Gesture> {
    let text = data.get_data(TEMPLATE).ok()?;
    let (template, count) = text.split_once(' ')?;
    let topology = value.map(|value| Label {
        key: key.to_owned(),
        value: value.to_owned(),
    });
    Some(Gesture::AddNodes {
        template: templates::template(template),
        count: count.parse().unwrap_or(1),
        topology,
    })
}

/// Unmarks a group when the pointer leaves it, not when it moves within it.
pub fn leave() -> Callback<DragEvent> {
    Callback::from(|event: DragEvent| {
        let to = event.related_target();
        let to = to.and_then(|to| to.dyn_into::<Node>().ok());
        if around(&event, ".basin").is_some_and(|group| !group.contains(to.as_ref())) {
            unmark(GOAL);
        }
    })
}

/// Starts a drag with the node's name as data.
pub fn drag(node: &str) -> Callback<DragEvent> {
    let node = node.to_owned();
    Callback::from(move |event: DragEvent| {
        if let Some(data) = event.data_transfer() {
            // If a browser cannot carry text, dragging does not work.
            let _ = data.set_data(DRAGGED, &node);
        }
        if let Some(card) = around(&event, ".node") {
            // The browser takes the drag image first.
            Timeout::new(0, move || mark_dragged(&card)).forget();
        }
    })
}

/// Ends a drag, wherever it was dropped.
pub fn end() -> Callback<DragEvent> {
    Callback::from(|_: DragEvent| unmark_all())
}

/// Marks the dragged card, and all chosen ones if it is one of them.
fn mark_dragged(card: &Element) {
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

fn each(selector: &str, mut act: impl FnMut(&Element)) {
    let Ok(found) = gloo::utils::document().query_selector_all(selector) else {
        return;
    };
    for node in (0..found.length()).filter_map(|at| found.get(at)) {
        if let Ok(element) = node.dyn_into::<Element>() {
            act(&element);
        }
    }
}

/// Moves the dragged node to this domain, and all chosen nodes if it is one of them.
pub fn drop_on(store: &Store, value: Option<&str>, act: &Callback<Action>) -> Callback<DragEvent> {
    let (act, key) = (act.clone(), store.stage.group_by.clone());
    let (chosen, value) = (store.stage.chosen.clone(), value.map(str::to_owned));
    Callback::from(move |event: DragEvent| {
        let Some(data) = event.data_transfer() else {
            return;
        };
        if let Some(gesture) = added(&data, &key, value.as_deref()) {
            event.prevent_default();
            unmark_all();
            act.emit(Action::Edit(EditAction::Gesture(gesture)));
            return;
        }
        let Ok(node) = data.get_data(DRAGGED) else {
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
