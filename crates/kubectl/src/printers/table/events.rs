//! Events.

use serde_json::Value;

use super::{Column, Table, columns, name};
use crate::printers::fields::Fields;
use crate::printers::time;
use crate::resource::event::times;

const COLUMNS: &[Column] = columns![
    "LAST SEEN" "TYPE" "REASON" "OBJECT" wide "SUBOBJECT" wide "SOURCE" "MESSAGE" wide "FIRST SEEN"
    wide "COUNT" wide "NAME"
];

pub(crate) const TABLE: Table = Table {
    columns: COLUMNS,
    row,
};

fn row(event: &Value, now_ms: i64) -> Vec<String> {
    let object = event.at("involvedObject");
    let or = |a, b| match event.text(a) {
        "" => event.text(b),
        text => text,
    };
    let component = or("source.component", "reportingComponent");
    let source = match or("source.host", "reportingInstance") {
        "" => component.to_owned(),
        host => format!("{component}, {host}"),
    };
    let (first, last, count) = times(event);
    let kind = object.text("kind").to_ascii_lowercase();
    vec![
        time::age(last, now_ms),
        event.text("type").to_owned(),
        event.text("reason").to_owned(),
        format!("{kind}/{}", object.text("name")),
        object.text("fieldPath").to_owned(),
        source,
        event.text("message").trim().to_owned(),
        time::age(first, now_ms),
        count.to_string(),
        name(event),
    ]
}
