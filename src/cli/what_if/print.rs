//! Answers as a table and as Markdown.

use std::io::{self, Write};

use berth_protocol::what_if::{Answer, Losses, Need, OfWorkload, Question};
use berth_session::Printable;

use super::Shown;
use crate::cli::table::{Cell, Table};
use crate::cli::terminal::{Style, Terminal};
use crate::words::gone_with_nodes;
use crate::words::what_if as words;

/// Maximum number of rows of a table; JSON has all.
const LISTED: usize = 50;

/// An answer in words: a sentence, a table, notes.
pub struct Told {
    sentence: String,
    headings: Vec<&'static str>,
    /// Which columns are numbers.
    numbers: Vec<bool>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// What is said of an answer.
pub fn told(shown: &Shown<'_>) -> Told {
    match shown {
        Shown::Answer(answer) => of_answer(answer),
        Shown::Losses(losses) => of_losses(losses),
        Shown::Need(need) => of_need(need),
    }
}

fn of_answer(answer: &Answer) -> Told {
    let question = answer.question.as_ref();
    let is_shown = |row: &&OfWorkload| is_listed(question, row);
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
        Some(Question::Fit { .. }) => Some("MORE"),
        _ => Some("AGAIN"),
    };
    let headings = [
        "WORKLOAD",
        again.unwrap_or_default(),
        "PLACED",
        "BEFORE",
        "WAIT",
        "WHY, OR WHERE",
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

/// Whether a table has a row for the workload: the change concerns it. Of new nodes it is said why they do not help;
/// placed anew, most workloads are concerned.
pub fn is_listed(question: Option<&Question>, row: &OfWorkload) -> bool {
    let changes = row.waiting.most != row.waiting_before || !row.waiting.is_one();
    match question {
        Some(Question::Add { .. }) => changes || row.waiting.most > 0,
        Some(Question::Anew) => changes,
        _ => changes || row.again > 0,
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
            "POOL, OR WORKLOAD",
            "LIKE",
            "NODES",
            "PLACED",
            "WAIT",
            "WHY NONE HELPS",
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
            "LOST",
            "NODES",
            "AGAIN",
            "WAIT",
            "MORE",
            "FOR GOOD",
            "PRIORITY",
            "MORE WAIT OF",
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
    /// Writes the sentence and the table.
    pub fn table(&self, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
        let sentence = Printable(&self.sentence).to_string();
        writeln!(out, "{}", terminal.paint(Style::Bold, &sentence))?;
        if !self.rows.is_empty() {
            writeln!(out)?;
            let mut table = Table::new(self.headings.iter().copied());
            for row in self.rows.iter().take(LISTED) {
                let cells = row.iter().zip(&self.numbers);
                let cells = cells.map(|(text, is_number)| match is_number {
                    true => Cell::new(text).right(),
                    false => Cell::new(text),
                });
                table.push(cells.collect());
            }
            table.write(terminal, out)?;
        }
        self.write_rest(out)
    }

    /// Writes the same as Markdown.
    pub fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", Printable(&self.sentence))?;
        if !self.rows.is_empty() {
            let line = |cells: &mut dyn Iterator<Item = String>| {
                let cells: Vec<String> = cells.collect();
                format!("| {} |", cells.join(" | "))
            };
            let mut headings = self.headings.iter().map(|it| (*it).to_owned());
            let mut rules = self.numbers.iter().map(|is_number| match is_number {
                true => "--:".to_owned(),
                false => "---".to_owned(),
            });
            writeln!(out, "\n{}\n{}", line(&mut headings), line(&mut rules))?;
            for row in self.rows.iter().take(LISTED) {
                let mut cells = row
                    .iter()
                    .map(|text| Printable(text).to_string().replace('|', "\\|"));
                writeln!(out, "{}", line(&mut cells))?;
            }
        }
        self.write_rest(out)
    }

    fn write_rest(&self, out: &mut dyn Write) -> io::Result<()> {
        let more = self.rows.len().saturating_sub(LISTED);
        if more > 0 {
            writeln!(out, "\nand {more} more (-o json lists all)")?;
        }
        for note in &self.notes {
            writeln!(out, "\n{}", Printable(note))?;
        }
        Ok(())
    }
}
