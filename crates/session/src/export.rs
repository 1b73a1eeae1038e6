//! Exports of a session: the recording of a run, manifests with placements, and files for other tools.

mod documents;
pub mod kwok;
pub mod manifests;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use berth_base::sort;
use berth_core::api::object::Manifest;
use berth_core::api::redact::{redact, redact_object};
use berth_core::api::yaml;
use berth_protocol::link::Link;
use berth_protocol::remark::Remark;
use berth_protocol::trace::{Named, Trace, TraceRefusal};
use berth_scheduler::cluster::pod::PodInfo;
use berth_scheduler::trace::{devices, format};
use berth_sim::snapshot::Snapshot;

pub use berth_scheduler::trace::format::attempt as trace_attempt;
pub use documents::File;

use crate::explain;
use crate::session::Session;

/// Plays the run from its beginning to its end, and returns every attempt in the format in which the real scheduler's
/// decisions were recorded. `scenario` is the name to insert.
///
/// # Errors
/// If a record disagrees with the log (a defect of Berth).
pub fn trace(session: &mut Session, scenario: &str) -> Result<Trace, Remark> {
    let mut attempts = Vec::new();
    session.reset();
    while let Some(cycle) = explain::step(session)? {
        attempts.push(format::attempt(&cycle));
    }
    Ok(Trace {
        attempts,
        ..trace_frame(session, scenario)
    })
}

/// [`crate::export::trace`] of this moment, with an empty list of attempts.
pub fn trace_frame(session: &Session, scenario: &str) -> Trace {
    let run = session.run();
    let cluster = run.cluster();
    let refused = || {
        let refused = run.refused().map(|(pod, by)| {
            let why = TraceRefusal {
                plugin: by.plugin.to_string(),
                message: by.rejection.message(),
            };
            (pod.object.key(), why)
        });
        refused.collect()
    };
    let claims = || {
        let claims = cluster.devices().claims();
        let claims = claims.map(|it| (devices::claim_key(it), devices::final_claim(it)));
        claims.collect()
    };
    let has_devices = cluster.has_devices();
    Trace {
        kubernetes: session
            .manifests()
            .prepared
            .release
            .version()
            .full()
            .to_owned(),
        scenario: scenario.to_owned(),
        gated: sorted_keys(run.gated()),
        unmanaged: sorted_keys(run.unmanaged()),
        attempts: Vec::new(),
        deleted: run.deleted().to_vec(),
        placements: placements(run),
        pre_enqueue: has_devices.then(refused),
        final_claims: has_devices.then(claims),
    }
}

/// The manifests as given, but with every Pod in its current state, including those of workloads: with its node, or
/// with the reason why it waits.
pub fn yaml(session: &Session) -> String {
    parts(session, false).join("\n---\n") + "\n"
}

/// The documents of the export. `redacts`: without what is private in Pods that came from a cluster.
fn parts(session: &Session, redacts: bool) -> Vec<String> {
    let loaded = &session.manifests().loaded;
    let mut parts: Vec<String> = Vec::new();
    // The Pods among the documents, and whether each came from a cluster.
    let mut written = BTreeMap::new();
    for document in &loaded.documents {
        let text = loaded.text(&document.source).trim_matches('\n');
        if let Some(Manifest::Pod(pod)) = document.object.as_deref() {
            let (_, namespace, name) = document.key();
            written.insert((namespace, name), pod.metadata.uid.is_some());
        } else if !text.is_empty() {
            parts.push(standing_alone(text, document.source.start.column));
        }
    }
    let is_dump = written.values().any(|is_dumped| *is_dumped);
    for pod in session.run().cluster().pods().iter() {
        let mut manifest = pod_manifest(session, pod);
        let key = (&*pod.object.namespace, &*pod.object.name);
        if redacts && *written.get(&key).unwrap_or(&is_dump) {
            redact_object(&mut manifest);
        }
        parts.push(yaml::emit(&manifest).trim_end().to_owned());
    }
    parts
}

/// The same to share: without what is private in objects that came from a cluster, as [`redact`] leaves it out.
pub fn redacted_yaml(session: &Session) -> String {
    let text = parts(session, true).join("\n---\n") + "\n";
    redact(&text).map_or(text, |redacted| redacted.text)
}

/// Every Pod, as [`crate::export::pod_manifest`] shows it, in document order.
pub fn pod_manifests(session: &Session) -> impl Iterator<Item = Value> {
    session
        .run()
        .cluster()
        .pods()
        .iter()
        .map(|pod| pod_manifest(session, pod))
}

/// A Pod as `kubectl get pod -o json` would print it, limited to the fields about scheduling.
pub fn pod_manifest(session: &Session, pod: &PodInfo) -> Value {
    let object = &pod.object;
    let template = &object.template;
    let mut metadata =
        json!({"name": object.name.as_ref(), "namespace": object.namespace.as_ref()});
    set(
        &mut metadata,
        "labels",
        json!(template.labels),
        template.labels.is_empty(),
    );
    set(
        &mut metadata,
        "annotations",
        json!(template.annotations),
        template.annotations.is_empty(),
    );
    if let Some(owner) = &template.controller {
        let reference = json!([{
            "apiVersion": owner.api_version,
            "kind": owner.kind,
            "name": owner.name,
            "uid": owner.uid,
            "controller": true,
        }]);
        set(&mut metadata, "ownerReferences", reference, false);
    }
    let mut spec = berth_base::json::value(&template.spec);
    let mut status = json!({"phase": format!("{:?}", object.phase)});
    if let Some(node) = &object.node_name {
        set(&mut spec, "nodeName", json!(node.as_ref()), false);
    } else {
        let attempt = session
            .attempt_of(&object.key())
            .filter(|&position| position < session.position());
        let message =
            attempt.and_then(|position| session.attempt(position)?.message().map(str::to_owned));
        let message = message
            .or_else(|| session.run().gate_of(pod))
            .unwrap_or_default();
        let condition = json!([{
            "type": "PodScheduled",
            "status": "False",
            "reason": if session.run().gate_of(pod).is_some() { "SchedulingGated" } else { "Unschedulable" },
            "message": message,
        }]);
        set(&mut status, "conditions", condition, message.is_empty());
    }
    if let Some(node) = &object.nominated_node {
        set(
            &mut status,
            "nominatedNodeName",
            json!(node.as_ref()),
            false,
        );
    }
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status})
}

/// Leaves out of a link what is private in objects that came from a cluster, as [`redact`] does. Returns how many of them
/// its files have.
pub fn redact_link(link: &mut Link) -> usize {
    let count = link.files.len();
    let mut objects = 0;
    for (at, text) in link.texts_mut().into_iter().enumerate() {
        if let Some(redacted) = redact(text) {
            *text = redacted.text;
            objects += if at < count { redacted.objects } else { 0 };
        }
    }
    if objects > 0 {
        // The state of a simulated cluster has all texts of its objects.
        link.digest = String::new();
    }
    objects
}

/// A document's text as it is; an item of a block list (`- kind: Node`) that begins at this column loses its dash and
/// its indentation.
fn standing_alone(text: &str, column: u32) -> String {
    let trimmed = text.trim_start_matches(' ');
    let Some(item) = trimmed.strip_prefix("- ") else {
        return text.to_owned();
    };
    let before = match text.len() - trimmed.len() {
        0 => usize::try_from(column).unwrap_or(1).saturating_sub(1),
        spaces => spaces,
    };
    let first = format!("{:before$}  {item}", "");
    let indent_of = |line: &str| line.len() - line.trim_start_matches(' ').len();
    // Comments may be indented less than the lines that they describe.
    let counts = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let indents = first.lines().filter(counts).map(indent_of);
    let indent = indents.min().unwrap_or(0);
    let moved = first.lines().map(|line| {
        let skip = indent_of(line).min(indent);
        line.get(skip..).unwrap_or("")
    });
    moved.collect::<Vec<&str>>().join("\n")
}

fn set(object: &mut Value, key: &str, value: Value, is_empty: bool) {
    if let (false, Value::Object(fields)) = (is_empty, object) {
        fields.insert(key.to_owned(), value);
    }
}

fn sorted_keys<'a>(pods: impl Iterator<Item = &'a PodInfo>) -> Vec<String> {
    let mut keys: Vec<String> = pods.map(|pod| pod.object.key()).collect();
    sort::sort(&mut keys);
    keys
}

fn placements(run: &Snapshot) -> Named<Option<String>> {
    let pods = run
        .cluster()
        .pods()
        .iter()
        .filter(|pod| !pod.object.phase.is_terminal());
    let mut placed: Vec<(String, Option<String>)> = pods
        .map(|pod| {
            (
                pod.object.key(),
                pod.object.node_name.as_deref().map(str::to_owned),
            )
        })
        .collect();
    sort::sort_by(&mut placed, |a, b| a.0.cmp(&b.0));
    placed.into_iter().collect()
}
