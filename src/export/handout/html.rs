//! Texts as HTML.

pub use crate::export::svg::escaped;

use crate::export::prose::{self, Block, Span};

/// Paragraphs, lists and code. Links to the glossary are plain text.
pub fn blocks(text: &str) -> String {
    let blocks = prose::blocks(text);
    let html = blocks.iter().map(|block| match block {
        Block::Paragraph(spans) => format!("<p>{}</p>\n", marked_up(spans)),
        Block::Code(code) => format!("<pre>{}</pre>\n", escaped(code)),
        Block::List(items) => {
            let items = items
                .iter()
                .map(|item| format!("<li>{}</li>", marked_up(item)));
            format!("<ul>{}</ul>\n", items.collect::<String>())
        }
    });
    html.collect()
}

/// One line.
pub fn inline(text: &str) -> String {
    marked_up(&prose::spans(text))
}

pub fn link(label: &str, address: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(address), escaped(label))
}

fn marked_up(spans: &[Span]) -> String {
    let html = spans.iter().map(|span| match span {
        Span::Text(text) => escaped(text),
        Span::Code(code) => format!("<code>{}</code>", escaped(code)),
        Span::Bold(spans) => format!("<b>{}</b>", marked_up(spans)),
        Span::Emphasis(spans) => format!("<em>{}</em>", marked_up(spans)),
        Span::Link { label, target } => match prose::web_address(target) {
            Some(address) => link(label, address),
            None => escaped(label),
        },
    });
    html.collect()
}
