//! `kubectl create service` (kubectl v1.36 `pkg/cmd/create/create_service.go`).

use serde_json::{Value, json};

use super::generate::{generated, name_of, verb};
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG};
use berth_scheduler::names::dns_subdomain_errors;

verb!(
    CLUSTER_IP,
    "service clusterip",
    "Create a ClusterIP service",
    "NAME [--tcp=<port>:<targetPort>]",
    "kubectl create service clusterip web --tcp=80:8080",
    |call, cluster| service(call, "ClusterIP", cluster),
    [Flag::words("tcp"), Flag::word("clusterip")]
);
verb!(
    NODE_PORT,
    "service nodeport",
    "Create a NodePort service",
    "NAME --tcp=port:targetPort",
    "kubectl create service nodeport web --tcp=80:8080",
    |call, cluster| service(call, "NodePort", cluster),
    [Flag::words("tcp"), Flag::number("node-port")]
);
verb!(
    BALANCER,
    "service loadbalancer",
    "Create a LoadBalancer service",
    "NAME --tcp=port:targetPort",
    "kubectl create service loadbalancer web --tcp=80:8080",
    |call, cluster| service(call, "LoadBalancer", cluster),
    [Flag::words("tcp")]
);
verb!(
    EXTERNAL_NAME,
    "service externalname",
    "Create an ExternalName service",
    "NAME --external-name external.name [--tcp=<port>:<targetPort>]",
    "kubectl create service externalname db --external-name=db.example.com",
    |call, cluster| service(call, "ExternalName", cluster),
    [Flag::words("tcp"), Flag::word("external-name")]
);

fn service(call: &mut Call<'_>, kind: &str, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let arguments = &call.arguments;
    let is_external = kind == "ExternalName";
    let external = arguments.word("external-name").unwrap_or_default();
    let address = arguments.word("clusterip").unwrap_or_default();
    let pairs = arguments.list("tcp");
    if is_external && !arguments.has("external-name") {
        return Err("error: required flag(s) \"external-name\" not set".to_owned());
    }
    if address != "None" && pairs.is_empty() && !is_external {
        return Err("error: at least one tcp port specifier must be provided".to_owned());
    }
    if is_external && !dns_subdomain_errors(external).is_empty() {
        return Err(format!("error: invalid service external name {external}"));
    }
    let mut ports = Vec::new();
    for pair in pairs {
        let port = port_of(pair, arguments.number("node-port").unwrap_or(0));
        ports.push(port.map_err(|why| format!("error: {why}"))?);
    }
    let mut spec = json!({"selector": {"app": name}, "type": kind});
    let fields = [
        ("ports", json!(ports), ports.is_empty()),
        ("externalName", external.into(), external.is_empty()),
        ("clusterIP", address.into(), address.is_empty()),
    ];
    for (field, value, is_absent) in fields {
        if let Some(spec) = spec.as_object_mut().filter(|_| !is_absent) {
            spec.insert(field.to_owned(), value);
        }
    }
    let object = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": spec,
        "status": {"loadBalancer": {}},
    });
    let failed = format!("failed to create {kind} service:");
    generated(call, &object, &failed, cluster)
}

/// The port of `port:targetPort`.
fn port_of(pair: &str, node_port: i64) -> Result<Value, String> {
    let mut parts = pair.split(':');
    let (port, target) = (parts.next().unwrap_or_default(), parts.next());
    let number: u16 = port.parse().map_err(|_| {
        let is_number = !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit());
        let why = if is_number {
            "value out of range"
        } else {
            "invalid syntax"
        };
        format!("strconv.ParseUint: parsing {port:?}: {why}")
    })?;
    let target = match target.map(str::parse::<i64>) {
        None => Value::from(number),
        Some(Ok(target @ 1..=65_535)) => target.into(),
        Some(Ok(_)) => return Err("must be between 1 and 65535, inclusive".to_owned()),
        Some(Err(_)) => target.into(),
    };
    let mut made = json!({
        "name": pair.replace(':', "-"), "port": number, "protocol": "TCP", "targetPort": target,
    });
    if let Some(made) = made.as_object_mut().filter(|_| node_port != 0) {
        made.insert("nodePort".to_owned(), node_port.into());
    }
    Ok(made)
}
