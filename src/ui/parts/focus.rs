//! Where the focus goes when something opens over the page, and where it goes back to.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};
use yew::{
    Children, Html, NodeRef, Properties, function_component, html, use_effect_with, use_node_ref,
};

const FOCUSABLE: &str =
    "button:not([disabled]), [href], input, select, textarea, summary, [tabindex='0']";

#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    pub children: Children,
    /// Tab stays inside.
    #[prop_or_default]
    pub keeps: bool,
}

/// Takes the focus when it appears, to what is marked `data-first` or else to the first element,
/// and gives it back when it goes.
#[function_component]
pub fn Focused(props: &Props) -> Html {
    let place = use_node_ref();
    {
        let place = place.clone();
        use_effect_with((), move |()| {
            let before = gloo::utils::document().active_element();
            let wanted = place.cast::<Element>();
            let wanted = wanted.and_then(|place| place.query_selector("[data-first]").ok()?);
            let wanted = wanted.and_then(|element| element.dyn_into::<HtmlElement>().ok());
            if let Some(first) = wanted.as_ref().or(inside(&place).first()) {
                // A browser that cannot move the focus leaves it where it is.
                let _ = first.focus();
            }
            move || {
                let before = before.and_then(|element| element.dyn_into::<HtmlElement>().ok());
                if let Some(before) = before {
                    let _ = before.focus();
                }
            }
        });
    }
    let onkeydown = {
        let (place, keeps) = (place.clone(), props.keeps);
        move |event: KeyboardEvent| {
            if keeps && event.key() == "Tab" {
                turn_around(&place, &event);
            }
        }
    };
    html! { <div class="focused" ref={place} {onkeydown}>{ props.children.clone() }</div> }
}

fn inside(place: &NodeRef) -> Vec<HtmlElement> {
    let found = place
        .cast::<Element>()
        .and_then(|place| place.query_selector_all(FOCUSABLE).ok());
    let Some(found) = found else {
        return Vec::new();
    };
    let all = (0..found.length()).filter_map(|at| found.get(at));
    all.filter_map(|node| node.dyn_into::<HtmlElement>().ok())
        .filter(|element| element.offset_parent().is_some())
        .collect()
}

/// From the last to the first, and back.
fn turn_around(place: &NodeRef, event: &KeyboardEvent) {
    let all = inside(place);
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return;
    };
    let here = gloo::utils::document().active_element();
    let is_here = |element: &HtmlElement| here.as_ref() == Some(element.as_ref());
    let target = match event.shift_key() {
        true if is_here(first) => last,
        false if is_here(last) => first,
        _ => return,
    };
    event.prevent_default();
    let _ = target.focus();
}
