//! The API server's log of writes and events, in order.

use std::borrow::Cow;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::{ControllerRevision, ReplicaSet};

use super::store::{Change, Key, Object, Stored, uid_of};
use berth_core::api::prepare::node_fit::target_node;
use berth_protocol::happening::{Initial, Write};

/// A write or an event.
#[derive(Clone, Debug)]
pub enum AuditEntry {
    /// An object was created; holds its initial state.
    Created(Object),
    /// An object was deleted; it may still be in its grace period.
    Deleted {
        kind: &'static str,
        key: Key,
    },
    /// `spec.replicas` of a ReplicaSet changed.
    Scaled {
        key: Key,
        from: i32,
        to: i32,
    },
    /// A Pod was bound.
    Bound {
        key: Key,
        node: String,
    },
    /// An old ControllerRevision became the newest again.
    Renumbered {
        key: Key,
        from: i64,
        to: i64,
    },
    Event(Arc<Event>),
}

impl AuditEntry {
    /// The entry of an update, if it has one.
    pub(super) fn of_update(change: &Change) -> Option<AuditEntry> {
        let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
        let key = || change.key.clone();
        if let (Some(before), Some(after)) = (ReplicaSet::unwrap(before), ReplicaSet::unwrap(after))
        {
            let replicas = |set: &ReplicaSet| set.spec.as_ref().and_then(|spec| spec.replicas);
            let (from, to) = (replicas(before).unwrap_or(1), replicas(after).unwrap_or(1));
            return (from != to).then(|| AuditEntry::Scaled {
                key: key(),
                from,
                to,
            });
        }
        let before = ControllerRevision::unwrap(before)?;
        let after = ControllerRevision::unwrap(after)?;
        let (from, to) = (before.revision, after.revision);
        (from != to).then(|| AuditEntry::Renumbered {
            key: key(),
            from,
            to,
        })
    }

    /// The write, with objects named by `name`; `None` for events, and for new claims.
    pub fn write(&self, name: impl Fn(&Key) -> String) -> Option<Write> {
        Some(match self {
            AuditEntry::Created(object) => Write::Create {
                with: match object {
                    Object::ReplicaSet(set) => {
                        let replicas = set.spec.as_ref().and_then(|spec| spec.replicas);
                        Some(Initial::Replicas(replicas.unwrap_or(1)))
                    }
                    Object::ControllerRevision(it) => Some(Initial::Revision(it.revision)),
                    Object::Pod(pod) => {
                        let node = pod.spec.as_ref().and_then(target_node);
                        node.map(|node| Initial::Node(node.to_string()))
                    }
                    Object::PersistentVolumeClaim(_) => return None,
                    _ => None,
                },
                object: name(&Key::of(object.metadata())),
                object_kind: object.kind().to_owned(),
            },
            AuditEntry::Deleted { kind, key } => Write::Delete {
                object_kind: (*kind).to_owned(),
                object: name(key),
            },
            AuditEntry::Scaled { key, from, to } => Write::Scale {
                object: name(key),
                from: *from,
                to: *to,
            },
            AuditEntry::Bound { key, node } => Write::Bind {
                pod: name(key),
                node: node.clone(),
            },
            AuditEntry::Renumbered { key, from, to } => Write::Renumber {
                object: name(key),
                from: *from,
                to: *to,
            },
            AuditEntry::Event(_) => return None,
        })
    }

    /// The write in the notation of the recordings.
    pub fn line(&self, name: impl Fn(&Key) -> String) -> Option<String> {
        Some(self.write(name)?.to_string())
    }
}

/// An event of an object, as `kubectl describe` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Kind, key and uid of the object that it is about.
    pub kind: &'static str,
    pub key: Key,
    pub uid: String,
    pub level: Level,
    pub reason: Cow<'static, str>,
    pub message: String,
    /// The reporting component. If empty, the current one ([`super::server::ApiServer::set_component`]).
    pub source: Cow<'static, str>,
    /// The node of that component; empty if it does not belong to one.
    pub host: String,
    /// The object's resourceVersion as the scheduler saw it: its recorder distinguishes versions. `None` for other
    /// components.
    pub version: Option<String>,
}

/// The `type` of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Normal,
    Warning,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Normal => "Normal",
            Level::Warning => "Warning",
        }
    }
}

impl Event {
    /// An event of this object.
    pub fn new<T: Stored>(
        object: &T,
        level: Level,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        let meta = object.metadata();
        Self::about(T::KIND, Key::of(meta), uid_of(meta), level, reason, message)
    }

    /// An event of an object that need not exist anymore.
    pub fn about(
        kind: &'static str,
        key: Key,
        uid: impl Into<String>,
        level: Level,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Event {
            kind,
            key,
            uid: uid.into(),
            level,
            reason: reason.into(),
            message: message.into(),
            source: Cow::Borrowed(""),
            host: String::new(),
            version: None,
        }
    }

    /// An event of this object, reported by a scheduler: each profile has a recorder of its own name.
    pub fn scheduling<T: Stored>(
        object: &T,
        level: Level,
        reason: &'static str,
        message: impl Into<String>,
        scheduler: String,
    ) -> Self {
        let version = object.metadata().resource_version.clone();
        Event {
            source: scheduler.into(),
            version: Some(version.unwrap_or_default()),
            ..Self::new(object, level, reason, message)
        }
    }

    /// The same, reported by a component of a node.
    pub fn at(mut self, source: impl Into<Cow<'static, str>>, host: impl Into<String>) -> Self {
        self.source = source.into();
        self.host = host.into();
        self
    }
}
