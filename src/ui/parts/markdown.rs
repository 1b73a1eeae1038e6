//! Texts of lessons as elements.

use yew::{Html, html};

use crate::export::prose::{self, Block, Span};

/// Text as paragraphs, lists and blocks of code. `link` renders a link's text and its target.
pub fn blocks(text: &str, link: &dyn Fn(&str, &str) -> Html) -> Html {
    blocks_with(text, link, &code)
}

/// The same; `code` renders code within a line.
pub fn blocks_with(
    text: &str,
    link: &dyn Fn(&str, &str) -> Html,
    code: &dyn Fn(&str) -> Html,
) -> Html {
    let drawn = prose::blocks(text).into_iter().map(|block| match &block {
        Block::Paragraph(spans) => html! { <p>{ draw_spans(spans, link, code) }</p> },
        Block::Code(code) => html! { <pre><code>{ code }</code></pre> },
        Block::List(items) => {
            let items = items
                .iter()
                .map(|item| html! { <li>{ draw_spans(item, link, code) }</li> });
            html! { <ul>{ for items }</ul> }
        }
    });
    html! { <>{ for drawn }</> }
}

/// One line of text with code, emphasis and links.
pub fn inline(text: &str, link: &dyn Fn(&str, &str) -> Html) -> Html {
    draw_spans(&prose::spans(text), link, &code)
}

fn code(code: &str) -> Html {
    html! { <code>{ code }</code> }
}

fn draw_spans(
    spans: &[Span],
    link: &dyn Fn(&str, &str) -> Html,
    code: &dyn Fn(&str) -> Html,
) -> Html {
    let drawn = spans.iter().map(|span| match span {
        Span::Text(text) => html! { { text } },
        Span::Code(text) => code(text),
        Span::Bold(spans) => html! { <b>{ draw_spans(spans, link, code) }</b> },
        Span::Emphasis(spans) => html! { <em>{ draw_spans(spans, link, code) }</em> },
        Span::Link { label, target } => link(label, target),
    });
    html! { <>{ for drawn }</> }
}
