//! Reads fenced code blocks in the text of Markdown. `berth mdbook` rewrites them, and `berth docs` tests them.
//! `adapters/python/berth_docs/fences.py` does the same, and `adapters/fences.json` holds both to it.

pub mod attributes;
pub mod info;

/// A fenced block. Lines are indexes into those of the text, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence<'a> {
    /// Indentation, quotation marks and list markers before the fence.
    pub prefix: &'a str,
    pub fence: &'a str,
    pub info: &'a str,
    /// The line that opens it.
    pub first: usize,
    /// The line that closes it; `None` if it goes on to the end of the text.
    pub end: Option<usize>,
}

/// The blocks of a text. A fence within another block is text of that block.
pub fn fences<'a>(lines: &[&'a str]) -> Vec<Fence<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let Some(opening) = opening(line).filter(|it| is_text(&lines[..at], it.prefix)) else {
            at += 1;
            continue;
        };
        let end = closing(lines, at, &opening);
        found.push(Fence {
            first: at,
            end,
            ..opening
        });
        at = end.map_or(lines.len(), |end| end + 1);
    }
    found
}

impl Fence<'_> {
    /// Its text, line by line, without what the prefix stands for on each line.
    pub fn content<'l>(&self, lines: &[&'l str]) -> Vec<&'l str> {
        let end = self.end.unwrap_or(lines.len());
        let inside = lines.get(self.first + 1..end).unwrap_or_default();
        inside
            .iter()
            .map(|line| self.without_prefix(line))
            .collect()
    }

    fn without_prefix<'l>(&self, line: &'l str) -> &'l str {
        let mut rest = line;
        for mark in blanked(self.prefix).chars() {
            let after = match mark {
                '>' => rest.strip_prefix('>'),
                _ => rest.strip_prefix([' ', '\t']),
            };
            rest = after.unwrap_or(rest);
        }
        rest
    }
}

/// The prefix with its list markers replaced by blanks.
pub fn blanked(prefix: &str) -> String {
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
fn opening(line: &str) -> Option<Fence<'_>> {
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
    is_fence.then_some(Fence {
        prefix,
        fence,
        info,
        first: 0,
        end: None,
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
pub fn indentation(line: &str) -> usize {
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
fn closing(lines: &[&str], at: usize, opening: &Fence) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.split('\n').collect();
        let found = fences(&lines);
        found
            .iter()
            .map(|fence| fence.content(&lines).join("|"))
            .collect()
    }

    #[test]
    fn the_text_of_a_block_has_no_prefix() {
        for (text, expected) in [
            ("```yaml\na: 1\n  b: 2\n```", "a: 1|  b: 2"),
            ("1. ```yaml\n   a: 1\n   b: 2\n   ```", "a: 1|b: 2"),
            ("> - ```yaml\n>   a:\n>     b: 2\n>   ```", "a:|  b: 2"),
            (">```yaml\n>a: 1\n>```", "a: 1"),
            ("  ```yaml\n a: 1\n\n  b: 2\n  ```", "a: 1||b: 2"),
            ("```yaml\na: 1", "a: 1"),
        ] {
            assert_eq!(contents(text), [expected], "{text}");
        }
    }

    #[test]
    fn no_text_panics() {
        for text in [
            "",
            "```",
            "~~~~\n",
            ">>> ``` yaml berth",
            "1.`\t```é berth=é\n`",
        ] {
            let _ = contents(text);
        }
    }
}
