//! Draining a node from the stage: first the plan, then the drain.

use std::rc::Rc;

use crate::ui::store::{Effect, Store};
use crate::words;
use berth_protocol::command::{Command, Query};
use berth_protocol::drain::DrainPlan;
use berth_protocol::gesture::Gesture;

impl Store {
    /// Opens the node's form and asks what a drain would do.
    pub(in crate::ui) fn ask_drain(&mut self, node: String) -> Vec<Effect> {
        self.stage.editing = Some(node.clone());
        self.stage.chip = None;
        self.stage.adding = false;
        self.stage.drain = None;
        vec![Effect::Send(Command::Ask(Query::Drain { node }))]
    }

    pub(in crate::ui) fn receive_drain(&mut self, plan: DrainPlan) {
        let is_open = self.stage.editing.as_ref() == Some(&plan.node);
        self.stage.drain = is_open.then(|| Rc::new(plan));
    }

    /// In a simulated cluster the gesture runs `kubectl drain`, whose output is in the terminal.
    pub(in crate::ui) fn drain_now(&mut self) -> Vec<Effect> {
        let Some(plan) = self.stage.drain.take() else {
            return Vec::new();
        };
        self.stage.editing = None;
        let node = plan.node.clone();
        let notice = words::drained(&node);
        let mut effects = self.gesture(Gesture::Drain { node });
        match self.view.head.now_ms {
            None => self.say_undoable(notice),
            Some(_) => effects.extend(self.show_line(&plan.command)),
        }
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::features::stage::StageAction;
    use crate::ui::features::stage::shortcuts::{Place, Shortcut};
    use crate::ui::store::{Action, EditAction};
    use berth_protocol::command::Mutation;
    use berth_protocol::frame::NodeFrame;
    use berth_protocol::page::{Changed, Patch, Update};

    fn store(now_ms: Option<i64>) -> Store {
        let mut store = Store::default();
        let node = NodeFrame {
            name: "node-a".to_owned(),
            ..NodeFrame::default()
        };
        let mut patch = Patch {
            nodes: Changed {
                length: 1,
                items: vec![(0, node)],
            },
            ..Patch::default()
        };
        patch.head.now_ms = now_ms;
        store.commands(Action::Update(Box::new(Update::Patch(Box::new(patch)))));
        store
    }

    fn plan() -> DrainPlan {
        DrainPlan {
            node: "node-a".to_owned(),
            command: "kubectl drain node-a".to_owned(),
            ..DrainPlan::default()
        }
    }

    #[test]
    fn the_key_asks_and_the_button_drains() {
        let mut store = store(None);
        let place = Place {
            node: Some("node-a".to_owned()),
            pod: None,
        };
        let asked = store.commands(Action::Shortcut(Shortcut::Drain, place));
        let node = "node-a".to_owned();
        assert_eq!(asked, [Command::Ask(Query::Drain { node })]);
        assert_eq!(store.stage.editing.as_deref(), Some("node-a"));
        store.commands(Action::Update(Box::new(Update::Drain(Box::new(plan())))));
        let done = store.commands(Action::Stage(StageAction::DrainNow));
        let node = "node-a".to_owned();
        let gesture = Mutation::Gesture(Gesture::Drain { node });
        assert_eq!(done, [Command::Mutate(gesture)]);
        assert!(store.stage.drain.is_none());
    }

    #[test]
    fn in_a_simulated_cluster_the_terminal_shows_it() {
        let mut store = store(Some(0));
        store.commands(Action::Stage(StageAction::AskDrain("node-a".to_owned())));
        store.commands(Action::Update(Box::new(Update::Drain(Box::new(plan())))));
        let done = store.commands(Action::Stage(StageAction::DrainNow));
        let node = "node-a".to_owned();
        let gesture = Mutation::Gesture(Gesture::Drain { node });
        assert_eq!(done, [Command::Mutate(gesture)]);
        assert!(store.terminal.shown);
        let line = "kubectl drain node-a".to_owned();
        assert_eq!(*store.terminal.history, [line]);
        assert_eq!(store.page.notice, None);
    }

    #[test]
    fn a_notice_says_what_happened_and_ends_with_its_scenario() {
        let mut store = store(None);
        store.stage.drain = Some(Rc::new(plan()));
        store.drain_now();
        assert!(
            store
                .page
                .notice
                .as_ref()
                .is_some_and(|it| it.contains("node-a"))
        );
        assert_eq!(store.page.notice, store.page.undoable);
        store.open("kind: Pod".to_owned());
        assert_eq!(store.page.notice, None);
        store.commands(Action::Edit(EditAction::KeepFork));
        assert!(store.page.notice.is_some());
        assert_eq!(store.page.notice, store.page.undoable);
    }
}
