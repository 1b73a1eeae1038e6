//! `-o junit`: a test case for each file, Pod, expectation, lesson or block, as most CI systems read it.

use std::io::{self, Write};

use super::{Case, Finding, Findings};

pub fn write(findings: &Findings, command: &str, out: &mut dyn Write) -> io::Result<()> {
    let (all, failed) = (findings.cases.len(), findings.failed());
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites name="berth {command}" tests="{all}" failures="{failed}" errors="0">"#
    )?;
    writeln!(
        out,
        r#"  <testsuite name="berth {command}" tests="{all}" failures="{failed}" errors="0" skipped="0">"#
    )?;
    for case in &findings.cases {
        one(case, out)?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn one(case: &Case, out: &mut dyn Write) -> io::Result<()> {
    let head = format!(
        r#"    <testcase classname="{}" name="{}""#,
        case.kind,
        escaped(&case.name)
    );
    let line = |finding: &Finding| format!("{}: {}", finding.place.short(), finding.message);
    let lines = |fails: bool| {
        let chosen = case
            .findings
            .iter()
            .filter(|it| it.rule.is_failure() == fails);
        chosen.map(line).collect::<Vec<String>>().join("\n")
    };
    let failures = lines(true);
    let warnings = lines(false);
    if failures.is_empty() && warnings.is_empty() {
        return writeln!(out, "{head}/>");
    }
    writeln!(out, "{head}>")?;
    if let Some(first) = case.findings.iter().find(|it| it.rule.is_failure()) {
        let (kind, message) = (first.rule.id(), escaped(&first.message));
        writeln!(
            out,
            r#"      <failure type="{kind}" message="{message}">{}</failure>"#,
            escaped(&failures)
        )?;
    }
    if !warnings.is_empty() {
        writeln!(out, "      <system-out>{}</system-out>", escaped(&warnings))?;
    }
    writeln!(out, "    </testcase>")
}

/// Text for elements and attributes; characters that XML 1.0 cannot hold become U+FFFD.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(letter),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            letter if letter.is_control() => safe.push('\u{fffd}'),
            letter => safe.push(letter),
        }
    }
    safe
}
