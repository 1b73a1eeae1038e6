//! `kubectl create serviceaccount|role|clusterrole|rolebinding|clusterrolebinding`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::generate::{also, generated, name_of, plain, verb};
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::kinds;
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG};

const VERSION: &str = "rbac.authorization.k8s.io/v1";
const GROUP: &str = "rbac.authorization.k8s.io";

/// Verbs of resources; others are warned of.
const VERBS: [&str; 14] = [
    "*",
    "get",
    "delete",
    "list",
    "create",
    "update",
    "patch",
    "watch",
    "proxy",
    "deletecollection",
    "use",
    "bind",
    "escalate",
    "impersonate",
];

verb!(
    SERVICE_ACCOUNT,
    "serviceaccount",
    "Create a service account with the specified name",
    "NAME",
    "kubectl create serviceaccount builder",
    service_account,
    []
);
also!(
    SERVICE_ACCOUNT_SHORT,
    SERVICE_ACCOUNT,
    "sa",
    "NAME",
    "kubectl create sa builder"
);
verb!(
    ROLE,
    "role",
    "Create a role with single rule",
    "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename]",
    "kubectl create role pod-reader --verb=get,list --resource=pods",
    role,
    [
        Flag::words("verb"),
        Flag::words("resource"),
        Flag::words("resource-name")
    ]
);
verb!(
    CLUSTER_ROLE,
    "clusterrole",
    "Create a cluster role",
    "NAME --verb=verb --resource=resource.group [--resource-name=resourcename]",
    "kubectl create clusterrole node-reader --verb=get,list --resource=nodes",
    role,
    [
        Flag::words("verb"),
        Flag::words("resource"),
        Flag::words("resource-name"),
        Flag::words("non-resource-url"),
        Flag::words("aggregation-rule")
    ]
);
verb!(
    ROLE_BINDING,
    "rolebinding",
    "Create a role binding for a particular role or cluster role",
    "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname]",
    "kubectl create rolebinding readers --role=pod-reader --serviceaccount=default:builder",
    binding,
    [
        Flag::word("clusterrole"),
        Flag::word("role"),
        Flag::words("user"),
        Flag::words("group"),
        Flag::words("serviceaccount")
    ]
);
verb!(
    CLUSTER_ROLE_BINDING,
    "clusterrolebinding",
    "Create a cluster role binding for a particular cluster role",
    "NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname]",
    "kubectl create clusterrolebinding admins --clusterrole=cluster-admin --user=ann",
    binding,
    [
        Flag::word("clusterrole"),
        Flag::words("user"),
        Flag::words("group"),
        Flag::words("serviceaccount")
    ]
);

fn service_account(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let object = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name_of(call)?},
    });
    generated(call, &object, "failed to create serviceaccount:", cluster)
}

fn role(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let is_of_cluster = call.verb.name == "create clusterrole";
    let kind = if is_of_cluster { "ClusterRole" } else { "Role" };
    let mut object = json!({"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}});
    let aggregated = labels(&call.arguments.list("aggregation-rule"));
    let mut warnings = Vec::new();
    if aggregated.is_empty() {
        object["rules"] = rules(call, is_of_cluster, &mut warnings)?;
    } else {
        object["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": aggregated}]});
    }
    let mut output = plain(call, &object, cluster)?;
    for warning in warnings {
        output.warn(warning);
    }
    Ok(output)
}

fn labels(pairs: &[&str]) -> BTreeMap<String, String> {
    let pairs = pairs.iter().filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// The words of a list flag, each once; `*` stands for all.
fn once(words: Vec<&str>) -> Vec<String> {
    if words.contains(&"*") {
        return vec!["*".to_owned()];
    }
    let mut found: Vec<String> = Vec::new();
    for word in words {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// One rule a group, and one for URLs.
fn rules(call: &Call<'_>, takes_urls: bool, warnings: &mut Vec<String>) -> Result<Value, String> {
    let arguments = &call.arguments;
    let verbs = once(arguments.list("verb"));
    let (names, urls) = (
        once(arguments.list("resource-name")),
        once(arguments.list("non-resource-url")),
    );
    if verbs.is_empty() {
        return Err("error: at least one verb must be specified".to_owned());
    }
    let resources = arguments.list("resource");
    if resources.is_empty() && urls.is_empty() {
        return Err(if takes_urls {
            "error: one of resource or nonResourceURL must be specified".to_owned()
        } else {
            "error: at least one resource must be specified".to_owned()
        });
    }
    let strange = verbs.iter().filter(|verb| !VERBS.contains(&verb.as_str()));
    warnings
        .extend(strange.map(|verb| format!("Warning: '{verb}' is not a standard resource verb")));
    let mut by_group: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for resource in resources {
        let (group, name) = resource_of(resource)?;
        let known = by_group.entry(group).or_default();
        if !known.contains(&name) {
            known.push(name);
        }
    }
    let rules = by_group.into_iter().map(|(group, resources)| {
        let mut rule = json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
        if !names.is_empty() {
            rule["resourceNames"] = json!(names);
        }
        rule
    });
    let mut rules: Vec<Value> = rules.collect();
    if !urls.is_empty() {
        rules.push(json!({"nonResourceURLs": urls, "verbs": verbs}));
    }
    Ok(Value::Array(rules))
}

/// The group, and the plural name with its subresource, of `deployments.apps/scale`.
fn resource_of(text: &str) -> Result<(String, String), String> {
    let (named, part) = match text.split_once('/') {
        Some((named, part)) => (named, format!("/{part}")),
        None => (text, String::new()),
    };
    let (name, group) = named.split_once('.').unwrap_or((named, ""));
    if name == "*" {
        return Ok((group.to_owned(), format!("*{part}")));
    }
    match kinds::find(named) {
        Some(kind) => Ok((kind.group().to_owned(), format!("{}{part}", kind.plural))),
        None => Err(format!(
            "error: the server doesn't have a resource type {name:?}"
        )),
    }
}

fn binding(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let arguments = &call.arguments;
    let is_of_cluster = call.verb.name == "create clusterrolebinding";
    let (kind, failed) = match is_of_cluster {
        true => ("ClusterRoleBinding", "failed to create clusterrolebinding:"),
        false => ("RoleBinding", "failed to create rolebinding:"),
    };
    let (role_kind, role) = match (arguments.word("clusterrole"), arguments.word("role")) {
        (Some(role), None) => ("ClusterRole", role),
        (None, Some(role)) => ("Role", role),
        _ if is_of_cluster => return Err("error: clusterrole must be specified".to_owned()),
        _ => return Err("error: exactly one of clusterrole or role must be specified".to_owned()),
    };
    let mut subjects = Vec::new();
    for (kind, flag) in [("User", "user"), ("Group", "group")] {
        for name in arguments.list(flag) {
            subjects.push(json!({"apiGroup": GROUP, "kind": kind, "name": name}));
        }
    }
    for account in arguments.list("serviceaccount") {
        let pair = account.split_once(':');
        let pair = pair
            .filter(|(space, name)| !space.is_empty() && !name.is_empty() && !name.contains(':'));
        let Some((namespace, name)) = pair else {
            return Err("error: serviceaccount must be <namespace>:<name>".to_owned());
        };
        subjects.push(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}));
    }
    let mut object = json!({
        "apiVersion": VERSION,
        "kind": kind,
        "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": role_kind, "name": role},
    });
    if !subjects.is_empty() {
        object["subjects"] = Value::Array(subjects);
    }
    generated(call, &object, failed, cluster)
}
