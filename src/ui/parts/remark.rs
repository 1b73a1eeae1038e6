//! A remark of the engine.

use yew::{Html, html};

use super::markdown::inline;
use crate::words;
use berth_protocol::remark::Remark;

/// A remark in the page's language. What it quotes stays as Kubernetes says it.
pub fn remark(remark: &Remark) -> Html {
    let parts = words::remark_parts(remark)
        .into_iter()
        .map(|(quoted, text)| match quoted {
            true => html! { <span translate="no">{ text }</span> },
            false => inline(&text, &|label, _| html! { { label } }),
        });
    html! { <>{ for parts }</> }
}
