//! Icons: each meaning has its own shape, so that color is never the only cue.

use yew::{Callback, Html, MouseEvent, html};

/// An icon from the sprite in `index.html`; it is decorative, because the text beside it has the meaning.
pub fn icon(name: &str) -> Html {
    html! {
        <svg class={format!("i i--{name}")} aria-hidden="true"><use href={format!("#i-{name}")} /></svg>
    }
}

/// A small button with an icon in place of text.
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
