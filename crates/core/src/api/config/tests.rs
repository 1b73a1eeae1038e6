use super::args::{DefaultingType, ScoringStrategyType};
use super::*;
use berth_scheduler::release::{Release, Version};

/// Reads a configuration with these fields.
fn read_yaml(fields: &str) -> (SchedulerConfiguration, Vec<ConfigProblem>) {
    let text = format!("apiVersion: {API_VERSION}\nkind: KubeSchedulerConfiguration\n{fields}");
    let value: Value = serde_yaml::from_str(&text).expect("test configurations are YAML");
    read(&value, &Release::default())
}

fn messages(fields: &str) -> Vec<String> {
    let (_, problems) = read_yaml(fields);
    problems
        .into_iter()
        .map(|problem| format!("{}: {}", problem.path, problem.message))
        .collect()
}

/// A configuration whose profile has these arguments for one plugin.
fn with_args(plugin: &str, args: &str) -> String {
    format!("profiles: [{{pluginConfig: [{{name: {plugin}, args: {args}}}]}}]")
}

#[test]
fn an_empty_configuration_is_the_default_one() {
    let (configuration, problems) = read_yaml("");
    assert_eq!(problems, []);
    assert_eq!(configuration, SchedulerConfiguration::default());
    let [profile] = configuration.profiles.as_slice() else {
        panic!("one profile")
    };
    assert_eq!(profile.scheduler_name, "default-scheduler");
    assert_eq!(profile.args.inter_pod_affinity.hard_pod_affinity_weight, 1);
    assert_eq!(
        profile.args.pod_topology_spread.defaulting_type,
        DefaultingType::System
    );
    let strategy = &profile.args.node_resources_fit.scoring_strategy;
    assert_eq!(strategy.kind, ScoringStrategyType::LeastAllocated);
    assert_eq!(strategy.resources.len(), 2);
}

const TWO_PROFILES: &str = "percentageOfNodesToScore: 50
clientConnection: {qps: 100}
leaderElection: {leaderElect: false}
profiles:
- schedulerName: one
  percentageOfNodesToScore: 70
  pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResources: [example.com/license]
      ignoredResourceGroups: [example.org]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 3}, {name: nvidia.com/gpu}]
        requestedToCapacityRatio:
          shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
  - {name: InterPodAffinity, args: {ignorePreferredTermsOfExistingPods: true}}
  - {name: DefaultPreemption}
- schedulerName: two
";

#[test]
fn arguments_are_read_and_defaulted() {
    let (configuration, problems) = read_yaml(TWO_PROFILES);
    assert_eq!(
        (problems, configuration.percentage_of_nodes_to_score),
        (vec![], 50)
    );
    let [one, two] = configuration.profiles.as_slice() else {
        panic!("two profiles")
    };
    assert_eq!(one.percentage_of_nodes_to_score, Some(70));
    let fit = &one.args.node_resources_fit;
    assert_eq!(fit.ignored_resources, ["example.com/license"]);
    assert_eq!(fit.ignored_resource_groups, ["example.org"]);
    assert_eq!(
        fit.scoring_strategy.kind,
        ScoringStrategyType::RequestedToCapacityRatio
    );
    let weights: Vec<i64> = fit
        .scoring_strategy
        .resources
        .iter()
        .map(|r| r.weight)
        .collect();
    assert_eq!(weights, [3, 1]);
    assert_eq!(fit.scoring_strategy.shape.len(), 2);
    assert_eq!(
        one.args.pod_topology_spread.defaulting_type,
        DefaultingType::List
    );
    assert_eq!(one.args.pod_topology_spread.default_constraints.len(), 1);
    assert!(
        one.args
            .inter_pod_affinity
            .ignore_preferred_terms_of_existing_pods
    );
    assert_eq!(
        one.args.default_preemption.min_candidate_nodes_absolute,
        100
    );
    assert_eq!(
        two,
        &Profile {
            scheduler_name: "two".to_owned(),
            ..Profile::default()
        }
    );
}

#[test]
fn unknown_fields_are_strict_decoding_errors() {
    let decoding = "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding \
                    error: decoding args for plugin";
    let cases = [
        (
            "percentageOfNodeToScore: 5".to_owned(),
            "percentageOfNodeToScore: strict decoding error: unknown field \
             \"percentageOfNodeToScore\""
                .to_owned(),
        ),
        (
            "profiles: [{plugins: {filtre: {}}}]".to_owned(),
            "profiles[0].plugins.filtre: strict decoding error: unknown field \
             \"profiles[0].plugins.filtre\""
                .to_owned(),
        ),
        (
            with_args(
                "NodeResourcesFit",
                "{scoringStrategy: {type: MostAllocated, resourcess: []}}",
            ),
            format!(
                "profiles[0].pluginConfig[0].args.scoringStrategy.resourcess: {decoding} \
                 NodeResourcesFit: strict decoding error: unknown field \"scoringStrategy.resourcess\""
            ),
        ),
        (
            with_args(
                "PodTopologySpread",
                "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, maxskew: 1}]}",
            ),
            format!(
                "profiles[0].pluginConfig[0].args.defaultConstraints[0].maxskew: {decoding} \
                 PodTopologySpread: strict decoding error: unknown field \"defaultConstraints[0].maxskew\""
            ),
        ),
    ];
    for (fields, expected) in cases {
        assert_eq!(messages(&fields), [expected], "{fields}");
    }
}

#[test]
fn unknown_fields_come_with_a_suggestion() {
    let (_, problems) = read_yaml("percentageOfNodeToScore: 5");
    assert_eq!(problems[0].help, "Did you mean `percentageOfNodesToScore`?");
    let (_, problems) = read_yaml("profiles: [{colour: blue}]");
    assert_eq!(
        problems[0].help,
        "Remove it: the fields here are schedulerName, percentageOfNodesToScore, plugins, \
         pluginConfig."
    );
}

#[test]
fn wrong_types_are_reported_and_count_as_absent() {
    let cases = [
        (
            "parallelism: many",
            "parallelism: json: cannot unmarshal string into Go struct field \
             KubeSchedulerConfiguration.parallelism of type int32",
        ),
        (
            "profiles: {}",
            "profiles: json: cannot unmarshal object into Go struct field \
             KubeSchedulerConfiguration.profiles of type []v1.KubeSchedulerProfile",
        ),
        (
            "profiles: [{plugins: {score: {enabled: [{name: NodeAffinity, weight: 1.5}]}}}]",
            "profiles[0].plugins.score.enabled[0].weight: json: cannot unmarshal number 1.5 into \
             Go struct field Plugin.profiles.plugins.score.enabled.weight of type int32",
        ),
        (
            "podMaxBackoffSeconds: 1e30",
            "podMaxBackoffSeconds: json: cannot unmarshal number 1e+30 into Go struct field \
             KubeSchedulerConfiguration.podMaxBackoffSeconds of type int64",
        ),
    ];
    for (fields, expected) in cases {
        assert_eq!(messages(fields), [expected], "{fields}");
    }
    assert_eq!(
        messages(&with_args(
            "InterPodAffinity",
            "{hardPodAffinityWeight: heavy}"
        )),
        [
            "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: decoding \
          .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: json: cannot \
          unmarshal string into Go struct field InterPodAffinityArgs.hardPodAffinityWeight of \
          type int32"
        ]
    );
    let (configuration, _) = read_yaml("parallelism: many\npercentageOfNodesToScore: 30");
    assert_eq!(configuration.parallelism, 16);
    assert_eq!(configuration.percentage_of_nodes_to_score, 30);
    assert_eq!(
        read(&Value::Bool(true), &Release::default()).0,
        SchedulerConfiguration::default()
    );
}

#[test]
fn values_are_checked_as_the_scheduler_checks_them() {
    let invalid = |field: &str, rest: &str| vec![format!("{field}: Invalid value: {rest}")];
    let cases = [
        (
            "parallelism: 0",
            invalid(
                "parallelism",
                "0: should be an integer value greater than zero",
            ),
        ),
        (
            "percentageOfNodesToScore: 101",
            invalid(
                "percentageOfNodesToScore",
                "101: not in valid range [0-100]",
            ),
        ),
        (
            "profiles: [{percentageOfNodesToScore: -1}]",
            invalid(
                "profiles[0].percentageOfNodesToScore",
                "-1: not in valid range [0-100]",
            ),
        ),
        (
            "podInitialBackoffSeconds: 0",
            invalid("podInitialBackoffSeconds", "0: must be greater than 0"),
        ),
        (
            "podInitialBackoffSeconds: 20",
            invalid(
                "podMaxBackoffSeconds",
                "10: must be greater than or equal to PodInitialBackoffSeconds",
            ),
        ),
        (
            "profiles: [{schedulerName: a}, {}]",
            vec!["profiles[1].schedulerName: Required value".to_owned()],
        ),
        (
            "profiles: [{schedulerName: a}, {schedulerName: a}]",
            vec!["profiles[1].schedulerName: Duplicate value: {}".to_owned()],
        ),
        (
            "profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]",
            invalid(
                "profiles[0].plugins.filter.enabled[0]",
                "\"EBSLimits\": was invalid in version \"v1\" (KubeSchedulerConfiguration is \
                 version \"kubescheduler.config.k8s.io/v1\")",
            ),
        ),
        (
            "profiles: [{schedulerName: a}, {schedulerName: b, plugins: {queueSort: {disabled: \
             [{name: PrioritySort}]}}}]",
            invalid(
                "profiles[1].plugins.queueSort",
                "{\"Enabled\":null,\"Disabled\":[{\"Name\":\"PrioritySort\",\"Weight\":0}]}: must \
                 be the same for all profiles",
            ),
        ),
    ];
    for (fields, expected) in cases {
        assert_eq!(messages(fields), expected, "{fields}");
    }
}

/// (plugin, arguments, errors below `profiles[0].pluginConfig[0].args`)
const WRONG_ARGUMENTS: [(&str, &str, &[&str]); 13] = [
    (
        "DefaultPreemption",
        "{minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1}",
        &[
            ".minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
            ".minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)",
        ],
    ),
    (
        "DefaultPreemption",
        "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}",
        &[
            ".minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute",
            ".minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage",
        ],
    ),
    (
        "InterPodAffinity",
        "{hardPodAffinityWeight: 101}",
        &[".hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]"],
    ),
    (
        "NodeResourcesBalancedAllocation",
        "{resources: [{name: cpu, weight: 2}, {name: cpu}]}",
        &[
            ".resources[0].weight: Invalid value: 2: must be 1",
            ".resources[1].name: Duplicate value: \"cpu\"",
        ],
    ),
    (
        "NodeResourcesFit",
        "{scoringStrategy: {type: Least}}",
        &[
            ".scoringStrategy.type: Unsupported value: \"Least\": supported values: \"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"",
        ],
    ),
    (
        "NodeResourcesFit",
        "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 101}]}}",
        &[
            ".scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]",
        ],
    ),
    (
        "NodeResourcesFit",
        "{scoringStrategy: {type: RequestedToCapacityRatio}}",
        &[
            ".scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio",
        ],
    ),
    (
        "NodeResourcesFit",
        "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 50, score: 11}, {utilization: 50, score: 1}]}}}",
        &[
            ".scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 50: values must be sorted in increasing order",
            ".scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: 11: not in valid range [0, 10]",
        ],
    ),
    (
        "NodeResourcesFit",
        "{ignoredResourceGroups: [a/b]}",
        &[
            ".ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/'",
        ],
    ),
    (
        "PodTopologySpread",
        "{defaultConstraints: [{maxSkew: 0, topologyKey: '', whenUnsatisfiable: Never, labelSelector: {}}]}",
        &[
            ".defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty",
            ".defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)",
            ".defaultConstraints[0].topologyKey: Required value: can not be empty",
            ".defaultConstraints[0].whenUnsatisfiable: Unsupported value: \"Never\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\"",
            ".defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod",
        ],
    ),
    (
        "VolumeBinding",
        "{bindTimeoutSeconds: -1, shape: [{utilization: 0, score: 1}]}",
        &[
            ".bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
            ".shape: Invalid value: [{\"Utilization\":0,\"Score\":1}]: unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring",
        ],
    ),
    (
        "NodeAffinity",
        "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In}], matchFields: [{key: metadata.name, operator: Exists}]}]}}}",
        &[
            ".addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
            ".addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: \"Exists\": supported values: \"In\", \"NotIn\"",
        ],
    ),
    (
        "DefaultPreemption",
        "{apiVersion: kubescheduler.config.k8s.io/v1, kind: NodeAffinityArgs}",
        &[
            ".kind: args for plugin DefaultPreemption were not of type DefaultPreemptionArgs.kubescheduler.config.k8s.io, got NodeAffinityArgs.kubescheduler.config.k8s.io",
        ],
    ),
];

#[test]
fn the_timeout_of_bindings_is_known_since_v1_35() {
    let problem = |version, timeout: &str| {
        let args = format!("{{bindingTimeout: {timeout}}}");
        let value = serde_yaml::from_str(&with_args("DynamicResources", &args)).expect("YAML");
        let (_, problems) = read(&value, &Release::of(version));
        problems
            .into_iter()
            .map(|problem| problem.message.to_string())
            .collect::<String>()
    };
    assert!(problem(Version::V1_34, "10m").contains("unknown field"));
    assert_eq!(problem(Version::V1_36, "1m30s"), "");
    assert!(problem(Version::V1_36, "999ms").contains("must be at least 1 second"));
}

/// v1.34 ignores the shape, v1.36 refuses it.
#[test]
fn a_shape_that_is_not_used_is_refused_since_v1_35() {
    let shape = "shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]";
    let args = format!(
        "{{scoringStrategy: {{type: MostAllocated, requestedToCapacityRatio: {{{shape}}}}}}}"
    );
    let value: Value = serde_yaml::from_str(&with_args("NodeResourcesFit", &args)).expect("YAML");
    let problems = |version| read(&value, &Release::of(version)).1;
    assert_eq!(problems(Version::V1_34), []);
    let [problem] = &problems(Version::V1_36)[..] else {
        panic!("one problem");
    };
    let forbidden = "Forbidden: must be nil when type is not RequestedToCapacityRatio";
    assert_eq!(problem.message, forbidden);
}

#[test]
fn arguments_are_checked_as_the_scheduler_checks_them() {
    for (plugin, args, expected) in WRONG_ARGUMENTS {
        let expected: Vec<String> = expected
            .iter()
            .map(|error| format!("profiles[0].pluginConfig[0].args{error}"))
            .collect();
        assert_eq!(
            messages(&with_args(plugin, args)),
            expected,
            "{plugin} {args}"
        );
    }
}

#[test]
fn settings_without_effect_are_warnings() {
    let (_, problems) = read_yaml(
        "extenders: [{urlPrefix: 'http://x'}]
profiles: [{pluginConfig: [{name: ImageLocality, args: {}}, {name: Mine, args: {a: 1}}]}]",
    );
    assert_eq!(problems.len(), 3);
    assert!(
        problems
            .iter()
            .all(|problem| problem.severity == Severity::Warning),
        "{problems:?}"
    );
}

#[test]
fn the_first_entry_of_a_plugin_counts() {
    let fields = "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 2}}, {name: InterPodAffinity, args: {hardPodAffinityWeight: 3}}]}]";
    assert_eq!(
        messages(fields),
        ["profiles[0].pluginConfig[1]: Duplicate value: \"InterPodAffinity\""]
    );
    let (configuration, _) = read_yaml(fields);
    assert_eq!(
        configuration.profiles[0]
            .args
            .inter_pod_affinity
            .hard_pod_affinity_weight,
        2
    );
}
