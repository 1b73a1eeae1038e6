//! Actions on all chosen nodes.

use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, MouseEvent, TargetCast, html};

use crate::ui::features::explain::ExplainAction;
use crate::ui::features::stage::StageAction;
use crate::ui::parts::form::option;
use crate::ui::store::{Action, EditAction, Store};
use crate::words;
use berth_protocol::edit::ObjectRef;
use berth_protocol::gesture::Gesture;

/// A bar with the chosen nodes' actions; empty if none is chosen.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    if let Some(carried) = &store.stage.carried {
        return html! {
            <div class="selection selection--carried" role="status" data-carried={carried.to.clone()}>
                <b>{ words::carried(&carried.nodes, &carried.to) }</b>
                <span class="muted">{ words::CARRY_KEYS }</span>
            </div>
        };
    }
    if store.stage.chosen.is_empty() {
        return html! {};
    }
    bar(store, act)
}

/// Apart from [`view`], which a first visit runs.
#[inline(never)]
fn bar(store: &Store, act: &Callback<Action>) -> Html {
    let nodes: Vec<String> = store.stage.chosen.iter().cloned().collect();
    let does = |gesture: Gesture| {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Action::Edit(EditAction::Gesture(gesture.clone())))
        })
    };
    let delete = Gesture::Delete {
        objects: nodes.iter().map(ObjectRef::node).collect(),
    };
    let move_to = {
        let (act, nodes, key) = (act.clone(), nodes.clone(), store.stage.group_by.clone());
        Callback::from(move |event: Event| {
            let select = event.target_dyn_into::<HtmlSelectElement>();
            if let Some(value) = select.map(|select| select.value()) {
                act.emit(Action::Edit(EditAction::Gesture(Gesture::MoveNodes {
                    nodes: nodes.clone(),
                    topology_key: key.clone(),
                    value: Some(value),
                })));
            }
        })
    };
    let edit = {
        let (act, node) = (act.clone(), nodes.first().cloned());
        Callback::from(move |_: MouseEvent| {
            act.emit(Action::Stage(StageAction::EditNode(node.clone())))
        })
    };
    let label = words::move_to(words::short_key(&store.stage.group_by));
    let domains = store.domains();
    let options = domains.iter().map(|value| option(value, value, false));
    html! {
        <div class="selection" role="toolbar" aria-label={words::SELECTION} data-selected={nodes.len().to_string()}>
            <b>{ words::nodes(nodes.len()) }</b>
            if nodes.len() == 1 { <button class="btn btn--line" data-action="edit-node" onclick={edit}>{ words::EDIT }</button> }
            { why_not(store, &nodes, act) }
            <button class="btn btn--line" onclick={does(Gesture::Cordon { nodes: nodes.clone() })}>{ words::CORDON }</button>
            <button class="btn btn--line" onclick={does(Gesture::Uncordon { nodes: nodes.clone() })}>{ words::UNCORDON }</button>
            <select class="btn btn--line" aria-label={label.clone()} onchange={move_to}>
                <option value="" disabled=true selected=true>{ label }</option>
                { for options }
            </select>
            <button class="btn btn--line" onclick={does(delete)}>{ words::DELETE }</button>
        </div>
    }
}

/// Asks why the explained Pod was not placed on the only chosen node.
fn why_not(store: &Store, nodes: &[String], act: &Callback<Action>) -> Html {
    let placed = store.cycle().and_then(|cycle| cycle.selected.as_ref());
    let [node] = nodes else {
        return html! {};
    };
    if placed.is_none_or(|placed| placed == node) || store.time.progress.is_some() {
        return html! {};
    }
    let node = node.clone();
    let onclick =
        act.reform(move |_: MouseEvent| Action::Explain(ExplainAction::WhyNot(node.clone())));
    html! {
        <button class="btn btn--line" data-action="why-not" {onclick}>{ words::explain::WHY_NOT_NODE }</button>
    }
}
