//! The facts behind a verdict: device by device, what the search saw.

use super::{Claims, search};
use crate::cluster::devices::Step;
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::Context;
use crate::framework::status::Facts;
use berth_protocol::fact::{DeviceOutcome, Fact, FactKind};
use berth_protocol::key::split;

/// The allocated claims that cannot be used on the node, then the steps of the search.
pub fn of(cx: Context<'_>, claims: &Claims, node: &NodeInfo) -> Facts {
    let mut facts = Facts::new();
    for index in claims.unusable_on(node) {
        if let Some(claim) = claims.all.get(index) {
            let name = claim.metadata.name.clone().unwrap_or_default();
            let outcome = claims
                .lost
                .get(index)
                .cloned()
                .flatten()
                .unwrap_or(DeviceOutcome::ClaimElsewhere);
            facts.push(device(&name, "", "", outcome));
        }
    }
    if !claims.may_allocate() || claims.open_on(cx.pod, node).is_err() {
        return facts;
    }
    let mut steps = Vec::new();
    // The verdict has the errors, and the search that was given up.
    let _ = search(cx, claims, node, Some(&mut steps));
    if steps.is_empty() && facts.is_empty() {
        facts.push(device("", "", "", DeviceOutcome::NoDevices));
    }
    facts.extend(steps.iter().map(seen));
    facts
}

fn seen(step: &Step) -> Fact {
    let (_, claim) = split(&step.claim);
    device(claim, &step.request, &step.device, step.kind.clone())
}

fn device(claim: &str, request: &str, device: &str, outcome: DeviceOutcome) -> Fact {
    Fact::new(FactKind::Device {
        claim: claim.to_owned(),
        request: request.to_owned(),
        device: device.to_owned(),
        outcome,
    })
    .in_pod("spec.resourceClaims")
}
