//! Compares a replayed life with its recording and finds the first difference.

use serde_json::Value;

/// The events of a life, in order.
pub fn events(life: &Value) -> &[Value] {
    life["events"].as_array().map_or(&[], Vec::as_slice)
}

/// Equality that compares numbers by value: 5 equals 5.0.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

/// The number of equal events before the first difference, and that difference.
pub fn compare(want: &Value, got: &Value) -> (usize, Option<String>) {
    let (wanted, given) = (events(want), events(got));
    let pairs = wanted.iter().zip(given);
    let equal = pairs.take_while(|(want, got)| is_same(want, got)).count();
    if equal < wanted.len().max(given.len()) {
        let (want, got) = (wanted.get(equal), given.get(equal));
        let text = format!("event {equal}\n      want {want:?}\n      got  {got:?}");
        return (equal, Some(text));
    }
    let fields = [
        "kubernetes",
        "scenario",
        "featureGates",
        "until",
        "deleted",
        "final",
        "queue",
    ];
    let different = fields
        .into_iter()
        .find(|field| !is_same(&want[*field], &got[*field]));
    let text = different.map(|field| {
        format!(
            "{field}\n      want {}\n      got  {}",
            want[field], got[field]
        )
    });
    (equal, text)
}
