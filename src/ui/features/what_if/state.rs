//! What if: nodes are lost or drained, nodes or replicas come, all is placed again. Answered by a play on a copy, or tried on
//! a fork and compared with the run.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::export::what_if::told;
use crate::ui::store::{Effect, Store};
use crate::words;
use berth_protocol::command::{Command, Mutation, Query, Run, WhatIf};
use berth_protocol::edit::ObjectRef;
use berth_protocol::frame::NodeFrame;
use berth_protocol::gesture::{Gesture, Label, NodeTemplate};
use berth_protocol::key;
use berth_protocol::meant::pool;
use berth_protocol::page::WhatIfAnswer;
use berth_protocol::what_if::{Answered, Asking, Losses, Question};

/// Maximum number of nodes that are added.
pub const MOST: u32 = 100;

/// A question that the engine plays on a copy.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    Playing(Asking),
    Answered(Rc<WhatIfAnswer>),
}

/// An action on the form of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum TrialAction {
    /// Opens the form with this question, changes it, or closes it.
    Choose(Option<Asking>),
    /// Tries the chosen change on a fork.
    Try,
    /// Has the chosen change played on a copy, and answered.
    Ask,
    /// Opens the form with this question, and asks at once.
    AskThis(Asking),
    /// Stops the play; what has been played so far is the answer.
    Stop,
    /// Closes the answer.
    Close,
    /// Copies the answer as Markdown.
    Copy,
    /// Downloads the answer as JSON.
    Download,
}

impl Store {
    pub(in crate::ui) fn on_trial(&mut self, action: TrialAction) -> Vec<Effect> {
        match action {
            TrialAction::Choose(trial) => {
                self.board.trial = trial;
                Vec::new()
            }
            TrialAction::Try => self.try_what_if(),
            TrialAction::Ask => self.ask_what_if(),
            TrialAction::AskThis(trial) => {
                self.board.trial = Some(trial);
                self.ask_what_if()
            }
            TrialAction::Stop => vec![Effect::Send(Command::Run(Run::Stop))],
            TrialAction::Close => {
                let is_playing = matches!(self.board.asked, Some(Asked::Playing(_)));
                self.board.asked = None;
                self.explain.lit.clear();
                let stop = Effect::Send(Command::Run(Run::Stop));
                is_playing.then_some(stop).into_iter().collect()
            }
            TrialAction::Copy => {
                let answered = self.answer().and_then(answered);
                let text = answered.map(|it| Effect::CopyText(told(&it).markdown()));
                text.into_iter().collect()
            }
            TrialAction::Download => {
                let answered = self.answer().and_then(answered);
                let json = answered.and_then(|it| serde_json::to_string_pretty(&it).ok());
                let file = json.map(|json| Effect::Download {
                    name: "what-if.json".to_owned(),
                    text: json.into(),
                });
                file.into_iter().collect()
            }
        }
    }

    fn answer(&self) -> Option<&WhatIfAnswer> {
        match &self.board.asked {
            Some(Asked::Answered(answer)) => Some(answer),
            Some(Asked::Playing(_)) | None => None,
        }
    }

    fn ask_what_if(&mut self) -> Vec<Effect> {
        let Some(asking) = self.board.trial.clone() else {
            return Vec::new();
        };
        self.board.asked = Some(Asked::Playing(asking.clone()));
        self.explain.lit.clear();
        vec![Effect::Send(Command::Ask(Query::WhatIf(asking)))]
    }

    /// The engine has answered. An answer to another question than the last one is late.
    pub(in crate::ui) fn receive_answer(&mut self, answer: WhatIfAnswer) {
        if self.board.asked != Some(Asked::Playing(answer.asking.clone())) {
            return;
        }
        self.explain.lit = match &answer.answer {
            Ok(Answered::Losses(losses)) => self.hit_by(losses),
            Ok(Answered::Answer(answer)) => match &answer.question {
                Some(
                    Question::Lose { nodes, .. }
                    | Question::Drain { nodes, .. }
                    | Question::Upgrade { nodes, .. },
                ) => nodes.iter().cloned().collect(),
                Some(Question::Shrink { .. }) => {
                    let gone = answer.drains.iter().flat_map(|it| &it.nodes);
                    gone.map(|it| it.node.clone()).collect()
                }
                // The page does not ask what the descheduler evicts.
                Some(
                    Question::Add { .. }
                    | Question::Fit { .. }
                    | Question::Anew
                    | Question::Evict { .. },
                )
                | None => BTreeSet::new(),
            },
            Ok(Answered::Need(_)) | Err(_) => BTreeSet::new(),
        };
        self.board.asked = Some(Asked::Answered(Rc::new(answer)));
    }

    /// The nodes whose loss leaves more Pods waiting, or loses some, and those whose drain blocks.
    fn hit_by(&self, losses: &Losses) -> BTreeSet<String> {
        let hits = losses.losses.iter();
        let hits = hits.filter(|loss| !loss.is_harmless());
        let names: BTreeSet<&String> = hits.map(|loss| &loss.name).collect();
        let is_hit = |node: &&Rc<NodeFrame>| match &losses.label {
            None => names.contains(&node.name),
            Some(label) => node
                .labels
                .get(label)
                .is_some_and(|value| names.contains(value)),
        };
        let nodes = self.view.nodes.iter().filter(is_hit);
        nodes.map(|node| node.name.clone()).collect()
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
        self.board.asked = None;
        self.board.open = false;
        self.on_fork(what)
    }

    pub(in crate::ui) fn on_fork(&mut self, what: WhatIf) -> Vec<Effect> {
        self.leave();
        self.time.ran = true;
        let what = self.mutate(Mutation::WhatIf(what));
        self.follow_run(what)
    }

    /// What a fork begins with; `None`: there is no such node or zone, or the change is only asked about.
    pub fn what_if(&self, trial: &Asking) -> Option<WhatIf> {
        let is_there = |name: &str| self.view.nodes.iter().any(|node| node.name == name);
        match trial {
            Asking::Drain { what } if is_there(what) => {
                let node = what.clone();
                Some(gesture(Gesture::Drain { node }))
            }
            Asking::Lose { what } if is_there(what) => {
                let objects = vec![ObjectRef::new("Node", "", what)];
                Some(gesture(Gesture::Delete { objects }))
            }
            Asking::Lose { what } => {
                let (key, value) = what.split_once('=')?;
                let (key, value) = (key.to_owned(), value.trim_start_matches('=').to_owned());
                let zone = Label { key, value };
                let mut nodes = self.view.nodes.iter();
                let is_there = nodes.any(|node| node.labels.get(&zone.key) == Some(&zone.value));
                is_there.then_some(WhatIf::Lose { zone })
            }
            Asking::Add { like, count } if is_there(like) => Some(gesture(Gesture::AddNodes {
                template: NodeTemplate::Like { node: like.clone() },
                count: *count,
                topology: None,
            })),
            Asking::Add { .. }
            | Asking::LoseEach { .. }
            | Asking::Need
            | Asking::Fit { .. }
            | Asking::Anew
            | Asking::Drain { .. }
            | Asking::DrainEach { .. }
            | Asking::Upgrade { .. }
            | Asking::Shrink { .. } => None,
        }
    }

    /// The pools of nodes, by name.
    pub fn pools(&self) -> BTreeSet<String> {
        let nodes = self.view.nodes.iter();
        let names: BTreeSet<&str> = nodes.filter_map(|node| pool(&node.labels)).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    /// The workloads whose Pods are there (`NAMESPACE/NAME`), by name. The form is drawn often, and most Pods share a
    /// workload: only its names are copied.
    pub fn workloads(&self) -> BTreeSet<String> {
        let pods = self.view.pods.iter().filter(|pod| !pod.owner.is_empty());
        let named = pods.map(|pod| (key::split(&pod.key).0, pod.workload_name()));
        let names: BTreeSet<(&str, &str)> = named.collect();
        let joined = names.into_iter();
        joined
            .map(|(namespace, name)| format!("{namespace}/{name}"))
            .collect()
    }
}

/// The answer with a sentence why workloads wait, in the page's language.
pub fn answered(answer: &WhatIfAnswer) -> Option<Answered> {
    let mut answered = answer.answer.clone().ok()?;
    let reasons = &answer.reasons;
    answered.explain(|workload| {
        let reason = reasons.iter().find(|it| it.workload == *workload)?;
        Some((reason.message.clone(), words::why_waits(reason)))
    });
    Some(answered)
}

fn gesture(gesture: Gesture) -> WhatIf {
    WhatIf::Gesture(Box::new(gesture))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::features::board::BoardAction;
    use crate::ui::store::Action;
    use berth_protocol::command::Command;
    use berth_protocol::frame::NodeFrame;
    use berth_protocol::out_of_line::OutOfLine;
    use berth_protocol::page::{Changed, Patch, Update};
    use berth_protocol::what_if::{Answer, Drains, Loss, NodeDrain};

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

    fn tried(store: &mut Store, trial: Asking) -> Vec<Command> {
        let choose = TrialAction::Choose(Some(trial));
        store.commands(Action::Board(BoardAction::WhatIf(choose)));
        store.commands(Action::Board(BoardAction::WhatIf(TrialAction::Try)))
    }

    #[test]
    fn a_lost_zone_is_named_by_its_label() {
        let mut store = store(None);
        let what = "zone=b".to_owned();
        let commands = tried(&mut store, Asking::Lose { what });
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
        let drain = || Asking::Drain { what: "a1".into() };
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
        assert_eq!(tried(&mut store, Asking::Add { like, count: 3 }), []);
        assert!(store.board.trial.is_some());
    }

    #[test]
    fn a_question_is_answered_once_and_lights_the_nodes_that_are_missed() {
        let mut store = store(None);
        let asking = Asking::LoseEach { label: None };
        let ask = TrialAction::AskThis(asking.clone());
        let query = Command::Ask(Query::WhatIf(asking.clone()));
        assert_eq!(
            store.commands(Action::Board(BoardAction::WhatIf(ask))),
            [query]
        );
        let loss = |name: &str, more| Loss {
            name: name.to_owned(),
            more,
            ..Loss::default()
        };
        let losses = Losses {
            losses: vec![loss("b1", 2), loss("a1", 0)],
            ..Losses::default()
        };
        let answer = |asking: Asking| {
            Update::Answered(OutOfLine::new(WhatIfAnswer {
                asking,
                answer: Ok(Answered::Losses(losses.clone())),
                reasons: Vec::new(),
            }))
        };
        store.commands(Action::Update(Box::new(answer(Asking::Need))));
        assert_eq!(store.answer(), None, "that was another question");
        store.commands(Action::Update(Box::new(answer(asking))));
        assert_eq!(
            store.answer().and_then(answered),
            Some(Answered::Losses(losses))
        );
        assert_eq!(store.explain.lit, BTreeSet::from(["b1".to_owned()]));
        let copy = Action::Board(BoardAction::WhatIf(TrialAction::Copy));
        let copied = store.act(copy);
        let is_table = |text: &str| text.contains("| b1 |");
        assert!(matches!(&copied[..], [Effect::CopyText(text), ..] if is_table(text)));
        store.commands(Action::Board(BoardAction::WhatIf(TrialAction::Close)));
        assert!(store.board.asked.is_none() && store.explain.lit.is_empty());
    }

    #[test]
    fn the_nodes_that_can_go_are_lit() {
        let mut store = store(None);
        let asking = Asking::Shrink {
            pool: String::new(),
        };
        store.commands(Action::Board(BoardAction::WhatIf(TrialAction::AskThis(
            asking.clone(),
        ))));
        let gone = NodeDrain {
            node: "b2".to_owned(),
            ..NodeDrain::default()
        };
        let drains = Drains {
            nodes: vec![gone],
            ..Drains::default()
        };
        let answer = Answer {
            question: Some(Question::Shrink {
                pool: None,
                nodes: 3,
            }),
            drains: Some(Box::new(drains)),
            ..Answer::default()
        };
        let update = Update::Answered(OutOfLine::new(WhatIfAnswer {
            asking,
            answer: Ok(Answered::Answer(Box::new(answer))),
            reasons: Vec::new(),
        }));
        store.commands(Action::Update(Box::new(update)));
        assert_eq!(store.explain.lit, BTreeSet::from(["b2".to_owned()]));
    }
}
