use berth_protocol::draft::{Draft, DraftStart, DraftStep, Proposal};

use super::propose;

const NODES: &str = "
apiVersion: v1
kind: Node
metadata: {name: a, labels: {topology.kubernetes.io/zone: one, disk: hdd}}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {topology.kubernetes.io/zone: two}}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: c, labels: {topology.kubernetes.io/zone: two}}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
";

fn pod(name: &str, more: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: {name}}}}}\nspec:\n  {more}\n  \
         containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]\n"
    )
}

fn web(replicas: usize) -> String {
    format!(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n  replicas: {replicas}\n  strategy: {{type: Recreate}}\n  \
         selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web, tier: front}}}}\n    \
         spec:\n      containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}}}}}]\n"
    )
}

fn start(manifests: String, live: bool) -> DraftStart {
    DraftStart {
        manifests: format!("{NODES}{manifests}"),
        live,
        before: Vec::new(),
    }
}

fn run(line: &str) -> DraftStep {
    DraftStep {
        text: line.to_owned(),
        is_command: true,
        note: String::new(),
    }
}

fn draft(start: DraftStart, solution: &[&str]) -> Draft {
    Draft {
        start: Some(start),
        solution: solution.iter().map(|line| run(line)).collect(),
        ..Draft::default()
    }
}

/// What is proposed for the solution, as one line each; those of the smallest set first.
fn proposed(draft: &Draft) -> (Vec<String>, Vec<String>) {
    split(propose(draft, &draft.solution, false).unwrap())
}

fn split(proposals: Vec<Proposal>) -> (Vec<String>, Vec<String>) {
    let line = |it: &Proposal| {
        let lines: Vec<&str> = it.text.lines().map(str::trim).collect();
        lines.join(" ")
    };
    let (main, more): (Vec<&Proposal>, Vec<&Proposal>) = proposals.iter().partition(|it| it.main);
    (
        main.into_iter().map(line).collect(),
        more.into_iter().map(line).collect(),
    )
}

#[test]
fn a_pod_that_waited_is_to_have_a_node() {
    let manifests = pod("db", "nodeSelector: {disk: ssd}") + &pod("web", "");
    for live in [false, true] {
        let draft = draft(
            start(manifests.clone(), live),
            &["kubectl label node b disk=ssd"],
        );
        let (main, more) = proposed(&draft);
        assert_eq!(main, ["pod: db state: Bound"], "live: {live}");
        // No tie decides this; where web is depends on the seed, and it did not move.
        assert!(more.contains(&"pod: db node: b".to_owned()), "{more:?}");
        assert!(
            more.contains(&"pod: web state: Bound".to_owned()),
            "{more:?}"
        );
        assert!(
            more.contains(&"object: Node/b path: metadata.labels.disk equals: ssd".to_owned()),
            "{more:?}"
        );
        assert!(
            !more.iter().any(|it| it.contains("imagePullPolicy")),
            "what the API server fills in is no change: {more:?}"
        );
        assert!(
            !more.iter().any(|it| it.starts_with("pod: web node")),
            "{more:?}"
        );
    }
}

#[test]
fn pods_of_a_workload_are_counted_and_selected_by_one_label() {
    let draft = draft(
        start(web(2), true),
        &["kubectl scale deployment web --replicas=5"],
    );
    let (main, more) = proposed(&draft);
    assert_eq!(main, ["selector: app: web state: Bound count: 5"]);
    assert!(
        more.contains(&"selector: app: web neverBelow: 2".to_owned()),
        "{more:?}"
    );
    assert!(
        more.contains(&"selector: app: web evicted: false".to_owned()),
        "{more:?}"
    );
}

#[test]
fn a_label_that_others_share_does_not_select() {
    let other = web(1)
        .replace("name: web}", "name: api}")
        .replace("app: web", "app: api");
    let manifests = web(1)
        .replace("app: web", "app: shop")
        .replace("tier: front", "tier: web")
        + &other
            .replace("app: api", "app: shop")
            .replace("tier: front", "tier: api");
    let manifests = manifests.replace("matchLabels: {app: shop}", "matchLabels: {}");
    let manifests = manifests.replacen("matchLabels: {}", "matchLabels: {tier: web}", 1);
    let manifests = manifests.replacen("matchLabels: {}", "matchLabels: {tier: api}", 1);
    let draft = draft(
        start(manifests, true),
        &["kubectl scale deployment api --replicas=2"],
    );
    let (main, _) = proposed(&draft);
    assert_eq!(main, ["selector: tier: api state: Bound count: 2"]);
}

#[test]
fn a_spread_that_is_reached_is_a_goal() {
    // All on a, and there is nothing to gain elsewhere.
    let pinned = web(2).replace(
        "spec:\n      containers",
        "spec:\n      nodeSelector: {disk: hdd}\n      containers",
    );
    let rule = "      topologySpreadConstraints:\n      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}\n";
    let spread = web(2).replace(
        "spec:\n      containers",
        &format!("spec:\n{rule}      containers"),
    );
    let mut draft = draft(start(pinned, true), &[]);
    draft.solution = vec![DraftStep {
        text: spread.trim_start_matches("---\n").to_owned(),
        is_command: false,
        note: String::new(),
    }];
    let (main, _) = proposed(&draft);
    assert!(
        main.contains(&"selector: app: web maxPer: topology.kubernetes.io/zone: 1".to_owned()),
        "{main:?}"
    );
}

#[test]
fn drained_nodes_are_to_be_drained_and_deleted_pods_to_be_gone() {
    let draft = draft(
        start(web(2) + &pod("old", ""), true),
        &[
            "kubectl drain a b --ignore-daemonsets --force",
            "kubectl delete pod old --ignore-not-found",
        ],
    );
    let (main, more) = proposed(&draft);
    assert!(
        main.iter().any(|it| it.contains("drained: true")),
        "{main:?} {more:?}"
    );
    assert!(
        main.contains(&"pod: old state: Deleted".to_owned()),
        "{main:?} {more:?}"
    );
}

#[test]
fn a_wrong_answer_is_distinguished_from_the_start_and_from_the_solution() {
    let manifests = pod("db", "nodeSelector: {disk: ssd}");
    let draft = draft(start(manifests, true), &["kubectl label node b disk=ssd"]);
    let (main, more) = split(
        propose(
            &draft,
            &[run("kubectl label node a disk=ssd --overwrite")],
            true,
        )
        .unwrap(),
    );
    assert_eq!(
        main,
        ["object: Node/a path: metadata.labels.disk equals: ssd"]
    );
    assert!(more.contains(&"pod: db node: a".to_owned()), "{more:?}");
    assert!(
        !more.contains(&"pod: db state: Bound".to_owned()),
        "the solution does that, too: {more:?}"
    );
}

#[test]
fn a_step_that_fails_is_named() {
    let draft = draft(
        start(String::new(), true),
        &["kubectl cordon a", "kubectl cordon z"],
    );
    let broken = propose(&draft, &draft.solution, false).unwrap_err();
    assert_eq!(broken.path(), "solution[1]");
    let broken = propose(&draft, &[run("kubectl cordon z")], true).unwrap_err();
    assert_eq!(broken.path(), "wrong[0].steps[0]");
}
