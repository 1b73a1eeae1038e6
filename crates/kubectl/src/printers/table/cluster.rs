//! Namespaces, Services, PodDisruptionBudgets, PriorityClasses, ResourceQuotas and LimitRanges.

use serde_json::Value;

use super::{Table, age, columns, name};
use crate::printers::fields::{Fields, amount, or_none, pairs, scalar};

pub(crate) const NAMESPACE: Table = Table {
    columns: columns!["NAME" "STATUS" "AGE"],
    row: |namespace, now_ms| {
        let phase = namespace.text("status.phase").to_owned();
        vec![name(namespace), phase, age(namespace, now_ms)]
    },
};

pub(crate) const SERVICE: Table = Table {
    columns: columns!["NAME" "TYPE" "CLUSTER-IP" "EXTERNAL-IP" "PORT(S)" "AGE" wide "SELECTOR"],
    row: |service, now_ms| {
        let kind = match service.text("spec.type") {
            "" => "ClusterIP",
            kind => kind,
        };
        vec![
            name(service),
            kind.to_owned(),
            or_none(service.text("spec.clusterIP")),
            external_ip(service, kind),
            ports(service),
            age(service, now_ms),
            pairs(&service.entries("spec.selector")),
        ]
    },
};

fn external_ip(service: &Value, kind: &str) -> String {
    let ips = service.items("spec.externalIPs").iter();
    let mut ips: Vec<_> = ips.map(scalar).collect();
    match kind {
        "ExternalName" => service.text("spec.externalName").to_owned(),
        "LoadBalancer" => {
            let given = service
                .items("status.loadBalancer.ingress")
                .iter()
                .map(|it| match it.text("ip") {
                    "" => it.text("hostname").to_owned(),
                    ip => ip.to_owned(),
                });
            ips.splice(0..0, given);
            if ips.is_empty() {
                "<pending>".to_owned()
            } else {
                ips.join(",")
            }
        }
        _ => or_none(ips.join(",")),
    }
}

/// `80/TCP,443:30443/TCP`.
fn ports(service: &Value) -> String {
    let ports = service.items("spec.ports").iter().map(|port| {
        let protocol = match port.text("protocol") {
            "" => "TCP",
            protocol => protocol,
        };
        match port.int("nodePort") {
            0 => format!("{}/{protocol}", port.int("port")),
            node => format!("{}:{node}/{protocol}", port.int("port")),
        }
    });
    let ports: Vec<_> = ports.collect();
    or_none(ports.join(","))
}

pub(crate) const BUDGET: Table = Table {
    columns: columns!["NAME" "MIN AVAILABLE" "MAX UNAVAILABLE" "ALLOWED DISRUPTIONS" "AGE"],
    row: |budget, now_ms| {
        let wanted = |path: &str| match budget.scalar(path) {
            text if text.is_empty() => "N/A".to_owned(),
            text => text,
        };
        vec![
            name(budget),
            wanted("spec.minAvailable"),
            wanted("spec.maxUnavailable"),
            budget.int("status.disruptionsAllowed").to_string(),
            age(budget, now_ms),
        ]
    },
};

pub(crate) const PRIORITY_CLASS: Table = Table {
    columns: columns!["NAME" "VALUE" "GLOBAL-DEFAULT" "AGE" "PREEMPTIONPOLICY"],
    row: |class, now_ms| {
        let policy = match class.text("preemptionPolicy") {
            "" => "PreemptLowerPriority",
            policy => policy,
        };
        vec![
            name(class),
            class.int("value").to_string(),
            class.is_true("globalDefault").to_string(),
            age(class, now_ms),
            policy.to_owned(),
        ]
    },
};

pub(crate) const QUOTA: Table = Table {
    columns: columns!["NAME" "REQUEST" "LIMIT" "AGE"],
    row: |quota, now_ms| {
        let (mut requests, mut limits) = (Vec::new(), Vec::new());
        for (resource, hard) in quota.entries("status.hard") {
            let used = quota.at("status.used").get(resource);
            let used = used.map_or_else(|| "0".to_owned(), amount);
            let text = format!("{resource}: {used}/{}", amount(hard));
            if resource.starts_with("limits.") {
                limits.push(text);
            } else {
                requests.push(text);
            }
        }
        vec![
            name(quota),
            requests.join(", "),
            limits.join(", "),
            age(quota, now_ms),
        ]
    },
};

pub(crate) const LIMITS: Table = Table {
    columns: columns!["NAME" "CREATED AT"],
    row: |limits, _| {
        let created = limits.text("metadata.creationTimestamp");
        vec![name(limits), created.to_owned()]
    },
};
