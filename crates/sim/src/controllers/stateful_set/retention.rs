//! Which claims of a StatefulSet go with it, or with a Pod that it no longer wants (`updateClaimOwnerRefForSetAndPod`):
//! the garbage collector deletes a claim after its owner.

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::Sync;
use super::identity::ordinal;
use crate::audit_log::Level;
use crate::server::ApiError;
use crate::store::{Key, name_of};
use berth_core::api::meta::reference;

impl Sync<'_> {
    fn deletes(&self, when_scaled: bool) -> bool {
        let policy = self.spec.persistent_volume_claim_retention_policy.as_ref();
        let wish = policy.and_then(|policy| match when_scaled {
            true => policy.when_scaled.as_deref(),
            false => policy.when_deleted.as_deref(),
        });
        wish == Some("Delete")
    }

    /// Writes who owns the claims of a Pod; whether that changed any.
    pub(super) fn own_claims(&mut self, pod: &Pod, is_surplus: bool) -> Result<bool, ApiError> {
        let Some(ordinal) = ordinal(self.set, pod) else {
            return Ok(false);
        };
        let mut changed = false;
        for (_, claim) in self.claims(ordinal) {
            let key = Key::of(&claim.metadata);
            let Some(claim) = self.api.store().claims.get(&key).cloned() else {
                continue;
            };
            changed |= self.own_claim(&claim, pod, is_surplus)?;
        }
        Ok(changed)
    }

    fn own_claim(
        &mut self,
        claim: &PersistentVolumeClaim,
        pod: &Pod,
        is_surplus: bool,
    ) -> Result<bool, ApiError> {
        let given = claim.metadata.owner_references.clone().unwrap_or_default();
        let [of_set, of_pod] = [reference(&**self.set), reference(pod)];
        let is_ours = |own: &OwnerReference| is_same(own, &of_set) || is_same(own, &of_pod);
        let has_policy = self.deletes(true) || self.deletes(false);
        let is_foreign = |own: &OwnerReference| match is_ours(own) {
            true => {
                let ours = if is_same(own, &of_set) {
                    &of_set
                } else {
                    &of_pod
                };
                own.uid != ours.uid
            }
            false => own.controller == Some(true),
        };
        let is_taken = has_policy && given.iter().any(is_foreign);
        if is_taken {
            let name = name_of(&claim.metadata);
            let message = format!(
                "PersistentVolumeClaim {name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim"
            );
            self.event(Level::Warning, "ConflictingController", message);
        }
        let wanted = if is_taken {
            None
        } else if is_surplus && self.deletes(true) {
            Some(&of_pod)
        } else if self.deletes(false) && !(is_surplus && self.deletes(true)) {
            Some(&of_set)
        } else {
            None
        };
        let is_wanted = |own: &OwnerReference| Some(own) == wanted;
        let has_others = given.iter().any(|own| is_ours(own) && !is_wanted(own));
        let is_missing = wanted.is_some() && !given.iter().any(is_wanted);
        if !has_others && !is_missing {
            return Ok(false);
        }
        let kept = given.into_iter().filter(|own| !is_ours(own));
        let owners: Vec<OwnerReference> = kept.chain(wanted.cloned()).collect();
        let mut claim = claim.clone();
        claim.metadata.owner_references = (!owners.is_empty()).then_some(owners);
        self.api.update(claim)?;
        Ok(true)
    }
}

/// Whether both refer to an object of the same kind and name.
fn is_same(a: &OwnerReference, b: &OwnerReference) -> bool {
    a.api_version == b.api_version && a.kind == b.kind && a.name == b.name
}
