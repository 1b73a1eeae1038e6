//! Tries to change what a lesson locks: in the manifests, and by kubectl.

use serde_json::{Value, json};

use berth_core::api::kinds::Kind;
use berth_core::api::load::Document;
use berth_core::api::scenario::{Lock, at};
use berth_core::api::yaml;
use berth_protocol::edit::{Edit, EditError, ObjectRef};
use berth_protocol::remark::Remark;
use berth_protocol::rule::LockFault;
use berth_sim::store::Key;

use crate::locks::value;
use crate::session::Session;
use crate::{edit, lesson, simulated};

/// Maximum number of changes that are tried before a lock counts as untested.
const TRIALS: usize = 40;

/// Why a lock does not hold, or cannot be tested; `None` if no change goes through.
pub(super) fn holds(lock: &Lock, mut session: Session) -> Option<LockFault> {
    lesson::settle(&mut session);
    let Some((object, original)) = locked_object(lock, &session) else {
        // Nothing of a kind that is locked as a whole may be added.
        let forbids_all = lock.name.is_none() && lock.path.is_none();
        return (!forbids_all).then_some(LockFault::NoObject);
    };
    if lock.path.is_none() {
        let deletion = Edit::Delete {
            object: object.clone(),
        };
        if edit::make(&mut session, &[deletion]).is_ok() {
            return Some(LockFault::Deletes);
        }
    }
    let is_locked = |error: &EditError| {
        let locked = Remark::locked(lock.to_string());
        let removed = Remark::locked_object(lock.to_string(), &*object.name);
        error.message == locked || error.message == removed
    };
    let mut other = Remark::default();
    for trial in trials(&original, lock).into_iter().take(TRIALS) {
        match lesson::write_manifests(&mut session, &yaml::emit(&trial.object)) {
            Ok(()) => return Some(LockFault::Changes),
            Err(error) if is_locked(&error) => {
                Kind::of_name(&object.kind)?;
                let line = trial.command(&object, lock);
                return try_command(&line, &object, lock, &mut session);
            }
            // Invalid for another reason.
            Err(error) => other = error.remark(),
        }
    }
    Some(LockFault::Untested { why: other })
}

fn try_command(
    line: &str,
    object: &ObjectRef,
    lock: &Lock,
    session: &mut Session,
) -> Option<LockFault> {
    simulated::set_simulated(session, true);
    let path = lock.path.as_deref().unwrap_or("metadata.annotations");
    let before = stored(object, path, session);
    let output = simulated::command(session, line);
    // The API server fills some fields in again.
    let has_changed = stored(object, path, session) != before;
    has_changed.then(|| LockFault::Command {
        line: line.to_owned(),
        printed: output.all().trim_end().to_owned(),
    })
}

/// A field of an object in the simulated cluster.
fn stored(object: &ObjectRef, path: &str, session: &Session) -> Option<Value> {
    let namespace = match Kind::of_name(&object.kind)?.info().namespaced {
        true => object.namespace_or_default(),
        false => "",
    };
    let key = Key::new(namespace, &object.name);
    let stored = session
        .simulated_cluster()?
        .api()
        .store()
        .get(&object.kind, &key)?;
    at(&stored.to_json(), path).cloned()
}

/// An object of the manifests that a lock concerns; if a field is locked, preferably one that has it.
fn locked_object(lock: &Lock, session: &Session) -> Option<(ObjectRef, Value)> {
    let is_of = |document: &&Document| {
        let namespace = document.namespace.as_deref().unwrap_or_default();
        lock.is_of(&document.kind, namespace, &document.name)
    };
    let mut objects = session
        .manifests()
        .loaded
        .documents
        .iter()
        .filter(is_of)
        .filter_map(|document| Some((document.reference(), value(document)?)));
    let has_field = |object: &Value| {
        let path = lock.path.as_deref();
        path.is_none_or(|path| at(object, path).is_some())
    };
    let first = objects.next()?;
    match has_field(&first.1) {
        true => Some(first),
        false => Some(
            objects
                .find(|(_, object)| has_field(object))
                .unwrap_or(first),
        ),
    }
}

/// A change to try.
struct Trial {
    object: Value,
    /// The new value of the locked field; `None`: it is removed.
    field: Option<Value>,
    had_field: bool,
}

impl Trial {
    /// The command that makes the same change.
    fn command(&self, object: &ObjectRef, lock: &Lock) -> String {
        let ObjectRef { kind, name, .. } = object;
        let namespace = match object.namespace.as_str() {
            "" => String::new(),
            namespace => format!(" -n {namespace}"),
        };
        let Some(path) = &lock.path else {
            return format!("kubectl annotate {kind} {name}{namespace} berth.dev/try=tried");
        };
        let pointer = yaml::segments(path)
            .into_iter()
            .map(|segment| segment.replace('~', "~0").replace('/', "~1"))
            .fold(String::new(), |path, segment| format!("{path}/{segment}"));
        let patch = match (&self.field, self.had_field) {
            (None, _) => json!([{"op": "remove", "path": pointer}]),
            (Some(field), true) => json!([{"op": "replace", "path": pointer, "value": field}]),
            (Some(field), false) => json!([{"op": "add", "path": pointer, "value": field}]),
        };
        let patch = patch.to_string().replace('\'', r"'\''");
        format!("kubectl patch {kind} {name}{namespace} --type=json -p '{patch}'")
    }
}

/// Changes of an object that a lock forbids; some may be invalid anyway.
fn trials(original: &Value, lock: &Lock) -> Vec<Trial> {
    let Some(path) = &lock.path else {
        let mut object = original.clone();
        let place = match object.get_mut("metadata") {
            Some(metadata) => place(metadata, &["annotations", "berth.dev/try"]),
            None => place(&mut object, &["berthTry"]),
        };
        if let Some(place) = place {
            *place = json!("tried");
        }
        return vec![Trial {
            object,
            field: None,
            had_field: true,
        }];
    };
    let old = at(original, path);
    let fields: Vec<Option<Value>> = match old {
        Some(old) => [None]
            .into_iter()
            .chain(variants(old).into_iter().map(Some))
            .collect(),
        None => likely().into_iter().map(Some).collect(),
    };
    let made = fields.into_iter().filter_map(|field| {
        let mut object = original.clone();
        *place(&mut object, &yaml::segments(path))? = field.clone().unwrap_or_default();
        Some(Trial {
            object,
            field,
            had_field: old.is_some(),
        })
    });
    made.collect()
}

/// The value at a path; missing maps are created.
fn place<'v>(value: &'v mut Value, segments: &[&str]) -> Option<&'v mut Value> {
    let mut found = value;
    for segment in segments {
        if found.is_null() {
            *found = json!({});
        }
        found = match found {
            Value::Array(items) => items.get_mut(segment.parse::<usize>().ok()?)?,
            Value::Object(fields) => fields.entry(*segment).or_insert(Value::Null),
            _ => return None,
        };
    }
    Some(found)
}

/// Copies of a value, in each of which one leaf differs.
fn variants(value: &Value) -> Vec<Value> {
    match value {
        // A leading 1 keeps names, labels and quantities valid.
        Value::String(text) => vec![json!(format!("1{text}"))],
        Value::Number(number) => vec![json!(number.as_i64().unwrap_or(0) + 1)],
        Value::Bool(is_true) => vec![json!(!is_true)],
        Value::Null => Vec::new(),
        Value::Array(items) => {
            let changed = items.iter().enumerate().flat_map(|(index, item)| {
                variants(item).into_iter().map(move |item| (index, item))
            });
            changed
                .map(|(index, item)| {
                    let mut items = items.clone();
                    if let Some(own) = items.get_mut(index) {
                        *own = item;
                    }
                    Value::Array(items)
                })
                .collect()
        }
        Value::Object(fields) => {
            let changed = fields.iter().flat_map(|(name, field)| {
                variants(field)
                    .into_iter()
                    .map(move |field| (name.clone(), field))
            });
            changed
                .map(|(name, field)| {
                    let mut fields = fields.clone();
                    fields.insert(name, field);
                    Value::Object(fields)
                })
                .collect()
        }
    }
}

/// Values of which one suits most fields.
fn likely() -> Vec<Value> {
    vec![
        json!({"berth.dev/try": "tried"}),
        json!([{"key": "berth.dev/try", "effect": "NoSchedule"}]),
        json!([{"operator": "Exists"}]),
        json!([{
            "maxSkew": 1, "topologyKey": "berth.dev/try", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {},
        }]),
        json!({"nodeAffinity": {}}),
        json!("tried"),
        json!(true),
        json!(1),
    ]
}
