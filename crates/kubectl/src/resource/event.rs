//! Events as objects of the API: `v1` `Event`, as the recorders of client-go v0.34 write them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::kinds;
use crate::printers::fields::Fields;
use berth_sim::audit_log::Event;
use berth_sim::events::Seen;
use berth_sim::server::{ApiServer, time_at};

/// The host on which schedulers run.
const HOST: &str = "control-plane";

/// All events, sorted by namespace and name.
pub(crate) fn events(api: &ApiServer) -> Vec<Value> {
    named(api)
        .into_values()
        .map(|(record, name)| object(&record, &name))
        .collect()
}

/// The events about one object, ordered by last occurrence.
///
/// Only the legacy timestamps count: events of schedulers have none, and come first.
pub(crate) fn about<'a>(api: &'a ApiServer, uid: &'a str) -> Vec<Seen<'a>> {
    let seen = api.events().seen(api.now_ms());
    let mut events: Vec<_> = seen.filter(|event| event.uid == uid).collect();
    berth_base::sort::sort_by_key(&mut events, |event| {
        let last_ms = event.version.is_none().then_some(event.last_ms);
        (last_ms, event.sequence)
    });
    events
}

/// The events that the API server holds now, by their namespace and name.
fn named(api: &ApiServer) -> BTreeMap<(String, String), (Seen<'_>, String)> {
    let mut found = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut free = BTreeMap::new();
    for record in api.events().iter() {
        let (about, namespace) = (record.key.name(), namespace_of(record));
        // Real events differ in their nanoseconds. Here many share one time, so the names count up.
        let place = (namespace, about, record.first_ms());
        let nanos = free
            .entry(place)
            .or_insert_with(|| nanos_at(record.first_ms()));
        let name = loop {
            let name = format!("{about}.{nanos:x}");
            if taken.insert((namespace, name.clone())) {
                break name;
            }
            *nanos += 1;
        };
        if let Some(seen) = record.seen(api.now_ms()) {
            found.insert((namespace.to_owned(), name.clone()), (seen, name));
        }
    }
    found
}

/// Events of objects without a namespace are in `default`.
fn namespace_of(event: &Event) -> &str {
    match event.key.namespace() {
        "" => "default",
        namespace => namespace,
    }
}

fn nanos_at(ms: i64) -> i128 {
    i128::from(time_at(ms).0.as_millisecond()) * 1_000_000
}

fn object(event: &Seen<'_>, name: &str) -> Value {
    let time = |ms: i64| berth_base::json::value(&time_at(ms));
    let mut about = json!({
        "apiVersion": kinds::of_kind(event.kind).map_or("v1", |info| info.api_version),
        "kind": event.kind,
        "name": event.key.name(),
        "uid": event.uid,
    });
    if !event.key.namespace().is_empty() {
        about["namespace"] = json!(event.key.namespace());
    }
    let mut object = json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": name,
            "namespace": namespace_of(event),
            "creationTimestamp": time(event.first_ms),
        },
        "reason": event.reason,
        "message": event.message,
        "type": event.level.name(),
        "reportingComponent": event.source,
    });
    let Some(version) = &event.version else {
        object["involvedObject"] = about;
        object["source"] = json!({"component": event.source});
        if !event.host.is_empty() {
            object["source"]["host"] = json!(event.host);
        }
        object["firstTimestamp"] = time(event.first_ms);
        object["lastTimestamp"] = time(event.last_ms);
        object["count"] = json!(event.count);
        object["eventTime"] = Value::Null;
        object["reportingInstance"] = json!(event.host);
        return object;
    };
    about["resourceVersion"] = json!(version);
    object["involvedObject"] = about;
    object["source"] = json!({});
    object["action"] = json!(action(&event.reason));
    object["eventTime"] = micro_time(event.first_ms);
    object["firstTimestamp"] = Value::Null;
    object["lastTimestamp"] = Value::Null;
    object["reportingInstance"] = json!(format!("{}-{HOST}", event.source));
    if event.count > 1 {
        object["series"] = json!({
            "count": event.count,
            "lastObservedTime": micro_time(event.last_ms),
        });
    }
    object
}

/// The `action` of a scheduler's event.
fn action(reason: &str) -> &'static str {
    match reason {
        "Scheduled" => "Binding",
        "Preempted" => "Preempting",
        _ => "Scheduling",
    }
}

fn micro_time(ms: i64) -> Value {
    berth_base::json::value(&k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime(
        time_at(ms).0,
    ))
}

/// The first and last time of an event, as written, and its count (`printEvent` in v1.34).
pub(crate) fn times(event: &Value) -> (&str, &str, i64) {
    let or = |a: &'static str, b: &'static str| match event.text(a) {
        "" => event.text(b),
        time => time,
    };
    let first = or("firstTimestamp", "eventTime");
    match event.int("series.count") {
        0 => {
            let last = match event.text("lastTimestamp") {
                "" => first,
                last => last,
            };
            (first, last, event.int("count").max(1))
        }
        count => (first, event.text("series.lastObservedTime"), count),
    }
}
