//! A collapsible part of the explanation. The browser keeps its open state, which belongs to the page alone; only a
//! change of `open` opens or closes it again.

use yew::{Html, html};

use crate::ui::parts::icon::icon;

/// A section with a clickable head. `sum`: its summary, visible while it is closed.
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
