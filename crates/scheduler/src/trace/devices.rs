//! ResourceClaims in records.

use k8s_openapi::api::resource::v1::ResourceClaim;
use serde_json::{Map, Value, json};

use crate::cluster::devices::allocation_of;
use crate::cluster::object_key;
use berth_base::json;
use berth_protocol::cycle::{AllocatedDevice, ClaimReport, DeviceReport};

/// `namespace/name`.
pub fn claim_key(claim: &ResourceClaim) -> String {
    let (namespace, name) = object_key(&claim.metadata);
    format!("{namespace}/{name}")
}

/// The claim's allocation, if it has one.
pub fn claim_report(claim: &ResourceClaim) -> Option<ClaimReport> {
    let allocation = allocation_of(claim)?;
    let devices = allocation.devices.as_ref();
    let results = devices.and_then(|it| it.results.as_ref());
    let assigned = results.into_iter().flatten().map(|it| AllocatedDevice {
        request: it.request.clone(),
        driver: it.driver.clone(),
        pool: it.pool.clone(),
        device: it.device.clone(),
        admin_access: it.admin_access.unwrap_or(false),
    });
    let config = devices.and_then(|it| it.config.as_ref());
    let config = config.filter(|config| !config.is_empty());
    Some(ClaimReport {
        claim: claim_key(claim),
        devices: assigned.collect(),
        node_selector: json::text(&allocation.node_selector),
        config: config.map(json::text).unwrap_or_default(),
    })
}

/// A JSON text as a value.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

fn allocated(devices: &[AllocatedDevice]) -> Value {
    let shown = devices.iter().map(|it| {
        let mut shown = json!({
            "request": it.request,
            "driver": it.driver,
            "pool": it.pool,
            "device": it.device,
        });
        if let (true, Some(fields)) = (it.admin_access, shown.as_object_mut()) {
            fields.insert("adminAccess".to_owned(), Value::Bool(true));
        }
        shown
    });
    shown.collect()
}

/// The fields that a record of an attempt has in clusters with dynamic resource allocation.
pub fn fields(report: &DeviceReport) -> Map<String, Value> {
    let mut claims = Map::new();
    for claim in &report.claims {
        let mut shown = json!({
            "devices": allocated(&claim.devices),
            "nodeSelector": parsed(&claim.node_selector),
        });
        if let (false, Some(fields)) = (claim.config.is_empty(), shown.as_object_mut()) {
            fields.insert("config".to_owned(), parsed(&claim.config));
        }
        claims.insert(claim.claim.clone(), shown);
    }
    let mut allocations = Map::new();
    for node in &report.allocations {
        let claims = node
            .claims
            .iter()
            .map(|it| (it.claim.clone(), json!(it.devices)));
        allocations.insert(node.node.clone(), Value::Object(claims.collect()));
    }
    let mut fields = Map::new();
    fields.insert("claims".to_owned(), Value::Object(claims));
    fields.insert("reserved".to_owned(), json!(report.reserved));
    fields.insert("deallocated".to_owned(), json!(report.deallocated));
    fields.insert("allocations".to_owned(), Value::Object(allocations));
    fields
}

/// A claim at the end of a run.
pub fn final_claim(claim: &ResourceClaim) -> Value {
    let report = claim_report(claim);
    let consumers = claim
        .status
        .as_ref()
        .and_then(|it| it.reserved_for.as_ref());
    let consumers: Vec<&str> = consumers
        .into_iter()
        .flatten()
        .map(|it| it.name.as_str())
        .collect();
    let devices = report.as_ref().map_or(&[][..], |it| &it.devices);
    let selector = report
        .as_ref()
        .map_or(Value::Null, |it| parsed(&it.node_selector));
    json!({
        "allocated": report.is_some(),
        "devices": allocated(devices),
        "nodeSelector": selector,
        "reservedFor": consumers,
    })
}
