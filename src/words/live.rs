//! What a cluster did not answer, and what therefore is not known.

use berth_words::{say, text};

use super::Text;

/// Above what could not be listed.
pub const NOT_KNOWN: Text = text!("What is not known");

/// Kinds that the server lacks: there are no such objects.
pub fn not_served(kinds: &str) -> String {
    say!("The server has no {kinds}.")
}

/// Kinds that the user may not list, and what is unknown without them.
pub fn forbidden(kinds: &str, unknown: &str) -> String {
    say!("You may not list {kinds}. {unknown}")
}

/// Kinds that the user may list in one namespace only.
pub fn only_here(kinds: &str, namespace: &str, unknown: &str) -> String {
    say!("You may list {kinds} in namespace {namespace} only. {unknown}")
}

/// What is unknown without a kind, by its plural name; `None` if placement does not depend on it.
pub fn unknown(kind: &str) -> Option<Text> {
    Some(match kind {
        "pods" => text!("What else runs on the nodes is unknown."),
        "deployments"
        | "replicasets"
        | "statefulsets"
        | "daemonsets"
        | "jobs"
        | "replicationcontrollers" => {
            text!("What workloads want is guessed from their Pods.")
        }
        "services" => text!("Pods are not spread by their Services."),
        "persistentvolumeclaims"
        | "persistentvolumes"
        | "storageclasses"
        | "csinodes"
        | "csidrivers"
        | "csistoragecapacities"
        | "volumeattachments" => text!("Which nodes volumes allow is unknown."),
        "namespaces" => text!("Which namespaces a namespaceSelector selects is unknown."),
        "priorityclasses" => text!("The priority of new Pods is unknown."),
        "limitranges" | "resourcequotas" => {
            text!("Limits and quotas of namespaces are not applied.")
        }
        "poddisruptionbudgets" => text!("Which Pods budgets protect is unknown."),
        "runtimeclasses" => text!("What RuntimeClasses add to Pods is unknown."),
        "resourceclaims" | "resourceclaimtemplates" | "resourceslices" | "deviceclasses" => {
            text!("Which devices nodes have, and which are taken, is unknown.")
        }
        _ => return None,
    })
}
