//! The checks of single containers.

use serde_json::Value;

use super::Violation;
use super::subject::{Found, Subject, containers, plural, quoted, security, violation};
use crate::api::rules::read::{at, flag, list, number, text};

const DEFAULTS: [&str; 13] = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

/// The capabilities that a container adds or drops.
fn capabilities_of<'v>(container: &'v Value, field: &str) -> Vec<&'v str> {
    let all = security(container).and_then(|context| at(context, "capabilities"));
    let all = all.map_or(&[][..], |all| list(all, field));
    all.iter().filter_map(Value::as_str).collect()
}

/// `container "c" must not include "X" in securityContext.capabilities.add`
fn adding(pod: &Subject<'_>, is_allowed: impl Fn(&str) -> bool) -> Option<String> {
    let mut values = Found::new();
    let who = pod.named(|container| {
        let added = capabilities_of(container, "add");
        let bad: Vec<&str> = added.into_iter().filter(|it| !is_allowed(it)).collect();
        values.extend(bad.iter().map(|it| (*it).to_owned()));
        !bad.is_empty()
    });
    let (who, values) = (containers(&who)?, quoted(values));
    Some(format!(
        "{who} must not include {values} in securityContext.capabilities.add"
    ))
}

pub(super) fn added_capabilities(pod: &Subject<'_>) -> Option<Violation> {
    let detail = adding(pod, |it| DEFAULTS.contains(&it))?;
    violation("non-default capabilities", detail)
}

pub(super) fn capabilities(pod: &Subject<'_>) -> Option<Violation> {
    if pod.is_windows() {
        return None;
    }
    let keeping = pod.named(|it| !capabilities_of(it, "drop").contains(&"ALL"));
    let what = "must set securityContext.capabilities.drop=[\"ALL\"]";
    let keeping = containers(&keeping).map(|who| format!("{who} {what}"));
    let adding = adding(pod, |it| it == "NET_BIND_SERVICE");
    let details: Vec<String> = keeping.into_iter().chain(adding).collect();
    if details.is_empty() {
        return None;
    }
    violation("unrestricted capabilities", details.join("; "))
}

pub(super) fn host_ports(pod: &Subject<'_>) -> Option<Violation> {
    let mut ports = Found::new();
    let names = pod.named(|container| {
        let own = list(container, "ports").iter();
        let own = own.filter_map(|port| number(port, "hostPort"));
        let own: Vec<i64> = own.filter(|port| *port != 0).collect();
        ports.extend(own.iter().map(i64::to_string));
        !own.is_empty()
    });
    let who = containers(&names)?;
    let verb = plural(names.len(), "uses", "use");
    let noun = plural(ports.len(), "hostPort", "hostPorts");
    let ports = ports.into_iter().collect::<Vec<_>>().join(", ");
    violation("hostPort", format!("{who} {verb} {noun} {ports}"))
}

/// The handlers of a container's probes and hooks.
const HANDLERS: [&str; 5] = [
    "/livenessProbe",
    "/readinessProbe",
    "/startupProbe",
    "/lifecycle/postStart",
    "/lifecycle/preStop",
];

pub(super) fn hosts_of_probes(pod: &Subject<'_>) -> Option<Violation> {
    let (mut names, mut hosts) = (Found::new(), Found::new());
    for (name, container) in pod.containers() {
        let handlers = HANDLERS.iter().filter_map(|it| container.pointer(it));
        let own = handlers.flat_map(|handler| {
            let actions = ["httpGet", "tcpSocket"].map(|action| at(handler, action));
            let actions = actions.into_iter().flatten();
            actions.map(|action| text(action, "host"))
        });
        for host in own.filter(|host| !host.is_empty()) {
            names.insert(name.to_owned());
            hosts.insert(host.to_owned());
        }
    }
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let who = containers(&all)?;
    let verb = plural(all.len(), "uses", "use");
    let reason = "probe or lifecycle host";
    let noun = plural(hosts.len(), reason, "probe or lifecycle hosts");
    violation(reason, format!("{who} {verb} {noun} {}", quoted(hosts)))
}

pub(super) fn privileged(pod: &Subject<'_>) -> Option<Violation> {
    let who = pod.named(|it| security(it).is_some_and(|context| flag(context, "privileged")));
    let who = containers(&who)?;
    let what = "must not set securityContext.privileged=true";
    violation("privileged", format!("{who} {what}"))
}

pub(super) fn proc_mount_unless_relaxed(pod: &Subject<'_>) -> Option<Violation> {
    if pod.is_relaxed() {
        return None;
    }
    proc_mount(pod)
}

pub(super) fn proc_mount(pod: &Subject<'_>) -> Option<Violation> {
    let mut values = Found::new();
    let who = pod.named(|container| {
        let mount = security(container).and_then(|it| it.get("procMount")?.as_str());
        let bad = mount.filter(|mount| *mount != "Default");
        values.extend(bad.map(str::to_owned));
        bad.is_some()
    });
    let (who, values) = (containers(&who)?, quoted(values));
    violation(
        "procMount",
        format!("{who} must not set securityContext.procMount to {values}"),
    )
}

pub(super) fn escalation(pod: &Subject<'_>) -> Option<Violation> {
    if pod.is_windows() {
        return None;
    }
    let who = pod.named(|container| {
        let context = security(container);
        let wish = context.and_then(|it| it.get("allowPrivilegeEscalation")?.as_bool());
        wish != Some(false)
    });
    let who = containers(&who)?;
    let what = "must set securityContext.allowPrivilegeEscalation=false";
    violation("allowPrivilegeEscalation != false", format!("{who} {what}"))
}
