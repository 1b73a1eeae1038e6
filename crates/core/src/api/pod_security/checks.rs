//! The checks of the levels baseline and restricted, in the order in which the API server lists them.

use serde_json::Value;

use super::Violation;
use super::container_checks as one;
use super::subject::{Found, Subject, plural, quoted, security, violation};
use crate::api::rules::read::{flag, has, list, text};

/// A check, from a minor version on.
pub(super) struct Check {
    pub since: u32,
    /// The version from which the level restricted has another check in its place.
    pub overridden: u32,
    pub run: fn(&Subject<'_>) -> Option<Violation>,
}

const fn check(since: u32, run: fn(&Subject<'_>) -> Option<Violation>) -> Check {
    Check {
        since,
        overridden: u32::MAX,
        run,
    }
}

impl Check {
    const fn but(mut self, overridden: u32) -> Self {
        self.overridden = overridden;
        self
    }
}

pub(super) const BASELINE: [Check; 12] = [
    check(0, apparmor),
    check(0, one::added_capabilities).but(22),
    check(0, host_namespaces),
    check(0, host_paths).but(0),
    check(0, one::host_ports),
    check(34, one::hosts_of_probes),
    check(0, one::privileged),
    check(0, one::proc_mount_unless_relaxed).but(35),
    check(0, selinux),
    check(0, seccomp).but(19),
    check(0, sysctls),
    check(0, windows_host_process),
];

pub(super) const RESTRICTED: [Check; 7] = [
    check(8, one::escalation),
    check(22, one::capabilities),
    check(35, one::proc_mount),
    check(0, volume_types),
    check(0, non_root),
    check(23, root_user),
    check(19, seccomp_required),
];

/// The value of a field within a security context, if the field before it is there.
fn typed<'v>(context: &'v Value, profile: &str) -> Option<&'v str> {
    let profile = context.get(profile).filter(|it| !it.is_null())?;
    Some(text(profile, "type"))
}

fn is_default_or_local(profile: &str) -> bool {
    matches!(profile, "RuntimeDefault" | "Localhost")
}

fn apparmor(pod: &Subject<'_>) -> Option<Violation> {
    let mut values = Found::new();
    let setters = pod.setters(|context| {
        let bad = typed(context, "appArmorProfile").filter(|it| !is_default_or_local(it));
        values.extend(bad.map(str::to_owned));
        bad.is_some()
    });
    let annotations = pod.annotations("container.apparmor.security.beta.kubernetes.io/");
    let is_allowed = |profile: &str| {
        matches!(profile, "" | "runtime/default") || profile.starts_with("localhost/")
    };
    let annotations = annotations.iter().filter(|(_, it)| !is_allowed(it));
    let annotations: Found = annotations
        .map(|(key, profile)| format!("{key}={profile:?}"))
        .collect();
    let mut who = Vec::new();
    if !setters.is_none() {
        who.push(setters.named());
    }
    if !annotations.is_empty() {
        who.push(plural(annotations.len(), "annotation", "annotations").to_owned());
    }
    if who.is_empty() {
        return None;
    }
    let values: Vec<String> = values.into_iter().chain(annotations).collect();
    let reason = plural(
        values.len(),
        "forbidden AppArmor profile",
        "forbidden AppArmor profiles",
    );
    let who = who.join(" and ");
    let values = quoted(values);
    violation(
        reason,
        format!("{who} must not set AppArmor profile type to {values}"),
    )
}

fn host_namespaces(pod: &Subject<'_>) -> Option<Violation> {
    let fields = ["hostNetwork", "hostPID", "hostIPC"];
    let set = fields.iter().filter(|field| flag(pod.spec, field));
    let set: Vec<String> = set.map(|field| format!("{field}=true")).collect();
    if set.is_empty() {
        return None;
    }
    violation("host namespaces", set.join(", "))
}

fn host_paths(pod: &Subject<'_>) -> Option<Violation> {
    let volumes = list(pod.spec, "volumes").iter();
    let volumes = volumes.filter(|volume| has(volume, "hostPath"));
    let names: Vec<&str> = volumes.map(|volume| text(volume, "name")).collect();
    if names.is_empty() {
        return None;
    }
    let noun = plural(names.len(), "volume", "volumes");
    violation("hostPath volumes", format!("{noun} {}", quoted(names)))
}

fn selinux(pod: &Subject<'_>) -> Option<Violation> {
    let (mut types, mut user, mut role) = (Found::new(), false, false);
    let is_allowed = |name: &str| {
        let known = ["", "container_t", "container_init_t", "container_kvm_t"];
        known.contains(&name) || name == "container_engine_t" && pod.minor >= 31
    };
    let setters = pod.setters(|context| {
        let Some(options) = context.get("seLinuxOptions").filter(|it| !it.is_null()) else {
            return false;
        };
        let kind = text(options, "type");
        let bad_type = !is_allowed(kind);
        types.extend(bad_type.then(|| kind.to_owned()));
        let (own_user, own_role) = (text(options, "user"), text(options, "role"));
        user |= !own_user.is_empty();
        role |= !own_role.is_empty();
        bad_type || !own_user.is_empty() || !own_role.is_empty()
    });
    if setters.is_none() {
        return None;
    }
    let mut bad = Vec::new();
    if !types.is_empty() {
        let noun = plural(types.len(), "type", "types");
        bad.push(format!("{noun} {}", quoted(&types)));
    }
    bad.extend(user.then(|| "user may not be set".to_owned()));
    bad.extend(role.then(|| "role may not be set".to_owned()));
    let (who, bad) = (setters.named(), bad.join("; "));
    violation(
        "seLinuxOptions",
        format!("{who} set forbidden securityContext.seLinuxOptions: {bad}"),
    )
}

const SECCOMP: &str = "seccompProfile";

fn seccomp(pod: &Subject<'_>) -> Option<Violation> {
    if pod.minor < 19 {
        return seccomp_annotations(pod);
    }
    let mut values = Found::new();
    let setters = pod.setters(|context| {
        let bad = typed(context, SECCOMP).filter(|it| !is_default_or_local(it));
        values.extend(bad.map(str::to_owned));
        bad.is_some()
    });
    if setters.is_none() {
        return None;
    }
    let (who, values) = (setters.named(), quoted(values));
    violation(
        SECCOMP,
        format!("{who} must not set securityContext.seccompProfile.type to {values}"),
    )
}

fn seccomp_annotations(pod: &Subject<'_>) -> Option<Violation> {
    const OF_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
    const OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
    let is_allowed = |profile: &str| {
        matches!(profile, "runtime/default" | "docker/default") || profile.starts_with("localhost/")
    };
    let is_meant = |key: &str| {
        key == OF_POD
            || key
                .strip_prefix(OF_CONTAINER)
                .is_some_and(|name| pod.containers().any(|(it, _)| it == name))
    };
    let all = pod.annotations("").into_iter();
    let bad = all.filter(|(key, profile)| is_meant(key) && !is_allowed(profile));
    let bad: Found = bad.map(|(key, it)| format!("{key}={it:?}")).collect();
    if bad.is_empty() {
        return None;
    }
    let noun = plural(bad.len(), "annotation", "annotations");
    let bad = bad.into_iter().collect::<Vec<_>>().join(", ");
    violation(SECCOMP, format!("forbidden {noun} {bad}"))
}

fn seccomp_required(pod: &Subject<'_>) -> Option<Violation> {
    if pod.is_windows() {
        return None;
    }
    if let Some(bad) = seccomp(pod) {
        return Some(bad);
    }
    let is_set = |owner: &Value| security(owner).is_some_and(|it| typed(it, SECCOMP).is_some());
    if is_set(pod.spec) {
        return None;
    }
    let without = super::subject::containers(&pod.named(|it| !is_set(it)))?;
    let what =
        "must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"";
    violation(SECCOMP, format!("pod or {without} {what}"))
}

/// The sysctls that are safe, and the version from which they are.
const SAFE: [(&str, u32); 12] = [
    ("kernel.shm_rmid_forced", 0),
    ("net.ipv4.ip_local_port_range", 0),
    ("net.ipv4.tcp_syncookies", 0),
    ("net.ipv4.ping_group_range", 0),
    ("net.ipv4.ip_unprivileged_port_start", 0),
    ("net.ipv4.ip_local_reserved_ports", 27),
    ("net.ipv4.tcp_keepalive_time", 29),
    ("net.ipv4.tcp_fin_timeout", 29),
    ("net.ipv4.tcp_keepalive_intvl", 29),
    ("net.ipv4.tcp_keepalive_probes", 29),
    ("net.ipv4.tcp_rmem", 32),
    ("net.ipv4.tcp_wmem", 32),
];

fn sysctls(pod: &Subject<'_>) -> Option<Violation> {
    let set = security(pod.spec).map_or(&[][..], |context| list(context, "sysctls"));
    let set = set.iter().map(|sysctl| text(sysctl, "name"));
    let is_safe = |name: &str| {
        SAFE.iter()
            .any(|(safe, since)| *safe == name && pod.minor >= *since)
    };
    let bad: Vec<&str> = set.filter(|name| !is_safe(name)).collect();
    if bad.is_empty() {
        return None;
    }
    violation("forbidden sysctls", bad.join(", "))
}

fn windows_host_process(pod: &Subject<'_>) -> Option<Violation> {
    let setters = pod.setters(|context| {
        let options = context.get("windowsOptions");
        options.is_some_and(|options| flag(options, "hostProcess"))
    });
    if setters.is_none() {
        return None;
    }
    let who = setters.named();
    let what = "must not set securityContext.windowsOptions.hostProcess=true";
    violation("hostProcess", format!("{who} {what}"))
}

/// The types of volumes that the level restricted allows.
const ALLOWED: [&str; 9] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

fn volume_types(pod: &Subject<'_>) -> Option<Violation> {
    let (mut names, mut types) = (Vec::new(), Found::new());
    for volume in list(pod.spec, "volumes") {
        if ALLOWED.iter().any(|allowed| has(volume, allowed)) {
            continue;
        }
        names.push(text(volume, "name"));
        let fields = volume.as_object().into_iter().flatten();
        let mut sources = fields.filter(|(field, value)| *field != "name" && !value.is_null());
        let source = sources.next().map_or("unknown", |(field, _)| field);
        types.insert(source.to_owned());
    }
    if names.is_empty() {
        return None;
    }
    let noun = plural(names.len(), "volume", "volumes");
    let verb = plural(names.len(), "uses", "use");
    let kind = plural(
        types.len(),
        "restricted volume type",
        "restricted volume types",
    );
    let (names, types) = (quoted(names), quoted(types));
    violation(
        "restricted volume types",
        format!("{noun} {names} {verb} {kind} {types}"),
    )
}

fn non_root(pod: &Subject<'_>) -> Option<Violation> {
    const REASON: &str = "runAsNonRoot != true";
    if pod.is_relaxed() {
        return None;
    }
    let wish = |owner: &Value| security(owner)?.get("runAsNonRoot")?.as_bool();
    let setters =
        pod.setters(|context| context.get("runAsNonRoot").and_then(Value::as_bool) == Some(false));
    if !setters.is_none() {
        let who = setters.named();
        let what = "must not set securityContext.runAsNonRoot=false";
        return violation(REASON, format!("{who} {what}"));
    }
    if wish(pod.spec) == Some(true) {
        return None;
    }
    let without = super::subject::containers(&pod.named(|it| wish(it).is_none()))?;
    let what = "must set securityContext.runAsNonRoot=true";
    violation(REASON, format!("pod or {without} {what}"))
}

fn root_user(pod: &Subject<'_>) -> Option<Violation> {
    if pod.is_relaxed() {
        return None;
    }
    let setters =
        pod.setters(|context| context.get("runAsUser").and_then(Value::as_i64) == Some(0));
    if setters.is_none() {
        return None;
    }
    let who = setters.named();
    violation("runAsUser=0", format!("{who} must not set runAsUser=0"))
}
