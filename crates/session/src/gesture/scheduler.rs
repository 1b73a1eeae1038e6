//! Gestures on the scheduler's configuration.
//!
//! Only differences from kube-scheduler's defaults are written. Existing entries are changed in place: a switch in the
//! set of the extension point, a weight where the profile has one.

mod strategy;

use serde_json::{Map, Value, json};

use berth_core::api::config::plugins::EnabledPlugin;
use berth_core::api::config::{self, API_VERSION, ExtensionPoint, Profile};
use berth_core::api::edit::value_of;
use berth_core::api::load::Loaded;
use berth_protocol::edit::{Edit, EditError, ObjectRef, PathStep};
use berth_protocol::remark::Remark;
use berth_protocol::scheduler::{SchedulerChange, SchedulerField as Field};
use berth_scheduler::framework::profile::{default_multi_point, merge_plugin_set};
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::release::Release;

const KIND: &str = "KubeSchedulerConfiguration";
const SPREAD: &str = "PodTopologySpread";

/// The edits that make a change of the configuration.
pub(super) fn edits(
    loaded: &Loaded,
    release: &Release,
    change: &SchedulerChange,
) -> Result<Vec<Edit>, EditError> {
    let document = loaded.documents.iter().find(|it| it.kind == KIND);
    let object = ObjectRef::new(
        KIND,
        "",
        document.map_or_else(String::new, |document| document.name.clone()),
    );
    let mut edits = Vec::new();
    let value = match document {
        Some(_) => value_of(loaded, &object).ok_or_else(unreadable)?,
        None => {
            let manifest = json!({"apiVersion": API_VERSION, "kind": KIND});
            edits.push(Edit::Create {
                manifest: manifest.clone(),
            });
            manifest
        }
    };
    let (configuration, _) = config::read(&value, release);
    let written = get(&value, &["profiles"]).and_then(Value::as_array);
    let written = written.map_or(&[][..], Vec::as_slice);
    // Profile indices equal those of the written list only if all of it was read.
    let is_whole = written.is_empty() || written.len() == configuration.profiles.len();
    let profile = configuration.profiles.get(change.profile);
    let profile = profile.filter(|_| is_whole).ok_or_else(unreadable)?;
    let none = Value::Null;
    let mut draft = Draft {
        object,
        base: vec![key("profiles"), PathStep::Index(change.profile)],
        raw: written.get(change.profile).unwrap_or(&none),
        profile,
        release,
        change,
        edits,
    };
    match change.field {
        Field::AddProfile => draft.add_profile(written, &configuration.profiles),
        Field::RemoveProfile => draft.remove(&[]),
        Field::Name => draft.set(&[key("schedulerName")], json!(change.value)),
        Field::Percentage => {
            draft.base.clear();
            draft.write(&[key("percentageOfNodesToScore")]);
        }
        Field::Filter => draft.switch(&[ExtensionPoint::Filter, ExtensionPoint::PreFilter]),
        Field::Score => draft.switch(&[ExtensionPoint::Score, ExtensionPoint::PreScore]),
        Field::Weight => draft.weigh()?,
        Field::Defaulting => {
            let path = draft.args(SPREAD, &["defaultingType"]);
            draft.write(&path);
        }
        _ => draft.strategy(),
    }
    Ok(draft.edits)
}

fn unreadable() -> EditError {
    EditError::new(Remark::unreadable_configuration(), Remark::mend_in_editor())
}

fn key(name: &str) -> PathStep {
    PathStep::Key(name.to_owned())
}

fn get<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// Parses typed text as YAML would: a number, or else a string.
fn typed(text: &str) -> Value {
    let number = serde_json::from_str(text).ok().filter(Value::is_number);
    number.unwrap_or_else(|| json!(text))
}

/// The indices of a plugin in a list.
fn positions(list: Option<&Value>, name: &str) -> Vec<usize> {
    let named = list
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|(_, item)| item.get("name").is_some_and(|it| it == name));
    named.map(|(position, _)| position).collect()
}

/// Builds the edits of one profile.
struct Draft<'a> {
    object: ObjectRef,
    /// The profile's path.
    base: Vec<PathStep>,
    /// The profile as written; null if there is none.
    raw: &'a Value,
    profile: &'a Profile,
    release: &'a Release,
    change: &'a SchedulerChange,
    edits: Vec<Edit>,
}

impl Draft<'_> {
    fn path(&self, path: &[PathStep]) -> Vec<PathStep> {
        [self.base.as_slice(), path].concat()
    }

    fn set(&mut self, path: &[PathStep], value: Value) {
        let (object, path) = (self.object.clone(), self.path(path));
        self.edits.push(Edit::Set {
            object,
            path,
            value,
        });
    }

    fn append(&mut self, path: &[PathStep], value: Value) {
        let (object, path) = (self.object.clone(), self.path(path));
        self.edits.push(Edit::Append {
            object,
            path,
            value,
        });
    }

    fn remove(&mut self, path: &[PathStep]) {
        let (object, path) = (self.object.clone(), self.path(path));
        self.edits.push(Edit::Remove { object, path });
    }

    /// Sets a field to the typed value; without one, removes it, so that the default applies.
    fn write(&mut self, path: &[PathStep]) {
        match self.change.value.trim() {
            "" => self.remove(path),
            text => self.set(path, typed(text)),
        }
    }

    /// Adds a profile. The first profile gets an explicit name, and the new one the same queueSort plugin.
    fn add_profile(&mut self, written: &[Value], profiles: &[Profile]) {
        let first = written.first().unwrap_or(&Value::Null);
        if first.get("schedulerName").is_none_or(Value::is_null) {
            self.base = vec![key("profiles"), PathStep::Index(0)];
            let name = profiles.first().map(|profile| &*profile.scheduler_name);
            self.set(&[key("schedulerName")], json!(name));
        }
        let mut profile = Map::new();
        let name = self.change.value.trim();
        profile.insert("schedulerName".to_owned(), json!(name));
        if let Some(sort) = get(first, &["plugins", "queueSort"]) {
            profile.insert("plugins".to_owned(), json!({"queueSort": sort}));
        }
        self.base.clear();
        self.append(&[key("profiles")], Value::Object(profile));
    }

    /// The indices at which a set of the profile enables or disables a plugin.
    fn listed(&self, set: &str, list: &str, name: &str) -> Vec<usize> {
        positions(get(self.raw, &["plugins", set, list]), name)
    }

    /// The plugin as enabled by `multiPoint`, if it is.
    fn multi_point(&self) -> Option<EnabledPlugin> {
        let own = &self.profile.plugins.multi_point;
        let merged = merge_plugin_set(&default_multi_point(self.release), own);
        let mut enabled = merged.enabled.into_iter();
        enabled.find(|plugin| plugin.name == self.change.plugin)
    }

    /// Switches the plugin at the first of two points. The second point prepares the first, so an enabled plugin needs
    /// both.
    fn switch(&mut self, points: &[ExtensionPoint; 2]) {
        let name = self.change.plugin.as_str();
        let registry = registry();
        let plugin = registry
            .iter()
            .find(|plugin| plugin.capabilities.name == name)
            .and_then(|plugin| plugin.capabilities.of_release(self.release));
        for point in points {
            if !plugin.is_some_and(|plugin| plugin.points.contains(*point)) {
                continue;
            }
            if self.change.value == "true" {
                self.switch_on(*point);
            } else {
                // The preparing point may stay enabled.
                return self.switch_off(*point);
            }
        }
    }

    fn switch_on(&mut self, point: ExtensionPoint) {
        let (name, field) = (self.change.plugin.as_str(), point.field());
        let own = self.profile.plugins.at(point);
        let spread = self.multi_point().filter(|_| !own.disables_all());
        let enabled = self.listed(field, "enabled", name);
        if spread.is_none() && enabled.is_empty() {
            let weight = self.release.default_weight(name);
            let entry = if point == ExtensionPoint::Score && weight > 1 {
                json!({"name": name, "weight": weight})
            } else {
                json!({"name": name})
            };
            self.append(&[key("plugins"), key(field), key("enabled")], entry);
        }
        for position in self.listed(field, "disabled", name).into_iter().rev() {
            self.unlist(field, "disabled", position);
        }
    }

    fn switch_off(&mut self, point: ExtensionPoint) {
        let (name, field) = (self.change.plugin.as_str(), point.field());
        let own = self.profile.plugins.at(point);
        let is_off = own.disables(name) || own.disables_all() || self.multi_point().is_none();
        if !is_off {
            let path = [key("plugins"), key(field), key("disabled")];
            self.append(&path, json!({"name": name}));
        }
        for position in self.listed(field, "enabled", name).into_iter().rev() {
            self.unlist(field, "enabled", position);
        }
    }

    fn unlist(&mut self, set: &str, list: &str, position: usize) {
        self.remove(&[
            key("plugins"),
            key(set),
            key(list),
            PathStep::Index(position),
        ]);
    }

    fn weigh(&mut self) -> Result<(), EditError> {
        let name = self.change.plugin.as_str();
        let places = ["score", "multiPoint"];
        let written = places.into_iter().find_map(|set| {
            let position = self.listed(set, "enabled", name).pop()?;
            Some((set, position))
        });
        if let Some((set, position)) = written {
            let at = PathStep::Index(position);
            self.write(&[key("plugins"), key(set), key("enabled"), at, key("weight")]);
            return Ok(());
        }
        if self.change.value.trim().is_empty() {
            return Err(EditError::new(Remark::whole_weight(), Remark::default()));
        }
        // An entry in `multiPoint` keeps the plugin's position.
        let set = match self.multi_point() {
            Some(_) => "multiPoint",
            None => "score",
        };
        let value = typed(self.change.value.trim());
        let path = [key("plugins"), key(set), key("enabled")];
        self.append(&path, json!({"name": name, "weight": value}));
        Ok(())
    }

    /// The path of a plugin's argument; adds the plugin's entry in `pluginConfig` if there is none.
    fn args(&mut self, plugin: &str, field: &[&str]) -> Vec<PathStep> {
        let list = self.raw.get("pluginConfig");
        let position = positions(list, plugin).first().copied();
        let position = position.unwrap_or_else(|| {
            let length = list.and_then(Value::as_array).map_or(0, Vec::len);
            let path = [key("pluginConfig"), PathStep::Index(length), key("name")];
            self.set(&path, json!(plugin));
            length
        });
        let mut path = vec![key("pluginConfig"), PathStep::Index(position), key("args")];
        path.extend(field.iter().map(|name| key(name)));
        path
    }
}

#[cfg(test)]
mod tests;
