//! Kinds that are only kept: accounts, roles, networks, webhooks, definitions (`pkg/printers/internalversion`, v1.36).

use serde_json::Value;

use super::{Table, age, columns, containers, name};
use crate::printers::fields::{Fields, or_none, pairs, selector};

/// The table of a kept kind; `None` if it has no columns of its own.
#[inline(never)]
pub(super) fn of(kind: &str) -> Option<Table> {
    Some(match kind {
        "ServiceAccount" => Table {
            columns: columns!["NAME" "AGE"],
            row: |it, now_ms| vec![name(it), age(it, now_ms)],
        },
        "Role" | "ClusterRole" | "CustomResourceDefinition" => Table {
            columns: columns!["NAME" "CREATED AT"],
            row: |it, _| vec![name(it), it.text("metadata.creationTimestamp").to_owned()],
        },
        "RoleBinding" | "ClusterRoleBinding" => Table {
            columns: columns!["NAME" "ROLE" "AGE" wide "USERS" wide "GROUPS" wide "SERVICEACCOUNTS"],
            row: binding,
        },
        "Lease" => Table {
            columns: columns!["NAME" "HOLDER" "AGE"],
            row: |it, now_ms| {
                let holder = it.text("spec.holderIdentity").to_owned();
                vec![name(it), holder, age(it, now_ms)]
            },
        },
        "RuntimeClass" => Table {
            columns: columns!["NAME" "HANDLER" "AGE"],
            row: |it, now_ms| vec![name(it), it.text("handler").to_owned(), age(it, now_ms)],
        },
        "PodTemplate" => Table {
            columns: columns!["NAME" "CONTAINERS" "IMAGES" "POD LABELS"],
            row: |it, _| {
                let [names, images] = containers(it.at("template.spec"));
                let labels = pairs(&it.entries("template.metadata.labels"));
                vec![name(it), names, images, labels]
            },
        },
        "Ingress" => Table {
            columns: columns!["NAME" "CLASS" "HOSTS" "ADDRESS" "PORTS" "AGE"],
            row: ingress,
        },
        "IngressClass" => Table {
            columns: columns!["NAME" "CONTROLLER" "PARAMETERS" "AGE"],
            row: ingress_class,
        },
        "NetworkPolicy" => Table {
            columns: columns!["NAME" "POD-SELECTOR" "AGE"],
            row: |it, now_ms| {
                let pods = selector(it.at("spec.podSelector"));
                vec![name(it), or_none(pods), age(it, now_ms)]
            },
        },
        "VolumeAttachment" => Table {
            columns: columns!["NAME" "ATTACHER" "PV" "NODE" "ATTACHED" "AGE"],
            row: |it, now_ms| {
                vec![
                    name(it),
                    it.text("spec.attacher").to_owned(),
                    it.text("spec.source.persistentVolumeName").to_owned(),
                    it.text("spec.nodeName").to_owned(),
                    it.is_true("status.attached").to_string(),
                    age(it, now_ms),
                ]
            },
        },
        other => return of_server(other),
    })
}

/// The table of a kind that is the API server's own business.
fn of_server(kind: &str) -> Option<Table> {
    Some(match kind {
        "CertificateSigningRequest" => Table {
            columns: columns!["NAME" "AGE" "SIGNERNAME" "REQUESTOR" "REQUESTEDDURATION" "CONDITION"],
            row: signing_request,
        },
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => Table {
            columns: columns!["NAME" "WEBHOOKS" "AGE"],
            row: |it, now_ms| vec![name(it), count(it, "webhooks"), age(it, now_ms)],
        },
        "ValidatingAdmissionPolicy" => Table {
            columns: columns!["NAME" "VALIDATIONS" "PARAMKIND" "AGE"],
            row: |it, now_ms| {
                let (kind, version) = (
                    it.text("spec.paramKind.kind"),
                    it.text("spec.paramKind.apiVersion"),
                );
                let param = match kind {
                    "" => "<unset>".to_owned(),
                    kind => format!("{version}/{kind}"),
                };
                vec![
                    name(it),
                    count(it, "spec.validations"),
                    param,
                    age(it, now_ms),
                ]
            },
        },
        "ValidatingAdmissionPolicyBinding" => Table {
            columns: columns!["NAME" "POLICYNAME" "PARAMREF" "AGE"],
            row: policy_binding,
        },
        "FlowSchema" => Table {
            columns: columns!["NAME" "PRIORITYLEVEL" "MATCHINGPRECEDENCE" "DISTINGUISHERMETHOD" "AGE" "MISSINGPL"],
            row: |it, now_ms| {
                let level = it.text("spec.priorityLevelConfiguration.name").to_owned();
                let precedence = it.int("spec.matchingPrecedence").to_string();
                let by = or_none(it.text("spec.distinguisherMethod.type").to_owned());
                vec![
                    name(it),
                    level,
                    precedence,
                    by,
                    age(it, now_ms),
                    "?".to_owned(),
                ]
            },
        },
        "PriorityLevelConfiguration" => Table {
            columns: columns!["NAME" "TYPE" "NOMINALCONCURRENCYSHARES" "QUEUES" "HANDSIZE" "QUEUELENGTHLIMIT" "AGE"],
            row: priority_level,
        },
        "VolumeAttributesClass" => Table {
            columns: columns!["NAME" "DRIVERNAME" "AGE"],
            row: |it, now_ms| vec![name(it), it.text("driverName").to_owned(), age(it, now_ms)],
        },
        "APIService" => Table {
            columns: columns!["NAME" "SERVICE" "AVAILABLE" "AGE"],
            row: api_service,
        },
        _ => return None,
    })
}

/// The number of items of a list.
fn count(object: &Value, path: &str) -> String {
    object.items(path).len().to_string()
}

fn binding(binding: &Value, now_ms: i64) -> Vec<String> {
    let role = format!(
        "{}/{}",
        binding.text("roleRef.kind"),
        binding.text("roleRef.name")
    );
    let of_kind = |kind: &str| {
        let subjects = binding.items("subjects").iter();
        let names = subjects
            .filter(|it| it.text("kind") == kind)
            .map(|it| match kind {
                "ServiceAccount" => format!("{}/{}", it.text("namespace"), it.text("name")),
                _ => it.text("name").to_owned(),
            });
        names.collect::<Vec<_>>().join(", ")
    };
    let [users, groups, accounts] = ["User", "Group", "ServiceAccount"].map(of_kind);
    vec![
        name(binding),
        role,
        age(binding, now_ms),
        users,
        groups,
        accounts,
    ]
}

/// Hosts in their order, each once; more than three are counted.
fn hosts(ingress: &Value) -> String {
    let mut hosts: Vec<&str> = Vec::new();
    for rule in ingress.items("spec.rules") {
        let host = rule.text("host");
        if !host.is_empty() && !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    match hosts.get(..3) {
        _ if hosts.is_empty() => "*".to_owned(),
        Some(first) if hosts.len() > 3 => {
            format!("{} + {} more...", first.join(","), hosts.len() - 3)
        }
        _ => hosts.join(","),
    }
}

fn ingress(ingress: &Value, now_ms: i64) -> Vec<String> {
    let class = ingress.text("spec.ingressClassName");
    let points = ingress.items("status.loadBalancer.ingress").iter();
    let addresses = points.map(|it| match it.text("ip") {
        "" => it.text("hostname"),
        ip => ip,
    });
    let addresses: Vec<&str> = addresses.collect();
    let ports = match ingress.items("spec.tls") {
        [] => "80",
        _ => "80, 443",
    };
    vec![
        name(ingress),
        or_none(class.to_owned()),
        hosts(ingress),
        addresses.join(","),
        ports.to_owned(),
        age(ingress, now_ms),
    ]
}

fn ingress_class(class: &Value, now_ms: i64) -> Vec<String> {
    let own = |field: &str| class.text(&format!("spec.parameters.{field}")).to_owned();
    let parameters = match (own("kind"), own("apiGroup"), own("name")) {
        (kind, ..) if kind.is_empty() => "<none>".to_owned(),
        (kind, group, name) if group.is_empty() => format!("{kind}/{name}"),
        (kind, group, name) => format!("{kind}.{group}/{name}"),
    };
    let controller = class.text("spec.controller").to_owned();
    vec![name(class), controller, parameters, age(class, now_ms)]
}

fn policy_binding(binding: &Value, now_ms: i64) -> Vec<String> {
    let param = match (
        binding.text("spec.paramRef.name"),
        binding.text("spec.paramRef.namespace"),
    ) {
        ("", _) if binding.pointer("/spec/paramRef/selector").is_some() => "<selector>".to_owned(),
        ("", _) => "<unset>".to_owned(),
        (name, "") => format!("*/{name}"),
        (name, namespace) => format!("{namespace}/{name}"),
    };
    let policy = binding.text("spec.policyName").to_owned();
    vec![name(binding), policy, param, age(binding, now_ms)]
}

fn signing_request(request: &Value, now_ms: i64) -> Vec<String> {
    let conditions = request.items("status.conditions").iter();
    let mut words: Vec<&str> = conditions.map(|it| it.text("type")).collect();
    let is_decided = words
        .iter()
        .any(|it| matches!(*it, "Approved" | "Denied" | "Failed"));
    if !is_decided {
        words.insert(0, "Pending");
    }
    if !request.text("status.certificate").is_empty() {
        words.push("Issued");
    }
    let duration = match request.int("spec.expirationSeconds") {
        0 => "<none>".to_owned(),
        seconds => crate::printers::time::human(seconds.saturating_mul(1_000)),
    };
    vec![
        name(request),
        age(request, now_ms),
        request.text("spec.signerName").to_owned(),
        request.text("spec.username").to_owned(),
        duration,
        words.join(","),
    ]
}

fn priority_level(level: &Value, now_ms: i64) -> Vec<String> {
    let none = || "<none>".to_owned();
    let own = |field: &str| {
        let path = format!("/spec/limited/{field}");
        level.pointer(&path).map_or_else(none, Value::to_string)
    };
    let queuing = |field: &str| own(&format!("limitResponse/queuing/{field}"));
    vec![
        name(level),
        level.text("spec.type").to_owned(),
        own("nominalConcurrencyShares"),
        queuing("queues"),
        queuing("handSize"),
        queuing("queueLengthLimit"),
        age(level, now_ms),
    ]
}

fn api_service(service: &Value, now_ms: i64) -> Vec<String> {
    let owner = match service.text("spec.service.name") {
        "" => "Local".to_owned(),
        name => format!("{}/{name}", service.text("spec.service.namespace")),
    };
    let conditions = service.items("status.conditions").iter();
    let mut available = conditions
        .filter(|it| it.text("type") == "Available")
        .map(|it| match (it.text("status"), it.text("reason")) {
            ("True", _) | (_, "") => it.text("status").to_owned(),
            (status, reason) => format!("{status} ({reason})"),
        });
    let available = available
        .next_back()
        .unwrap_or_else(|| "Unknown".to_owned());
    vec![name(service), owner, available, age(service, now_ms)]
}
