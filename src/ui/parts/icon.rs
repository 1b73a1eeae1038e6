//! Marks: each meaning has a shape of its own, so that hue is never alone.

use yew::{Html, html};

/// A mark from the sprite in `index.html`; decoration, the text beside it says the same.
pub fn icon(name: &str) -> Html {
    html! {
        <svg class={format!("i i--{name}")} aria-hidden="true"><use href={format!("#i-{name}")} /></svg>
    }
}
