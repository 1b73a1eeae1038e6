//! `--cascade=orphan`: what an object owns stays, without an owner.

use serde_json::Value;

use crate::kubectl::errors;
use crate::sim::server::ApiServer;
use crate::sim::store::{Key, uid_of};

/// Kinds that are owned.
const OWNED: [&str; 5] = [
    "Pod",
    "ReplicaSet",
    "ControllerRevision",
    "Job",
    "PersistentVolumeClaim",
];

/// Takes the owner's reference out of all that it owns.
///
/// # Errors
/// kubectl's line about a write that is refused.
pub(super) fn release(kind: &str, key: &Key, api: &mut ApiServer) -> Result<(), String> {
    let Some(owner) = api.store().get(kind, key) else {
        return Ok(());
    };
    let uid = uid_of(owner.metadata()).to_owned();
    for kind in OWNED {
        let all = api.store().list(kind).into_iter();
        let owned = all.filter(|object| {
            let owners = object.metadata().owner_references.as_deref();
            owners.unwrap_or_default().iter().any(|it| it.uid == uid)
        });
        let owned: Vec<Key> = owned.map(|object| Key::of(object.metadata())).collect();
        for key in owned {
            let released = api.change_object(kind, &key, &mut |object| {
                let owners = object.pointer_mut("/metadata/ownerReferences");
                if let Some(Value::Array(owners)) = owners {
                    owners.retain(|owner| owner.get("uid").is_none_or(|it| *it != uid.as_str()));
                }
                Ok(())
            });
            released.map_err(|error| errors::change(&error))?;
        }
    }
    Ok(())
}
