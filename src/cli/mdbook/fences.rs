//! Rewrites fenced code blocks in the text of Markdown. `adapters/python/berth_docs/fences.py` does the same, and
//! `adapters/fences.json` holds both to it.

/// The attributes of `<berth-playground>` that a block may have (`adapters/attributes.json`).
const ATTRIBUTES: [&str; 7] = [
    "view",
    "step",
    "height",
    "theme",
    "lang",
    "kubernetes",
    "load",
];

/// The beginning of a fenced block.
struct Opening<'a> {
    /// Indentation, quotation marks and list markers before the fence.
    prefix: &'a str,
    fence: &'a str,
    info: &'a str,
}

/// The text with the element after each block that is Berth's, and the number of these blocks.
pub fn rewrite(text: &str) -> (String, usize) {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut written: Vec<String> = Vec::with_capacity(lines.len());
    let (mut found, mut at) = (0, 0);
    while let Some(line) = lines.get(at) {
        let Some(opening) = opening(line).filter(|it| is_text(&lines[..at], it.prefix)) else {
            written.push((*line).to_owned());
            at += 1;
            continue;
        };
        let first = written.len();
        let end = closing(&lines, at, &opening);
        let last = end.unwrap_or(lines.len() - 1);
        written.extend(lines[at..=last].iter().map(|line| (*line).to_owned()));
        at = last + 1;
        let read = end.and_then(|_| read_info(opening.info));
        let Some((info, attributes)) = read else {
            continue;
        };
        found += 1;
        let ending = if opening.info.ends_with('\r') {
            "\r"
        } else {
            ""
        };
        written[first] = format!("{}{}{info}{ending}", opening.prefix, opening.fence);
        // Where a list item begins with the fence, what follows is indented as its text.
        let inside = blanked(opening.prefix);
        // A line with an opening tag alone begins a block of HTML, which ends at a blank line.
        let added = ["", &open_tag(&attributes), "</berth-playground>", ""];
        let added = added.map(|line| format!("{inside}{line}").trim_end().to_owned() + ending);
        written.extend(added);
    }
    (written.join("\n"), found)
}

/// The prefix with its list markers replaced by blanks.
fn blanked(prefix: &str) -> String {
    let keep = |c: char| {
        if c == '>' || c.is_whitespace() {
            c
        } else {
            ' '
        }
    };
    prefix.chars().map(keep).collect()
}

/// Reads a line that may begin a block.
fn opening(line: &str) -> Option<Opening<'_>> {
    let mut rest = line;
    loop {
        if let Some(after) = rest.strip_prefix([' ', '\t', '>']) {
            rest = after;
        } else if let Some(after) = after_marker(rest) {
            rest = after;
        } else {
            break;
        }
    }
    let prefix = &line[..line.len() - rest.len()];
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = rest.trim_start_matches(mark);
    let fence = &rest[..rest.len() - info.len()];
    let is_fence = fence.len() >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some(Opening {
        prefix,
        fence,
        info,
    })
}

/// The text after a list marker and its blank: `- `, `12. `.
fn after_marker(text: &str) -> Option<&str> {
    let marked = text.strip_prefix(['-', '*', '+']).or_else(|| {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = text.len() - rest.len();
        rest.strip_prefix(['.', ')'])
            .filter(|_| (1..=9).contains(&digits))
    })?;
    marked.strip_prefix([' ', '\t'])
}

/// Whether a fence with this prefix, after these lines, is not the content of an indented code block.
fn is_text(before: &[&str], prefix: &str) -> bool {
    let width = indentation(prefix);
    if width < 4 {
        return true;
    }
    let less = |line: &&&str| !line.trim().is_empty() && indentation(line) < width;
    let outer = before.iter().rev().find(less);
    outer.is_some_and(|line| width - indentation(line) < 4 || is_container(line))
}

/// Whether a line's indented continuation is text: that of a list item, an admonition, a tab, a definition, a footnote.
fn is_container(line: &str) -> bool {
    let text = line.trim_start_matches([' ', '\t', '>']);
    let marks = ["!!!", "???", "===", ": ", ":\t", "[^"];
    after_marker(text).is_some() || marks.iter().any(|mark| text.starts_with(mark))
}

/// Columns of white space at the beginning of a line.
fn indentation(line: &str) -> usize {
    let mut width = 0;
    for c in line.chars() {
        match c {
            ' ' => width += 1,
            '\t' => width += 4 - width % 4,
            _ => break,
        }
    }
    width
}

/// The line that closes a block.
fn closing(lines: &[&str], at: usize, opening: &Opening) -> Option<usize> {
    let width = indentation(&blanked(opening.prefix));
    let mark = &opening.fence[..1];
    let closes = |line: &str| {
        let text = line.trim_start_matches([' ', '\t', '>']);
        let text = text.trim_end_matches([' ', '\t', '\r']);
        // A fence that is indented more belongs to the block's text.
        text.len() >= opening.fence.len()
            && text.trim_start_matches(mark).is_empty()
            && indentation(line) < width + 4
    };
    let found = lines[at + 1..].iter().position(|line| closes(line));
    found.map(|after| at + 1 + after)
}

/// The info string without Berth's words, and the attributes; `None` if the block is not Berth's.
fn read_info(info: &str) -> Option<(String, Vec<(&str, &str)>)> {
    let words = words(info);
    let (language, words) = words.split_first()?;
    let after = language
        .strip_prefix("yaml")
        .or(language.strip_prefix("yml"))?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if after.starts_with(is_word) || !words.contains(&"berth") {
        return None;
    }
    let mut rest = (*language).to_owned();
    let mut attributes = Vec::new();
    for word in words {
        match word.split_once('=') {
            Some((name, value)) if ATTRIBUTES.contains(&name) && !value.is_empty() => {
                attributes.push((name, unquoted(value)));
            }
            _ if *word == "berth" => (),
            _ => {
                rest.push(' ');
                rest.push_str(word);
            }
        }
    }
    Some((rest, attributes))
}

/// The words of an info string; blanks within the quotes of `name="value"` do not separate.
fn words(info: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = info.trim_start();
    while !rest.is_empty() {
        let plain = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let end = quoted_end(rest).unwrap_or(plain);
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

/// The end of a `name="value"` at the beginning of a text.
fn quoted_end(text: &str) -> Option<usize> {
    let equals = text.find('=').filter(|at| *at > 0)?;
    if text[..equals].contains(char::is_whitespace) {
        return None;
    }
    let value = &text[equals + 1..];
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let end = equals + 2 + value[1..].find(quote)? + 1;
    let ends = text[end..].chars().next().is_none_or(char::is_whitespace);
    ends.then_some(end)
}

fn unquoted(value: &str) -> &str {
    let inside = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

/// The element's opening tag.
fn open_tag(attributes: &[(&str, &str)]) -> String {
    let mut tag = "<berth-playground".to_owned();
    for (name, value) in attributes {
        tag.push_str(&format!(" {name}=\"{}\"", escaped(value)));
    }
    tag + ">"
}

/// Text as the value of an attribute.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#x27;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        input: Vec<String>,
        output: Option<Vec<String>>,
    }

    #[test]
    fn blocks_are_rewritten_as_by_the_other_adapters() {
        let cases = include_str!("../../../adapters/fences.json");
        let cases: Vec<Case> = serde_json::from_str(cases).unwrap();
        for case in cases {
            let input = case.input.join("\n");
            let output = case.output.map_or(input.clone(), |lines| lines.join("\n"));
            assert_eq!(rewrite(&input).0, output, "{}", case.name);
        }
    }

    #[test]
    fn attributes_are_those_of_the_table() {
        let table = include_str!("../../../adapters/attributes.json");
        let table: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(table).unwrap();
        assert_eq!(table.keys().collect::<Vec<_>>(), ATTRIBUTES);
    }

    #[test]
    fn no_text_panics() {
        for text in [
            "",
            "```",
            "~~~~\n",
            ">>> ``` yaml berth",
            "```yaml berth view=\"\n```",
            "1.`\t```é berth=é\n`",
        ] {
            let _ = rewrite(text);
        }
    }
}
