//! Pods: what the rules of their fields share, and the functions for what concerns several fields.

pub(super) mod containers;
pub(super) mod env;
pub(super) mod mounts;
pub(super) mod probes;
pub(super) mod security;
pub(super) mod spec;
pub(super) mod volumes;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::{Container, PersistentVolumeClaimVolumeSource, PodSpec, Volume};
use serde_json::Value;

use super::{Walk, read};
use crate::api::validation::Errors;
use berth_base::json;
use berth_scheduler::field::Path;

/// What contains a Pod's spec.
#[derive(Clone, Copy, Debug)]
pub enum Owner<'a> {
    /// A Pod with these labels and this name.
    Pod(&'a BTreeMap<String, String>, &'a str),
    /// A Pod in the API server, which has merged `matchLabelKeys` and `mismatchLabelKeys` into the selectors.
    StoredPod(&'a str),
    /// The template of a workload.
    Template,
    /// The template of a StatefulSet with these claim templates, which are volumes too.
    StatefulSetTemplate(&'a [String]),
}

impl Owner<'_> {
    fn is_pod(self) -> bool {
        matches!(self, Owner::Pod(..) | Owner::StoredPod(_))
    }

    /// The name of a Pod; empty if it has none, and of templates.
    fn name(&self) -> &str {
        match self {
            Owner::Pod(_, name) | Owner::StoredPod(name) => name,
            Owner::Template | Owner::StatefulSetTemplate(_) => "",
        }
    }
}

/// The spec that is walked.
pub(crate) struct Context<'a> {
    typed: &'a PodSpec,
    spec: &'a Value,
    path: &'a Path,
    owner: Owner<'a>,
    /// The names of the volumes without errors, and whether they can be block devices.
    volumes: RefCell<BTreeMap<String, bool>>,
    /// The list and the position of the container that is walked.
    container: RefCell<(&'static str, usize)>,
}

impl<'a> Context<'a> {
    /// The names of the Pod's claims.
    fn claims(&self) -> BTreeSet<&'a str> {
        let claims = read::list(self.spec, "resourceClaims").iter();
        claims
            .map(|claim| read::text(claim, "name"))
            .filter(|name| !name.is_empty())
            .collect()
    }

    /// The container that is walked.
    fn typed_container(&self) -> Option<&'a Container> {
        let (list, place) = *self.container.borrow();
        match list {
            "containers" => self.typed.containers.get(place),
            "initContainers" => self.typed.init_containers.as_ref()?.get(place),
            _ => None,
        }
    }

    /// The labels of a Pod whose keys are not merged into selectors yet.
    fn labels(&self) -> Option<&'a BTreeMap<String, String>> {
        match self.owner {
            Owner::Pod(labels, _) => Some(labels),
            _ => None,
        }
    }

    fn restart_policy(&self) -> &'a str {
        match read::text(self.spec, "restartPolicy") {
            "" => "Always",
            policy => policy,
        }
    }

    /// All containers with their paths, in the order in which they are visited (`VisitContainersWithPath`).
    fn visit(&self) -> impl Iterator<Item = (&'a Value, Path)> {
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        lists.into_iter().flat_map(|list| {
            let path = self.path.child(list);
            let items = read::list(self.spec, list).iter().enumerate();
            items.map(move |(place, container)| (container, path.index(place)))
        })
    }
}

thread_local! {
    /// The last stored spec without errors: the Pods of a template follow each other.
    static LAST_VALID: RefCell<Option<PodSpec>> = const { RefCell::new(None) };
}

/// Adds the errors of a Pod's spec or of that of a template. A spec that equals the last valid one is valid.
pub fn pod_spec(path: &Path, spec: &PodSpec, owner: Owner<'_>, errors: &mut Errors) {
    // The names of ephemeral volumes' claims depend on the Pod's name.
    let mut volumes = spec.volumes.iter().flatten();
    let is_kept = matches!(owner, Owner::StoredPod(_)) && volumes.all(|it| it.ephemeral.is_none());
    if is_kept && LAST_VALID.with_borrow(|last| last.as_ref() == Some(spec)) {
        return;
    }
    let found = errors.len();
    check(path, spec, owner, errors);
    if is_kept && errors.len() == found {
        LAST_VALID.replace(Some(spec.clone()));
    }
}

fn check(path: &Path, spec: &PodSpec, owner: Owner<'_>, errors: &mut Errors) {
    let with_claims;
    let spec = match owner {
        Owner::StatefulSetTemplate(claims) if !claims.is_empty() => {
            with_claims = add_claims(spec, claims);
            &with_claims
        }
        _ => spec,
    };
    let value = json::value(spec);
    let context = Context {
        typed: spec,
        spec: &value,
        path,
        owner,
        volumes: RefCell::default(),
        container: RefCell::new(("", 0)),
    };
    let mut walk = Walk {
        errors,
        pod: Some(&context),
    };
    walk.structure("PodSpec", &value, path);
}

/// The spec with the claims of a StatefulSet as volumes; hostname and subdomain are the controller's
/// (`ValidatePodTemplateSpecForStatefulSet`).
fn add_claims(spec: &PodSpec, claims: &[String]) -> PodSpec {
    let mut spec = spec.clone();
    spec.hostname = None;
    spec.subdomain = None;
    let own = spec.volumes.take().unwrap_or_default().into_iter();
    let own = own.filter(|volume| !claims.contains(&volume.name));
    let added = claims.iter().map(|name| Volume {
        name: name.clone(),
        persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
            claim_name: name.clone(),
            read_only: None,
        }),
        ..Volume::default()
    });
    spec.volumes = Some(added.chain(own).collect());
    spec
}
