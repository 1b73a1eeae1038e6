//! ConfigMaps and Secrets: the number of their values, never the values.

use serde_json::Value;

use super::{Table, age, columns, name};
use crate::printers::fields::Fields;

pub(super) const CONFIG_MAP: Table = Table {
    columns: columns!["NAME" "DATA" "AGE"],
    row: |map, now_ms| {
        let count = map.entries("data").len() + map.entries("binaryData").len();
        vec![name(map), count.to_string(), age(map, now_ms)]
    },
};

pub(super) const SECRET: Table = Table {
    columns: columns!["NAME" "TYPE" "DATA" "AGE"],
    row: |secret: &Value, now_ms| {
        vec![
            name(secret),
            secret.text("type").to_owned(),
            secret.entries("data").len().to_string(),
            age(secret, now_ms),
        ]
    },
};
