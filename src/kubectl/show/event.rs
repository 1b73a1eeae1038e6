//! Events as objects of the API: `v1` `Event`, as the recorders of client-go v0.34 write them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::kubectl::kinds;
use crate::sim::events::EventRecord;
use crate::sim::server::{ApiServer, time_at};

/// All events, by namespace and name.
pub(crate) fn events(api: &ApiServer) -> Vec<Value> {
    named(api)
        .into_values()
        .map(|(record, name)| object(record, &name))
        .collect()
}

/// Those that are about one object, in the order in which they were last said.
pub(crate) fn about<'a>(api: &'a ApiServer, uid: &'a str) -> Vec<&'a EventRecord> {
    let mut records: Vec<_> = api.events().about(uid).collect();
    crate::base::sort::sort_by_key(&mut records, |record| (record.last_ms, record.sequence));
    records
}

/// The records by the namespace and name of their objects.
fn named(api: &ApiServer) -> BTreeMap<(String, String), (&EventRecord, String)> {
    let mut found = BTreeMap::new();
    let mut free = BTreeMap::new();
    for record in api.events().iter() {
        let namespace = namespace_of(record);
        // Nanoseconds tell real events apart; here many are first said in one moment.
        let place = (namespace, record.key.name(), record.first_ms);
        let nanos = free
            .entry(place)
            .or_insert_with(|| nanos_at(record.first_ms));
        let name = loop {
            let name = format!("{}.{nanos:x}", record.key.name());
            if !found.contains_key(&(namespace.to_owned(), name.clone())) {
                break name;
            }
            *nanos += 1;
        };
        found.insert((namespace.to_owned(), name.clone()), (record, name));
    }
    found
}

/// Events of objects without a namespace stand in `default`.
fn namespace_of(record: &EventRecord) -> &str {
    match record.key.namespace() {
        "" => "default",
        namespace => namespace,
    }
}

fn nanos_at(ms: i64) -> i128 {
    i128::from(time_at(ms).0.as_millisecond()) * 1_000_000
}

fn object(record: &EventRecord, name: &str) -> Value {
    let time = |ms: i64| crate::base::json::value(&time_at(ms));
    let mut about = json!({
        "apiVersion": kinds::of_kind(record.kind).map_or("v1", |info| info.api_version),
        "kind": record.kind,
        "name": record.key.name(),
        "uid": record.uid,
    });
    if !record.key.namespace().is_empty() {
        about["namespace"] = json!(record.key.namespace());
    }
    let mut source = json!({"component": record.source});
    if !record.host.is_empty() {
        source["host"] = json!(record.host);
    }
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": name,
            "namespace": namespace_of(record),
            "creationTimestamp": time(record.first_ms),
        },
        "involvedObject": about,
        "reason": record.reason,
        "message": record.message,
        "source": source,
        "firstTimestamp": time(record.first_ms),
        "lastTimestamp": time(record.last_ms),
        "count": record.count,
        "type": record.level.name(),
        "eventTime": null,
        "reportingComponent": record.source,
        "reportingInstance": record.host,
    })
}
