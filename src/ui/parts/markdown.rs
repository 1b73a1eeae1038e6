//! Texts of lessons as elements.

use yew::{Html, html};

use crate::export::prose::{self, Block, Span};

/// Text as paragraphs, lists and blocks of code. `link` renders a link's text and its target.
pub fn blocks(text: &str, link: &dyn Fn(&str, &str) -> Html) -> Html {
    let drawn = prose::blocks(text).into_iter().map(|block| match &block {
        Block::Paragraph(spans) => html! { <p>{ drawn(spans, link) }</p> },
        Block::Code(code) => html! { <pre><code>{ code }</code></pre> },
        Block::List(items) => {
            let items = items
                .iter()
                .map(|item| html! { <li>{ drawn(item, link) }</li> });
            html! { <ul>{ for items }</ul> }
        }
    });
    html! { <>{ for drawn }</> }
}

/// One line of text with code, emphasis and links.
pub fn inline(text: &str, link: &dyn Fn(&str, &str) -> Html) -> Html {
    drawn(&prose::spans(text), link)
}

fn drawn(spans: &[Span], link: &dyn Fn(&str, &str) -> Html) -> Html {
    let drawn = spans.iter().map(|span| match span {
        Span::Text(text) => html! { { text } },
        Span::Code(code) => html! { <code>{ code }</code> },
        Span::Bold(spans) => html! { <b>{ drawn(spans, link) }</b> },
        Span::Emphasis(spans) => html! { <em>{ drawn(spans, link) }</em> },
        Span::Link { label, target } => link(label, target),
    });
    html! { <>{ for drawn }</> }
}
