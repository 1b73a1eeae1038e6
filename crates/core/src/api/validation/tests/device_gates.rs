//! Fields of ResourceSlices, ResourceClaims and DeviceClasses that feature gates drop.

use super::super::gates;
use super::object;
use berth_scheduler::release::{Release, Version};

fn errors_in(version: Version, yaml: &str) -> Vec<String> {
    let object = object(serde_yaml::from_str(yaml).expect("YAML"));
    let errors = gates::validate(&object, &Release::of(version));
    errors.iter().map(ToString::to_string).collect()
}

/// The errors of a slice with these fields besides driver and pool.
fn slice_in(version: Version, fields: &str) -> Vec<String> {
    errors_in(
        version,
        &format!(
            "{{kind: ResourceSlice, metadata: {{name: s}}, spec: {{driver: d.example, pool: {{name: p, generation: 1, resourceSliceCount: 1}}, {fields}}}}}"
        ),
    )
}

fn slice(fields: &str) -> Vec<String> {
    slice_in(Version::V1_36, fields)
}

/// The errors of a device of a slice, without the path of the device.
fn device(fields: &str) -> Vec<String> {
    let found = slice(&format!("nodeName: n, devices: [{{name: a, {fields}}}]"));
    found
        .into_iter()
        .map(|it| it.replace("spec.devices[0]", "D"))
        .collect()
}

fn capacity(policy: &str) -> Vec<String> {
    let found = device(&format!(
        "allowMultipleAllocations: true, capacity: {{memory: {{value: 10Gi, requestPolicy: {{{policy}}}}}}}"
    ));
    found
        .into_iter()
        .map(|it| it.replace("D.capacity[memory].requestPolicy", "P"))
        .collect()
}

fn check(reader: fn(&str) -> Vec<String>, cases: &[(&str, &[&str])]) {
    for (fields, expected) in cases {
        assert_eq!(reader(fields), *expected, "{fields}");
    }
}

const PLACES: &str =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

#[test]
fn a_slice_is_for_one_kind_of_place() {
    assert_eq!(slice("nodeName: n"), [""; 0]);
    assert_eq!(
        slice("devices: []"),
        [format!("spec: Required value: {PLACES}")]
    );
    // The gate drops the field, so that nothing is left.
    assert_eq!(
        slice_in(Version::V1_34, "perDeviceNodeSelection: true"),
        [format!("spec: Required value: {PLACES}")]
    );
    assert_eq!(
        slice("nodeName: n, allNodes: true"),
        [format!(
            "spec: Invalid value: \"{{`nodeName`, `allNodes`}}\": {PLACES}, but multiple fields are set"
        )]
    );
    check(
        slice,
        &[
            (
                "allNodes: true, perDeviceNodeSelection: false",
                &[
                    "spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true",
                ],
            ),
            (
                "allNodes: true, nodeName: ''",
                &[
                    "spec.nodeName: Invalid value: \"\": must be either unset or set to a non-empty string",
                ],
            ),
            (
                "nodeName: n, devices: [{name: a, allNodes: true}]",
                &[
                    "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
                ],
            ),
            (
                "perDeviceNodeSelection: true, devices: [{name: a}, {name: b, nodeName: n}, {name: c, nodeName: n, allNodes: true}]",
                &[
                    "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
                    "spec.devices[2]: Invalid value: \"{`nodeName`, `allNodes`}\": exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
                ],
            ),
        ],
    );
}

#[test]
fn counters_are_named_and_few() {
    let sets = |count: usize| {
        let set = |it| format!("{{name: s{it}, counters: {{memory: {{value: 1Gi}}}}}}");
        let sets: Vec<String> = (0..count).map(set).collect();
        format!("nodeName: n, sharedCounters: [{}]", sets.join(", "))
    };
    assert_eq!(slice(&sets(8)), [""; 0]);
    assert_eq!(
        slice(&sets(9)),
        ["spec.sharedCounters: Too many: 9: must have at most 8 items"]
    );
    assert_eq!(slice_in(Version::V1_34, &sets(9)), [""; 0], "dropped");
    check(
        slice,
        &[
            (
                "nodeName: n, sharedCounters: [{name: s, counters: {memory: {value: 1Gi}}}], devices: [{name: a}]",
                &[
                    "spec: Invalid value: \"\": only one of `sharedCounters` or `devices` is allowed",
                ],
            ),
            (
                "nodeName: n, sharedCounters: [{name: s, counters: {}}, {name: s, counters: {memory: {value: x}}}]",
                &[
                    "spec.sharedCounters[0].counters: Required value",
                    "spec.sharedCounters[1].counters[memory].value: Invalid value: \"x\": quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                    "spec.sharedCounters[1]: Duplicate value: \"s\"",
                ],
            ),
        ],
    );
    check(
        device,
        &[
            (
                "consumesCounters: [{counterSet: '', counters: {}}]",
                &[
                    "D.consumesCounters[0].counterSet: Required value",
                    "D.consumesCounters[0].counters: Required value",
                ],
            ),
            (
                "consumesCounters: [{counterSet: a, counters: {}}, {counterSet: b, counters: {}}, {counterSet: c, counters: {}}]",
                &["D.consumesCounters: Too many: 3: must have at most 2 items"],
            ),
        ],
    );
    // With the gate on, v1.34 has the counters in the slice of their devices.
    let gates = [("DRAPartitionableDevices".to_owned(), true)].into();
    let (release, problems) = Release::with_gates(Version::V1_34, &gates);
    assert!(problems.is_empty());
    let yaml = "{kind: ResourceSlice, metadata: {name: s}, spec: {driver: d.example, pool: {name: p, generation: 1, resourceSliceCount: 1}, nodeName: n, sharedCounters: [{name: s, counters: {memory: {value: 1Gi}}}], devices: [{name: a, consumesCounters: [{counterSet: s, counters: {cores: {value: '1'}}}]}, {name: b, consumesCounters: [{counterSet: t, counters: {memory: {value: '1'}}}]}]}}";
    let errors = gates::validate(&object(serde_yaml::from_str(yaml).expect("YAML")), &release);
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "spec.devices[0].consumesCounters[0].counters: Invalid value: \"cores\": must reference a counter defined in the ResourceSlice sharedCounters",
            "spec.devices[1].consumesCounters[0].counterSet: Invalid value: \"t\": must reference a counterSet defined in the ResourceSlice sharedCounters",
        ]
    );
}

#[test]
fn a_slice_with_taints_or_counters_has_fewer_devices() {
    let devices = |count: usize, more: &str| {
        let devices: Vec<String> = (0..count)
            .map(|it| format!("{{name: d{it}{more}}}"))
            .collect();
        format!("nodeName: n, devices: [{}]", devices.join(", "))
    };
    let taints = ", taints: [{key: a, effect: NoSchedule}]";
    assert_eq!(slice(&devices(128, "")), [""; 0]);
    assert_eq!(
        slice(&devices(129, "")),
        ["spec.devices: Too many: 129: must have at most 128 items"]
    );
    assert_eq!(slice(&devices(64, taints)), [""; 0]);
    assert_eq!(
        slice(&devices(65, taints)),
        ["spec.devices: Too many: 65: must have at most 64 items"]
    );
    assert_eq!(slice_in(Version::V1_34, &devices(65, taints)), [""; 0]);
}

#[test]
fn request_policies() {
    assert_eq!(
        device("capacity: {memory: {value: 10Gi, requestPolicy: {default: 1Gi}}}"),
        ["D.capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true"]
    );
    check(
        capacity,
        &[
            ("default: 1Gi", &[]),
            (
                "default: 1Gi, validValues: [1Gi], validRange: {min: 1Gi}",
                &[
                    "P: Forbidden: exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time",
                ],
            ),
            (
                "validValues: [1Gi]",
                &["P.default: Required value: required when validValues is defined"],
            ),
            ("default: 1Gi, validValues: [1Gi, 2Gi]", &[]),
            (
                "default: 3Gi, validValues: [2Gi, 1Gi, 1024Mi, 20Gi]",
                &[
                    "P.validValues[1]: Invalid value: \"1Gi\": values must be sorted in ascending order",
                    "P.validValues[3]: Invalid value: \"20Gi\": option is larger than capacity value: 10Gi",
                    "P.validValues[2]: Duplicate value: \"1073741824\"",
                    "P.validValues: Invalid value: \"3Gi\": default value is not valid according to the requestPolicy",
                ],
            ),
            (
                "default: '1', validValues: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11']",
                &[
                    "P.validValues: Too many: 11: must have at most 10 items",
                    "P.validValues: Invalid value: \"1\": default value is not valid according to the requestPolicy",
                ],
            ),
        ],
    );
}

#[test]
fn request_policies_with_a_range() {
    check(
        capacity,
        &[
            (
                "validRange: {min: 1Gi}",
                &["P.default: Required value: required when validRange is defined"],
            ),
            (
                "default: 1Gi, validRange: {min: 1Gi, max: 5Gi, step: 2Gi}",
                &[],
            ),
            (
                "default: 1Gi, validRange: {max: 5Gi}",
                &["P.validRange.min: Required value: required when validRange is defined"],
            ),
            (
                "default: 1Gi, validRange: {min: 2Gi, max: 20Gi}",
                &[
                    "P.validRange.min: Invalid value: \"1Gi\": default is less than min: 2Gi",
                    "P.validRange.max: Invalid value: \"20Gi\": max is larger than capacity value: 10Gi",
                ],
            ),
            (
                "default: 6Gi, validRange: {min: 5Gi, max: 4Gi}",
                &[
                    "P.validRange.max: Invalid value: \"5Gi\": min is larger than max: 4Gi",
                    "P.validRange.max: Invalid value: \"6Gi\": default is more than max: 4Gi",
                ],
            ),
            (
                "default: 2Gi, validRange: {min: 1Gi, max: 4Gi, step: 2Gi}",
                &[
                    "P.validRange.step: Invalid value: \"2Gi\": value is not a multiple of a given step (2Gi) from (1Gi)",
                    "P.validRange.step: Invalid value: \"4Gi\": value is not a multiple of a given step (2Gi) from (1Gi)",
                ],
            ),
            (
                "default: 1Gi, validRange: {min: 1Gi, step: 10Gi}",
                &[
                    "P.validRange.step: Invalid value: \"10Gi\": one step 11Gi is larger than capacity value: 10Gi",
                ],
            ),
            (
                "default: 1Gi, validRange: {min: 1Gi, step: '0'}",
                &[
                    "P.validRange.step: Invalid value: \"1Gi\": value is not a multiple of a given step (0) from (1Gi)",
                ],
            ),
        ],
    );
}

#[test]
fn taints_and_binding_conditions() {
    check(
        device,
        &[
            (
                "taints: [{key: a.example/b, value: c, effect: NoExecute}, {key: d, effect: None}]",
                &[],
            ),
            (
                "taints: [{key: d, effect: ''}, {key: d, effect: Never}]",
                &[
                    "D.taints[0].effect: Required value",
                    "D.taints[1].effect: Unsupported value: \"Never\": supported values: \"NoExecute\", \"NoSchedule\", \"None\"",
                ],
            ),
            ("bindingConditions: [a], bindingFailureConditions: [b]", &[]),
            (
                "bindingConditions: [a]",
                &[
                    "D.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions",
                ],
            ),
            (
                "bindingFailureConditions: [a]",
                &[
                    "D.bindingConditions: Invalid value: null: bindingConditions are required to use bindingFailureConditions",
                ],
            ),
            (
                "bindingConditions: [a, b, a], bindingFailureConditions: [b]",
                &[
                    "D.bindingConditions[2]: Duplicate value: \"a\"",
                    "D.bindingFailureConditions[0]: Invalid value: \"b\": bindingFailureConditions must not overlap with bindingConditions",
                ],
            ),
            (
                "bindingConditions: [a, b, c, d, e], bindingFailureConditions: [f]",
                &["D.bindingConditions: Too many: 5: must have at most 4 items"],
            ),
        ],
    );
    let many: Vec<&str> = std::iter::repeat_n("{key: a, effect: NoExecute}", 17).collect();
    assert_eq!(
        device(&format!("taints: [{}]", many.join(", "))),
        ["D.taints: Too many: 17: must have at most 16 items"]
    );
}

#[test]
fn claims_and_classes() {
    let claim = |version, devices: &str| {
        let yaml = format!(
            "{{kind: ResourceClaim, metadata: {{name: c}}, spec: {{devices: {{{devices}}}}}}}"
        );
        errors_in(version, &yaml)
    };
    let tolerations = "requests: [{name: a, exactly: {deviceClassName: c, tolerations: [{operator: Exists, value: x}, {operator: Less, effect: Never}, {key: '-'}]}}]";
    let found = claim(Version::V1_36, tolerations);
    let prefix = "spec.devices.requests[0].exactly.tolerations";
    assert_eq!(
        found[..3],
        [
            format!("{prefix}[0].value: Invalid value: \"x\": must be empty for operator `Exists`"),
            format!(
                "{prefix}[1].operator: Unsupported value: \"Less\": supported values: \"Equal\", \"Exists\""
            ),
            format!(
                "{prefix}[1].effect: Unsupported value: \"Never\": supported values: \"NoExecute\", \"NoSchedule\", \"None\""
            ),
        ]
    );
    assert!(found[3].starts_with(&format!("{prefix}[2].key: Invalid value: \"-\"")));
    // Without the gate of taints, tolerations stay, and know no effect `None`.
    assert_eq!(
        claim(Version::V1_34, tolerations)[2],
        format!(
            "{prefix}[1].effect: Unsupported value: \"Never\": supported values: \"NoExecute\", \"NoSchedule\""
        )
    );
    assert_eq!(
        claim(Version::V1_36, "constraints: [{}]"),
        [
            "spec.devices.constraints[0]: Required value: exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set"
        ]
    );
    let distinct = "constraints: [{distinctAttribute: a/b}]";
    let required = "spec.devices.constraints[0].matchAttribute: Required value";
    assert_eq!(claim(Version::V1_36, distinct), [""; 0]);
    assert_eq!(claim(Version::V1_35, distinct), [required], "dropped");
    assert_eq!(claim(Version::V1_34, distinct), [""; 0], "kept");
    assert_eq!(claim(Version::V1_34, "constraints: [{}]"), [required]);
    let class = "{kind: DeviceClass, metadata: {name: c}, spec: {extendedResourceName: cpu}}";
    assert_eq!(
        errors_in(Version::V1_36, class),
        [
            "spec.extendedResourceName: Invalid value: \"cpu\": must be a valid extended resource name"
        ]
    );
    assert_eq!(errors_in(Version::V1_34, class), [""; 0]);
}
