#![allow(clippy::wildcard_enum_match_arm, reason = "tests look for one variant")]

use std::rc::Rc;

use super::{CaseAction, Found, link};
use crate::export::case::told;
use crate::report;
use crate::ui::engine::test_host::Pair;
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::time::TimeAction;
use crate::ui::store::{Action, EditAction, Effect, LinkFor, PageAction, Store};
use berth_protocol::command::{Command, Run};
use berth_protocol::reduce::ReducedCase;
use berth_session::Options;

/// Three nodes: one is full, one has too little room, one has a taint. `web` waits, and `small` lands.
const FULL: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: ip-1, labels: {corp: a}}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}}
---
{apiVersion: v1, kind: Node, metadata: {name: ip-2}, status: {allocatable: {cpu: 1, memory: 8Gi, pods: 110}}}
---
{apiVersion: v1, kind: Node, metadata: {name: ip-3}, spec: {taints: [{key: corp, effect: NoSchedule}]},
  status: {allocatable: {cpu: 8, memory: 8Gi, pods: 110}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: busy, namespace: corp}, spec: {nodeName: ip-1,
  containers: [{name: c, image: corp, resources: {requests: {cpu: 3500m}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: corp}, spec: {
  containers: [{name: c, image: corp, resources: {requests: {cpu: 2, memory: 1Gi}}}]}}
";

/// Two equal nodes, between which the seed decides.
const TIE: &str = "\
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 4, pods: 110}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: 4, pods: 110}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: corp}, spec: {containers: [{name: c, image: i}]}}
";

/// The page after a run, with `web` explained.
fn explained(text: &str) -> Pair {
    let mut pair = Pair::open(text, Options::default());
    pair.act(Action::Time(TimeAction::Run));
    pair.work();
    let web = "corp/web".to_owned();
    pair.act(Action::Explain(ExplainAction::Find(web)));
    pair
}

fn case(action: CaseAction) -> Action {
    Action::Case(action)
}

#[track_caller]
fn found(store: &Store) -> Rc<ReducedCase> {
    match store.case.as_deref().map(|panel| &panel.found) {
        Some(Found::Case(case)) => Rc::clone(case),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_case_is_opened_at_the_attempt_that_it_claims_and_undone() {
    let mut pair = explained(FULL);
    assert!(pair.store.can_reduce());
    pair.act(case(CaseAction::Reduce));
    pair.work();
    let reduced = found(&pair.store);
    let said = told(&reduced);
    assert!(
        said.sizes.starts_with("3 nodes, 2 Pods → "),
        "{}",
        said.sizes
    );
    assert!(said.lands_after.is_some() && said.lacks.is_empty());
    pair.act(case(CaseAction::Open));
    pair.work();
    assert_eq!(pair.store.case, None);
    assert_eq!(*pair.store.editor.text, *reduced.text);
    assert_eq!(pair.store.title(), "case.yaml");
    let shown = report::sentence(&pair.store.moment());
    assert_eq!(shown.as_deref(), Some(said.claim.as_str()));
    // Its link shows the same moment.
    let at = link(&reduced).at;
    assert_eq!(at, pair.store.run_moment());
    pair.act(Action::Edit(EditAction::Undo));
    pair.work();
    assert_eq!(*pair.store.editor.text, *FULL);
}

#[test]
fn the_case_is_copied_with_its_link_and_downloaded() {
    let mut pair = explained(FULL);
    pair.act(case(CaseAction::Reduce));
    pair.work();
    let reduced = found(&pair.store);
    let store = &mut pair.store;
    let address = "https://berth.example/#1.x".to_owned();
    store.act(case(CaseAction::Linked(Some(address.clone()))));
    let effects = store.act(case(CaseAction::Copy));
    let copied = effects.into_iter().find_map(|effect| match effect {
        Effect::CopyText(text) => Some(text),
        _ => None,
    });
    let copied = copied.expect("is copied");
    let message = reduced.attempt.cycle.message.clone().expect("waits");
    let block = format!("```yaml\n{}```\n", reduced.text);
    for part in [
        &message,
        &block,
        &address,
        "| TaintToleration |",
        "It lands after this:",
    ] {
        assert!(copied.contains(part), "{part}\n{copied}");
    }
    assert!(!copied.contains("corp"), "{copied}");
    let effects = store.act(case(CaseAction::Download));
    let saved = Effect::Download {
        name: "case.yaml".to_owned(),
        text: reduced.text.as_str().into(),
    };
    assert!(effects.contains(&saved), "{effects:?}");
}

#[test]
fn a_link_is_made_once_the_case_is_found() {
    let mut pair = explained(FULL);
    let Some(position) = pair.store.explain.position() else {
        panic!("is explained");
    };
    let effects = pair.store.act(case(CaseAction::Reduce));
    assert!(
        effects.contains(&Effect::Reduce { position }),
        "{effects:?}"
    );
    let reduced = berth_protocol::reduce::ReducedAttempt {
        position,
        case: Ok(ReducedCase::default()),
    };
    let makes = |effects: &[Effect]| {
        let is_link = |it: &Effect| matches!(it, Effect::EncodeLink(_, LinkFor::Case));
        effects.iter().any(is_link)
    };
    assert!(makes(&pair.store.receive_reduced(reduced.clone())));
    assert!(!makes(&pair.store.receive_reduced(reduced)), "it is late");
}

#[test]
fn a_tie_is_refused_in_words() {
    let mut pair = explained(TIE);
    pair.act(case(CaseAction::Reduce));
    let panel = pair.store.case.as_deref().map(|panel| &panel.found);
    let is_refused =
        matches!(panel, Some(Found::None(why)) if why.to_string().contains("the seed decided"));
    assert!(is_refused, "{panel:?}");
}

#[test]
fn another_moment_pod_or_change_ends_it() {
    let stop = Effect::Send(Command::Run(Run::Stop));
    let mut pair = explained(FULL);
    let begin = |pair: &mut Pair| {
        pair.store.act(case(CaseAction::Reduce));
        assert!(pair.store.case.is_some());
    };
    begin(&mut pair);
    let effects = pair.store.act(Action::Page(PageAction::Escape));
    assert!(effects.contains(&stop) && pair.store.case.is_none());
    begin(&mut pair);
    let busy = "corp/busy".to_owned();
    let effects = pair.store.act(Action::Explain(ExplainAction::Find(busy)));
    assert!(effects.contains(&stop) && pair.store.case.is_none());
    begin(&mut pair);
    pair.act(Action::Edit(EditAction::Seed(2)));
    assert_eq!(pair.store.case, None);
    pair = explained(FULL);
    begin(&mut pair);
    pair.act(Action::Time(TimeAction::StepBack));
    assert_eq!(pair.store.case, None);
}
