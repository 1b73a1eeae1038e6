//! What forms have in common.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlFormElement, HtmlInputElement, HtmlSelectElement};
use yew::{
    Callback, Children, Html, Properties, SubmitEvent, TargetCast, function_component, html,
    use_effect_with, use_mut_ref, use_node_ref,
};

/// The value of a form's field; empty if there is no such field.
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
    let select = field.dyn_ref::<HtmlSelectElement>();
    select.map(HtmlSelectElement::value).unwrap_or_default()
}

/// A choice of a list.
pub fn option(value: &str, name: &str, selected: bool) -> Html {
    html! { <option value={value.to_owned()} {selected}>{ name }</option> }
}

#[derive(Clone, PartialEq, Properties)]
pub struct FormProps {
    pub class: &'static str,
    /// For automation.
    #[prop_or_default]
    pub group: Option<&'static str>,
    /// How many additions were made, and how many were refused.
    pub answers: (u32, u32),
    pub onsubmit: Callback<SubmitEvent>,
    pub children: Children,
}

/// A form that is as it was at first once what it adds was taken, and keeps what was refused. A
/// list marked `data-keep` stays as it is. What an input holds at first has to be its default value:
/// its value would come back whenever the page is drawn, whatever was typed.
#[function_component]
pub fn Form(props: &FormProps) -> Html {
    let place = use_node_ref();
    let submitted = use_mut_ref(|| None::<u32>);
    {
        let (place, submitted) = (place.clone(), submitted.clone());
        use_effect_with(props.answers, move |(taken, _)| {
            let before = submitted.take();
            if before.is_some_and(|before| before != *taken)
                && let Some(form) = place.cast::<Element>()
            {
                empty(&form);
            }
        });
    }
    let onsubmit = {
        let (then, taken) = (props.onsubmit.clone(), props.answers.0);
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            submitted.replace(Some(taken));
            then.emit(event);
        })
    };
    html! {
        <form class={props.class} data-group={props.group} ref={place} {onsubmit}>{ props.children.clone() }</form>
    }
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
