//! What if: a node is drained, a zone is lost, nodes are added. Tried on a fork, and compared with the run.

use super::{Effect, Store};
use berth_protocol::command::{Mutation, WhatIf};
use berth_protocol::gesture::{Gesture, Label, NodeTemplate};

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
        self.on_fork(what)
    }

    pub(super) fn on_fork(&mut self, what: WhatIf) -> Vec<Effect> {
        self.leave();
        self.time.ran = true;
        let what = self.mutate(Mutation::WhatIf(what));
        self.follow_run(what)
    }

    /// `None`: there is no such node or zone.
    fn what_if(&self, trial: &Trial) -> Option<WhatIf> {
        let is_there = |name: &str| self.view.nodes.iter().any(|node| node.name == name);
        match trial {
            Trial::Drain { node } if !is_there(node) => None,
            Trial::Drain { node } => {
                let node = node.clone();
                Some(gesture(Gesture::Drain { node }))
            }
            Trial::Lose { zone } => {
                let key = self.stage.group_by.clone();
                let value = zone.clone();
                let zone = Label { key, value };
                let mut nodes = self.view.nodes.iter();
                let is_there = nodes.any(|node| node.labels.get(&zone.key) == Some(&zone.value));
                is_there.then_some(WhatIf::Lose { zone })
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
    fn a_lost_zone_is_named_by_its_label() {
        let mut store = store(None);
        let zone = "b".to_owned();
        let commands = tried(&mut store, Trial::Lose { zone });
        let (key, value) = ("zone".to_owned(), "b".to_owned());
        let zone = Label { key, value };
        assert_eq!(
            commands,
            [Command::Mutate(Mutation::WhatIf(WhatIf::Lose { zone }))]
        );
        assert!(!store.board.open && store.board.trial.is_none());
    }

    #[test]
    fn a_drain_is_asked_the_same_in_both_modes() {
        let drain = || Trial::Drain { node: "a1".into() };
        for now_ms in [None, Some(0)] {
            let node = "a1".to_owned();
            let gesture = gesture(Gesture::Drain { node });
            assert_eq!(
                tried(&mut store(now_ms), drain()),
                [Command::Mutate(Mutation::WhatIf(gesture))]
            );
        }
    }

    #[test]
    fn nothing_is_tried_on_a_node_that_is_not_there() {
        let mut store = store(None);
        let like = "gone".to_owned();
        assert_eq!(tried(&mut store, Trial::Add { like, count: 3 }), []);
        assert!(store.board.trial.is_some());
    }
}
