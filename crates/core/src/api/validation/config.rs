//! ConfigMaps and Secrets (`ValidateConfigMap`, `ValidateSecret` of kube-apiserver v1.34).

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::Value;

use super::metadata::{Naming, object_meta};
use super::{Errors, invalid_each};
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::config_key_errors;

/// Maximum total size of the values of a ConfigMap or Secret.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The annotation that a Secret with a token needs.
const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";

/// Shown in messages instead of a Secret's value.
const REDACTED: &str = "<secret contents redacted>";

pub(super) fn config_map(map: &ConfigMap, errors: &mut Errors) {
    object_meta(&map.metadata, Naming::Subdomain, errors);
    let (text, binary) = (Path::root().child("data"), Path::root().child("binaryData"));
    let mut bytes = 0_usize;
    for (key, value) in map.data.iter().flatten() {
        let path = text.key(key);
        invalid_each(&path, key, config_key_errors(key), errors);
        let twin = map.binary_data.as_ref();
        if twin.is_some_and(|twin| twin.contains_key(key)) {
            let detail = "duplicate of key present in binaryData";
            errors.push(FieldError::invalid(&path, key.as_str(), detail));
        }
        bytes = bytes.saturating_add(value.len());
    }
    for (key, value) in map.binary_data.iter().flatten() {
        invalid_each(&binary.key(key), key, config_key_errors(key), errors);
        bytes = bytes.saturating_add(value.0.len());
    }
    if bytes > MAX_BYTES {
        errors.push(FieldError::too_long(&Path::root(), MAX_BYTES));
    }
}

/// Validates a Secret as written: entries of `stringData` override those of `data`.
pub(super) fn secret(secret: &Secret, errors: &mut Errors) {
    object_meta(&secret.metadata, Naming::Subdomain, errors);
    let path = Path::root().child("data");
    let text = secret.string_data.iter().flatten();
    let binary = secret.data.iter().flatten();
    let mut keys: Vec<&String> = text
        .clone()
        .map(|(key, _)| key)
        .chain(binary.clone().map(|(key, _)| key))
        .collect();
    berth_base::sort::sort(&mut keys);
    keys.dedup();
    let mut bytes = 0_usize;
    for key in keys {
        invalid_each(&path.key(key), key, config_key_errors(key), errors);
        bytes = bytes.saturating_add(value_of(secret, key).map_or(0, <[u8]>::len));
    }
    if bytes > MAX_BYTES {
        errors.push(FieldError::too_long(&path, MAX_BYTES));
    }
    let missing = |key: &str| FieldError::required(&path.key(key), "");
    match secret.type_.as_deref().unwrap_or_default() {
        "kubernetes.io/service-account-token" => {
            let annotations = secret.metadata.annotations.as_ref();
            let name = annotations.and_then(|all| all.get(ACCOUNT_NAME));
            if name.is_none_or(String::is_empty) {
                let path = Path::root().child("metadata").child("annotations");
                errors.push(FieldError::required(&path.key(ACCOUNT_NAME), ""));
            }
        }
        "kubernetes.io/dockercfg" => docker(secret, ".dockercfg", &path, errors),
        "kubernetes.io/dockerconfigjson" => docker(secret, ".dockerconfigjson", &path, errors),
        "kubernetes.io/basic-auth" => {
            let keys = ["username", "password"];
            if keys.iter().all(|key| value_of(secret, key).is_none()) {
                errors.extend(keys.map(missing));
            }
        }
        "kubernetes.io/ssh-auth"
            if value_of(secret, "ssh-privatekey").is_none_or(<[u8]>::is_empty) =>
        {
            errors.push(missing("ssh-privatekey"));
        }
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if value_of(secret, key).is_none() {
                    errors.push(missing(key));
                }
            }
        }
        _ => {}
    }
}

fn value_of<'a>(secret: &'a Secret, key: &str) -> Option<&'a [u8]> {
    let text = secret.string_data.as_ref().and_then(|all| all.get(key));
    let binary = secret.data.as_ref().and_then(|all| all.get(key));
    text.map(String::as_bytes)
        .or(binary.map(|ByteString(bytes)| bytes.as_slice()))
}

/// Registry credentials must be a JSON object.
fn docker(secret: &Secret, key: &str, path: &Path, errors: &mut Errors) {
    let path = path.key(key);
    let Some(bytes) = value_of(secret, key) else {
        errors.push(FieldError::required(&path, ""));
        return;
    };
    let detail = match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(_) | Value::Null) => return,
        Ok(other) => format!(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            go_kind(&other)
        ),
        Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => {
            "unexpected end of JSON input".to_owned()
        }
        Err(error) if error.is_eof() => "unexpected end of JSON input".to_owned(),
        Err(_) => "invalid character in JSON input".to_owned(),
    };
    errors.push(FieldError::invalid(&path, REDACTED, &detail));
}

fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        _ => "array",
    }
}
