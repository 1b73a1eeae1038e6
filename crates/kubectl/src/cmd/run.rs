//! `kubectl run`.

use serde_json::{Map, Value, json};

use super::create::create_one;
use super::delete::deleted;
use super::expose::{pairs, service_of};
use super::logs::printed;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::ErrorContext;
use crate::kinds::of_kind;
use crate::printers::report::{
    self, DRY_RUN, DryRun, FIELD_MANAGER, OUTPUT, RECORD, Report, SAVE_CONFIG,
};
use crate::resource::image;
use crate::suspended::{Poll, Suspended};
use crate::{Cluster, Output};
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
        RECORD,
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
    if !image::is_reference(image) {
        return Err(format!(
            "error: Invalid image name {image:?}: invalid reference format"
        ));
    }
    let restart = arguments.word("restart").unwrap_or("Always");
    if !matches!(restart, "Always" | "OnFailure" | "Never") {
        return Err(format!("error: invalid restart policy: {restart}"));
    }
    let (mut pod, labels) = pod_of(call, &name, image, restart)?;
    let interactive = arguments.is("stdin") || arguments.is("attach") || arguments.is("tty");
    let removes = arguments.is("rm");
    if removes && !interactive {
        return Err(usage("--rm should only be used for attached containers"));
    }
    if interactive && report::dry_run(call)? != DryRun::No {
        return Err(usage(
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
        ));
    }
    let mut report = Report::new(call)?;
    let Some(kind) = of_kind("Pod") else {
        return report.finish();
    };
    let key = Key::new(call.namespace(), name.clone());
    report::record(call, &mut pod);
    let made = create_one(&pod, kind, &key, ErrorContext::Nothing, call, cluster)?;
    report.hear(cluster);
    report.done(kind, &made, "created");
    if call.arguments.is("expose") {
        let port = call.arguments.word("port");
        let port = port.ok_or("error: --port must be set when exposing a service")?;
        let service = service_of(&name, &labels, &labels, (port, &[]), call)?;
        if let Some(kind) = of_kind("Service") {
            let made = create_one(&service, kind, &key, ErrorContext::Nothing, call, cluster)?;
            report.done(kind, &made, "created");
        }
    }
    if interactive {
        report
            .output
            .warn("Warning: containers do not really run here, so there is nothing to attach to");
    }
    if removes && report::dry_run(call)? == DryRun::No {
        let now = cluster.api().now_ms();
        let attached = Attached {
            key,
            is_shell: container_words(call).is_empty(),
            until: now.saturating_add(START_MS),
        };
        let output = report.finish()?;
        return Ok(output.and(call.wait(attached, cluster)));
    }
    report.finish()
}

fn usage(why: &str) -> String {
    format!("error: {why}\nSee 'kubectl run -h' for help and examples")
}

/// The default of `--pod-running-timeout`, in milliseconds.
const START_MS: i64 = 60_000;

/// `--rm`: waits until the container's process has ended, and deletes the Pod. A shell without a command ends at once,
/// since it has no input.
struct Attached {
    key: Key,
    is_shell: bool,
    /// When the Pod has to run.
    until: i64,
}

impl Suspended for Attached {
    fn poll(&mut self, _: bool, cluster: &mut dyn Cluster, output: &mut Output) -> Poll {
        let key = &self.key;
        let Some(pod) = cluster.api().store().pods.get(key).cloned() else {
            return Poll::Ready;
        };
        let status = pod.status.as_ref();
        let phase = status
            .and_then(|it| it.phase.as_deref())
            .unwrap_or_default();
        let containers = status.and_then(|it| it.container_statuses.as_ref());
        let mut containers = containers.into_iter().flatten();
        let has_ended = containers.any(|it| {
            let state = it.state.as_ref();
            it.restart_count > 0 || state.is_some_and(|state| state.terminated.is_some())
        });
        let is_over = has_ended || matches!(phase, "Succeeded" | "Failed");
        let runs = phase == "Running";
        let is_done = is_over || runs && self.is_shell;
        if !is_done {
            if runs {
                return Poll::Pending(i64::MAX);
            }
            if cluster.api().now_ms() < self.until {
                return Poll::Pending(self.until);
            }
            output.complain("error: timed out waiting for the condition");
        }
        let specs = pod.spec.iter().flat_map(|spec| spec.containers.first());
        for spec in specs.filter(|_| is_over) {
            output
                .stdout
                .push_str(&printed(&pod, spec).unwrap_or_default());
        }
        if cluster.api_mut().delete_object("Pod", key).is_ok()
            && let Some(kind) = of_kind("Pod")
        {
            output.line(deleted(kind, key, "deleted"));
        }
        Poll::Ready
    }
}

/// The words of the container's command or arguments.
fn container_words<'a>(call: &'a Call<'_>) -> &'a [String] {
    let arguments = &call.arguments;
    if arguments.dash.is_some() {
        arguments.behind_dash()
    } else {
        arguments.words.get(1..).unwrap_or_default()
    }
}

/// The Pod that a call asks for, and its labels.
fn pod_of(
    call: &Call<'_>,
    name: &str,
    image: &str,
    restart: &str,
) -> Result<(Value, Map<String, Value>), String> {
    let arguments = &call.arguments;
    let specs = arguments.list("labels");
    if let Some(spec) = specs.iter().find(|it| it.split('=').count() != 2) {
        return Err(format!("error: unexpected label spec: {spec}"));
    }
    let mut labels = pairs(arguments, "labels");
    if labels.is_empty() {
        labels.insert("run".to_owned(), name.into());
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
        let overrides: Value =
            serde_json::from_str(text).map_err(|_| "error: Invalid JSON Patch".to_owned())?;
        match arguments.word("override-type").unwrap_or("merge") {
            "strategic" => strategic(&mut pod, &overrides),
            _ => berth_sim::patch::merge(&mut pod, &overrides),
        }
    }
    Ok((pod, labels))
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
    let words = container_words(call);
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
    if arguments.is("privileged") {
        container.insert("securityContext".to_owned(), json!({"privileged": true}));
    }
    if arguments.is("tty") {
        container.insert("tty".to_owned(), true.into());
    }
    Ok(())
}
