//! Shortens manifests for a link: without comments, and without the status that a dump has and scheduling ignores.

use serde_json::{Map, Value};

use super::yaml;

/// What is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaveOut {
    /// Comments, and the author's layout with them.
    pub comments: bool,
    /// Fields that only the cluster writes, unless they decide where Pods go.
    pub status: bool,
}

/// Fields of `metadata` that only the cluster writes.
const METADATA: [&str; 4] = ["managedFields", "resourceVersion", "selfLink", "generation"];
/// `kubectl apply` keeps the whole manifest in this annotation.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Kinds without any status that matters here.
const NO_STATUS: [&str; 7] = [
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "CronJob",
    "Service",
    "HorizontalPodAutoscaler",
];
/// The fields of a Node's and a Pod's status that scheduling, kubelets or controllers read.
const OF_NODE: [&str; 6] = [
    "allocatable",
    "capacity",
    "conditions",
    "images",
    "volumesAttached",
    "volumesInUse",
];
const OF_POD: [&str; 8] = [
    "phase",
    "nominatedNodeName",
    "conditions",
    "containerStatuses",
    "initContainerStatuses",
    "resourceClaimStatuses",
    "startTime",
    "resize",
];

/// Fields of a container's status that identify it, or repeat its spec.
const OF_RUNNING: [&str; 5] = [
    "containerID",
    "imageID",
    "image",
    "lastState",
    "volumeMounts",
];
/// How the name of a service account token's volume begins.
const TOKEN: &str = "kube-api-access-";

/// The manifests of `text` without what is left out. Documents that cannot be read stay as they are.
pub fn compact(text: &str, leave_out: LeaveOut) -> String {
    if leave_out == LeaveOut::default() {
        return text.to_owned();
    }
    let documents = yaml::documents(text);
    let mut parts = Vec::new();
    let mut has_changed = false;
    for chunk in &documents {
        let part = text.get(chunk.range.clone()).unwrap_or_default();
        let Ok(parsed) = yaml::parse(part) else {
            parts.push(part.trim_matches('\n').to_owned());
            continue;
        };
        let mut value = parsed.value;
        let stripped = leave_out.status && strip_status(&mut value);
        has_changed |= stripped || leave_out.comments;
        parts.push(if stripped || leave_out.comments {
            yaml::emit(&value).trim_end().to_owned()
        } else {
            part.trim_matches('\n').to_owned()
        });
    }
    if !has_changed {
        return text.to_owned();
    }
    let mut text = parts.join("\n---\n");
    text.push('\n');
    text
}

/// The number of documents, with the items of a list each by itself.
pub fn count_documents(text: &str) -> usize {
    let chunks = yaml::documents(text);
    let count = chunks.iter().map(|chunk| {
        let part = text.get(chunk.range.clone()).unwrap_or_default();
        let parsed = yaml::parse(part).ok();
        let items = parsed.and_then(|parsed| Some(parsed.value.get("items")?.as_array()?.len()));
        items.unwrap_or(1)
    });
    count.sum()
}

/// Whether there are comments, which may also follow a value. A `#` in quotes or in a block scalar is none.
pub fn has_comments(text: &str) -> bool {
    let mut quote = None;
    // Lines that are further in than this belong to a block scalar.
    let mut block: Option<usize> = None;
    text.lines().any(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_inside = |parent: &usize| indent > *parent || line.trim().is_empty();
        if block.as_ref().is_some_and(is_inside) {
            return false;
        }
        block = None;
        let is_comment = reads_comment(line, &mut quote);
        if quote.is_none() && !is_comment {
            block = block_scalar(line);
        }
        is_comment
    })
}

/// Whether a comment begins in a line. `quote`: the quote that is open before the line, and after it.
fn reads_comment(line: &str, quote: &mut Option<char>) -> bool {
    let mut before = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (*quote, letter) {
            (Some('"'), '\\') => {
                letters.next();
            }
            (Some('\''), '\'') if letters.peek() == Some(&'\'') => {
                letters.next();
            }
            (Some(open), _) if letter == open => *quote = None,
            (Some(_), _) => {}
            (None, '#') if before.is_whitespace() => return true,
            (None, '"' | '\'') if before.is_whitespace() || "[{,:".contains(before) => {
                *quote = Some(letter);
            }
            (None, _) => {}
        }
        before = letter;
    }
    false
}

/// The column of the field or item whose value is a block scalar that begins after this line.
fn block_scalar(line: &str) -> Option<usize> {
    let header = line.split_whitespace().next_back()?;
    let rest = header.strip_prefix(['|', '>'])?;
    if !rest.chars().all(|letter| "+-123456789".contains(letter)) {
        return None;
    }
    let mut field = line.trim_start_matches(' ');
    while let Some(item) = field.strip_prefix("- ").filter(|item| *item != header) {
        field = item.trim_start_matches(' ');
    }
    Some(line.len() - field.len())
}

/// Removes what only the cluster writes, unless it decides where Pods go; whether there was something.
pub fn strip_status(value: &mut Value) -> bool {
    if let Some(Value::Array(items)) = value.get_mut("items") {
        let mut any = false;
        for item in items {
            any |= strip_status(item);
        }
        return any;
    }
    let kind = value.get("kind").and_then(Value::as_str).map(str::to_owned);
    let Some(object) = value.as_object_mut() else {
        return false;
    };
    let mut any = false;
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        for field in METADATA {
            any |= metadata.shift_remove(field).is_some();
        }
        if let Some(Value::Object(annotations)) = metadata.get_mut("annotations") {
            any |= annotations.shift_remove(LAST_APPLIED).is_some();
            if annotations.is_empty() {
                metadata.shift_remove("annotations");
            }
        }
    }
    match kind.as_deref() {
        Some("Node") => any | keep(object, &OF_NODE),
        Some("Pod") => {
            let status = keep(object, &OF_POD) | strip_containers(object);
            any | status | strip_token(object)
        }
        Some(kind) if NO_STATUS.contains(&kind) => any | object.shift_remove("status").is_some(),
        _ => any,
    }
}

/// Removes what identifies running containers.
fn strip_containers(pod: &mut Map<String, Value>) -> bool {
    let Some(Value::Object(status)) = pod.get_mut("status") else {
        return false;
    };
    let mut any = false;
    for list in ["containerStatuses", "initContainerStatuses"] {
        let containers = status.get_mut(list).and_then(Value::as_array_mut);
        let containers = containers.into_iter().flatten();
        for container in containers.filter_map(Value::as_object_mut) {
            for field in OF_RUNNING {
                any |= container.shift_remove(field).is_some();
            }
        }
    }
    any
}

/// Removes the volume of a service account's token, which admission adds to each Pod under a name of its own.
fn strip_token(pod: &mut Map<String, Value>) -> bool {
    let is_token = |item: &Value| {
        let name = item.get("name").and_then(Value::as_str);
        name.is_some_and(|name| name.starts_with(TOKEN))
    };
    let mut any = false;
    let mut without = |map: &mut Map<String, Value>, list: &str| {
        let Some(Value::Array(items)) = map.get_mut(list) else {
            return;
        };
        let before = items.len();
        items.retain(|item| !is_token(item));
        any |= items.len() < before;
        if items.is_empty() && before > 0 {
            map.shift_remove(list);
        }
    };
    let Some(Value::Object(spec)) = pod.get_mut("spec") else {
        return false;
    };
    without(spec, "volumes");
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        let containers = containers.into_iter().flatten();
        for container in containers.filter_map(Value::as_object_mut) {
            without(container, "volumeMounts");
        }
    }
    any
}

/// Keeps only these fields of the status; whether there were others.
fn keep(object: &mut Map<String, Value>, fields: &[&str]) -> bool {
    let Some(Value::Object(status)) = object.get_mut("status") else {
        return false;
    };
    let before = status.len();
    status.retain(|field, _| fields.contains(&field.as_str()));
    let mut any = status.len() < before;
    if let Some(Value::Array(conditions)) = status.get_mut("conditions") {
        for condition in conditions.iter_mut().filter_map(Value::as_object_mut) {
            let before = condition.len();
            condition.retain(|field, _| matches!(field.as_str(), "type" | "status" | "reason"));
            any |= condition.len() < before;
        }
    }
    if status.is_empty() {
        object.shift_remove("status");
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "\
# A dump
apiVersion: v1
kind: Node
metadata: {name: n1, resourceVersion: '7', managedFields: [{manager: kubelet}]}
status:
  allocatable: {cpu: '4'} # four
  nodeInfo: {kubeletVersion: v1.34.1}
  conditions: [{type: Ready, status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z'}]
---
# Not a dump
kind: Pod
metadata: {name: p} # kept
";

    #[test]
    fn server_side_fields_are_removed() {
        let leave_out = LeaveOut {
            status: true,
            ..LeaveOut::default()
        };
        let text = compact(DUMP, leave_out);
        for gone in [
            "resourceVersion",
            "managedFields",
            "nodeInfo",
            "lastHeartbeat",
        ] {
            assert!(!text.contains(gone), "{gone} in {text}");
        }
        for kept in ["cpu: '4'", "type: Ready", "metadata: {name: p} # kept"] {
            assert!(text.contains(kept), "{kept} not in {text}");
        }
    }

    #[test]
    fn without_comments_every_value_is_the_same() {
        let leave_out = LeaveOut {
            comments: true,
            ..LeaveOut::default()
        };
        let text = compact(DUMP, leave_out);
        assert!(!text.contains('#'), "{text}");
        let values = |text: &str| -> Vec<Value> {
            let parsed = yaml::documents(text)
                .into_iter()
                .map(|chunk| yaml::parse(&text[chunk.range]).unwrap().value);
            parsed.collect()
        };
        assert_eq!(values(&text), values(DUMP));
    }

    #[test]
    fn comments_are_told_from_what_looks_like_one() {
        for text in [
            DUMP,
            "# first",
            "a: 1 # last",
            "a: '#' # last",
            "- a: |\n    # in it\n  b: 1 # last",
            "a: \"\\\"\" # last",
            "a: it's # last",
        ] {
            assert!(has_comments(text), "{text}");
        }
        for text in [
            "a: b#c",
            "a: 'it''s # not'",
            "a: \"\\\" # not\"",
            "a: \"one\n  # not\"",
            "- |\n  # not\n\n  # not\n- b",
            "- a: >-\n    # not\n  b: |2\n      # not",
            "[{\"a\": \"# not\"}]",
        ] {
            assert!(!has_comments(text), "{text}");
        }
    }

    #[test]
    fn items_of_lists_are_counted_each() {
        let list = "kind: List\nitems:\n- kind: Node\n- kind: Pod\n";
        assert_eq!(
            count_documents(&format!("{DUMP}---\n{list}---\nkind: [\n")),
            5
        );
        assert_eq!(
            count_documents(r#"{"kind": "List", "items": [{}, {}, {}]}"#),
            3
        );
    }

    #[test]
    fn what_cannot_be_read_and_what_has_nothing_to_leave_out_stays() {
        let broken = "kind: [\n---\nkind: Pod # a comment\n";
        let all = LeaveOut {
            comments: true,
            status: true,
        };
        let text = compact(broken, all);
        assert!(text.starts_with("kind: [\n---\nkind: Pod\n"), "{text}");
        let status = LeaveOut {
            status: true,
            ..LeaveOut::default()
        };
        let plain = "\n\n# only\nkind: Pod\n\n---\n";
        assert_eq!(compact(plain, status), plain);
    }
}
