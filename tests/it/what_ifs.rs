//! What-ifs on whole dumps come to the answers of an independent implementation of their definitions: one that writes
//! the file in which the what-if has already happened, and plays it.
//!
//! `cargo xtask corpus FOLDER what_ifs` packs the dumps, reduced to what scheduling reads, as `dumps/NAME.yaml`, and the
//! answers by question as `dumps/NAME.json`. Each dump is asked as it is, and without the workloads and Services that
//! `kubectl get nodes,pods` does not print. `cargo xtask test all` asks every question instead of some.

mod asked;
mod drained;

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::compare::Summary;
use berth_protocol::frame::Frame;
use berth_protocol::gesture::{Gesture, NodeTemplate};
use berth_session::{
    Choice, Options, Session, SourceFile, Version, drain, edit, frame, sources, trial, variant,
};
use serde_json::Value;

use crate::conformance::corpus;

const SCENARIOS: &[u8] = include_bytes!("what_ifs/scenarios.br");
const EXPECTED: &[u8] = include_bytes!("what_ifs/expected.br");

/// What a dump lacks unless it is asked for.
const UNASKED: [&str; 4] = ["Namespace", "Service", "Deployment", "ReplicaSet"];

/// One in so many questions about single nodes of a large dump is asked.
const SOME: usize = 12;

/// A dump with all that it has, and as `kubectl get nodes,pods` prints it.
fn variants(text: &str) -> [(&'static str, String); 2] {
    let mut list: Value = serde_json::from_str(text).expect("is JSON");
    let items = list["items"].as_array_mut().expect("is a List");
    items.retain(|item| !UNASKED.contains(&item["kind"].as_str().unwrap_or_default()));
    [("whole", text.to_owned()), ("bare", list.to_string())]
}

fn opened(text: &str) -> Session {
    opened_with(text, true)
}

/// `expands`: whether workloads make the Pods that they lack.
fn opened_with(text: &str, expands: bool) -> Session {
    let mut session = Session::new(Options {
        expand_workloads: expands,
        release: Choice {
            kubernetes: Some(Version::V1_36),
            ..Choice::default()
        },
        ..Options::default()
    });
    let taken = session.apply(&[SourceFile::new("dump.json", text)]);
    assert!(taken && !session.has_errors(), "{:?}", session.problems());
    session
}

/// Makes the change of a question; `None` if there is no such what-if yet.
fn ask(session: &mut Session, question: &str) -> Option<()> {
    let words: Vec<&str> = question.split(' ').collect();
    match words.as_slice() {
        ["as", "it", "is"] => {}
        ["lose", node] => {
            let label = format!("kubernetes.io/hostname={node}");
            variant::remove_nodes(session, &label).expect("there is the node");
        }
        ["lose-label", label] => {
            variant::remove_nodes(session, label).expect("there are nodes");
        }
        ["add", like, count] => {
            let gesture = Gesture::AddNodes {
                template: NodeTemplate::Like {
                    node: (*like).to_owned(),
                },
                count: count.parse().expect("is a number"),
                topology: None,
            };
            edit::perform(session, &gesture).expect("adds nodes");
        }
        ["cordon-empty", node] => {
            // A drain obeys budgets.
            let plan = drain::plan(session, node)?;
            if !plan.blocked.is_empty() {
                return None;
            }
            let node = (*node).to_owned();
            edit::perform(session, &Gesture::Drain { node }).expect("drains");
        }
        _ => return None,
    }
    session.run_to_end();
    Some(())
}

/// The Pods of a node that budgets keep a drain from evicting at once.
fn held_back(session: &Session, node: &str) -> BTreeSet<String> {
    let plan = drain::plan(session, node).expect("there is the node");
    plan.blocked.into_iter().map(|it| it.pod).collect()
}

/// The waiting Pods by workload, and the number of empty nodes.
fn outcome(frame: &Frame) -> (BTreeMap<String, u64>, u64) {
    let mut waiting: BTreeMap<String, u64> = BTreeMap::new();
    for pod in frame.pods.iter().filter(|pod| pod.node.is_none()) {
        let (namespace, name) = pod.key.split_once('/').expect("namespace/name");
        let owner = pod.owner.split_once('/').map_or(name, |(_, owner)| owner);
        *waiting.entry(format!("{namespace}/{owner}")).or_default() += 1;
    }
    let summary = Summary::of(frame, "");
    (waiting, (summary.nodes - summary.nodes_in_use) as u64)
}

/// How an outcome differs from the recorded one.
fn differences(before: &Frame, after: &Frame, expected: &Value) -> Vec<String> {
    let range = |value: &Value| {
        let bound = |at: usize| value[at].as_u64().unwrap_or_default();
        bound(0)..=bound(1)
    };
    let (waiting, empty) = outcome(after);
    let mut found = Vec::new();
    let recorded = expected["waiting"].as_object().expect("is an object");
    let workloads: BTreeSet<&String> = waiting.keys().chain(recorded.keys()).collect();
    for workload in workloads {
        let count = waiting.get(workload).copied().unwrap_or_default();
        let recorded = range(&expected["waiting"][workload]);
        if !recorded.contains(&count) {
            found.push(format!("{count} of {workload} wait, recorded {recorded:?}"));
        }
    }
    let recorded = range(&expected["nodes empty"]);
    if !recorded.contains(&empty) {
        found.push(format!("{empty} nodes empty, recorded {recorded:?}"));
    }
    let there: BTreeSet<&str> = after.pods.iter().map(|pod| pod.key.as_str()).collect();
    let bare = before.pods.iter().filter(|pod| pod.owner.is_empty());
    let mut gone: Vec<&str> = bare
        .map(|pod| pod.key.as_str())
        .filter(|key| !there.contains(key))
        .collect();
    gone.sort_unstable();
    let recorded = expected["gone"].as_array().expect("is a list");
    let recorded: Vec<&str> = recorded.iter().filter_map(Value::as_str).collect();
    if gone != recorded {
        found.push(format!("gone {gone:?}, recorded {recorded:?}"));
    }
    found
}

/// Whether a question is asked; `number`: its place among those of the dump.
fn is_asked(question: &str, number: usize, of: usize) -> bool {
    let of_one_node = ["lose ", "add ", "budgets "];
    let is_of_one_node = of_one_node.iter().any(|what| question.starts_with(what));
    crate::all() || of <= SOME || !is_of_one_node || number.is_multiple_of(SOME)
}

/// A packed dump with its answers.
fn cases(name: &str) -> corpus::Case {
    let cases = corpus::cases_of(SCENARIOS, EXPECTED).into_iter();
    let mut named = cases.filter(|case| case.name == name);
    named.next().expect("is packed")
}

/// Asks about a dump; returns what differs, and how many questions were asked.
fn asked(name: &str) -> (Vec<String>, usize) {
    let case = cases(name);
    let answers: BTreeMap<String, Value> = serde_json::from_str(&case.json).expect("is JSON");
    let (mut found, mut count) = (Vec::new(), 0);
    for (variant, text) in variants(&case.yaml) {
        let mut session = opened(&text);
        let before = frame::build(&session);
        for (number, (question, expected)) in answers.iter().enumerate() {
            let blocks = expected.as_object().is_some_and(|it| !it.is_empty())
                && question.starts_with("budgets ");
            if !blocks && !is_asked(question, number, answers.len()) {
                continue;
            }
            if let Some(node) = question.strip_prefix("budgets ") {
                count += 1;
                let held = held_back(&session, node);
                let recorded: BTreeSet<String> = expected
                    .as_object()
                    .expect("is an object")
                    .keys()
                    .cloned()
                    .collect();
                if held != recorded {
                    found.push(format!(
                        "{variant}: {question}: {held:?}, recorded {recorded:?}"
                    ));
                }
                continue;
            }
            let answered = trial::on_trial(&mut session, |session| ask(session, question));
            if answered.is_some() {
                count += 1;
                let differences = differences(&before, &frame::build(&session), expected);
                let named = differences.iter();
                found.extend(named.map(|it| format!("{variant}: {question}: {it}")));
            }
            sources::back_to_first_run(&mut session);
            session.reset();
        }
    }
    (found, count)
}

/// The dump's ReplicaSet asks for three Pods and has two: its controller makes one more, the recorded answers have no
/// controllers but those that make lost Pods again.
const OF_KIND: [&str; 5] = [
    "whole: add kind-worker 1: 1 of shop/web-czmtn8hj89 wait, recorded 0..=0",
    "whole: cordon-empty kind-control-plane: 1 of shop/web-czmtn8hj89 wait, recorded 0..=0",
    "whole: lose kind-control-plane: 1 of shop/web-czmtn8hj89 wait, recorded 0..=0",
    "whole: lose kind-worker: 2 of shop/web-czmtn8hj89 wait, recorded 1..=1",
    "whole: lose kind-worker2: 2 of shop/web-czmtn8hj89 wait, recorded 1..=1",
];

#[test]
fn what_ifs_on_kind_come_to_the_recorded_answers() {
    let (found, count) = asked("kind3");
    assert_eq!(found, OF_KIND);
    assert!(count >= 10, "{count}");
}

/// The recorded answers take the budget's status from the file, which counts two Pods. The disruption controller counts the
/// Deployment's seven, of which six are healthy: no more may go.
const OF_EKS: [&str; 6] = [
    "10-17.eu-west-1.compute.internal: {\"ingress/edge-d252skr5pd-lzj49\"}, recorded {}",
    "10-26.eu-west-1.compute.internal: {\"ingress/edge-d252skr5pd-8tv8v\"}, recorded {}",
    "26-20.eu-west-1.compute.internal: {\"ingress/edge-d252skr5pd-7fsr9\"}, recorded {}",
    "26-29.eu-west-1.compute.internal: {\"ingress/edge-d252skr5pd-slgcz\"}, recorded {}",
    "42-23.eu-west-1.compute.internal: {\"ingress/edge-d252skr5pd-bgkn6\"}, recorded {}",
    "42-32.eu-west-1.compute.internal: {\"ingress/edge-d252skr5pd-mkrfz\"}, recorded {}",
];

/// Takes minutes: `cargo test --test it what_ifs -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn what_ifs_on_eks_come_to_the_recorded_answers() {
    let (found, count) = asked("eks60");
    let of = |variant| OF_EKS.map(|it| format!("{variant}: budgets ip-10-0-{it}"));
    let listed = [of("whole"), of("bare")].concat();
    let others: Vec<&String> = found.iter().filter(|it| !listed.contains(it)).collect();
    assert!(others.is_empty(), "{others:?}");
    assert!(!crate::all() || found.len() == listed.len(), "{found:?}");
    assert!(count >= 30, "{count}");
}
