//! The form of one label or taint, beside its chip.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::{Callback, Html, MouseEvent, html};

use super::node_form::EFFECTS;
use crate::ui::features::stage::{Chip, OpenChip, StageAction};
use crate::ui::parts::focus::Focused;
use crate::ui::parts::form::{Value, refusal};
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, EditAction, Store};
use crate::ui::styles;
use crate::words;
use crate::words::chip as text;
use berth_protocol::frame::{NodeFrame, TaintFrame};
use berth_protocol::gesture::{Gesture, TaintForm};

/// Gap between a chip and its form, in CSS pixels.
const GAP: f64 = 6.0;

/// Opens the form of a chip, without choosing its node.
pub fn opens(node: &str, chip: Chip, act: &Callback<Action>) -> Callback<MouseEvent> {
    let (node, act) = (node.to_owned(), act.clone());
    Callback::from(move |event: MouseEvent| open(&node, &chip, &act, &event))
}

#[inline(never)]
fn open(node: &str, chip: &Chip, act: &Callback<Action>, event: &MouseEvent) {
    event.stop_propagation();
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let closest = |what: &str| target.as_ref()?.closest(what).ok().flatten();
    let Some((button, stage)) = closest(".chip").zip(closest(".stage")) else {
        return;
    };
    let (button, stage) = (
        button.get_bounding_client_rect(),
        stage.get_bounding_client_rect(),
    );
    let above = button.bottom() - stage.top() > stage.height() / 2.0;
    let from_edge = if above {
        stage.bottom() - button.top() + GAP
    } else {
        button.bottom() - stage.top() + GAP
    };
    act.emit(Action::Stage(StageAction::EditChip(Some(OpenChip {
        node: node.to_owned(),
        chip: chip.clone(),
        left: whole(button.left() - stage.left()),
        from_edge: whole(from_edge),
        above,
    }))));
}

fn whole(pixels: f64) -> i32 {
    pixels.max(0.0) as i32
}

/// The open form; empty if none is, or if its label or taint is gone.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    match &store.stage.chip {
        Some(open) => form(store, open, act),
        None => html! {},
    }
}

/// Apart from [`view`], which a first visit runs.
#[inline(never)]
fn form(store: &Store, open: &OpenChip, act: &Callback<Action>) -> Html {
    styles::load(styles::FORMS);
    let Some(node) = store.view.node(&open.node) else {
        return html! {};
    };
    let (title, body, remove) = match &open.chip {
        Chip::Taint(index) => {
            let Some(taint) = node.taints.get(*index) else {
                return html! {};
            };
            let remove = Gesture::RemoveTaint {
                node: node.name.clone(),
                index: *index,
            };
            let title = text::taint_on(&node.name);
            let body = taint_fields(store, node, *index, taint, act);
            (title, body, (text::REMOVE_TAINT, remove))
        }
        Chip::Label(key) => {
            let Some(value) = node.labels.get(key) else {
                return html! {};
            };
            let remove = Gesture::RemoveLabel {
                node: node.name.clone(),
                key: key.clone(),
            };
            let title = text::label_of(key, &node.name);
            let body = label_fields(store, node, key, value, act);
            (title, body, (text::REMOVE_LABEL, remove))
        }
    };
    let side = if open.above { "bottom" } else { "top" };
    let style = format!(
        "left:min({}px,calc(100% - 19rem));right:auto;top:auto;{side}:{}px",
        open.left, open.from_edge
    );
    let close = act.reform(|_: MouseEvent| Action::Stage(StageAction::EditChip(None)));
    let whole = {
        let name = node.name.clone();
        act.reform(move |_: MouseEvent| Action::Stage(StageAction::EditNode(Some(name.clone()))))
    };
    let (label, gesture) = remove;
    let remove = {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Action::Stage(StageAction::EditChip(None)));
            act.emit(Action::Edit(EditAction::Gesture(gesture.clone())));
        })
    };
    html! {
        <Focused key={open.key()}><section class="pop chipform" role="dialog" aria-label={title.clone()} data-form={node.name.clone()} data-chip="" {style}>
            <h3 class="pop__title">{ title }</h3>
            { refusal(store.stage.refusal.as_ref()) }
            <div class="form">{ body }</div>
            <div class="pop__foot">
                <button class="btn" data-action="remove-chip" onclick={remove}>{ label }</button>
                <button class="btn" data-action="whole-node" onclick={whole}>{ text::WHOLE_NODE }</button>
                <span class="push" />
                <button class="btn btn--primary" data-action="close-chip" onclick={close}>{ text::DONE }</button>
            </div>
        </section></Focused>
    }
}

fn label_fields(
    store: &Store,
    node: &NodeFrame,
    key: &str,
    value: &str,
    act: &Callback<Action>,
) -> Html {
    let (act, name, of) = (act.clone(), node.name.clone(), key.to_owned());
    let onchange = Callback::from(move |value: String| {
        act.emit(Action::Edit(EditAction::Gesture(Gesture::SetLabel {
            node: name.clone(),
            key: of.clone(),
            value,
        })));
    });
    let answers = store.stage.answers;
    html! {
        <>
            <span class="lab">{ text::KEY }</span><code class="clip" title={key.to_owned()}>{ key }</code>
            <span class="lab">{ text::VALUE }</span>
            <Value label={words::value_of(key)} field="chip-value" value={value.to_owned()} {answers} {onchange} />
        </>
    }
}

fn taint_fields(
    store: &Store,
    node: &NodeFrame,
    index: usize,
    taint: &TaintFrame,
    act: &Callback<Action>,
) -> Html {
    let set = {
        let (act, node) = (act.clone(), node.name.clone());
        move |taint: TaintForm| {
            act.emit(Action::Edit(EditAction::Gesture(Gesture::SetTaint {
                node: node.clone(),
                old: Some(index),
                taint,
            })));
        }
    };
    let now = TaintForm {
        key: taint.key.clone(),
        value: taint.value.clone(),
        effect: taint.effect.clone(),
    };
    let answers = store.stage.answers;
    let onkey = {
        let (set, now) = (set.clone(), now.clone());
        Callback::from(move |key: String| set(TaintForm { key, ..now.clone() }))
    };
    let onvalue = {
        let (set, now) = (set.clone(), now.clone());
        Callback::from(move |value: String| {
            set(TaintForm {
                value,
                ..now.clone()
            });
        })
    };
    let effects = EFFECTS.map(|(effect, mark)| {
        let (set, now) = (set.clone(), now.clone());
        let is_chosen = now.effect == effect;
        let onclick = move |_: MouseEvent| {
            let effect = effect.to_owned();
            set(TaintForm { effect, ..now.clone() });
        };
        html! { <button type="button" role="radio" aria-checked={is_chosen.to_string()} tabindex={if is_chosen { "0" } else { "-1" }} data-effect={effect} {onclick}>{ icon(mark) }{ effect }</button> }
    });
    html! {
        <>
            <span class="lab">{ text::KEY.get() }</span>
            <Value label={text::KEY.get()} field="chip-key" value={taint.key.clone()} {answers} onchange={onkey} />
            <span class="lab">{ text::VALUE.get() }</span>
            <Value label={text::VALUE.get()} field="chip-value" value={taint.value.clone()} {answers} onchange={onvalue} />
            <span class="lab">{ words::EFFECT }</span>
            <span class="effects" role="radiogroup" aria-label={words::EFFECT} onkeydown={Callback::from(|event| arrows(&event))}>{ for effects }</span>
        </>
    }
}

/// The arrow keys choose another effect.
fn arrows(event: &KeyboardEvent) {
    let step = match event.key().as_str() {
        "ArrowDown" | "ArrowRight" => true,
        "ArrowUp" | "ArrowLeft" => false,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let here = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let next = here.and_then(|here| match step {
        true => here.next_element_sibling(),
        false => here.previous_element_sibling(),
    });
    if let Some(next) = next.and_then(|next| next.dyn_into::<web_sys::HtmlElement>().ok()) {
        next.click();
        // If a browser cannot move the focus, it stays where it is.
        let _ = next.focus();
    }
}
