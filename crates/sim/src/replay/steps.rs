//! The one interpreter of a script's steps. What an act does to the objects depends on the cluster ([`Objects`]); its
//! line in the record and its refusal do not.

use berth_core::api::decode::Finding;
use berth_core::api::object::Manifest;
use berth_core::api::script::{Act, Operation, Verb};

use super::key::ObjectKey;

/// Why an act was refused; paths begin at the manifest.
pub(super) type Refusal = Vec<Finding>;

/// The objects of a cluster, as a script changes them.
pub(super) trait Objects {
    fn create(&mut self, key: &ObjectKey, object: &Manifest) -> Result<(), Refusal>;
    /// Replaces an object with the manifest; fields that only the system writes stay. `false` if there is no such
    /// object.
    fn update(&mut self, key: &ObjectKey, object: &Manifest) -> Result<bool, Refusal>;
    /// `false` if there is no such object.
    fn delete(&mut self, key: &ObjectKey) -> bool;
    /// Returns what `kubectl` prints in addition to its success message.
    fn operate(&mut self, operation: &Operation) -> Result<Vec<String>, String>;
}

/// Performs one act, and returns its line in the record: `create Pod default/web`.
///
/// # Errors
/// Why the API server refuses, by path in the script.
pub(super) fn act(objects: &mut dyn Objects, act: &Act) -> Result<Vec<String>, Vec<Finding>> {
    let line = match &act.verb {
        Verb::Create(object) => match ObjectKey::of(object) {
            Some(key) => {
                let created = objects.create(&key, object);
                created.map_err(|refusal| in_script(act, refusal))?;
                format!("create {}", key.text())
            }
            None => return Ok(Vec::new()),
        },
        Verb::Update(object) => match ObjectKey::of(object) {
            Some(key) => {
                let updated = objects.update(&key, object);
                match updated.map_err(|refusal| in_script(act, refusal))? {
                    true => format!("update {}", key.text()),
                    false => format!("absent {}", key.text()),
                }
            }
            None => return Ok(Vec::new()),
        },
        Verb::Delete(name) => {
            let key = ObjectKey::new(&name.kind, &name.namespace, &name.name);
            match objects.delete(&key) {
                true => format!("delete {}", key.text()),
                false => format!("absent {}", key.text()),
            }
        }
        Verb::Operate { operation, text } => {
            let printed = objects.operate(operation);
            let printed = printed.map_err(|message| vec![Finding::error(&*act.path, message)])?;
            return Ok([text.clone()].into_iter().chain(printed).collect());
        }
    };
    Ok(vec![line])
}

fn in_script(act: &Act, refusal: Refusal) -> Vec<Finding> {
    refusal
        .into_iter()
        .map(|finding| Finding {
            path: match finding.path.is_empty() {
                true => act.path.clone(),
                false => format!("{}.{}", act.path, finding.path),
            },
            ..finding
        })
        .collect()
}
