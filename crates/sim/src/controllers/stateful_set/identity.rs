//! The identity of a StatefulSet's Pod: name, ordinal, claims.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};

use super::{Sync, Version};
use crate::audit_log::Level;
use crate::controllers::template::{pod_of, submit};
use crate::server::ApiError;
use crate::store::{Key, name_of};
use berth_core::api::workloads;

/// The ordinal in a Pod's name; `None` if the name does not belong to this set.
pub(super) fn ordinal(set: &StatefulSet, pod: &Pod) -> Option<i32> {
    let (parent, number) = name_of(&pod.metadata).rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (parent == name_of(&set.metadata) && is_number).then(|| number.parse().ok())?
}

/// Whether the Pod's name belongs to this set.
pub(super) fn is_member(set: &StatefulSet, pod: &Pod) -> bool {
    ordinal(set, pod).is_some()
}

impl Sync<'_> {
    /// A new Pod with this ordinal, of the current or the update revision.
    pub(super) fn new_pod(&self, ordinal: i32) -> Pod {
        let keeps =
            self.is_rolling_update() && ordinal < self.start().saturating_add(self.partition());
        let version = if keeps {
            &self.revisions.current
        } else {
            &self.revisions.update
        };
        self.pod_of_version(ordinal, version)
    }

    fn pod_of_version(&self, ordinal: i32, version: &Version) -> Pod {
        let set = &**self.set;
        let mut pod = pod_of(set, &version.template);
        let labels = pod.metadata.labels.get_or_insert_default();
        let spec = pod.spec.get_or_insert_default();
        let number = (ordinal, version.name());
        let name = workloads::identify(set, &self.spec, number, (labels, spec));
        pod.metadata.generate_name = None;
        pod.metadata.name = Some(name);
        pod
    }

    /// The claims of the Pod with this ordinal, by volume name.
    pub(super) fn claims(&self, ordinal: i32) -> Vec<(String, PersistentVolumeClaim)> {
        workloads::stateful_claims(&self.set.metadata, &self.spec, ordinal)
    }

    /// Creates a Pod and its missing claims.
    pub(super) fn create(&mut self, pod: Pod) -> Result<(), ApiError> {
        let name = name_of(&pod.metadata).to_owned();
        let claims = match ordinal(self.set, &pod) {
            Some(ordinal) => self.create_claims(ordinal, &name),
            None => Ok(()),
        };
        let outcome = claims.and_then(|()| submit(pod, self.api));
        let outcome = match outcome {
            Ok(pod) => self.own_claims(&pod, false).map(drop),
            Err(error) => Err(error),
        };
        self.record_outcome("Create", &name, outcome.as_ref().err());
        outcome
    }

    /// Creates the missing claims of an ordinal. Returns the last failure; a terminating claim is one, too.
    pub(super) fn create_claims(&mut self, ordinal: i32, pod: &str) -> Result<(), ApiError> {
        let mut outcome = Ok(());
        for (_, claim) in self.claims(ordinal) {
            let key = Key::of(&claim.metadata);
            let created = match self.api.store().claims.get(&key) {
                None => self.api.create(claim).map(drop),
                Some(there) if there.metadata.deletion_timestamp.is_some() => {
                    let message = "the claim is being deleted";
                    outcome = Err(ApiError::Internal { message });
                    continue;
                }
                Some(_) => continue,
            };
            let (set, claim) = (name_of(&self.set.metadata), key.name());
            let verb = self.verb("Create");
            match created {
                Ok(()) => {
                    let message =
                        format!("{verb} Claim {claim} Pod {pod} in StatefulSet {set} success");
                    self.event(Level::Normal, "SuccessfulCreate", message);
                }
                Err(error) => {
                    let message = format!(
                        "{verb} Claim {claim} for Pod {pod} in StatefulSet {set} failed error: {error}"
                    );
                    self.event(Level::Warning, "FailedCreate", message);
                    outcome = Err(error);
                }
            }
        }
        outcome
    }
}
