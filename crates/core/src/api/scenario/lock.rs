//! What a learner may not change.

use std::fmt;

use serde_json::Value;

use super::condition::at;

/// `Kind`, `Kind/name` or `Kind/namespace/name`, each optionally with `.field.path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    pub kind: String,
    /// `None`: all objects of the kind.
    pub name: Option<String>,
    /// Empty: `default`, or none for kinds without namespaces.
    pub namespace: String,
    /// `None`: the whole object.
    pub path: Option<String>,
}

impl Lock {
    /// Reads a lock; `None` if the text is not a lock.
    pub fn parse(text: &str) -> Option<Self> {
        // Kinds have no dots; the names that lessons lock have none either.
        let (object, path) = match text.split_once('.') {
            Some((object, path)) => (object, Some(path.to_owned())),
            None => (text, None),
        };
        let parts: Vec<&str> = object.split('/').collect();
        let (kind, namespace, name) = match parts.as_slice() {
            [kind] => (*kind, "", None),
            [kind, name] => (*kind, "", Some((*name).to_owned())),
            [kind, namespace, name] => (*kind, *namespace, Some((*name).to_owned())),
            _ => return None,
        };
        let is_whole = !parts.iter().any(|part| part.is_empty());
        let has_path = path.as_ref().is_none_or(|path| !path.is_empty());
        (is_whole && has_path).then(|| Self {
            kind: kind.to_owned(),
            name,
            namespace: namespace.to_owned(),
            path,
        })
    }

    /// Whether it concerns an object. An empty namespace counts as `default`.
    pub fn is_of(&self, kind: &str, namespace: &str, name: &str) -> bool {
        let full = |namespace: &str| match namespace {
            "" => "default".to_owned(),
            namespace => namespace.to_owned(),
        };
        self.kind == kind
            && self.name.as_deref().is_none_or(|own| own == name)
            && (self.name.is_none() || full(&self.namespace) == full(namespace))
    }

    /// Whether it forbids this change of an object that it concerns; `None` is an object that is not there.
    /// `original`: the object at the start, whose field an object that comes back must have.
    pub fn forbids(
        &self,
        original: Option<&Value>,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> bool {
        let Some(path) = &self.path else {
            return before != after;
        };
        // Components may have changed the field since the start.
        let (Some(before), Some(after)) = (before.or(original), after) else {
            return false;
        };
        at(before, path) != at(after, path)
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if let Some(name) = &self.name {
            if !self.namespace.is_empty() {
                write!(f, "/{}", self.namespace)?;
            }
            write!(f, "/{name}")?;
        }
        match &self.path {
            Some(path) => write!(f, ".{path}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_lock_is_read_and_written_alike() {
        for text in [
            "Node",
            "Pod/db",
            "Pod/shop/db",
            "Pod/db.spec.tolerations",
            "Node.status.allocatable",
        ] {
            assert_eq!(Lock::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "Pod/", "Pod/a/b/c", "Pod/db."] {
            assert_eq!(Lock::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_field_is_locked_at_its_first_value() {
        let lock = Lock::parse("Pod/db.spec.priority").unwrap();
        assert!(lock.is_of("Pod", "default", "db"));
        assert!(!lock.is_of("Pod", "shop", "db"));
        let (one, two) = (
            json!({"spec": {"priority": 1}}),
            json!({"spec": {"priority": 2}}),
        );
        let other = json!({"spec": {"priority": 1, "nodeName": "n1"}});
        assert!(lock.forbids(Some(&one), Some(&one), Some(&two)));
        assert!(!lock.forbids(Some(&one), Some(&one), Some(&other)));
        assert!(!lock.forbids(Some(&one), Some(&one), None));
        assert!(lock.forbids(Some(&one), None, Some(&two)));
        let whole = Lock::parse("Pod").unwrap();
        assert!(whole.forbids(None, None, Some(&one)));
        assert!(whole.forbids(Some(&one), Some(&one), None));
    }
}
