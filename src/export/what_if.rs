//! Answers to what-ifs in words: a sentence, a table and notes; also as Markdown.

use super::markdown;
use crate::words::gone_with_nodes;
use crate::words::what_if as words;
use berth_protocol::what_if::{Answer, Answered, Losses, Need, OfWorkload, Question};

/// Maximum number of rows that are printed; JSON has all.
pub const LISTED: usize = 50;

/// An answer in words: a sentence, a table, notes.
pub struct Told {
    pub sentence: String,
    pub headings: Vec<&'static str>,
    /// Which columns are numbers.
    pub numbers: Vec<bool>,
    pub rows: Vec<Vec<String>>,
    pub notes: Vec<String>,
}

/// What is said of an answer.
pub fn told(answered: &Answered) -> Told {
    match answered {
        Answered::Answer(answer) => of_answer(answer),
        Answered::Losses(losses) => of_losses(losses),
        Answered::Need(need) => of_need(need),
    }
}

fn of_answer(answer: &Answer) -> Told {
    let question = answer.question.as_ref();
    let is_shown = |row: &&OfWorkload| answer.lists(row);
    let (listed, others): (Vec<&OfWorkload>, Vec<&OfWorkload>) =
        answer.workloads.iter().partition(is_shown);
    let rows = listed.iter().map(|row| {
        let why = match row.waiting.most {
            0 => words::on_nodes(&row.nodes),
            _ => row.reason.clone(),
        };
        [
            row.workload.to_string(),
            row.again.to_string(),
            words::range(&row.placed),
            row.waiting_before.to_string(),
            words::range(&row.waiting),
            why,
        ]
    });
    let again = match question {
        Some(Question::Add { .. }) => None,
        Some(Question::Fit { .. }) => Some(words::MORE.get()),
        _ => Some(words::AGAIN.get()),
    };
    let headings = [
        words::WORKLOAD.get(),
        again.unwrap_or_default(),
        words::PLACED.get(),
        words::BEFORE.get(),
        words::WAIT.get(),
        words::WHY_OR_WHERE.get(),
    ];
    let is_column = |at: &usize| *at != 1 || again.is_some();
    let columns: Vec<usize> = (0..headings.len()).filter(is_column).collect();
    let rows = rows.map(|row| columns.iter().map(|at| row[*at].clone()).collect());
    let as_before = others.iter().map(|row| row.waiting.by_name).sum();
    let is_anew = question == Some(&Question::Anew);
    let notes = [
        words::skew(answer).filter(|_| is_anew),
        words::as_before(as_before),
        words::held(answer.held),
        (answer.gone > 0).then(|| gone_with_nodes(answer.gone)),
        words::moved(&answer.moved).filter(|_| !is_anew),
        words::orders(answer.orders),
    ];
    Told {
        sentence: words::sentence(answer),
        numbers: columns
            .iter()
            .map(|at| (1..headings.len() - 1).contains(at))
            .collect(),
        headings: columns.iter().map(|at| headings[*at]).collect(),
        rows: rows.collect(),
        notes: notes.into_iter().flatten().collect(),
    }
}

fn of_need(need: &Need) -> Told {
    let kinds = need.pools.iter().map(|of| (of, of.leaves.to_string()));
    let mixed = need.mix.iter().map(|of| (of, words::of_the_mix()));
    let pools = kinds.chain(mixed).map(|(of, leaves)| {
        vec![
            words::pool(&of.pool, &of.zone),
            of.like.clone(),
            of.nodes.to_string(),
            of.placed.to_string(),
            leaves,
            String::new(),
        ]
    });
    let unhelped = need.unhelped.iter().map(|of| {
        vec![
            of.workload.to_string(),
            String::new(),
            String::new(),
            String::new(),
            of.pods.to_string(),
            of.reason.clone(),
        ]
    });
    Told {
        sentence: words::need(need),
        headings: vec![
            words::POOL_OR_WORKLOAD.get(),
            words::LIKE.get(),
            words::NODES.get(),
            words::PLACED.get(),
            words::WAIT.get(),
            words::WHY_NONE_HELPS.get(),
        ],
        numbers: vec![false, false, true, true, true, false],
        rows: pools.chain(unhelped).collect(),
        notes: words::held(need.held).into_iter().collect(),
    }
}

fn of_losses(losses: &Losses) -> Told {
    let rows = losses.losses.iter().map(|loss| {
        let workloads = loss.workloads.iter();
        let workloads: Vec<String> = workloads
            .map(|more| format!("{} {}", more.pods, more.workload))
            .collect();
        let urgent = loss.urgent.as_ref();
        vec![
            loss.name.clone(),
            loss.nodes.to_string(),
            loss.again.to_string(),
            loss.waiting.to_string(),
            format!("+{}", loss.more),
            loss.lost.len().to_string(),
            urgent.map_or_else(String::new, |urgent| {
                format!("{} {}", urgent.pods, urgent.priority)
            }),
            shortened(workloads),
        ]
    });
    Told {
        sentence: words::losses(losses),
        headings: vec![
            words::LOST.get(),
            words::NODES.get(),
            words::AGAIN.get(),
            words::WAIT.get(),
            words::MORE.get(),
            words::FOR_GOOD.get(),
            words::PRIORITY.get(),
            words::MORE_WAIT_OF.get(),
        ],
        numbers: vec![false, true, true, true, true, true, false, false],
        rows: rows.collect(),
        notes: words::held(losses.held).into_iter().collect(),
    }
}

/// The first names of a list, and how many follow.
fn shortened(names: Vec<String>) -> String {
    const NAMED: usize = 3;
    let shown = names.iter().take(NAMED).map(String::as_str);
    let shown = shown.collect::<Vec<&str>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown}, +{more}"),
    }
}

impl Told {
    /// The answer as Markdown.
    pub fn markdown(&self) -> String {
        let mut lines = vec![markdown::inline(&self.sentence)];
        if !self.rows.is_empty() {
            let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
            let headings = self.headings.iter().map(|it| (*it).to_owned());
            let rules = self.numbers.iter().map(|is_number| match is_number {
                true => "--:".to_owned(),
                false => "---".to_owned(),
            });
            lines.extend([
                String::new(),
                line(headings.collect()),
                line(rules.collect()),
            ]);
            lines.extend(
                self.rows
                    .iter()
                    .take(LISTED)
                    .map(|row| line(row.iter().map(|text| markdown::cell(text)).collect())),
            );
        }
        for note in self.rest() {
            lines.extend([String::new(), markdown::inline(&note)]);
        }
        lines.join("\n") + "\n"
    }

    /// What follows the first [`LISTED`] rows.
    pub fn rest(&self) -> Vec<String> {
        let more = self.rows.len().saturating_sub(LISTED);
        let more = (more > 0).then(|| words::and_more(more));
        more.into_iter().chain(self.notes.iter().cloned()).collect()
    }
}
