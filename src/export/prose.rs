//! The part of Markdown that lessons use: paragraphs, lists, code, emphasis, and links to the glossary.

/// A block of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Paragraph(Vec<Span>),
    List(Vec<Vec<Span>>),
    Code(String),
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    Text(String),
    Code(String),
    Bold(Vec<Span>),
    Emphasis(Vec<Span>),
    /// The label is plain: code in it is not marked.
    Link {
        label: String,
        target: String,
    },
}

/// Text as paragraphs, lists and blocks of code.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = text.trim().lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("```") {
            let code: Vec<&str> = lines
                .by_ref()
                .take_while(|line| !line.trim_start().starts_with("```"))
                .collect();
            found.push(Block::Code(code.join("\n")));
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
            found.push(Block::List(items.iter().map(|item| spans(item)).collect()));
            continue;
        }
        let mut paragraph = line.trim().to_owned();
        while let Some(next) = lines.next_if(|next| {
            !next.trim().is_empty() && !is_item(next) && !next.trim_start().starts_with("```")
        }) {
            join(&mut paragraph, next.trim());
        }
        found.push(Block::Paragraph(spans(&paragraph)));
    }
    found
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
pub fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mark = rest.find(['`', '*', '[']);
        let (plain, marked) = rest.split_at(mark.unwrap_or(rest.len()));
        if !plain.is_empty() {
            found.push(Span::Text(plain.to_owned()));
        }
        if let Some((span, after)) = marked_up(marked) {
            found.push(span);
            rest = after;
        } else {
            // The mark itself.
            let mut letters = marked.chars();
            found.extend(letters.next().map(|mark| Span::Text(mark.to_string())));
            rest = letters.as_str();
        }
    }
    found
}

/// The marked-up text at the beginning, and what follows it.
fn marked_up(text: &str) -> Option<(Span, &str)> {
    if let Some(code) = text.strip_prefix('`') {
        let (code, after) = code.split_once('`')?;
        return Some((Span::Code(code.to_owned()), after));
    }
    if let Some(bold) = text.strip_prefix("**") {
        let (bold, after) = bold.split_once("**")?;
        return Some((Span::Bold(spans(bold)), after));
    }
    if let Some(emphasis) = text.strip_prefix('*') {
        let (emphasis, after) = emphasis.split_once('*')?;
        return Some((Span::Emphasis(spans(emphasis)), after));
    }
    let (label, after) = text.strip_prefix('[')?.split_once("](")?;
    let (target, after) = after.split_once(')')?;
    let (label, target) = (label.replace('`', ""), target.to_owned());
    Some((Span::Link { label, target }, after))
}

/// The target of a link that leads to a web page: lessons may be anyone's, and other schemes run scripts or programs.
pub fn web_address(target: &str) -> Option<&str> {
    let (scheme, _) = target.split_once("://")?;
    let is_web = ["https", "http"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    is_web.then_some(target)
}

#[cfg(test)]
mod tests {
    use super::{Block, Span, blocks, spans, web_address};

    #[test]
    fn only_web_pages_are_linked() {
        for target in ["https://a.example/b", "http://a.example", "HTTPS://a"] {
            assert_eq!(web_address(target), Some(target));
        }
        let others = [
            "javascript:alert(1)//://",
            "#taint",
            "data:text/html,x",
            "file:///a",
            "vscode://a",
            "//a",
            " javascript://%0aalert(1)",
        ];
        for target in others {
            assert_eq!(web_address(target), None, "{target}");
        }
    }

    fn text(text: &str) -> Span {
        Span::Text(text.to_owned())
    }

    #[test]
    fn lines_are_blocks() {
        let found = blocks("One\ntwo.\n\n- `a`\n- b\n  c\n\n```\nx: 1\n```\n第一\n第二");
        let code = Span::Code("a".to_owned());
        assert_eq!(
            found,
            [
                Block::Paragraph(vec![text("One two.")]),
                Block::List(vec![vec![code], vec![text("b c")]]),
                Block::Code("x: 1".to_owned()),
                Block::Paragraph(vec![text("第一第二")]),
            ]
        );
    }

    #[test]
    fn marks_nest_and_lone_ones_are_text() {
        let code = Span::Code("x".to_owned());
        assert_eq!(
            spans("**a `x`** 2 * 3"),
            [
                Span::Bold(vec![text("a "), code]),
                text(" 2 "),
                text("*"),
                text(" 3")
            ]
        );
        let link = Span::Link {
            label: "taint".to_owned(),
            target: "#taint".to_owned(),
        };
        let linked = [text("a "), link, text(".")];
        assert_eq!(spans("a [taint](#taint)."), linked);
        assert_eq!(spans("a [`taint`](#taint)."), linked);
        assert_eq!(spans("[0]"), [text("["), text("0]")]);
    }
}
