//! ResourceClaims in records.

use k8s_openapi::api::resource::v1::ResourceClaim;
use serde_json::Value;

use crate::cluster::devices::allocation_of;
use crate::cluster::object_key;
use berth_base::json;
use berth_protocol::cycle::{AllocatedDevice, ClaimReport, DeviceReport};
use berth_protocol::trace::{Named, TraceClaim, TraceDevice, TraceFinalClaim};

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
    serde_json::from_str(text).unwrap_or_default()
}

fn allocated(devices: &[AllocatedDevice]) -> Vec<TraceDevice> {
    let shown = devices.iter().map(|it| TraceDevice {
        request: it.request.clone(),
        driver: it.driver.clone(),
        pool: it.pool.clone(),
        device: it.device.clone(),
        admin_access: it.admin_access,
    });
    shown.collect()
}

/// What a cycle allocated, by claim.
pub fn claims(report: &DeviceReport) -> Named<TraceClaim> {
    let claims = report.claims.iter().map(|claim| {
        let shown = TraceClaim {
            devices: allocated(&claim.devices),
            node_selector: parsed(&claim.node_selector),
            config: match parsed(&claim.config) {
                Value::Array(configurations) => configurations,
                _ => Vec::new(),
            },
        };
        (claim.claim.clone(), shown)
    });
    claims.collect()
}

/// What Filter would allocate, by node and claim.
pub fn allocations(report: &DeviceReport) -> Named<Named<Vec<String>>> {
    let allocations = report.allocations.iter().map(|node| {
        let claims = node.claims.iter();
        let claims = claims.map(|it| (it.claim.clone(), it.devices.clone()));
        (node.node.clone(), claims.collect())
    });
    allocations.collect()
}

/// A claim at the end of a run.
pub fn final_claim(claim: &ResourceClaim) -> TraceFinalClaim {
    let report = claim_report(claim);
    let consumers = claim
        .status
        .as_ref()
        .and_then(|it| it.reserved_for.as_ref());
    let consumers = consumers.into_iter().flatten();
    let devices = report.as_ref().map_or(&[][..], |it| &it.devices);
    let selector = report.as_ref().map(|it| parsed(&it.node_selector));
    TraceFinalClaim {
        allocated: report.is_some(),
        devices: allocated(devices),
        node_selector: selector.unwrap_or_default(),
        reserved_for: consumers.map(|it| it.name.clone()).collect(),
    }
}
