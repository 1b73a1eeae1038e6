//! The smallest case of an attempt in words, and as Markdown for an issue.

use super::markdown::{block, inline, table};
use crate::report::Report;
use crate::scene::still::{Still, explained};
use crate::scene::view::View;
use crate::words::case as words;
use berth_protocol::compare::Which;
use berth_protocol::reduce::{ReducedCase, ToldAttempt};

/// What is said of a case.
pub struct Told {
    /// `60 nodes, 900 Pods → 3 nodes, 4 Pods, 26 lines`
    pub sizes: String,
    /// What it claims, as Explain says it of the attempt.
    pub claim: String,
    /// What comes of the Pod in the second run, if the case has one.
    pub otherwise: Option<String>,
    /// What its counterfactual changes.
    pub lands_after: Option<String>,
    /// What could not be done.
    pub lacks: Vec<String>,
}

/// What is said of a case.
pub fn told(case: &ReducedCase) -> Told {
    let other = case.other.as_ref();
    let comes_to = |which, attempt| {
        let sentence = reported(attempt, |report| report.sentence());
        match other {
            Some(other) => words::in_run(&other.differs_by, which, &sentence),
            None => sentence,
        }
    };
    Told {
        sizes: words::sizes(case.from, case.to, case.text.lines().count()),
        claim: comes_to(Which::A, &case.attempt),
        otherwise: other.map(|other| comes_to(Which::B, &other.attempt)),
        lands_after: case.fix.as_ref().map(words::lands_after),
        lacks: case.lacks.iter().map(words::lacks).collect(),
    }
}

/// The case for an issue: what each of its runs comes to, with the scheduler's message and the verdicts; the file in a
/// fenced block. `link`: an address that opens it.
pub fn markdown(case: &ReducedCase, link: Option<&str>) -> String {
    let Told {
        sizes,
        claim,
        otherwise,
        lands_after,
        lacks: _,
    } = told(case);
    let other = case.other.as_ref().map(|other| &other.attempt);
    let other = otherwise.as_deref().zip(other);
    let link = link.map(|link| format!("[{}]({link})", words::OPEN_IN_BERTH));
    let text = paragraphs([
        Some(run(&claim, &case.attempt)),
        other.map(|(otherwise, attempt)| run(otherwise, attempt)),
        lands_after.as_deref().map(inline),
        Some(sizes),
        Some(block("yaml", &case.text)),
        link,
    ]);
    text + "\n"
}

/// What an attempt comes to, the scheduler's message, the verdicts.
fn run(sentence: &str, attempt: &ToldAttempt) -> String {
    let message = attempt.cycle.message.as_ref();
    paragraphs([
        Some(inline(sentence)),
        message.map(|message| format!("> {}", inline(message))),
        Some(reported(attempt, table)),
    ])
}

fn paragraphs<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts = parts.into_iter().flatten();
    let parts: Vec<String> = parts
        .map(|part| part.trim_end().to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n\n")
}

/// What the report of an attempt says.
fn reported(attempt: &ToldAttempt, tell: impl Fn(&Report) -> String) -> String {
    // Its release is a field of the case.
    let view = View::of(attempt.frame.clone(), "");
    let attempt = explained(attempt.position, true, None, Ok(attempt.cycle.clone()));
    let still = Still::new(view, Some(attempt), None);
    let moment = still.moment();
    let report = Report::of(&moment, &[]);
    report.map(|report| tell(&report)).unwrap_or_default()
}
