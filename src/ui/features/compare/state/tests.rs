//! The store and the engine's host: of equal sides nothing differs, the figures are those of what the stages draw, and
//! one timeline moves both runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::*;
use crate::ui::engine::test_host::Pair;
use crate::ui::features::time::TimeAction;
use crate::ui::store::EditAction;
use crate::ui::store::progress::StepSize;
use crate::words::language::is_translation;
use berth_protocol::compare::{Cause, Place};
use berth_protocol::gesture::{Gesture, NodeTemplate};

fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios");
    let files = fs::read_dir(folder).unwrap();
    let files = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "yaml"))
        .filter(|path| !is_translation(&path.to_string_lossy()));
    let mut files: Vec<(String, String)> = files
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn example(name: &str) -> String {
    let found = examples().into_iter().find(|(known, _)| known == name);
    found.unwrap().1
}

fn compared(text: &str, pairing: Option<Pairing>) -> Pair {
    let mut pair = Pair::open(text, Default::default());
    let begin = CompareAction::Begin(pairing.map(Box::new));
    pair.act(Action::Compare(begin));
    pair.work();
    pair
}

fn compare(pair: &Pair) -> &Compare {
    pair.store.compare.as_ref().unwrap()
}

fn seeds(a: u64, b: u64) -> Pairing {
    let side = |seed: u64| Side {
        seed: Some(seed),
        ..Side::default()
    };
    Pairing {
        a: side(a),
        b: side(b),
        ..Pairing::default()
    }
}

#[test]
fn of_equal_sides_nothing_differs() {
    for (name, text) in examples() {
        let pair = compared(&text, Some(seeds(5, 5)));
        let compare = compare(&pair);
        assert!(compare.is_done(), "{name}");
        let (a, b) = compare.ends.as_deref().unwrap();
        assert_eq!(a, b, "{name}");
        assert_eq!(
            (compare.different, &*compare.differences),
            (0, &[][..]),
            "{name}"
        );
        assert_eq!(
            compare.side(Which::A).view.pods,
            compare.side(Which::B).view.pods,
            "{name}"
        );
    }
}

/// What a stage draws: Pods placed, pending, nodes in use, and mean, deviation and highest of the CPU.
fn recomputed(side: &Store) -> (usize, usize, usize, [f64; 3]) {
    let view = &side.view;
    let placed = view.pods.iter().filter(|pod| pod.node.is_some());
    let own = placed
        .clone()
        .filter(|pod| !pod.owner.starts_with("DaemonSet/") && !pod.owner.starts_with("Node/"));
    let used: BTreeSet<&str> = own.filter_map(|pod| pod.node.as_deref()).collect();
    let mut asked: BTreeMap<&str, f64> = BTreeMap::new();
    for pod in placed.clone() {
        let cpu = f64::from(i32::try_from(pod.milli_cpu).unwrap());
        *asked.entry(pod.node.as_deref().unwrap()).or_default() += cpu;
    }
    let shares = view.nodes.iter().map(|node| {
        let all = f64::from(i32::try_from(node.milli_cpu()).unwrap());
        100.0 * asked.get(&*node.name).copied().unwrap_or_default() / all
    });
    let shares: Vec<f64> = shares.collect();
    let count = f64::from(u32::try_from(shares.len()).unwrap());
    let mean = shares.iter().sum::<f64>() / count;
    let squares = shares.iter().map(|share| (share - mean) * (share - mean));
    let deviation = (squares.sum::<f64>() / count).sqrt();
    let highest = shares.iter().copied().fold(0.0, f64::max);
    let placed = placed.count();
    (
        placed,
        view.pods.len() - placed,
        used.len(),
        [mean, deviation, highest],
    )
}

#[test]
fn the_figures_are_those_of_what_both_stages_draw() {
    for name in ["spreading-or-packing", "two-profiles", "two-versions"] {
        let pair = compared(&example(name), None);
        let compare = compare(&pair);
        let (a, b) = compare.ends.as_deref().unwrap();
        for (which, summary) in [(Which::A, a), (Which::B, b)] {
            let (placed, pending, used, cpu) = recomputed(compare.side(which));
            assert_eq!(
                (summary.placed, summary.pending),
                (placed, pending),
                "{name}"
            );
            assert_eq!(summary.nodes_in_use, used, "{name}");
            let figures = [summary.cpu.mean, summary.cpu.deviation, summary.cpu.highest];
            let close = figures
                .iter()
                .zip(cpu)
                .all(|(one, two)| (one - two).abs() < 1e-9);
            assert!(close, "{name}: {figures:?} {cpu:?}");
        }
        // Each listed difference is one on the stages, and the other way round.
        let [a, b] = &compare.sides;
        let moved = a
            .view
            .pods
            .iter()
            .filter(|pod| b.view.pod(&pod.key).map(|other| &other.node) != Some(&pod.node));
        let moved: BTreeSet<&str> = moved.map(|pod| pod.key.as_str()).collect();
        let listed: BTreeSet<&str> = compare
            .differences
            .iter()
            .map(|it| it.pod.as_str())
            .collect();
        assert!(!listed.is_empty(), "{name}");
        assert_eq!(moved, listed, "{name}");
    }
}

#[test]
fn the_examples_show_what_they_say() {
    let pair = compared(&example("spreading-or-packing"), None);
    let shop = compare(&pair);
    let (a, b) = shop.ends.as_deref().unwrap();
    assert_eq!((a.pending, b.pending), (1, 0));
    assert!(b.nodes_in_use + 2 <= a.nodes_in_use);
    let train = shop.differences.iter().find(|it| it.pod == "default/train");
    assert_eq!(train.map(Kind::of), Some(Kind::NewlyPlaced));

    let pair = compared(&example("two-versions"), None);
    let versions = compare(&pair);
    let [index] = versions.differences.as_slice() else {
        panic!("{:?}", versions.differences);
    };
    let cause = index.cause.as_ref();
    let by_balance = |cause: &Cause| matches!(cause, Cause::Score { plugin, points: (a, b), .. } if plugin == "NodeResourcesBalancedAllocation" && *a < 0 && *b > 0);
    assert!(cause.is_some_and(by_balance), "{cause:?}");

    let pair = compared(&example("two-profiles"), None);
    let profiles = compare(&pair);
    assert!(profiles.differences.iter().all(|it| it.pod.contains("job")));
    let (a, b) = profiles.ends.as_deref().unwrap();
    assert_eq!((a.nodes_in_use, b.nodes_in_use), (6, 4));
}

#[test]
fn an_example_that_compares_opens_in_compare() {
    let pair = Pair::open(&example("two-versions"), Default::default());
    assert!(pair.store.compare.is_some());
    let pair = Pair::open(&example("default"), Default::default());
    assert!(pair.store.compare.is_none());
}

fn positions(pair: &Pair) -> [usize; 2] {
    compare(pair)
        .sides
        .each_ref()
        .map(|side| side.view.head.position)
}

#[test]
fn one_timeline_moves_both_runs() {
    let mut pair = compared(&example("two-versions"), None);
    let ends = positions(&pair);
    let time = |pair: &mut Pair, action| {
        pair.act(Action::Time(action));
        pair.work();
    };
    time(&mut pair, TimeAction::Reset);
    assert_eq!(positions(&pair), [0, 0]);
    time(&mut pair, TimeAction::Step);
    assert_eq!(positions(&pair), [1, 1]);
    time(&mut pair, TimeAction::StepBack);
    assert_eq!(positions(&pair), [0, 0]);
    time(&mut pair, TimeAction::Run);
    assert_eq!(positions(&pair), ends);
    time(&mut pair, TimeAction::Seek(1));
    assert_eq!(positions(&pair), [1, 1]);
    // Both stop at the same attempts within them, whichever has more plugins.
    time(&mut pair, TimeAction::Reset);
    time(&mut pair, TimeAction::StepSize(StepSize::Plugin));
    for _ in 0..400 {
        time(&mut pair, TimeAction::Step);
        let [a, b] = positions(&pair);
        assert!(a.abs_diff(b) <= 1, "{a} {b}");
    }
    assert_eq!(positions(&pair), ends);
    assert!(compare(&pair).is_at(true));
}

#[test]
fn a_chosen_pod_is_explained_on_both_sides() {
    let mut pair = compared(&example("two-versions"), None);
    let before = pair.store.view.clone();
    pair.act(Action::Compare(CompareAction::Pod("default/index".into())));
    pair.work();
    for side in &compare(&pair).sides {
        assert_eq!(
            side.cycle().map(|cycle| cycle.pod.as_str()),
            Some("default/index")
        );
    }
    pair.act(Action::Compare(CompareAction::Leave));
    assert!(pair.store.compare.is_none());
    assert_eq!(
        pair.store.view, before,
        "the page's own run is at its previous position"
    );
}

#[test]
fn a_fork_is_compared_with_its_first_run() {
    let mut pair = Pair::open(&example("free-room"), Default::default());
    pair.act(Action::Time(TimeAction::Run));
    pair.work();
    let add = Gesture::AddNodes {
        template: NodeTemplate::General,
        count: 1,
        topology: None,
    };
    pair.act(Action::Time(TimeAction::Seek(1)));
    pair.act(Action::Edit(EditAction::Gesture(add)));
    pair.work();
    assert!(pair.store.view.head.fork.is_some());
    pair.act(Action::Compare(CompareAction::Begin(Some(Box::new(
        Store::fork_pairing(),
    )))));
    pair.work();
    let compare = compare(&pair);
    let (a, b) = compare.ends.as_deref().unwrap();
    assert_eq!(a.nodes + 1, b.nodes);
    assert!(b.placed > a.placed);
    let is_placed =
        |it: &PodDifference| it.a == Place::Pending && Kind::of(it) == Kind::NewlyPlaced;
    assert!(compare.differences.iter().any(is_placed));
}

#[test]
fn sides_that_cannot_be_run_are_reported() {
    let without = |labels: &str| Pairing {
        b: Side {
            without: vec![labels.to_owned()],
            ..Side::default()
        },
        ..Pairing::default()
    };
    let gate = Pairing {
        b: Side {
            feature_gates: [("NodeDeclaredFeature".to_owned(), true)].into(),
            ..Side::default()
        },
        ..Pairing::default()
    };
    let fork = Store::fork_pairing();
    for (pairing, side) in [
        (without("pool=none"), Which::B),
        (gate, Which::B),
        (fork, Which::A),
    ] {
        let pair = compared(&example("default"), Some(pairing));
        let Progress::Refused {
            side: refused,
            message,
        } = &compare(&pair).progress
        else {
            panic!("{:?}", compare(&pair).progress);
        };
        assert_eq!(*refused, Some(side), "{message}");
        assert!(!message.is_empty());
    }
}

#[test]
fn owners_have_the_colors_of_the_stage() {
    let mut pair = Pair::open(&example("preemption"), Default::default());
    pair.act(Action::Time(TimeAction::Run));
    pair.work();
    let on_page = Rc::clone(&pair.store.view.owners);
    pair.act(Action::Compare(CompareAction::Begin(Some(Box::new(
        seeds(1, 2),
    )))));
    pair.work();
    for side in &compare(&pair).sides {
        assert!(!side.view.pods.is_empty());
        for pod in &side.view.pods {
            assert_eq!(side.view.owners.flag(pod), on_page.flag(pod), "{}", pod.key);
        }
    }
}
