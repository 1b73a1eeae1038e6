//! `kubectl expose`.

use serde_json::{Map, Value, json};

use super::create::create_one;
use crate::Cluster;
use crate::arguments::{Arguments, Flag};
use crate::call::{Call, Done, Verb};
use crate::errors::ErrorContext;
use crate::kinds::of_kind;
use crate::printers::fields::Fields;
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, Report, SAVE_CONFIG};
use crate::resource::targets;
use berth_sim::store::Key;

pub(crate) const EXPOSE: Verb = Verb {
    name: "expose",
    about: "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
    usage: "expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--type=type]",
    examples: &["kubectl expose deployment web --port=80 --target-port=8000"],
    flags: &[
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        SAVE_CONFIG,
        Flag::word("port"),
        Flag::word("target-port"),
        Flag::word("protocol"),
        Flag::word("name"),
        Flag::word("type"),
        Flag::word("cluster-ip"),
        Flag::word("selector"),
        Flag::words("labels").short('l'),
    ],
    run: expose,
};

/// Pairs of `--labels a=b,c=d`.
pub(super) fn pairs(arguments: &Arguments, flag: &str) -> Map<String, Value> {
    let pairs = arguments
        .list(flag)
        .into_iter()
        .filter_map(|pair| pair.split_once('='));
    berth_base::sort::gather(pairs.map(|(key, value)| (key.to_owned(), value.into())))
}

/// The ports of a Service. Without `--protocol`, a port has the protocols that the exposed object (`own`) has for it;
/// several make as many ports.
fn ports_of(ports: &str, own: &[(String, String)], call: &Call<'_>) -> Result<Vec<Value>, String> {
    let arguments = &call.arguments;
    let several = ports.contains(',');
    let mut list = Vec::new();
    for (index, port) in (1..).zip(ports.split(',')) {
        let number: i64 = port
            .parse()
            .map_err(|_| format!("error: strconv.Atoi: parsing {port:?}: invalid syntax"))?;
        let target = arguments.word("target-port").unwrap_or(port);
        let target = match target.parse::<i64>() {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(target),
        };
        let of_port = own.iter().filter(|it| it.0 == port);
        let of_port: Vec<&str> = of_port.map(|it| it.1.as_str()).collect();
        let mut add = |name: Option<String>, protocol: &str| {
            let mut made = json!({"port": number, "protocol": protocol, "targetPort": target});
            if let (Some(name), Some(made)) = (name, made.as_object_mut()) {
                made.insert("name".to_owned(), name.into());
            }
            list.push(made);
        };
        let named = several.then(|| format!("port-{index}"));
        match (arguments.word("protocol"), of_port.as_slice()) {
            (Some(protocol), _) => add(named, protocol),
            (None, []) => add(named, "TCP"),
            (None, [one]) => add(named, one),
            (None, protocols) => {
                for protocol in protocols {
                    let name = format!("port-{index}-{}", protocol.to_lowercase());
                    add(Some(name), protocol);
                }
            }
        }
    }
    Ok(list)
}

/// A Service with this selector and these ports; `own` are the ports of the exposed object, with their protocols.
pub(super) fn service_of(
    name: &str,
    labels: &Map<String, Value>,
    selector: &Map<String, Value>,
    (ports, own): (&str, &[(String, String)]),
    call: &Call<'_>,
) -> Result<Value, String> {
    let arguments = &call.arguments;
    let list = ports_of(ports, own, call)?;
    let mut spec = json!({"ports": list, "selector": selector});
    if let Some(spec) = spec.as_object_mut() {
        if let Some(kind) = arguments.word("type") {
            spec.insert("type".to_owned(), kind.into());
        }
        if let Some(ip) = arguments.word("cluster-ip") {
            spec.insert("clusterIP".to_owned(), ip.into());
        }
    }
    let mut meta = json!({"name": name});
    if !labels.is_empty()
        && let Some(meta) = meta.as_object_mut()
    {
        meta.insert("labels".to_owned(), Value::Object(labels.clone()));
    }
    Ok(json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": spec,
        "status": {"loadBalancer": {}},
    }))
}

fn expose(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = call.arguments.words.clone();
    if words.is_empty() {
        return Err(targets::NO_OBJECTS.to_owned());
    }
    let mut report = Report::new(call)?;
    let found = {
        // Here, `--selector` is the Service's selector; it does not select the objects to expose.
        let wanted = targets::wanted(&words)?;
        let mut found = Vec::new();
        for wanted in wanted {
            let name = wanted
                .name
                .ok_or("error: resource(s) were provided, but no name was specified")?;
            let key = Key::new(call.namespace(), name);
            let object = cluster.api().get(wanted.kind.kind, &key);
            let object = object.ok_or_else(|| crate::errors::not_found(wanted.kind.kind, name))?;
            found.push((wanted.kind, name.to_owned(), object.to_json()));
        }
        found
    };
    for (kind, name, object) in found {
        let map = |path: &str| object.pointer(path).and_then(Value::as_object).cloned();
        let selector = match (call.arguments.word("selector"), kind.kind) {
            (Some(text), _) => {
                let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
                Some(berth_base::sort::gather(
                    pairs.map(|(key, value)| (key.to_owned(), Value::from(value))),
                ))
            }
            (None, "Pod") => map("/metadata/labels"),
            (None, "Service" | "ReplicationController") => map("/spec/selector"),
            (None, "Deployment" | "ReplicaSet") => map("/spec/selector/matchLabels"),
            (None, _) => {
                return Err(format!("error: cannot expose a {}", kind.qualified()));
            }
        };
        let selector = selector
            .filter(|it| !it.is_empty())
            .ok_or_else(|| no_selector(kind.kind))?;
        let own = own_ports(&object, kind.kind);
        let port = call.arguments.word("port").map(str::to_owned);
        let port = port.or_else(|| joined(&own));
        let port = port.ok_or("error: couldn't find port via --port flag or introspection\nSee 'kubectl expose -h' for help and examples")?;
        let mut labels = pairs(&call.arguments, "labels");
        if labels.is_empty() {
            labels = map("/metadata/labels").unwrap_or_default();
        }
        let service_name = call.arguments.word("name").unwrap_or(&name).to_owned();
        let service = service_of(&service_name, &labels, &selector, (&port, &own), call)?;
        let Some(service_kind) = of_kind("Service") else {
            continue;
        };
        let key = Key::new(call.namespace(), service_name);
        let made = create_one(
            &service,
            service_kind,
            &key,
            ErrorContext::Nothing,
            call,
            cluster,
        )?;
        report.done(service_kind, &made, "exposed");
    }
    report.finish()
}

/// The error about an object without a selector (`MapBasedSelectorForObject`).
fn no_selector(kind: &str) -> String {
    let why = match kind {
        "Pod" => "the pod has no labels and cannot be exposed",
        "Service" => "the service has no pod selector set",
        "Deployment" => "invalid deployment: no selectors, therefore cannot be exposed",
        _ => "invalid replicaset: no selectors, therefore cannot be exposed",
    };
    format!("error: couldn't retrieve selectors via --selector flag or introspection: {why}")
}

/// The ports of a Service, or of an object's containers, with their protocols.
fn own_ports(object: &Value, kind: &str) -> Vec<(String, String)> {
    let (lists, field) = match kind {
        "Service" => (vec![object.at("spec")], "port"),
        "Pod" => (
            object.items("spec.containers").iter().collect(),
            "containerPort",
        ),
        _ => {
            let containers = object.items("spec.template.spec.containers");
            (containers.iter().collect(), "containerPort")
        }
    };
    let ports = lists.into_iter().flat_map(|it| it.items("ports"));
    let with_protocol = |port: &Value| {
        let protocol = port.get("protocol").and_then(Value::as_str);
        (port.scalar(field), protocol.unwrap_or("TCP").to_owned())
    };
    ports.map(with_protocol).collect()
}

/// The different ports, separated by commas; `None` if there are none.
fn joined(ports: &[(String, String)]) -> Option<String> {
    let mut different: Vec<&str> = Vec::new();
    for (port, _) in ports {
        if !different.contains(&port.as_str()) {
            different.push(port);
        }
    }
    (!different.is_empty()).then(|| different.join(","))
}
