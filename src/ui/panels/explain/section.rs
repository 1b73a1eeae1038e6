//! A part of the explanation that can be shut. Whether it is belongs to the page alone, so the
//! browser keeps it; only a change of what it is at first opens or shuts it again.

use yew::{Html, html};

use crate::ui::parts::icon::icon;

/// A section with a head to click on. `sum`: what it comes to, for when it is shut.
pub fn section(title: &str, sum: Html, open: bool, body: Html) -> Html {
    html! {
        <details class="sect" {open}>
            <summary class="sect__head">
                { icon("caret") }<h3>{ title }</h3><span class="sect__sum">{ sum }</span>
            </summary>
            { body }
        </details>
    }
}
