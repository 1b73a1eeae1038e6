//! Adds the element to the text of a chapter.

use crate::cli::fences::info::{Form, read};
use crate::cli::fences::{Fence, blanked, fences};

/// A chapter after the change.
pub struct Rewritten {
    pub text: String,
    /// Number of blocks that are Berth's.
    pub found: usize,
    /// What is wrong with the attributes of a block, with its line in the chapter, from 1.
    pub complaints: Vec<(usize, String)>,
}

/// The text with the element after each block that is Berth's.
pub fn rewrite(text: &str) -> Rewritten {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut written: Vec<String> = Vec::with_capacity(lines.len());
    let (mut found, mut at) = (0, 0);
    let mut complaints = Vec::new();
    let owned = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (*line).to_owned())
            .collect::<Vec<_>>()
    };
    for fence in fences(&lines) {
        let Some((end, head, tag, wrong)) = live(&fence) else {
            continue;
        };
        found += 1;
        complaints.extend(wrong.into_iter().map(|what| (fence.first + 1, what)));
        let ending = match fence.info.ends_with('\r') {
            true => "\r",
            false => "",
        };
        written.extend(owned(&lines[at..fence.first]));
        written.push(format!("{}{}{head}{ending}", fence.prefix, fence.fence));
        written.extend(owned(&lines[fence.first + 1..=end]));
        // Where a list item begins with the fence, what follows is indented as its text.
        let inside = blanked(fence.prefix);
        // A line with an opening tag alone begins a block of HTML, which ends at a blank line.
        let added = ["", &tag, "</berth-playground>", ""];
        let added = added.map(|line| format!("{inside}{line}").trim_end().to_owned() + ending);
        written.extend(added);
        at = end + 1;
    }
    written.extend(owned(&lines[at..]));
    Rewritten {
        text: written.join("\n"),
        found,
        complaints,
    }
}

/// Of a block that is Berth's: the line that closes it, the info string for the tool, the element's opening tag, and what
/// is wrong with the attributes.
fn live(fence: &Fence) -> Option<(usize, String, String, Vec<String>)> {
    let end = fence.end?;
    let info = read(fence.info).filter(|info| info.form == Form::Words)?;
    let attributes = &info.attributes;
    if !attributes.is_live {
        return None;
    }
    let words = [info.language]
        .into_iter()
        .chain(attributes.rest.iter().copied());
    let head = words.collect::<Vec<&str>>().join(" ");
    let tag = open_tag(&attributes.given);
    Some((end, head, tag, attributes.complaints()))
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
            assert_eq!(rewrite(&input).text, output, "{}", case.name);
        }
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
