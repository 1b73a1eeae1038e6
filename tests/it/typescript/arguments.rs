//! The types of what tools take, from their table.

use serde_json::{Map, Value};

use super::text::{in_comment, interface};

/// An interface for each tool of programs.
pub fn declared(table: &str) -> Vec<String> {
    let table: Value = serde_json::from_str(table).expect("JSON");
    let tools = table["tools"].as_array().expect("a list").iter();
    let tools = tools.filter(|tool| tool["caller"] != "agent");
    let texts = tools.map(|tool| {
        let name = pascal(tool["name"].as_str().expect("a name"));
        let required = tool["required"].as_array().expect("a list");
        let of_runs = (tool["command"] != "check").then_some(&table["ofRuns"]);
        let groups = [Some(&tool["arguments"]), Some(&table["shared"]), of_runs];
        let fields = groups.into_iter().flatten().map(|group| {
            let group = group.as_object().expect("arguments");
            fields(group, required)
        });
        let about = [format!(
            "The arguments of `{}`.",
            tool["name"].as_str().unwrap_or_default()
        )];
        interface(
            &about,
            &format!("{name}Arguments"),
            &fields.collect::<String>(),
        )
    });
    texts.collect()
}

fn fields(arguments: &Map<String, Value>, required: &[Value]) -> String {
    let lines = arguments.iter().map(|(name, schema)| {
        let about: Vec<String> = schema["description"]
            .as_str()
            .map(str::to_owned)
            .into_iter()
            .collect();
        let mark = match required.iter().any(|it| it == name) {
            true => "",
            false => "?",
        };
        format!(
            "{}    {name}{mark}: {};\n",
            in_comment("    ", &about),
            of(schema)
        )
    });
    lines.collect()
}

fn of(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return values.join(" | ");
    }
    match schema["type"].as_str().expect("a type") {
        "integer" => "number".to_owned(),
        "array" => format!("{}[]", of(&schema["items"])),
        "object" => format!("Record<string, {}>", of(&schema["additionalProperties"])),
        same => same.to_owned(),
    }
}

/// `what-if` as `WhatIf`.
fn pascal(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    words.collect()
}
