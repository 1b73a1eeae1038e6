//! The smallest case of an attempt in words, and as Markdown for an issue.

use super::markdown::{block, inline, table};
use crate::report::Report;
use crate::scene::still::{Still, explained};
use crate::scene::view::View;
use crate::words::case as words;
use berth_protocol::reduce::ReducedCase;

/// What is said of a case.
pub struct Told {
    /// `60 nodes, 900 Pods → 3 nodes, 4 Pods, 26 lines`
    pub sizes: String,
    /// What it claims, as Explain says it of the attempt.
    pub claim: String,
    /// What its counterfactual changes.
    pub lands_after: Option<String>,
    /// What could not be done.
    pub lacks: Vec<String>,
}

/// What is said of a case.
pub fn told(case: &ReducedCase) -> Told {
    Told {
        sizes: words::sizes(case.from, case.to, case.text.lines().count()),
        claim: reported(case, |report| report.sentence()),
        lands_after: case.fix.as_ref().map(words::lands_after),
        lacks: case.lacks.iter().map(words::lacks).collect(),
    }
}

/// The case for an issue: what it claims, the scheduler's message, the verdicts, the file in a fenced block. `link`: an
/// address that opens it.
pub fn markdown(case: &ReducedCase, link: Option<&str>) -> String {
    let Told {
        sizes,
        claim,
        lands_after,
        lacks: _,
    } = told(case);
    let message = case.cycle.message.as_ref();
    let link = link.map(|link| format!("[{}]({link})", words::OPEN_IN_BERTH));
    let parts = [
        Some(inline(&claim)),
        message.map(|message| format!("> {}", inline(message))),
        Some(reported(case, table)),
        lands_after.as_deref().map(inline),
        Some(sizes),
        Some(block("yaml", &case.text)),
        link,
    ];
    let parts = parts.into_iter().flatten();
    let parts: Vec<String> = parts
        .map(|part| part.trim_end().to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n\n") + "\n"
}

/// What the report of the case's attempt says.
fn reported(case: &ReducedCase, tell: impl Fn(&Report) -> String) -> String {
    // Its release is a field of the case.
    let view = View::of(case.frame.clone(), "");
    let attempt = explained(case.position, true, None, Ok(case.cycle.clone()));
    let still = Still::new(view, Some(attempt), None);
    let moment = still.moment();
    let report = Report::of(&moment, &[]);
    report.map(|report| tell(&report)).unwrap_or_default()
}
