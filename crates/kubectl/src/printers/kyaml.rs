//! `-o kyaml`: YAML in flow style, in which every string is quoted (kubectl v1.36, `sigs.k8s.io/yaml/kyaml`).

use std::fmt::Write;

use serde_json::Value;

/// Prints an object as a document of its own.
pub(crate) fn kyaml(object: &Value) -> String {
    let mut out = "---\n".to_owned();
    write(&mut out, object, 0);
    out + "\n"
}

fn write(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) if fields.is_empty() => out.push_str("{}"),
        Value::Object(fields) => {
            out.push_str("{\n");
            for (name, value) in fields {
                indent(out, depth + 1);
                match is_plain(name) {
                    true => out.push_str(name),
                    false => quote(out, name, None),
                }
                out.push_str(": ");
                write(out, value, depth + 1);
                out.push_str(",\n");
            }
            indent(out, depth);
            out.push('}');
        }
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        // Brackets of lists and objects in a list stand together.
        Value::Array(items) if items.iter().all(|it| it.is_array() || it.is_object()) => {
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "[" } else { ", " });
                write(out, item, depth);
            }
            out.push(']');
        }
        Value::Array(items) => {
            out.push_str("[\n");
            for item in items {
                indent(out, depth + 1);
                write(out, item, depth + 1);
                out.push_str(",\n");
            }
            indent(out, depth);
            out.push(']');
        }
        Value::String(text) => quote(out, text, Some(depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "{value}");
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Whether a name needs no quotes: letters, digits and a few signs that YAML reads as nothing but text.
fn is_plain(name: &str) -> bool {
    let last = name.chars().count().saturating_sub(1);
    let mut letters = name.chars().enumerate();
    let is_allowed = letters.all(|(at, letter)| {
        let is_inside = at > 0 && at < last;
        letter.is_alphanumeric() || letter == '_' || is_inside && "-./".contains(letter)
    });
    !name.is_empty() && is_allowed && !is_ambiguous(name)
}

/// Whether YAML may read the text as null, a boolean, a number or a date.
fn is_ambiguous(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "null", "true", "false", "y", "yes", "on", "n", "no", "off", "t", "f",
    ];
    let lower = text.to_lowercase();
    let number = lower.replace('_', "");
    let with_base = [("0x", 16), ("0o", 8), ("0b", 2)]
        .into_iter()
        .filter_map(|(prefix, base)| Some((number.strip_prefix(prefix)?, base)))
        .any(|(digits, base)| i64::from_str_radix(digits, base).is_ok());
    WORDS.contains(&lower.as_str()) || with_base || number.parse::<f64>().is_ok() || is_date(text)
}

/// `2026-1-2`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return false;
    };
    let number = |text: &str, longest: usize| {
        (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    year.len() == 4 && number(year, 4) && number(month, 2) && number(day, 2)
}

/// A quoted string. Where it stands at a depth, each of its lines has one of its own.
fn quote(out: &mut String, text: &str, depth: Option<usize>) {
    let lines = depth.filter(|_| text.contains('\n'));
    out.push('"');
    if lines.is_some() {
        out.push_str("\\\n");
    }
    let mut begins = lines.is_some();
    for letter in text.chars() {
        if let (true, Some(depth)) = (begins, lines) {
            indent(out, depth);
            // A line's own space counts only behind a backslash.
            let is_space = letter.is_whitespace() && letter != '\n';
            out.push(if is_space { '\\' } else { ' ' });
        }
        begins = false;
        match letter {
            '\n' if lines.is_some() => {
                out.push_str("\\n\\\n");
                begins = true;
            }
            '\t' if depth.is_some() => out.push('\t'),
            _ => escape(out, letter),
        }
    }
    if let Some(depth) = lines {
        if !begins {
            out.push_str("\\\n");
        }
        indent(out, depth);
    }
    out.push('"');
}

fn escape(out: &mut String, letter: char) {
    let short = match letter {
        '"' | '\\' => letter,
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ if letter.is_control() => {
            let _ = write!(out, "\\x{:02x}", u32::from(letter));
            return;
        }
        _ => {
            out.push(letter);
            return;
        }
    };
    out.extend(['\\', short]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::kyaml;

    #[test]
    fn strings_are_quoted_and_brackets_stand_together() {
        let object = json!({
            "kind": "Pod",
            "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "x", "no": "1", "1.5": ""}},
            "spec": {"containers": [{"name": "c", "args": ["-x", "7"]}, {"name": "d"}], "count": 3},
            "status": {},
        });
        let expected = r#"---
{
  kind: "Pod",
  metadata: {
    name: "a",
    labels: {
      app.kubernetes.io/name: "x",
      "no": "1",
      "1.5": "",
    },
  },
  spec: {
    containers: [{
      name: "c",
      args: [
        "-x",
        "7",
      ],
    }, {
      name: "d",
    }],
    count: 3,
  },
  status: {},
}
"#;
        assert_eq!(kyaml(&object), expected);
    }

    #[test]
    fn a_text_of_several_lines_has_a_line_for_each() {
        let printed = kyaml(&json!({"data": {"conf": "a \"b\"\n  c\n", "one": "x\ty"}}));
        let expected = "---\n{\n  data: {\n    conf: \"\\\n       a \\\"b\\\"\\n\\\n      \\  c\\n\\\n      \",\n    one: \"x\ty\",\n  },\n}\n";
        assert_eq!(printed, expected);
    }
}
