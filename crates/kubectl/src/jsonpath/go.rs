//! Simple Go templates: fields, `range`, `index` with a string or a number, and quoted strings. Anything else is
//! refused.

use serde_json::Value;

use super::{Item, Slice, Step};

/// Maximum nesting of ranges.
const MAX_DEPTH: usize = 32;

/// Parses a template to items.
pub(crate) fn template(text: &str) -> Result<Vec<Item>, String> {
    let mut open: Vec<(Vec<Step>, Vec<Item>)> = vec![(Vec::new(), Vec::new())];
    let mut rest = text;
    let mut trims = false;
    loop {
        let (before, behind) = rest.split_once("{{").unwrap_or((rest, ""));
        let is_last = before.len() == rest.len();
        let before = if trims { before.trim_start() } else { before };
        let trimmed = behind.strip_prefix("- ");
        let before = if trimmed.is_some() {
            before.trim_end()
        } else {
            before
        };
        if let (false, Some((_, items))) = (before.is_empty(), open.last_mut()) {
            items.push(Item::Text(before.to_owned()));
        }
        if is_last {
            break;
        }
        let Some((action, after)) = trimmed.unwrap_or(behind).split_once("}}") else {
            return Err("unclosed action".to_owned());
        };
        trims = action.ends_with(" -");
        act(action.trim_end_matches(" -").trim(), &mut open)?;
        rest = after;
    }
    match open.pop() {
        Some((_, items)) if open.is_empty() => Ok(items),
        _ => Err("unexpected EOF".to_owned()),
    }
}

fn act(action: &str, open: &mut Vec<(Vec<Step>, Vec<Item>)>) -> Result<(), String> {
    if let Some(path) = action.strip_prefix("range ") {
        let mut steps = value(path)?;
        steps.push(Step::Wildcard);
        if open.len() > MAX_DEPTH {
            return Err("too many ranges within each other".to_owned());
        }
        open.push((steps, Vec::new()));
        return Ok(());
    }
    let item = if action == "end" {
        match open.pop() {
            Some((steps, body)) if !open.is_empty() => Item::Range(steps, body),
            _ => return Err("unexpected {{end}}".to_owned()),
        }
    } else {
        Item::Path(value(action)?)
    };
    if let Some((_, items)) = open.last_mut() {
        items.push(item);
    }
    Ok(())
}

/// `.a.b`, `"text"`, `index .a "b.c" 0`.
fn value(text: &str) -> Result<Vec<Step>, String> {
    let text = text.trim();
    let refused =
        || format!("{text:?} is not understood here: only fields, range, end, index and texts are");
    if let Some(quoted) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
        let known = [("\\n", "\n"), ("\\t", "\t"), ("\\\"", "\"")];
        let quoted = known
            .iter()
            .fold(quoted.to_owned(), |it, (from, to)| it.replace(from, to));
        return Ok(vec![Step::Literal(Value::String(quoted))]);
    }
    let (path, keys) = match text.strip_prefix("index ") {
        Some(rest) => rest.trim().split_once(' ').ok_or_else(refused)?,
        None => (text, ""),
    };
    let names = path.strip_prefix('.').ok_or_else(refused)?;
    let is_name = |name: &str| name.chars().all(|it| it.is_alphanumeric() || it == '_');
    let mut steps = Vec::new();
    for name in names.split('.').filter(|_| !names.is_empty()) {
        if name.is_empty() || !is_name(name) {
            return Err(refused());
        }
        steps.push(Step::Field(name.to_owned()));
    }
    for key in keys.split_whitespace() {
        let quoted = key.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        steps.push(match (quoted, key.parse::<i64>()) {
            (Some(name), _) => Step::Field(name.to_owned()),
            (None, Ok(from @ 0..)) => Step::Slice(Slice {
                from,
                to: None,
                step: None,
                is_index: true,
            }),
            _ => return Err(refused()),
        });
    }
    Ok(steps)
}
