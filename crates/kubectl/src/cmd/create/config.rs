//! `kubectl create configmap`, and the values that it and `create secret` read from files and literals (kubectl v1.34
//! `pkg/cmd/create`).

use std::collections::BTreeMap;

use serde_json::json;

use super::generate::{also, generated, name_of, verb};
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG};
use berth_scheduler::names::config_key_errors;

verb!(
    CONFIG_MAP,
    "configmap",
    "Create a config map from a local file, directory or literal value",
    "NAME [--from-file=[key=]source] [--from-literal=key1=value1]",
    "kubectl create configmap my-config --from-literal=key1=config1",
    config_map,
    [
        Flag::words("from-file"),
        Flag::words("from-literal"),
        Flag::words("from-env-file")
    ]
);
also!(
    CONFIG_MAP_SHORT,
    CONFIG_MAP,
    "cm",
    "NAME [--from-file=[key=]source] [--from-literal=key1=value1]",
    "kubectl create cm my-config --from-file=path/to/bar"
);

fn config_map(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let name = name_of(call)?;
    let values = values(call, cluster, Kind::ConfigMap(name));
    let values = values.map_err(|why| format!("error: {why}"))?;
    let mut object = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
    });
    if !values.is_empty() {
        object["data"] = json!(values);
    }
    generated(call, &object, "failed to create configmap:", cluster)
}

/// The kind of object; error messages differ.
#[derive(Clone, Copy)]
pub(super) enum Kind<'a> {
    /// The name of the ConfigMap.
    ConfigMap(&'a str),
    Secret,
}

/// The values that `--from-file`, `--from-literal` and `--from-env-file` give.
///
/// # Errors
/// kubectl's error about a source.
pub(super) fn values(
    call: &Call<'_>,
    cluster: &dyn Cluster,
    kind: Kind<'_>,
) -> Result<BTreeMap<String, String>, String> {
    let words = |flag: &str| call.arguments.words(flag);
    let (files, literals) = (words("from-file"), words("from-literal"));
    let env = words("from-env-file");
    if !env.is_empty() && (!files.is_empty() || !literals.is_empty()) {
        return Err("from-env-file cannot be combined with from-file or from-literal".to_owned());
    }
    let mut values = Values {
        kind,
        all: BTreeMap::new(),
    };
    for source in files {
        from_file(source, call, cluster, &mut values)?;
    }
    for source in literals {
        match source.split_once('=') {
            Some((key, value)) if !key.is_empty() => values.add(key, value.to_owned())?,
            _ => {
                return Err(format!(
                    "invalid literal source {source}, expected key=value"
                ));
            }
        }
    }
    for source in env {
        let path = call.path(source);
        let Some(text) = cluster.file(&path) else {
            if !files_in(&path, cluster).is_empty() {
                return Err("env config file cannot be a directory".to_owned());
            }
            return Err(missing(source));
        };
        from_env(&text, &mut values)?;
    }
    Ok(values.all)
}

struct Values<'a> {
    kind: Kind<'a>,
    all: BTreeMap<String, String>,
}

impl Values<'_> {
    fn add(&mut self, key: &str, value: String) -> Result<(), String> {
        let wrong = config_key_errors(key);
        if !wrong.is_empty() {
            return Err(match self.kind {
                Kind::ConfigMap(_) => format!(
                    "{key:?} is not a valid key name for a ConfigMap: {}",
                    wrong.join(",")
                ),
                Kind::Secret => format!(
                    "{key:?} is not valid key name for a Secret {}",
                    wrong.join(";")
                ),
            });
        }
        if self.all.insert(key.to_owned(), value).is_none() {
            return Ok(());
        }
        Err(match self.kind {
            Kind::ConfigMap(name) => format!(
                "cannot add key {key:?}, another key by that name already exists in Data for ConfigMap {name:?}"
            ),
            Kind::Secret => {
                format!("cannot add key {key}, another key by that name already exists")
            }
        })
    }
}

/// `[key=]source`: a file, or all files directly in a folder.
fn from_file(
    source: &str,
    call: &Call<'_>,
    cluster: &dyn Cluster,
    values: &mut Values<'_>,
) -> Result<(), String> {
    let (key, file) = match source.split_once('=') {
        None => (source.rsplit('/').next().unwrap_or(source), source),
        Some((_, rest)) if rest.contains('=') => {
            return Err("key names or file paths cannot contain '='".to_owned());
        }
        Some(("", file)) => return Err(format!("key name for file path {file} missing")),
        Some((key, "")) => return Err(format!("file path for key name {key} missing")),
        Some(pair) => pair,
    };
    let path = call.path(file);
    if let Some(text) = cluster.file(&path) {
        return values.add(key, text);
    }
    let inside = files_in(&path, cluster);
    if inside.is_empty() {
        return Err(missing(file));
    }
    if source.contains('=') {
        return Err("cannot give a key name for a directory path".to_owned());
    }
    for path in inside {
        let key = path.rsplit('/').next().unwrap_or_default();
        if let Some(text) = cluster.file(&path) {
            values.add(key, text)?;
        }
    }
    Ok(())
}

/// The files directly in a folder, sorted by name.
fn files_in(folder: &str, cluster: &dyn Cluster) -> Vec<String> {
    let folder = folder.trim_end_matches('/');
    let inside = match folder {
        "." | "" => String::new(),
        folder => format!("{folder}/"),
    };
    let mut files = cluster.files();
    files.retain(|file| {
        file.strip_prefix(&inside)
            .is_some_and(|rest| !rest.contains('/'))
    });
    berth_base::sort::sort(&mut files);
    files
}

/// Reads `KEY=value` lines; ignores comments and empty lines.
fn from_env(text: &str, values: &mut Values<'_>) -> Result<(), String> {
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // A name alone takes its value from kubectl's environment, which is empty.
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        if let Some(fault) = variable_fault(key) {
            return Err(fault);
        }
        values.add(key, value.to_owned())?;
    }
    Ok(())
}

/// Why a text is no name of an environment variable (apimachinery's `IsEnvVarName`).
pub(in crate::cmd) fn variable_fault(key: &str) -> Option<String> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let is_name = key.bytes().all(fits) && !key.starts_with(|it: char| it.is_ascii_digit());
    let fault = match key {
        "." => "must not be '.'",
        ".." => "must not be '..'",
        key if key.starts_with("..") && is_name => "must not start with '..'",
        key if key.is_empty() || !is_name => {
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
        }
        _ => return None,
    };
    Some(format!("{key:?} is not a valid key name: {fault}"))
}

fn missing(file: &str) -> String {
    format!("error reading {file}: no such file or directory")
}
