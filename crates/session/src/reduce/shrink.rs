//! Delta debugging of documents: leaves parts out while what must hold does, the largest parts first, until no part can go.
//!
//! The shape is a conversation, so that trials can be counted, shown and stopped: [`Shrink::candidate`] proposes, and
//! [`Shrink::answer`] takes the verdict.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// A step on the way to a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Index(usize),
    Key(String),
}

/// The way to a part: the index of its document, then the steps to the field or item.
type Path = Vec<Step>;

/// Fields that make an object what it is. Without `nodeName`, a Pod that runs would wait.
const FIXED: [(&str, &str); 6] = [
    ("", "apiVersion"),
    ("", "kind"),
    ("", "metadata"),
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("spec", "nodeName"),
];

/// Documents that become fewer and smaller.
pub(super) struct Shrink {
    /// The documents at the beginning of this pass.
    documents: Vec<Value>,
    /// How many of the first documents stay as they are.
    kept: usize,
    removed: BTreeSet<Path>,
    /// Groups of parts that are tried together, the next one last.
    groups: Vec<Vec<Path>>,
    /// Parts are tried one by one: all that is left has been tried in groups.
    is_by_part: bool,
}

impl Shrink {
    /// Leaves the first `kept` documents as they are. `is_by_part`: tries no groups, as for documents that are small already.
    pub fn new(documents: Vec<Value>, kept: usize, is_by_part: bool) -> Self {
        let mut shrink = Self {
            documents,
            kept,
            removed: BTreeSet::new(),
            groups: Vec::new(),
            is_by_part,
        };
        shrink.begin_pass();
        shrink
    }

    fn begin_pass(&mut self) {
        self.documents = self.documents();
        self.removed.clear();
        let documents = self.kept..self.documents.len();
        self.push(documents.map(|index| vec![Step::Index(index)]).collect());
    }

    fn push(&mut self, parts: Vec<Path>) {
        match self.is_by_part {
            // The last document first: names of what stays are then met by the first.
            true => self.groups.extend(parts.into_iter().map(|part| vec![part])),
            false if !parts.is_empty() => self.groups.push(parts),
            false => {}
        }
    }

    /// The documents without the parts that are tried next; `None` if no part can go.
    pub fn candidate(&mut self) -> Option<Vec<Value>> {
        loop {
            let Some(mut group) = self.groups.pop() else {
                if self.removed.is_empty() && self.is_by_part {
                    return None;
                }
                self.is_by_part = true;
                self.begin_pass();
                if self.groups.is_empty() {
                    return None;
                }
                continue;
            };
            group.retain(|part| !is_within(part, &self.removed));
            if group.is_empty() {
                continue;
            }
            let tried = group.iter().cloned().collect::<BTreeSet<Path>>();
            self.groups.push(group);
            let removed = self.removed.union(&tried).cloned().collect();
            return Some(without(&self.documents, &removed));
        }
    }

    /// Whether the last candidate holds.
    pub fn answer(&mut self, holds: bool) {
        let Some(group) = self.groups.pop() else {
            return;
        };
        if holds {
            self.removed.extend(group);
            return;
        }
        if let [part] = group.as_slice() {
            let children = self.children(part);
            self.push(children);
            return;
        }
        let (first, second) = group.split_at(group.len() / 2);
        self.groups.push(first.to_vec());
        self.groups.push(second.to_vec());
    }

    /// The documents without all that could go so far.
    pub fn documents(&self) -> Vec<Value> {
        without(&self.documents, &self.removed)
    }

    fn children(&self, part: &Path) -> Vec<Path> {
        let mut value: Option<&Value> = None;
        let mut within = String::new();
        for (depth, step) in part.iter().enumerate() {
            value = match (value, step) {
                (None, Step::Index(index)) if depth == 0 => self.documents.get(*index),
                (Some(Value::Array(list)), Step::Index(index)) => list.get(*index),
                (Some(Value::Object(map)), Step::Key(key)) => map.get(key),
                _ => None,
            };
            if let (Step::Key(key), 1) = (step, depth) {
                within.clone_from(key);
            }
        }
        let is_fixed = |key: &str| part.len() < 3 && FIXED.contains(&(within.as_str(), key));
        let steps: Vec<Step> = match value {
            Some(Value::Array(list)) => (0..list.len()).map(Step::Index).collect(),
            Some(Value::Object(map)) => map
                .keys()
                .filter(|key| !is_fixed(key))
                .map(|key| Step::Key(key.clone()))
                .collect(),
            _ => Vec::new(),
        };
        let mut children: Vec<Path> = steps
            .into_iter()
            .map(|step| part.iter().cloned().chain([step]).collect())
            .collect();
        // Of an object, its metadata stay, but not all that is in them.
        if part.len() == 1 {
            let metadata = Step::Key("metadata".to_owned());
            let metadata: Path = part.iter().cloned().chain([metadata]).collect();
            children.extend(self.children(&metadata));
        }
        children
    }
}

/// Whether the part or one that it is in was removed.
fn is_within(part: &Path, removed: &BTreeSet<Path>) -> bool {
    (1..=part.len()).any(|length| part.get(..length).is_some_and(|it| removed.contains(it)))
}

fn without(documents: &[Value], removed: &BTreeSet<Path>) -> Vec<Value> {
    let mut path = Vec::new();
    kept_items(documents, &mut path, removed)
}

fn kept_items(items: &[Value], path: &mut Path, removed: &BTreeSet<Path>) -> Vec<Value> {
    let items = items.iter().enumerate();
    let kept = items.filter_map(|(index, item)| kept(item, Step::Index(index), path, removed));
    kept.collect()
}

/// What is left of a part; `None` if it was removed.
fn kept(value: &Value, step: Step, path: &mut Path, removed: &BTreeSet<Path>) -> Option<Value> {
    path.push(step);
    let left = (!removed.contains(path)).then(|| match value {
        Value::Array(items) => Value::Array(kept_items(items, path, removed)),
        Value::Object(map) => {
            let entries = map.iter().filter_map(|(key, value)| {
                let value = kept(value, Step::Key(key.clone()), path, removed)?;
                Some((key.clone(), value))
            });
            Value::Object(entries.collect::<Map<String, Value>>())
        }
        scalar => scalar.clone(),
    });
    path.pop();
    left
}

#[cfg(test)]
mod tests {
    use super::Shrink;
    use serde_json::{Value, json};

    fn shrunk(documents: Vec<Value>, holds: impl Fn(&[Value]) -> bool) -> (Vec<Value>, usize) {
        let mut shrink = Shrink::new(documents, 1, false);
        let mut trials = 0;
        while let Some(candidate) = shrink.candidate() {
            trials += 1;
            shrink.answer(holds(&candidate));
        }
        (shrink.documents(), trials)
    }

    #[test]
    fn only_what_is_needed_stays() {
        let node = |name: &str| {
            json!({"kind": "Node", "metadata": {"name": name, "labels": {"a": "1", "b": "2"}},
                "spec": {"taints": [{"key": "x"}, {"key": "y"}]}})
        };
        let all = (0..100).map(|index| node(&format!("n{index}")));
        let documents: Vec<Value> = [json!({"kind": "Scenario"})]
            .into_iter()
            .chain(all)
            .collect();
        let holds = |documents: &[Value]| {
            let is_there = |name: &str| documents.iter().any(|it| it["metadata"]["name"] == name);
            let needed = |it: &Value| {
                it["metadata"]["name"] == "n70"
                    && it["spec"]["taints"].to_string().contains("\"y\"")
            };
            is_there("n7") && documents.iter().any(needed)
        };
        let (left, trials) = shrunk(documents, holds);
        assert_eq!(
            left,
            [
                json!({"kind": "Scenario"}),
                json!({"kind": "Node", "metadata": {"name": "n7"}}),
                json!({"kind": "Node", "metadata": {"name": "n70"}, "spec": {"taints": [{"key": "y"}]}}),
            ]
        );
        assert!(trials < 70, "{trials}");
    }

    #[test]
    fn what_can_go_only_after_another_part_goes_in_a_later_pass() {
        let document = json!({"kind": "A", "a": 1, "b": 2, "c": 3});
        // `c` needs `b`.
        let holds =
            |it: &[Value]| it.len() == 2 && (it[1].get("c").is_none() || it[1].get("b").is_some());
        let (left, _) = shrunk(vec![json!({}), document], holds);
        assert_eq!(left[1], json!({"kind": "A"}));
    }
}
