//! `-o markdown`: a summary for a comment or a job's page.

use std::io::{self, Write};

use crate::export::markdown::code;

use super::{Case, Findings};

/// Findings of one case that are listed; the others are counted.
const LISTED: usize = 20;

pub fn write(findings: &Findings, command: &str, out: &mut dyn Write) -> io::Result<()> {
    let (all, failed) = (findings.cases.len(), findings.failed());
    let sign = match failed {
        0 => "✓",
        _ => "✗",
    };
    writeln!(
        out,
        "**{sign} berth {command}**: {} of {all} pass",
        all - failed
    )?;
    for case in findings
        .cases
        .iter()
        .filter(|case| !case.findings.is_empty())
    {
        one(case, out)?;
    }
    Ok(())
}

fn one(case: &Case, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{} {}\n", case.kind, code(&case.name))?;
    for finding in case.findings.iter().take(LISTED) {
        let place = match finding.place.file.is_empty() {
            true => String::new(),
            false => format!("{}: ", code(&finding.place.short())),
        };
        writeln!(
            out,
            "- {}: {place}{}",
            finding.rule.id(),
            code(&finding.message)
        )?;
    }
    match case.findings.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "- … {more} more"),
    }
}
