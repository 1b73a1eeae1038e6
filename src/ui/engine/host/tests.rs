use super::Host;
use crate::protocol::page::{Command, Update};

fn text(nodes: usize, pods: usize) -> String {
    let node = |number: usize| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n-{number}}}\n\
             status: {{allocatable: {{cpu: '8', memory: 64Gi, pods: '110'}}}}\n---\n"
        )
    };
    let pod = |number: usize| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p-{number}}}\n\
             spec: {{containers: [{{name: a, image: a}}]}}\n---\n"
        )
    };
    (0..nodes).map(node).chain((0..pods).map(pod)).collect()
}

fn opened(nodes: usize, pods: usize) -> (Host, Vec<Update>) {
    let mut host = Host::new();
    let text = text(nodes, pods);
    let updates = host.handle(Command::Open { text });
    (host, updates)
}

fn position(updates: &[Update]) -> Option<usize> {
    let mut patches = updates.iter().filter_map(|update| match update {
        Update::Patch(patch) => Some(patch.position),
        _ => None,
    });
    patches.next_back()
}

#[test]
fn a_text_is_told_only_to_a_page_that_does_not_have_it() {
    let (mut host, updates) = opened(1, 1);
    let tells = |updates: &[Update]| {
        let is_text = |update: &Update| matches!(update, Update::Sources { .. });
        updates.iter().any(is_text)
    };
    assert!(position(&updates).is_some() && !tells(&updates));
    let text = text(2, 1);
    let goes_on = false;
    assert!(!tells(&host.handle(Command::Type { text, goes_on })));
    assert!(tells(&host.handle(Command::Undo)));
}

#[test]
fn a_run_tells_the_next_update_when_the_last_is_drawn() {
    let pods = 4000;
    let (mut host, _) = opened(100, pods);
    host.handle(Command::Run);
    let mut told = Vec::new();
    let mut slices = 0;
    while host.is_running() {
        slices += 1;
        let updates = host.work();
        let Some(position) = position(&updates) else {
            continue;
        };
        told.push(position);
        if told.len() < 3 {
            host.handle(Command::Drawn);
        }
    }
    // The third stays undrawn: the end follows, and nothing in between.
    assert_eq!(told.len(), 4, "{told:?} in {slices} slices");
    assert_eq!(told[3], pods);
    assert!(told[2] < pods / 2, "{told:?}");
    // The next run begins anew.
    host.handle(Command::Reset);
    host.handle(Command::Run);
    let mut first = Vec::new();
    while host.is_running() && first.is_empty() {
        first = host.work();
    }
    assert!(position(&first).is_some_and(|position| position < pods));
}
