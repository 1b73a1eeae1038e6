use super::progress::{Point, Revealed, StepSize, next, stops};
use super::{Action, Cell, Store, ZONE};
use crate::protocol::cycle::{Cycle, NodeReport, NodeScore, Verdict, WeightedPlugin};
use crate::protocol::frame::NodeFrame;
use crate::protocol::gesture::{Gesture, Label};
use crate::protocol::page::{Changed, Command, Explained, Patch, Rows, Subject, Update};
use crate::protocol::why_not::WhyNot;

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
    Action::Told(Box::new(Update::Explained(Box::new(Explained {
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
    store.act(Action::StepSize(StepSize::Point));
    let commands = store.act(Action::Step);
    assert!(matches!(&commands[..], [Command::Look(look)] if look.subject == Subject::Attempt(0)));
    store.act(explained(0, placed()));
    let mut points = vec![store.stop().unwrap().point];
    while store.act(Action::Step).is_empty() {
        points.push(store.stop().unwrap().point);
    }
    use Point::{Bind, Filter, Normalize, PreFilter, PreScore, Score, Select};
    assert_eq!(
        points,
        [PreFilter, Filter, PreScore, Score, Normalize, Select, Bind]
    );
    // The step after the last made the attempt.
    assert_eq!(store.progress, None);
    store.view.position = 1;
    let commands = store.act(Action::StepBack);
    assert!(matches!(
        &commands[..],
        [Command::Look(_), Command::StepBack]
    ));
    store.act(explained(0, placed()));
    assert_eq!(store.stop().unwrap().point, Bind);
    for point in [Select, Normalize, Score, PreScore, Filter, PreFilter] {
        assert!(store.act(Action::StepBack).is_empty());
        assert_eq!(store.stop().unwrap().point, point);
    }
    store.act(Action::StepBack);
    assert_eq!(store.progress, None);
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
fn a_chosen_cell_is_let_go_by_choosing_it_again_and_with_its_attempt() {
    let mut store = Store::default();
    store.act(explained(0, placed()));
    let cell = || {
        Action::Cell(Cell {
            node: "a".into(),
            plugin: "NodeName".into(),
        })
    };
    store.act(cell());
    assert!(store.cell.is_some());
    store.act(explained(0, placed()));
    assert!(store.cell.is_some());
    store.act(cell());
    assert!(store.cell.is_none());
    store.act(cell());
    store.act(explained(1, placed()));
    assert!(store.cell.is_none());
}

#[test]
fn what_was_typed_is_read_before_anything_else_is_done() {
    let mut store = Store::default();
    store.act(Action::Typed("kind: Nod".into()));
    store.act(Action::Typed("kind: Node".into()));
    let commands = store.act(Action::Step);
    let expected = Command::Type {
        text: "kind: Node".into(),
        goes_on: false,
    };
    assert_eq!(commands[0], expected);
    assert!(matches!(commands.last(), Some(Command::Step)));
    store.act(Action::Typed("a".into()));
    store.act(Action::Read);
    store.act(Action::Typed("ab".into()));
    let commands = store.act(Action::Read);
    assert!(matches!(
        &commands[..],
        [Command::Type { goes_on: true, .. }]
    ));
    assert!(store.act(Action::Read).is_empty());
}

#[test]
fn pieces_of_a_patch_make_a_whole() {
    let node = |name: &str| NodeFrame {
        name: name.into(),
        ..NodeFrame::default()
    };
    let patch = |items: Vec<(usize, NodeFrame)>, length: usize, more: bool| {
        Action::Told(Box::new(Update::Patch(Box::new(Patch {
            more,
            nodes: Changed { length, items },
            ..Patch::default()
        }))))
    };
    let mut store = Store::default();
    store.act(patch(vec![(0, node("a"))], 2, true));
    store.act(patch(vec![(1, node("b"))], 2, false));
    assert_eq!(store.view.node_position("b"), Some(1));
    store.act(patch(vec![(0, node("b"))], 1, false));
    assert_eq!(store.view.node_position("b"), Some(0));
    assert!(store.view.node("a").is_none());
}

#[test]
fn a_step_is_gone_to_only_where_the_run_is() {
    let mut store = Store::default();
    store.view.position = 3;
    store.act(explained(1, placed()));
    assert!(!store.can_stop());
    assert_eq!(store.act(Action::Stop(1)), []);
    assert_eq!(store.progress, None);
    // The last attempt made: the stage goes back to the moment before it.
    store.act(explained(2, placed()));
    let commands = store.act(Action::Stop(1));
    assert!(matches!(
        &commands[..],
        [Command::Look(look), Command::StepBack] if look.subject == Subject::Attempt(2)
    ));
    assert_eq!(store.stop().map(|stop| stop.point), Some(Point::Filter));
    // From there on no engine is needed.
    assert_eq!(store.act(Action::Stop(0)), []);
    assert_eq!(store.stop().map(|stop| stop.point), Some(Point::PreFilter));
}

#[test]
fn a_zoom_at_which_all_cells_are_seen_is_no_choice_of_its_own() {
    let mut store = Store::default();
    store.act(Action::Zoom(85));
    store.act(Action::Fits(90));
    assert_eq!(store.zoom, Some(85));
    store.view.nodes = vec![std::rc::Rc::default(); 500];
    store.act(Action::Fits(8));
    store.act(Action::Zoom(20));
    assert_eq!(store.zoom, Some(20));
    store.act(Action::Zoom(8));
    assert_eq!(store.zoom, None);
}

fn why_not_b(position: usize) -> Command {
    Command::WhyNot {
        position,
        node: "b".into(),
    }
}

fn answer(position: usize) -> Action {
    Action::Told(Box::new(Update::WhyNot {
        position,
        node: "b".into(),
        why: WhyNot::Chosen,
    }))
}

#[test]
fn an_answer_goes_with_its_attempt() {
    let mut store = Store::default();
    store.act(explained(0, placed()));
    assert_eq!(store.act(Action::WhyNot("b".into())), [why_not_b(0)]);
    store.act(answer(0));
    assert!(store.why_not.is_some());
    assert_eq!(store.act(explained(1, placed())), []);
    // Too late: it is about another attempt.
    store.act(answer(0));
    assert!(store.why_not.is_none());
}

#[test]
fn an_answer_is_asked_for_again_once_the_log_is_another_and_not_for_other_rows() {
    let mut store = Store::default();
    store.act(explained(0, placed()));
    store.act(Action::WhyNot("b".into()));
    store.act(answer(0));
    for action in [
        Action::Rows(40),
        Action::Filter("node-1".into()),
        Action::Step,
    ] {
        store.act(action);
        assert_eq!(store.act(explained(0, placed())), []);
    }
    // By the page, and by somebody else.
    let cordon = Gesture::Cordon { nodes: Vec::new() };
    let sources = Update::Sources {
        text: String::new(),
    };
    for action in [
        Action::Gesture(cordon),
        Action::Undo,
        Action::Seed(2),
        Action::Typed("kind: Node".into()),
        Action::Told(Box::new(sources)),
    ] {
        store.act(action);
        store.act(Action::Read);
        assert_eq!(store.act(explained(0, placed())), [why_not_b(0)]);
        assert_eq!(store.act(explained(0, placed())), []);
    }
}

#[test]
fn fixes_are_asked_for_once_and_again_once_the_log_is_another() {
    let fix = |position| [Command::Fix { position }];
    let fixes = |done| {
        Action::Told(Box::new(Update::Fixes {
            position: 0,
            fixes: Vec::new(),
            done,
        }))
    };
    let mut store = Store::default();
    assert_eq!(store.act(explained(0, Cycle::default())), fix(0));
    store.act(fixes(false));
    // The engine goes on then.
    assert_eq!(store.act(explained(0, Cycle::default())), fix(0));
    store.act(fixes(true));
    for action in [Action::Rows(40), Action::Step] {
        store.act(action);
        assert_eq!(store.act(explained(0, Cycle::default())), []);
        assert!(store.fixes.done);
    }
    store.act(Action::Undo);
    assert_eq!(store.act(explained(0, Cycle::default())), fix(0));
    assert!(!store.fixes.done);
    store.act(fixes(true));
    // What is about another attempt does not come back by itself.
    assert_eq!(store.act(explained(1, placed())), []);
    assert_eq!(store.act(explained(0, Cycle::default())), fix(0));
}

#[test]
fn a_form_is_told_whether_its_addition_was_taken() {
    let mut store = Store::default();
    let label = Label {
        key: ZONE.into(),
        value: "zone d".into(),
    };
    let next = Label {
        value: "zone-a".into(),
        ..label.clone()
    };
    let asked = store.act(Action::AddZone(String::new()));
    assert_eq!(asked, [Command::Check(next)]);
    let asked = store.act(Action::AddZone("zone d".into()));
    assert_eq!(asked, [Command::Check(label.clone())]);
    let told = |update| Action::Told(Box::new(update));
    let refused = || {
        told(Update::Refused {
            message: "Invalid value".into(),
        })
    };
    let sources = || {
        told(Update::Sources {
            text: String::new(),
        })
    };
    store.act(refused());
    assert_eq!((store.answers, store.zones.len()), ((0, 1), 0));
    store.act(told(Update::Fine(label.clone())));
    store.act(told(Update::Fine(label)));
    assert_eq!(
        (store.answers, &store.zones[..]),
        ((2, 1), &["zone d".into()][..])
    );

    let add = || Action::Gesture(Gesture::Cordon { nodes: Vec::new() });
    store.act(add());
    store.act(sources());
    assert_eq!(store.answers, (3, 1));
    // What is undone, or refused, was not added.
    store.act(Action::Undo);
    store.act(sources());
    store.act(add());
    store.act(refused());
    store.act(sources());
    assert_eq!(store.answers, (3, 2));
}
