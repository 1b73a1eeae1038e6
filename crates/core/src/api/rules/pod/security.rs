//! Security contexts, and what other systems than Linux refuse.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::formats::relative;
use super::super::read::{at, flag, has, list, text};
use super::super::{Site, Walk};
use berth_scheduler::field::FieldError;

const SYSTEMS: [&str; 2] = ["linux", "windows"];
const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];
const PROC_MOUNTS: [&str; 2] = ["Default", "Unmasked"];
const MAX_SYSCTL_BYTES: usize = 253;
const MAX_PATH_BYTES: usize = 4095;

/// `validateSysctls`.
pub fn sysctls(walk: &mut Walk<'_>, site: &Site<'_>) {
    let mut names = BTreeSet::new();
    for (place, own) in list(site.owner, "sysctls").iter().enumerate() {
        let (path, name) = (site.path().index(place).child("name"), text(own, "name"));
        if name.is_empty() {
            walk.required(&path, "");
        } else if !is_sysctl(name) {
            let detail = "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
            walk.invalid(&path, name, detail);
        } else if names.contains(name) {
            walk.errors.push(FieldError::duplicate(&path, name));
        }
        let spec = walk.pod.map(|pod| pod.spec);
        let on = |field: &str| spec.is_some_and(|spec| flag(spec, field));
        let dotted = name.replace('/', ".");
        if on("hostNetwork") && dotted.starts_with("net.") {
            walk.invalid(
                &path,
                name,
                "may not be specified when 'hostNetwork' is true",
            );
        } else if on("hostIPC") && is_of_ipc(&dotted) {
            walk.invalid(&path, name, "may not be specified when 'hostIPC' is true");
        }
        names.insert(name);
    }
}

fn is_of_ipc(name: &str) -> bool {
    let prefixes = ["kernel.shm", "kernel.msg", "fs.mqueue."];
    name == "kernel.sem" || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

fn is_sysctl(name: &str) -> bool {
    let is_end = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let is_segment = |part: &str| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|b| is_end(*b))
            && bytes.last().is_some_and(|b| is_end(*b))
            && bytes.iter().all(|b| is_end(*b) || matches!(b, b'-' | b'_'))
    };
    name.len() <= MAX_SYSCTL_BYTES && name.split(['.', '/']).all(is_segment)
}

/// Processes are shared among the containers, or with the host.
pub fn shared_pids(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    if flag(pod.spec, "shareProcessNamespace") && flag(pod.spec, "hostPID") {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        walk.invalid(&site.path().child("shareProcessNamespace"), true, detail);
    }
}

/// `validateSeccompProfileField`, but for the type.
pub fn localhost_profile(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path().child("localhostProfile");
    let profile = at(site.value, "localhostProfile");
    match (text(site.value, "type"), profile) {
        ("Localhost", None) => walk.required(&path, "must be set when seccomp type is Localhost"),
        ("Localhost", Some(profile)) => {
            let profile = profile.as_str().unwrap_or_default();
            walk.invalid_each(&path, profile, relative(profile));
        }
        (kind, Some(profile)) => {
            let shown = json!({"Type": kind, "LocalhostProfile": profile});
            walk.invalid(
                &path,
                shown,
                "can only be set when seccomp type is Localhost",
            );
        }
        (_, None) => {}
    }
}

/// `ValidateAppArmorProfileField`.
pub fn apparmor(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    let own = path.child("localhostProfile");
    let missing = "must be set when AppArmor type is Localhost";
    let profile = at(site.value, "localhostProfile").and_then(Value::as_str);
    match (text(site.value, "type"), profile) {
        ("Localhost", None) => walk.required(&own, missing),
        ("Localhost", Some(profile)) => {
            if profile.trim() != profile {
                walk.invalid(&own, profile, "must not be padded with whitespace");
            } else if profile.is_empty() {
                walk.required(&own, missing);
            }
            if profile.len() > MAX_PATH_BYTES {
                walk.errors.push(FieldError::too_long(&own, MAX_PATH_BYTES));
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(profile)) => {
            let detail = "can only be set when AppArmor type is Localhost";
            walk.invalid(&own, profile, detail);
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => {
            let detail = "type is required when appArmorProfile is set";
            walk.required(&path.child("type"), detail);
        }
        (kind, _) => {
            let path = path.child("type");
            walk.errors
                .push(FieldError::not_supported(&path, kind, &PROFILES));
        }
    }
}

/// `ValidateProcMountType`, and that only Pods with their own users may see everything.
pub fn proc_mount(walk: &mut Walk<'_>, site: &Site<'_>) {
    let (path, kind) = (site.path(), site.value.as_str().unwrap_or_default());
    if !PROC_MOUNTS.contains(&kind) {
        walk.errors
            .push(FieldError::not_supported(&path, kind, &PROC_MOUNTS));
    }
    let users = walk
        .pod
        .and_then(|pod| pod.spec.get("hostUsers")?.as_bool());
    if kind == "Unmasked" && users != Some(false) {
        walk.invalid(&path, kind, "`hostUsers` must be false to use `Unmasked`");
    }
}

/// What a container may not refuse for itself.
pub fn escalation(walk: &mut Walk<'_>, site: &Site<'_>) {
    let context = site.value;
    if context
        .get("allowPrivilegeEscalation")
        .and_then(Value::as_bool)
        != Some(false)
    {
        return;
    }
    if flag(context, "privileged") {
        let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        walk.invalid(&site.path(), go_context(context), detail);
    }
    let added = at(context, "capabilities").map_or(&[][..], |it| list(it, "add"));
    for _ in added.iter().filter(|name| *name == "CAP_SYS_ADMIN") {
        let detail =
            "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
        walk.invalid(&site.path(), go_context(context), detail);
    }
}

/// A SecurityContext as the API server prints it: the fields of its internal type.
fn go_context(context: &Value) -> Value {
    let field = |name: &str| context.get(name).cloned().unwrap_or_default();
    let capabilities = at(context, "capabilities").map_or(Value::Null, |own| {
        let names = |field: &str| own.get(field).cloned().unwrap_or_default();
        json!({"Add": names("add"), "Drop": names("drop")})
    });
    let profile = |name: &str| {
        at(context, name).map_or(
            Value::Null,
            |own| json!({"Type": own.get("type"), "LocalhostProfile": own.get("localhostProfile")}),
        )
    };
    let selinux = at(context, "seLinuxOptions").map_or(Value::Null, |own| {
        let field = |name: &str| text(own, name);
        json!({"User": field("user"), "Role": field("role"), "Type": field("type"), "Level": field("level")})
    });
    json!({
        "Capabilities": capabilities,
        "Privileged": field("privileged"),
        "SELinuxOptions": selinux,
        "WindowsOptions": field("windowsOptions"),
        "RunAsUser": field("runAsUser"),
        "RunAsGroup": field("runAsGroup"),
        "RunAsNonRoot": field("runAsNonRoot"),
        "ReadOnlyRootFilesystem": field("readOnlyRootFilesystem"),
        "AllowPrivilegeEscalation": field("allowPrivilegeEscalation"),
        "ProcMount": field("procMount"),
        "SeccompProfile": profile("seccompProfile"),
        "AppArmorProfile": profile("appArmorProfile"),
    })
}

/// Fields of a Pod that Windows does not have, with their places: `^` is in the spec itself.
const NOT_FOR_WINDOWS: [&str; 14] = [
    "appArmorProfile",
    "seLinuxOptions",
    "^hostUsers",
    "^hostPID",
    "^hostIPC",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "^shareProcessNamespace",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
];
const CONTAINER_NOT_FOR_WINDOWS: [&str; 10] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];

/// `validateOS`, `validateLinux`, `validateWindows`.
pub fn os(walk: &mut Walk<'_>, site: &Site<'_>) {
    let Some(pod) = walk.pod else { return };
    let path = pod.path.child("securityContext");
    let context = at(pod.spec, "securityContext").unwrap_or(&Value::Null);
    let name = text(site.value, "name");
    match name {
        "" => walk.required(&site.path().child("name"), ""),
        "linux" => {
            let detail = "windows options cannot be set for a linux pod";
            if has(context, "windowsOptions") {
                walk.forbidden(&path.child("windowsOptions"), detail);
            }
            for (container, path) in pod.visit() {
                if container
                    .pointer("/securityContext/windowsOptions")
                    .is_some()
                {
                    let path = path.child("securityContext").child("windowsOptions");
                    walk.forbidden(&path, detail);
                }
            }
        }
        "windows" => windows(walk, context),
        other => walk
            .errors
            .push(FieldError::not_supported(&site.path(), other, &SYSTEMS)),
    }
}

fn windows(walk: &mut Walk<'_>, context: &Value) {
    let Some(pod) = walk.pod else { return };
    let detail = "cannot be set for a windows pod";
    let is_set = |owner: &Value, field: &str| match at(owner, field) {
        Some(Value::Bool(false)) => !matches!(field, "hostPID" | "hostIPC"),
        other => other.is_some(),
    };
    for field in NOT_FOR_WINDOWS {
        match field.strip_prefix('^') {
            Some(field) if is_set(pod.spec, field) => {
                walk.forbidden(&pod.path.child(field), detail);
            }
            None if is_set(context, field) => {
                let path = pod.path.child("securityContext").child(field);
                walk.forbidden(&path, detail);
            }
            _ => {}
        }
    }
    for (container, path) in pod.visit() {
        let Some(context) = at(container, "securityContext") else {
            continue;
        };
        for field in CONTAINER_NOT_FOR_WINDOWS
            .iter()
            .filter(|field| has(context, field))
        {
            walk.forbidden(&path.child("securityContext").child(field), detail);
        }
    }
}
