//! `kubectl create secret` (kubectl v1.34 `pkg/cmd/create`).

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use serde_json::{Map, Value, json};

use super::config::{Kind, values};
use super::generate::{generated, name_of, verb};
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG};
use berth_base::json;

/// The default registry.
const DOCKER_SERVER: &str = "https://index.docker.io/v1/";

verb!(
    SECRET_GENERIC,
    "secret generic",
    "Create a secret from a local file, directory, or literal value",
    "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1]",
    "kubectl create secret generic my-secret --from-literal=key1=supersecret",
    generic,
    [
        Flag::words("from-file"),
        Flag::words("from-literal"),
        Flag::words("from-env-file"),
        Flag::word("type")
    ]
);
verb!(
    SECRET_DOCKER,
    "secret docker-registry",
    "Create a secret for use with a Docker registry",
    "NAME --docker-username=user --docker-password=password [--docker-server=string]",
    "kubectl create secret docker-registry my-secret --docker-username=me --docker-password=pass",
    docker,
    [
        Flag::words("from-file"),
        Flag::word("docker-server"),
        Flag::word("docker-username"),
        Flag::word("docker-password"),
        Flag::word("docker-email")
    ]
);
verb!(
    SECRET_TLS,
    "secret tls",
    "Create a TLS secret",
    "NAME --cert=path/to/cert/file --key=path/to/key/file",
    "kubectl create secret tls tls-secret --cert=path/to/tls.crt --key=path/to/tls.key",
    tls,
    [Flag::word("cert"), Flag::word("key")]
);

fn generic(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let values = values(call, cluster, Kind::Secret);
    let values = values.map_err(|why| format!("error: {why}"))?;
    let kind = call.arguments.word("type").unwrap_or_default().to_owned();
    secret(call, &kind, values, cluster)
}

fn docker(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let word = |flag: &str| call.arguments.word(flag).unwrap_or_default();
    let mut values = values(call, cluster, Kind::Secret).map_err(|why| format!("error: {why}"))?;
    if !call.arguments.has("from-file") {
        let (user, password) = (word("docker-username"), word("docker-password"));
        let server = call
            .arguments
            .word("docker-server")
            .unwrap_or(DOCKER_SERVER);
        if user.is_empty() || password.is_empty() || server.is_empty() {
            return Err("error: either --from-file or the combination of --docker-username, --docker-password and --docker-server is required".to_owned());
        }
        let mut entry = Map::new();
        entry.insert("username".to_owned(), user.into());
        entry.insert("password".to_owned(), password.into());
        let email = word("docker-email");
        if !email.is_empty() {
            entry.insert("email".to_owned(), email.into());
        }
        entry.insert("auth".to_owned(), base64(&format!("{user}:{password}")));
        let config = json!({"auths": {server: entry}});
        values.insert(".dockerconfigjson".to_owned(), go_json(&config));
    }
    secret(call, "kubernetes.io/dockerconfigjson", values, cluster)
}

fn tls(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let word = |flag: &str| call.arguments.word(flag).unwrap_or_default();
    let (cert, key) = (word("cert"), word("key"));
    if cert.is_empty() || key.is_empty() {
        return Err("error: key and cert must be specified".to_owned());
    }
    let mut values = BTreeMap::new();
    for (name, path, what) in [("tls.crt", cert, "certificate"), ("tls.key", key, "key")] {
        let Some(text) = cluster.file(&call.path(path)) else {
            return Err(format!(
                "error: Cannot read file {path}, open {path}: no such file or directory"
            ));
        };
        // Whether the key belongs to the certificate is not checked.
        if !text.contains("-----BEGIN ") {
            return Err(format!(
                "error: tls: failed to find any PEM data in {what} input"
            ));
        }
        values.insert(name.to_owned(), text);
    }
    secret(call, "kubernetes.io/tls", values, cluster)
}

/// Creates a Secret with these values.
fn secret(
    call: &Call<'_>,
    kind: &str,
    values: BTreeMap<String, String>,
    cluster: &mut dyn Cluster,
) -> Done {
    let mut object = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name_of(call)?},
    });
    if !values.is_empty() {
        let data: Map<String, Value> = values
            .iter()
            .map(|(key, text)| (key.clone(), base64(text)))
            .collect();
        object["data"] = Value::Object(data);
    }
    if !kind.is_empty() {
        object["type"] = kind.into();
    }
    // Unlike other commands, these print no colon after `secret`.
    generated(call, &object, "failed to create secret", cluster)
}

fn base64(text: &str) -> Value {
    json::value(&ByteString(text.as_bytes().to_vec()))
}

/// JSON as Go writes it, escaped for HTML.
fn go_json(value: &Value) -> String {
    json::text(value)
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}
