//! The documents of a manifest text, found by a line scan, for the list that jumps to them.

/// A document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its first line, from 1.
    pub line: u32,
    pub kind: String,
    pub name: String,
}

/// Size limit in bytes: the scan runs after every pause in typing, between two frames.
const BYTES: usize = 1 << 20;
/// Maximum number of documents in the list.
pub const LISTED: usize = 500;

/// Whether a text is too large for a list of its documents.
pub fn is_too_long(text: &str) -> bool {
    text.len() > BYTES
}

/// The documents of a text, in order. Those without a kind are left out.
pub fn documents(text: &str) -> Vec<Document> {
    if is_too_long(text) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut now = Document {
        line: 1,
        ..Document::default()
    };
    let mut in_metadata = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_end() == "---" || line.starts_with("--- ") {
            let done = Document {
                line: number + 1,
                ..Document::default()
            };
            found.push(std::mem::replace(&mut now, done));
            in_metadata = false;
            continue;
        }
        if let Some(kind) = line.strip_prefix("kind:") {
            now.kind = value(kind);
        } else if let Some(rest) = line.strip_prefix("metadata:") {
            in_metadata = true;
            if let Some((_, after)) = rest.split_once("name:") {
                now.name = value(after);
            }
        } else if in_metadata && now.name.is_empty() {
            if !line.starts_with(' ') && !line.trim().is_empty() {
                in_metadata = false;
            } else if let Some(name) = line.trim_start().strip_prefix("name:") {
                now.name = value(name);
            }
        }
    }
    found.push(now);
    found.retain(|document| !document.kind.is_empty());
    found
}

/// The last line, from 1, in which the new text differs from the old one. `None` if they are equal.
pub fn last_change(old: &str, new: &str) -> Option<u32> {
    if old == new {
        return None;
    }
    let pairs = new.lines().rev().zip(old.lines().rev());
    let below = pairs.take_while(|(new, old)| new == old).count();
    let line = new.lines().count().saturating_sub(below).max(1);
    u32::try_from(line).ok()
}

/// The position of the document that a line belongs to.
pub fn at(documents: &[Document], line: u32) -> Option<usize> {
    documents.iter().rposition(|document| document.line <= line)
}

/// A scalar without quotes, trailing comment, and the rest of a flow mapping.
fn value(text: &str) -> String {
    let text = text.split(" #").next().unwrap_or_default();
    let end = text.find([',', '}']).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default().trim();
    text.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{BYTES, documents, is_too_long, last_change};

    #[test]
    fn the_last_line_that_changed_is_found() {
        assert_eq!(last_change("a\nb\n", "a\nb\n"), None);
        assert_eq!(last_change("a\nb\nc\n", "a\nd\nc\n"), Some(2));
        assert_eq!(last_change("a\nb\n", "a\nb\n---\nc\n"), Some(4));
        assert_eq!(last_change("a\nb\nc\n", "a\nc\n"), Some(1));
        assert_eq!(last_change("a\n", ""), Some(1));
    }

    #[test]
    fn a_text_that_is_too_long_has_no_list() {
        let text = "kind: Pod\n---\n".repeat(BYTES / 14 + 1);
        assert!(is_too_long(&text) && documents(&text).is_empty());
        assert!(!is_too_long(&text[..BYTES]) && !documents(&text[..BYTES]).is_empty());
    }

    #[test]
    fn kinds_and_names_are_found_in_both_styles() {
        let text = "# first\nkind: Node\nmetadata:\n  labels: {a: b}\n  name: 'one' # ok\n---\n\
                    # nothing\n---\nkind: Pod\nmetadata: {labels: {}, name: two, x: y}\n";
        let found: Vec<_> = documents(text)
            .into_iter()
            .map(|document| (document.line, document.kind, document.name))
            .collect();
        let expected = [(1, "Node", "one"), (9, "Pod", "two")];
        let expected = expected.map(|(line, kind, name)| (line, kind.to_owned(), name.to_owned()));
        assert_eq!(found, expected);
    }
}
