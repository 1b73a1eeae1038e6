//! Leaves private text out of objects that came from a cluster, before they are shared: what nothing here reads.
//!
//! An object came from a cluster if it has a `metadata.uid`. What was written by hand stays whole.

use serde_json::{Map, Value};

use super::server_set::is_dumped;
use super::yaml;

/// What stands for arguments.
const PLACEHOLDER: &str = "…";

/// Annotations that the scheduler, controllers, kubelets and kubectl read, by prefix.
const READ: [&str; 19] = [
    "batch.kubernetes.io/",
    "berth.dev/",
    "control-plane.alpha.kubernetes.io/leader",
    "controller.kubernetes.io/pod-deletion-cost",
    "deployment.kubernetes.io/",
    "deprecated.daemonset.template.generation",
    "endpoints.kubernetes.io/",
    "kubectl.kubernetes.io/default-container",
    "kubectl.kubernetes.io/restartedAt",
    "kubernetes.io/change-cause",
    "kubernetes.io/config.",
    "kubernetes.io/service-account.name",
    "pv.kubernetes.io/",
    "resource.kubernetes.io/",
    "storage.alpha.kubernetes.io/migrated-plugins",
    "storageclass.beta.kubernetes.io/",
    "storageclass.kubernetes.io/",
    "volume.beta.kubernetes.io/",
    "volume.kubernetes.io/",
];

/// Lists of containers in the spec of a Pod.
const CONTAINERS: [&str; 3] = ["containers", "ephemeralContainers", "initContainers"];

/// Words of scripts that say nothing, and whose effect kubelets simulate.
const SCRIPT: [&str; 29] = [
    "&&",
    "/dev/null",
    "/tmp/healthy",
    "/tmp/ready",
    ":",
    "bash",
    "cat",
    "do",
    "done",
    "echo",
    "else",
    "exec",
    "exit",
    "false",
    "fi",
    "for",
    "if",
    "in",
    "infinity",
    "rm",
    "sh",
    "sleep",
    "tail",
    "then",
    "touch",
    "true",
    "until",
    "while",
    "||",
];

/// A text without what is private, and the number of objects that came from a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    pub text: String,
    pub objects: usize,
}

/// The manifests of `text` without what is private; `None` if no object came from a cluster. Documents that cannot be
/// read stay as they are, and those without such objects keep their layout.
#[inline(never)]
pub fn redact(text: &str) -> Option<Redacted> {
    if !text.contains("uid") {
        return None;
    }
    let mut objects = 0;
    let mut parts = Vec::new();
    for chunk in yaml::documents(text) {
        let part = text.get(chunk.range).unwrap_or_default();
        let before = objects;
        let value = yaml::parse(part).ok().map(|parsed| {
            let mut value = parsed.value;
            objects += redact_dumped(&mut value);
            value
        });
        match value.filter(|_| objects > before) {
            Some(value) => parts.push(yaml::write(&value).trim_end().to_owned()),
            None => parts.push(part.trim_matches('\n').to_owned()),
        }
    }
    if objects == 0 {
        return None;
    }
    let mut text = parts.join("\n---\n");
    text.push('\n');
    Some(Redacted { text, objects })
}

/// Redacts an object if it came from a cluster, or those of a list. Returns how many did.
fn redact_dumped(value: &mut Value) -> usize {
    if let Some(Value::Array(items)) = value.get_mut("items") {
        return items.iter_mut().map(redact_dumped).sum();
    }
    let dumped = is_dumped(value);
    if dumped {
        redact_object(value);
    }
    usize::from(dumped)
}

/// Leaves private text out of an object.
pub fn redact_object(object: &mut Value) {
    let kind = object.get("kind").and_then(Value::as_str);
    let is_secret = kind == Some("Secret");
    let holds_data = is_secret || kind == Some("ConfigMap");
    redact_within(object);
    let Some(object) = object.as_object_mut() else {
        return;
    };
    if holds_data {
        for field in ["data", "binaryData", "stringData"] {
            // A container that takes a value needs its key.
            let values = object.get_mut(field).and_then(Value::as_object_mut);
            for value in values.into_iter().flat_map(Map::values_mut) {
                // Some Secrets must hold JSON, or at least something.
                *value = match field {
                    "stringData" => "{}".into(),
                    _ if is_secret => "e30=".into(),
                    _ => "".into(),
                };
            }
        }
    }
}

/// Leaves private text out of a value and what is below it: templates have metadata and containers, too.
fn redact_within(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(redact_within),
        Value::Object(map) => {
            if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
                redact_metadata(metadata);
            }
            for field in CONTAINERS {
                if let Some(Value::Array(containers)) = map.get_mut(field) {
                    let containers = containers.iter_mut().filter_map(Value::as_object_mut);
                    containers.for_each(redact_container);
                }
            }
            map.values_mut().for_each(redact_within);
        }
        _ => {}
    }
}

fn redact_metadata(metadata: &mut Map<String, Value>) {
    metadata.shift_remove("managedFields");
    if let Some(Value::Object(annotations)) = metadata.get_mut("annotations") {
        annotations.retain(|key, _| READ.iter().any(|read| key.starts_with(read)));
        if annotations.is_empty() {
            metadata.shift_remove("annotations");
        }
    }
}

fn redact_container(container: &mut Map<String, Value>) {
    if let Some(Value::Array(variables)) = container.get_mut("env") {
        for variable in variables.iter_mut().filter_map(Value::as_object_mut) {
            variable.shift_remove("value");
        }
    }
    let has_command = container
        .get("command")
        .is_some_and(|words| !is_empty(words));
    if let Some(words) = container.get_mut("command") {
        redact_words(words, 1);
    }
    if let Some(words) = container.get_mut("args") {
        // Without a command, the first word tells what the image is to do.
        redact_words(words, usize::from(!has_command));
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        redact_handler(container.get_mut(probe));
    }
    for hook in ["postStart", "preStop"] {
        let lifecycle = container.get_mut("lifecycle");
        redact_handler(lifecycle.and_then(|lifecycle| lifecycle.get_mut(hook)));
    }
}

fn is_empty(words: &Value) -> bool {
    words.as_array().is_none_or(Vec::is_empty)
}

fn redact_handler(handler: Option<&mut Value>) {
    let Some(handler) = handler else { return };
    if let Some(words) = handler.pointer_mut("/exec/command") {
        redact_words(words, 1);
    }
    if let Some(Value::Object(http)) = handler.get_mut("httpGet") {
        http.shift_remove("httpHeaders");
    }
}

/// Replaces the words of a command, but for the first `kept` ones, options of one letter, and what waits. An option stays
/// one: the simulated kubelet tells them from programs.
fn redact_words(words: &mut Value, kept: usize) {
    let words = words.as_array_mut().into_iter().flatten().enumerate();
    for (at, word) in words {
        let Some(text) = word.as_str() else { continue };
        if at < kept && !text.starts_with('-') {
            continue;
        }
        let pieces = text.split_inclusive(|c: char| c.is_whitespace() || c == ';');
        let redacted: String = pieces.map(redact_piece).collect();
        *word = redacted.into();
    }
}

/// A word of a script, with what separates it from the next.
fn redact_piece(piece: &str) -> String {
    let word = piece.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let rest = piece.get(word.len()..).unwrap_or_default();
    let number = word.strip_suffix(['s', 'm', 'h']).unwrap_or(word);
    let is_number = number.len() < 9 && number.bytes().all(|c| c.is_ascii_digit());
    let is_letter = word.len() == 2 && word.starts_with('-');
    let program = word.strip_prefix("/bin/").unwrap_or(word);
    if is_number || is_letter || SCRIPT.contains(&program) {
        return piece.to_owned();
    }
    let dash = if word.starts_with('-') { "-" } else { "" };
    format!("{dash}{PLACEHOLDER}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMPED: &str = "\
# A dump
apiVersion: v1
kind: Pod
metadata:
  name: web
  uid: u1
  managedFields: [{manager: kubelet}]
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{secret}'
    vault.hashicorp.com/role: secret
    deployment.kubernetes.io/revision: 'yes'
spec:
  containers:
  - name: c
    image: registry/app:1
    command: [/app, --password=secret]
    args: [serve, secret]
    env: [{name: TOKEN, value: secret}, {name: REF, valueFrom: {secretKeyRef: {name: s, key: k}}}]
    livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: Authorization, value: secret}]}}
    lifecycle: {preStop: {exec: {command: [sh, -c, curl secret]}}}
  - name: waits
    image: busybox
    command: [sh, -c, while true; do sleep 30; done]
  - name: entrypoint
    image: app
    args: [--key=secret, -v]
";

    const SECRET: &str =
        "{kind: Secret, apiVersion: v1, metadata: {name: s, uid: u2}, data: {k: c2VjcmV0}}\n";

    fn values(text: &str) -> Vec<Value> {
        let chunks = yaml::documents(text).into_iter();
        chunks
            .map(|chunk| yaml::parse(&text[chunk.range]).unwrap().value)
            .collect()
    }

    #[test]
    fn private_text_of_dumped_objects_is_left_out() {
        let redacted = redact(&format!("{DUMPED}---\n{SECRET}")).unwrap();
        assert_eq!(redacted.objects, 2);
        assert!(!redacted.text.contains("secret ") && !redacted.text.contains("=secret"));
        let [pod, secret] = &values(&redacted.text)[..] else {
            panic!("{}", redacted.text);
        };
        let all = pod.to_string().replace("secretKeyRef", "");
        assert!(!all.contains("secret"), "{all}");
        assert_eq!(secret["data"]["k"], "e30=");
        let annotations = pod["metadata"]["annotations"].as_object().unwrap();
        assert_eq!(annotations.len(), 1);
        assert_eq!(annotations["deployment.kubernetes.io/revision"], "yes");
        assert!(pod["metadata"].get("managedFields").is_none());
        let [first, waits, entrypoint] = pod["spec"]["containers"].as_array().unwrap().as_slice()
        else {
            panic!("{pod}");
        };
        assert_eq!(first["command"], serde_json::json!(["/app", "-…"]));
        assert_eq!(first["args"], serde_json::json!(["…", "…"]));
        assert_eq!(first["env"][0], serde_json::json!({"name": "TOKEN"}));
        assert_eq!(first["env"][1]["valueFrom"]["secretKeyRef"]["key"], "k");
        assert_eq!(
            first["livenessProbe"]["httpGet"],
            serde_json::json!({"port": 80})
        );
        let stop = &first["lifecycle"]["preStop"]["exec"]["command"];
        assert_eq!(stop, &serde_json::json!(["sh", "-c", "… …"]));
        assert_eq!(waits["command"][2], "while true; do sleep 30; done");
        assert_eq!(entrypoint["args"], serde_json::json!(["-…", "-v"]));
    }

    #[test]
    fn what_was_written_by_hand_stays_whole() {
        let by_hand = DUMPED.replace("  uid: u1\n", "");
        assert_eq!(redact(&by_hand), None);
        let redacted = redact(&format!("{by_hand}---\n{SECRET}---\nkind: [\n")).unwrap();
        assert_eq!(redacted.objects, 1);
        assert!(redacted.text.starts_with(&by_hand), "{}", redacted.text);
        assert!(
            redacted.text.ends_with("---\nkind: [\n"),
            "{}",
            redacted.text
        );
    }

    #[test]
    fn templates_and_items_of_lists_are_redacted() {
        let list = "kind: List\napiVersion: v1\nitems:\n\
            - {kind: Deployment, metadata: {name: d, uid: u}, spec: {template: {metadata: {annotations: {a: secret}}, \
               spec: {containers: [{name: c, env: [{name: A, value: secret}]}]}}}}\n\
            - {kind: ConfigMap, metadata: {name: m}, data: {k: kept}}\n";
        let redacted = redact(list).unwrap();
        assert_eq!(redacted.objects, 1);
        assert!(!redacted.text.contains("secret") && redacted.text.contains("kept"));
    }
}
