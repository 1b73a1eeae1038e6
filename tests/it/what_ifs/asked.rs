//! The questions of `berth what-if`, asked of the same dumps: every answer is the recorded one.

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::what_if::{Answer, OfWorkload};
use berth_session::what_if::Asked;
use berth_session::{Session, variant, what_if};
use serde_json::Value;

use super::{cases, is_asked, opened_with, variants};

/// Asks a question in the order of names; `None` if it is no question of this kind.
fn ask(session: &Session, question: &str) -> Option<Asked> {
    let words: Vec<&str> = question.split(' ').collect();
    let asked = match words.as_slice() {
        ["lose", node] => {
            what_if::ask_loss(session, BTreeSet::from([(*node).to_owned()]), Vec::new(), 0)
        }
        ["lose-label", label] => {
            let nodes = variant::nodes_with(session, label).expect("there are nodes");
            what_if::ask_loss(session, nodes, vec![(*label).to_owned()], 0)
        }
        ["add", like, count] => {
            what_if::ask_more_nodes(session, like, count.parse().expect("is a number"))
        }
        ["fit", workload, count] => {
            what_if::ask_fit(session, workload, count.parse().expect("is a number"))
        }
        ["anew"] => what_if::ask_anew(session, 0),
        _ => return None,
    };
    Some(asked.expect("can be asked"))
}

fn answered(mut asked: Asked) -> Answer {
    while asked.advance(1_000) {}
    asked.answer().expect("was played")
}

/// The number of waiting Pods of the recorded workloads (`namespace/owner`) by the answer's: it has the Deployment in
/// place of a ReplicaSet.
fn recorded(expected: &Value, answer: &Answer) -> BTreeMap<String, (u64, u64)> {
    let name = |row: &OfWorkload| format!("{}/{}", row.workload.namespace, row.workload.name);
    let known: BTreeSet<String> = answer.workloads.iter().map(name).collect();
    let mut all: BTreeMap<String, (u64, u64)> = known
        .iter()
        .map(|workload| (workload.clone(), (0, 0)))
        .collect();
    for (owner, range) in expected["waiting"].as_object().expect("is an object") {
        let deployment = owner.rsplit_once('-').map(|(stem, _)| stem);
        let workload = match deployment {
            Some(stem) if !known.contains(owner) && known.contains(stem) => stem,
            _ => owner,
        };
        let (least, most) = all.entry(workload.to_owned()).or_default();
        *least += range[0].as_u64().unwrap_or_default();
        *most += range[1].as_u64().unwrap_or_default();
    }
    all
}

/// How an answer differs from the recorded one.
fn differences(answer: &Answer, expected: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting: BTreeMap<String, usize> = BTreeMap::new();
    for row in &answer.workloads {
        let name = format!("{}/{}", row.workload.namespace, row.workload.name);
        *waiting.entry(name).or_default() += row.waiting.by_name + row.held;
    }
    for (workload, (least, most)) in recorded(expected, answer) {
        let count = waiting.get(&workload).copied().unwrap_or_default() as u64;
        if !(least..=most).contains(&count) {
            found.push(format!(
                "{count} of {workload} wait, recorded {least} to {most}"
            ));
        }
    }
    // Some answers were recorded without all figures.
    let within = |what: &str, count: usize| {
        if expected[what].is_null() {
            return None;
        }
        let bound = |at: usize| expected[what][at].as_u64().unwrap_or_default();
        let is_within = (bound(0)..=bound(1)).contains(&(count as u64));
        (!is_within).then(|| format!("{what}: {count}, recorded {}", expected[what]))
    };
    found.extend(within("nodes empty", answer.empty.by_name));
    let all = answer.waiting.by_name + answer.held;
    found.extend(within("waiting in all", all));
    if matches!(
        answer.question,
        Some(berth_protocol::what_if::Question::Anew)
    ) {
        found.extend(within("moved", answer.moved.by_name));
    }
    let gone: Vec<&str> = expected["gone"]
        .as_array()
        .expect("is a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if answer.lost != gone {
        found.push(format!("lost {:?}, recorded {gone:?}", answer.lost));
    }
    found
}

/// Asks about a dump; returns what differs, and how many questions were asked. `expands`: whether workloads make the Pods
/// that they lack.
fn asked(name: &str, expands: bool) -> (Vec<String>, usize) {
    let case = cases(name);
    let answers: BTreeMap<String, Value> = serde_json::from_str(&case.json).expect("is JSON");
    let (mut found, mut count) = (Vec::new(), 0);
    for (variant, text) in variants(&case.yaml) {
        let session = opened_with(&text, expands);
        for (number, (question, expected)) in answers.iter().enumerate() {
            if !is_asked(question, number, answers.len()) {
                continue;
            }
            if let Some(asked) = ask(&session, question) {
                count += 1;
                let differences = differences(&answered(asked), expected).into_iter();
                found.extend(differences.map(|it| format!("{variant}: {question}: {it}")));
            }
        }
    }
    (found, count)
}

/// The recorded answers have no controllers: a ReplicaSet that lacks a Pod makes none.
#[test]
fn questions_about_kind_have_the_recorded_answers() {
    let (found, count) = asked("kind3", false);
    assert_eq!(found, [""; 0]);
    assert!(count >= 10, "{count}");
}

/// Takes minutes: `cargo test --test it what_ifs -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn questions_about_eks_have_the_recorded_answers() {
    let (found, count) = asked("eks60", true);
    assert_eq!(found, [""; 0]);
    assert!(count >= 40, "{count}");
}
