//! What forms have in common.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlFormElement, HtmlInputElement, HtmlSelectElement};
use yew::{Html, SubmitEvent, TargetCast, html};

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
