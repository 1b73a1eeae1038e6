//! `kubectl describe` (v1.34 `pkg/describe`): one page for each object, field by field.

mod access;
mod autoscaler;
mod cluster;
mod config;
mod containers;
mod generic;
mod jobs;
mod network;
mod node;
mod page;
mod parts;
mod pod;
mod storage;
mod traffic;
mod volumes;
mod workloads;

use serde_json::Value;

use super::auth::NO_RBAC;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::fields::Fields;
use crate::resource::find::Query;
use crate::{Cluster, Output};
use berth_sim::server::ApiServer;
use page::Page;

pub(crate) const DESCRIBE: Verb = Verb {
    name: "describe",
    about: "Show details of a specific resource or group of resources",
    usage: "describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
    examples: &[
        "kubectl describe node n1",
        "kubectl describe pods/web",
        "kubectl describe po -l app=web",
    ],
    flags: &[
        Flag::switch("all-namespaces").short('A'),
        Flag::words("filename").short('f'),
        Flag::switch("recursive").short('R'),
        Flag::word("selector").short('l'),
        Flag::switch("show-events"),
        Flag::number("chunk-size"),
    ],
    run: describe,
};

const NOTHING_ASKED: &str = "error: You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.";

/// Kinds whose pages have no events.
const HAVE_NO_EVENTS: [&str; 9] = [
    "Namespace",
    "LimitRange",
    "ResourceQuota",
    "Secret",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "NetworkPolicy",
];

/// What the cluster does not do although it keeps objects of a kind.
fn not_enforced(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" => NO_RBAC,
        "NetworkPolicy" => "Warning: network policies are kept here and restrict no traffic",
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => {
            "Warning: webhooks are kept here and never called"
        }
        "ValidatingAdmissionPolicy" | "ValidatingAdmissionPolicyBinding" => {
            "Warning: admission policies are kept here and not evaluated"
        }
        _ => return None,
    })
}

/// What a page needs besides the object.
struct Context<'a> {
    api: &'a ApiServer,
}

fn describe(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    if call.arguments.words.is_empty() && !call.arguments.has("filename") {
        return Err(NOTHING_ASKED.to_owned());
    }
    let query = Query::of(call, cluster)?;
    let mut found = query.find(cluster);
    if let ([(kind, keys)], true) = (query.kinds.as_slice(), found.count() == 0)
        && let [prefix] = keys.as_slice()
    {
        // A name without an exact match is treated as a prefix.
        let mut objects = query.all(kind, cluster);
        objects.retain(|object| object.text("metadata.name").starts_with(prefix.name()));
        if let (false, Some(group)) = (objects.is_empty(), found.groups.first_mut()) {
            group.objects = objects;
            found.missing.clear();
        }
    }
    let mut output = Output::default();
    if let Some(warning) = query.warning() {
        output.warning(warning);
    }
    for (kind, _) in &query.kinds {
        if let Some(warning) = not_enforced(kind.kind) {
            output.warn(warning);
        }
    }
    let context = Context { api: cluster.api() };
    let shows_events = call.arguments.is_or("show-events", true);
    for group in &found.groups {
        for object in &group.objects {
            if !output.stdout.is_empty() {
                output.stdout.push_str("\n\n");
            }
            output
                .stdout
                .push_str(&page_of(object, &context, shows_events));
        }
    }
    for line in &found.missing {
        output.complain(line);
    }
    if found.count() == 0 && found.missing.is_empty() {
        let is_namespaced = query.kinds.iter().all(|(kind, _)| kind.namespaced);
        output.warn(if query.everywhere || !is_namespaced {
            "No resources found".to_owned()
        } else {
            format!("No resources found in {} namespace.", query.namespace)
        });
    }
    Ok(output)
}

/// An object's page.
fn page_of(object: &Value, context: &Context<'_>, shows_events: bool) -> String {
    let mut page = Page::default();
    let kind = object.text("kind");
    let fill: fn(&mut Page, &Value, &Context<'_>) = match kind {
        "Pod" => pod::pod,
        "Node" => node::node,
        "Deployment" => workloads::deployment,
        "ReplicaSet" | "ReplicationController" => workloads::replica_set,
        "StatefulSet" => workloads::stateful_set,
        "DaemonSet" => workloads::daemon_set,
        "Job" => jobs::job,
        "CronJob" => jobs::cron_job,
        "PersistentVolumeClaim" => storage::claim,
        "PersistentVolume" => storage::volume,
        "StorageClass" => storage::storage_class,
        "CSINode" => storage::csi_node,
        "Namespace" => cluster::namespace,
        "LimitRange" => cluster::limit_range,
        "ResourceQuota" => cluster::quota,
        "PodDisruptionBudget" => cluster::budget,
        "PriorityClass" => cluster::priority_class,
        "Service" => cluster::service,
        "ConfigMap" => config::config_map,
        "Secret" => config::secret,
        "Endpoints" => network::endpoints,
        "EndpointSlice" => network::endpoint_slice,
        "HorizontalPodAutoscaler" => autoscaler::autoscaler,
        "ServiceAccount" => access::service_account,
        "Role" | "ClusterRole" => access::role,
        "RoleBinding" | "ClusterRoleBinding" => access::binding,
        "Ingress" => traffic::ingress,
        "IngressClass" => traffic::ingress_class,
        "NetworkPolicy" => traffic::network_policy,
        _ => generic::generic,
    };
    fill(&mut page, object, context);
    if shows_events && !HAVE_NO_EVENTS.contains(&kind) {
        parts::events(&mut page, object, context.api);
    }
    page.finish()
}

/// The Pod template section with unaligned tabs, as `rollout history` prints it.
pub(crate) fn template_text(template: &Value) -> String {
    let mut page = Page::default();
    pod::template(&mut page, template);
    page.raw()
}

#[cfg(test)]
mod tests;
