//! One apply: merges a configuration into an object, finds conflicts, and notes whose the fields are.

use std::collections::BTreeSet;

use serde_json::Value;

use super::paths::{Path, leaves, merge};
use super::{Manager, Managers, changed, fields, typed};
use crate::dynamic::{ChangeError, FieldValidation, Patched};
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Object};
use berth_core::api::kinds::Kind;
use berth_core::api::load::read_object;

/// How a configuration is applied.
#[derive(Clone, Copy, Debug)]
pub struct ApplyOptions<'a> {
    /// `fieldManager`.
    pub manager: &'a str,
    /// Takes the fields of other managers.
    pub force: bool,
    /// Only the status is applied.
    pub of_status: bool,
}

/// Why a configuration is not applied.
#[derive(Clone, Debug)]
pub enum ApplyError {
    /// It does not have the types of its kind (HTTP status 500).
    Untyped(String),
    /// Other managers have its fields: the API server's message (HTTP status 409).
    Conflict(String),
    /// The result is refused.
    Refused(ChangeError),
}

impl ApiServer {
    /// Applies a configuration, as a PATCH of type `apply-patch`; returns the object and whether it changed.
    ///
    /// # Errors
    /// If the configuration has other types, conflicts with other managers, or its result is refused.
    pub fn apply(
        &mut self,
        kind: Kind,
        key: &Key,
        config: &Value,
        options: ApplyOptions<'_>,
    ) -> Result<Patched<Object>, ApplyError> {
        if let Some(why) = typed::problem(config) {
            let info = kind.info();
            let place = format!("{}/{}", key.namespace(), key.name());
            let version = info.api_version;
            let version = match info.group() {
                "" => format!("/{version}"),
                _ => version.to_owned(),
            };
            let kind = info.kind;
            return Err(ApplyError::Untyped(format!(
                "failed to create typed patch object ({place}; {version}, Kind={kind}): {why}"
            )));
        }
        let of = Manager {
            name: options.manager.to_owned(),
            applies: true,
            subresource: None,
        };
        let current = self.get(kind.info().kind, key);
        let Some(current) = current else {
            return self.apply_new(kind, key, config, of);
        };
        let live = current.to_json();
        let mut managers = self.field_managers().of(kind, key, &live);
        let wanted = applied_part(config, options.of_status);
        let merged = merged(&live, &wanted, managers.get(&of), &managers, &of);
        let changed = changed(&live, &merged);
        let conflicts = conflicts(&managers, &changed, &of);
        if !conflicts.is_empty() && !options.force {
            let version = kind.info().api_version;
            return Err(ApplyError::Conflict(message(&conflicts, version)));
        }
        let patched = self.patch_object(
            kind.info().kind,
            key,
            FieldValidation::Ignore,
            &mut |value| {
                value.clone_from(&merged);
                Ok(())
            },
        );
        let patched = patched.map_err(ApplyError::Refused)?;
        for (manager, fields) in &mut managers {
            if *manager != of {
                fields.retain(|path| !changed.contains(path));
            }
        }
        managers.insert(of, fields(&wanted, options.of_status));
        let now = patched.object.to_json();
        self.field_managers_mut().set(kind, key, &now, managers);
        Ok(patched)
    }

    fn apply_new(
        &mut self,
        kind: Kind,
        key: &Key,
        config: &Value,
        of: Manager,
    ) -> Result<Patched<Object>, ApplyError> {
        let refused = |error: ApiError| ApplyError::Refused(ChangeError::Refused(error));
        let mut wanted = applied_part(config, false);
        if let Some(Value::Object(meta)) = wanted.get_mut("metadata") {
            meta.shift_remove("resourceVersion");
        }
        let (manifest, findings) = read_object(&wanted);
        let object = manifest.as_ref().and_then(Object::of_manifest);
        let Some(object) = object else {
            return Err(ApplyError::Refused(ChangeError::Undecodable(findings)));
        };
        let object = self.create_object(object).map_err(refused)?;
        let managers = Managers::from([(of, fields(&wanted, false))]);
        let now = object.to_json();
        self.field_managers_mut().set(kind, key, &now, managers);
        Ok(Patched {
            object,
            changed: true,
        })
    }
}

/// What a configuration applies: not the status, or only that.
fn applied_part(config: &Value, of_status: bool) -> Value {
    let mut part = config.clone();
    if let Value::Object(map) = &mut part {
        map.retain(|name, _| match name.as_str() {
            "apiVersion" | "kind" | "metadata" => true,
            "status" => of_status,
            _ => !of_status,
        });
    }
    part
}

/// The object with the configuration, and without the fields that only this manager had and no longer wants.
fn merged(
    live: &Value,
    wanted: &Value,
    before: Option<&BTreeSet<Path>>,
    managers: &Managers,
    of: &Manager,
) -> Value {
    let mut merged = live.clone();
    merge(&mut merged, wanted);
    let now: BTreeSet<Path> = leaves(wanted).into_keys().collect();
    let others = || managers.iter().filter(|(manager, _)| *manager != of);
    let is_kept = |path: &Path| {
        now.iter().any(|it| path.holds(it))
            || others().any(|(_, fields)| fields.iter().any(|it| path.holds(it)))
    };
    let gone = before.into_iter().flatten().filter(|path| !is_kept(path));
    let mut gone: Vec<&Path> = gone.collect();
    // Fields before the items that hold them.
    berth_base::sort::sort_by_key(&mut gone, |path| std::cmp::Reverse(path.len()));
    let items: Vec<&Path> = gone.iter().copied().filter(|path| path.is_item()).collect();
    for path in &gone {
        let is_in_item = items.iter().any(|item| item.holds(path) && item != path);
        if !is_in_item {
            path.remove_from(&mut merged);
        }
    }
    merged
}

/// The changed fields of other managers.
fn conflicts<'m>(
    managers: &'m Managers,
    changed: &'m BTreeSet<Path>,
    of: &Manager,
) -> Vec<(&'m Manager, &'m Path)> {
    let others = managers.iter().filter(|(manager, _)| *manager != of);
    let found = others.flat_map(|(manager, fields)| {
        let fields = fields.intersection(changed);
        fields.map(move |path| (manager, path))
    });
    found.collect()
}

/// `Apply failed with 1 conflict: conflict with "kubectl-patch" using v1: .data.p`.
fn message(conflicts: &[(&Manager, &Path)], version: &str) -> String {
    if let [(manager, path)] = conflicts {
        let manager = manager.shown(version);
        return format!("Apply failed with 1 conflict: conflict with {manager}: {path}");
    }
    let mut lines = Vec::new();
    let mut last = None;
    for (manager, path) in conflicts {
        if last != Some(*manager) {
            lines.push(format!("conflicts with {}:", manager.shown(version)));
            last = Some(*manager);
        }
        lines.push(format!("- {path}"));
    }
    let count = conflicts.len();
    format!("Apply failed with {count} conflicts: {}", lines.join("\n"))
}
