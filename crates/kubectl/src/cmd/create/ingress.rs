//! `kubectl create ingress`.

use serde_json::{Value, json};

use super::generate::{also, generated, name_of, verb};
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG};

verb!(
    INGRESS,
    "ingress",
    "Create an ingress with the specified name",
    "NAME --rule=host/path=service:port[,tls[=secret]]",
    "kubectl create ingress web --rule=\"shop.example.com/*=web:80\"",
    ingress,
    [
        Flag::words("rule"),
        Flag::word("class"),
        Flag::word("default-backend"),
        Flag::words("annotation")
    ]
);
also!(
    INGRESS_SHORT,
    INGRESS,
    "ing",
    "NAME --rule=host/path=service:port",
    "kubectl create ing web --rule=\"/=web:80\""
);

/// A rule: `host/path=service:port[,tls[=secret]]`.
struct Rule<'a> {
    host: &'a str,
    path: &'a str,
    backend: Value,
    /// The secret, empty if the rule names none.
    tls: Option<&'a str>,
}

fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    !text.is_empty() && letters.all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'))
}

impl<'a> Rule<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (rule, rest) = match text.split_once(',') {
            Some((rule, rest)) => (rule, Some(rest)),
            None => (text, None),
        };
        let start = rule.find('/')?;
        let (host, rest_of_rule) = rule.split_at(start);
        let (path, service) = rest_of_rule.split_once('=')?;
        let tls = rest
            .and_then(|rest| rest.strip_prefix("tls"))
            .map(|secret| secret.strip_prefix('=').unwrap_or(secret));
        Some(Rule {
            host,
            path,
            backend: backend(service)?,
            tls,
        })
    }

    fn path(&self) -> Value {
        let (path, kind) = match self.path.strip_suffix('*') {
            Some(path) => (path, "Prefix"),
            None => (self.path, "Exact"),
        };
        json!({"backend": self.backend, "path": path, "pathType": kind})
    }
}

/// `service:port`.
fn backend(text: &str) -> Option<Value> {
    let (name, port) = text.split_once(':')?;
    if !is_word(name) || !is_word(port) {
        return None;
    }
    let port = match port.parse::<i32>() {
        Ok(number) => json!({"number": number}),
        Err(_) => json!({"name": port}),
    };
    Some(json!({"service": {"name": name, "port": port}}))
}

fn ingress(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let arguments = &call.arguments;
    let texts = arguments.words("rule");
    let of_all = arguments
        .word("default-backend")
        .filter(|it| !it.is_empty());
    if texts.is_empty() && of_all.is_none() {
        return Err("error: not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)".to_owned());
    }
    let mut rules: Vec<Rule<'_>> = Vec::new();
    for text in texts {
        rules.push(Rule::parse(text).ok_or_else(|| {
            format!("error: rule {text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]")
        })?);
    }
    let mut spec = json!({});
    if let Some(class) = arguments.word("class") {
        spec["ingressClassName"] = class.into();
    }
    if let Some(text) = of_all {
        spec["defaultBackend"] = backend(text).ok_or_else(|| {
            "error: default-backend should be in format servicename:serviceport".to_owned()
        })?;
    }
    if !rules.is_empty() {
        spec["rules"] = by_host(&rules);
    }
    let secrets = secrets(&rules);
    if !secrets.is_empty() {
        spec["tls"] = Value::Array(secrets);
    }
    let mut metadata = json!({"name": name});
    for pair in arguments.words("annotation") {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(format!(
                "error: annotation {pair} is invalid and should be in format key=[value]"
            ));
        };
        metadata["annotations"][key] = value.into();
    }
    let object = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": metadata,
        "spec": spec,
        "status": {"loadBalancer": {}},
    });
    generated(call, &object, "failed to create ingress:", cluster)
}

/// One rule a host, with its paths.
fn by_host(rules: &[Rule<'_>]) -> Value {
    let mut found: Vec<(&str, Vec<Value>)> = Vec::new();
    for rule in rules {
        match found.iter_mut().find(|(host, _)| *host == rule.host) {
            Some((_, paths)) => paths.push(rule.path()),
            None => found.push((rule.host, vec![rule.path()])),
        }
    }
    let found = found.into_iter().map(|(host, paths)| {
        let mut rule = json!({"http": {"paths": paths}});
        if !host.is_empty() {
            rule["host"] = host.into();
        }
        rule
    });
    found.collect()
}

/// The hosts of each secret; a host counts once.
fn secrets(rules: &[Rule<'_>]) -> Vec<Value> {
    let mut hosts: Vec<&str> = Vec::new();
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for rule in rules {
        let Some(secret) = rule.tls.filter(|_| !hosts.contains(&rule.host)) else {
            continue;
        };
        hosts.push(rule.host);
        match found.iter_mut().find(|(known, _)| *known == secret) {
            Some((_, hosts)) => hosts.push(rule.host),
            None => found.push((secret, vec![rule.host])),
        }
    }
    let found = found.into_iter().map(|(secret, hosts)| {
        let mut tls = json!({});
        let hosts: Vec<&str> = hosts.into_iter().filter(|host| !host.is_empty()).collect();
        if !hosts.is_empty() {
            tls["hosts"] = json!(hosts);
        }
        if !secret.is_empty() {
            tls["secretName"] = secret.into();
        }
        tls
    });
    found.filter(|tls| *tls != json!({})).collect()
}
