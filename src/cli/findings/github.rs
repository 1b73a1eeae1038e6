//! `-o github`: workflow commands, which GitHub shows at the lines of a pull request.

use std::io::{self, Write};

use super::{Findings, Level};

pub fn write(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    for finding in findings.all() {
        let command = match finding.rule.level() {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let mut properties = vec![format!("title=berth: {}", finding.rule.id())];
        if !finding.place.file.is_empty() {
            properties.insert(0, format!("file={}", property(&finding.place.file)));
        }
        for (name, number) in [("line", finding.place.line), ("col", finding.place.column)] {
            if number > 0 {
                properties.push(format!("{name}={number}"));
            }
        }
        let message = data(&finding.message);
        writeln!(out, "::{command} {}::{message}", properties.join(","))?;
    }
    Ok(())
}

/// Text after the second `::`: without these escapes, a line of its own would be another command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
