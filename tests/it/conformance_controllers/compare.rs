//! Compares two lives of workloads, instant by instant.

use berth_scheduler::release::Version;
use serde_json::Value;

fn instants(life: &Value) -> &[Value] {
    life["timeline"].as_array().map_or(&[], Vec::as_slice)
}

/// A list whose order is not compared, sorted.
fn sorted(list: &Value) -> Vec<String> {
    let list = list.as_array().cloned().unwrap_or_default();
    let mut items: Vec<String> = list.iter().map(Value::to_string).collect();
    items.sort();
    items
}

/// The workloads; for v1.34 without the conditions of Jobs, as the recorded ones are older.
fn workloads(instant: &Value, version: Version) -> Value {
    let mut workloads = instant["workloads"].clone();
    if version != Version::V1_34 {
        return workloads;
    }
    for workload in workloads.as_array_mut().into_iter().flatten() {
        if workload["kind"] == "Job"
            && let Some(status) = workload["status"].as_object_mut()
        {
            status.remove("conditions");
        }
    }
    workloads
}

/// The events' fields by name, sorted: their order is not compared.
fn events(instant: &Value) -> Vec<String> {
    let list = instant["events"].as_array().cloned().unwrap_or_default();
    let fields = ["object", "type", "reason", "message"];
    let mut events: Vec<String> = list
        .iter()
        .map(|event| fields.map(|field| event[field].to_string()).join(" "))
        .collect();
    events.sort();
    events
}

/// The first field of an instant that differs.
fn difference(want: &Value, got: &Value, version: Version) -> Option<String> {
    let differs = |field: &str, want: String, got: String| {
        (want != got).then(|| format!("{field}\n    want {want}\n    got  {got}"))
    };
    let listed = |lines: Vec<String>| lines.join("; ");
    differs("t", want["t"].to_string(), got["t"].to_string())
        .or_else(|| {
            let (want, got) = (sorted(&want["actions"]), sorted(&got["actions"]));
            differs("actions", listed(want), listed(got))
        })
        .or_else(|| differs("events", listed(events(want)), listed(events(got))))
        .or_else(|| {
            let (want, got) = (workloads(want, version), workloads(got, version));
            (want != got).then(|| format!("workloads\n    want {want}\n    got  {got}"))
        })
}

/// The number of equal instants before the first difference, and that difference.
pub fn compare(want: &Value, got: &Value, version: Version) -> (usize, Option<String>) {
    let (want, got) = (instants(want), instants(got));
    for (place, instant) in want.iter().enumerate() {
        let Some(other) = got.get(place) else {
            return (place, Some(format!("t={}: missing", instant["t"])));
        };
        if let Some(difference) = difference(instant, other, version) {
            return (place, Some(format!("t={} {difference}", instant["t"])));
        }
    }
    let more = got.get(want.len());
    let more = more.map(|instant| format!("t={}: one too many", instant["t"]));
    (want.len(), more)
}
