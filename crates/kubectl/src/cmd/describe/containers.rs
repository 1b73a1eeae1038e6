//! Containers of Pods and of Pod templates.

use serde_json::Value;

use super::page::Page;
use super::parts::go_list;
use crate::printers::fields::{Fields, amount, or_none, scalar};
use crate::printers::time;
use berth_base::sort;

/// A list of containers with their statuses. Those of a template are indented further (`prefix`).
pub(crate) fn containers(
    page: &mut Page,
    heading: &str,
    containers: &[Value],
    statuses: &[Value],
    pod: &Value,
    prefix: &str,
) {
    let none = if containers.is_empty() { " <none>" } else { "" };
    page.line(0, format!("{prefix}{heading}:{none}"));
    let indent = if prefix.is_empty() { "" } else { " " };
    for container in containers {
        let name = container.text("name");
        let status = statuses.iter().find(|status| status.text("name") == name);
        page.line(1, format!("{indent}{name}:"));
        if let Some(status) = status {
            page.field(2, "Container ID", status.text("containerID"));
        }
        page.field(2, "Image", container.text("image"));
        if let Some(status) = status {
            page.field(2, "Image ID", status.text("imageID"));
        }
        ports(page, container);
        words(page, "Command", container.items("command"));
        words(page, "Args", container.items("args"));
        if let Some(status) = status {
            states(page, status);
        }
        resources(page, 2, container.at("resources"));
        probes(page, container);
        environment(page, container, pod);
        mounts(page, container);
    }
}

fn ports(page: &mut Page, container: &Value) {
    for (name, field) in [("Port", "containerPort"), ("Host Port", "hostPort")] {
        let ports = container.items("ports").iter().map(|port| {
            let protocol = match port.text("protocol") {
                "" => "TCP",
                protocol => protocol,
            };
            let text = format!("{}/{protocol}", port.int(field));
            match port.text("name") {
                "" => text,
                name => format!("{text} ({name})"),
            }
        });
        let ports: Vec<_> = ports.collect();
        let plural = if ports.len() > 1 { "s" } else { "" };
        page.field(2, &format!("{name}{plural}"), or_none(ports.join(", ")));
    }
}

fn words(page: &mut Page, name: &str, words: &[Value]) {
    if !words.is_empty() {
        page.line(2, format!("{name}:"));
    }
    for word in words {
        for line in scalar(word).split('\n') {
            page.line(3, line);
        }
    }
}

fn states(page: &mut Page, status: &Value) {
    state(page, "State", status.at("state"));
    if status.has("lastState.terminated") {
        state(page, "Last State", status.at("lastState"));
    }
    let ready = if status.is_true("ready") {
        "True"
    } else {
        "False"
    };
    page.field(2, "Ready", ready);
    page.field(2, "Restart Count", status.int("restartCount").to_string());
}

fn state(page: &mut Page, name: &str, state: &Value) {
    let time = |path: &str| time::long(state.text(path));
    if state.has("running") {
        page.field(2, name, "Running");
        page.field(3, "Started", time("running.startedAt"));
    } else if state.has("terminated") {
        let ended = state.at("terminated");
        page.field(2, name, "Terminated");
        for (name, field) in [("Reason", "reason"), ("Message", "message")] {
            if !ended.text(field).is_empty() {
                page.field(3, name, ended.text(field));
            }
        }
        page.field(3, "Exit Code", ended.int("exitCode").to_string());
        if ended.int("signal") > 0 {
            page.field(3, "Signal", ended.int("signal").to_string());
        }
        page.field(3, "Started", time("terminated.startedAt"));
        page.field(3, "Finished", time("terminated.finishedAt"));
    } else {
        page.field(2, name, "Waiting");
        let reason = state.text("waiting.reason");
        if !reason.is_empty() {
            page.field(3, "Reason", reason);
        }
    }
}

/// Limits and requests, if they are set.
pub(crate) fn resources(page: &mut Page, depth: usize, resources: &Value) {
    for (name, field) in [("Limits", "limits"), ("Requests", "requests")] {
        let amounts = resources.entries(field);
        if !amounts.is_empty() {
            page.line(depth, format!("{name}:"));
        }
        for (resource, value) in amounts {
            page.field(depth + 1, resource, amount(value));
        }
    }
}

fn probes(page: &mut Page, container: &Value) {
    for (name, field) in [
        ("Liveness", "livenessProbe"),
        ("Readiness", "readinessProbe"),
        ("Startup", "startupProbe"),
    ] {
        if container.has(field) {
            page.field(2, name, probe(container.at(field)));
        }
    }
}

fn probe(probe: &Value) -> String {
    // Use the API server's defaults for absent fields.
    let number = |field: &str, default: i64| probe.at(field).as_i64().unwrap_or(default);
    let numbers = format!(
        "delay={}s timeout={}s period={}s #success={} #failure={}",
        number("initialDelaySeconds", 0),
        number("timeoutSeconds", 1),
        number("periodSeconds", 10),
        number("successThreshold", 1),
        number("failureThreshold", 3),
    );
    let how = if probe.has("exec") {
        format!("exec {}", go_list(probe.items("exec.command")))
    } else if probe.has("httpGet") {
        let get = probe.at("httpGet");
        let scheme = match get.text("scheme") {
            "" => "http".to_owned(),
            scheme => scheme.to_lowercase(),
        };
        let path = get.text("path");
        let slash = if path.starts_with('/') { "" } else { "/" };
        format!(
            "http-get {scheme}://{}:{}{slash}{path}",
            get.text("host"),
            get.scalar("port")
        )
    } else if probe.has("tcpSocket") {
        let socket = probe.at("tcpSocket");
        format!(
            "tcp-socket {}:{}",
            socket.text("host"),
            socket.scalar("port")
        )
    } else if probe.has("grpc") {
        let grpc = probe.at("grpc");
        format!("grpc <pod>:{} {}", grpc.int("port"), grpc.text("service"))
    } else {
        "unknown".to_owned()
    };
    format!("{how} {numbers}")
}

fn environment(page: &mut Page, container: &Value, pod: &Value) {
    let from = container.items("envFrom");
    if !from.is_empty() {
        page.line(2, "Environment Variables from:");
    }
    for source in from {
        let kinds = [("configMapRef", "ConfigMap"), ("secretRef", "Secret")];
        let Some((field, kind)) = kinds.iter().find(|(field, _)| source.has(field)) else {
            continue;
        };
        let prefix = match source.text("prefix") {
            "" => String::new(),
            prefix => format!(" with prefix '{prefix}'"),
        };
        let source = source.at(field);
        let optional = source.is_true("optional");
        page.line(
            3,
            format!(
                "{}\t{kind}{prefix}\tOptional: {optional}",
                source.text("name")
            ),
        );
    }
    let variables = container.items("env");
    let none = if variables.is_empty() { "\t<none>" } else { "" };
    page.line(2, format!("Environment:{none}"));
    for variable in variables {
        let name = variable.text("name");
        let from = variable.at("valueFrom");
        if from.is_null() {
            for (index, line) in variable.text("value").split('\n').enumerate() {
                let name = if index == 0 {
                    format!("{name}:")
                } else {
                    String::new()
                };
                page.line(3, format!("{name}\t{line}"));
            }
            continue;
        }
        page.field(3, name, value_from(from, container, pod));
    }
}

/// Describes a variable's `valueFrom`.
fn value_from(from: &Value, container: &Value, pod: &Value) -> String {
    let key = |path: &str, what: &str| {
        let source = from.at(path);
        format!(
            "<set to the key '{}' {what} '{}'>\tOptional: {}",
            source.text("key"),
            source.text("name"),
            source.is_true("optional")
        )
    };
    if from.has("fieldRef") {
        let path = from.text("fieldRef.fieldPath");
        let version = match from.text("fieldRef.apiVersion") {
            "" => "v1",
            version => version,
        };
        format!("{} ({version}:{path})", pod.scalar(path))
    } else if from.has("resourceFieldRef") {
        let resource = from.text("resourceFieldRef.resource");
        let value = match container.at("resources").amount(resource) {
            none if none.is_empty() && resource.starts_with("limits.") => {
                "node allocatable".to_owned()
            }
            none if none.is_empty() => "0".to_owned(),
            value => value,
        };
        format!("{value} ({resource})")
    } else if from.has("secretKeyRef") {
        key("secretKeyRef", "in secret")
    } else {
        key("configMapKeyRef", "of config map")
    }
}

fn mounts(page: &mut Page, container: &Value) {
    let mut mounts: Vec<&Value> = container.items("volumeMounts").iter().collect();
    let none = if mounts.is_empty() { "\t<none>" } else { "" };
    page.line(2, format!("Mounts:{none}"));
    sort::sort_by(&mut mounts, |a, b| {
        a.text("mountPath").cmp(b.text("mountPath"))
    });
    for mount in mounts {
        let mode = if mount.is_true("readOnly") {
            "ro"
        } else {
            "rw"
        };
        let path = match mount.text("subPath") {
            "" => String::new(),
            path => format!(",path={path:?}"),
        };
        let (at, name) = (mount.text("mountPath"), mount.text("name"));
        page.line(3, format!("{at} from {name} ({mode}{path})"));
    }
    let mut devices: Vec<&Value> = container.items("volumeDevices").iter().collect();
    sort::sort_by(&mut devices, |a, b| {
        a.text("devicePath").cmp(b.text("devicePath"))
    });
    if !devices.is_empty() {
        page.line(2, format!("Devices:{none}"));
    }
    for device in devices {
        page.line(
            3,
            format!("{} from {}", device.text("devicePath"), device.text("name")),
        );
    }
}
