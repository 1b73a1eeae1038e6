//! Parts shared by forms.

use super::focus::found;
use super::icon::icon;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlFormElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::{
    Callback, Children, Event, Html, InputEvent, KeyboardEvent, MouseEvent, Properties,
    SubmitEvent, TargetCast, function_component, html, use_effect_with, use_mut_ref, use_node_ref,
};

/// The value of a form's field; empty if the field does not exist.
pub fn field_of(event: &SubmitEvent, name: &str) -> String {
    let form = event.target_dyn_into::<HtmlFormElement>();
    let field = form.and_then(|form| {
        form.query_selector(&format!("[name={name}]"))
            .ok()
            .flatten()
    });
    field.as_ref().map(value).unwrap_or_default()
}

fn value(field: &Element) -> String {
    if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
        return input.value();
    }
    if let Some(area) = field.dyn_ref::<HtmlTextAreaElement>() {
        return area.value();
    }
    let select = field.dyn_ref::<HtmlSelectElement>();
    select.map(HtmlSelectElement::value).unwrap_or_default()
}

/// What a field's `onkeydown` and its button's `onclick` do, if Enter and the button do the same.
pub fn on_enter_or_click(act: Callback<()>) -> (Callback<KeyboardEvent>, Callback<MouseEvent>) {
    let onclick = act.reform(|_: MouseEvent| ());
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            act.emit(());
        }
    });
    (onkeydown, onclick)
}

/// An option of a select element.
pub fn option(value: &str, name: &str, selected: bool) -> Html {
    html! { <option value={value.to_owned()} {selected}>{ name }</option> }
}

#[derive(Clone, PartialEq, Properties)]
pub struct ValueProps {
    /// The current value.
    pub value: String,
    /// The accessible name, unless the input is inside a label.
    #[prop_or_default]
    pub label: Option<String>,
    /// A test hook (`data-field`).
    #[prop_or_default]
    pub field: Option<String>,
    /// Counts of accepted and refused changes.
    pub answers: (u32, u32),
    pub onchange: Callback<String>,
}

/// An input for a value. It follows the value, but keeps typed text across redraws until the change is accepted or
/// refused; then it shows the current value.
#[function_component]
pub fn Value(props: &ValueProps) -> Html {
    let place = use_node_ref();
    let shown = use_mut_ref(String::new);
    let asked = use_mut_ref(|| None::<(u32, u32)>);
    {
        let (place, asked) = (place.clone(), asked.clone());
        let now = (props.value.clone(), props.answers);
        use_effect_with(now, move |(value, answers)| {
            let Some(input) = place.cast::<HtmlInputElement>() else {
                return;
            };
            let is_answered = asked.borrow().is_some_and(|before| before != *answers);
            if is_answered || input.value() == *shown.borrow() {
                input.set_value(value);
                shown.replace(value.clone());
                asked.replace(None);
            }
        });
    }
    let oninput = {
        let asked = asked.clone();
        // The answer is about the previous text.
        Callback::from(move |_: InputEvent| {
            asked.replace(None);
        })
    };
    let (then, answers) = (props.onchange.clone(), props.answers);
    let onchange = Callback::from(move |event: Event| {
        if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
            asked.replace(Some(answers));
            then.emit(input.value());
        }
    });
    html! {
        <input class="field field--mono" ref={place} aria-label={props.label.clone()} data-field={props.field.clone()} {oninput} {onchange} />
    }
}

#[derive(Clone, PartialEq, Properties)]
pub struct FormProps {
    pub class: &'static str,
    /// A test hook (`data-group`).
    #[prop_or_default]
    pub group: Option<&'static str>,
    /// Counts of accepted and refused additions.
    pub answers: (u32, u32),
    pub onsubmit: Callback<SubmitEvent>,
    pub children: Children,
}

/// A form that resets when its addition is accepted, and keeps its fields when it is refused. A select marked
/// `data-keep` is not reset. Inputs must set their initial text as the default value: a `value` attribute would replace
/// typed text on every redraw.
#[function_component]
pub fn Form(props: &FormProps) -> Html {
    let place = use_node_ref();
    let submitted = use_mut_ref(|| None::<u32>);
    {
        let (place, submitted) = (place.clone(), submitted.clone());
        use_effect_with(props.answers, move |(taken, _)| {
            let (before, form) = (submitted.take(), place.cast::<Element>());
            if let Some((before, form)) = before.zip(form) {
                if before == *taken {
                    mark_invalid(&form, true);
                } else {
                    empty(&form);
                }
            }
        });
    }
    let onsubmit = {
        let (then, taken) = (props.onsubmit.clone(), props.answers.0);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(form) = event.target_dyn_into::<Element>() {
                mark_invalid(&form, false);
            }
            submitted.replace(Some(taken));
            then.emit(event);
        })
    };
    html! {
        <form class={props.class} data-group={props.group} ref={place} {onsubmit}>{ props.children.clone() }</form>
    }
}

/// Marks the first field that is not empty as the refused one, or no field.
fn mark_invalid(form: &Element, is_invalid: bool) {
    for field in found(form, "input") {
        let input = field.dyn_ref::<HtmlInputElement>();
        if !is_invalid {
            let _ = field.remove_attribute("aria-invalid");
        } else if input.is_some_and(|input| !input.value().is_empty()) {
            let _ = field.set_attribute("aria-invalid", "true");
            return;
        }
    }
}

/// Why the last change by a form over the stage was refused.
pub fn refusal(text: Option<&String>) -> Html {
    let Some(text) = text else {
        return html! {};
    };
    // The API server quotes its regular expression behind what it means.
    let meaning = text.split(" (e.g. ").next().unwrap_or(text);
    html! { <p class="nodeform__refusal" role="alert" data-notice="" title={text.clone()}>{ icon("rejected") }<span>{ meaning }</span></p> }
}

fn empty(form: &Element) {
    let Ok(fields) = form.query_selector_all("input, select:not([data-keep])") else {
        return;
    };
    for field in (0..fields.length()).filter_map(|at| fields.get(at)) {
        if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
            input.set_value(&input.default_value());
        } else if let Some(select) = field.dyn_ref::<HtmlSelectElement>() {
            select.set_selected_index(0);
        }
    }
}
