//! Probes and lifecycle hooks of containers (`validateProbe`, `validateHandler` of kube-apiserver v1.34).

use k8s_openapi::api::core::v1::{
    Container, ExecAction, GRPCAction, HTTPGetAction, LifecycleHandler, Probe, TCPSocketAction,
};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::field::{FieldError, Path};
use super::pod::{port_name_errors, port_number};
use super::{Errors, invalid_each, non_negative, one_of};

const SCHEMES: [&str; 2] = ["HTTP", "HTTPS"];

/// Validates the hooks and probes of a container that keeps running.
pub(super) fn running(path: &Path, container: &Container, errors: &mut Errors) {
    if let Some(lifecycle) = &container.lifecycle {
        let path = path.child("lifecycle");
        for (field, hook) in [
            ("postStart", &lifecycle.post_start),
            ("preStop", &lifecycle.pre_stop),
        ] {
            if let Some(hook) = hook {
                handler(&path.child(field), &Handler::of_hook(hook), errors);
            }
        }
    }
    let probes = [
        ("livenessProbe", &container.liveness_probe),
        ("readinessProbe", &container.readiness_probe),
        ("startupProbe", &container.startup_probe),
    ];
    for (field, it) in probes {
        let path = path.child(field);
        let Some(it) = it else { continue };
        probe(&path, it, errors);
        if field == "readinessProbe" {
            if let Some(seconds) = it.termination_grace_period_seconds {
                let path = path.child("terminationGracePeriodSeconds");
                let detail = "must not be set for readinessProbes";
                errors.push(FieldError::invalid(&path, seconds, detail));
            }
        } else if let Some(threshold) = it.success_threshold.filter(|it| !matches!(it, 0 | 1)) {
            let path = path.child("successThreshold");
            errors.push(FieldError::invalid(&path, threshold, "must be 1"));
        }
    }
}

/// Refuses the hooks and probes of an init container that runs to its end.
pub(super) fn ending(path: &Path, container: &Container, errors: &mut Errors) {
    let fields = [
        ("lifecycle", container.lifecycle.is_some()),
        ("livenessProbe", container.liveness_probe.is_some()),
        ("readinessProbe", container.readiness_probe.is_some()),
        ("startupProbe", container.startup_probe.is_some()),
    ];
    for (field, is_set) in fields {
        if is_set {
            let detail = "may not be set for init containers without restartPolicy=Always";
            errors.push(FieldError::forbidden(&path.child(field), detail));
        }
    }
}

fn probe(path: &Path, probe: &Probe, errors: &mut Errors) {
    handler(path, &Handler::of_probe(probe), errors);
    for (field, number) in [
        ("initialDelaySeconds", probe.initial_delay_seconds),
        ("timeoutSeconds", probe.timeout_seconds),
        ("periodSeconds", probe.period_seconds),
        ("successThreshold", probe.success_threshold),
        ("failureThreshold", probe.failure_threshold),
    ] {
        non_negative(&path.child(field), number, errors);
    }
    let grace = probe.termination_grace_period_seconds;
    if let Some(grace) = grace.filter(|grace| *grace <= 0) {
        let path = path.child("terminationGracePeriodSeconds");
        errors.push(FieldError::invalid(&path, grace, "must be greater than 0"));
    }
}

/// What a probe or a hook does: exactly one of these.
struct Handler<'a> {
    exec: Option<&'a ExecAction>,
    http: Option<&'a HTTPGetAction>,
    tcp: Option<&'a TCPSocketAction>,
    grpc: Option<&'a GRPCAction>,
    sleeps: bool,
}

impl<'a> Handler<'a> {
    fn of_probe(probe: &'a Probe) -> Self {
        Self {
            exec: probe.exec.as_ref(),
            http: probe.http_get.as_ref(),
            tcp: probe.tcp_socket.as_ref(),
            grpc: probe.grpc.as_ref(),
            sleeps: false,
        }
    }

    fn of_hook(hook: &'a LifecycleHandler) -> Self {
        Self {
            exec: hook.exec.as_ref(),
            http: hook.http_get.as_ref(),
            tcp: hook.tcp_socket.as_ref(),
            grpc: None,
            sleeps: hook.sleep.is_some(),
        }
    }
}

fn handler(path: &Path, handler: &Handler<'_>, errors: &mut Errors) {
    let types = [
        ("exec", handler.exec.is_some()),
        ("httpGet", handler.http.is_some()),
        ("tcpSocket", handler.tcp.is_some()),
        ("grpc", handler.grpc.is_some()),
        ("sleep", handler.sleeps),
    ];
    let mut set = types.into_iter().filter(|(_, is_set)| *is_set);
    // Only the first one is validated.
    let Some((first, _)) = set.next() else {
        errors.push(FieldError::required(path, "must specify a handler type"));
        return;
    };
    action(&path.child(first), first, handler, errors);
    for (other, _) in set {
        let detail = "may not specify more than 1 handler type";
        errors.push(FieldError::forbidden(&path.child(other), detail));
    }
}

fn action(path: &Path, kind: &str, handler: &Handler<'_>, errors: &mut Errors) {
    let port_path = path.child("port");
    match kind {
        "exec" => {
            let command = handler.exec.and_then(|exec| exec.command.as_ref());
            if command.is_none_or(Vec::is_empty) {
                errors.push(FieldError::required(&path.child("command"), ""));
            }
        }
        "httpGet" => {
            if let Some(http) = handler.http {
                port_number_or_name(&port_path, &http.port, errors);
                one_of(
                    &path.child("scheme"),
                    http.scheme.as_ref(),
                    &SCHEMES,
                    errors,
                );
            }
        }
        "tcpSocket" => {
            if let Some(tcp) = handler.tcp {
                port_number_or_name(&port_path, &tcp.port, errors);
            }
        }
        "grpc" => {
            if let Some(grpc) = handler.grpc {
                port_number(&port_path, grpc.port, errors);
            }
        }
        _ => {}
    }
}

/// Validates a port's number or name (`ValidatePortNumOrName`).
pub(super) fn port_number_or_name(path: &Path, port: &IntOrString, errors: &mut Errors) {
    match port {
        IntOrString::Int(number) => port_number(path, *number, errors),
        IntOrString::String(name) => invalid_each(path, name, port_name_errors(name), errors),
    }
}
