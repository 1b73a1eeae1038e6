//! Prepares manifests for the scheduler, in the role of the API server and the controllers.
//!
//! Mirrors what happens between `kubectl apply` and the first scheduling attempt in Kubernetes
//! v1.34: names, defaults, admission, the binding of volumes, the status of budgets, and optionally
//! the Pods of workloads.

mod accounts;
mod admission;
pub mod devices;
mod disabled;
mod empty;
mod expand;
mod gather;
mod issue;
mod lacking;
mod limits;
mod match_labels;
mod meta;
pub mod node_fit;
pub mod nodes;
mod pods;
mod policies;
mod priority;
pub mod quota;
mod request;
pub(crate) mod resources;
mod runtime_class;
pub mod storage;
mod tolerations;
mod topology_labels;

use std::collections::BTreeSet;

use crate::api::controllers::disruption::DisruptionBudgets;
use crate::api::controllers::volumes::bind_volumes;
use crate::api::decode::Finding;
use crate::api::infer::{Exist, NO_DOCUMENT, infer};
use crate::api::load::{Document, Loaded};
use crate::api::object::Manifest;
use crate::api::prepared::{DocumentIndex, Prepared};
use crate::api::problem::{Problem, Severity};

use admission::Admission;
use berth_protocol::defaults::Edition;
use berth_scheduler::release::{Choice, ChoiceProblem, Release};
use expand::Controllers;
use gather::{Gathered, PodSource, gather};
use issue::Issue;
use quota::Quotas;

pub use disabled::drop_disabled_fields;
pub use expand::ephemeral_claims;
pub use limits::set_limit_defaults;
pub use meta::{FIRST_DOCUMENT_MS, made_uid};

pub use nodes::settle_node;
pub use policies::PodPolicies;
pub use tolerations::add_default_tolerations;
pub use topology_labels::{TOPOLOGY_LABELS, add_topology_labels, labels_on};

/// Options of the preparation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrepareOptions {
    /// The release to follow, if not the Scenario's or the default.
    pub release: Choice,
    /// Whether to create the Pods of workloads.
    pub expand_workloads: bool,
    /// Whose rules for names hold.
    pub edition: Edition,
}

/// Prepares the loaded objects; the problems are those of objects that the API server would reject.
///
/// Objects keep document order. A rejected object is left out.
pub fn prepare(loaded: &Loaded, options: &PrepareOptions) -> (Prepared, Vec<Problem>) {
    let documents = &loaded.documents;
    let objects = documents.iter().filter_map(|document| {
        document
            .object
            .as_deref()
            .map(|object| (document.index, object))
    });
    let (release, mut problems) = choose_release(loaded, &options.release);
    let written: Vec<&Manifest> = objects.clone().map(|(_, object)| object).collect();
    let inferred = infer(&written, &BTreeSet::new(), Exist::Dumped);
    // Without controllers only what the files have is there; a simulated cluster infers by itself.
    let added = inferred.objects.iter().filter(|_| options.expand_workloads);
    let objects = objects.chain(added.map(|object| (NO_DOCUMENT, object)));
    let (lacking, mut warnings) = lacking::lacking(objects.clone());
    warnings.extend(accounts::missing(&written, &inferred.objects, documents));
    let (mut prepared, issues) = prepare_objects(objects, release, options);
    prepared.lacking = lacking;
    prepared.inferred = inferred.owners;
    prepared.assumed = inferred.assumed;
    forget_restored(&mut prepared);
    if !options.expand_workloads {
        devices::plain_uids(&mut prepared);
    }
    devices::settle_pods(&mut prepared);
    problems.extend(issues.into_iter().chain(warnings).filter_map(
        |Issue { document, finding }| {
            let document = documents.get(usize::try_from(document).ok()?)?;
            Some(loaded.problem(&document.source, finding))
        },
    ));
    (prepared, problems)
}

/// A ReplicaSet that was restored from its Deployment is no longer a mere inference.
fn forget_restored(prepared: &mut Prepared) {
    let sets = prepared.replica_sets.iter();
    let owned = sets.filter(|set| set.metadata.owner_references.is_some());
    let restored: BTreeSet<(&str, &str)> = owned
        .map(|set| {
            (
                meta::namespace_of(&set.metadata),
                meta::name_of(&set.metadata),
            )
        })
        .collect();
    prepared.inferred.retain(|owner| {
        owner.kind != "ReplicaSet" || !restored.contains(&(&*owner.namespace, &*owner.name))
    });
}

/// The release that the options and the first Scenario amount to.
pub fn choose_release(loaded: &Loaded, choice: &Choice) -> (Release, Vec<Problem>) {
    let found = loaded.documents.iter().find_map(|document| {
        let Some(Manifest::Scenario(scenario)) = document.object.as_deref() else {
            return None;
        };
        Some((document, &**scenario))
    });
    let (release, problems) = choice.resolve(
        found.and_then(|(_, scenario)| scenario.kubernetes.as_deref()),
        found.and_then(|(_, scenario)| scenario.feature_gates.as_ref()),
    );
    let scenario = found.map(|(document, _)| document);
    let problems = problems.into_iter();
    let problems = problems.map(|problem| problem_of_choice(loaded, scenario, problem));
    (release, problems.collect())
}

/// A problem of the choice of a release, located if a Scenario made it. Cold: kept out of the first download.
#[inline(never)]
fn problem_of_choice(
    loaded: &Loaded,
    scenario: Option<&Document>,
    choice: ChoiceProblem,
) -> Problem {
    let ChoiceProblem { field, problem } = choice;
    let severity = match problem.is_error {
        true => Severity::Error,
        false => Severity::Warning,
    };
    match (scenario, field) {
        (Some(document), Some(path)) => {
            let finding = Finding {
                severity,
                ..Finding::error(path, problem.message).help(problem.help)
            };
            loaded.problem(&document.source, finding)
        }
        _ => Problem {
            severity,
            file: "--feature-gates".to_owned(),
            line: 0,
            column: 0,
            path: String::new(),
            message: problem.message,
            help: problem.help,
            is_missing: false,
            unlisted: 0,
        },
    }
}

/// Prepares one more object for a cluster of `release` with the objects `others`, of which admission reads
/// PriorityClasses, StorageClasses, LimitRanges, ResourceQuotas, and the Pods that count against
/// quotas.
///
/// # Errors
/// The reasons why the API server would reject the object.
pub fn prepare_one<'a>(
    release: Release,
    object: &'a Manifest,
    others: impl Iterator<Item = &'a Manifest>,
) -> Result<Prepared, Vec<Finding>> {
    // The object comes last, because existing objects count against quotas first.
    let mut objects: Vec<&Manifest> = others.collect();
    let document = DocumentIndex::try_from(objects.len()).unwrap_or(DocumentIndex::MAX);
    objects.push(object);
    let (mut prepared, issues) =
        prepare_objects((0..).zip(objects), release, &PrepareOptions::default());
    let refused: Vec<Finding> = issues
        .into_iter()
        .filter(|issue| issue.document == document)
        .map(|issue| issue.finding)
        .filter(|finding| finding.severity == Severity::Error)
        .collect();
    prepared.pods.retain(|pod| pod.document == document);
    if refused.is_empty() {
        Ok(prepared)
    } else {
        Err(refused)
    }
}

fn prepare_objects<'a>(
    objects: impl Iterator<Item = (DocumentIndex, &'a Manifest)>,
    release: Release,
    options: &PrepareOptions,
) -> (Prepared, Vec<Issue>) {
    let Gathered {
        mut prepared,
        mut pod_sources,
        priority_classes,
        runtime_classes,
        limit_ranges,
        resource_quotas,
        mut issues,
        generated,
        ..
    } = gather(objects, release, options.edition);
    // Inferred workloads have their Pods; only added nodes lack those of DaemonSets.
    pod_sources.retain(|(document, source)| {
        *document != NO_DOCUMENT || matches!(source, PodSource::DaemonSet(_))
    });
    admit_claims(&mut prepared);
    let mut admission = Admission::new(
        release,
        &prepared.nodes,
        PodPolicies::new(
            priority_classes.iter(),
            runtime_classes.iter(),
            limit_ranges,
        ),
        Quotas::new(&resource_quotas),
    );
    let mut controllers = Controllers::new(
        &mut prepared,
        &mut admission,
        &mut issues,
        &pod_sources,
        (generated, options.edition),
    );
    controllers.create_pods(&pod_sources, options.expand_workloads);
    settle_cluster(&mut prepared);
    (prepared, issues)
}

fn admit_claims(prepared: &mut Prepared) {
    let default_class = storage::default_class(&prepared.storage_classes);
    for claim in &mut prepared.persistent_volume_claims {
        storage::admit_claim(claim, default_class);
    }
}

/// Does what controllers do before the first scheduling attempt.
fn settle_cluster(prepared: &mut Prepared) {
    bind_volumes(
        &mut prepared.persistent_volumes,
        &mut prepared.persistent_volume_claims,
        &prepared.storage_classes,
    );
    let budgets = std::mem::take(&mut prepared.disruption_budgets);
    prepared.disruption_budgets = DisruptionBudgets::new(budgets, &prepared.pods).with_status();
}

#[cfg(test)]
mod tests;
