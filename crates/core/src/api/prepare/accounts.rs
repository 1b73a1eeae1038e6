//! ServiceAccounts that Pods or templates name and the manifests lack. Scheduling goes on without them; a cluster
//! would refuse the Pods.

use std::collections::BTreeSet;

use berth_protocol::remark::Remark;
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::api::infer::account_of;
use crate::api::load::Document;
use crate::api::meta::{is_from_cluster, name_of, namespace_or_default};
use crate::api::object::Manifest;

use super::issue::Issue;

/// A warning for the first document that names each missing account. `inferred`: what Pods of a dump imply.
pub(super) fn missing(
    written: &[&Manifest],
    inferred: &[Manifest],
    documents: &[Document],
) -> Vec<Issue> {
    let known = written.iter().copied().chain(inferred);
    let known = known.filter_map(|object| match object {
        Manifest::ServiceAccount(account) => {
            let meta = &account.metadata;
            Some((namespace_or_default(meta), name_of(meta)))
        }
        _ => None,
    });
    let mut known: BTreeSet<(&str, &str)> = known.collect();
    let mut issues = Vec::new();
    for document in documents {
        let Some((meta, spec, path)) = document.object.as_deref().and_then(naming) else {
            continue;
        };
        let Some(name) = account_of(spec) else {
            continue;
        };
        if !is_from_cluster(meta) && known.insert((namespace_or_default(meta), name)) {
            issues.push(warning(document.index, path, name));
        }
    }
    issues
}

/// The metadata, the Pod's spec and the path of its account.
fn naming(object: &Manifest) -> Option<(&ObjectMeta, &PodSpec, &'static str)> {
    const OF_TEMPLATE: &str = "spec.template.spec.serviceAccountName";
    macro_rules! template {
        ($it:expr) => {
            (
                &$it.metadata,
                $it.spec.as_ref()?.template.spec.as_ref()?,
                OF_TEMPLATE,
            )
        };
    }
    Some(match object {
        Manifest::Pod(it) => (&it.metadata, it.spec.as_ref()?, "spec.serviceAccountName"),
        Manifest::Deployment(it) => template!(it),
        Manifest::StatefulSet(it) => template!(it),
        Manifest::DaemonSet(it) => template!(it),
        Manifest::Job(it) => template!(it),
        Manifest::ReplicaSet(it) => {
            let template = it.spec.as_ref()?.template.as_ref()?;
            (&it.metadata, template.spec.as_ref()?, OF_TEMPLATE)
        }
        Manifest::CronJob(it) => {
            let job = it.spec.job_template.spec.as_ref()?;
            let path = "spec.jobTemplate.spec.template.spec.serviceAccountName";
            (&it.metadata, job.template.spec.as_ref()?, path)
        }
        _ => return None,
    })
}

/// Cold: kept out of the first download.
#[inline(never)]
fn warning(document: u32, path: &str, name: &str) -> Issue {
    let message = Remark::no_account(format!("{name:?}"));
    Issue::warning(document, path, message).with_help(Remark::add_account())
}
