//! Answers to what-ifs in words: a sentence, a table and notes; also as Markdown.

mod evictions;

use super::markdown;
use crate::words::language::{Text, comma};
use crate::words::what_if as words;
use crate::words::{clock, gone_with_nodes};
use std::collections::BTreeSet;

use berth_protocol::what_if::{Answer, Answered, Drains, Losses, Need, OfWorkload, Question};

/// Maximum number of rows that are printed; JSON has all.
pub const LISTED: usize = 50;

/// An answer in words: a sentence, tables, notes.
pub struct Told {
    pub sentence: String,
    /// Each has rows.
    pub tables: Vec<Listing>,
    pub notes: Vec<String>,
}

/// A table.
pub struct Listing {
    pub headings: Vec<&'static str>,
    /// Which columns are numbers.
    pub numbers: Vec<bool>,
    pub rows: Vec<Vec<String>>,
}

/// What a column has.
const NUMBER: bool = true;
const TEXT: bool = false;

impl Listing {
    /// `columns`: each column's heading, and whether it has numbers.
    fn of<const N: usize>(
        columns: [(Text, bool); N],
        rows: impl Iterator<Item = Vec<String>>,
    ) -> Self {
        let (headings, numbers) = columns
            .map(|(text, is_number)| (text.get(), is_number))
            .into_iter()
            .unzip();
        Self {
            headings,
            numbers,
            rows: rows.collect(),
        }
    }
}

/// What is said of an answer.
pub fn told(answered: &Answered) -> Told {
    let mut told = match answered {
        Answered::Answer(answer) => of_answer(answer),
        Answered::Losses(losses) => of_losses(losses),
        Answered::Need(need) => of_need(need),
    };
    told.tables.retain(|table| !table.rows.is_empty());
    told
}

fn of_answer(answer: &Answer) -> Told {
    let question = answer.question.as_ref();
    let is_shown = |row: &&OfWorkload| answer.lists(row);
    let (listed, others): (Vec<&OfWorkload>, Vec<&OfWorkload>) =
        answer.workloads.iter().partition(is_shown);
    let as_before = others.iter().map(|row| row.waiting.by_name).sum();
    let is_anew = question == Some(&Question::Anew);
    let drains = answer.drains.as_deref();
    let evictions = answer.evictions.as_deref();
    let unmade = drains.map(|it| &it.unmade);
    let unmade = unmade.or(evictions.map(|it| &it.unmade));
    let has_time = drains.is_some() || evictions.is_some();
    let mut notes = evictions.map(evictions::notes).unwrap_or_default();
    let common = [
        words::skew(answer).filter(|_| is_anew),
        words::as_before(as_before),
        words::held(answer.held),
        (answer.gone > 0).then(|| gone_with_nodes(answer.gone)),
        words::moved(&answer.moved).filter(|_| !is_anew),
        unmade.and_then(|pods| words::drains::unmade(pods)),
        words::orders(answer.orders),
        has_time.then(words::drains::assumed),
    ];
    notes.extend(common.into_iter().flatten());
    let tables = [
        drains.map(timeline),
        evictions.map(evictions::evicted),
        Some(workloads(question, &listed)),
        drains.map(blocked),
        evictions.map(evictions::refused),
        evictions.map(evictions::nodes),
    ];
    Told {
        sentence: words::sentence(answer),
        tables: tables.into_iter().flatten().collect(),
        notes,
    }
}

/// The workloads that the change concerns.
fn workloads(question: Option<&Question>, listed: &[&OfWorkload]) -> Listing {
    let rows = listed.iter().map(|row| {
        let why = match row.waiting.most {
            0 if row.placed.most == 0 && row.waiting_before > 0 => words::WAITS_NO_MORE.to_string(),
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
    Listing {
        numbers: columns
            .iter()
            .map(|at| (1..headings.len() - 1).contains(at))
            .collect(),
        headings: columns.iter().map(|at| headings[*at]).collect(),
        rows: rows.collect(),
    }
}

/// The nodes in the order in which they were drained, then those that may not go.
fn timeline(drains: &Drains) -> Listing {
    let time = |seconds: i64| clock(seconds.saturating_mul(1_000));
    let drained = drains.nodes.iter().map(|it| {
        vec![
            it.batch.to_string(),
            it.node.clone(),
            time(it.from),
            time(it.until),
            it.evicted.to_string(),
            words::drains::outcome(it, drains),
        ]
    });
    let kept = drains.kept.iter().map(|it| {
        let [batch, from, until, evicted] = [const { String::new() }; 4];
        let why = words::drains::why_kept(it);
        vec![batch, it.node.clone(), from, until, evicted, why]
    });
    Listing::of(
        [
            (words::BATCH, NUMBER),
            (words::NODE, TEXT),
            (words::FROM, NUMBER),
            (words::UNTIL, NUMBER),
            (words::EVICTED, NUMBER),
            (words::OUTCOME, TEXT),
        ],
        drained.chain(kept),
    )
}

/// The Pods that cannot be evicted.
fn blocked(drains: &Drains) -> Listing {
    let rows = drains.blocked.iter().map(|it| {
        vec![
            it.pod.clone(),
            it.node.clone(),
            it.budgets.join(comma()),
            clock(it.since.saturating_mul(1_000)),
            words::drains::why_blocked(it),
        ]
    });
    Listing::of(
        [
            (words::BLOCKED, TEXT),
            (words::NODE, TEXT),
            (words::BUDGET, TEXT),
            (words::SINCE, NUMBER),
            (words::WHY, TEXT),
        ],
        rows,
    )
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
    let table = Listing::of(
        [
            (words::POOL_OR_WORKLOAD, TEXT),
            (words::LIKE, TEXT),
            (words::NODES, NUMBER),
            (words::PLACED, NUMBER),
            (words::WAIT, NUMBER),
            (words::WHY_NONE_HELPS, TEXT),
        ],
        pools.chain(unhelped),
    );
    Told {
        sentence: words::need(need),
        tables: vec![table],
        notes: words::held(need.held).into_iter().collect(),
    }
}

fn of_losses(losses: &Losses) -> Told {
    let are_drains = losses.losses.iter().any(|loss| loss.drains.is_some());
    let rows = losses.losses.iter().map(|loss| {
        let workloads = loss.workloads.iter();
        let workloads: Vec<String> = workloads
            .map(|more| format!("{} {}", more.pods, more.workload))
            .collect();
        let urgent = loss.urgent.as_ref();
        let mut row = vec![
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
        ];
        if let Some(drains) = &loss.drains {
            row.push(clock(drains.seconds.saturating_mul(1_000)));
            row.push(blocked_by(drains));
        }
        row
    });
    let lost = match are_drains {
        true => words::DRAINED,
        false => words::LOST,
    };
    let mut table = Listing::of(
        [
            (lost, TEXT),
            (words::NODES, NUMBER),
            (words::AGAIN, NUMBER),
            (words::WAIT, NUMBER),
            (words::MORE, NUMBER),
            (words::FOR_GOOD, NUMBER),
            (words::PRIORITY, TEXT),
            (words::MORE_WAIT_OF, TEXT),
        ],
        rows,
    );
    if are_drains {
        table
            .headings
            .extend([words::TIME.get(), words::BLOCKED_BY.get()]);
        table.numbers.extend([true, false]);
    }
    Told {
        sentence: match are_drains {
            true => words::drains::each(losses),
            false => words::losses(losses),
        },
        tables: vec![table],
        notes: words::held(losses.held).into_iter().collect(),
    }
}

/// The budgets of the Pods that block; of Pods without one, the Pods.
fn blocked_by(drains: &Drains) -> String {
    let names = drains
        .blocked
        .iter()
        .map(|pod| match pod.budgets.as_slice() {
            [] => pod.pod.clone(),
            budgets => budgets.join(comma()),
        });
    let names: BTreeSet<String> = names.collect();
    shortened(names.into_iter().collect())
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
        let sentence = [markdown::inline(&self.sentence)];
        let tables = self.tables.iter().map(Listing::markdown);
        let notes = self.notes.iter().map(|note| markdown::inline(note));
        let parts: Vec<String> = sentence.into_iter().chain(tables).chain(notes).collect();
        parts.join("\n\n") + "\n"
    }
}

impl Listing {
    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let headings = self.headings.iter().map(|it| (*it).to_owned());
        let rules = self.numbers.iter().map(|is_number| match is_number {
            true => "--:".to_owned(),
            false => "---".to_owned(),
        });
        let rows = self.rows.iter().take(LISTED);
        let rows = rows.map(|row| line(row.iter().map(|text| markdown::cell(text)).collect()));
        let head = [line(headings.collect()), line(rules.collect())];
        let table: Vec<String> = head.into_iter().chain(rows).collect();
        let rest = self.rest().map(|rest| format!("\n\n{rest}"));
        table.join("\n") + &rest.unwrap_or_default()
    }

    /// What is said of the rows behind the first [`LISTED`].
    pub fn rest(&self) -> Option<String> {
        let more = self.rows.len().saturating_sub(LISTED);
        (more > 0).then(|| words::and_more(more))
    }
}
