//! The objects that `get` and `describe` show, events included.

use serde_json::Value;

use super::files;
use super::selector::Selection;
use super::shown::shown;
use super::targets::{ResourceArgument, wanted};
use super::{event, kubernetes_service};
use crate::Cluster;
use crate::call::Call;
use crate::errors;
use crate::kinds::{KindInfo, deprecation};
use berth_sim::store::{Key, Object, name_of, namespace_of};

use crate::printers::fields::Fields;

/// The objects that a command asks for.
pub(crate) struct Query {
    /// Kinds with the keys that are asked for, in the given order; no keys means all objects of the kind.
    pub(crate) kinds: Vec<(&'static KindInfo, Vec<Key>)>,
    pub(crate) namespace: String,
    /// Whether all namespaces are queried.
    pub(crate) everywhere: bool,
    pub(crate) selection: Selection,
}

/// Objects of one kind.
pub(crate) struct Group {
    pub(crate) kind: &'static KindInfo,
    pub(crate) objects: Vec<Value>,
}

/// The objects found, and an error line for each missing one.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) groups: Vec<Group>,
    pub(crate) missing: Vec<String>,
}

impl Found {
    pub(crate) fn count(&self) -> usize {
        self.groups.iter().map(|group| group.objects.len()).sum()
    }
}

impl Query {
    /// The query of a call's words and flags.
    ///
    /// # Errors
    /// kubectl's error about invalid words or flags.
    pub(crate) fn of(call: &Call<'_>, cluster: &dyn Cluster) -> Result<Self, String> {
        let words = &call.arguments.words;
        let mut all: Vec<(&'static KindInfo, Option<Key>)> = Vec::new();
        if call.arguments.has("filename") {
            if !words.is_empty() {
                return Err("error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well".to_owned());
            }
            let named = files::named(call, cluster)?.into_iter();
            all.extend(named.map(|(kind, key)| (kind, Some(key))));
        }
        for ResourceArgument { kind, name } in wanted(words)? {
            let namespace = if kind.namespaced {
                call.namespace()
            } else {
                ""
            };
            all.push((kind, name.map(|name| Key::new(namespace, name))));
        }
        let mut kinds: Vec<(&'static KindInfo, Vec<Key>)> = Vec::new();
        for (kind, key) in all {
            match (kinds.last_mut(), key) {
                (Some((last, keys)), Some(key)) if last.kind == kind.kind => keys.push(key),
                (_, key) => kinds.push((kind, key.into_iter().collect())),
            }
        }
        let labels = call.arguments.word("selector").unwrap_or_default();
        let fields = call.arguments.word("field-selector").unwrap_or_default();
        let everywhere = call.is_all_namespaces();
        if kinds.iter().any(|(_, names)| !names.is_empty()) {
            if !labels.is_empty() || !fields.is_empty() {
                return Err(
                    "error: name cannot be provided when a selector is specified".to_owned(),
                );
            }
            if everywhere {
                return Err(
                    "error: a resource cannot be retrieved by name across all namespaces"
                        .to_owned(),
                );
            }
        }
        let selection = Selection::asked(labels, fields, kinds.iter().map(|(kind, _)| *kind))?;
        Ok(Query {
            kinds,
            namespace: call.namespace().to_owned(),
            everywhere,
            selection,
        })
    }

    /// The API server's warning about a deprecated kind.
    pub(crate) fn warning(&self) -> Option<&'static str> {
        self.kinds.iter().find_map(|(kind, _)| deprecation(kind))
    }

    /// Whether exactly one object is asked for, by name.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.kinds.as_slice(), [(_, names)] if names.len() == 1)
    }

    /// The matching objects that exist now.
    pub(crate) fn find(&self, cluster: &dyn Cluster) -> Found {
        let mut found = Found::default();
        for (kind, keys) in &self.kinds {
            let mut objects = if keys.is_empty() {
                self.all(kind, cluster)
            } else {
                Vec::new()
            };
            for key in keys {
                match Query::one(kind, key, cluster) {
                    Some(object) => objects.push(object),
                    None => found.missing.push(errors::not_found(kind.kind, key.name())),
                }
            }
            found.groups.push(Group { kind, objects });
        }
        found
    }

    /// All selected objects of a kind, sorted by namespace and name.
    pub(crate) fn all(&self, kind: &KindInfo, cluster: &dyn Cluster) -> Vec<Value> {
        let is_meant =
            |namespace: &str| self.everywhere || !kind.namespaced || namespace == self.namespace;
        if kind.kind == "Event" {
            let mut events = event::events(cluster.api());
            events.retain(|event| {
                is_meant(event.text("metadata.namespace"))
                    && self.selection.selects_unlabeled(event)
            });
            return events;
        }
        let mut objects = cluster.api().list(kind.kind);
        if let Some(own) = kubernetes_service::of(kind, cluster.api()) {
            let place = |object: &Object| {
                let meta = object.metadata();
                (namespace_of(meta).to_owned(), name_of(meta).to_owned())
            };
            let there = place(&own);
            let at = objects.partition_point(|object| place(object) < there);
            objects.insert(at, own);
        }
        objects.retain(|object| {
            is_meant(namespace_of(object.metadata())) && self.selection.selects(object)
        });
        let shown = |object: &Object| shown(object, cluster.api());
        objects.iter().map(shown).collect()
    }

    /// One object.
    pub(crate) fn one(kind: &KindInfo, key: &Key, cluster: &dyn Cluster) -> Option<Value> {
        if kind.kind == "Event" {
            let mut events = event::events(cluster.api()).into_iter();
            return events.find(|event| {
                event.text("metadata.name") == key.name()
                    && event.text("metadata.namespace") == key.namespace()
            });
        }
        let api = cluster.api();
        let object = api.get(kind.kind, key);
        let object = object.or_else(|| {
            let service = kubernetes_service::of(kind, api)?;
            let meta = service.metadata();
            let is_it = namespace_of(meta) == key.namespace() && name_of(meta) == key.name();
            is_it.then_some(service)
        });
        Some(shown(&object?, api))
    }
}
