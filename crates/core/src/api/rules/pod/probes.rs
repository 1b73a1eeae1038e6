//! Probes and hooks (`validateProbe`, `validateHandler`).

use serde_json::Value;

use super::super::read::{has, list, number, text};
use super::super::{Site, Walk};
use crate::api::validation::pod::port_name_errors;

/// The ways to probe, in the order in which the API server looks.
const HANDLERS: [(&str, &str); 5] = [
    ("exec", "ExecAction"),
    ("httpGet", "HTTPGetAction"),
    ("tcpSocket", "TCPSocketAction"),
    ("grpc", "GRPCAction"),
    ("sleep", ""),
];

/// Seconds of grace that a Pod has by default.
const GRACE_SECONDS: i64 = 30;

pub fn handler(walk: &mut Walk<'_>, site: &Site<'_>) {
    let path = site.path();
    let given = HANDLERS.iter().filter(|(field, _)| has(site.value, field));
    let mut is_first = true;
    for (field, kind) in given {
        let own = path.child(field);
        if !std::mem::take(&mut is_first) {
            walk.forbidden(&own, "may not specify more than 1 handler type");
            continue;
        }
        let value = site.value.get(*field).unwrap_or(&Value::Null);
        if !kind.is_empty() {
            walk.structure(kind, value, &own);
            continue;
        }
        let grace = walk
            .pod
            .and_then(|pod| number(pod.spec, "terminationGracePeriodSeconds"));
        let grace = grace.unwrap_or(GRACE_SECONDS);
        let seconds = number(value, "seconds").unwrap_or_default();
        if !(0..=grace).contains(&seconds) {
            let detail = format!(
                "must be non-negative and less than terminationGracePeriodSeconds ({grace})"
            );
            walk.invalid(&own, seconds, &detail);
        }
    }
    if is_first {
        walk.required(&path, "must specify a handler type");
    }
}

/// A threshold that is not 1; 0 is defaulted.
pub fn only_one(walk: &mut Walk<'_>, site: &Site<'_>) {
    if let Some(threshold) = site.value.as_i64().filter(|it| !matches!(it, 0 | 1)) {
        walk.invalid(&site.path(), threshold, "must be 1");
    }
}

pub fn not_for_readiness(walk: &mut Walk<'_>, site: &Site<'_>) {
    let detail = "must not be set for readinessProbes";
    walk.invalid(&site.path(), site.value.clone(), detail);
}

/// `ValidatePortNumOrName`.
pub fn port(walk: &mut Walk<'_>, site: &Site<'_>) {
    match site.value {
        Value::String(name) if name.is_empty() => {
            for detail in [
                "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                "must contain at least one letter (a-z)",
            ] {
                walk.invalid(&site.path(), "", detail);
            }
        }
        Value::String(name) => walk.invalid_each(&site.path(), name, port_name_errors(name)),
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or_default();
            if !(1..=65535).contains(&number) {
                let detail = "must be between 1 and 65535, inclusive";
                walk.invalid(&site.path(), number, detail);
            }
        }
        _ => {}
    }
}

/// `IsHTTPHeaderName`.
pub fn headers(walk: &mut Walk<'_>, site: &Site<'_>) {
    for header in list(site.owner, "httpHeaders") {
        let name = text(header, "name");
        let is_valid =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !is_valid {
            let detail = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
            walk.invalid(&site.path(), name, detail);
        }
    }
}
