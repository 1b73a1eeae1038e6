//! The objects of a session's manifests, to be written to files.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use berth_core::api::kinds::Kind;
use berth_core::api::object::Manifest;
use berth_core::api::yaml;

use super::standing_alone;
use crate::session::Session;
use crate::simulated::to_json;

/// A file's name and text.
pub type File = (String, String);

/// The file with the KubeSchedulerConfiguration.
pub(super) const SCHEDULER: &str = "scheduler.yaml";

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// An object to write.
pub(super) struct Written {
    pub kind: Kind,
    /// Empty for kinds without namespaces.
    pub namespace: String,
    pub value: Value,
    /// As its author wrote it, and what was read from that.
    original: Option<(String, Value)>,
}

impl Written {
    /// The objects that its `ownerReferences` name.
    pub fn owners(&self) -> impl Iterator<Item = &Value> {
        let owners = self.value.pointer("/metadata/ownerReferences");
        owners.and_then(Value::as_array).into_iter().flatten()
    }

    /// A Pod that has ended: it takes no room, and would run again.
    pub fn has_ended(&self) -> bool {
        self.kind == Kind::Pod && matches!(self.text("/status/phase"), "Failed" | "Succeeded")
    }

    /// The text at a path; empty if there is none.
    pub fn text(&self, pointer: &str) -> &str {
        let text = self.value.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    /// The document: the author's own, with comments, as long as nothing in it has changed.
    fn document(&self) -> String {
        match &self.original {
            Some((text, value)) if *value == self.value => text.clone(),
            _ => yaml::emit(&self.value).trim_end().to_owned(),
        }
    }
}

/// The objects that Berth reads, as they were written: namespaces first, and last what makes Pods. Namespaces that the
/// objects need and the manifests lack are added.
pub(super) fn objects(session: &Session) -> Vec<Written> {
    let loaded = &session.manifests().loaded;
    let mut seen = BTreeSet::new();
    let mut objects = Vec::new();
    for document in &loaded.documents {
        let object = document.object.as_deref();
        let Some((object, (kind, _))) = object.and_then(|object| Some((object, object.object()?)))
        else {
            continue;
        };
        let (_, namespace, name) = document.key();
        // Of several documents for one object, the first counts.
        if !seen.insert((kind as usize, namespace, name)) {
            continue;
        }
        let text = loaded.text(&document.source).trim_matches('\n');
        let text = standing_alone(text, document.source.start.column);
        // An item of a list may refer to an anchor in another one.
        let parsed = yaml::parse(&text).ok().map(|parsed| parsed.value);
        objects.push(Written {
            kind,
            namespace: namespace.to_owned(),
            value: parsed.clone().unwrap_or_else(|| to_json(object)),
            original: parsed.map(|value| (text, value)),
        });
    }
    objects.extend(lacking(&objects));
    objects.sort_by_key(|object| turn(object.kind));
    objects
}

/// The KubeSchedulerConfiguration, if there is one.
pub(super) fn scheduler(session: &Session) -> Option<File> {
    let loaded = &session.manifests().loaded;
    let document = loaded.documents.iter().find(|document| {
        let object = document.object.as_deref();
        matches!(object, Some(Manifest::SchedulerConfiguration(_)))
    })?;
    let text = loaded.text(&document.source).trim_matches('\n');
    Some((SCHEDULER.to_owned(), text.to_owned() + "\n"))
}

/// A file of documents; `None` if there are none.
pub(super) fn file<'w>(name: &str, objects: impl IntoIterator<Item = &'w Written>) -> Option<File> {
    let documents: Vec<String> = objects.into_iter().map(Written::document).collect();
    (!documents.is_empty()).then(|| (name.to_owned(), documents.join("\n---\n") + "\n"))
}

/// The namespaces that the objects need and that are not among them.
fn lacking(objects: &[Written]) -> Vec<Written> {
    let there = objects
        .iter()
        .filter(|object| object.kind == Kind::Namespace);
    let there: BTreeSet<&str> = there.map(|object| object.text("/metadata/name")).collect();
    let needed: BTreeSet<&str> = objects
        .iter()
        .map(|object| object.namespace.as_str())
        .collect();
    let needed = needed
        .into_iter()
        .filter(|name| !name.is_empty() && !NAMESPACES.contains(name) && !there.contains(name));
    let namespace = |name: &str| Written {
        kind: Kind::Namespace,
        namespace: String::new(),
        value: json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        original: None,
    };
    needed.map(namespace).collect()
}

/// When an object's turn is: a server refuses objects in a namespace that is not there, and Pods of a class that is not.
fn turn(kind: Kind) -> u8 {
    match kind {
        Kind::Namespace => 0,
        Kind::Pod
        | Kind::Deployment
        | Kind::ReplicaSet
        | Kind::StatefulSet
        | Kind::DaemonSet
        | Kind::Job
        | Kind::CronJob
        | Kind::ReplicationController => 2,
        _ => 1,
    }
}
