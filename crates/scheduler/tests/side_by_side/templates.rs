//! Random nodes and Pod templates.

use berth_scheduler::base::random::Random;
use berth_scheduler::config::Profile;
use berth_scheduler::config::SchedulerConfiguration;
use berth_scheduler::config::args::{DefaultingType, InterPodAffinityArgs, ScoringStrategyType};
use berth_scheduler::config::plugins::{EnabledPlugin, ExtensionPoint};
use berth_scheduler::k8s_openapi::api::core::v1::TopologySpreadConstraint;

/// The size of a life.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub nodes: usize,
    pub templates: usize,
}

fn one_of<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    let position = random.below(words.len() as u64);
    words[usize::try_from(position).unwrap_or(0)]
}

fn is_one_in(random: &mut Random, chances: u64) -> bool {
    random.below(chances) == 0
}

/// Mostly the default; mostly with all nodes scored.
pub fn configuration(random: &mut Random) -> SchedulerConfiguration {
    let percentages = [100, 100, 100, 100, 0, 30];
    let position = usize::try_from(random.below(6)).unwrap_or(0);
    let mut profile = Profile::default();
    let args = &mut profile.args;
    match random.below(8) {
        0 => {
            args.node_resources_fit.scoring_strategy.kind = ScoringStrategyType::MostAllocated;
        }
        1 => {
            args.pod_topology_spread.defaulting_type = DefaultingType::List;
            let constraint = |key: &str, when: &str| TopologySpreadConstraint {
                max_skew: 2,
                topology_key: key.to_owned(),
                when_unsatisfiable: when.to_owned(),
                ..TopologySpreadConstraint::default()
            };
            args.pod_topology_spread.default_constraints = vec![
                constraint("rack", "DoNotSchedule"),
                constraint("kubernetes.io/hostname", "ScheduleAnyway"),
            ];
        }
        2 => {
            let heavy = |name: &str| EnabledPlugin {
                name: name.to_owned(),
                weight: 5,
            };
            let set = profile.plugins.at_mut(ExtensionPoint::Score);
            set.disabled = vec!["NodeResourcesBalancedAllocation".to_owned()];
            set.enabled = vec![heavy("PodTopologySpread"), heavy("InterPodAffinity")];
        }
        3 => {
            let set = profile.plugins.at_mut(ExtensionPoint::Filter);
            set.disabled = vec!["NodeAffinity".to_owned(), "TaintToleration".to_owned()];
        }
        4 => {
            args.inter_pod_affinity = InterPodAffinityArgs {
                hard_pod_affinity_weight: 7,
                ignore_preferred_terms_of_existing_pods: true,
            };
        }
        _ => {}
    }
    SchedulerConfiguration {
        percentage_of_nodes_to_score: percentages[position],
        profiles: vec![profile],
        ..SchedulerConfiguration::default()
    }
}

pub fn service(app: usize) -> String {
    format!(
        "{{metadata: {{name: s{app}, namespace: default}}, spec: {{selector: {{app: a{app}}}, ports: [{{port: 80}}]}}}}"
    )
}

pub fn budget(app: usize) -> String {
    format!(
        "{{metadata: {{name: b{app}, namespace: default}}, spec: {{minAvailable: 1, selector: \
         {{matchLabels: {{app: a{app}}}}}}}, status: {{currentHealthy: 0, desiredHealthy: 0, \
         disruptionsAllowed: 1, expectedPods: 0}}}}"
    )
}

/// A node; often without some of the labels.
pub fn node(random: &mut Random, number: usize) -> String {
    let zone = one_of(random, &["a", "b", "c", "c"]);
    let rack = random.below(9);
    let mut labels = vec![format!("kubernetes.io/hostname: node-{number}")];
    if !is_one_in(random, 30) {
        labels.push(format!("topology.kubernetes.io/zone: {zone}"));
    }
    if !is_one_in(random, 6) {
        labels.push(format!("rack: r{rack}"));
    }
    if is_one_in(random, 3) {
        labels.push(format!("disk: {}", one_of(random, &["ssd", "hdd"])));
    }
    let taint = match random.below(12) {
        0 => "{key: t, value: x, effect: NoSchedule}",
        1 => "{key: p, effect: PreferNoSchedule}",
        2 => "{key: p, effect: PreferNoSchedule}, {key: q, effect: PreferNoSchedule}",
        _ => "",
    };
    let cordon = if is_one_in(random, 25) {
        "unschedulable: true, "
    } else {
        ""
    };
    let cpu = one_of(random, &["1", "2", "4", "3900m"]);
    let memory = one_of(random, &["2Gi", "8Gi", "16Gi"]);
    let pods = one_of(random, &["4", "110", "110", "8"]);
    let image = match random.below(4) {
        0 => "images: [{names: ['big:1'], sizeBytes: 900000000}], ",
        1 => "images: [{names: ['small:1', 'big:1'], sizeBytes: 200000000}], ",
        _ => "",
    };
    format!(
        "{{metadata: {{name: node-{number}, labels: {{{}}}}}, spec: {{{cordon}taints: [{taint}]}}, \
         status: {{{image}allocatable: {{cpu: '{cpu}', memory: {memory}, pods: '{pods}'}}}}}}",
        labels.join(", ")
    )
}

/// A template, as a Pod.
pub fn template(random: &mut Random, number: usize) -> String {
    let app = random.below(8);
    let namespace = one_of(random, &["default", "default", "other"]);
    let cpu = one_of(random, &["10m", "100m", "300m", "1"]);
    let memory = one_of(random, &["16Mi", "100Mi", "1Gi"]);
    let image = one_of(random, &["big:1", "small:1", "other"]);
    let priority = match random.below(7) {
        0 => "priority: 100, ",
        1 => "priority: 50, ",
        2 => "priority: 70, preemptionPolicy: Never, ",
        _ => "",
    };
    let tolerations = match random.below(5) {
        0 => "tolerations: [{key: t, operator: Exists}], ",
        1 => "tolerations: [{key: p, operator: Exists}], ",
        _ => "",
    };
    let selector = match is_one_in(random, 6) {
        true => "nodeSelector: {disk: ssd}, ",
        false => "",
    };
    let affinity = affinity(random);
    let spread = spread(random);
    let port = if is_one_in(random, 12) {
        format!(
            "ports: [{{containerPort: 80, hostPort: {}}}], ",
            80 + random.below(2)
        )
    } else {
        String::new()
    };
    format!(
        "{{metadata: {{name: template-{number}, namespace: {namespace}, labels: {{app: a{app}, tier: t{}}}}}, \
         spec: {{{priority}{tolerations}{selector}{affinity}{spread}containers: [{{name: c, image: '{image}', {port}\
         resources: {{requests: {{cpu: '{cpu}', memory: {memory}}}}}}}]}}}}",
        number % 3
    )
}

fn key(random: &mut Random) -> &'static str {
    one_of(
        random,
        &[
            "kubernetes.io/hostname",
            "topology.kubernetes.io/zone",
            "rack",
        ],
    )
}

fn term(random: &mut Random) -> String {
    let scope = match random.below(6) {
        0 => ", namespaceSelector: {matchLabels: {team: red}}",
        1 => ", namespaces: [default, other]",
        _ => "",
    };
    format!(
        "topologyKey: {}, labelSelector: {{matchLabels: {{{}}}}}{scope}",
        key(random),
        match random.below(3) {
            0 => format!("tier: t{}", random.below(3)),
            _ => format!("app: a{}", random.below(8)),
        }
    )
}

fn affinity(random: &mut Random) -> String {
    let mut kinds = Vec::new();
    if is_one_in(random, 4) {
        let weight = 1 + random.below(9);
        kinds.push(format!(
            "nodeAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: [{{weight: {weight}, preference: \
             {{matchExpressions: [{{key: disk, operator: In, values: [ssd]}}]}}}}, {{weight: 2, preference: \
             {{matchExpressions: [{{key: rack, operator: In, values: [r1, r2, r3]}}]}}}}]}}"
        ));
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let mut terms = Vec::new();
        if is_one_in(random, 6) {
            let term = term(random);
            terms.push(format!(
                "requiredDuringSchedulingIgnoredDuringExecution: [{{{term}}}]"
            ));
        }
        if is_one_in(random, 5) {
            let (weight, term) = (1 + random.below(20), term(random));
            terms.push(format!(
                "preferredDuringSchedulingIgnoredDuringExecution: [{{weight: {weight}, podAffinityTerm: {{{term}}}}}]"
            ));
        }
        if !terms.is_empty() {
            kinds.push(format!("{kind}: {{{}}}", terms.join(", ")));
        }
    }
    match kinds.is_empty() {
        true => String::new(),
        false => format!("affinity: {{{}}}, ", kinds.join(", ")),
    }
}

fn spread(random: &mut Random) -> String {
    let count = match random.below(4) {
        0 => 1 + random.below(2),
        _ => 0,
    };
    let mut constraints = Vec::new();
    for _ in 0..count {
        let (skew, key) = (1 + random.below(3), key(random));
        let (when, domains) = match random.below(4) {
            0 => ("DoNotSchedule", ", minDomains: 3"),
            1 => ("DoNotSchedule", ""),
            _ => ("ScheduleAnyway", ""),
        };
        let policy = match random.below(5) {
            0 => ", nodeAffinityPolicy: Ignore",
            1 => ", nodeTaintsPolicy: Honor",
            _ => "",
        };
        constraints.push(format!(
            "{{maxSkew: {skew}, topologyKey: {key}, whenUnsatisfiable: {when}{domains}{policy}, \
             labelSelector: {{matchLabels: {{app: a{}}}}}}}",
            random.below(8)
        ));
    }
    match constraints.is_empty() {
        true => String::new(),
        false => format!("topologySpreadConstraints: [{}], ", constraints.join(", ")),
    }
}
