//! `-o sarif`: SARIF 2.1.0, for code scanning.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Finding, Findings, Level, Rule};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub fn write(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    let rules = Rule::ALL.map(|rule| {
        json!({
            "id": rule.id(),
            "shortDescription": {"text": rule.meaning()},
            "defaultConfiguration": {"level": level(rule)},
        })
    });
    let results: Vec<Value> = findings.all().map(result).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "berth", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn level(rule: Rule) -> &'static str {
    match rule.level() {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

fn result(finding: &Finding) -> Value {
    let mut result = json!({
        "ruleId": finding.rule.id(),
        "level": level(finding.rule),
        "message": {"text": finding.message},
    });
    let place = &finding.place;
    if !place.file.is_empty() {
        let mut physical = json!({"artifactLocation": {"uri": uri(&place.file)}});
        if place.line > 0 {
            physical["region"] = match place.column {
                0 => json!({"startLine": place.line}),
                column => json!({"startLine": place.line, "startColumn": column}),
            };
        }
        result["locations"] = json!([{"physicalLocation": physical}]);
    }
    result
}

/// A file's name as a relative reference of RFC 3986: everything but unreserved characters and `/` is encoded, so that
/// `https:` or `..` in a name remain a name.
fn uri(file: &str) -> String {
    let mut uri = String::with_capacity(file.len());
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
