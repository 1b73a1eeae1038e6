#![allow(clippy::wildcard_enum_match_arm, reason = "tests look for one variant")]

use super::progress::{Point, Revealed, StepSize, next, stops};
use super::{Action, EditAction, Effect, Store, ZONE};
use crate::ui::features::explain::{Cell, ExplainAction, Search, Table};
use crate::ui::features::sources::EditorAction;
use crate::ui::features::stage::StageAction;
use crate::ui::features::time::TimeAction;
use berth_protocol::command::{Command, Mutation, Query, Subject, Travel};
use berth_protocol::cycle::{Cycle, NodeReport, NodeScore, Verdict, WeightedPlugin};
use berth_protocol::frame::NodeFrame;
use berth_protocol::gesture::{Gesture, Label};
use berth_protocol::page::{Changed, Explained, Patch, Rows, Update};
use berth_protocol::why_not::WhyNot;

impl Store {
    /// The commands that an action sends, through any effect.
    pub(in crate::ui) fn commands(&mut self, action: Action) -> Vec<Command> {
        self.act(action)
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Send(command) | Effect::SendWithFields(command) => Some(command),
                Effect::FindNumbers(query) => Some(Command::Ask(query)),
                Effect::SearchFixes { position } => Some(Command::Ask(Query::Fix { position })),
                _ => None,
            })
            .collect()
    }
}

fn placed() -> Cycle {
    let node = |name: &str| NodeReport {
        node: name.into(),
        verdict: Some(Verdict::default()),
        failures: Vec::new(),
        passes: Vec::new(),
    };
    let score = |name: &str| NodeScore {
        node: name.into(),
        plugins: Vec::new(),
        total: 1,
    };
    let plugin = |name: &str| WeightedPlugin {
        plugin: name.into(),
        weight: 1,
    };
    Cycle {
        pod: "default/web".into(),
        filter_plugins: vec!["NodeName".into(), "NodeResourcesFit".into()],
        score_plugins: vec![plugin("ImageLocality"), plugin("NodeResourcesFit")],
        nodes: vec![node("a"), node("b")],
        scores: Some(vec![score("a"), score("b")]),
        selected: Some("a".into()),
        ..Cycle::default()
    }
}

fn explained(position: usize, cycle: Cycle) -> Action {
    Action::Update(Box::new(Update::Explained(Box::new(Explained {
        position,
        made: false,
        at_ms: None,
        result: Ok(cycle),
        rows: Rows::default(),
    }))))
}

#[test]
fn small_steps_go_through_an_attempt_and_back() {
    let mut store = Store::default();
    store.commands(Action::Time(TimeAction::StepSize(StepSize::Point)));
    let commands = store.commands(Action::Time(TimeAction::Step));
    assert!(
        matches!(&commands[..], [Command::Ask(Query::Matrix(query))] if query.subject == Subject::Attempt(0))
    );
    store.commands(explained(0, placed()));
    let mut points = vec![store.stop().unwrap().point];
    while store.commands(Action::Time(TimeAction::Step)).is_empty() {
        points.push(store.stop().unwrap().point);
    }
    use Point::{Bind, Filter, Normalize, PreFilter, PreScore, Score, Select};
    assert_eq!(
        points,
        [PreFilter, Filter, PreScore, Score, Normalize, Select, Bind]
    );
    // The step after the last one made the attempt.
    assert_eq!(store.time.progress, None);
    store.view.head.position = 1;
    let commands = store.commands(Action::Time(TimeAction::StepBack));
    assert!(matches!(
        &commands[..],
        [
            Command::Ask(Query::Matrix(_)),
            Command::Travel(Travel::StepBack)
        ]
    ));
    store.commands(explained(0, placed()));
    assert_eq!(store.stop().unwrap().point, Bind);
    for point in [Select, Normalize, Score, PreScore, Filter, PreFilter] {
        assert!(
            store
                .commands(Action::Time(TimeAction::StepBack))
                .is_empty()
        );
        assert_eq!(store.stop().unwrap().point, point);
    }
    store.commands(Action::Time(TimeAction::StepBack));
    assert_eq!(store.time.progress, None);
}

#[test]
fn plugins_are_steps_of_their_own() {
    let cycle = placed();
    let all = stops(&cycle);
    let mut at = 0;
    let mut count = 1;
    while let Some(following) = next(&all, at, StepSize::Plugin, true) {
        at = following;
        count += 1;
    }
    assert_eq!((count, at), (all.len(), all.len() - 1));
    let revealed = Revealed {
        stop: Some(all[1].clone()),
    };
    assert!(revealed.filtered(0) && !revealed.filtered(1) && !revealed.scored(0));
    assert!(revealed.verdict(&cycle, &cycle.nodes[0]).is_none());
}

#[test]
fn a_cell_is_deselected_by_choosing_it_again_and_with_its_attempt() {
    let mut store = Store::default();
    store.commands(explained(0, placed()));
    let cell = || {
        Action::Explain(ExplainAction::Cell(Cell {
            node: "a".into(),
            plugin: "NodeName".into(),
            table: Table::Filter,
        }))
    };
    store.commands(cell());
    assert!(store.explain.cell.is_some());
    store.commands(explained(0, placed()));
    assert!(store.explain.cell.is_some());
    store.commands(cell());
    assert!(store.explain.cell.is_none());
    store.commands(cell());
    store.commands(explained(1, placed()));
    assert!(store.explain.cell.is_none());
}

#[test]
fn a_cell_of_the_devices_compares_its_node_until_it_is_deselected() {
    let mut store = Store::default();
    store.commands(explained(0, placed()));
    let choose = |store: &mut Store, node: Option<&str>| {
        let node = node.map(str::to_owned);
        store.act(Action::Explain(ExplainAction::Device(node)))
    };
    // Another cell of the same node.
    for _ in 0..2 {
        let effects = choose(&mut store, Some("a"));
        assert!(!effects.contains(&Effect::ShowArithmetic));
        let cell = store.explain.cell.as_ref();
        assert!(cell.is_some_and(|cell| cell.node == "a" && cell.table == Table::Devices));
    }
    choose(&mut store, None);
    assert!(store.explain.cell.is_none());
}

#[test]
fn typed_text_is_read_before_other_actions() {
    let mut store = Store::default();
    store.commands(Action::Editor(EditorAction::Typed("kind: Nod".into())));
    store.commands(Action::Editor(EditorAction::Typed("kind: Node".into())));
    let commands = store.commands(Action::Time(TimeAction::Step));
    let expected = Command::Mutate(Mutation::Type {
        text: "kind: Node".into(),
        goes_on: false,
    });
    assert_eq!(commands[0], expected);
    assert!(matches!(
        commands.last(),
        Some(Command::Travel(Travel::Step))
    ));
    store.commands(Action::Editor(EditorAction::Typed("a".into())));
    store.commands(Action::Editor(EditorAction::Read));
    store.commands(Action::Editor(EditorAction::Typed("ab".into())));
    let commands = store.commands(Action::Editor(EditorAction::Read));
    assert!(matches!(
        &commands[..],
        [Command::Mutate(Mutation::Type { goes_on: true, .. })]
    ));
    assert!(
        store
            .commands(Action::Editor(EditorAction::Read))
            .is_empty()
    );
}

#[test]
fn pieces_of_a_patch_make_a_whole() {
    let node = |name: &str| NodeFrame {
        name: name.into(),
        ..NodeFrame::default()
    };
    let patch = |items: Vec<(usize, NodeFrame)>, length: usize, more: bool| {
        Action::Update(Box::new(Update::Patch(Box::new(Patch {
            more,
            nodes: Changed { length, items },
            ..Patch::default()
        }))))
    };
    let mut store = Store::default();
    store.commands(patch(vec![(0, node("a"))], 2, true));
    store.commands(patch(vec![(1, node("b"))], 2, false));
    assert_eq!(store.view.node_position("b"), Some(1));
    store.commands(patch(vec![(0, node("b"))], 1, false));
    assert_eq!(store.view.node_position("b"), Some(0));
    assert!(store.view.node("a").is_none());
}

#[test]
fn a_step_is_reachable_only_at_the_position_of_the_run() {
    let mut store = Store::default();
    store.view.head.position = 3;
    store.commands(explained(1, placed()));
    assert!(!store.can_stop());
    assert_eq!(store.commands(Action::Explain(ExplainAction::Stop(1))), []);
    assert_eq!(store.time.progress, None);
    // The last attempt made: the stage returns to the moment before it.
    store.commands(explained(2, placed()));
    let commands = store.commands(Action::Explain(ExplainAction::Stop(1)));
    assert!(matches!(
        &commands[..],
        [Command::Ask(Query::Matrix(query)), Command::Travel(Travel::StepBack)] if query.subject == Subject::Attempt(2)
    ));
    assert_eq!(store.stop().map(|stop| stop.point), Some(Point::Filter));
    // Further steps need no engine.
    assert_eq!(store.commands(Action::Explain(ExplainAction::Stop(0))), []);
    assert_eq!(store.stop().map(|stop| stop.point), Some(Point::PreFilter));
}

#[test]
fn a_zoom_that_shows_all_cells_is_not_stored() {
    let mut store = Store::default();
    store.commands(Action::Stage(StageAction::Zoom(85)));
    store.commands(Action::Stage(StageAction::Fits(90)));
    assert_eq!(store.stage.zoom, Some(85));
    store.view.nodes = vec![std::rc::Rc::default(); 500];
    store.commands(Action::Stage(StageAction::Fits(8)));
    store.commands(Action::Stage(StageAction::Zoom(20)));
    assert_eq!(store.stage.zoom, Some(20));
    store.commands(Action::Stage(StageAction::Zoom(8)));
    assert_eq!(store.stage.zoom, None);
}

fn why_not_b(position: usize) -> Command {
    Command::Ask(Query::WhyNot {
        position,
        node: "b".into(),
    })
}

fn answer(position: usize) -> Action {
    Action::Update(Box::new(Update::WhyNot {
        position,
        node: "b".into(),
        why: WhyNot::Chosen,
    }))
}

#[test]
fn an_answer_is_dropped_with_its_attempt() {
    let mut store = Store::default();
    store.commands(explained(0, placed()));
    assert_eq!(
        store.commands(Action::Explain(ExplainAction::WhyNot("b".into()))),
        [why_not_b(0)]
    );
    store.commands(answer(0));
    assert!(store.explain.why_not.is_some());
    assert_eq!(store.commands(explained(1, placed())), []);
    // The answer is late: it is about another attempt.
    store.commands(answer(0));
    assert!(store.explain.why_not.is_none());
}

#[test]
fn an_answer_is_requested_again_after_a_log_change_but_not_for_other_rows() {
    let mut store = Store::default();
    store.commands(explained(0, placed()));
    store.commands(Action::Explain(ExplainAction::WhyNot("b".into())));
    store.commands(answer(0));
    for action in [
        Action::Explain(ExplainAction::Rows(40)),
        Action::Explain(ExplainAction::Filter("node-1".into())),
        Action::Time(TimeAction::Step),
    ] {
        store.commands(action);
        assert_eq!(store.commands(explained(0, placed())), []);
    }
    // Changes by the page, and by a caller of `globalThis.berth`.
    let cordon = Gesture::Cordon { nodes: Vec::new() };
    let sources = Update::Sources {
        text: String::new(),
    };
    for action in [
        Action::Edit(EditAction::Gesture(cordon)),
        Action::Edit(EditAction::Undo),
        Action::Edit(EditAction::Seed(2)),
        Action::Editor(EditorAction::Typed("kind: Node".into())),
        Action::Update(Box::new(sources)),
    ] {
        store.commands(action);
        store.commands(Action::Editor(EditorAction::Read));
        assert_eq!(store.commands(explained(0, placed())), [why_not_b(0)]);
        assert_eq!(store.commands(explained(0, placed())), []);
    }
}

#[test]
fn fixes_are_requested_once_per_log() {
    let fix = |position| [Command::Ask(Query::Fix { position })];
    let fixes = |done| {
        Action::Update(Box::new(Update::Fixes {
            position: 0,
            fixes: Vec::new(),
            done,
        }))
    };
    let mut store = Store::default();
    assert_eq!(store.commands(explained(0, Cycle::default())), fix(0));
    store.commands(fixes(false));
    // The engine continues its search then.
    assert_eq!(store.commands(explained(0, Cycle::default())), fix(0));
    store.commands(fixes(true));
    for action in [
        Action::Explain(ExplainAction::Rows(40)),
        Action::Time(TimeAction::Step),
    ] {
        store.commands(action);
        assert_eq!(store.commands(explained(0, Cycle::default())), []);
        assert_eq!(store.explain.fixes.search, Search::Complete);
    }
    store.commands(Action::Edit(EditAction::Undo));
    assert_eq!(store.commands(explained(0, Cycle::default())), fix(0));
    assert_eq!(store.explain.fixes.search, Search::Running);
    store.commands(Action::Explain(ExplainAction::FixesUnavailable(0)));
    assert_eq!(store.explain.fixes.search, Search::Unavailable);
    // The next explanation tries again.
    assert_eq!(store.commands(explained(0, Cycle::default())), fix(0));
    store.commands(fixes(true));
    // An answer about another attempt is not kept.
    assert_eq!(store.commands(explained(1, placed())), []);
    assert_eq!(store.commands(explained(0, Cycle::default())), fix(0));
}

#[test]
fn a_form_gets_the_answer_to_its_addition() {
    let mut store = Store::default();
    let label = Label {
        key: ZONE.into(),
        value: "zone d".into(),
    };
    let next = Label {
        value: "zone-a".into(),
        ..label.clone()
    };
    let asked = store.commands(Action::Stage(StageAction::AddZone(String::new())));
    assert_eq!(asked, [Command::Ask(Query::Check(next))]);
    let asked = store.commands(Action::Stage(StageAction::AddZone("zone d".into())));
    assert_eq!(asked, [Command::Ask(Query::Check(label.clone()))]);
    let update = |update| Action::Update(Box::new(update));
    let refused = || {
        update(Update::Refused {
            message: "Invalid value".into(),
        })
    };
    let sources = || {
        update(Update::Sources {
            text: String::new(),
        })
    };
    store.commands(refused());
    assert_eq!((store.stage.answers, store.stage.zones.len()), ((0, 1), 0));
    store.commands(update(Update::Fine(label.clone())));
    store.commands(update(Update::Fine(label)));
    assert_eq!(
        (store.stage.answers, &store.stage.zones[..]),
        ((2, 1), &["zone d".into()][..])
    );

    let add = || Action::Edit(EditAction::Gesture(Gesture::Cordon { nodes: Vec::new() }));
    store.commands(add());
    store.commands(sources());
    assert_eq!(store.stage.answers, (3, 1));
    // An undo or a refusal does not count as an addition.
    store.commands(Action::Edit(EditAction::Undo));
    store.commands(sources());
    store.commands(add());
    store.commands(refused());
    store.commands(sources());
    assert_eq!(store.stage.answers, (3, 2));
}
