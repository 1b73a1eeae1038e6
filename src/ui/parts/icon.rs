//! Marks: each meaning has a shape of its own, so that hue is never alone.

use yew::{Callback, Html, MouseEvent, html};

/// A mark from the sprite in `index.html`; decoration, since the text beside it has the meaning.
pub fn icon(name: &str) -> Html {
    html! {
        <svg class={format!("i i--{name}")} aria-hidden="true"><use href={format!("#i-{name}")} /></svg>
    }
}

/// A small button with a mark in place of words.
pub fn action<A: Clone + 'static>(
    name: &'static str,
    label: &'static str,
    mark: &str,
    disabled: bool,
    act: &Callback<A>,
    action: A,
) -> Html {
    let act = act.clone();
    let onclick = Callback::from(move |_: MouseEvent| act.emit(action.clone()));
    html! {
        <button class="btn btn--icon" data-action={name} aria-label={label} title={label} {disabled} {onclick}>{ icon(mark) }</button>
    }
}
