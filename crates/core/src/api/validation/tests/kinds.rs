//! ConfigMaps, Secrets, Endpoints, EndpointSlices, HorizontalPodAutoscalers.

use super::{check, errors};

const KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. \
     'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

#[test]
fn keys_of_config_maps() {
    check(
        errors,
        &[
            (
                "{kind: ConfigMap, metadata: {name: a}, data: {a.b-C_1: x}}",
                &[],
            ),
            (
                "{kind: ConfigMap, metadata: {name: a}, data: {'a b': x, '..': y, '..c': z}}",
                &[
                    "data[..]: Invalid value: \"..\": must not be '..'",
                    "data[..c]: Invalid value: \"..c\": must not start with '..'",
                    &format!("data[a b]: Invalid value: \"a b\": {KEY}"),
                ],
            ),
            (
                "{kind: ConfigMap, metadata: {name: a}, data: {a: x}, binaryData: {a: AAEC}}",
                &["data[a]: Invalid value: \"a\": duplicate of key present in binaryData"],
            ),
        ],
    );
    let long = "x".repeat(1024 * 1024 + 1);
    assert_eq!(
        errors(&format!(
            "{{kind: ConfigMap, metadata: {{name: a}}, data: {{a: {long}}}}}"
        )),
        [": Too long: may not be more than 1048576 bytes"]
    );
    assert_eq!(
        errors(&format!(
            "{{kind: Secret, metadata: {{name: a}}, stringData: {{a: {long}}}}}"
        )),
        ["data: Too long: may not be more than 1048576 bytes"]
    );
}

#[test]
fn types_of_secrets() {
    let secret = |fields: &str| {
        errors(&format!(
            "{{kind: Secret, metadata: {{name: a}}, {fields}}}"
        ))
    };
    assert_eq!(secret("type: example.com/own"), [""; 0]);
    assert_eq!(
        secret("type: kubernetes.io/tls, stringData: {tls.crt: x}"),
        ["data[tls.key]: Required value"]
    );
    assert_eq!(
        secret("type: kubernetes.io/basic-auth"),
        [
            "data[username]: Required value",
            "data[password]: Required value"
        ]
    );
    assert_eq!(
        secret("type: kubernetes.io/ssh-auth"),
        ["data[ssh-privatekey]: Required value"]
    );
    assert_eq!(
        secret("type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: ''}"),
        [
            "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": unexpected end of JSON input"
        ]
    );
    assert_eq!(
        secret("type: kubernetes.io/service-account-token"),
        ["metadata.annotations[kubernetes.io/service-account.name]: Required value"]
    );
}

#[test]
fn addresses_of_endpoints() {
    check(
        errors,
        &[
            (
                "{kind: Endpoints, metadata: {name: a}, subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]}",
                &[],
            ),
            (
                "{kind: Endpoints, metadata: {name: a}, subsets: [{ports: [{port: 0, protocol: X}, {port: 1, name: b}]}]}",
                &[
                    "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
                    "subsets[0].ports[0].name: Required value",
                    "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                    "subsets[0].ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                ],
            ),
            (
                "{kind: Endpoints, metadata: {name: a}, subsets: [{addresses: [{ip: web}, {ip: 127.0.0.1}]}]}",
                &[
                    "subsets[0].addresses[0].ip: Invalid value: \"web\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                    "subsets[0].addresses[1].ip: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128)",
                ],
            ),
            (
                "{kind: EndpointSlice, metadata: {name: a}, addressType: IPv5, endpoints: [{addresses: []}], ports: [{name: p}, {name: p}]}",
                &[
                    "addressType: Unsupported value: \"IPv5\": supported values: \"FQDN\", \"IPv4\", \"IPv6\"",
                    "endpoints[0].addresses: Required value: must contain at least 1 address",
                    "ports[1].name: Duplicate value: \"p\"",
                ],
            ),
        ],
    );
}

#[test]
fn bounds_and_metrics_of_autoscalers() {
    let autoscaler = |fields: &str| {
        errors(&format!(
            "{{kind: HorizontalPodAutoscaler, metadata: {{name: a}}, spec: {{scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}, {fields}}}}}"
        ))
    };
    assert_eq!(autoscaler("maxReplicas: 3"), [""; 0]);
    assert_eq!(
        autoscaler("minReplicas: 0, maxReplicas: 0"),
        [
            "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
            "spec.maxReplicas: Required value: must be set and greater than 0",
            "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
        ]
    );
    assert_eq!(
        autoscaler(
            "maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Share}}}]"
        ),
        [
            "spec.metrics[0].resource.target.type: Invalid value: \"Share\": must be either Utilization, Value, or AverageValue",
            "spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
        ]
    );
    assert_eq!(
        autoscaler("maxReplicas: 3, metrics: [{type: Pods}]"),
        [
            "spec.metrics[0].pods: Required value: must populate information for the given metric source"
        ]
    );
    assert_eq!(
        autoscaler(
            "maxReplicas: 3, behavior: {scaleUp: {policies: [{type: Pods, value: 0, periodSeconds: 1801}]}}"
        ),
        [
            "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
            "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
        ]
    );
    assert_eq!(
        errors(
            "{kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 1, scaleTargetRef: {apiVersion: apps/v1, kind: '', name: a/b}}}"
        ),
        [
            "spec.scaleTargetRef.kind: Required value",
            "spec.scaleTargetRef.name: Invalid value: \"a/b\": may not contain '/'",
        ]
    );
}

#[test]
fn ports_of_services_are_checked() {
    let service = |spec: &str| {
        errors(&format!(
            "{{kind: Service, metadata: {{name: web}}, spec: {spec}}}"
        ))
    };
    for (spec, expected) in [
        ("{selector: {a: b}}", &["spec.ports: Required value"][..]),
        (
            "{ports: [{port: 80}, {port: 81}]}",
            &[
                "spec.ports[0].name: Required value",
                "spec.ports[1].name: Required value",
            ],
        ),
        (
            "{ports: [{name: a, port: 80}, {name: a, port: 81}]}",
            &["spec.ports[1].name: Duplicate value: \"a\""],
        ),
        (
            "{ports: [{port: 0}]}",
            &["spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"],
        ),
        (
            "{ports: [{port: 80, targetPort: 70000}]}",
            &[
                "spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
            ],
        ),
        (
            "{type: Nodeport, ports: [{port: 80}]}",
            &[
                "spec.type: Unsupported value: \"Nodeport\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\"",
            ],
        ),
        (
            "{ports: [{port: 80, nodePort: 30090}]}",
            &["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
        ),
        (
            "{type: ExternalName}",
            &["spec.externalName: Required value"],
        ),
        ("{type: ExternalName, externalName: example.org.}", &[]),
        ("{clusterIP: None}", &[]),
        (
            "{type: NodePort, ports: [{name: a, port: 80}, {name: b, port: 80, protocol: UDP}]}",
            &[],
        ),
    ] {
        assert_eq!(service(spec), expected, "{spec}");
    }
}
