//! Drains and shrinks of whole dumps are valid: their lines, typed in a terminal on the same cluster, come to the
//! same end, Pod by Pod.

use std::collections::BTreeSet;

use berth_protocol::what_if::{Answer, Drains};
use berth_session::terminal::Terminal;
use berth_session::what_if::{self, Rolling, SETTLE, Shrinking};
use berth_session::{Session, frame};

use super::{cases, opened, variants};

/// What is compared.
const SHOWN: [&str; 3] = [
    "kubectl get pods -A -o wide",
    "kubectl get nodes",
    "kubectl get pdb -A",
];

fn drains(answer: &Answer) -> &Drains {
    answer.drains.as_deref().expect("nodes were drained")
}

fn assert_same(mut typed: Terminal, mut end: Terminal, answer: &Answer, what: &str) {
    for line in &drains(answer).lines {
        match line == SETTLE {
            true => typed.rest(),
            false => drop(typed.run(line)),
        }
    }
    for line in SHOWN {
        let [typed, told] = [&mut typed, &mut end].map(|terminal| terminal.run(line).stdout);
        assert!(!told.is_empty(), "{what}: {line}");
        assert_eq!(typed, told, "{what}: {line}");
    }
}

fn assert_rolls(mut rolling: Rolling, what: &str) -> Answer {
    while rolling.advance(1_000) {}
    let answer = rolling.answer().expect("was played");
    let mut terminal = rolling.terminal();
    for (name, node) in rolling.new_nodes() {
        terminal.add_file(format!("{name}.yaml"), node.to_string());
    }
    let end = rolling.end_terminal().expect("was played");
    assert_same(terminal, end, &answer, what);
    answer
}

fn assert_shrinks(mut shrinking: Shrinking, what: &str) -> Answer {
    while shrinking.advance(1_000) {}
    let answer = shrinking.answer().expect("was played");
    let end = shrinking.end_terminal().expect("was played");
    assert_same(shrinking.terminal(), end, &answer, what);
    assert_eq!((answer.more.most, answer.lost.len()), (0, 0), "{what}");
    assert!(drains(&answer).blocked.is_empty(), "{what}");
    answer
}

fn whole(name: &str) -> Session {
    let [(_, text), _] = variants(&cases(name).yaml);
    opened(&text)
}

fn nodes(session: &Session) -> Vec<String> {
    let nodes = frame::build(session).nodes.into_iter();
    nodes.map(|node| node.name).collect()
}

#[test]
fn each_drain_of_kind_comes_to_what_its_lines_come_to() {
    let session = whole("kind3");
    let mut evicted = 0;
    for node in nodes(&session) {
        let asked = what_if::ask_drain(&session, BTreeSet::from([node.clone()]), Vec::new(), 0);
        let answer = assert_rolls(asked.expect("can be asked"), &node);
        evicted += drains(&answer).nodes[0].evicted;
    }
    assert!(evicted > 3, "{evicted}");
    assert_shrinks(
        what_if::ask_shrink(&session, None, None, None).expect("can be asked"),
        "shrink",
    );
}

#[test]
#[ignore = "takes minutes"]
fn drains_of_eks_come_to_what_their_lines_come_to() {
    let session = whole("eks60");
    let (mut evicted, mut blocked) = (0, 0);
    for node in nodes(&session).into_iter().step_by(4) {
        let asked = what_if::ask_drain(&session, BTreeSet::from([node.clone()]), Vec::new(), 0);
        let answer = assert_rolls(asked.expect("can be asked"), &node);
        evicted += drains(&answer).nodes[0].evicted;
        blocked += usize::from(!drains(&answer).blocked.is_empty());
    }
    assert!(evicted > 50, "{evicted}");
    println!("{evicted} Pods evicted, {blocked} nodes block");
}

#[test]
#[ignore = "takes minutes"]
fn a_shrink_of_eks_comes_to_what_its_lines_come_to() {
    let session = whole("eks60");
    let general = what_if::nodes_of_pool(&session, "general").expect("there is the pool");
    let asked = what_if::ask_shrink(&session, Some("general"), Some(general), None);
    let answer = assert_shrinks(asked.expect("can be asked"), "shrink");
    assert!(!drains(&answer).nodes.is_empty());
    println!("{} nodes go", drains(&answer).nodes.len());
}

#[test]
#[ignore = "takes minutes"]
fn an_upgrade_of_eks_comes_to_what_its_lines_come_to() {
    let session = whole("eks60");
    let general = what_if::nodes_of_pool(&session, "general").expect("there is the pool");
    let asked = what_if::ask_upgrade(&session, "general", general, 1, 1, 0);
    let answer = assert_rolls(asked.expect("can be asked"), "upgrade");
    println!("{:?}", drains(&answer).blocked);
}
