//! Pods.

use super::*;

#[test]
fn containers() {
    check(
        pod_errors,
        &[
            ("", &[]),
            (
                "initContainers: [{name: c, image: i}, {name: s, image: i, restartPolicy: Never}]",
                &["spec.initContainers[0].name: Duplicate value: \"c\""],
            ),
            (
                "restartPolicy: Sometimes",
                &[
                    "spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"OnFailure\", \"Never\"",
                ],
            ),
            (
                "schedulingGates: [{name: a}, {name: a}], nodeName: n",
                &[
                    "spec.schedulingGates[1]: Duplicate value: \"a\"",
                    "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
                ],
            ),
        ],
    );
    check(
        errors,
        &[
            (
                "{kind: Pod, metadata: {name: a}, spec: {containers: []}}",
                &["spec.containers: Required value"],
            ),
            (
                "{kind: Pod, metadata: {name: a}}",
                &["spec.containers: Required value"],
            ),
            (
                "{kind: Pod, metadata: {name: a}, spec: {containers: [{name: ''}, {name: a, image: ' i'}, {name: a, image: i}]}}",
                &[
                    "spec.containers[0].name: Required value",
                    "spec.containers[0].image: Required value",
                    "spec.containers[2].name: Duplicate value: \"a\"",
                    "spec.containers[1].image: Invalid value: \" i\": must not have leading or trailing whitespace",
                ],
            ),
            (
                "{kind: Pod, metadata: {name: a}, spec: {hostNetwork: true, containers: [{name: c, image: i, ports: [{containerPort: 80}, {containerPort: 81, hostPort: 82}]}]}}",
                &[
                    "spec.containers[0].ports[1].hostPort: Invalid value: 82: must match `containerPort` when `hostNetwork` is true",
                ],
            ),
        ],
    );
}

#[test]
fn ports_and_mounts() {
    check(
        container_errors,
        &[
            (
                "ports: [{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80, protocol: UDP}, {containerPort: 82, hostPort: 80, protocol: TCP}]",
                &["spec.containers[0].ports[2].hostPort: Duplicate value: \"TCP//80\""],
            ),
            (
                "ports: [{containerPort: 70000, hostPort: -1, protocol: tcp}, {containerPort: 0}]",
                &[
                    "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
                    "spec.containers[0].ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive",
                    "spec.containers[0].ports[0].protocol: Unsupported value: \"tcp\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                    "spec.containers[0].ports[1].containerPort: Required value",
                ],
            ),
            (
                "volumeMounts: [{name: v, mountPath: /v}]",
                &["spec.containers[0].volumeMounts[0].name: Not found: \"v\""],
            ),
        ],
    );
}

#[test]
fn requests_and_limits() {
    check(
        container_errors,
        &[
            (
                "resources: {requests: {cpu: 2, nvidia.com/gpu: 1}, limits: {cpu: 2, nvidia.com/gpu: 1}}",
                &[],
            ),
            (
                "resources: {requests: {cpu: 2}, limits: {cpu: 1500m}}",
                &[
                    "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1500m",
                ],
            ),
            (
                "resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}",
                &[
                    "spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to nvidia.com/gpu limit of 2",
                ],
            ),
            (
                "resources: {requests: {nvidia.com/gpu: 1}}",
                &[
                    "spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources",
                ],
            ),
            (
                "resources: {limits: {nvidia.com/gpu: 500m}}",
                &[
                    "spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: \"500m\": must be an integer",
                ],
            ),
            (
                "resources: {requests: {gpu: 1, storage: 1, a.kubernetes.io/b: 1, memory: -1Gi}}",
                &[
                    "spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully qualified",
                    "spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource for containers",
                    "spec.containers[0].resources.requests[memory]: Invalid value: \"-1Gi\": must be greater than or equal to 0",
                    "spec.containers[0].resources.requests[storage]: Invalid value: \"storage\": must be a standard resource for containers",
                ],
            ),
            (
                "resources: {limits: {hugepages-2Mi: 2Mi}}",
                &["spec.containers[0].resources: Forbidden: HugePages require cpu or memory"],
            ),
        ],
    );
    check(
        errors,
        &[(
            "{kind: Pod, metadata: {name: a}, spec: {resources: {requests: {cpu: 1}, limits: {cpu: 2}}, containers: [{name: a, image: i, resources: {requests: {cpu: 800m}, limits: {cpu: 3}}}, {name: b, image: i, resources: {limits: {cpu: 700m}}}]}}",
            &[
                "spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate container requests of 1500m",
                "spec.resources.containers[0][cpu].limits: Invalid value: \"3\": must be less than or equal to pod limits of 2",
            ],
        )],
    );
    check(
        pod_errors,
        &[(
            "resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 1}}",
            &[
                "spec.resources.limits[nvidia.com/gpu]: Unsupported value: \"nvidia.com/gpu\": supported values: \"cpu\", \"hugepages-\", \"memory\"",
                "spec.resources.requests[nvidia.com/gpu]: Unsupported value: \"nvidia.com/gpu\": supported values: \"cpu\", \"hugepages-\", \"memory\"",
            ],
        )],
    );
}

#[test]
fn node_selection() {
    let value = format!("spec.nodeSelector: Invalid value: \"b b\": {VALUE}");
    let required = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ";
    let path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    check(
        pod_errors,
        &[
            ("nodeSelector: {a: 'b b'}", &[&value]),
            (
                "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, preference: {matchExpressions: [{key: a, operator: In, values: ['a b']}]}}]}}",
                &[
                    "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100",
                ],
            ),
        ],
    );
    let cases: [(&str, &[&str]); 6] = [
        (
            "[]",
            &[": Required value: must have at least one node selector term"],
        ),
        (
            "[{matchExpressions: [{key: a, operator: In}]}]",
            &[
                "[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
            ],
        ),
        (
            "[{matchExpressions: [{key: a, operator: Exists, values: [b]}]}]",
            &[
                "[0].matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ],
        ),
        (
            "[{matchExpressions: [{key: a, operator: Gt, values: ['1', '2']}]}]",
            &[
                "[0].matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
            ],
        ),
        (
            "[{matchExpressions: [{key: a, operator: Equals, values: ['1']}]}]",
            &[
                "[0].matchExpressions[0].operator: Invalid value: \"Equals\": not a valid selector operator",
            ],
        ),
        (
            "[{matchFields: [{key: spec.name, operator: Exists}, {key: metadata.name, operator: In}]}]",
            &[
                "[0].matchFields[0].operator: Invalid value: \"Exists\": not a valid selector operator",
                "[0].matchFields[0].key: Invalid value: \"spec.name\": not a valid field selector key",
                "[0].matchFields[1].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            ],
        ),
    ];
    for (terms, expected) in cases {
        let expected: Vec<String> = expected
            .iter()
            .map(|error| format!("{path}{error}"))
            .collect();
        assert_eq!(
            pod_errors(&format!("{required}{terms}}}}}}}")),
            expected,
            "{terms}"
        );
    }
}

#[test]
fn pod_affinity() {
    let path = "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
    let namespace = format!(".namespace: Invalid value: \"A\": {LABEL}");
    let topology_key = format!(".topologyKey: Invalid value: \"\": {KEY_NAME}");
    let cases: [(&str, &[&str]); 7] = [
        (
            "labelSelector: {matchLabels: {app: a}}, topologyKey: zone",
            &[],
        ),
        (
            "topologyKey: ''",
            &[
                ".topologyKey: Required value: can not be empty",
                ".topologyKey: Invalid value: \"\": name part must be non-empty",
                &topology_key,
            ],
        ),
        ("topologyKey: zone, namespaces: [A]", &[&namespace]),
        (
            "topologyKey: zone, matchLabelKeys: [app]",
            &[".matchLabelKeys: Forbidden: must not be specified when labelSelector is not set"],
        ),
        (
            "topologyKey: zone, matchLabelKeys: [app], mismatchLabelKeys: [app], labelSelector: {}",
            &[
                ".matchLabelKeys[0]: Invalid value: \"app\": exists in both matchLabelKeys and mismatchLabelKeys",
            ],
        ),
        (
            "topologyKey: zone, matchLabelKeys: [app], labelSelector: {matchLabels: {app: a}}",
            &["[0]: Invalid value: \"app\": exists in both matchLabelKeys and labelSelector"],
        ),
        // The Pod lacks the label, so nothing is merged and no error is found.
        (
            "topologyKey: zone, matchLabelKeys: [tier], labelSelector: {matchLabels: {tier: a}}",
            &[],
        ),
    ];
    for (term, expected) in cases {
        let expected: Vec<String> = expected
            .iter()
            .map(|error| format!("{path}{error}"))
            .collect();
        let fields = format!(
            "affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{{term}}}]}}}}"
        );
        assert_eq!(pod_errors(&fields), expected, "{term}");
    }
    check(
        pod_errors,
        &[(
            "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: a, labelSelector: {matchExpressions: [{key: a, operator: Gt}]}}}]}}",
            &[
                "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
                "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].operator: Invalid value: \"Gt\": not a valid selector operator",
            ],
        )],
    );
}

#[test]
fn spread() {
    let path = "spec.topologySpreadConstraints";
    let cases: [(&str, &[&str]); 6] = [
        (
            "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 2}",
            &[],
        ),
        (
            "{maxSkew: 0, topologyKey: '', whenUnsatisfiable: Never}",
            &[
                "[0].maxSkew: Invalid value: 0: must be greater than zero",
                "[0].topologyKey: Required value: can not be empty",
                "[0].whenUnsatisfiable: Unsupported value: \"Never\": supported values: \"DoNotSchedule\", \"ScheduleAnyway\"",
            ],
        ),
        (
            "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}, {maxSkew: 2, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}",
            &["[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, ScheduleAnyway}\""],
        ),
        (
            "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 0}",
            &[
                "[0].minDomains: Invalid value: 0: must be greater than zero",
                "[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
            ],
        ),
        (
            "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: honor}",
            &[
                "[0].nodeTaintsPolicy: Unsupported value: \"honor\": supported values: \"Honor\", \"Ignore\"",
            ],
        ),
        (
            "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [app], labelSelector: {matchLabels: {app: a}}}",
            &["[0][0]: Invalid value: \"app\": exists in both matchLabelKeys and labelSelector"],
        ),
    ];
    for (constraints, expected) in cases {
        let expected: Vec<String> = expected
            .iter()
            .map(|error| format!("{path}{error}"))
            .collect();
        let fields = format!("topologySpreadConstraints: [{constraints}]");
        assert_eq!(pod_errors(&fields), expected, "{constraints}");
    }
}

#[test]
fn tolerations() {
    check(
        pod_errors,
        &[
            (
                "tolerations: [{operator: Exists}, {key: a, value: b}, {key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]",
                &[],
            ),
            (
                "tolerations: [{value: b}]",
                &[
                    "spec.tolerations[0].operator: Invalid value: \"\": operator must be Exists when `key` is empty, which means \"match all values and all keys\"",
                ],
            ),
            (
                "tolerations: [{key: a, operator: Exists, value: b, effect: NoSchedule, tolerationSeconds: 5}]",
                &[
                    "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
                    "spec.tolerations[0].operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'",
                ],
            ),
            (
                "tolerations: [{key: a, operator: Is, effect: Never}]",
                &[
                    "spec.tolerations[0].operator: Unsupported value: \"Is\": supported values: \"Equal\", \"Exists\"",
                    "spec.tolerations[0].effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
                ],
            ),
        ],
    );
}

#[test]
fn volumes() {
    check(
        pod_errors,
        &[(
            "volumes: [{name: v}, {name: v, emptyDir: {}, hostPath: {path: /}}, {name: w, persistentVolumeClaim: {claimName: ''}}]",
            &[
                "spec.volumes[1].hostPath: Forbidden: may not specify more than 1 volume type",
                "spec.volumes[1].name: Duplicate value: \"v\"",
                "spec.volumes[2].persistentVolumeClaim.claimName: Required value",
            ],
        )],
    );
    check(
        errors,
        &[
            (
                "{kind: PersistentVolume, metadata: {name: a}, spec: {}}",
                &[
                    "spec.accessModes: Required value",
                    "spec.capacity: Required value",
                    "spec.capacity: Unsupported value: null: supported values: \"storage\"",
                    "spec: Required value: must specify a volume type",
                ],
            ),
            (
                "{kind: PersistentVolume, metadata: {name: a}, spec: {accessModes: [ReadWriteOncePod, ReadWriteOnce], capacity: {storage: 0}, local: {path: /}}}",
                &[
                    "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
                    "spec.capacity[storage]: Invalid value: \"0\": must be greater than zero",
                    "spec.nodeAffinity: Required value: Local volume requires node affinity",
                ],
            ),
            (
                "{kind: PersistentVolume, metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi, cpu: 1}, hostPath: {path: /}, nodeAffinity: {}}}",
                &[
                    "spec.capacity: Unsupported value: {\"cpu\":\"1\",\"storage\":\"1Gi\"}: supported values: \"storage\"",
                    "spec.nodeAffinity.required: Required value: must specify required node constraints",
                ],
            ),
            (
                "{kind: PersistentVolumeClaim, metadata: {name: a}, spec: {accessModes: [RWO]}}",
                &[
                    "spec.accessModes: Unsupported value: \"RWO\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"",
                    "spec.resources[storage]: Required value",
                ],
            ),
            (
                "{kind: PersistentVolumeClaim, metadata: {name: a}, spec: {resources: {requests: {storage: 1Gi}}}}",
                &["spec.accessModes: Required value: at least 1 access mode is required"],
            ),
            (
                "{kind: StorageClass, metadata: {name: a}, provisioner: '', volumeBindingMode: Later}",
                &[
                    "provisioner: Required value",
                    "volumeBindingMode: Unsupported value: \"Later\": supported values: \"Immediate\", \"WaitForFirstConsumer\"",
                ],
            ),
            (
                "{kind: CSINode, metadata: {name: a}, spec: {drivers: [{name: d, nodeID: n}, {name: d, nodeID: '', allocatable: {count: -1}}]}}",
                &[
                    "spec.drivers[1].nodeID: Required value",
                    "spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
                    "spec.drivers[1].name: Duplicate value: \"d\"",
                ],
            ),
        ],
    );
}

#[test]
fn probes_and_hooks_do_one_thing() {
    let container = |fields: &str| {
        errors(&format!(
            "{{kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: c, image: i, {fields}}}]}}}}"
        ))
    };
    let at = "spec.containers[0]";
    for (fields, expected) in [
        (
            "livenessProbe: {httpGet: {port: 80}, tcpSocket: {port: 80}}",
            format!(
                "{at}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"
            ),
        ),
        (
            "readinessProbe: {initialDelaySeconds: 5}",
            format!("{at}.readinessProbe: Required value: must specify a handler type"),
        ),
        (
            "livenessProbe: {httpGet: {port: 99999}}",
            format!(
                "{at}.livenessProbe.httpGet.port: Invalid value: 99999: must be between 1 and 65535, inclusive"
            ),
        ),
        (
            "startupProbe: {exec: {command: []}}",
            format!("{at}.startupProbe.exec.command: Required value"),
        ),
        (
            "livenessProbe: {tcpSocket: {port: web}, successThreshold: 2}",
            format!("{at}.livenessProbe.successThreshold: Invalid value: 2: must be 1"),
        ),
        (
            "lifecycle: {preStop: {}}",
            format!("{at}.lifecycle.preStop: Required value: must specify a handler type"),
        ),
        (
            "readinessProbe: {grpc: {port: 80}, periodSeconds: -1}",
            format!(
                "{at}.readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0"
            ),
        ),
    ] {
        assert_eq!(container(fields), [expected]);
    }
    let fine = "readinessProbe: {httpGet: {port: web}, successThreshold: 3}, lifecycle: {preStop: {sleep: {seconds: 5}}}";
    assert_eq!(container(fine), [""; 0]);
    let init = "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i}], \
                initContainers: [{name: d, image: i, livenessProbe: {httpGet: {port: 80}}}]}}";
    assert_eq!(
        errors(init),
        [
            "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"
        ]
    );
}
