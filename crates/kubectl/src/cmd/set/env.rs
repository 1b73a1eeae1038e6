//! `kubectl set env` (kubectl v1.36 `pkg/cmd/set/set_env.go`).

use serde_json::{Map, Value, json};

use super::{change_all, containers, is_meant, meant, pod_spec, split};
use crate::call::{Call, Done};
use crate::cmd::create::config::variable_fault;
use crate::cmd::{env_from, env_list};
use crate::resource::targets::Target;
use crate::{Cluster, Output};

/// Sets, imports, removes or lists variables.
pub(super) fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let words = call.arguments.words.clone();
    let is_change = |word: &str| word.contains('=') || word.ends_with('-') && word.len() > 1;
    let (objects, changes) = split(&words, &is_change);
    let (imported, notes) = env_from::variables(call, cluster)?;
    let mut output = Output::default();
    notes.iter().for_each(|note| output.warn(note));
    if changes.iter().any(|word| !is_change(word)) {
        let words = words.join(" ");
        return Err(format!(
            "error: all resources must be specified before environment changes: {words}"
        ));
    }
    let changes: Vec<&String> = changes.iter().chain(call.arguments.words("env")).collect();
    let found = meant(call, objects, cluster)?;
    check_variables(&changes)?;
    let lists = call.arguments.is("list");
    if lists && call.arguments.has("output") {
        return Err("error: --list and --output may not be specified together".to_owned());
    }
    let pattern = call.arguments.word("containers").unwrap_or("*").to_owned();
    let overwrites = call.arguments.is_or("overwrite", true);
    let edit = |spec: &mut Value| -> Result<(), String> {
        for container in containers(spec).filter(|it| is_meant(it, &pattern)) {
            set_variables(container, &changes, &imported, overwrites)?;
        }
        Ok(())
    };
    if !lists {
        let texts = ("env updated", "failed to patch env update to pod template:");
        let changed = change_all(call, &found, texts, cluster, &|spec, _| edit(spec))?;
        return Ok(output.and(changed));
    }
    for Target { kind, key } in &found.targets {
        let object = cluster.api().get(kind.kind, key);
        let mut object = object.map(|object| object.to_json()).unwrap_or_default();
        let Some(spec) = pod_spec(&mut object) else {
            continue;
        };
        // Changes are listed, and not written.
        edit(spec)?;
        let is_meant = |it: &Value| it.as_object().is_some_and(|it| is_meant(it, &pattern));
        env_list::list(kind.kind, key.name(), spec, &is_meant, &mut output);
    }
    for line in &found.missing {
        output.complain(line);
    }
    Ok(output)
}

/// Checks the names of variables (`ParseEnv`).
fn check_variables(changes: &[&String]) -> Result<(), String> {
    let mut set = Vec::new();
    for change in changes {
        if let Some((name, _)) = change.split_once('=') {
            if let Some(fault) = variable_fault(name) {
                return Err(format!("error: {fault}"));
            }
            set.push(name);
        }
    }
    let removed = changes.iter().filter_map(|it| it.strip_suffix('-'));
    let both = removed
        .filter(|it| !it.contains('='))
        .any(|it| set.contains(&it));
    match both {
        true => Err("error: can not both modify and remove the same environment variable in the same command".to_owned()),
        false => Ok(()),
    }
}

/// Sets (`name=value`), removes (`name-`) and imports variables of a container.
fn set_variables(
    container: &mut Map<String, Value>,
    changes: &[&String],
    imported: &[Value],
    overwrites: bool,
) -> Result<(), String> {
    let own = container.entry("env").or_insert_with(|| json!([]));
    let Some(own) = own.as_array_mut() else {
        return Ok(());
    };
    for change in changes {
        let Some((name, value)) = change.split_once('=') else {
            let name = change.strip_suffix('-').unwrap_or(change);
            own.retain(|it| it.get("name").is_none_or(|it| it != name));
            continue;
        };
        put_variable(own, json!({"name": name, "value": value}), overwrites)?;
    }
    for variable in imported {
        put_variable(own, variable.clone(), overwrites)?;
    }
    if own.is_empty() {
        container.shift_remove("env");
    }
    Ok(())
}

/// Adds a variable, or overwrites the one with its name.
fn put_variable(all: &mut Vec<Value>, variable: Value, overwrites: bool) -> Result<(), String> {
    let name = variable.get("name").cloned().unwrap_or_default();
    let known = all.iter_mut().find(|it| it.get("name") == Some(&name));
    match known {
        Some(_) if !overwrites => Err(format!(
            "error: '{}' already has a value, and --overwrite is false",
            name.as_str().unwrap_or_default()
        )),
        Some(known) => {
            *known = variable;
            Ok(())
        }
        None => {
            all.push(variable);
            Ok(())
        }
    }
}
