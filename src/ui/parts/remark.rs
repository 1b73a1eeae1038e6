//! A remark of the engine.

use yew::{Html, html};

use crate::ui::words;
use berth_protocol::remark::Remark;

/// A remark in the page's language. What it quotes stays as Kubernetes says it.
pub fn remark(remark: &Remark) -> Html {
    match remark.quotation() {
        "" => words::remark(remark).into(),
        quoted => html! { <span translate="no">{ quoted }</span> },
    }
}
