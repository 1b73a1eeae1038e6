//! Events.

use serde_json::Value;

use super::{Column, Table, col, name, wide};
use crate::kubectl::show::fields::Fields;
use crate::kubectl::show::time;

const COLUMNS: &[Column] = &[
    col("LAST SEEN"),
    col("TYPE"),
    col("REASON"),
    col("OBJECT"),
    wide("SUBOBJECT"),
    wide("SOURCE"),
    col("MESSAGE"),
    wide("FIRST SEEN"),
    wide("COUNT"),
    wide("NAME"),
];

pub(super) const TABLE: Table = Table {
    columns: COLUMNS,
    row,
};

fn row(event: &Value, now_ms: i64) -> Vec<String> {
    let object = event.at("involvedObject");
    let source = match event.text("source.host") {
        "" => event.text("source.component").to_owned(),
        host => format!("{}, {host}", event.text("source.component")),
    };
    let kind = object.text("kind").to_ascii_lowercase();
    vec![
        time::age(event.text("lastTimestamp"), now_ms),
        event.text("type").to_owned(),
        event.text("reason").to_owned(),
        format!("{kind}/{}", object.text("name")),
        object.text("fieldPath").to_owned(),
        source,
        event.text("message").trim().to_owned(),
        time::age(event.text("firstTimestamp"), now_ms),
        event.int("count").to_string(),
        name(event),
    ]
}
