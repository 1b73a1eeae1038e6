//! ServiceAccount admission (`plugin/pkg/admission/serviceaccount`, v1.36).
//!
//! `spec.serviceAccountName: default` is not stored: it is the meaning of none, as is the volume with the token, so
//! neither costs a Pod anything. [`with_account`] adds both to what is shown.

use k8s_openapi::api::core::v1::{Pod, PodSpec, ServiceAccount};
use serde_json::{Map, Value, json};

use super::AdmissionContext;
use crate::kubelet::static_pods::MIRROR;
use crate::server::{ApiServer, DEFAULT_ACCOUNT, ROOT_CA};
use crate::store::{Key, Object, namespace_of, uid_of};
use berth_base::json;

const VOLUME: &str = "kube-api-access-";
const MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// An hour, and seven seconds by which kubelets may be late.
const TOKEN_SECONDS: i64 = 3_607;
/// The letters of generated names (apimachinery `util/rand`).
const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

fn is_mirror(pod: &Pod) -> bool {
    let annotations = pod.metadata.annotations.as_ref();
    annotations.is_some_and(|all| all.contains_key(MIRROR))
}

/// Refuses a new Pod whose account does not exist, and gives the others the pull secrets of theirs.
///
/// # Errors
/// Why the Pod is forbidden.
pub(super) fn admit(pod: &mut Pod, cx: AdmissionContext<'_>) -> Result<(), String> {
    if pod.metadata.uid.is_some() || pod.metadata.resource_version.is_some() || is_mirror(pod) {
        return Ok(());
    }
    settle(pod);
    let namespace = namespace_of(&pod.metadata).to_owned();
    let spec = pod.spec.get_or_insert_default();
    let name = spec.service_account_name.as_deref();
    let key = Key::new(&namespace, name.unwrap_or(DEFAULT_ACCOUNT));
    let account = cx.store.service_accounts.get(&key);
    if let (Some(name), None) = (name, account) {
        return Err(format!(
            "error looking up service account {namespace}/{name}: serviceaccount {name:?} not found"
        ));
    }
    let has_secrets = |secrets: &Option<Vec<_>>| secrets.as_ref().is_some_and(|it| !it.is_empty());
    if let Some(account) = account.filter(|it| has_secrets(&it.image_pull_secrets))
        && !has_secrets(&spec.image_pull_secrets)
    {
        spec.image_pull_secrets
            .clone_from(&account.image_pull_secrets);
    }
    Ok(())
}

/// The old field means the new one, and the default account is not named.
pub(super) fn settle(pod: &mut Pod) {
    let Some(spec) = &mut pod.spec else { return };
    let old = spec.service_account.take();
    let named = spec.service_account_name.take().filter(|it| !it.is_empty());
    let is_named = |name: &String| !name.is_empty() && name != DEFAULT_ACCOUNT;
    spec.service_account_name = named.or(old).filter(is_named);
}

/// A spec as the API server has it: with the name of its account.
pub(super) fn shown_spec(spec: &PodSpec) -> Value {
    let mut value = json::value(spec);
    if spec.service_account_name.is_none()
        && let Some(spec) = value.as_object_mut()
    {
        spec.insert("serviceAccountName".to_owned(), DEFAULT_ACCOUNT.into());
    }
    value
}

/// A Pod as the API server shows it: with its account, and with the token that its containers mount.
pub fn with_account(pod: &Pod, api: &ApiServer) -> Value {
    let mut value = json::value(pod);
    let Some(Value::Object(spec)) = value.get_mut("spec") else {
        return value;
    };
    if is_mirror(pod) || !api.admits() {
        return value;
    }
    let named = spec.get("serviceAccountName").and_then(Value::as_str);
    let name = named.unwrap_or(DEFAULT_ACCOUNT).to_owned();
    for field in ["serviceAccount", "serviceAccountName"] {
        spec.insert(field.to_owned(), name.clone().into());
    }
    let key = Key::new(namespace_of(&pod.metadata), &name);
    let account = match api.get("ServiceAccount", &key) {
        Some(Object::ServiceAccount(account)) => Some(account),
        _ => None,
    };
    if mounts_token(spec, account.as_deref()) {
        mount(spec, uid_of(&pod.metadata));
    }
    value
}

/// The Pod's wish counts, then its account's.
fn mounts_token(spec: &Map<String, Value>, account: Option<&ServiceAccount>) -> bool {
    let own = spec
        .get("automountServiceAccountToken")
        .and_then(Value::as_bool);
    let of_account = account.and_then(|account| account.automount_service_account_token);
    own.or(of_account).unwrap_or(true)
}

fn mount(spec: &mut Map<String, Value>, uid: &str) {
    let given = spec.get("volumes").and_then(Value::as_array);
    let names = given
        .into_iter()
        .flatten()
        .filter_map(|it| it.get("name")?.as_str());
    let known = names.into_iter().find(|name| name.starts_with(VOLUME));
    let name = known.map_or_else(|| volume_name(uid), str::to_owned);
    let is_new = known.is_none();
    let mut is_needed = false;
    for list in ["initContainers", "containers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            is_needed |= mount_in(container, &name);
        }
    }
    if is_needed && is_new {
        let volumes = spec
            .entry("volumes")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(volumes) = volumes {
            volumes.push(volume(&name));
        }
    }
}

/// Mounts the token unless something else is mounted there; whether it did.
fn mount_in(container: &mut Value, name: &str) -> bool {
    let Some(container) = container.as_object_mut() else {
        return false;
    };
    let mounts = container
        .entry("volumeMounts")
        .or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(mounts) = mounts else {
        return false;
    };
    if mounts.iter().any(|mount| mount["mountPath"] == MOUNT_PATH) {
        return false;
    }
    mounts.push(json!({"name": name, "readOnly": true, "mountPath": MOUNT_PATH}));
    true
}

fn volume(name: &str) -> Value {
    json!({
        "name": name,
        "projected": {
            "defaultMode": 420,
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": TOKEN_SECONDS, "path": "token"}},
                {"configMap": {"name": ROOT_CA, "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [{
                    "path": "namespace",
                    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                }]}},
            ],
        },
    })
}

/// The name of a Pod's token volume: as drawn as any, and the same each time.
fn volume_name(uid: &str) -> String {
    let mut hash = uid.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut name = VOLUME.to_owned();
    for _ in 0..5 {
        let index = usize::try_from(hash % 27).unwrap_or_default();
        hash /= 27;
        name.extend(LETTERS.get(index).map(|letter| char::from(*letter)));
    }
    name
}

/// Takes what [`with_account`] added out of a Pod that was shown, so that it can be written back.
pub fn without_account(pod: &mut Value) {
    let uid = pod.pointer("/metadata/uid").and_then(Value::as_str);
    let name = uid.map(volume_name);
    let Some(Value::Object(spec)) = pod.get_mut("spec") else {
        return;
    };
    let Some(name) = name else { return };
    let is_own = |it: &Value| it["name"] == name.as_str();
    for list in ["initContainers", "containers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            take_out(container.as_object_mut(), "volumeMounts", &is_own);
        }
    }
    take_out(Some(spec), "volumes", &is_own);
}

/// Removes items of a list, and the list if none is left.
fn take_out(owner: Option<&mut Map<String, Value>>, list: &str, is_out: &dyn Fn(&Value) -> bool) {
    let Some(owner) = owner else { return };
    let Some(Value::Array(items)) = owner.get_mut(list) else {
        return;
    };
    items.retain(|item| !is_out(item));
    if items.is_empty() {
        owner.shift_remove(list);
    }
}
