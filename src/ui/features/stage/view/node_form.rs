//! A node's form: its domain, labels, taints and allocatable resources, each edited in place.

use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, MouseEvent, SubmitEvent, TargetCast, html};

use crate::ui::features::stage::StageAction;
use crate::ui::features::{drain, finder};
use crate::ui::parts::focus::Focused;
use crate::ui::parts::form::{Form, Value, field_of, option, refusal};
use crate::ui::parts::icon::{action, icon};
use crate::ui::store::{Action, EditAction, Store};
use crate::ui::styles;
use crate::words;
use berth_protocol::edit::ObjectRef;
use berth_protocol::frame::{NodeFrame, TaintFrame};
use berth_protocol::gesture::{Gesture, TaintForm};
use berth_protocol::quantity;

/// Effects of taints, with their icons.
pub const EFFECTS: [(&str, &str); 3] = [
    ("NoSchedule", "noschedule"),
    ("PreferNoSchedule", "prefer"),
    ("NoExecute", "noexecute"),
];
/// The taint that a cordon adds.
pub const CORDON_TAINT: &str = "node.kubernetes.io/unschedulable";

/// The form of the node being edited; empty if none is.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let node = store
        .stage
        .editing
        .as_ref()
        .and_then(|name| store.view.node(name));
    node.map_or_else(|| html! {}, |node| form(store, node, act))
}

/// Apart from [`view`], which a first visit runs.
#[inline(never)]
fn form(store: &Store, node: &NodeFrame, act: &Callback<Action>) -> Html {
    styles::load(styles::FORMS);
    html! {
        <Focused><section class="pop nodeform" style={beside(&node.name)} role="dialog" aria-label={words::edit_node(&node.name)} data-form={node.name.clone()}>
            <h3 class="pop__title">{ &node.name }<span class="push" />
                { action("close-form", words::CLOSE.get(), "close", false, act, Action::Stage(StageAction::EditNode(None))) }
            </h3>
            { refusal(store.stage.refusal.as_ref()) }
            <div class="nodeform__body" key={node.name.clone()}>
                { buttons(store, node, act) }
                { drain::view(store, &node.name, act) }
                { name(store, node, act) }
                { place(store, node, act) }
                { labels(node, store.stage.answers, act) }
                { taints(node, store.stage.answers, act) }
                { room(node, store.stage.answers, act) }
            </div>
        </section></Focused>
    }
}

/// The form's place: beside the node's card, on the side with more room.
fn beside(node: &str) -> Option<String> {
    let document = gloo::utils::document();
    let place = |selector: &str| {
        let element = document.query_selector(selector).ok().flatten()?;
        Some(element.get_bounding_client_rect())
    };
    let (card, stage) = (place(&finder::place_of(node))?, place(".stage")?);
    let (left, right) = (card.left() - stage.left(), card.right() - stage.left());
    Some(if left > stage.width() - right {
        format!("--before:{left:.0}px")
    } else {
        format!("--behind:{right:.0}px")
    })
}

fn does(act: &Callback<Action>, gesture: Gesture) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |_: MouseEvent| {
        act.emit(Action::Edit(EditAction::Gesture(gesture.clone())))
    })
}

fn buttons(store: &Store, node: &NodeFrame, act: &Callback<Action>) -> Html {
    let nodes = vec![node.name.clone()];
    let (name, label, gesture) = if node.unschedulable {
        ("uncordon", words::UNCORDON, Gesture::Uncordon { nodes })
    } else {
        ("cordon", words::CORDON, Gesture::Cordon { nodes })
    };
    let delete = Gesture::Delete {
        objects: vec![ObjectRef::node(&node.name)],
    };
    html! {
        <div class="nodeform__row">
            <button class="btn btn--line" data-action={name} onclick={does(act, gesture)}>{ icon("cordon") }{ label }</button>
            { drain::button(store, &node.name, act) }
            <span class="push" />
            <button class="btn btn--line" data-action="delete-node" onclick={does(act, delete)}>{ words::DELETE }</button>
        </div>
    }
}

/// The node's name. The nodes of a simulated cluster keep theirs.
fn name(store: &Store, node: &NodeFrame, act: &Callback<Action>) -> Html {
    if store.view.head.now_ms.is_some() {
        return html! {};
    }
    let (act, old) = (act.clone(), node.name.clone());
    let onchange = Callback::from(move |name: String| {
        act.emit(Action::Edit(EditAction::Gesture(Gesture::RenameNode {
            node: old.clone(),
            name: name.trim().to_owned(),
        })));
    });
    let (value, answers) = (node.name.clone(), store.stage.answers);
    html! {
        <label class="nodeform__row"><span class="lab">{ words::NODE_NAME }</span>
            <Value field="node-name" {value} {answers} {onchange} />
        </label>
    }
}

/// The node's domain, with which a node can be moved without a mouse.
fn place(store: &Store, node: &NodeFrame, act: &Callback<Action>) -> Html {
    let key = store.stage.group_by.clone();
    let here = node.labels.get(&key).cloned().unwrap_or_default();
    let mut values = store.domains();
    values.push(String::new());
    let options = values.iter().map(|value| {
        let none = words::without(&key);
        let name = if value.is_empty() { &none } else { value };
        option(value, name, *value == here)
    });
    let (act, name, grouped_by) = (act.clone(), node.name.clone(), key.clone());
    let onchange = Callback::from(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let Some(value) = select.map(|select| select.value()) else {
            return;
        };
        act.emit(Action::Edit(EditAction::Gesture(Gesture::MoveNodes {
            nodes: vec![name.clone()],
            topology_key: grouped_by.clone(),
            value: Some(value).filter(|value| !value.is_empty()),
        })));
    });
    html! {
        <label class="nodeform__row"><span class="lab">{ words::short_key(&key) }</span>
            <select class="field" data-field="place" {onchange}>{ for options }</select>
        </label>
    }
}

fn labels(node: &NodeFrame, answers: (u32, u32), act: &Callback<Action>) -> Html {
    let rows = node.labels.iter().map(|(key, value)| {
        let (changed, name, of) = (act.clone(), node.name.clone(), key.clone());
        let onchange = Callback::from(move |value: String| {
            changed.emit(Action::Edit(EditAction::Gesture(Gesture::SetLabel {
                node: name.clone(),
                key: of.clone(),
                value,
            })));
        });
        let remove = Gesture::RemoveLabel {
            node: node.name.clone(),
            key: key.clone(),
        };
        html! {
            <li class="nodeform__row" key={key.clone()} data-label={key.clone()}>
                { key_of(key, key) }
                <Value label={words::value_of(key)} value={value.clone()} {answers} {onchange} />
                { remove_button(act, remove, &words::remove(key)) }
            </li>
        }
    });
    let (added, name) = (act.clone(), node.name.clone());
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        let text = field_of(&event, "label");
        let (key, value) = text.split_once('=').unwrap_or((&text, ""));
        if !key.trim().is_empty() {
            added.emit(Action::Edit(EditAction::Gesture(Gesture::SetLabel {
                node: name.clone(),
                key: key.trim().to_owned(),
                value: value.trim().to_owned(),
            })));
        }
    });
    html! {
        <>
            <h4>{ words::LABELS }</h4>
            <Form class="nodeform__row" {answers} {onsubmit}>
                <input class="field field--mono" name="label" data-field="label" aria-label={words::NEW_LABEL} placeholder="key=value" autocomplete="off" />
                <button class="btn btn--line" data-action="add-label">{ words::ADD }</button>
            </Form>
            <ul>{ for rows }</ul>
        </>
    }
}

fn taints(node: &NodeFrame, answers: (u32, u32), act: &Callback<Action>) -> Html {
    let written = node.taints.iter().enumerate();
    // The taint of a cordon is added and removed with the cordon.
    let rows = written
        .filter(|(_, taint)| !(node.unschedulable && taint.key == CORDON_TAINT))
        .map(|(index, taint)| taint_row(node, index, taint, act));
    let (added, name) = (act.clone(), node.name.clone());
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        let text = field_of(&event, "taint");
        // As kubectl writes taints, the text may have the effect.
        let (text, effect) = match text.split_once(':') {
            Some((text, effect)) => (text.to_owned(), effect.trim().to_owned()),
            None => (text, field_of(&event, "effect")),
        };
        let (key, value) = text.split_once('=').unwrap_or((&text, ""));
        if !key.trim().is_empty() {
            added.emit(Action::Edit(EditAction::Gesture(Gesture::SetTaint {
                node: name.clone(),
                old: None,
                taint: TaintForm {
                    key: key.trim().to_owned(),
                    value: value.trim().to_owned(),
                    effect: effect.clone(),
                },
            })));
        }
    });
    html! {
        <>
            <h4>{ words::TAINTS }</h4>
            <Form class="nodeform__row" {answers} {onsubmit}>
                <input class="field field--mono" name="taint" data-field="taint" aria-label={words::NEW_TAINT} placeholder="key=value:Effect" autocomplete="off" />
                { effects("NoSchedule", None) }
                <button class="btn btn--line" data-action="add-taint">{ words::ADD }</button>
            </Form>
            <ul>{ for rows }</ul>
        </>
    }
}

fn taint_row(node: &NodeFrame, index: usize, taint: &TaintFrame, act: &Callback<Action>) -> Html {
    let (changed, name, form) = (act.clone(), node.name.clone(), taint.clone());
    let onchange = Callback::from(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        if let Some(effect) = select.map(|select| select.value()) {
            changed.emit(Action::Edit(EditAction::Gesture(Gesture::SetTaint {
                node: name.clone(),
                old: Some(index),
                taint: TaintForm {
                    key: form.key.clone(),
                    value: form.value.clone(),
                    effect,
                },
            })));
        }
    });
    let remove = Gesture::RemoveTaint {
        node: node.name.clone(),
        index,
    };
    let text = if taint.value.is_empty() {
        taint.key.clone()
    } else {
        format!("{}={}", taint.key, taint.value)
    };
    html! {
        <li class="nodeform__row" data-taint={taint.key.clone()}>
            { key_of(&text, &taint.key) }
            { effects(&taint.effect, Some(onchange)) }
            { remove_button(act, remove, &format!("{} {}", words::REMOVE, taint.key)) }
        </li>
    }
}

fn effects(chosen: &str, onchange: Option<Callback<Event>>) -> Html {
    let options = EFFECTS.map(|(effect, _)| option(effect, effect, effect == chosen));
    html! { <select class="field" name="effect" aria-label={words::EFFECT} {onchange}>{ for options }</select> }
}

/// The node's allocatable resources.
fn room(node: &NodeFrame, answers: (u32, u32), act: &Callback<Action>) -> Html {
    let rows = node.resources.iter().map(|row| {
        let (act, name, resource) = (act.clone(), node.name.clone(), row.name.clone());
        let onchange = Callback::from(move |quantity: String| {
            act.emit(Action::Edit(EditAction::Gesture(Gesture::SetAllocatable {
                node: name.clone(),
                resource: resource.clone(),
                quantity,
            })));
        });
        let value = quantity::of(&row.name, row.allocatable);
        html! {
            <label class="nodeform__row" key={row.name.clone()}><span class="lab">{ &row.name }</span>
                <Value field={format!("allocatable-{}", row.name)} {value} {answers} {onchange} />
            </label>
        }
    });
    let (act, name) = (act.clone(), node.name.clone());
    let onsubmit = Callback::from(move |event: SubmitEvent| {
        let text = field_of(&event, "resource");
        let (resource, quantity) = text.split_once('=').unwrap_or((&text, "1"));
        if !resource.trim().is_empty() {
            act.emit(Action::Edit(EditAction::Gesture(Gesture::SetAllocatable {
                node: name.clone(),
                resource: resource.trim().to_owned(),
                quantity: quantity.trim().to_owned(),
            })));
        }
    });
    html! {
        <>
            <h4>{ words::ALLOCATABLE }</h4>{ for rows }
            <Form class="nodeform__row" {answers} {onsubmit}>
                <input class="field field--mono" name="resource" data-field="resource" aria-label={words::NEW_RESOURCE} placeholder="nvidia.com/gpu=1" autocomplete="off" />
                <button class="btn btn--line" data-action="add-resource">{ words::ADD }</button>
            </Form>
        </>
    }
}

/// A label or a taint; the prefix of its key is cut first.
fn key_of(text: &str, key: &str) -> Html {
    let prefix = key.rfind('/').map_or(0, |slash| slash + 1);
    let (prefix, name) = text.split_at_checked(prefix).unwrap_or(("", text));
    html! { <code class="nodeform__key" title={text.to_owned()}><small>{ prefix }</small><span>{ name }</span></code> }
}

fn remove_button(act: &Callback<Action>, gesture: Gesture, label: &str) -> Html {
    html! {
        <button class="btn btn--icon btn--small" aria-label={label.to_owned()} title={label.to_owned()} onclick={does(act, gesture)}>{ icon("close") }</button>
    }
}
