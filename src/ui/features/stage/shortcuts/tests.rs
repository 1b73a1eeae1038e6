use std::collections::BTreeMap;

use super::{Carried, Place, Shortcut};
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::stage::StageAction;
use crate::ui::store::{Action, Panel, Store, ZONE};
use berth_protocol::command::{Command, Mutation, Query, Subject};
use berth_protocol::cycle::Cycle;
use berth_protocol::frame::{NodeFrame, PodFrame};
use berth_protocol::gesture::Gesture;
use berth_protocol::page::{Changed, Explained, Patch, Rows, Update};

/// Nodes `a` and `b` in zone `1`, `c`, which is cordoned, in zone `2`; Pods `lone` and `web-1`.
fn store() -> Store {
    let node = |name: &str, zone: &str| NodeFrame {
        name: name.into(),
        labels: BTreeMap::from([(ZONE.to_owned(), zone.to_owned())]),
        unschedulable: name == "c",
        ..NodeFrame::default()
    };
    let pod = |key: &str, owner: &str| PodFrame {
        key: key.into(),
        owner: owner.into(),
        ..PodFrame::default()
    };
    let patch = Patch {
        nodes: Changed {
            length: 3,
            items: vec![
                (0, node("a", "1")),
                (1, node("b", "1")),
                (2, node("c", "2")),
            ],
        },
        pods: Changed {
            length: 2,
            items: vec![
                (0, pod("default/lone", "")),
                (1, pod("default/web-1", "ReplicaSet/web")),
            ],
        },
        ..Patch::default()
    };
    let mut store = Store::default();
    store.commands(Action::Update(Box::new(Update::Patch(Box::new(patch)))));
    store
}

fn at(node: &str) -> Place {
    Place {
        node: Some(node.into()),
        pod: None,
    }
}

fn gesture(commands: Vec<Command>) -> Option<Gesture> {
    match <[Command; 1]>::try_from(commands) {
        Ok([Command::Mutate(Mutation::Gesture(gesture))]) => Some(gesture),
        _ => None,
    }
}

fn does(store: &mut Store, shortcut: Shortcut, place: Place) -> Option<Gesture> {
    gesture(store.commands(Action::Shortcut(shortcut, place)))
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn shortcuts_apply_to_chosen_nodes_unless_another_has_the_focus() {
    let mut store = store();
    assert_eq!(does(&mut store, Shortcut::Cordon, Place::default()), None);
    store.commands(Action::Shortcut(Shortcut::Choose, at("a")));
    store.commands(Action::Shortcut(Shortcut::Choose, at("c")));
    let nodes = names(&["a", "c"]);
    let cordon = Gesture::Cordon { nodes };
    assert_eq!(
        does(&mut store, Shortcut::Cordon, Place::default()),
        Some(cordon.clone())
    );
    assert_eq!(does(&mut store, Shortcut::Cordon, at("a")), Some(cordon));
    let nodes = names(&["b"]);
    assert_eq!(
        does(&mut store, Shortcut::Cordon, at("b")),
        Some(Gesture::Cordon { nodes })
    );
    store.commands(Action::Shortcut(Shortcut::Choose, at("a")));
    let nodes = names(&["c"]);
    assert_eq!(
        does(&mut store, Shortcut::Cordon, Place::default()),
        Some(Gesture::Uncordon { nodes })
    );
}

#[test]
fn a_focused_pod_is_deleted_instead_of_its_node_unless_it_is_owned() {
    let mut store = store();
    let deleted = |gesture: Option<Gesture>| match gesture {
        Some(Gesture::Delete { objects }) => objects
            .into_iter()
            .map(|object| format!("{} {}/{}", object.kind, object.namespace, object.name))
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    let pod = |key: &str| Place {
        node: Some("a".into()),
        pod: Some(key.into()),
    };
    let gone = does(&mut store, Shortcut::Delete, pod("default/lone"));
    assert_eq!(deleted(gone), ["Pod default/lone"]);
    assert_eq!(
        does(&mut store, Shortcut::Delete, pod("default/web-1")),
        None
    );
    let notice = store.page.notice.clone().unwrap();
    assert!(notice.contains("web-1"), "{notice}");
    let gone = does(&mut store, Shortcut::Delete, at("b"));
    assert_eq!(deleted(gone), ["Node /b"]);
    assert_eq!(does(&mut store, Shortcut::Delete, Place::default()), None);
    store.commands(Action::Explain(ExplainAction::Pod("default/lone".into())));
    let gone = does(&mut store, Shortcut::Delete, Place::default());
    assert_eq!(deleted(gone), ["Pod default/lone"]);
}

#[test]
fn nodes_are_carried_from_zone_to_zone() {
    let mut store = store();
    let carry = |forwards| Shortcut::Carry { forwards };
    store.commands(Action::Shortcut(Shortcut::PickUp, at("a")));
    let here = Carried {
        nodes: names(&["a"]),
        to: "1".into(),
    };
    assert_eq!(store.stage.carried, Some(here.clone()));
    // Dropping nodes where they were picked up does not move them.
    assert_eq!(does(&mut store, Shortcut::Drop, Place::default()), None);
    assert_eq!(store.stage.carried, None);
    store.commands(Action::Shortcut(Shortcut::PickUp, at("a")));
    store.commands(Action::Stage(StageAction::Focus("a".into())));
    for forwards in [false, true, true, true] {
        assert_eq!(does(&mut store, carry(forwards), Place::default()), None);
    }
    assert_eq!(
        does(&mut store, Shortcut::Drop, Place::default()),
        Some(Gesture::MoveNodes {
            nodes: names(&["a"]),
            topology_key: ZONE.into(),
            value: Some("2".into()),
        })
    );
    // The focus follows once, when the node has moved.
    assert_eq!(store.arrived(), None);
    for node in &mut store.view.nodes {
        let labels = &mut std::rc::Rc::make_mut(node).labels;
        labels.insert(ZONE.into(), "2".into());
    }
    assert_eq!(store.arrived(), Some("a".into()));
    assert_eq!(store.arrived(), None);
    store.commands(Action::Shortcut(Shortcut::PickUp, at("a")));
    store.commands(Action::Shortcut(Shortcut::PutBack, Place::default()));
    assert_eq!(store.stage.carried, None);
    store.commands(Action::Shortcut(Shortcut::PickUp, Place::default()));
    assert_eq!(store.stage.carried, None);
}

#[test]
fn explain_applies_to_a_pod_or_asks_why_not_for_a_node() {
    let mut store = store();
    let explain =
        |store: &mut Store, place| store.commands(Action::Shortcut(Shortcut::Explain, place));
    assert_eq!(explain(&mut store, at("a")), []);
    let pod = Place {
        node: Some("a".into()),
        pod: Some("default/lone".into()),
    };
    let query = explain(&mut store, pod);
    assert!(matches!(
        &query[..],
        [Command::Ask(Query::Matrix(query))] if query.subject == Subject::Pod("default/lone".into())
    ));
    assert_eq!(store.page.panel, Panel::Explain);

    let explained = |selected: Option<&str>| {
        let cycle = Cycle {
            selected: selected.map(str::to_owned),
            ..Cycle::default()
        };
        Action::Update(Box::new(Update::Explained(Box::new(Explained {
            position: 4,
            made: true,
            at_ms: None,
            result: Ok(cycle),
            rows: Rows::default(),
        }))))
    };
    let why_not = |node: &str| {
        Command::Ask(Query::WhyNot {
            position: 4,
            node: node.into(),
        })
    };
    // This also applies to a node that rejected a pending Pod.
    store.commands(explained(None));
    assert_eq!(explain(&mut store, at("a")), [why_not("a")]);
    store.commands(explained(Some("b")));
    assert_eq!(explain(&mut store, at("a")), [why_not("a")]);
    // The chosen node; with several chosen, the shortcut applies to none.
    store.commands(Action::Shortcut(Shortcut::Choose, at("c")));
    assert_eq!(explain(&mut store, Place::default()), [why_not("c")]);
    store.commands(Action::Shortcut(Shortcut::Choose, at("a")));
    assert_eq!(explain(&mut store, Place::default()), []);
}
