//! Lists that end in the middle: a dump whose end is missing.

use serde::de::IgnoredAny;

/// The whole items of a list that is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub items: usize,
    /// Where the last of them ends.
    pub end: usize,
    /// What completes the text there.
    pub closing: &'static str,
}

/// The whole items of a `List`, in YAML or JSON, whose text ends within its items or after them. `None` if there is
/// none, or if something follows the items, as in kubectl's lists.
#[inline(never)]
pub(super) fn whole_items(text: &str) -> Option<Cut> {
    match text.trim_start().starts_with('{') {
        true => in_json(text),
        false => in_yaml(text),
    }
    .filter(|cut| cut.items > 0)
}

/// The last item of a YAML list ends nowhere, so it is never whole.
fn in_yaml(text: &str) -> Option<Cut> {
    let mut in_items = false;
    let mut indentation = None;
    let mut starts = 0;
    let (mut offset, mut last) = (0, 0);
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let is_dash = content.starts_with("- ") || content.trim_end() == "-";
        if !in_items {
            in_items = line.trim_end() == "items:";
        } else if is_dash && indentation.is_none_or(|known| known == indent) {
            indentation = Some(indent);
            starts += 1;
            last = offset;
        } else if indent == 0 && !content.trim_end().is_empty() && !content.starts_with('#') {
            return None;
        }
        offset += line.len();
    }
    let items = usize::checked_sub(starts, 1)?;
    Some(Cut {
        items,
        end: last,
        closing: "",
    })
}

fn in_json(text: &str) -> Option<Cut> {
    let mut at = Cursor {
        text,
        at: text.find('{')? + 1,
    };
    while at.value()? != "\"items\"" {
        at.mark(':')?;
        at.value()?;
        at.mark(',')?;
    }
    at.mark(':')?;
    at.mark('[')?;
    let (mut items, mut end) = (0, at.at);
    while at.value().is_some() {
        (items, end) = (items + 1, at.at);
        if at.mark(',').is_none() {
            break;
        }
    }
    // A list that is closed is not cut, whatever is wrong with it.
    (at.mark(']').is_none()).then_some(Cut {
        items,
        end,
        closing: "]}",
    })
}

/// A place in a JSON text.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// Skips one value, and returns its text. `None`, and nothing skipped, if it is not whole.
    fn value(&mut self) -> Option<&'t str> {
        let rest = self.text.get(self.at..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        let length = values.byte_offset();
        self.at += length;
        Some(rest.get(..length)?.trim())
    }

    /// Skips a character and the blanks before it.
    fn mark(&mut self, mark: char) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let content = rest.trim_start();
        let after = content.strip_prefix(mark)?;
        self.at += rest.len() - after.len();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::whole_items;

    /// The number of whole items, and the text up to there.
    fn cut(text: &str) -> Option<(usize, String)> {
        let cut = whole_items(text)?;
        Some((cut.items, format!("{}{}", &text[..cut.end], cut.closing)))
    }

    #[test]
    fn whole_items_of_a_cut_yaml_list() {
        let text =
            "apiVersion: v1\nitems:\n- kind: Node\n  a: |\n    - no item\n- kind: Pod\n  spe";
        let whole = "apiVersion: v1\nitems:\n- kind: Node\n  a: |\n    - no item\n";
        assert_eq!(cut(text), Some((1, whole.to_owned())));
        let indented = "items:\n  - kind: Node\n    list:\n    - x\n  - kind: Po";
        let whole = "items:\n  - kind: Node\n    list:\n    - x\n";
        assert_eq!(cut(indented), Some((1, whole.to_owned())));
        assert_eq!(cut("items:\n- kind: Node\n"), None);
        assert_eq!(cut("items:\n- a: 1\n- a: 2\nkind: List\n"), None);
        assert_eq!(cut("kind: Pod\nspec:\n- a\n- b\n"), None);
    }

    #[test]
    fn whole_items_of_a_cut_json_list() {
        let text =
            r#"{"apiVersion": "v1", "n": 1, "items": [{"kind": "Node"}, {"kind": "Pod"}, {"ki"#;
        let whole = r#"{"apiVersion": "v1", "n": 1, "items": [{"kind": "Node"}, {"kind": "Pod"}]}"#;
        assert_eq!(cut(text), Some((2, whole.to_owned())));
        assert_eq!(cut(r#"{"items": [{"kind": "Node"}], "kind": "Li"#), None);
        assert_eq!(cut(r#"{"items": [{"ki"#), None);
        assert_eq!(cut(r#"{"kind": "Pod", "spec": {"#), None);
    }
}
