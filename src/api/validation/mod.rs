//! Validation of objects with the API server's wording (Kubernetes v1.34).
//!
//! Covers what scheduling touches. Objects come as their documents give them, before defaulting:
//! a field that is missing and has a default is fine. Errors come in the API server's order,
//! except that maps are walked by key.

pub mod affinity;
pub mod field;
pub mod metadata;
pub mod names;
pub mod node;
pub mod pdb;
pub mod pod;
pub mod priority;
pub mod resources;
pub mod scenario;
pub mod selector;
pub mod spread;
pub mod tolerations;
pub mod volumes;
pub mod workloads;

#[cfg(test)]
mod tests;

use super::object::Manifest;
use field::{FieldError, Path};
use metadata::{Naming, object_meta};

pub use field::ErrorKind;

/// Errors found so far.
type Errors = Vec<FieldError>;

/// Everything for which the API server would reject the object; nothing if it would take it.
///
/// A `KubeSchedulerConfiguration` is not the API server's business: `api::config` checks it.
pub fn validate(object: &Manifest) -> Vec<FieldError> {
    let mut errors = Errors::new();
    let e = &mut errors;
    match object {
        Manifest::Node(node) => node::node(node, e),
        Manifest::Pod(pod) => pod::pod(pod, e),
        Manifest::Namespace(o) => object_meta(&o.metadata, Naming::Label, e),
        Manifest::PriorityClass(class) => priority::priority_class(class, e),
        Manifest::PodDisruptionBudget(budget) => pdb::disruption_budget(budget, e),
        Manifest::Service(service) => {
            object_meta(&service.metadata, Naming::Label1035, e);
            let selector = service
                .spec
                .as_ref()
                .and_then(|spec| spec.selector.as_ref());
            metadata::labels(&Path::root().child("spec").child("selector"), selector, e);
        }
        Manifest::ReplicaSet(set) => workloads::replica_set(set, e),
        Manifest::ReplicationController(controller) => {
            workloads::replication_controller(controller, e);
        }
        Manifest::StatefulSet(set) => workloads::stateful_set(set, e),
        Manifest::Deployment(deployment) => workloads::deployment(deployment, e),
        Manifest::DaemonSet(set) => workloads::daemon_set(set, e),
        Manifest::Job(job) => workloads::job(job, e),
        Manifest::CronJob(job) => workloads::cron_job(job, e),
        Manifest::PersistentVolume(volume) => volumes::persistent_volume(volume, e),
        Manifest::PersistentVolumeClaim(claim) => volumes::persistent_volume_claim(claim, e),
        Manifest::StorageClass(class) => volumes::storage_class(class, e),
        Manifest::CsiNode(node) => volumes::csi_node(node, e),
        Manifest::CsiDriver(o) => object_meta(&o.metadata, Naming::Subdomain, e),
        Manifest::LimitRange(o) => object_meta(&o.metadata, Naming::Subdomain, e),
        Manifest::ResourceQuota(o) => object_meta(&o.metadata, Naming::Subdomain, e),
        Manifest::Scenario(scenario) => scenario::scenario(scenario, e),
        Manifest::SchedulerConfiguration(_) | Manifest::Script(_) => {}
    }
    errors
}

/// Reports one error for each thing that is wrong with a value.
fn invalid_each(path: &Path, value: &str, details: Vec<String>, errors: &mut Errors) {
    errors.extend(
        details
            .iter()
            .map(|detail| FieldError::invalid(path, value, detail)),
    );
}

/// A number that may not be negative.
fn non_negative<N>(path: &Path, number: Option<N>, errors: &mut Errors)
where
    N: Copy + Into<i64>,
{
    if let Some(number) = number.map(Into::<i64>::into).filter(|number| *number < 0) {
        errors.push(FieldError::invalid(
            path,
            number,
            "must be greater than or equal to 0",
        ));
    }
}

/// A word that must be one of a few; missing is fine.
fn one_of(path: &Path, word: Option<&String>, supported: &[&str], errors: &mut Errors) {
    if let Some(word) = word.filter(|word| !supported.contains(&word.as_str())) {
        errors.push(FieldError::not_supported(path, word, supported));
    }
}
