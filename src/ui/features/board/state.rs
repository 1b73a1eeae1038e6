//! The board of all pending Pods: grouped by cause, each group with the smallest fix that was found for it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::scene::CARDS;
use crate::ui::features::what_if::{Asked, TrialAction};
use crate::ui::store::view::View;
use crate::ui::store::{Effect, Panel, Store};
use crate::words;
use berth_protocol::command::{Command, Query, WhatIf};
use berth_protocol::fix::{Change, GroupFix};
use berth_protocol::frame::{HeldBy, PodFrame, PodState};
use berth_protocol::key;
use berth_protocol::page::Rows;
use berth_protocol::remark::Remark;
use berth_protocol::what_if::Asking;

/// An action on the board.
#[derive(Clone, Debug, PartialEq)]
pub enum BoardAction {
    /// Opens or closes the board.
    Show(bool),
    /// Shows only groups with this text, and lights the nodes that it finds.
    Search(String),
    /// Tries the fix of the attempt at this position of the log.
    Try(usize),
    /// Removes the gates of this Pod and of those that were tried with it.
    Ungate(String),
    /// Puts Pods with the same cause together only if they share this, too.
    GroupBy(GroupBy),
    /// Copies the board as Markdown.
    Copy,
    /// A change that is tried on a fork.
    WhatIf(TrialAction),
}

/// What the Pods of a group share besides their cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupBy {
    #[default]
    Cause,
    Namespace,
    Owner,
}

/// Why the Pod of an attempt waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// A message that counts no nodes.
    pub early: Option<Remark>,
    pub rows: Rc<Rows>,
    pub nearest: Nearest,
}

/// The search for the smallest fix.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Nearest {
    #[default]
    Unknown,
    Stopped,
    None,
    Found(Box<GroupFix>),
}

/// The state of the board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    pub open: bool,
    pub search: String,
    pub by: GroupBy,
    /// The question whose form is open.
    pub trial: Option<Asking>,
    /// The last question about a change, until its answer is closed.
    pub asked: Option<Asked>,
    /// By the attempt's position in the log.
    pub answers: BTreeMap<usize, Answer>,
    /// What removes the gates of Pods, by the first of them.
    pub gates: BTreeMap<String, Nearest>,
    /// The engine has not answered the last question.
    waits: bool,
}

/// Pods that wait for the same cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub pods: Vec<Rc<PodFrame>>,
    pub cause: Cause,
}

/// What a group waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    Held(HeldBy),
    /// No attempt has been made yet.
    Untried,
    /// The first of the Pods' last attempts, by position in the log.
    Rejected(usize),
}

impl Board {
    /// The log may change, so answers about attempts are stale.
    pub(in crate::ui) fn outdate(&mut self) {
        self.answers.clear();
        self.gates.clear();
        self.asked = None;
        self.waits = false;
    }

    /// Another moment is shown, and the engine has dropped a question that it played.
    pub(in crate::ui) fn drop_question(&mut self) {
        self.asked
            .take_if(|asked| matches!(asked, Asked::Playing(_)));
    }

    /// The searches that are not over are given up, until another moment is shown.
    pub(in crate::ui) fn stop_searching(&mut self) {
        for answer in self.answers.values_mut() {
            if answer.nearest == Nearest::Unknown {
                answer.nearest = Nearest::Stopped;
            }
        }
        self.waits = false;
    }

    /// The text that is searched for, in lower case.
    pub fn wanted(&self) -> String {
        self.search.trim().to_lowercase()
    }

    fn gate_is_open(&self, cause: &Cause, pods: &[Rc<PodFrame>]) -> bool {
        let first = pods.first();
        matches!(cause, Cause::Held(HeldBy::Gates(_)))
            && first.is_some_and(|pod| !self.gates.contains_key(&pod.key))
    }

    /// The next question about these groups: first the causes, then the fixes, if they are shown.
    fn question(&self, groups: &[Group], with_fixes: bool) -> Option<Query> {
        let attempts = || {
            groups.iter().filter_map(|group| match group.cause {
                Cause::Rejected(position) => Some(position),
                Cause::Held(_) | Cause::Untried => None,
            })
        };
        let unexplained = attempts().find(|position| !self.answers.contains_key(position));
        if let Some(position) = unexplained {
            return Some(Query::Reason { position });
        }
        if !with_fixes {
            return None;
        }
        let is_open = |group: &&Group| match group.cause {
            Cause::Rejected(position) => {
                let answer = self.answers.get(&position);
                answer.is_some_and(|answer| answer.nearest == Nearest::Unknown)
            }
            Cause::Held(_) | Cause::Untried => false,
        };
        let Some(open) = groups.iter().find(is_open) else {
            let gated = groups
                .iter()
                .find(|group| self.gate_is_open(&group.cause, &group.pods));
            return gated.map(|group| ungate(&group.pods));
        };
        let positions = open.pods.iter().filter_map(|pod| pod.last_attempt);
        Some(Query::Nearest {
            positions: positions.collect(),
        })
    }
}

fn ungate(pods: &[Rc<PodFrame>]) -> Query {
    Query::Ungate {
        pods: pods.iter().map(|pod| pod.key.clone()).collect(),
    }
}

/// The pending Pods by cause, the largest group first. The causes of two Pods are the same if their last attempts ended
/// with the same message and they ask for the same; Pods with rules about nodes also share their owner, as those rules
/// may count its Pods.
pub fn groups(view: &View, by: GroupBy) -> Vec<Group> {
    let waits = |pod: &&Rc<PodFrame>| pod.state != PodState::Bound;
    let namespace = |pod: &PodFrame| key::split(&pod.key).0.to_owned();
    let shared = |pod: &PodFrame| match by {
        GroupBy::Cause => (String::new(), String::new()),
        GroupBy::Namespace => (namespace(pod), String::new()),
        GroupBy::Owner => (namespace(pod), pod.owner.clone()),
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut known = BTreeMap::new();
    for pod in view.pods.iter().filter(waits) {
        let cause = match (&pod.held_by, pod.last_attempt) {
            (Some(held_by), _) => Cause::Held(held_by.clone()),
            (None, None) => Cause::Untried,
            (None, Some(position)) => Cause::Rejected(position),
        };
        let owner = (!pod.node_keys.is_empty()).then_some(&pod.owner);
        let asks = (pod.milli_cpu, pod.memory_bytes, &pod.other_requests);
        let key = match &cause {
            Cause::Rejected(_) => (shared(pod), &pod.message, Some((asks, owner))),
            Cause::Held(_) | Cause::Untried => (shared(pod), &pod.message, None),
        };
        let at = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => {
                group.pods.push(Rc::clone(pod));
                if let (Cause::Rejected(first), Some(own)) = (&mut group.cause, pod.last_attempt) {
                    *first = own.min(*first);
                }
            }
            None => groups.push(Group {
                pods: vec![Rc::clone(pod)],
                cause,
            }),
        }
    }
    groups.sort_by_cached_key(|group| {
        let shared = group.pods.first().map(|pod| shared(pod));
        (shared, std::cmp::Reverse(group.pods.len()))
    });
    groups
}

/// The nodes whose name contains the text, or that have such a Pod.
fn nodes_with(view: &View, wanted: &str) -> BTreeSet<String> {
    let names = view
        .nodes
        .iter()
        .map(|node| &node.name)
        .filter(|name| name.to_lowercase().contains(wanted));
    let pods = view.pods.iter().filter(|pod| is_found(pod, wanted));
    let of_pods = pods.filter_map(|pod| pod.node.as_ref());
    names.chain(of_pods).cloned().collect()
}

/// Whether the name of the Pod contains the text, in lower case.
pub fn is_found(pod: &PodFrame, wanted: &str) -> bool {
    pod.key.to_lowercase().contains(wanted)
}

/// With more nodes than this, all of them are in view beside the board only as small cards.
const FEW_NODES: usize = 12;
/// The zoom of those cards, in percent.
const BESIDE_BOARD: u32 = 40;

impl Store {
    /// The stage's zoom, in percent; `None`: 100 %, or all nodes of many.
    pub fn zoom(&self) -> Option<u32> {
        // Cells have their own zoom, at which all of them are in view.
        let is_small = self.board.open && (FEW_NODES + 1..=CARDS).contains(&self.view.nodes.len());
        self.stage.zoom.or(is_small.then_some(BESIDE_BOARD))
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(in crate::ui) fn on_board(&mut self, action: BoardAction) -> Vec<Effect> {
        match action {
            BoardAction::Show(open) => {
                self.board.open = open;
                if open {
                    self.open_panel(Panel::Explain);
                }
                self.ask_next().into_iter().collect()
            }
            BoardAction::Search(text) => self.search_board(text),
            BoardAction::WhatIf(action) => self.on_trial(action),
            BoardAction::GroupBy(by) => {
                self.board.by = by;
                self.ask_next().into_iter().collect()
            }
            BoardAction::Copy => {
                let groups = groups(&self.view, self.board.by);
                let text = words::pending_markdown(&groups, &self.board.answers);
                vec![Effect::CopyText(text)]
            }
            BoardAction::Ungate(pod) => self.try_ungate(&pod),
            BoardAction::Try(position) => {
                let answer = self.board.answers.get(&position);
                let Some(Nearest::Found(fix)) = answer.map(|answer| answer.nearest.clone()) else {
                    return Vec::new();
                };
                self.board.open = false;
                self.try_on_fork(position, &fix.fix)
            }
        }
    }

    fn search_board(&mut self, text: String) -> Vec<Effect> {
        self.board.search = text;
        let wanted = self.board.wanted();
        let lit = match wanted.chars().count() {
            0 | 1 => BTreeSet::new(),
            _ => nodes_with(&self.view, &wanted),
        };
        let is_news = lit != self.explain.lit;
        self.explain.lit = lit;
        let shows = is_news && !self.explain.lit.is_empty();
        shows.then_some(Effect::ShowLit).into_iter().collect()
    }

    /// Asks the next question, unless one is open. The engine answers it in slices.
    pub(in crate::ui) fn ask_next(&mut self) -> Option<Effect> {
        if self.board.waits || self.time.is_running() {
            return None;
        }
        let question = if self.board.open {
            self.board.question(
                &groups(&self.view, self.board.by),
                !self.lesson.hides_fixes(),
            )?
        } else {
            self.gate_question()?
        };
        self.board.waits = true;
        Some(Effect::Send(Command::Ask(question)))
    }

    /// The question about the gates of the chosen Pod.
    fn gate_question(&self) -> Option<Query> {
        let pod = self.chosen_pod().filter(|_| !self.lesson.hides_fixes())?;
        let pod = Rc::clone(self.view.pods.iter().find(|it| it.key == pod)?);
        let cause = Cause::Held(pod.held_by.clone()?);
        let pods = [pod];
        self.board
            .gate_is_open(&cause, &pods)
            .then(|| ungate(&pods))
    }

    pub(in crate::ui) fn receive_ungated(
        &mut self,
        pod: String,
        fix: Option<Box<GroupFix>>,
    ) -> Vec<Effect> {
        let nearest = fix.map_or(Nearest::None, Nearest::Found);
        self.board.gates.insert(pod, nearest);
        self.ask_again().into_iter().collect()
    }

    /// Removes gates on trial, as the fix says.
    fn try_ungate(&mut self, pod: &str) -> Vec<Effect> {
        let Some(Nearest::Found(found)) = self.board.gates.get(pod).cloned() else {
            return Vec::new();
        };
        let what = if let Change::RemoveGates { line, .. } = found.fix.what
            && !line.is_empty()
        {
            WhatIf::Line(line)
        } else {
            WhatIf::Edits(found.fix.edits)
        };
        self.board.open = false;
        self.on_fork(what)
    }

    /// Another moment is shown, at which the engine has dropped the last question.
    pub(in crate::ui) fn ask_again(&mut self) -> Option<Effect> {
        self.board.waits = false;
        self.ask_next()
    }

    pub(in crate::ui) fn receive_reason(
        &mut self,
        position: usize,
        early: Option<Remark>,
        rows: Rows,
    ) -> Vec<Effect> {
        let answer = Answer {
            early,
            rows: Rc::new(rows),
            nearest: Nearest::Unknown,
        };
        self.board.answers.entry(position).or_insert(answer);
        self.ask_again().into_iter().collect()
    }

    pub(in crate::ui) fn receive_group_fix(
        &mut self,
        position: usize,
        fix: Option<Box<GroupFix>>,
    ) -> Vec<Effect> {
        if let Some(answer) = self.board.answers.get_mut(&position) {
            answer.nearest = fix.map_or(Nearest::None, Nearest::Found);
        }
        self.ask_again().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{BESIDE_BOARD, Board, BoardAction, Cause, FEW_NODES, GroupBy, groups};
    use crate::scene::CARDS;
    use crate::ui::features::explain::ExplainAction;
    use crate::ui::store::view::View;
    use crate::ui::store::{Action, Store};
    use berth_protocol::command::{Command, Mutation, Query, WhatIf};
    use berth_protocol::edit::ObjectRef;
    use berth_protocol::fix::{Change, Fix, GroupFix, Rank};
    use berth_protocol::frame::{HeldBy, NodeFrame, PodFrame, PodState};
    use berth_protocol::page::{Changed, Patch, Update};

    fn pod(key: &str, milli_cpu: i64, last_attempt: Option<usize>) -> PodFrame {
        PodFrame {
            key: key.into(),
            milli_cpu,
            last_attempt,
            message: "0/1 nodes are available".into(),
            ..PodFrame::default()
        }
    }

    fn view(pods: Vec<PodFrame>) -> View {
        let mut view = View::default();
        view.apply(Patch {
            pods: Changed {
                length: pods.len(),
                items: pods.into_iter().enumerate().collect(),
            },
            ..Patch::default()
        });
        view
    }

    #[test]
    fn beside_the_board_many_nodes_are_small_until_a_zoom_is_chosen() {
        let nodes = |count: usize| {
            let mut store = Store::default();
            store.view.apply(Patch {
                nodes: Changed {
                    length: count,
                    items: (0..count).map(|at| (at, NodeFrame::default())).collect(),
                },
                ..Patch::default()
            });
            store
        };
        let mut few = nodes(FEW_NODES);
        few.board.open = true;
        assert_eq!(few.zoom(), None);
        let mut many = nodes(FEW_NODES + 1);
        assert_eq!(many.zoom(), None);
        many.board.open = true;
        assert_eq!(many.zoom(), Some(BESIDE_BOARD));
        many.stage.zoom = Some(100);
        assert_eq!(many.zoom(), Some(100));
        let mut cells = nodes(CARDS + 1);
        cells.board.open = true;
        assert_eq!(cells.zoom(), None, "all of them are in view");
    }

    #[test]
    fn gates_of_a_group_are_asked_for_once_and_removed_as_the_fix_says() {
        let mut store = Store::default();
        let mut gated = pod("default/a", 1, None);
        gated.state = PodState::Gated;
        gated.held_by = Some(HeldBy::Gates(vec!["g".into()]));
        let patch = Patch {
            pods: Changed {
                length: 1,
                items: vec![(0, gated)],
            },
            ..Patch::default()
        };
        let take =
            |store: &mut Store, update: Update| store.commands(Action::Update(Box::new(update)));
        take(&mut store, Update::Patch(Box::new(patch)));
        let pods = vec!["default/a".to_owned()];
        let asked = store.commands(Action::Explain(ExplainAction::Find(pods[0].clone())));
        let ask = Command::Ask(Query::Ungate { pods });
        assert!(asked.contains(&ask), "{asked:?}");
        let line = "kubectl patch pod a".to_owned();
        let fix = Fix {
            what: Change::RemoveGates {
                gates: vec!["g".into()],
                object: ObjectRef::new("Pod", "default", "a"),
                line: line.clone(),
            },
            edits: Vec::new(),
            rank: Rank { tier: 0, amount: 0 },
            node: "n".into(),
            feasible: Vec::new(),
            feasible_count: 1,
            template: None,
            moves: Vec::new(),
        };
        let fix = GroupFix {
            fix,
            helped: 1,
            tried: 1,
        };
        let answer = Update::Ungated {
            pod: "default/a".into(),
            fix: Some(Box::new(fix)),
        };
        assert_eq!(take(&mut store, answer), [], "it is known now");
        let tried = store.commands(Action::Board(BoardAction::Ungate("default/a".into())));
        let mutation = Mutation::WhatIf(WhatIf::Line(line));
        // The page follows the run again, and no longer this Pod.
        assert_eq!(tried.last(), Some(&Command::Mutate(mutation)));
    }

    #[test]
    fn pods_share_a_cause_if_they_ask_for_the_same_and_got_the_same_answer() {
        let gated = PodFrame {
            state: PodState::Gated,
            held_by: Some(HeldBy::Gates(vec!["a".into()])),
            message: "waiting for a".into(),
            ..pod("gated", 0, None)
        };
        let bound = PodFrame {
            state: PodState::Bound,
            ..pod("bound", 500, Some(9))
        };
        let of = |owner: &str, key: &str| PodFrame {
            owner: owner.into(),
            node_keys: vec!["zone".into()],
            ..pod(key, 500, Some(5))
        };
        let all = vec![
            pod("large", 900, Some(4)),
            pod("one", 500, Some(2)),
            pod("two", 500, Some(3)),
            gated,
            bound,
            of("ReplicaSet/a", "spread-a"),
            of("ReplicaSet/b", "spread-b"),
        ];
        let view = view(all);
        let by_owner: Vec<usize> = groups(&view, GroupBy::Owner)
            .iter()
            .map(|group| group.pods.len())
            .collect();
        assert_eq!(
            by_owner.len(),
            5,
            "one owner, as those of the groups differ"
        );
        let groups = groups(&view, GroupBy::Cause);
        let sizes: Vec<usize> = groups.iter().map(|group| group.pods.len()).collect();
        assert_eq!(sizes, [2, 1, 1, 1, 1]);
        assert_eq!(groups[0].cause, Cause::Rejected(2));
        assert!(matches!(groups[2].cause, Cause::Held(_)));
    }

    #[test]
    fn pods_of_several_namespaces_are_grouped_by_namespace_first() {
        let pods = ["shop/a", "data/b", "shop/c"];
        let pods = (0..).zip(pods).map(|(at, key)| pod(key, 500, Some(at)));
        let view = view(pods.collect());
        let keys = |by| -> Vec<Vec<String>> {
            let groups = groups(&view, by).into_iter();
            let keys = |group: super::Group| group.pods.iter().map(|pod| pod.key.clone()).collect();
            groups.map(keys).collect()
        };
        assert_eq!(keys(GroupBy::Cause), [["shop/a", "data/b", "shop/c"]]);
        assert_eq!(
            keys(GroupBy::Namespace),
            [vec!["data/b"], vec!["shop/a", "shop/c"]]
        );
    }

    #[test]
    fn causes_are_asked_for_before_fixes_and_each_once() {
        let pods = vec![pod("a", 1, Some(0)), pod("b", 2, Some(1))];
        let groups = groups(&view(pods), GroupBy::Cause);
        let mut board = Board::default();
        let answer = super::Answer {
            early: None,
            rows: std::rc::Rc::default(),
            nearest: super::Nearest::Unknown,
        };
        let reason = |position| Some(Query::Reason { position });
        assert_eq!(board.question(&groups, true), reason(0));
        board.answers.insert(0, answer.clone());
        assert_eq!(board.question(&groups, true), reason(1));
        board.answers.insert(1, answer);
        assert_eq!(board.question(&groups, false), None, "a lesson hides fixes");
        assert_eq!(
            board.question(&groups, true),
            Some(Query::Nearest { positions: vec![0] })
        );
        for answer in board.answers.values_mut() {
            answer.nearest = super::Nearest::None;
        }
        assert_eq!(board.question(&groups, true), None);
    }
}
