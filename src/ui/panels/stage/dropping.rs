//! Where dragged nodes are dropped: a basin, which gives them its value of the grouping key.

use web_sys::DragEvent;
use yew::Callback;

use super::card::DRAGGED;
use crate::protocol::gesture::Gesture;
use crate::ui::store::{Action, Store};

/// Lets nodes be dropped where it listens.
pub fn allow() -> Callback<DragEvent> {
    Callback::from(|event: DragEvent| {
        let types = event.data_transfer().map(|data| data.types());
        if types.is_some_and(|types| types.includes(&DRAGGED.into(), 0)) {
            event.prevent_default();
        }
    })
}

/// Moves what is dropped to this domain: the dragged node, and all chosen ones if it is of them.
pub fn drop_on(store: &Store, value: Option<&str>, act: &Callback<Action>) -> Callback<DragEvent> {
    let (act, key) = (act.clone(), store.group_by.clone());
    let (chosen, value) = (store.nodes.clone(), value.map(str::to_owned));
    Callback::from(move |event: DragEvent| {
        let data = event.data_transfer();
        let Some(node) = data.and_then(|data| data.get_data(DRAGGED).ok()) else {
            return;
        };
        if node.is_empty() {
            return;
        }
        event.prevent_default();
        let nodes = if chosen.contains(&node) {
            chosen.iter().cloned().collect()
        } else {
            vec![node]
        };
        act.emit(Action::Gesture(Gesture::MoveNodes {
            nodes,
            topology_key: key.clone(),
            value: value.clone(),
        }));
    })
}
