//! ServiceAccounts, roles and their bindings (kubectl v1.36 `pkg/describe`).

use std::collections::BTreeMap;

use serde_json::Value;

use super::page::Page;
use super::{Context, parts};
use crate::printers::fields::{Fields, scalar};

pub(super) fn service_account(page: &mut Page, account: &Value, _: &Context<'_>) {
    parts::head(page, account);
    let secrets = account.items("imagePullSecrets").iter();
    let secrets: Vec<String> = secrets.map(|it| it.text("name").to_owned()).collect();
    page.values("", "Image pull secrets", &secrets);
}

/// What one rule allows: the resource with its group, the name of an object.
type Subject = (String, String, Vec<String>);

pub(super) fn role(page: &mut Page, role: &Value, _: &Context<'_>) {
    page.field(0, "Name", role.text("metadata.name"));
    parts::metadata(page, role);
    page.line(0, "PolicyRule:");
    page.line(1, "Resources\tNon-Resource URLs\tResource Names\tVerbs");
    page.line(1, "---------\t-----------------\t--------------\t-----");
    let list = |words: &[String]| format!("[{}]", words.join(" "));
    for ((resource, url, names), verbs) in compact(role.items("rules")) {
        let urls = if url.is_empty() {
            Vec::new()
        } else {
            vec![url]
        };
        let (urls, names, verbs) = (list(&urls), list(&names), list(&verbs));
        page.line(1, format!("{resource}\t{urls}\t{names}\t{verbs}"));
    }
}

/// The rules as `rbac.BreakdownRule` and `rbac.CompactRules` leave them: one a resource, with all of its verbs, sorted
/// by verbs, then by group and resource.
fn compact(rules: &[Value]) -> Vec<(Subject, Vec<String>)> {
    let words = |rule: &Value, field: &str| -> Vec<String> {
        rule.items(field).iter().map(scalar).collect()
    };
    let mut order: Vec<Subject> = Vec::new();
    let mut verbs: BTreeMap<Subject, Vec<String>> = BTreeMap::new();
    for rule in rules {
        let mut add = |subject: Subject| {
            let known = verbs.entry(subject.clone()).or_insert_with(|| {
                order.push(subject);
                Vec::new()
            });
            known.extend(words(rule, "verbs"));
        };
        for group in words(rule, "apiGroups") {
            for resource in words(rule, "resources") {
                let names = words(rule, "resourceNames");
                if names.is_empty() {
                    add((combined(&resource, &group), String::new(), Vec::new()));
                }
                for name in names {
                    add((combined(&resource, &group), String::new(), vec![name]));
                }
            }
        }
        for url in words(rule, "nonResourceURLs") {
            add((String::new(), url, Vec::new()));
        }
    }
    let rows = order.into_iter().map(|subject| {
        let verbs = verbs.remove(&subject).unwrap_or_default();
        (subject, verbs)
    });
    let mut rows: Vec<(Subject, Vec<String>)> = rows.collect();
    let key = |(subject, verbs): &(Subject, Vec<String>)| {
        let group = subject.0.split_once('.').map(|(_, group)| group.to_owned());
        let group = group.unwrap_or_default();
        (verbs.join(" "), group, subject.clone())
    };
    berth_base::sort::sort_by_key(&mut rows, key);
    rows
}

/// `deployments.apps/scale`.
fn combined(resource: &str, group: &str) -> String {
    let (name, part) = match resource.split_once('/') {
        Some((name, part)) => (name, format!("/{part}")),
        None => (resource, String::new()),
    };
    match group {
        "" => format!("{name}{part}"),
        group => format!("{name}.{group}{part}"),
    }
}

pub(super) fn binding(page: &mut Page, binding: &Value, _: &Context<'_>) {
    page.field(0, "Name", binding.text("metadata.name"));
    parts::metadata(page, binding);
    page.line(0, "Role:");
    page.field(1, "Kind", binding.text("roleRef.kind"));
    page.field(1, "Name", binding.text("roleRef.name"));
    page.line(0, "Subjects:");
    page.line(1, "Kind\tName\tNamespace");
    page.line(1, "----\t----\t---------");
    for subject in binding.items("subjects") {
        let [kind, name, namespace] = ["kind", "name", "namespace"].map(|it| subject.text(it));
        page.line(1, format!("{kind}\t{name}\t{namespace}"));
    }
}
