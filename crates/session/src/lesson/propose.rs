//! Proposes the goals of a lesson: expectations that hold after some steps and did not hold at the start.
//!
//! Start and steps are played with several seeds. An expectation is proposed only if it holds with each of them, so
//! that no tie decides a goal.

mod fields;
mod pods;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use berth_core::api::scenario::Expectation;
use berth_core::api::yaml;
use berth_protocol::draft::{Draft, DraftStart, DraftStep, Meaning, Proposal};
use berth_protocol::rule::Broken;

use super::{Lesson, SEEDS, draft};
use crate::lesson::rules;
use crate::session::{Options, Session};
use crate::{expectations, lesson};

/// Maximum number of proposals.
const MOST: usize = 24;

/// An expectation that may be proposed.
struct Candidate {
    value: Value,
    meaning: Meaning,
    /// It says what can be seen of Pods and nodes, not what was written.
    of_state: bool,
    /// Never part of the smallest set: it adds to another candidate.
    adds: bool,
}

impl Candidate {
    fn new(value: Value, meaning: Meaning) -> Self {
        Self {
            value,
            meaning,
            of_state: true,
            adds: false,
        }
    }

    fn adding(self) -> Self {
        Self { adds: true, ..self }
    }
}

/// The same moment with each seed.
struct Seen(Vec<Session>);

impl Seen {
    /// The start, or the state after these steps.
    fn played(start: &DraftStart, path: &str, steps: &[DraftStep]) -> Result<Self, Broken> {
        let sessions = SEEDS.iter().map(|&seed| {
            let mut session = Session::new(Options {
                seed,
                ..Options::default()
            });
            let begun = lesson::begin(&mut session, &Lesson::of_start(start).into());
            begun.map_err(|why| Broken::NoStart { why })?;
            let steps: Vec<_> = steps.iter().map(draft::step).collect();
            rules::perform_steps(&mut session, path, &steps)?;
            Ok(session)
        });
        Ok(Self(sessions.collect::<Result<_, Broken>>()?))
    }

    /// The start, with the first seed.
    fn first_played(start: &DraftStart) -> Option<Session> {
        let mut session = Session::new(Options::default());
        let begun = lesson::begin(&mut session, &Lesson::of_start(start).into());
        begun.ok().map(|()| session)
    }

    /// With the first seed.
    fn first(&self) -> Option<&Session> {
        self.0.first()
    }

    /// Whether an expectation holds with each seed.
    fn all(&self, expectation: &Expectation) -> bool {
        self.0.iter().all(|session| holds(session, expectation))
    }

    /// Whether it holds with one of them.
    fn any(&self, expectation: &Expectation) -> bool {
        self.0.iter().any(|session| holds(session, expectation))
    }
}

fn holds(session: &Session, expectation: &Expectation) -> bool {
    let outcomes = expectations::check(session, std::slice::from_ref(expectation));
    outcomes.iter().all(|outcome| outcome.met)
}

/// Expectations that hold after these steps and not at the start of the draft, the smallest sensible set first.
/// `wrong`: nor after the solution.
///
/// # Errors
/// If the start or a step fails.
pub fn propose(draft: &Draft, steps: &[DraftStep], wrong: bool) -> Result<Vec<Proposal>, Broken> {
    let start = draft.start.clone().unwrap_or_default();
    let path = match wrong {
        true => format!("wrong[{}].steps", draft.wrong.len()),
        false => "solution".to_owned(),
    };
    let before = Seen::played(&start, &path, &[])?;
    let after = Seen::played(&start, &path, steps)?;
    let right = match wrong {
        true => Some(Seen::played(&start, "solution", &draft.solution)?),
        false => None,
    };
    let mut proposals = Vec::new();
    let mut known = BTreeSet::new();
    for candidate in candidates(&start, &before, &after) {
        let text = yaml::emit(&candidate.value).trim_end().to_owned();
        let Some(expectation) = draft::expectation(&text) else {
            continue;
        };
        // Lower bounds follow from the highest, which comes first.
        let key = match &candidate.meaning {
            Meaning::NeverBelow { pods, .. } => format!("neverBelow {pods}"),
            _ => text.clone(),
        };
        if known.contains(&key) || !after.all(&expectation) {
            continue;
        }
        known.insert(key);
        let is_new = !before.any(&expectation);
        let tells = match &right {
            None => is_new,
            Some(right) => is_new && !right.any(&expectation),
        };
        // A wrong answer is recognised by what it differs in, and by nothing else.
        if wrong && !tells {
            continue;
        }
        let main = tells && !candidate.adds;
        proposals.push((
            candidate.of_state,
            Proposal {
                text,
                meaning: candidate.meaning,
                main,
            },
        ));
    }
    Ok(chosen(proposals, wrong))
}

/// Keeps of the smallest set what is seen of the state, or, of a wrong answer, what was written.
fn chosen(proposals: Vec<(bool, Proposal)>, wrong: bool) -> Vec<Proposal> {
    let wanted = |of_state: bool| of_state != wrong;
    let is_main = |(of_state, it): &(bool, Proposal)| it.main && wanted(*of_state);
    let has_wanted = proposals.iter().any(is_main);
    let mut all: Vec<Proposal> = proposals
        .into_iter()
        .map(|(of_state, proposal)| Proposal {
            main: proposal.main && (wanted(of_state) || !has_wanted),
            ..proposal
        })
        .collect();
    all.sort_by_key(|proposal| !proposal.main);
    all.truncate(MOST);
    all
}

fn candidates(draft: &DraftStart, before: &Seen, after: &Seen) -> Vec<Candidate> {
    let (Some(start), Some(end)) = (before.first(), after.first()) else {
        return Vec::new();
    };
    let mut candidates = pods::candidates(start, &after.0);
    candidates.extend(nodes(start, end));
    // A simulated API server fills in fields: what it holds is compared with what it held.
    if end.is_simulated() && !start.is_simulated() {
        let live = DraftStart {
            live: true,
            ..draft.clone()
        };
        let live = Seen::first_played(&live);
        candidates.extend(live.iter().flat_map(|start| fields::candidates(start, end)));
    } else {
        candidates.extend(fields::candidates(start, end));
    }
    candidates
}

/// Nodes that were emptied.
fn nodes(start: &Session, end: &Session) -> Vec<Candidate> {
    let is = |session: &Session, node: &str, field: &str| {
        let text = yaml::emit(&json!({"node": node, field: true}));
        draft::expectation(&text).is_some_and(|it| holds(session, &it))
    };
    let names = end
        .run()
        .cluster()
        .nodes()
        .map(|node| node.name.to_string());
    let names: Vec<String> = names.collect();
    let were_used = |node: &&String| {
        let had = start.run().cluster().find_node(node).is_some();
        had && !is(start, node, "empty")
    };
    let emptied = names.iter().filter(|node| is(end, node, "empty"));
    let emptied: Vec<String> = emptied.filter(were_used).cloned().collect();
    if emptied.is_empty() {
        return Vec::new();
    }
    if emptied.iter().all(|node| is(end, node, "drained")) {
        let value = json!({"nodes": emptied, "drained": true});
        return vec![Candidate::new(value, Meaning::Drained { nodes: emptied })];
    }
    let count = names.iter().filter(|node| is(end, node, "empty")).count();
    let some = json!({"empty": true, "count": {"min": count}});
    let these = json!({"nodes": emptied, "empty": true});
    vec![
        Candidate::new(some, Meaning::Empty { count }),
        Candidate::new(these, Meaning::TheseEmpty { nodes: emptied }).adding(),
    ]
}

#[cfg(test)]
mod tests;
