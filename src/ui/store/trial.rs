//! What if: a node is drained, a zone is lost, nodes are added. Tried on a fork, and compared with the run.

use super::{Effect, Store};
use berth_protocol::command::{Mutation, WhatIf};
use berth_protocol::edit::ObjectRef;
use berth_protocol::gesture::{Gesture, NodeTemplate};

/// Maximum number of nodes that are added.
pub const MOST: u32 = 100;

/// A change that is being chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    Drain { node: String },
    Lose { zone: String },
    Add { like: String, count: u32 },
}

/// An action on the form of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialAction {
    /// Opens the form with this trial, changes it, or closes it.
    Choose(Option<Trial>),
    /// Tries the chosen change on a fork.
    Try,
}

impl Store {
    pub(super) fn on_trial(&mut self, action: TrialAction) -> Vec<Effect> {
        match action {
            TrialAction::Choose(trial) => {
                self.board.trial = trial;
                Vec::new()
            }
            TrialAction::Try => self.try_what_if(),
        }
    }

    /// The nodes of a zone, by the key that groups the stage.
    fn nodes_of(&self, zone: &str) -> impl Iterator<Item = String> {
        let key = &self.stage.group_by;
        let nodes = self.view.nodes.iter();
        let nodes = nodes.filter(move |node| node.labels.get(key).is_some_and(|it| it == zone));
        nodes.map(|node| node.name.clone())
    }

    fn try_what_if(&mut self) -> Vec<Effect> {
        let Some(what) = self
            .board
            .trial
            .as_ref()
            .and_then(|trial| self.what_if(trial))
        else {
            return Vec::new();
        };
        self.board.trial = None;
        self.board.open = false;
        self.leave();
        let what = self.mutate(Mutation::WhatIf(what));
        self.follow_run(what)
    }

    /// `None`: there is no such node or zone.
    fn what_if(&self, trial: &Trial) -> Option<WhatIf> {
        let is_there = |name: &str| self.view.nodes.iter().any(|node| node.name == name);
        match trial {
            Trial::Drain { node } if !is_there(node) => None,
            // In a simulated cluster budgets hold a drain back until replacements are ready.
            Trial::Drain { node } if self.view.head.now_ms.is_some() => {
                let line = format!(
                    "kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --force"
                );
                Some(WhatIf::Line(line))
            }
            Trial::Drain { node } => {
                let node = node.clone();
                Some(gesture(Gesture::Drain { node }))
            }
            Trial::Lose { zone } => {
                let objects = self.nodes_of(zone).map(|name| ObjectRef {
                    kind: "Node".to_owned(),
                    namespace: String::new(),
                    name,
                });
                let objects: Vec<ObjectRef> = objects.collect();
                (!objects.is_empty()).then_some(gesture(Gesture::Delete { objects }))
            }
            Trial::Add { like, .. } if !is_there(like) => None,
            Trial::Add { like, count } => Some(gesture(Gesture::AddNodes {
                template: NodeTemplate::Like { node: like.clone() },
                count: (*count).clamp(1, MOST),
                topology: None,
            })),
        }
    }
}

fn gesture(gesture: Gesture) -> WhatIf {
    WhatIf::Gesture(Box::new(gesture))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::store::{Action, BoardAction};
    use berth_protocol::command::Command;
    use berth_protocol::frame::NodeFrame;
    use berth_protocol::page::{Changed, Patch, Update};

    fn store(now_ms: Option<i64>) -> Store {
        let mut store = Store::default();
        store.stage.group_by = "zone".to_owned();
        let node = |name: &str, zone: &str| NodeFrame {
            name: name.to_owned(),
            labels: [("zone".to_owned(), zone.to_owned())].into(),
            ..NodeFrame::default()
        };
        let nodes = [node("a1", "a"), node("b1", "b"), node("b2", "b")];
        let mut patch = Patch {
            nodes: Changed {
                length: nodes.len(),
                items: nodes.into_iter().enumerate().collect(),
            },
            ..Patch::default()
        };
        patch.head.now_ms = now_ms;
        store.commands(Action::Update(Box::new(Update::Patch(Box::new(patch)))));
        store
    }

    fn tried(store: &mut Store, trial: Trial) -> Vec<Command> {
        let choose = TrialAction::Choose(Some(trial));
        store.commands(Action::Board(BoardAction::WhatIf(choose)));
        store.commands(Action::Board(BoardAction::WhatIf(TrialAction::Try)))
    }

    #[test]
    fn a_lost_zone_is_all_of_its_nodes() {
        let mut store = store(None);
        let zone = "b".to_owned();
        let commands = tried(&mut store, Trial::Lose { zone });
        let [Command::Mutate(Mutation::WhatIf(WhatIf::Gesture(deletion)))] = commands.as_slice()
        else {
            panic!("{commands:?}");
        };
        let Gesture::Delete { objects } = &**deletion else {
            panic!("{deletion:?}");
        };
        let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
        assert_eq!(names, ["b1", "b2"]);
        assert!(!store.board.open && store.board.trial.is_none());
    }

    #[test]
    fn a_drain_is_a_command_where_time_passes() {
        let drain = || Trial::Drain { node: "a1".into() };
        let mut rounds = store(None);
        let node = "a1".to_owned();
        let gesture = gesture(Gesture::Drain { node });
        assert_eq!(
            tried(&mut rounds, drain()),
            [Command::Mutate(Mutation::WhatIf(gesture))]
        );
        let commands = tried(&mut store(Some(0)), drain());
        assert!(matches!(
            commands.as_slice(),
            [Command::Mutate(Mutation::WhatIf(WhatIf::Line(line)))] if line.starts_with("kubectl drain a1 ")
        ));
    }

    #[test]
    fn nothing_is_tried_on_a_node_that_is_not_there() {
        let mut store = store(None);
        let like = "gone".to_owned();
        assert_eq!(tried(&mut store, Trial::Add { like, count: 3 }), []);
        assert!(store.board.trial.is_some());
    }
}
