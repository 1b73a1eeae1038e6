//! Numbers in place of uids: which objects are the same is all that they say.

use std::collections::BTreeMap;

use serde_json::Value;

/// Fields and labels that hold a uid.
const HOLDERS: [&str; 3] = [
    "batch.kubernetes.io/controller-uid",
    "controller-uid",
    "uid",
];

/// The uids that were met, by their numbers.
#[derive(Debug, Default)]
pub struct Uids {
    known: BTreeMap<String, usize>,
}

impl Uids {
    /// Replaces all uids in a value; equal ones stay equal.
    pub fn number(&mut self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.number(item)),
            Value::Object(map) => {
                for (key, value) in map {
                    match value {
                        Value::String(uid) if HOLDERS.contains(&key.as_str()) => {
                            let next = self.known.len() + 1;
                            let number = *self.known.entry(std::mem::take(uid)).or_insert(next);
                            *uid = number.to_string();
                        }
                        value => self.number(value),
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Uids;

    #[test]
    fn equal_uids_stay_equal() {
        let mut uids = Uids::default();
        let mut pod = json!({"metadata": {"uid": "p", "ownerReferences": [{"uid": "r"}], "labels": {"controller-uid": "r"}}});
        let mut owner = json!({"metadata": {"uid": "r", "name": "uid"}});
        uids.number(&mut pod);
        uids.number(&mut owner);
        assert_eq!(
            pod,
            json!({"metadata": {"uid": "1", "ownerReferences": [{"uid": "2"}], "labels": {"controller-uid": "2"}}})
        );
        assert_eq!(owner, json!({"metadata": {"uid": "2", "name": "uid"}}));
    }
}
