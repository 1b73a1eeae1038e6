//! Compares what cards show with the engine's frames: at every step of every example and of recorded preemptions.

#[path = "../../../../../tests/it/conformance/corpus.rs"]
#[allow(dead_code, reason = "only the manifests are played")]
mod corpus;

use std::fs;
use std::path::Path;
use std::rc::Rc;

use yew::Callback;

use super::Scene;
use super::card::Card;
use crate::scene::moment::{Moment, NodeVerdict};
use crate::ui::engine::test_host::Pair;
use crate::ui::features::compare::CompareAction;
use crate::ui::features::stage::StageAction;
use crate::ui::features::time::TimeAction;
use crate::ui::panels::DrawCache;
use crate::ui::store::progress::{Point, StepSize};
use crate::ui::store::{Action, Store};
use crate::words::language::is_translation;
use berth_protocol::cycle::{Code, Cycle, NodeReport};
use berth_protocol::fact::FactKind;
use berth_protocol::frame::{MarkKind, NodeFrame};
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::node::NodeInfo;
use berth_session::{Options, Session, explain};

/// Number of recorded preemptions to play.
const RECORDED: usize = 50;
/// Maximum number of steps of a run.
const STEPS: usize = 2000;

/// The cards of all nodes.
fn cards(store: &Store) -> Vec<(String, Card)> {
    let (act, cache) = (Callback::noop(), DrawCache::default());
    let scene = Scene::new(store, &act, &cache);
    let card = |node: &Rc<NodeFrame>| (node.name.clone(), scene.shown(node));
    store.view.nodes.iter().map(card).collect()
}

/// What the scheduler counts on a node: its Pods and the Pods nominated to it.
fn counted(cluster: &Cluster, node: &NodeInfo) -> (i64, i64, i64) {
    let pods = cluster
        .nominations()
        .on(&node.name)
        .iter()
        .filter_map(|pod| cluster.pods().get(*pod));
    let mut sums = (
        node.requested.milli_cpu,
        node.requested.memory_bytes,
        i64::try_from(node.pods.len()).unwrap(),
    );
    for pod in pods {
        let request = &cluster.spec_of(pod).request;
        sums.0 += request.milli_cpu;
        sums.1 += request.memory_bytes;
        sums.2 += 1;
    }
    sums
}

/// The numbers on a card.
fn shown(card: &Card) -> (i64, i64, i64) {
    let node = &*card.node.0;
    let of = |position: usize| {
        let row = &node.resources[position];
        row.requested + node.nominated_request(&row.name)
    };
    (of(0), of(1), of(2))
}

struct Check<'a> {
    name: &'a str,
    store: &'a Store,
    session: &'a Session,
}

impl Check<'_> {
    fn all(&self) -> usize {
        let cluster = self.session.run().cluster();
        let cards = cards(self.store);
        assert_eq!(cards.len(), cluster.nodes().count(), "{self}");
        for (name, card) in &cards {
            let node = cluster.find_node(name).unwrap();
            assert_eq!(
                shown(card),
                counted(cluster, node),
                "numbers of {name} {self}"
            );
            self.blocks(name, card, cluster, node);
            if let Some(cycle) = self.store.cycle() {
                let report = cycle.nodes.iter().find(|report| report.node == *name);
                self.verdict(card, cycle, report.unwrap());
            }
        }
        self.victims(&cards);
        cards.len()
    }

    /// Every Pod on the node, and every Pod nominated to it, has its place; areas add up to the numbers.
    fn blocks(&self, name: &str, card: &Card, cluster: &Cluster, node: &NodeInfo) {
        let blocks = &card.blocks;
        assert_eq!(blocks.pods.len(), node.pods.len(), "Pods of {name} {self}");
        let area = |places: Vec<crate::scene::pod_layout::Percent>| -> f64 {
            let areas = places
                .iter()
                .map(|place| place.width * place.height / 10_000.0);
            areas.sum::<f64>() * card.blocks.layout.0.milli_cpu() as f64
        };
        for block in &blocks.pods {
            let pod = &*block.pod.0;
            let drawn = area(blocks.layout.0.places(&pod.key));
            assert!(
                (drawn - pod.milli_cpu as f64).abs() < 0.01,
                "{} on {name} {self}",
                pod.key
            );
        }
        let planned = &blocks.planned;
        let expected = cluster.nominations().on(name);
        let slot = blocks.slot.iter().map(|(pod, _)| pod);
        let kept: Vec<&str> = blocks
            .nominated
            .iter()
            .chain(slot)
            .map(|pod| pod.0.key.as_str())
            .collect();
        for pod in expected.iter().filter_map(|pod| cluster.pods().get(*pod)) {
            let key = pod.object.key();
            assert!(
                kept.contains(&key.as_str()),
                "{key} has no place on {name} {self}"
            );
            let request = cluster.spec_of(pod).request.milli_cpu;
            assert!(
                (area(planned.places(&key)) - request as f64).abs() < 0.01,
                "{key} {self}"
            );
            assert!(
                Moment::is_nominated(&card.node_verdict, &card.node.0),
                "{name} is nominated {self}"
            );
        }
    }

    /// The card's verdict is the engine's, as far as the step shows it.
    fn verdict(&self, card: &Card, cycle: &Cycle, report: &NodeReport) {
        let revealed = self.store.revealed();
        let place = format!("{} {self}", report.node);
        let Some(verdict) = revealed.verdict(cycle, report) else {
            let undecided = [
                NodeVerdict::Unknown,
                NodeVerdict::FeasibleSoFar,
                NodeVerdict::NotExamined,
            ];
            assert!(undecided.contains(&card.node_verdict), "{place}");
            return;
        };
        let is_over = revealed.reached(Point::PostFilter);
        let preemption = cycle.preemption.as_ref().filter(|_| is_over);
        let mut candidates = preemption.iter().flat_map(|report| &report.candidates);
        let candidate = candidates.find(|candidate| candidate.node == report.node);
        match &card.node_verdict {
            NodeVerdict::Chosen => {
                assert_eq!(
                    cycle.selected.as_deref(),
                    Some(report.node.as_str()),
                    "{place}"
                );
            }
            NodeVerdict::Feasible => assert_eq!(verdict.code, Code::Success, "{place}"),
            NodeVerdict::Candidate {
                victims,
                pdb_violations,
                is_nominated,
            } => {
                let candidate = candidate.unwrap_or_else(|| panic!("{place}"));
                let numbers = (candidate.victims.len(), candidate.pdb_violations);
                assert_eq!((*victims, *pdb_violations), numbers, "{place}");
                let nominated = preemption.map(|report| report.nominated.as_str());
                assert_eq!(*is_nominated, nominated == Some(&report.node), "{place}");
            }
            NodeVerdict::Rejected { brief, .. } => {
                assert!(
                    verdict.code != Code::Success && candidate.is_none(),
                    "{place}"
                );
                self.arithmetic(card, report, brief);
            }
            NodeVerdict::Unknown | NodeVerdict::FeasibleSoFar | NodeVerdict::NotExamined => {
                panic!("no verdict on {place}");
            }
        }
    }

    /// A shortage of CPU on a card follows from the card's own numbers, before the attempt is made.
    fn arithmetic(&self, card: &Card, report: &NodeReport, brief: &str) {
        let Some(verdict) = report.verdict.as_ref() else {
            return;
        };
        let mut failures = report.failures.iter();
        let failure = failures
            .find(|failure| failure.plugin == verdict.plugin)
            .unwrap_or(verdict);
        let first = failure
            .facts
            .iter()
            .map(|fact| &fact.kind)
            .find(|kind| kind.is_violated());
        let is_next = self.store.time.progress.is_some();
        let Some(FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        }) = first
        else {
            return;
        };
        if resource != "cpu" || !is_next {
            return;
        }
        let short = used + request - allocatable;
        assert!(
            brief.starts_with(&format!("cpu short by {short}m")),
            "{brief}, {short} {self}"
        );
        let node = &*card.node.0;
        let alone = node.resources[0].requested;
        assert!(
            *used == alone || *used <= alone + node.nominated_request("cpu"),
            "{self}"
        );
    }

    /// Victims are marked where they are, or were, while the Pod that they made room for is nominated.
    fn victims(&self, cards: &[(String, Card)]) {
        for victim in &self.store.view.head.victims {
            let node = victim.node.as_deref().unwrap();
            let (_, card) = cards.iter().find(|(name, _)| name == node).unwrap();
            let mut on_it = card.blocks.pods.iter();
            let there = on_it.find(|block| block.pod.0.key == victim.key);
            let is_gone = card.blocks.gone.iter().any(|pod| pod.key == victim.key);
            assert!(
                there.map_or(is_gone, |block| block.is_victim),
                "{} {self}",
                victim.key
            );
        }
        let Some(attempt) = self.session.position().checked_sub(1) else {
            return;
        };
        let Ok(cycle) = explain::attempt(self.session, attempt) else {
            return;
        };
        for victim in cycle.preemption.iter().flat_map(|report| &report.victims) {
            let mut shown = self.store.view.head.victims.iter();
            assert!(
                shown.any(|pod| pod.key == *victim),
                "{victim} left without a trace {self}"
            );
        }
    }
}

impl std::fmt::Display for Check<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (position, stop) = (self.session.position(), self.store.stop());
        write!(f, "in {} at {position}, {stop:?}", self.name)
    }
}

/// Steps through a run; returns how many cards were compared, and the page at its end.
fn play_some(
    name: &str,
    text: &str,
    size: StepSize,
    options: Options,
    steps: usize,
) -> (usize, Pair) {
    let mut pair = Pair::open(text, options);
    // An example that compares opens with two runs beside the page's own.
    if pair.store.compare.is_some() {
        pair.act(Action::Compare(CompareAction::Leave));
    }
    pair.act(Action::Time(TimeAction::StepSize(size)));
    let mut cards = 0;
    for _ in 0..steps {
        let session = pair.session();
        {
            let (store, session) = (&pair.store, &*session.borrow());
            cards += Check {
                name,
                store,
                session,
            }
            .all();
        }
        if pair.store.view.head.finished && pair.store.time.progress.is_none() {
            break;
        }
        pair.act(Action::Time(TimeAction::Step));
    }
    (cards, pair)
}

/// Steps through a whole run.
fn play(name: &str, text: &str, size: StepSize, options: Options) -> usize {
    let (cards, pair) = play_some(name, text, size, options, STEPS);
    let place = (pair.store.view.head.position, pair.store.stop());
    assert!(
        pair.store.view.head.finished,
        "{name} does not end: {place:?}"
    );
    cards
}

/// In a living cluster, victims terminate before the Pod that they make room for is bound.
#[test]
fn cards_agree_with_the_engine_while_victims_terminate() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios/preemption.yaml");
    let text = fs::read_to_string(path).unwrap();
    let text = text.replacen("kind: Scenario", "kind: Scenario\nmode: live", 1);
    for (size, steps) in [(StepSize::Pod, 60), (StepSize::Point, 200)] {
        let (_, pair) = play_some("preemption", &text, size, Options::default(), steps);
        let log = &pair.store.view.timeline;
        let preempted = log.iter().any(|mark| mark.kind == MarkKind::Preempted);
        assert!(preempted, "{log:?}");
        assert!(log.iter().all(|mark| mark.at_ms.is_some()), "{log:?}");
    }
}

#[test]
fn cards_agree_with_the_engine_at_every_step_of_every_example() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy();
        if !name.ends_with(".yaml") || is_translation(&name) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for size in [StepSize::Pod, StepSize::Point, StepSize::Plugin] {
            play(&path.display().to_string(), &text, size, Options::default());
        }
    }
}

#[test]
fn cards_agree_with_the_engine_through_recorded_preemptions() {
    let options = Options {
        first_on_ties: true,
        expand_workloads: false,
        ..Options::default()
    };
    let cases = corpus::cases();
    let cases = cases
        .iter()
        .filter(|case| case.category == "preemption")
        .take(RECORDED);
    let mut cards = [0; 3];
    for case in cases {
        let sizes = [StepSize::Pod, StepSize::Point, StepSize::Plugin];
        for (sum, size) in cards.iter_mut().zip(sizes) {
            *sum += play(&case.name, &case.yaml, size, options.clone());
        }
    }
    assert!(
        cards[0] > RECORDED && cards[1] > cards[0] && cards[2] >= cards[1],
        "{cards:?}"
    );
}

/// Verdicts of an attempt before an edit would contradict the numbers, which are those after it.
#[test]
fn cards_show_no_verdict_of_an_attempt_before_a_change() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios/default.yaml");
    let text = fs::read_to_string(path).unwrap();
    let (_, mut pair) = play_some("default", &text, StepSize::Pod, Options::default(), STEPS);
    let known = |pair: &Pair| {
        let known = cards(&pair.store)
            .into_iter()
            .filter(|(_, card)| card.node_verdict != NodeVerdict::Unknown);
        known.count()
    };
    assert!(known(&pair) > 0);
    let node = "node-b1".to_owned();
    pair.act(Action::Stage(StageAction::AskDrain(node.clone())));
    pair.act(Action::Stage(StageAction::DrainNow));
    assert!(pair.store.explain.explained.is_some());
    let drained = pair.store.view.node(&node).unwrap();
    assert!(drained.unschedulable, "{drained:?}");
    assert_eq!(known(&pair), 0);
    assert!(
        cards(&pair.store)
            .iter()
            .all(|(_, card)| card.score.is_none())
    );
    // The next attempt is made after the change.
    pair.act(Action::Time(TimeAction::Step));
    assert!(known(&pair) > 0);
}
