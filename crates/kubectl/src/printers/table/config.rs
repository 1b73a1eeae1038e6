//! ConfigMaps and Secrets: the number of their values, never the values.

use serde_json::Value;

use super::{Table, age, col, name};
use crate::printers::fields::Fields;

pub(super) const CONFIG_MAP: Table = Table {
    columns: &[col("NAME"), col("DATA"), col("AGE")],
    row: |map, now_ms| {
        let count = map.entries("data").len() + map.entries("binaryData").len();
        vec![name(map), count.to_string(), age(map, now_ms)]
    },
};

pub(super) const SECRET: Table = Table {
    columns: &[col("NAME"), col("TYPE"), col("DATA"), col("AGE")],
    row: |secret: &Value, now_ms| {
        vec![
            name(secret),
            secret.text("type").to_owned(),
            secret.entries("data").len().to_string(),
            age(secret, now_ms),
        ]
    },
};
