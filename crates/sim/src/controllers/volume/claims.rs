//! Syncs one claim: binds it, provisions a volume for it, or marks it as lost.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::api::storage::v1::StorageClass;

use super::binding::{
    BOUND_BY_CONTROLLER, annotate, annotation, bind, claim_ref, is_complete, is_for,
    set_claim_phase,
};
use super::provision::STORAGE_PROVISIONER;
use super::{SELECTED_NODE, VolumeController, Work, provision, reserve};
use crate::audit_log::{Event, Level};
use crate::pod_util;
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, name_of, namespace_of};
use berth_core::api::controllers::volumes::{best_volume, mismatch};
use berth_scheduler::volumes::{bound_volume, class_of_claim};

/// The provisioner of classes without dynamic provisioning.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

impl VolumeController {
    pub(super) fn sync_claim(
        &mut self,
        claim: &Arc<PersistentVolumeClaim>,
        api: &mut ApiServer,
    ) -> Result<(), ApiError> {
        if is_complete(claim) {
            return sync_bound(claim, api);
        }
        match bound_volume(claim) {
            Some(name) => sync_named(claim, name, api),
            None => self.sync_unnamed(claim, api),
        }
    }

    fn sync_unnamed(
        &mut self,
        claim: &Arc<PersistentVolumeClaim>,
        api: &mut ApiServer,
    ) -> Result<(), ApiError> {
        let class = Key::new("", class_of_claim(claim));
        let class = api.store().storage_classes.get(&class).cloned();
        let waits = class.as_ref().is_some_and(|class| {
            class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer")
        });
        let volumes = || api.store().volumes.iter();
        let set_aside = volumes().find(|volume| is_for(volume, claim)).cloned();
        let found = match set_aside {
            None if !waits => best_volume(claim, volumes().map(AsRef::as_ref)).cloned(),
            found => found.map(|volume| (*volume).clone()),
        };
        if let Some(volume) = found {
            return bind(&volume, claim, api);
        }
        let selected = annotation(&claim.metadata, SELECTED_NODE);
        if waits && selected.is_none() {
            record_waiting(claim, api);
        } else if selected.is_none() && !self.provisions_at_once {
            // Its provisioner has failed before.
        } else if !class_of_claim(claim).is_empty() {
            return self.provision(claim, class.as_deref(), api);
        } else {
            let message =
                "no persistent volumes available for this claim and no storage class is set";
            api.event(Event::new(
                &**claim,
                Level::Normal,
                "FailedBinding",
                message,
            ));
        }
        set_claim_phase(claim, "Pending", api)
    }

    fn provision(
        &mut self,
        claim: &Arc<PersistentVolumeClaim>,
        class: Option<&StorageClass>,
        api: &mut ApiServer,
    ) -> Result<(), ApiError> {
        let problem = match class {
            None => {
                let name = class_of_claim(claim);
                Some(format!("storageclass.storage.k8s.io {name:?} not found"))
            }
            Some(class) if class.provisioner == NO_PROVISIONER => {
                Some(format!("no volume plugin matched name: {NO_PROVISIONER}"))
            }
            Some(_) => None,
        };
        let (Some(class), None) = (class, &problem) else {
            let message = problem.unwrap_or_default();
            api.event(Event::new(
                &**claim,
                Level::Warning,
                "ProvisioningFailed",
                message,
            ));
            return set_claim_phase(claim, "Pending", api);
        };
        let key = Key::of(&claim.metadata);
        match self.is_done(&key, api.now_ms()) {
            Work::Begins => begin(claim, class, api),
            Work::Goes => Ok(()),
            Work::Done => provision::create(claim, class, api),
        }
    }
}

/// Requests a volume from the external provisioner.
fn begin(
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let provisioner = &class.provisioner;
    let mut asked = claim.clone();
    for key in STORAGE_PROVISIONER {
        annotate(&mut asked.metadata, key, provisioner);
    }
    let asked = api.update(asked)?;
    let message = format!(
        "Waiting for a volume to be created either by the external provisioner '{provisioner}' or \
         manually by the system administrator. If volume creation is delayed, please verify that the \
         provisioner is running and correctly registered."
    );
    api.event(Event::new(
        &*asked,
        Level::Normal,
        "ExternalProvisioning",
        message,
    ));
    let key = Key::of(&claim.metadata);
    let message = format!("External provisioner is provisioning volume for claim \"{key}\"");
    let event = Event::new(&*asked, Level::Normal, "Provisioning", message);
    api.event(event.at(provision::COMPONENT, ""));
    set_claim_phase(claim, "Pending", api)
}

/// Records an event on a claim that waits for its first consumer.
fn record_waiting(claim: &PersistentVolumeClaim, api: &mut ApiServer) {
    let namespace = namespace_of(&claim.metadata);
    let name = name_of(&claim.metadata);
    let waiting = |pod: &Arc<Pod>| {
        pod_util::node_of(pod).is_empty()
            && !pod_util::is_finished(pod)
            && reserve::claim_names(pod).any(|claimed| claimed == name)
    };
    let pods = api.store().pods.of_namespace(namespace);
    let pods = pods.filter(|pod| waiting(pod));
    let names: Vec<&str> = pods.map(|pod| name_of(&pod.metadata)).collect();
    let (reason, message) = match names.as_slice() {
        [] => (
            "WaitForFirstConsumer",
            "waiting for first consumer to be created before binding".to_owned(),
        ),
        [pod] => (
            "WaitForPodScheduled",
            format!("waiting for pod {pod} to be scheduled"),
        ),
        pods => (
            "WaitForPodScheduled",
            format!("waiting for pods {} to be scheduled", pods.join(",")),
        ),
    };
    api.event(Event::new(claim, Level::Normal, reason, message));
}

/// Syncs an unbound claim that names its volume.
fn sync_named(
    claim: &Arc<PersistentVolumeClaim>,
    name: &str,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let Some(volume) = api.store().volumes.get(&Key::new("", name)).cloned() else {
        return set_claim_phase(claim, "Pending", api);
    };
    if is_for(&volume, claim) {
        return bind(&volume, claim, api);
    }
    let problem = if claim_ref(&volume).is_none() {
        mismatch(&volume, claim).map(|why| {
            (
                "VolumeMismatch",
                format!("Cannot bind to requested volume {name:?}: {why}"),
            )
        })
    } else if annotation(&claim.metadata, BOUND_BY_CONTROLLER).is_some() {
        None
    } else {
        let message = format!("volume {name:?} already bound to a different claim.");
        Some(("FailedBinding", message))
    };
    match problem {
        None if claim_ref(&volume).is_none() => bind(&volume, claim, api),
        None => set_claim_phase(claim, "Pending", api),
        Some((reason, message)) => {
            api.event(Event::new(&**claim, Level::Warning, reason, message));
            set_claim_phase(claim, "Pending", api)
        }
    }
}

/// Syncs a bound claim, which is lost if its volume is missing or bound to another claim.
fn sync_bound(claim: &Arc<PersistentVolumeClaim>, api: &mut ApiServer) -> Result<(), ApiError> {
    let Some(name) = bound_volume(claim) else {
        let message =
            "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
        return lose(claim, "ClaimLost", message, api);
    };
    let volume: Option<Arc<PersistentVolume>> =
        api.store().volumes.get(&Key::new("", name)).cloned();
    match volume {
        None => {
            let message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
            lose(claim, "ClaimLost", message, api)
        }
        Some(volume) if claim_ref(&volume).is_none() || is_for(&volume, claim) => {
            bind(&volume, claim, api)
        }
        Some(_) => {
            let message = "Two claims are bound to the same volume, this one is bound incorrectly";
            lose(claim, "ClaimMisbound", message, api)
        }
    }
}

fn lose(
    claim: &PersistentVolumeClaim,
    reason: &'static str,
    message: &str,
    api: &mut ApiServer,
) -> Result<(), ApiError> {
    let status = claim.status.as_ref();
    let phase = status.and_then(|status| status.phase.as_deref());
    if phase != Some("Lost") {
        api.event(Event::new(claim, Level::Warning, reason, message));
    }
    set_claim_phase(claim, "Lost", api)
}
