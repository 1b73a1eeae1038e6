//! Goes through the cluster's attempts: each is compared with Berth's decision, then happens as it did in the cluster.

use std::collections::{BTreeMap, BTreeSet};

use berth_protocol::frame::HeldBy;
use berth_protocol::key::split;
use berth_protocol::verify::{
    self, Answer, Counts, Difference, NodeVerdict, Verification, VerifiedAttempt, What,
};
use berth_sim::followed::{Decision, Followed, Room};

use super::compare::{self, Comparison};
use super::names::Names;
use super::said::PodSaid;
use super::step::{Outcome, Step, Teller};

/// Number of attempts of the same time among which one is looked for that agrees.
const MOST_AT_ONCE: usize = 50;

/// What is known of a Pod of the cluster after its attempts.
#[derive(Clone, Debug, Default)]
pub(super) struct PodHistory {
    /// Number of its attempts.
    pub attempts: usize,
    /// The texts with which Berth let it wait, each once.
    pub messages: Vec<String>,
    /// Berth's last text; `None`: the last attempt found a node.
    pub last: Option<String>,
    /// Where the last attempt put it in the cluster.
    pub node: Option<String>,
    /// What Berth said then of the node on which it is at the end, if that is another one.
    pub verdict: Option<NodeVerdict>,
    /// Whether the condition told the last attempt.
    pub is_of_condition: bool,
    /// Whether the log has its attempts.
    pub is_logged: bool,
}

/// The state of the comparison.
pub(super) struct Follower<'p> {
    pub followed: Followed,
    pub names: Names,
    /// The Pods that have their node from the case.
    placed: BTreeSet<String>,
    pub pods: BTreeMap<&'p str, &'p PodSaid>,
    pub verification: Verification,
    /// By name in the cluster.
    pub tried: BTreeMap<String, PodHistory>,
    /// Victims that may be terminating or gone.
    leaving: Vec<Leaving>,
    /// Victims that are terminating to the end.
    staying: BTreeSet<String>,
}

/// A victim that the cluster has no longer at the end; names in the case.
#[derive(Clone, Debug)]
struct Leaving {
    victim: String,
    preemptor: String,
}

/// Berth's decision, compared with the cluster's.
type Decided = (Decision, Comparison);

/// A step beside Berth's decision.
struct Trial {
    case_pod: String,
    decision: Decision,
    comparison: Comparison,
    /// The state of the decision, if it is another than the follower's.
    state: Option<(Followed, Vec<Leaving>)>,
}

impl Trial {
    fn new(
        case_pod: String,
        (decision, comparison): Decided,
        state: Option<(Followed, Vec<Leaving>)>,
    ) -> Self {
        Self {
            case_pod,
            decision,
            comparison,
            state,
        }
    }

    fn agrees(&self) -> bool {
        self.comparison.has_same_outcome()
    }
}

impl<'p> Follower<'p> {
    pub fn new(
        followed: Followed,
        names: Names,
        placed: BTreeSet<String>,
        pods: &'p [PodSaid],
    ) -> Self {
        Self {
            followed,
            names,
            placed,
            pods: pods.iter().map(|pod| (pod.key.as_str(), pod)).collect(),
            verification: Verification::default(),
            tried: BTreeMap::new(),
            leaving: Vec::new(),
            staying: BTreeSet::new(),
        }
    }

    /// Compares all attempts. Of those that may have been made in any order, the first that agrees is next.
    pub fn follow(&mut self, steps: Vec<Step>) {
        let mut left: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
        let mut undecided = Vec::new();
        for first in 0..left.len() {
            while let Some((at, trial)) = self.next(left.get(first..).unwrap_or_default()) {
                let Some(step) = left.get_mut(first + at).and_then(Option::take) else {
                    break;
                };
                // What a condition tells may have been said at any later time.
                if step.teller == Teller::Condition && !trial.as_ref().is_some_and(Trial::agrees) {
                    undecided.push(step);
                } else {
                    self.follow_step(&step, trial);
                }
            }
        }
        for step in undecided {
            let trial = self.trial(&step);
            self.follow_step(&step, trial);
        }
    }

    /// The place of the step to compare next; `None` if the first one is taken already.
    fn next(&mut self, left: &[Option<Step>]) -> Option<(usize, Option<Trial>)> {
        let earliest = left.first()?.as_ref()?;
        let trial = self.trial(earliest);
        if earliest.teller == Teller::Log || trial.as_ref().is_some_and(Trial::agrees) {
            return Some((0, trial));
        }
        let until = earliest.time.1;
        let others = left.iter().enumerate().skip(1);
        let others = others.filter_map(|(at, step)| Some((at, step.as_ref()?)));
        // A Pod's attempts come in their order.
        let may_be_next = |step: &Step| {
            step.time.0 <= until && step.teller == Teller::Event && step.pod != earliest.pod
        };
        let others = others.filter(|(_, step)| may_be_next(step));
        for (at, step) in others.take(MOST_AT_ONCE) {
            let other = self.trial(step);
            if other.as_ref().is_some_and(Trial::agrees) {
                return Some((at, other));
            }
        }
        Some((0, trial))
    }

    /// Berth's decision where the victims are gone that may be, or else where they are still there; `None` if Berth does
    /// not try the Pod.
    fn trial(&mut self, step: &Step) -> Option<Trial> {
        let mut case_pod = self.names.in_case(&step.pod, &mut self.followed);
        if case_pod.is_none() && !self.leaving.is_empty() {
            // Its controller may have made it for a victim.
            for leaving in std::mem::take(&mut self.leaving) {
                self.followed.delete(&leaving.victim);
            }
            case_pod = self.names.in_case(&step.pod, &mut self.followed);
        }
        let case_pod = case_pod?;
        if self.leaving.is_empty() {
            let decided = self.decided(&case_pod, step, &self.followed)?;
            return Some(Trial::new(case_pod, decided, None));
        }
        // The preemptor is tried again when its victims are gone.
        let is_settled = |leaving: &Leaving| leaving.preemptor == case_pod;
        let (settled, leaving): (Vec<Leaving>, Vec<Leaving>) =
            self.leaving.iter().cloned().partition(is_settled);
        let mut state = self.followed.clone();
        settled.iter().for_each(|it| state.delete(&it.victim));
        let mut gone = state.clone();
        leaving.iter().for_each(|it| gone.delete(&it.victim));
        let after = self.decided(&case_pod, step, &gone)?;
        if !leaving.is_empty() && !after.1.has_same_outcome() {
            let before = self.decided(&case_pod, step, &state)?;
            if before.1.has_same_outcome() {
                return Some(Trial::new(case_pod, before, Some((state, leaving))));
            }
        }
        Some(Trial::new(case_pod, after, Some((gone, Vec::new()))))
    }

    fn decided(&self, pod: &str, step: &Step, state: &Followed) -> Option<Decided> {
        let decision = state.decide(pod, step.node())?;
        let leaving = self.leaving.iter().map(|leaving| &leaving.victim);
        let terminating = self.staying.iter().chain(leaving).cloned().collect();
        let comparison = compare::compare(step, &decision.cycle, &self.names, &terminating);
        Some((decision, comparison))
    }

    /// Records the comparison, and lets happen what the cluster did.
    fn follow_step(&mut self, step: &Step, trial: Option<Trial>) {
        if trial.is_none() && self.is_placed(&step.pod) {
            // It was placed before the case was taken.
            return;
        }
        let number = self.begin(step);
        let mut trial = self.enter(trial);
        if let Some(first) = &trial
            && self.makes_untold_room(step, first)
        {
            let again = self.trial(step);
            trial = self.enter(again);
        }
        let Some(trial) = trial else {
            self.untried(step, number);
            return;
        };
        if let Some(berth) = self.held_back(&trial.case_pod) {
            self.differ(&step.pod, Some(number), What::HeldBack { berth });
        }
        self.record(step, number, &trial);
        self.happen(step, trial);
    }

    /// Whether a Pod of the cluster is where the case put it.
    fn is_placed(&self, pod: &str) -> bool {
        let pod = self.names.known(pod);
        let pod = pod.filter(|pod| self.placed.contains(*pod)).map(split);
        let pods = self.followed.snapshot().cluster().pods();
        let pod = pod.and_then(|(namespace, name)| pods.find(namespace, name));
        pod.is_some_and(|pod| pod.object.node_name.is_some())
    }

    /// The state of a trial is that of the cluster.
    fn enter(&mut self, mut trial: Option<Trial>) -> Option<Trial> {
        if let Some((followed, leaving)) = trial.as_mut().and_then(|trial| trial.state.take()) {
            (self.followed, self.leaving) = (followed, leaving);
        }
        trial
    }

    /// Counts an attempt of its Pod.
    fn begin(&mut self, step: &Step) -> usize {
        let tried = self.tried.entry(step.pod.clone()).or_default();
        tried.attempts += 1;
        tried.node = step.node().map(str::to_owned);
        tried.is_of_condition = step.teller == Teller::Condition;
        tried.is_logged |= step.teller == Teller::Log;
        tried.attempts
    }

    /// A Pod that Berth cannot try: it is not in the case, has a node there, or is of no profile.
    fn untried(&mut self, step: &Step, number: usize) {
        let what = match self.names.known(&step.pod) {
            // Told once, of the Pod.
            None => return,
            Some(pod) => match self.held_back(pod) {
                Some(berth) => What::HeldBack { berth },
                None => What::NotWaiting,
            },
        };
        self.verification.counts.attempts.add(false);
        self.differ(&step.pod, Some(number), what);
    }

    /// Why Berth does not try a Pod that waits.
    pub fn held_back(&self, pod: &str) -> Option<String> {
        let snapshot = self.followed.snapshot();
        let (namespace, name) = split(pod);
        let pod = snapshot.cluster().pods().find(namespace, name)?;
        snapshot.gate_of(pod)
    }

    /// Whether Berth does not try a Pod for its scheduling gates.
    pub fn is_gated(&self, pod: &str) -> bool {
        let snapshot = self.followed.snapshot();
        let (namespace, name) = split(pod);
        let pod = snapshot.cluster().pods().find(namespace, name);
        let held_by = pod.and_then(|pod| snapshot.held_by(pod));
        matches!(held_by, Some(HeldBy::Gates(_)))
    }

    /// Notes a difference.
    pub fn differ(&mut self, pod: &str, attempt: Option<usize>, what: What) {
        self.verification.differences.push(Difference {
            pod: pod.to_owned(),
            attempt,
            what,
        });
    }

    fn record(&mut self, step: &Step, number: usize, trial: &Trial) {
        let Trial {
            case_pod,
            decision,
            comparison,
            ..
        } = trial;
        add(&mut self.verification.counts, &comparison.counts);
        let said = self.pods.get(step.pod.as_str());
        let at_end = said.and_then(|pod| pod.node.as_deref());
        let other = at_end.filter(|node| Some(*node) != step.node());
        let verdict = other.map(|node| compare::verdict(&decision.cycle, node));
        let message = decision.cycle.message.clone();
        let tried = self.tried.entry(step.pod.clone()).or_default();
        tried.verdict = verdict;
        tried.last.clone_from(&message);
        if let Some(message) = message
            && !tried.messages.contains(&message)
        {
            tried.messages.push(message);
        }
        self.verification.attempts.push(VerifiedAttempt {
            pod: step.pod.clone(),
            case_pod: Some(case_pod.clone()).filter(|name| *name != step.pod),
            number,
            cluster: told(step),
            berth: compare::answer(&decision.cycle, &self.names),
            scores: comparison.counts.scores.compared,
            differences: comparison.whats.len(),
        });
        for what in &comparison.whats {
            self.differ(&step.pod, Some(number), what.clone());
        }
    }

    fn happen(&mut self, step: &Step, trial: Trial) {
        match &step.result {
            Outcome::Bound(node) => {
                let said = self.pods.get(step.pod.as_str());
                let start_ms = said.and_then(|pod| pod.start_ms);
                self.followed.bind(trial.decision, node, start_ms);
            }
            Outcome::Failed(_) => self.followed.fail(&trial.decision),
            Outcome::Refused(_) | Outcome::Unknown => {
                let room = match &step.preemption {
                    Some(room) => room.clone(),
                    None => self.untold_room(&trial.decision),
                };
                match room {
                    Some(room) => self.make_room(trial, &room),
                    None => self.followed.refuse(trial.decision, None),
                }
            }
        }
    }

    /// The Pod is nominated, and its victims are terminating; those that are not in the cluster at the end, for a while.
    fn make_room(&mut self, trial: Trial, room: &verify::Room) {
        let victims = room.victims.iter();
        let victims = victims.filter_map(|victim| self.names.known(victim).map(str::to_owned));
        let victims: Vec<String> = victims.collect();
        let made = Room {
            node: &room.node,
            victims: &victims,
        };
        self.followed.refuse(trial.decision, Some(made));
        for victim in victims {
            if self.is_gone(&victim) {
                self.leaving.push(Leaving {
                    victim,
                    preemptor: trial.case_pod.clone(),
                });
            } else {
                self.staying.insert(victim);
            }
        }
    }

    /// Berth's preemption, if no file tells of preemptions and its victims are gone from the cluster, or about to.
    fn untold_room(&self, decision: &Decision) -> Option<verify::Room> {
        let report = decision.cycle.preemption.as_ref()?;
        let goes = |victim: &String| {
            let said = self.pods.get(self.names.in_cluster(victim));
            said.is_none_or(|pod| pod.is_terminating)
        };
        let room = compare::answer(&decision.cycle, &self.names).preemption;
        room.filter(|_| report.victims.iter().all(goes))
    }

    /// Whether a preemption evicted a Pod of the case.
    pub fn is_evicted(&self, case_pod: &str) -> bool {
        let mut gone = self.followed.gone().iter();
        self.leaving.iter().any(|it| it.victim == case_pod)
            || gone.any(|gone| gone.key() == case_pod)
    }

    fn is_gone(&self, case_pod: &str) -> bool {
        !self.pods.contains_key(self.names.in_cluster(case_pod))
    }

    /// Whether an attempt that no file tells must have made room: Berth makes it on the node where the Pod is, and the
    /// victims are gone. It happens here.
    fn makes_untold_room(&mut self, step: &Step, trial: &Trial) -> bool {
        let node = step.node().filter(|_| step.teller != Teller::Log);
        let Some((node, victims)) =
            node.and_then(|node| Some((node, compare::room_on(&trial.decision.cycle, node)?)))
        else {
            return false;
        };
        let victims = victims.to_vec();
        if victims.is_empty() || !victims.iter().all(|victim| self.is_gone(victim)) {
            return false;
        }
        let room = Room {
            node,
            victims: &victims,
        };
        self.followed.refuse(trial.decision.clone(), Some(room));
        let preemptor = &trial.case_pod;
        self.leaving
            .extend(victims.into_iter().map(|victim| Leaving {
                victim,
                preemptor: preemptor.clone(),
            }));
        true
    }
}

/// What the cluster's files tell of an attempt.
fn told(step: &Step) -> Answer {
    Answer {
        nodes: step.node().map(str::to_owned).into_iter().collect(),
        message: match &step.result {
            Outcome::Refused(message) | Outcome::Failed(message) => Some(message.clone()),
            Outcome::Bound(_) | Outcome::Unknown => None,
        },
        preemption: step.preemption.clone().flatten(),
    }
}

fn add(all: &mut Counts, more: &Counts) {
    for (all, more) in [
        (&mut all.attempts, more.attempts),
        (&mut all.scores, more.scores),
        (&mut all.totals, more.totals),
        (&mut all.messages, more.messages),
        (&mut all.preemptions, more.preemptions),
    ] {
        all.compared += more.compared;
        all.equal += more.equal;
    }
}
