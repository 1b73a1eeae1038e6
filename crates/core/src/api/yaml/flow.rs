//! Writes JSON values as YAML in few lines: what fits on a line is in flow style.

use serde_json::Value;

use super::parse;

/// Maximum number of columns of a line in flow style.
const WIDTH: usize = 100;

/// A value as a YAML document without `---`, on as few lines as have at most 100 columns.
pub fn flow(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, 0, &mut out);
    out
}

/// The same with each field of an object on a line of its own.
pub fn flow_fields(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, WIDTH, &mut out);
    out
}

/// Writes a value at an indentation, after `column` columns of its line.
fn block(value: &Value, indent: usize, column: usize, out: &mut String) {
    let line = on_a_line(value);
    let is_leaf = match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => true,
    };
    if is_leaf || column + line.chars().count() <= WIDTH {
        out.push_str(&line);
        out.push('\n');
        return;
    }
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                begin(index, indent, out);
                out.push_str("- ");
                block(item, indent + 2, indent + 2, out);
            }
        }
        Value::Object(map) => {
            for (index, (key, value)) in map.iter().enumerate() {
                begin(index, indent, out);
                let key = text(key);
                out.push_str(&key);
                out.push(':');
                let column = indent + key.chars().count() + 2;
                let fits = column + on_a_line(value).chars().count() <= WIDTH;
                match value {
                    Value::Array(items) if !fits && !items.is_empty() => {
                        next_line(indent, out);
                        block(value, indent, WIDTH, out);
                    }
                    Value::Object(map) if !fits && !map.is_empty() => {
                        next_line(indent + 2, out);
                        block(value, indent + 2, WIDTH, out);
                    }
                    _ => {
                        out.push(' ');
                        block(value, indent, column, out);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The first entry is on the line of what holds it.
fn begin(index: usize, indent: usize, out: &mut String) {
    if index > 0 {
        out.push_str(&" ".repeat(indent));
    }
}

fn next_line(indent: usize, out: &mut String) {
    out.push('\n');
    out.push_str(&" ".repeat(indent));
}

fn on_a_line(value: &Value) -> String {
    match value {
        Value::String(it) => text(it),
        Value::Array(items) => {
            let items = items.iter().map(on_a_line);
            format!("[{}]", items.collect::<Vec<String>>().join(", "))
        }
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| format!("{}: {}", text(key), on_a_line(value)));
            format!("{{{}}}", entries.collect::<Vec<String>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A text, quoted unless it is plain in flow style.
fn text(it: &str) -> String {
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || "_-./ ()".contains(letter);
    let begins_plain = it.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    let is_plain = begins_plain && !it.ends_with(' ') && it.chars().all(is_safe);
    match is_plain && parse(it).is_ok_and(|parsed| parsed.value.is_string()) {
        true => it.to_owned(),
        false if it.chars().any(char::is_control) => Value::from(it).to_string(),
        false => format!("'{}'", it.replace('\'', "''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::flow;
    use crate::api::yaml::parse;

    #[test]
    fn what_fits_is_on_one_line() {
        let node = json!({"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4"}}});
        assert_eq!(
            flow(&node),
            "{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4'}}}\n"
        );
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let long = "x".repeat(120);
        for value in [
            json!({"a": {"b": [1, 2, {"c": long}], "d": {}}, "e": [], "f": "yes", "g": "1e3"}),
            json!({"a: b": "c: d, {e}", "f": "'", "g": "a\nb", "h": "", "i": "- x", "j": null, "k": "é"}),
            json!([{"a": long, "b": [[long, "2"], ["3"]]}]),
            json!({"reason": "node(s) had untolerated taint {a: b}", "very": {"deeply": {"nested": long}}}),
        ] {
            let text = flow(&value);
            assert_eq!(parse(&text).unwrap().value, value, "{text}");
        }
    }
}
