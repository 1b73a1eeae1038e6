//! ResourceClaims and ResourceSlices. Templates and DeviceClasses have a name and an age.

use serde_json::Value;

use super::{Table, age, columns, name};
use crate::printers::fields::Fields;

pub(super) const CLAIM: Table = Table {
    columns: columns!["NAME" "STATE" "AGE"],
    row: |claim, now_ms| vec![name(claim), state(claim), age(claim, now_ms)],
};

pub(super) const SLICE: Table = Table {
    columns: columns!["NAME" "NODE" "DRIVER" "POOL" "AGE"],
    row: |slice, now_ms| {
        vec![
            name(slice),
            slice.text("spec.nodeName").to_owned(),
            slice.text("spec.driver").to_owned(),
            slice.text("spec.pool.name").to_owned(),
            age(slice, now_ms),
        ]
    },
};

/// `pending`, or `allocated,reserved` (`resourceClaimState`).
fn state(claim: &Value) -> String {
    let is_deleted = !claim.text("metadata.deletionTimestamp").is_empty();
    let is_allocated = claim.at("status.allocation").is_object();
    let is_reserved = !claim.items("status.reservedFor").is_empty();
    let states = [
        ("deleted", is_deleted),
        ("pending", !is_allocated && !is_deleted),
        ("allocated", is_allocated),
        ("reserved", is_allocated && is_reserved),
    ];
    let held = states.iter().filter(|(_, holds)| *holds);
    held.map(|(state, _)| *state).collect::<Vec<_>>().join(",")
}
