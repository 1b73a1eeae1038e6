//! `kubectl run` and `kubectl expose`.

use serde_json::{Map, Value, json};

use super::create::create_one;
use super::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, Report, SAVE_CONFIG};
use crate::kubectl::Cluster;
use crate::kubectl::arguments::{Arguments, Flag};
use crate::kubectl::call::{Call, Done, Verb};
use crate::kubectl::kinds::of_kind;
use crate::kubectl::targets;
use crate::sim::patch::strategic;
use crate::sim::store::Key;

pub(super) const RUN: Verb = Verb {
    name: "run",
    about: "Create and run a particular image in a pod",
    usage: "run NAME --image=image [--env=\"key=value\"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]",
    examples: &[
        "kubectl run nginx --image=nginx",
        "kubectl run busybox --image=busybox --restart=Never -- sleep 3600",
    ],
    flags: &[
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        SAVE_CONFIG,
        Flag::word("image"),
        Flag::word("image-pull-policy"),
        Flag::word("restart"),
        Flag::words("labels").short('l'),
        Flag::words("annotations"),
        Flag::words("env"),
        Flag::word("port"),
        Flag::word("overrides"),
        Flag::word("override-type"),
        Flag::switch("command"),
        Flag::switch("rm"),
        Flag::switch("stdin").short('i'),
        Flag::switch("tty").short('t'),
        Flag::switch("attach"),
        Flag::switch("expose"),
        Flag::switch("privileged"),
        Flag::switch("quiet").short('q'),
        Flag::duration("pod-running-timeout"),
    ],
    run,
};

pub(super) const EXPOSE: Verb = Verb {
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
    let pairs = arguments.list(flag).into_iter();
    let pairs = pairs.filter_map(|pair| pair.split_once('='));
    crate::base::sort::gather(pairs.map(|(key, value)| (key.to_owned(), value.into())))
}

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let arguments = &call.arguments;
    if !arguments.has("image") {
        return Err("error: required flag(s) \"image\" not set".to_owned());
    }
    let Some(name) = arguments.before_dash().first().cloned() else {
        return Err(
            "error: NAME is required for run\nSee 'kubectl run -h' for help and examples"
                .to_owned(),
        );
    };
    let image = arguments.word("image").unwrap_or_default();
    if image.is_empty() {
        return Err("error: required flag(s) \"image\" not set".to_owned());
    }
    let restart = arguments.word("restart").unwrap_or("Always");
    if !matches!(restart, "Always" | "OnFailure" | "Never") {
        return Err(format!("error: invalid restart policy: {restart}"));
    }
    let mut labels = pairs(arguments, "labels");
    if labels.is_empty() {
        labels.insert("run".to_owned(), name.clone().into());
    }
    let mut container = json!({"name": name, "image": image, "resources": {}});
    fill_container(call, &mut container)?;
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart},
        "status": {},
    });
    let annotations = pairs(arguments, "annotations");
    if !annotations.is_empty()
        && let Some(meta) = pod.pointer_mut("/metadata").and_then(Value::as_object_mut)
    {
        meta.insert("annotations".to_owned(), Value::Object(annotations));
    }
    if let Some(text) = arguments.word("overrides") {
        let overrides: Value = serde_json::from_str(text)
            .map_err(|error| format!("error: invalid character in --overrides: {error}"))?;
        match arguments.word("override-type").unwrap_or("merge") {
            "strategic" => strategic(&mut pod, &overrides),
            _ => crate::sim::patch::merge(&mut pod, &overrides),
        }
    }
    let interactive = arguments.is("stdin") || arguments.is("attach") || arguments.is("tty");
    let mut report = Report::new(call)?;
    let Some(kind) = of_kind("Pod") else {
        return report.finish();
    };
    let key = Key::new(call.namespace(), name.clone());
    let made = create_one(&pod, kind, &key, "", call, cluster)?;
    report.done(kind, &made, "created");
    if call.arguments.is("expose") {
        let port = call.arguments.word("port");
        let port = port.ok_or("error: --port must be set when exposing a service")?;
        let service = service_of(&name, &labels, &labels, port, call)?;
        if let Some(kind) = of_kind("Service") {
            let made = create_one(&service, kind, &key, "", call, cluster)?;
            report.done(kind, &made, "created");
        }
    }
    if interactive {
        report
            .output
            .warn("Warning: containers do not really run here, so there is nothing to attach to");
    }
    report.finish()
}

fn fill_container(call: &Call<'_>, container: &mut Value) -> Result<(), String> {
    let arguments = &call.arguments;
    let Some(container) = container.as_object_mut() else {
        return Ok(());
    };
    if let Some(policy) = arguments.word("image-pull-policy") {
        container.insert("imagePullPolicy".to_owned(), policy.into());
    }
    let mut env = Vec::new();
    for pair in arguments.words("env") {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("error: invalid env: {pair}"))?;
        env.push(json!({"name": name, "value": value}));
    }
    if !env.is_empty() {
        container.insert("env".to_owned(), Value::Array(env));
    }
    if let Some(port) = arguments.word("port") {
        let number: u16 = port
            .parse()
            .map_err(|_| format!("error: strconv.Atoi: parsing {port:?}: invalid syntax"))?;
        container.insert("ports".to_owned(), json!([{"containerPort": number}]));
    }
    let words = if arguments.dash.is_some() {
        arguments.behind_dash()
    } else {
        arguments.words.get(1..).unwrap_or_default()
    };
    if !words.is_empty() {
        let field = if arguments.is("command") {
            "command"
        } else {
            "args"
        };
        container.insert(field.to_owned(), json!(words));
    }
    if arguments.is("stdin") {
        container.insert("stdin".to_owned(), true.into());
    }
    if arguments.is("tty") {
        container.insert("tty".to_owned(), true.into());
    }
    Ok(())
}

/// A Service for what the selector selects.
fn service_of(
    name: &str,
    labels: &Map<String, Value>,
    selector: &Map<String, Value>,
    ports: &str,
    call: &Call<'_>,
) -> Result<Value, String> {
    let arguments = &call.arguments;
    let protocol = arguments.word("protocol").unwrap_or("TCP");
    let several = ports.contains(',');
    let mut list = Vec::new();
    for (index, port) in ports.split(',').enumerate() {
        let number: u16 = port
            .trim()
            .parse()
            .map_err(|_| format!("error: strconv.Atoi: parsing {port:?}: invalid syntax"))?;
        let target = arguments.word("target-port").unwrap_or(port);
        let target = match target.parse::<u16>() {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(target),
        };
        let mut made = json!({"port": number, "protocol": protocol, "targetPort": target});
        if several && let Some(made) = made.as_object_mut() {
            made.insert("name".to_owned(), format!("port-{}", index + 1).into());
        }
        list.push(made);
    }
    let mut spec = json!({"ports": list, "selector": selector});
    if let Some(spec) = spec.as_object_mut() {
        if let Some(kind) = arguments.word("type") {
            if !matches!(
                kind,
                "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName"
            ) {
                return Err(format!("error: invalid service type: {kind}"));
            }
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
        // `--selector` is the Service's here, not the command's.
        let wanted = targets::wanted(&words)?;
        let mut found = Vec::new();
        for wanted in wanted {
            let name = wanted
                .name
                .ok_or("error: resource(s) were provided, but no name was specified")?;
            let key = Key::new(call.namespace(), name);
            let object = cluster.api().store().get(wanted.kind.kind, &key);
            let object =
                object.ok_or_else(|| crate::kubectl::errors::not_found(wanted.kind.kind, name))?;
            found.push((wanted.kind, name.to_owned(), object.to_json()));
        }
        found
    };
    for (kind, name, object) in found {
        let map = |path: &str| object.pointer(path).and_then(Value::as_object).cloned();
        let selector = match (call.arguments.word("selector"), kind.kind) {
            (Some(text), _) => {
                let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
                Some(crate::base::sort::gather(
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
        let selector = selector.filter(|it| !it.is_empty()).ok_or(
            "error: couldn't retrieve selectors via --selector flag or introspection: the object has no labels and cannot be exposed",
        )?;
        let port = call.arguments.word("port").map(str::to_owned);
        let port = port.or_else(|| own_ports(&object));
        let port = port.ok_or("error: couldn't find port via --port flag or introspection\nSee 'kubectl expose -h' for help and examples")?;
        let mut labels = pairs(&call.arguments, "labels");
        if labels.is_empty() {
            labels = map("/metadata/labels").unwrap_or_default();
        }
        let service_name = call.arguments.word("name").unwrap_or(&name).to_owned();
        let service = service_of(&service_name, &labels, &selector, &port, call)?;
        let Some(service_kind) = of_kind("Service") else {
            continue;
        };
        let key = Key::new(call.namespace(), service_name);
        let made = create_one(&service, service_kind, &key, "", call, cluster)?;
        report.done(service_kind, &made, "exposed");
    }
    report.finish()
}

/// The ports that an object's containers name.
fn own_ports(object: &Value) -> Option<String> {
    let spec = object
        .pointer("/spec/template/spec")
        .or(object.get("spec"))?;
    let containers = spec.get("containers")?.as_array()?;
    let ports = containers
        .iter()
        .filter_map(|it| it.get("ports")?.as_array())
        .flatten()
        .filter_map(|port| port.get("containerPort")?.as_u64());
    let ports: Vec<String> = ports.map(|port| port.to_string()).collect();
    (!ports.is_empty()).then(|| ports.join(","))
}
