//! `kubectl run`.

use serde_json::{Value, json};

use super::create::create_one;
use super::expose::{pairs, service_of};
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::kinds::of_kind;
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, Report, SAVE_CONFIG};
use berth_sim::patch::strategic;
use berth_sim::store::Key;

pub(crate) const RUN: Verb = Verb {
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
            _ => berth_sim::patch::merge(&mut pod, &overrides),
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
