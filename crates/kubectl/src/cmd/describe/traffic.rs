//! Ingresses and their classes, and network policies (kubectl v1.36 `pkg/describe`).

use serde_json::Value;

use super::page::Page;
use super::{Context, cluster, parts};
use crate::printers::fields::{Fields, or_none, scalar, selector};
use crate::printers::time;
use berth_sim::store::Key;

pub(super) fn ingress(page: &mut Page, ingress: &Value, context: &Context<'_>) {
    page.field(0, "Name", ingress.text("metadata.name"));
    parts::labels(page, "", "Labels", ingress.at("metadata.labels"));
    let namespace = ingress.text("metadata.namespace");
    page.field(0, "Namespace", namespace);
    let points = ingress.items("status.loadBalancer.ingress").iter();
    let addresses: Vec<&str> = points
        .map(|it| match it.text("ip") {
            "" => it.text("hostname"),
            ip => ip,
        })
        .collect();
    page.field(0, "Address", addresses.join(","));
    page.field(
        0,
        "Ingress Class",
        or_none(ingress.text("spec.ingressClassName")),
    );
    let of_all = match ingress.at("spec.defaultBackend") {
        Value::Null => "<default>".to_owned(),
        it => backend(namespace, it, context),
    };
    page.field(0, "Default backend", &of_all);
    let secrets = ingress.items("spec.tls");
    if !secrets.is_empty() {
        page.line(0, "TLS:");
    }
    for tls in secrets {
        let hosts: Vec<String> = tls.items("hosts").iter().map(scalar).collect();
        let hosts = hosts.join(",");
        page.line(
            1,
            match tls.text("secretName") {
                "" => format!("SNI routes {hosts}"),
                name => format!("{name} terminates {hosts}"),
            },
        );
    }
    page.line(0, "Rules:\n  Host\tPath\tBackends");
    page.line(1, "----\t----\t--------");
    let rules = ingress.items("spec.rules").iter();
    let rules: Vec<&Value> = rules.filter(|rule| rule.has("http")).collect();
    for rule in &rules {
        let host = rule.text("host");
        page.line(1, format!("{}\t", if host.is_empty() { "*" } else { host }));
        for path in rule.items("http.paths") {
            let backend = backend(namespace, path.at("backend"), context);
            page.line(2, format!("\t{} \t{backend}", path.text("path")));
        }
    }
    if rules.is_empty() {
        page.line(1, format!("*\t*\t{of_all}"));
    }
    parts::annotations(page, "Annotations", ingress.at("metadata.annotations"));
}

fn backend(namespace: &str, backend: &Value, context: &Context<'_>) -> String {
    let own = backend.at("service");
    if own.is_null() {
        let text = |field: &str| backend.text(&format!("resource.{field}"));
        let group = or_none(text("apiGroup"));
        let (kind, name) = (text("kind"), text("name"));
        return format!("APIGroup: {group}, Kind: {kind}, Name: {name}");
    }
    let (name, number) = (own.text("name"), own.int("port.number"));
    let port = match number {
        0 => own.text("port.name").to_owned(),
        number => number.to_string(),
    };
    let service = context
        .api
        .store()
        .get("Service", &Key::new(namespace, name));
    let Some(service) = service else {
        return format!("{name}:{port} (<error: services {name:?} not found>)");
    };
    let service = service.to_json();
    let mut ports = service.items("spec.ports").iter();
    let found = ports.find(|it| it.int("port") == number || it.text("name") == port);
    let port_name = found.map(|it| it.text("name")).unwrap_or_default();
    format!(
        "{name}:{port} ({})",
        cluster::endpoints_of(&service, port_name, context)
    )
}

pub(super) fn ingress_class(page: &mut Page, class: &Value, _: &Context<'_>) {
    page.field(0, "Name", class.text("metadata.name"));
    parts::metadata(page, class);
    page.field(0, "Controller", class.text("spec.controller"));
    let parameters = class.at("spec.parameters");
    if parameters.is_null() {
        return;
    }
    page.line(0, "Parameters:");
    if parameters.has("apiGroup") {
        page.field(1, "APIGroup", parameters.text("apiGroup"));
    }
    page.field(1, "Kind", parameters.text("kind"));
    page.field(1, "Name", parameters.text("name"));
}

pub(super) fn network_policy(page: &mut Page, policy: &Value, _: &Context<'_>) {
    page.field(0, "Name", policy.text("metadata.name"));
    page.field(0, "Namespace", policy.text("metadata.namespace"));
    let created = time::go(policy.text("metadata.creationTimestamp"));
    page.field(0, "Created on", created);
    parts::metadata(page, policy);
    page.line(0, "Spec:");
    let pods = match selector(policy.at("spec.podSelector")).as_str() {
        "<none>" => {
            "<none> (Allowing the specific traffic to all pods in this namespace)".to_owned()
        }
        pods => pods.to_owned(),
    };
    page.line(1, format!("PodSelector:     {pods}"));
    let types: Vec<String> = policy
        .items("spec.policyTypes")
        .iter()
        .map(scalar)
        .collect();
    for (word, field, to) in [("Ingress", "ingress", "From"), ("Egress", "egress", "To")] {
        if types.iter().any(|it| it == word) {
            page.line(1, format!("Allowing {field} traffic:"));
            rules(page, policy.items(&format!("spec.{field}")), field, to);
        } else {
            page.line(1, format!("Not affecting {field} traffic"));
        }
    }
    page.line(1, format!("Policy Types: {}", types.join(", ")));
}

fn rules(page: &mut Page, rules: &[Value], direction: &str, to: &str) {
    if rules.is_empty() {
        let none = format!("<none> (Selected pods are isolated for {direction} connectivity)");
        page.line(2, none);
    }
    for (index, rule) in rules.iter().enumerate() {
        if index > 0 {
            page.line(2, "----------");
        }
        let ports = rule.items("ports");
        if ports.is_empty() {
            page.line(2, "To Port: <any> (traffic allowed to all ports)");
        }
        for port in ports {
            let (number, protocol) = (scalar(port.at("port")), port.text("protocol"));
            page.line(
                2,
                match port.int("endPort") {
                    0 => format!("To Port: {number}/{protocol}"),
                    last => format!("To Port Range: {number}-{last}/{protocol}"),
                },
            );
        }
        let peers = rule.items(&to.to_lowercase());
        if peers.is_empty() {
            let end = if to == "From" {
                "source"
            } else {
                "destination"
            };
            page.line(2, format!("{to}: <any> (traffic not restricted by {end})"));
        }
        for one in peers {
            page.line(2, format!("{to}:"));
            peer(page, one);
        }
    }
}

fn peer(page: &mut Page, peer: &Value) {
    for (name, field) in [
        ("NamespaceSelector", "namespaceSelector"),
        ("PodSelector", "podSelector"),
    ] {
        if peer.has(field) {
            page.line(3, format!("{name}: {}", selector(peer.at(field))));
        }
    }
    if peer.has("ipBlock") {
        let except = peer.items("ipBlock.except").iter();
        let except: Vec<String> = except.map(scalar).collect();
        page.line(3, "IPBlock:");
        page.line(4, format!("CIDR: {}", peer.text("ipBlock.cidr")));
        page.line(4, format!("Except: {}", except.join(", ")));
    }
}
