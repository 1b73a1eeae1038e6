//! Two runs side by side. Each has a store of its own, which the engine keeps up to date as it does the page's; one
//! timeline moves both.

mod clock;
mod marks;

use std::ops::ControlFlow::{self, Break, Continue};
use std::rc::Rc;

use crate::scene;
use crate::scene::Detail;
use crate::scene::owner::Owners;
use crate::ui::features::explain::ExplainAction;
use crate::ui::store::{Action, Dialog, Effect, Store};
use crate::ui::styles;
use berth_protocol::command::{Command, Subject};
use berth_protocol::compare::{
    Compared, Comparing, Origin, Pairing, Place, PodDifference, Side, Summary, Which,
};
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_protocol::remark::Remark;

pub use clock::Clock;
pub use marks::{Elsewhere, Kind};

/// Number of differences whose causes are asked for at once.
pub const LISTED: usize = 12;

/// What is drawn of the two runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stages {
    /// Both, side by side.
    #[default]
    Both,
    /// B's, with what it has in another place than A.
    Differences,
}

/// How far the comparison has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    #[default]
    Opening,
    /// Attempts made so far, and the number of Pods.
    Running {
        attempts: usize,
        pods: usize,
    },
    Done,
    Refused {
        side: Option<Which>,
        message: Remark,
    },
}

/// What a new comparison is to begin with: the part of the form that is in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topic {
    #[default]
    Configurations,
    Versions,
    Seeds,
    Nodes,
    Gates,
    Edits,
}

/// An action on a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    /// Opens the form that chooses what to compare.
    Choose(Topic),
    /// Compares; `None`: what the Scenario says.
    Begin(Option<Box<Pairing>>),
    Leave,
    /// An action on one side's stage.
    Side(Which, Box<Action>),
    /// Chooses a Pod in both runs, or deselects it.
    Pod(String),
    /// Lists more differences.
    More,
    Show(Stages),
    /// Draws the stages of runs that came out the same.
    ShowSame,
    /// Counts the spread over the domains of this label.
    Topology(String),
    /// Shows or hides the settings that differ.
    Settings(bool),
    Change(Which, Box<Side>),
}

/// The state of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    pub pairing: Pairing,
    pub progress: Progress,
    /// The runs, A and B.
    pub sides: [Store; 2],
    pub ends: Option<Box<(Summary, Summary)>>,
    /// The number of Pods that both runs kept where they were.
    pub kept: usize,
    /// The Pods that came out differently, as far as they have arrived.
    pub differences: Vec<PodDifference>,
    /// Their number.
    pub different: usize,
    /// The Pods that end elsewhere in the other run, for the stage of each side.
    pub elsewhere: [Rc<Elsewhere>; 2],
    pub pod: Option<String>,
    pub listed: usize,
    pub stages: Stages,
    /// The stages are drawn although nothing differs.
    pub shows_same: bool,
    pub shows_settings: bool,
    pub clock: Clock,
    /// The Pod to choose once both runs are loaded: an opened link shows it.
    awaited_pod: Option<String>,
    /// The engine has begun with it; earlier reports are of an earlier comparison.
    begun: bool,
}

impl Compare {
    fn new(pairing: Pairing, page: &Store) -> Self {
        let side = || {
            let mut store = Store::default();
            store.stage.group_by.clone_from(&page.stage.group_by);
            store.time.speed = page.time.speed;
            // An owner has the color that it has on the stage.
            store.view.owners = Rc::new(Owners::default().numbered_as(&page.view.owners));
            store
        };
        Self {
            pairing,
            progress: Progress::Opening,
            sides: [side(), side()],
            ends: None,
            kept: 0,
            differences: Vec::new(),
            different: 0,
            elsewhere: Default::default(),
            pod: None,
            listed: LISTED,
            stages: Stages::default(),
            shows_same: false,
            shows_settings: false,
            clock: Clock::new(page.time.speed),
            awaited_pod: None,
            begun: false,
        }
    }

    pub fn side(&self, which: Which) -> &Store {
        let [a, b] = &self.sides;
        match which {
            Which::A => a,
            Which::B => b,
        }
    }

    fn side_mut(&mut self, which: Which) -> &mut Store {
        let [a, b] = &mut self.sides;
        match which {
            Which::A => a,
            Which::B => b,
        }
    }

    /// Whether both runs are loaded.
    pub fn is_done(&self) -> bool {
        self.progress == Progress::Done
    }

    /// Whether the stages are left out, as two of the same say nothing.
    pub fn leaves_out_stages(&self) -> bool {
        self.is_done() && self.different == 0 && !self.shows_same
    }

    /// The difference of the chosen Pod.
    pub fn chosen(&self) -> Option<&PodDifference> {
        let pod = self.pod.as_deref()?;
        self.differences.iter().find(|it| it.pod == pod)
    }

    /// An action on one side's store; its commands go to that side's run.
    fn on_side(&mut self, which: Which, action: Action) -> Vec<Effect> {
        let effects = self.side_mut(which).act(action);
        // The rest concerns the page, or edits.
        let effects = effects.into_iter().filter_map(|effect| {
            if let Effect::Send(command) = effect {
                return Some(ask(Comparing::Side(which, Box::new(command))));
            }
            (effect == Effect::DrawMore).then_some(effect)
        });
        effects.collect()
    }

    fn on_both(&mut self, action: &Action) -> Vec<Effect> {
        Which::BOTH
            .into_iter()
            .flat_map(|which| self.on_side(which, action.clone()))
            .collect()
    }

    /// The causes of the listed differences that are not known yet.
    fn ask_causes(&self, from: usize) -> Effect {
        let count = self.listed.saturating_sub(from);
        ask(Comparing::Causes { from, count })
    }

    fn receive(&mut self, update: Compared) -> Vec<Effect> {
        match update {
            // Not about a comparison under way.
            Compared::Suggested => {}
            Compared::Begun(pairing) => self.pairing = pairing,
            Compared::Progress { attempts, pods } => {
                self.progress = Progress::Running {
                    attempts: attempts.iter().sum(),
                    pods: pods.iter().sum(),
                };
            }
            Compared::Ends { a, b, kept, pods } => {
                let is_first = self.ends.is_none();
                self.ends = Some(Box::new((a, b)));
                self.kept = kept;
                self.different = pods;
                self.progress = Progress::Done;
                if is_first && pods > 0 {
                    return vec![self.ask_causes(0)];
                }
            }
            Compared::Differences { from, pods } => {
                let is_new = from == self.differences.len();
                for (offset, pod) in pods.into_iter().enumerate() {
                    match self.differences.get_mut(from + offset) {
                        Some(known) => *known = pod,
                        None => self.differences.push(pod),
                    }
                }
                if is_new && self.differences.len() == self.different {
                    self.mark();
                    return self
                        .awaited_pod
                        .take()
                        .map_or_else(Vec::new, |pod| self.choose(pod));
                }
            }
            Compared::Side(which, update) => {
                let known = Rc::clone(&self.side(which.other()).view.owners);
                let view = &mut self.side_mut(which).view;
                let owners = view.owners.numbered_as(&known);
                if owners != *view.owners {
                    view.owners = Rc::new(owners);
                }
                let effects = self.on_side(which, Action::Update(Box::new(update)));
                self.clock.follow(&self.sides);
                self.light();
                return effects;
            }
            Compared::Refused { side, message } => {
                self.progress = Progress::Refused { side, message };
            }
        }
        Vec::new()
    }

    /// Lights the cells of the chosen Pod.
    fn light(&mut self) {
        let places = self.chosen().map(|it| [it.a.clone(), it.b.clone()]);
        for (side, place) in self.sides.iter_mut().zip(places.into_iter().flatten()) {
            // A card shows the Pod itself.
            let is_far = scene::detail(side.view.nodes.len(), side.stage.zoom) == Detail::Cell;
            if let Place::Node(node) = place
                && is_far
            {
                side.explain.lit = [node].into();
            }
        }
    }

    /// Marks what lies elsewhere on both stages.
    fn mark(&mut self) {
        for which in Which::BOTH {
            let marks = Rc::new(Elsewhere::new(which, &self.differences));
            self.elsewhere[which as usize] = Rc::clone(&marks);
            self.side_mut(which).stage.elsewhere = Some(marks);
        }
    }

    /// Draws where B's Pods were in A, or stops.
    fn show(&mut self, stages: Stages) {
        self.stages = stages;
        self.mark();
        if stages == Stages::Differences {
            let [a, b] = &mut self.sides;
            let mut marks = Elsewhere::new(Which::B, &self.differences);
            marks.add_left(&a.view, &self.differences);
            b.stage.elsewhere = Some(Rc::new(marks));
        }
    }

    fn choose(&mut self, pod: String) -> Vec<Effect> {
        if self.pod.as_deref() == Some(&pod) {
            self.pod = None;
            self.sides
                .iter_mut()
                .for_each(|side| side.explain.lit.clear());
            return self.ask_about_latest();
        }
        self.pod = Some(pod.clone());
        self.light();
        self.on_both(&Action::Explain(ExplainAction::Find(pod)))
    }

    fn ask_about_latest(&mut self) -> Vec<Effect> {
        let latest = |which: Which, side: &mut Store| {
            let Effect::Send(command) = side.ask_about(Subject::Latest) else {
                return None;
            };
            Some(ask(Comparing::Side(which, Box::new(command))))
        };
        let [a, b] = &mut self.sides;
        [latest(Which::A, a), latest(Which::B, b)]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Whether a report changes what is drawn: a patch in pieces is drawn with the last piece.
#[inline(never)]
pub fn shows(update: &Compared) -> bool {
    !matches!(update, Compared::Side(_, Update::Patch(patch)) if patch.more)
}

/// The effect that sends a command to the comparison.
fn ask(command: Comparing) -> Effect {
    Effect::Send(Command::Compare(OutOfLine::new(command)))
}

impl Store {
    /// Compares two runs.
    pub(in crate::ui) fn begin_compare(&mut self, pairing: Option<Pairing>) -> Vec<Effect> {
        self.leave();
        self.page.dialog = None;
        let stages = self.compare.as_ref().map(|compare| compare.stages);
        let given = pairing.clone().unwrap_or_default();
        let mut compare = Compare::new(given, self);
        compare.stages = stages.unwrap_or_default();
        self.compare = Some(Box::new(compare));
        vec![
            Effect::Style(styles::COMPARE),
            ask(Comparing::Begin(pairing)),
        ]
    }

    /// A visit was restored in which two runs were compared.
    #[inline(never)]
    pub(in crate::ui) fn compare_restored(&mut self) -> Vec<Effect> {
        let says = self.view.about.compares;
        let Some(awaited) = self.awaits_compare.take() else {
            return Vec::new();
        };
        let is_there = awaited.is_some() || says;
        if !is_there || self.page.embed.is_some() {
            return Vec::new();
        }
        let pairing = awaited.map(|pairing| *pairing);
        let effects = self.begin_compare(pairing);
        let pod = self.share.compared_pod.take();
        if let Some(compare) = &mut self.compare {
            compare.awaited_pod = pod;
        }
        effects
    }

    /// Goes back to the page's own run, at its previous position.
    pub(in crate::ui) fn leave_compare(&mut self) -> Vec<Effect> {
        match self.compare.take() {
            Some(_) => vec![ask(Comparing::End)],
            None => Vec::new(),
        }
    }

    #[inline(never)]
    pub(in crate::ui) fn on_compare(&mut self, action: CompareAction) -> Vec<Effect> {
        match action {
            CompareAction::Choose(topic) => {
                self.page.dialog = Some(Dialog::Compare(topic));
                return vec![Effect::Style(styles::COMPARE)];
            }
            CompareAction::Begin(pairing) => return self.begin_compare(pairing.map(|it| *it)),
            CompareAction::Leave => return self.leave_compare(),
            CompareAction::Side(..)
            | CompareAction::Pod(_)
            | CompareAction::More
            | CompareAction::Show(_)
            | CompareAction::ShowSame
            | CompareAction::Topology(_)
            | CompareAction::Settings(_)
            | CompareAction::Change(..) => {}
        }
        let Some(compare) = &mut self.compare else {
            return Vec::new();
        };
        match action {
            CompareAction::Side(which, action) => {
                // A Pod is chosen in both runs.
                if let Action::Explain(ExplainAction::Pod(pod)) = *action {
                    compare.choose(pod)
                } else if matches!(*action, Action::Stage(_) | Action::Explain(_)) {
                    compare.on_side(which, *action)
                } else {
                    Vec::new()
                }
            }
            CompareAction::Pod(pod) => compare.choose(pod),
            CompareAction::More => {
                let from = compare.listed;
                compare.listed += 4 * LISTED;
                vec![compare.ask_causes(from)]
            }
            CompareAction::Show(stages) => {
                compare.show(stages);
                Vec::new()
            }
            CompareAction::ShowSame => {
                compare.shows_same = true;
                Vec::new()
            }
            CompareAction::Topology(key) => {
                compare.pairing.topology.clone_from(&key);
                vec![ask(Comparing::Topology(key))]
            }
            CompareAction::Settings(shown) => {
                compare.shows_settings = shown;
                Vec::new()
            }
            CompareAction::Change(which, side) => {
                let mut pairing = compare.pairing.clone();
                *pairing.side_mut(which) = *side;
                self.begin_compare(Some(pairing))
            }
            CompareAction::Choose(_) | CompareAction::Begin(_) | CompareAction::Leave => Vec::new(),
        }
    }

    /// Takes what the engine reports of the comparison; ignores reports of an earlier one that ended.
    #[inline(never)]
    pub(in crate::ui) fn receive_compared(&mut self, update: Compared) -> Vec<Effect> {
        if matches!(update, Compared::Suggested) {
            return match self.page.embed {
                Some(_) => Vec::new(),
                None => self.begin_compare(None),
            };
        }
        let Some(compare) = &mut self.compare else {
            return Vec::new();
        };
        if matches!(update, Compared::Begun(_)) {
            compare.begun = true;
        }
        if !compare.begun {
            return Vec::new();
        }
        let shows = compare.stages;
        let effects = compare.receive(update);
        if shows != Stages::Both && compare.is_done() {
            compare.show(shows);
        }
        effects
    }

    /// An action while two runs are compared: what would move or edit the page's own run moves both runs, or does
    /// nothing. `Continue`: the action is handled as ever.
    #[inline(never)]
    pub(in crate::ui) fn while_comparing(
        &mut self,
        action: Action,
    ) -> ControlFlow<Vec<Effect>, Action> {
        let Some(compare) = &mut self.compare else {
            return Continue(action);
        };
        match action {
            Action::Time(action) => Break(compare.through_time(action)),
            // The finder's choice.
            Action::Explain(ExplainAction::Find(pod)) => Break(compare.choose(pod)),
            Action::Stage(crate::ui::features::stage::StageAction::DrawMore) => {
                Break(compare.on_both(&action))
            }
            Action::Page(crate::ui::store::PageAction::Escape) => {
                let was_open =
                    self.page.dialog.take().is_some() | self.page.notice.take().is_some();
                if was_open {
                    return Break(Vec::new());
                }
                match compare.pod.clone() {
                    Some(pod) => Break(compare.choose(pod)),
                    None => Break(self.leave_compare()),
                }
            }
            Action::Edit(
                crate::ui::store::EditAction::Open(_) | crate::ui::store::EditAction::Files { .. },
            )
            | Action::Restore(_) => {
                let mut effects = self.leave_compare();
                effects.extend(self.reduce(action));
                Break(effects)
            }
            Action::Share(crate::ui::features::share::ShareAction::Arrived {
                opened: Some(crate::ui::features::share::Opened::Link(_)),
                ..
            })
            | Action::Share(crate::ui::features::share::ShareAction::Back) => {
                let mut effects = self.leave_compare();
                effects.extend(self.reduce(action));
                Break(effects)
            }
            action if action.manner().rests_while_comparing => Break(Vec::new()),
            action => Continue(action),
        }
    }

    /// The sides of a comparison of the run before the edits with that after them.
    pub fn fork_pairing() -> Pairing {
        let side = |from: Origin| Side {
            from,
            ..Side::default()
        };
        Pairing {
            a: side(Origin::FirstRun),
            b: side(Origin::Fork),
            ..Pairing::default()
        }
    }
}

#[cfg(test)]
mod tests;
