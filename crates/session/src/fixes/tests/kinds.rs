//! Tests of one kind of failure each.

use serde_json::json;

use super::{as_json, edit_of, fixes, has, helps_from_the_start, node, place, pod, sentences};
use berth_protocol::fact::AffinityTermKind;
use berth_protocol::fix::{Change, Fix};

/// The fixes of `default/web`; checks that each helps in both ways.
fn all_help(yaml: &str) -> Vec<Fix> {
    let fixes = fixes(yaml, "default/web");
    for fix in &fixes {
        helps_from_the_start(yaml, "default/web", fix);
    }
    fixes
}

#[test]
fn a_taint_is_tolerated_or_removed() {
    let tainted = "spec: {taints: [{key: link, value: slow, effect: NoSchedule}]}";
    let yaml = node("edge-1", "a", tainted) + &node("edge-2", "a", tainted) + &pod("web", "1", "");
    let fixes = all_help(&yaml);
    // One toleration is enough for both nodes, and is the smallest change.
    assert_eq!(place(&fixes, "Tolerate link=slow:NoSchedule"), 0);
    assert_eq!(fixes[0].feasible_count, 2);
    assert_eq!(
        as_json(&fixes[0].edits),
        json!([{"append": {
            "object": {"kind": "Pod", "namespace": "default", "name": "web"},
            "path": ["spec", "tolerations"],
            "value": {"key": "link", "operator": "Equal", "value": "slow", "effect": "NoSchedule"},
        }}])
    );
    let taken_off = place(&fixes, "Remove taint link=slow:NoSchedule from edge-1");
    assert_eq!(fixes[taken_off].feasible, ["edge-1"]);
    assert!(taken_off < place(&fixes, "Add a node, unlike any here (4 CPU, 16 GiB memory)"));
}

#[test]
fn a_cordoned_node_is_uncordoned() {
    let yaml = node("one", "a", "spec: {unschedulable: true}") + &pod("web", "1", "");
    let fixes = all_help(&yaml);
    assert_eq!(place(&fixes, "Uncordon one"), 0);
    // The taint of a cordon has no fix of its own.
    assert!(!has(&fixes, |what| matches!(what, Change::Tolerate { .. })));
    assert!(!has(&fixes, |what| matches!(
        what,
        Change::RemoveTaint { .. }
    )));
}

#[test]
fn a_dumped_cordon_is_removed_with_its_taint() {
    let cordoned = "spec:
  unschedulable: true
  taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]";
    let yaml = node("one", "a", cordoned) + &pod("web", "1", "");
    let fixes = all_help(&yaml);
    assert_eq!(edit_of(&fixes, "Uncordon one").len(), 2);
}

#[test]
fn the_taint_of_a_node_that_is_unwell_stays() {
    let taints = "spec: {taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}]}";
    let is_about_taints =
        |what: &Change| matches!(what, Change::Tolerate { .. } | Change::RemoveTaint { .. });
    // Written by hand: nothing else keeps it there.
    let yaml = node("one", "a", taints) + &pod("web", "1", "");
    assert!(has(&all_help(&yaml), is_about_taints));
    let unwell = yaml.replace(
        "status: {",
        "status: {conditions: [{type: Ready, status: Unknown}], ",
    );
    assert_ne!(unwell, yaml);
    assert!(!has(&all_help(&unwell), is_about_taints));
}

#[test]
fn a_node_selector_is_met_or_dropped() {
    let yaml = node("one", "a", "") + &pod("web", "1", "nodeSelector: {disktype: ssd}");
    let fixes = all_help(&yaml);
    let labelled = place(&fixes, "Label one disktype=ssd");
    let dropped = place(&fixes, "Remove disktype=ssd from nodeSelector");
    assert!(labelled < dropped);
    assert_eq!(
        as_json(&fixes[dropped].edits),
        json!([{"remove": {
            "object": {"kind": "Pod", "namespace": "default", "name": "web"},
            "path": ["spec", "nodeSelector", "disktype"],
        }}])
    );
    // A new node gets the label too.
    assert!(has(&fixes, |what| matches!(what, Change::AddNode { .. })));
}

#[test]
fn labels_of_a_location_are_not_changed() {
    let selector = "nodeSelector: {topology.kubernetes.io/zone: b}";
    let yaml = node("one", "a", "") + &pod("web", "1", selector);
    let fixes = all_help(&yaml);
    assert!(!has(&fixes, |what| matches!(
        what,
        Change::LabelNode { .. }
    )));
    place(
        &fixes,
        "Remove topology.kubernetes.io/zone=b from nodeSelector",
    );
}

#[test]
fn required_node_affinity_loses_the_expression_that_fails() {
    let affinity = "affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: topology.kubernetes.io/zone, operator: In, values: [a]}
        - {key: gpu, operator: Exists}
        ";
    let yaml = node("one", "a", "") + &pod("web", "1", affinity);
    let fixes = all_help(&yaml);
    let label = place(&fixes, "Label one gpu=true");
    let expression = place(&fixes, "Remove gpu Exists from the required node affinity");
    let all = place(&fixes, "Remove the required node affinity");
    assert!(label < expression && expression < all);
    // The other expression matches, so its removal does not help.
    assert!(
        !sentences(&fixes)
            .iter()
            .any(|text| text.contains("zone In"))
    );
}

#[test]
fn cpu_is_lowered_to_what_just_fits_the_roomiest_node() {
    let used = |name: &str, node: &str, cpu| pod(name, cpu, &format!("nodeName: {node}"));
    let yaml = node("one", "a", "")
        + &node("two", "b", "")
        + &used("first", "one", "1750m")
        + &used("second", "two", "1500m")
        + &pod("web", "600m", "");
    let fixes = all_help(&yaml);
    let lower = place(&fixes, "Lower the cpu request from 600m to 500m CPU");
    let new = place(&fixes, "Add a node like one in a (2 CPU, 4 GiB memory)");
    assert_eq!((new, lower), (0, 1));
    assert_eq!(fixes[lower].node, "two");
    assert_eq!(
        fixes[lower].what,
        Change::LowerRequest {
            resource: "cpu".to_owned(),
            container: None,
            from: 600,
            to: 500
        }
    );
    assert!(lower < place(&fixes, "Delete Pod default/first from one"));
}

#[test]
fn memory_is_lowered_to_whole_mebibytes() {
    let spec = |name: &str, memory: &str, node: &str| {
        format!(
            "apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  containers: [{{name: main, image: main, resources: {{requests: {{memory: {memory}}}}}}}]
  {node}
---
"
        )
    };
    let yaml = node("one", "a", "")
        + &spec("first", "3000000k", "nodeName: one")
        + &spec("web", "2Gi", "");
    let fixes = all_help(&yaml);
    // 4Gi minus 3,000,000,000 bytes is 1,234.98 MiB.
    place(&fixes, "Lower the memory request from 2 to 1.2 GiB");
}

#[test]
fn extended_resources_are_lowered_with_their_limit() {
    let gpus = |name: &str, count: u32, node: &str| {
        format!(
            "apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  containers: [{{name: main, image: main, resources: {{limits: {{example.com/gpu: '{count}'}}}}}}]
  {node}
---
"
        )
    };
    let machine = "apiVersion: v1
kind: Node
metadata: {name: one}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10', example.com/gpu: '4'}}
---
";
    let yaml = machine.to_owned() + &gpus("first", 2, "nodeName: one") + &gpus("web", 3, "");
    let fixes = all_help(&yaml);
    let edits = edit_of(&fixes, "Lower the example.com/gpu request from 3 to 2");
    assert_eq!(edits.len(), 2);
    place(&fixes, "Delete Pod default/first from one");
    // What the Pod asks for besides CPU and memory is named.
    place(
        &fixes,
        "Add a node like one (2 CPU, 4 GiB memory, 4 example.com/gpu)",
    );
}

#[test]
fn a_taken_host_port_is_changed_or_dropped() {
    let ports = |name: &str, node: &str| {
        format!(
            "apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  containers: [{{name: main, image: main, ports: [{{containerPort: 80, hostPort: 8080}}]}}]
  {node}
---
"
        )
    };
    let yaml = node("one", "a", "") + &ports("first", "nodeName: one") + &ports("web", "");
    let fixes = all_help(&yaml);
    let changed = place(&fixes, "Use host port 8081/TCP instead of 8080");
    let dropped = place(&fixes, "Remove host port 8080/TCP");
    let victim = place(&fixes, "Delete Pod default/first from one");
    assert!(changed < dropped && dropped < victim);
}

#[test]
fn a_hard_spread_gets_the_smallest_skew_that_helps() {
    let spread = "topologySpreadConstraints:
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: DoNotSchedule
  labelSelector: {matchLabels: {app: web}}
  minDomains: 2";
    let other = |name: &str, node: &str| {
        pod(name, "100m", &format!("nodeName: {node}"))
            .replace(&format!("{{app: {name}}}"), "{app: web}")
    };
    // Zone b counts but is full: only zone a has room for the Pod, at a skew of 3.
    let yaml = node("one", "a", "")
        + &node("two", "b", "")
        + &other("w1", "one")
        + &other("w2", "one")
        + &pod("big", "2", "nodeName: two")
        + &pod("web", "500m", spread);
    let fixes = all_help(&yaml);
    let raised = place(&fixes, "Raise maxSkew on topology.kubernetes.io/zone to 3");
    let key = "topology.kubernetes.io/zone";
    let soft = format!("Set whenUnsatisfiable: ScheduleAnyway for the spread over {key}");
    let soft = place(&fixes, &soft);
    assert!(raised < soft);
    assert_eq!(fixes[soft].edits.len(), 2, "minDomains goes as well");
    place(&fixes, "Delete Pod default/big from two");
}

#[test]
fn a_node_without_the_topology_key_is_labelled() {
    let spread = "topologySpreadConstraints:
- maxSkew: 1
  topologyKey: rack
  whenUnsatisfiable: DoNotSchedule
  labelSelector: {matchLabels: {app: web}}";
    let yaml = node("one", "a", "") + &pod("web", "500m", spread);
    let fixes = all_help(&yaml);
    place(&fixes, "Label one rack=rack-1");
}

#[test]
fn required_anti_affinity_is_dropped() {
    let anti = "affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector: {matchLabels: {app: db}}";
    let yaml = node("one", "a", "") + &pod("db", "1", "nodeName: one") + &pod("web", "1", anti);
    let fixes = all_help(&yaml);
    let key = "kubernetes.io/hostname";
    let dropped = place(
        &fixes,
        &format!("Remove the required pod anti-affinity over {key}"),
    );
    assert_eq!(
        fixes[dropped].what,
        Change::RemovePodTerm {
            term: AffinityTermKind::AntiAffinity,
            topology_key: key.to_owned()
        }
    );
    assert!(dropped < place(&fixes, "Delete Pod default/db from one"));
}

#[test]
fn required_affinity_is_dropped() {
    let affinity = "affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: topology.kubernetes.io/zone
      labelSelector: {matchLabels: {app: db}}";
    let yaml = node("one", "a", "") + &pod("web", "1", affinity);
    let fixes = all_help(&yaml);
    let key = "topology.kubernetes.io/zone";
    // Neither a new node nor a victim would help.
    let only = format!("Remove the required pod affinity over {key}");
    assert_eq!(sentences(&fixes), [only]);
}

#[test]
fn the_anti_affinity_of_a_running_pod_is_dropped_there() {
    let anti = "nodeName: one
affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: topology.kubernetes.io/zone
      labelSelector: {matchLabels: {app: web}}";
    let yaml = node("one", "a", "") + &pod("db", "1", anti) + &pod("web", "1", "");
    let fixes = all_help(&yaml);
    let key = "topology.kubernetes.io/zone";
    let edits = edit_of(
        &fixes,
        &format!("Remove the required anti-affinity over {key} from Pod db"),
    );
    let affinity = "podAntiAffinity";
    let list = "requiredDuringSchedulingIgnoredDuringExecution";
    assert_eq!(
        as_json(edits),
        json!([{"remove": {
            "object": {"kind": "Pod", "namespace": "default", "name": "db"},
            "path": ["spec", "affinity", affinity, list, 0],
        }}])
    );
}

/// A node with `count` GPUs of a model.
pub(super) fn gpus(name: &str, model: &str, count: usize) -> String {
    let device = |index: usize| {
        format!("  - {{name: gpu-{index}, attributes: {{model: {{string: {model}}}}}}}\n")
    };
    let devices: String = (0..count).map(device).collect();
    let slice = format!(
        "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {name}-gpus}}
spec:
  driver: gpu.example.com
  nodeName: {name}
  pool: {{name: {name}, generation: 1, resourceSliceCount: 1}}
  devices:
{devices}---
"
    );
    node(name, "a", "") + &slice
}

/// A class, a template with one request, and Pods that use it.
pub(super) fn claiming(pods: &[&str], request: &str) -> String {
    let head = format!(
        "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: gpu}}
spec: {{selectors: [{{cel: {{expression: device.driver == \"gpu.example.com\"}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: gpus}}
spec: {{spec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu, {request}}}}}]}}}}}}
---
"
    );
    let one = |name: &&str| {
        pod(
            name,
            "100m",
            "resourceClaims: [{name: gpu, resourceClaimTemplateName: gpus}]",
        )
    };
    head + &pods.iter().map(one).collect::<String>()
}

#[test]
fn a_false_selector_of_a_claim_is_removed() {
    let expression = "device.attributes[\"gpu.example.com\"].model == \"big\"";
    let request = format!("selectors: [{{cel: {{expression: '{expression}'}}}}]");
    let fixes = all_help(&(gpus("one", "small", 1) + &claiming(&["web"], &request)));
    let sentence =
        format!("Remove the selector {expression} from request gpu of ResourceClaimTemplate gpus");
    assert_eq!(place(&fixes, &sentence), 0);
    assert_eq!(fixes[0].feasible, ["one"]);
}

#[test]
fn fewer_devices_are_enough() {
    let fixes = all_help(&(gpus("one", "big", 2) + &claiming(&["web"], "count: 4")));
    assert_eq!(
        place(
            &fixes,
            "Lower the count of request gpu of ResourceClaimTemplate gpus from 4 to 2"
        ),
        0
    );
    let all = "Set allocationMode: All for request gpu of ResourceClaimTemplate gpus";
    assert!(place(&fixes, all) > 0);
    assert!(!has(&fixes, |what| matches!(
        what,
        Change::LowerDeviceCount { to: 1 | 3, .. }
    )));
}

#[test]
fn a_pod_that_holds_a_device_makes_way() {
    let fixes = all_help(&(gpus("one", "big", 1) + &claiming(&["first", "web"], "count: 1")));
    assert!(place(&fixes, "Delete Pod default/first from one") < fixes.len());
}
