//! Rules that only a whole run exercises: preemption, nominations, errors that end a cycle.

use berth_core::api::load::load;
use berth_core::api::prepare::{PrepareOptions, prepare};
use berth_core::api::source::SourceFile;
use berth_protocol::cycle::Cycle;
use berth_scheduler::plugins::registry::registry;

use super::{Run, RunOptions};

/// Every attempt of a run over these manifests.
fn attempts(manifests: &str) -> Vec<Cycle> {
    let loaded = load(&[SourceFile::new("test.yaml", manifests)]);
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    let (prepared, problems) = prepare(&loaded, &PrepareOptions::default());
    assert!(problems.is_empty(), "{problems:?}");
    let mut run = Run::new(&prepared, &registry(), RunOptions::default()).expect("starts");
    let mut cycles = Vec::new();
    while let Some(cycle) = run.snapshot().explain_next() {
        let attempt = run.step().expect("explained, so there is one");
        assert!(attempt.agrees_with(&cycle), "{attempt:?}\n{cycle:?}");
        run.snapshot().cluster().audit().expect("sums are right");
        cycles.push(cycle);
    }
    cycles
}

fn node(name: &str) -> String {
    format!(
        "---\nkind: Node\napiVersion: v1\nmetadata: {{name: {name}}}\n\
         status: {{allocatable: {{cpu: '1', memory: 1Gi, pods: '9'}}}}\n"
    )
}

fn class(name: &str, value: i32) -> String {
    format!(
        "---\nkind: PriorityClass\napiVersion: scheduling.k8s.io/v1\n\
         metadata: {{name: {name}}}\nvalue: {value}\n"
    )
}

/// A Pod; `spec`, `container` and `status` are the contents of YAML flow mappings.
fn pod(name: &str, spec: &str, container: &str, status: &str) -> String {
    format!(
        "---\nkind: Pod\napiVersion: v1\nmetadata: {{name: {name}}}\n\
         spec: {{{spec}, containers: [{{name: c, image: i, {container}}}]}}\nstatus: {{{status}}}\n"
    )
}

#[test]
fn a_port_held_twice_is_free_when_one_holder_goes() {
    let port = "ports: [{containerPort: 80, hostPort: 80}]";
    let manifests = [
        node("a"),
        class("high", 100),
        class("middle", 50),
        pod("high", "nodeName: a, priorityClassName: high", port, ""),
        pod("low", "nodeName: a", port, ""),
        pod("new", "priorityClassName: middle", port, ""),
    ];
    let cycles = attempts(&manifests.concat());
    let preemption = cycles[0].preemption.as_ref().expect("low goes");
    assert_eq!(preemption.victims, ["default/low"]);
    assert_eq!(cycles[1].selected.as_deref(), Some("a"));
}

#[test]
fn a_nominated_node_that_pre_filter_left_out_has_its_own_reason() {
    let affinity = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: \
        {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}}}";
    let manifests = [
        node("a"),
        node("b"),
        node("c"),
        pod(
            "new",
            affinity,
            "resources: {requests: {cpu: '2'}}",
            "nominatedNodeName: a",
        ),
    ];
    let cycles = attempts(&manifests.concat());
    let message = cycles[0].message.as_deref().expect("fits nowhere");
    let (filter_part, _) = message.split_once(". ").expect("a PostFilter part");
    assert_eq!(
        filter_part,
        "0/3 nodes are available: 1 Insufficient cpu, \
         1 node(s) didn't match Pod's node affinity/selector, \
         1 node(s) didn't satisfy plugin(s) [NodeAffinity]"
    );
    let judged: Vec<bool> = cycles[0]
        .nodes
        .iter()
        .map(|n| n.verdict.is_some())
        .collect();
    assert_eq!(judged, [true, true, false]);
}

#[test]
fn a_preferred_term_that_cannot_be_parsed_ends_the_cycle() {
    let affinity = "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: \
        [{weight: 1, preference: {matchExpressions: [{key: gen, operator: Gt, values: [new]}]}}]}}";
    let new = pod("new", affinity, "", "");
    let cycles = attempts(&[node("a"), node("b"), new.clone()].concat());
    assert!(cycles[0].error);
    assert_eq!(
        cycles[0].message.as_deref(),
        Some(
            "running PreScore plugin \"NodeAffinity\": [0].matchExpressions[0].values[0]: \
             Invalid value: \"new\": for 'Gt', 'Lt' operators, the value must be an integer"
        )
    );
    // With one feasible node there is no PreScore.
    let cycles = attempts(&[node("a"), new].concat());
    assert_eq!(cycles[0].selected.as_deref(), Some("a"));
}

#[test]
fn fractions_of_bytes_are_rounded_up_after_they_are_summed() {
    let half = "{name: X, image: i, resources: {requests: {memory: 500m}}}";
    let containers = format!("{}, {}", half.replace('X', "d"), half.replace('X', "e"));
    let manifests = format!(
        "{}---\nkind: Pod\napiVersion: v1\nmetadata: {{name: new}}\nspec: {{containers: [{containers}]}}\n",
        node("a").replace("1Gi", "'1'")
    );
    assert_eq!(attempts(&manifests)[0].selected.as_deref(), Some("a"));
}

#[test]
fn a_pod_that_asks_nothing_is_not_balanced_even_without_pre_score() {
    let configuration = "---\nkind: KubeSchedulerConfiguration\n\
        apiVersion: kubescheduler.config.k8s.io/v1\nprofiles: [{plugins: {preScore: \
        {disabled: [{name: NodeResourcesBalancedAllocation}]}}}]\n";
    let new = pod("new", "priority: 0", "", "");
    let cycles = attempts(&[configuration.to_owned(), node("a"), node("b"), new].concat());
    let scores = cycles[0].scores.as_ref().expect("two nodes");
    let mut balanced = scores[0]
        .plugins
        .iter()
        .filter(|score| score.plugin == "NodeResourcesBalancedAllocation");
    assert_eq!(balanced.next().map(|score| score.raw), Some(0));
}

#[test]
fn amounts_near_the_end_of_64_bits_wrap_around_as_upstream() {
    let huge = node("a").replace("1Gi", "7Ei");
    let asks = |name: &str| {
        pod(
            name,
            "priority: 0",
            "resources: {requests: {memory: 7Ei}}",
            "",
        )
    };
    let cycles = attempts(&[huge, asks("one"), asks("two")].concat());
    assert_eq!(cycles[0].selected.as_deref(), Some("a"));
    assert!(cycles[1].selected.is_none());
}

/// The run to its end, where controllers make victims again.
fn settled(manifests: &str) -> Run {
    let loaded = load(&[SourceFile::new("test.yaml", manifests)]);
    let (prepared, _) = prepare(&loaded, &PrepareOptions::default());
    let options = RunOptions {
        remakes_victims: true,
        ..RunOptions::default()
    };
    let mut run = Run::new(&prepared, &registry(), options).expect("starts");
    while run.step().is_some() {}
    run.snapshot().cluster().audit().expect("sums are right");
    run
}

/// The nodes of Pods by name; those that wait have none.
fn places(run: &Run) -> Vec<(&str, Option<&str>)> {
    let pods = run.snapshot().cluster().pods().iter();
    let mut places: Vec<_> = pods
        .map(|pod| (&*pod.object.name, pod.object.node_name.as_deref()))
        .collect();
    places.sort_unstable();
    places
}

/// A Pod as a cluster prints it: with a uid, a time of creation (a second of one minute) and an owner, unless it is empty.
fn dumped(name: &str, second: u32, owner: &str, spec: &str) -> String {
    let owner = match owner {
        "" => String::new(),
        owner => format!(
            ", ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: {owner}, uid: {owner}, controller: true}}]"
        ),
    };
    pod(name, spec, "resources: {requests: {cpu: 600m}}", "").replace(
        &format!("{{name: {name}}}"),
        &format!("{{name: {name}, uid: {name}, creationTimestamp: '2026-01-01T00:00:{second:02}Z'{owner}}}"),
    )
}

#[test]
fn a_victim_of_a_dump_is_made_again_and_may_evict_in_turn() {
    let on = |node: &str, class: &str| format!("nodeName: {node}, priorityClassName: {class}");
    let manifests = [
        node("a"),
        node("b"),
        class("high", 100),
        class("middle", 50),
        class("low", 10),
        dumped("low-1", 1, "low", &on("b", "low")),
        dumped("alone", 2, "", &on("a", "middle")),
        dumped(
            "new",
            3,
            "new",
            "priorityClassName: high, nodeSelector: {kubernetes.io/hostname: a}",
        ),
    ];
    let labelled = |text: String| {
        ["a", "b"].into_iter().fold(text, |text, name| {
            text.replace(
                &format!("metadata: {{name: {name}}}"),
                &format!("metadata: {{name: {name}, labels: {{kubernetes.io/hostname: {name}}}}}"),
            )
        })
    };
    let bare = labelled(manifests.concat());
    assert_eq!(
        places(&settled(&bare)),
        [("low-1", Some("b")), ("new", Some("a"))]
    );
    // With an owner, `alone` comes again, and takes the place of `low-1`, which then waits.
    let owned = bare.replace(
        "{name: alone, uid: alone,",
        "{name: alone, uid: alone, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: it, uid: it, controller: true}],",
    );
    let run = settled(&owned);
    assert_eq!(
        places(&run),
        [("alone", Some("b")), ("low-1", None), ("new", Some("a"))]
    );
    assert_eq!(run.snapshot().deleted(), ["default/alone", "default/low-1"]);
}

#[test]
fn pods_of_a_dump_are_tried_by_creation_and_before_new_ones() {
    let new = pod(
        "new",
        "priority: 0",
        "resources: {requests: {cpu: 600m}}",
        "",
    );
    let pods = [
        new.replace(
            "name: new}",
            "name: new, creationTimestamp: '2020-01-01T00:00:00Z'}",
        ),
        dumped("younger", 2, "x", "priority: 0"),
        dumped("older", 1, "x", "priority: 0"),
    ];
    let tried = attempts(&pods.concat());
    let tried: Vec<&str> = tried.iter().map(|cycle| cycle.pod.as_str()).collect();
    assert_eq!(tried, ["default/older", "default/younger", "default/new"]);
}
