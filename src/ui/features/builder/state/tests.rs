#![allow(clippy::wildcard_enum_match_arm, reason = "tests look for one variant")]

use super::{Builder, BuilderAction, Change, List, Place, RecordingFor, last_lesson};
use crate::ui::store::{Action, EditAction, Store};
use berth_protocol::command::{Command, Mutation, Query};
use berth_protocol::draft::{
    DraftAnswer, DraftQuery, DraftStart, DraftStep, Meaning, Proposal, Written,
};
use berth_protocol::lesson::LessonInput;
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_protocol::rule::{Broken, Rule};

fn act(store: &mut Store, action: BuilderAction) -> Vec<Command> {
    store.commands(Action::Builder(action))
}

fn answered(store: &mut Store, answer: DraftAnswer) -> Vec<Command> {
    store.commands(Action::Update(Box::new(Update::Draft(OutOfLine(
        Box::new(answer),
    )))))
}

fn steps() -> Vec<DraftStep> {
    vec![DraftStep {
        text: "kubectl uncordon a".to_owned(),
        is_command: true,
        note: String::new(),
    }]
}

fn proposal(text: &str, main: bool) -> Proposal {
    Proposal {
        text: text.to_owned(),
        meaning: Meaning::Placed {
            pod: "db".to_owned(),
        },
        main,
    }
}

/// A builder whose start is marked and open.
fn begun() -> Store {
    let mut store = Store::default();
    act(&mut store, BuilderAction::Show);
    act(&mut store, BuilderAction::MarkStart);
    answered(&mut store, DraftAnswer::Start(DraftStart::default()));
    store
}

fn solved(store: &mut Store, proposals: Vec<Proposal>) {
    answered(
        store,
        DraftAnswer::Proposed {
            steps: steps(),
            wrong: false,
            proposals: Ok(proposals),
        },
    );
}

fn written(text: &str) -> DraftAnswer {
    DraftAnswer::Written(Written {
        text: text.to_owned(),
        manifests: "kind: Node".to_owned(),
        rules: vec![Rule::Start],
        ..Written::default()
    })
}

fn builder(store: &Store) -> &Builder {
    store.builder.as_deref().unwrap()
}

#[test]
fn a_marked_start_is_opened_and_what_is_done_is_noted() {
    let mut store = Store::default();
    act(&mut store, BuilderAction::Show);
    assert!(store.builds());
    let start = DraftStart {
        live: true,
        ..DraftStart::default()
    };
    let sent = answered(&mut store, DraftAnswer::Start(start.clone()));
    assert!(
        sent.contains(&Command::Mutate(Mutation::Lesson(LessonInput::Start(
            start
        ))))
    );
    assert_eq!(builder(&store).recording_for, Some(RecordingFor::Solution));
    assert!(store.ask_for_steps().is_some());
    assert!(store.ask_for_steps().is_none(), "once for each moment");
    answered(&mut store, DraftAnswer::Steps(steps()));
    let sent = act(&mut store, BuilderAction::Done);
    let [Command::Ask(Query::Draft(query))] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    assert!(
        matches!(&*query.0, DraftQuery::Propose { steps, wrong: false, .. } if steps.len() == 1)
    );
    // Another scenario is not the lesson's start.
    store.act(Action::Edit(EditAction::Open("kind: Node".to_owned())));
    assert_eq!(builder(&store).recording_for, None);
    assert_eq!(
        builder(&store).draft.start.as_ref().map(|it| it.live),
        Some(true)
    );
}

#[test]
fn proposed_goals_are_taken_once_and_then_only_offered() {
    let mut store = begun();
    solved(
        &mut store,
        vec![proposal("a: 1", true), proposal("b: 1", false)],
    );
    let goals = |store: &Store| -> Vec<String> {
        builder(store)
            .draft
            .goals
            .iter()
            .map(|goal| goal.text.clone())
            .collect()
    };
    assert_eq!(goals(&store), ["a: 1"]);
    assert_eq!(builder(&store).draft.goals[0].words, "`db` has a node");
    act(&mut store, BuilderAction::Change(Change::Offer(0)));
    assert_eq!(goals(&store), ["a: 1", "b: 1"]);
    act(
        &mut store,
        BuilderAction::Change(Change::Up(List::Goals, 1)),
    );
    act(
        &mut store,
        BuilderAction::Change(Change::Remove(List::Goals, 1)),
    );
    assert_eq!(goals(&store), ["b: 1"]);
    act(
        &mut store,
        BuilderAction::Set(Place::Note(0), "why".to_owned()),
    );
    solved(
        &mut store,
        vec![proposal("b: 1", true), proposal("c: 1", true)],
    );
    assert_eq!(goals(&store), ["b: 1"], "the author's own goals stay");
    assert_eq!(builder(&store).offered.len(), 1);
    assert_eq!(builder(&store).draft.solution[0].note, "why");
}

#[test]
fn a_failed_step_is_reported_and_nothing_is_taken() {
    let mut store = begun();
    let broken = Broken::StepFails {
        path: "solution[0]".to_owned(),
        why: "no".into(),
    };
    answered(
        &mut store,
        DraftAnswer::Proposed {
            steps: steps(),
            wrong: false,
            proposals: Err(broken.clone()),
        },
    );
    assert_eq!(builder(&store).failed, Some(broken));
    assert_eq!(builder(&store).recording_for, Some(RecordingFor::Solution));
    assert!(builder(&store).draft.solution.is_empty());
}

#[test]
fn a_lesson_is_ready_when_it_is_written_and_keeps_its_rules() {
    let mut store = begun();
    act(
        &mut store,
        BuilderAction::Set(Place::Title, "Where? 在哪里".to_owned()),
    );
    assert!(act(&mut store, BuilderAction::MakeLink).is_empty());
    answered(&mut store, written("the lesson"));
    assert!(builder(&store).is_written() && !builder(&store).is_played());
    let release = Some("1.36".to_owned());
    let played = |broken: Vec<Broken>| DraftAnswer::Played {
        rule: Rule::Start,
        release: release.clone().filter(|_| !broken.is_empty()),
        broken,
        left: 0,
    };
    answered(&mut store, played(vec![Broken::NothingToDo]));
    assert!(builder(&store).is_played());
    let broken: Vec<_> = builder(&store).broken().collect();
    assert_eq!(broken, [(&Broken::NothingToDo, Some("1.36"))]);
    assert_eq!(
        crate::words::builder::broken_on(broken[0].0, broken[0].1),
        "With Kubernetes 1.36: The start meets all goals already."
    );
    answered(&mut store, written("the lesson"));
    answered(&mut store, played(Vec::new()));
    assert!(builder(&store).is_played() && builder(&store).broken().next().is_none());
    let link = builder(&store).lesson_link().unwrap();
    assert_eq!(link.files[0].1, "kind: Node");
    let (recording, _) = link.visit();
    let lesson = last_lesson(&recording).unwrap();
    assert_eq!(
        (lesson.slug.as_str(), lesson.text.as_str()),
        ("own-where", "the lesson")
    );
    // Typing makes it stale until it is written again.
    act(&mut store, BuilderAction::Set(Place::Title, "x".to_owned()));
    assert!(!builder(&store).is_written());
    assert_eq!(act(&mut store, BuilderAction::Check).len(), 1);
    assert!(act(&mut store, BuilderAction::Discard).is_empty() && store.builder.is_some());
    act(&mut store, BuilderAction::Discard);
    assert!(store.builder.is_none());
}

#[test]
fn an_unfinished_lesson_survives_a_reload() {
    let mut store = begun();
    act(&mut store, BuilderAction::Change(Change::Add(List::Hints)));
    act(
        &mut store,
        BuilderAction::Set(Place::Hint(0), "look".to_owned()),
    );
    let bytes = builder(&store).stored().unwrap();
    let mut other = Store::default();
    let effects = other.restore_builder(&bytes);
    assert_eq!(builder(&other).draft, builder(&store).draft);
    assert_eq!(builder(&other).recording_for, Some(RecordingFor::Solution));
    assert!(other.builds() && !effects.is_empty());
    assert_eq!(Builder::restored(b"no"), None);
}
