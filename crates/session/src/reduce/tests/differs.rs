//! Cases in which two runs come out differently.

use crate::case;
use crate::case::{Held, strip};
use crate::session::{Options, Session};
use crate::sources;
use berth_core::api::source::SourceFile;
use berth_protocol::reduce::DiffersBy;
use berth_scheduler::release::{Choice, Version};

use super::super::{Reduced, Reduction};

const PACKING: &str = "\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 8
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 7}}
  - {name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}
";

/// A node with `cpu` and a Pod on it that takes some of it.
fn node(name: &str, cpu: u32, used: u32, memory: u32) -> String {
    format!(
        "---
{{apiVersion: v1, kind: Node, metadata: {{name: {name}, labels: {{corp.example.org/rack: r1}}}},
  status: {{allocatable: {{cpu: {cpu}, memory: 16Gi, pods: 110}}}}}}
---
{{apiVersion: v1, kind: Pod, metadata: {{name: on-{name}}}, spec: {{nodeName: {name}, containers: [
  {{name: c, image: i, resources: {{requests: {{cpu: {used}m, memory: {memory}Mi}}}}}}]}}}}
"
    )
}

const PODS: &str = "---
{apiVersion: v1, kind: Pod, metadata: {name: first}, spec: {nodeName: small, containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: payments, namespace: vault}, spec: {containers: [
  {name: c, image: i, resources: {requests: {cpu: 1, memory: 256Mi}}}]}}
";

fn played(text: &str, release: Option<Version>, configuration: Option<&str>) -> Session {
    let mut session = Session::new(Options {
        release: Choice {
            kubernetes: release,
            ..Choice::default()
        },
        first_on_ties: true,
        ..Options::default()
    });
    let files = [SourceFile::new("test.yaml", text)];
    let taken = match configuration {
        Some(text) => {
            let file = SourceFile::new("packing.yaml", text);
            sources::apply_configured(&mut session, &files, &file)
        }
        None => session.apply(&files),
    };
    assert!(taken && !session.has_errors(), "{:?}", session.problems());
    session.run_to_end();
    session
}

fn reduced(a: &Session, b: &Session, pod: Option<&str>) -> Result<Reduced, String> {
    let mut reduction = Reduction::between(a, b, pod).map_err(|why| why.to_string())?;
    while reduction.advance(100) {}
    let reduced = reduction
        .finish(None, None)
        .map_err(|why| why.to_string())?;
    let file = SourceFile::new("case.yaml", reduced.shown.text.as_str());
    assert_eq!(case::test(&file, &[1, 2, 3]), [], "{}", reduced.shown.text);
    Ok(reduced)
}

fn nodes() -> String {
    [
        node("small", 4, 2000, 512),
        node("large", 16, 2000, 512),
        node("other", 2, 1500, 256),
    ]
    .concat()
}

#[test]
fn another_configuration_is_reduced_with_the_objects() {
    let text = nodes() + PODS;
    let (a, b) = (
        played(&text, None, None),
        played(&text, None, Some(PACKING)),
    );
    let reduced = reduced(&a, &b, None).expect("they differ");
    let text = &reduced.shown.text;
    assert_eq!(reduced.shown.to.nodes, 2, "{text}");
    for kept in [
        "otherwise:",
        "compare:",
        "MostAllocated",
        "by: NodeResourcesFit",
    ] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
    for gone in [
        "vault",
        "payments",
        "parallelism",
        "InterPodAffinity",
        "rack",
        "counterfactual",
    ] {
        assert!(!text.contains(gone), "{gone}\n{text}");
    }
    let shown = &reduced.shown;
    let other = shown.other.as_ref().expect("two runs");
    assert_eq!(other.differs_by, DiffersBy::Configuration);
    assert_ne!(other.attempt.cycle.selected, shown.attempt.cycle.selected);
}

#[test]
fn what_holds_on_both_sides_is_no_difference() {
    let text = nodes() + PODS;
    let (a, b) = (
        played(&text, None, None),
        played(&text, None, Some(PACKING)),
    );
    let text = reduced(&a, &b, Some("vault/payments"))
        .expect("they differ")
        .shown
        .text;
    let alike = text.replace("type: MostAllocated", "type: LeastAllocated");
    assert_ne!(alike, text);
    let problems = case::test(&SourceFile::new("case.yaml", alike), &[1]);
    assert!(
        problems.iter().all(|it| it.path.starts_with("otherwise")),
        "{problems:?}"
    );
    assert_ne!(problems, []);
}

#[test]
fn runs_that_are_alike_or_differ_before_are_refused() {
    let text = nodes() + PODS;
    let (a, b) = (
        played(&text, None, None),
        played(&text, None, Some(PACKING)),
    );
    let none = reduced(&a, &a, None).expect_err("the same run");
    assert_eq!(none, "no Pod comes out differently");
    let later = text.clone()
        + "---\n{apiVersion: v1, kind: Pod, metadata: {name: later}, spec: {containers: [{name: c, image: i, \
           resources: {requests: {cpu: 1}}}]}}\n";
    let (a_later, b_later) = (
        played(&later, None, None),
        played(&later, None, Some(PACKING)),
    );
    let why = reduced(&a_later, &b_later, Some("default/later")).expect_err("another before");
    assert!(why.contains("vault/payments"), "{why}");
    drop((a, b));
}

#[test]
fn two_releases_that_score_differently_are_told_apart() {
    let releases = [Version::V1_35, Version::V1_36];
    let found = (0..8)
        .flat_map(|cpu| (0..8).map(move |memory| (cpu, memory)))
        .find_map(|(cpu, memory)| {
            let text = [
                node("a", 4, 250 * cpu, 1024 * memory),
                node("b", 4, 1000, 1024),
                PODS.replace("nodeName: small", "nodeName: a"),
            ]
            .concat();
            let [a, b] = releases.map(|release| played(&text, Some(release), None));
            let of = |session: &Session| {
                let position = session.attempt_of("vault/payments")?;
                session.attempt(position)?.node().cloned()
            };
            if of(&a) == of(&b) {
                return None;
            }
            reduced(&a, &b, None).ok()
        });
    let reduced = found.expect("the releases balance differently");
    let differs_by = DiffersBy::Kubernetes {
        a: "1.35".to_owned(),
        b: "1.36".to_owned(),
    };
    let other = reduced.shown.other.as_ref().expect("two runs");
    assert_eq!(other.differs_by, differs_by);
    let text = &reduced.shown.text;
    assert!(text.contains("kubernetes: '1.35'"), "{text}");
    assert!(text.contains("kubernetes: '1.36'"), "{text}");
    let held = strip(&SourceFile::new("case.yaml", text.as_str()));
    let of = |place: &str| -> &Held { held.iter().find(|it| it.place == place).expect("a place") };
    assert_eq!(held.len(), 5);
    assert_eq!(of("1.35").is_claimed, Some(true));
    assert_eq!(of("1.36").is_claimed, Some(false));
}
