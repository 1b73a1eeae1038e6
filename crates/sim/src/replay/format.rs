//! A replay as JSON, in the format of the recorded lives of kube-scheduler's queue.

use serde_json::{Map, Value, json};

use crate::history::{CycleEnding, CycleEntry, Entry, Record};
use berth_base::time::Time;
use berth_scheduler::queue::{Note, Place};

/// One line per entry of the record.
pub fn text(record: &Record, scenario: &str) -> String {
    let head = json!({
        "kubernetes": record.kubernetes,
        "scenario": scenario,
        "featureGates": {
            "SchedulerPopFromBackoffQ": record.pop_from_backoff,
            "SchedulerQueueingHints": true,
        },
        "until": record.until_seconds,
    });
    let events = record.entries.iter().filter_map(event);
    let events: Vec<String> = events.map(|event| event.to_string()).collect();
    let placed = record.placed.iter();
    let placed: Map<String, Value> = placed
        .map(|(pod, node)| (pod.clone(), node.as_deref().map(Value::from).into()))
        .collect();
    let waiting = &record.waiting;
    let keys = |keys: &[std::sync::Arc<str>]| -> Vec<String> {
        keys.iter().map(ToString::to_string).collect()
    };
    let tail = json!({
        "deleted": record.deleted,
        "final": placed,
        "queue": {
            "active": keys(&waiting.active),
            "backoff": keys(&waiting.backoff),
            "unschedulable": keys(&waiting.unschedulable),
            "gated": keys(&waiting.gated),
        },
    });
    let head = head.to_string();
    let head = head.strip_suffix('}').unwrap_or(&head);
    let tail = tail.to_string();
    let tail = tail.strip_prefix('{').unwrap_or(&tail);
    format!("{head},\n\"events\":[\n{}],\n{tail}\n", events.join(",\n"))
}

/// `None` for entries that the recordings do not have.
fn event(entry: &Entry) -> Option<Value> {
    Some(match entry {
        Entry::Step { at, step, does } => json!({"t": seconds(*at), "step": step, "does": does}),
        Entry::Cycle(cycle) => cycle_event(cycle),
        Entry::Wrote { at, line } => json!({"t": seconds(*at), "write": line.0.to_string()}),
        Entry::Event { at, event } => json!({
            "t": seconds(*at),
            "object": format!("{} {}", event.kind, event.key),
            "type": event.level.name(),
            "reason": event.reason,
            "message": event.message,
        }),
        Entry::Pod { at, pod, now } => {
            json!({"t": seconds(*at), "pod": pod, "state": now.name()})
        }
        Entry::Queue { at, note } => match note {
            Note::Gated { key, by, .. } => json!({
                "t": seconds(*at),
                "pod": **key,
                "result": "gated",
                "by": by.to_string(),
            }),
            Note::Moved {
                key,
                by,
                to,
                backoff_until,
                ..
            } => {
                let mut event = json!({
                    "t": seconds(*at),
                    "move": **key,
                    "by": by.to_string(),
                    "to": to.name(),
                });
                if let (Place::Backoff, Some(until)) = (to, backoff_until) {
                    event["backoffUntil"] = seconds(*until);
                }
                event
            }
            Note::Kept { .. } => return None,
        },
    })
}

fn cycle_event(cycle: &CycleEntry) -> Value {
    let (result, node) = match &cycle.ending {
        CycleEnding::Bound(node) => ("bound", Some(node.as_ref())),
        CycleEnding::Unschedulable => ("unschedulable", None),
        CycleEnding::Error => ("error", None),
        CycleEnding::Skipped => ("skipped", None),
    };
    let until = cycle.queue_after.and_then(|(_, until)| until);
    json!({
        "t": seconds(cycle.at),
        "pod": cycle.pod,
        "attempt": cycle.attempt,
        "from": cycle.from.name(),
        "result": result,
        "node": node,
        "message": cycle.message,
        "plugins": cycle.rejected_by,
        "victims": cycle.victims,
        "nominated": cycle.nominated.as_deref().unwrap_or_default(),
        "inFlight": cycle.in_flight.map(|event| event.to_string()),
        "queueAfter": cycle.queue_after.map(|(place, _)| place.name()),
        "backoffUntil": until.map(seconds),
    })
}

/// Whole seconds as integers, others to the millisecond.
fn seconds(time: Time) -> Value {
    let milliseconds = time.milliseconds();
    if milliseconds % 1000 == 0 {
        Value::from(milliseconds / 1000)
    } else {
        Value::from(time.as_seconds())
    }
}
