//! When one event counts as a repetition of another.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::audit_log::{Event, Level};
use crate::store::Key;

/// What has to be equal in addition to the component and the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    /// Nothing else.
    Object,
    /// Type, reason, and the version of the object.
    Series,
}

/// An event, compared by its identity.
#[derive(Clone, Debug)]
pub(super) struct EventKey {
    event: Arc<Event>,
    scope: Scope,
    /// Hash of the identity, stored so that a growing table need not recompute it.
    hash: u64,
}

/// Uid of the object (kind and key if it has none), node of the component, component, and what else counts.
type Identity<'a> = (
    Result<&'a str, (&'a str, &'a Key)>,
    [&'a str; 2],
    Option<(bool, &'a str, &'a str)>,
);

impl EventKey {
    pub fn new(event: Arc<Event>, scope: Scope) -> Self {
        let mut key = EventKey {
            event,
            scope,
            hash: 0,
        };
        let mut hasher = DefaultHasher::new();
        key.identity().hash(&mut hasher);
        key.hash = hasher.finish();
        key
    }

    fn identity(&self) -> Identity<'_> {
        let event = &*self.event;
        let object = match event.uid.as_str() {
            "" => Err((event.kind, &event.key)),
            uid => Ok(uid),
        };
        let more = match self.scope {
            Scope::Object => None,
            Scope::Series => Some((
                event.level == Level::Warning,
                &*event.reason,
                event.version.as_deref().unwrap_or_default(),
            )),
        };
        (object, [&event.host, &*event.source], more)
    }
}

impl PartialEq for EventKey {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.identity() == other.identity()
    }
}

impl Eq for EventKey {}

impl Hash for EventKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}
