//! The part of Markdown that lessons use: paragraphs, lists, code, emphasis, and links to the glossary.

use yew::{Html, html};

/// Text as paragraphs, lists and blocks of code. `link` renders a link's text and its target.
pub fn blocks(text: &str, link: &dyn Fn(&str, &str) -> Html) -> Html {
    let mut drawn = Vec::new();
    let mut lines = text.trim().lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            let code: Vec<&str> = lines
                .by_ref()
                .take_while(|line| !line.trim_start().starts_with("```"))
                .collect();
            drawn.push(html! { <pre><code>{ code.join("\n") }</code></pre> });
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let is_item = |line: &str| line.starts_with("- ") || line.starts_with("* ");
        if is_item(line) {
            let mut items = vec![line.get(2..).unwrap_or_default().to_owned()];
            while let Some(next) = lines.next_if(|next| !next.trim().is_empty()) {
                match (is_item(next), items.last_mut()) {
                    (true, _) => items.push(next.get(2..).unwrap_or_default().to_owned()),
                    (false, Some(last)) => {
                        last.push(' ');
                        last.push_str(next.trim());
                    }
                    (false, None) => {}
                }
            }
            let items = items
                .iter()
                .map(|item| html! { <li>{ inline(item, link) }</li> });
            drawn.push(html! { <ul>{ for items }</ul> });
            continue;
        }
        let mut paragraph = line.trim().to_owned();
        while let Some(next) = lines.next_if(|next| {
            !next.trim().is_empty() && !is_item(next) && !next.trim_start().starts_with("```")
        }) {
            join(&mut paragraph, next.trim());
        }
        drawn.push(html! { <p>{ inline(&paragraph, link) }</p> });
    }
    html! { <>{ for drawn }</> }
}

/// Joins lines: with a space, but for Chinese text, which has none.
fn join(text: &mut String, next: &str) {
    let is_wide = |letter: Option<char>| letter.is_some_and(|letter| letter >= '\u{2e80}');
    if !(is_wide(text.chars().last()) && is_wide(next.chars().next())) {
        text.push(' ');
    }
    text.push_str(next);
}

/// One line of text with code, emphasis and links.
pub fn inline(text: &str, link: &dyn Fn(&str, &str) -> Html) -> Html {
    let mut drawn = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let found = rest.find(['`', '*', '[']);
        let (plain, marked) = rest.split_at(found.unwrap_or(rest.len()));
        if !plain.is_empty() {
            drawn.push(html! { { plain } });
        }
        let Some((html, after)) = marked_up(marked, link) else {
            // The mark itself.
            let mut letters = marked.chars();
            drawn.push(html! { { for letters.next() } });
            rest = letters.as_str();
            continue;
        };
        drawn.push(html);
        rest = after;
    }
    html! { <>{ for drawn }</> }
}

/// The marked-up text at the beginning, and what follows it.
fn marked_up<'t>(text: &'t str, link: &dyn Fn(&str, &str) -> Html) -> Option<(Html, &'t str)> {
    if let Some(code) = text.strip_prefix('`') {
        let (code, after) = code.split_once('`')?;
        return Some((html! { <code>{ code }</code> }, after));
    }
    if let Some(bold) = text.strip_prefix("**") {
        let (bold, after) = bold.split_once("**")?;
        return Some((html! { <b>{ inline(bold, link) }</b> }, after));
    }
    if let Some(emphasis) = text.strip_prefix('*') {
        let (emphasis, after) = emphasis.split_once('*')?;
        return Some((html! { <em>{ inline(emphasis, link) }</em> }, after));
    }
    let (label, after) = text.strip_prefix('[')?.split_once("](")?;
    let (target, after) = after.split_once(')')?;
    Some((link(label, target), after))
}
