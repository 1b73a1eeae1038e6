//! Kinds that are kept and that nothing here acts upon: accounts, roles, network policies, webhooks, definitions.

mod flow;
mod network;
mod rbac;
mod registration;
mod runtime;
mod webhooks;

pub use flow::{flow_schema, priority_level};
pub use network::{ingress, ingress_class, network_policy};
pub use rbac::{cluster_role, cluster_role_binding, role, role_binding};
pub use registration::{api_service, definition, signing_request};
pub use runtime::{
    attachment, attributes_class, lease, pod_template, runtime_class, service_account,
};
pub use webhooks::{mutating_webhooks, policy, policy_binding, validating_webhooks};

use super::{Errors, invalid_each};
use berth_scheduler::field::{FieldError, Path};

/// What is wrong with a number that is no port.
const NO_PORT: &str = "must be between 1 and 65535, inclusive";

/// Reports a name that is empty, or that breaks the rule of names.
fn name_of(path: &Path, name: &str, rule: fn(&str) -> Vec<String>, errors: &mut Errors) {
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
    } else {
        invalid_each(path, name, rule(name), errors);
    }
}

/// Whether a list names everything.
fn has_wildcard(words: &[String]) -> bool {
    words.iter().any(|word| word == "*")
}

/// A list that may be absent.
fn listed<T>(list: &Option<Vec<T>>) -> &[T] {
    list.as_deref().unwrap_or_default()
}
