//! VolumeBinding: finds nodes where each of the Pod's claims has a volume or can get one.
//!
//! - **Extension points**: PreFilter, Filter, PreScore, Score, Reserve. (Upstream's PreBind writes the
//!   bindings; here the simulated cluster does.)
//! - **Why**: with `volumeBindingMode: WaitForFirstConsumer` the volume is chosen together with the
//!   node, so that a disk is never created in a zone where its Pod cannot run.
//! - **How**: PreFilter checks that the Pod's claims exist and that those of immediate classes are
//!   bound. Filter rejects nodes excluded by a bound volume's node affinity, and nodes where a
//!   waiting claim matches no PersistentVolume and its class cannot provision one. Reserve returns
//!   the volumes to bind and to provision on the chosen node.
//! - **Example**: a claim of 5Gi; `local-a` (10Gi, on node a) and `local-b` (20Gi, on node b) are
//!   free, and the class has no provisioner. Nodes a and b pass; node c is rejected with
//!   `node(s) didn't find available persistent volumes to bind`. On node a the claim gets `local-a`.
//! - **Upstream**: `plugins/volumebinding`, v1.34, with StorageCapacityScoring off: PreScore always
//!   skips. CSIStorageCapacity objects are not read: for a driver with
//!   `CSIDriver.spec.storageCapacity: true` no node has storage for a new volume, as in a cluster
//!   where the driver has published none.

mod claims;
mod hints;
mod matching;
mod search;

use std::sync::Arc;

use crate::cluster::node::NodeInfo;
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{
    Context, Filter, PreFilter, PreScore, Reserve, Score, VolumeDecisions, extends,
};
use crate::framework::state::CycleState;
use crate::framework::status::{
    Facts, PreFiltered, PreScored, Reason, Rejection, ScoreFacts, Verdict,
};
use berth_protocol::cycle::Code;
use berth_protocol::fact::{Fact, FactKind};
use berth_protocol::score::Formula;
use claims::{PodClaims, pod_claims};
use search::{Finding, search};

/// Upstream's error if PreFilter did not run.
const NO_STATE: &str = "not found";

/// The plugin.
#[derive(Clone, Copy, Debug, Default)]
pub struct VolumeBinding;

impl VolumeBinding {
    /// The argument `bindTimeoutSeconds` is ignored: binding takes no simulated time.
    pub fn new() -> Self {
        Self
    }
}

#[derive(Clone, Debug)]
struct State {
    claims: Arc<PodClaims>,
}

extends!(VolumeBinding: PreFilter, Filter, PreScore, Score, Reserve, PreBind, EnqueueExtensions);

impl PreFilter for VolumeBinding {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        let claims = match pod_claims(cx) {
            Ok(claims) => claims,
            Err(rejection) => return PreFiltered::Rejected(rejection),
        };
        // Reserve runs even if Filter is skipped, and needs the state.
        let skip = claims.is_none();
        let claims = Arc::new(claims.unwrap_or_default());
        state.write(State { claims });
        if skip {
            PreFiltered::Skip
        } else {
            PreFiltered::Continue
        }
    }
}

impl Filter for VolumeBinding {
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        let reasons = reasons(&findings(cx, state, node)?);
        if reasons.is_empty() {
            return Ok(());
        }
        Err(Rejection::with(Code::UnschedulableAndUnresolvable, reasons))
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        let fact = |(claim, finding): &(&str, Finding)| {
            Fact::new(FactKind::Volume {
                name: (*claim).to_owned(),
                outcome: finding.outcome(),
            })
        };
        findings(cx, state, node).map_or_else(|_| Facts::new(), |f| f.iter().map(fact).collect())
    }
}

impl PreScore for VolumeBinding {
    fn pre_score(&self, _: Context<'_>, _: &mut CycleState, _: Feasible<'_>) -> PreScored {
        PreScored::Skip
    }
}

/// Without a storage capacity scorer every node scores 0.
impl Score for VolumeBinding {
    fn score(&self, _: Context<'_>, _: &CycleState, _: &NodeInfo) -> Result<i64, Rejection> {
        Ok(0)
    }

    fn facts(&self, _: Context<'_>, _: &CycleState, _: &NodeInfo) -> ScoreFacts {
        ScoreFacts::new(Formula::Zero, [])
    }
}

impl Reserve for VolumeBinding {
    fn reserve(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<VolumeDecisions, Rejection> {
        let mut decisions = VolumeDecisions::default();
        for (claim, finding) in findings(cx, state, node)? {
            match finding {
                Finding::Takes(volume) => decisions.bindings.push((claim.to_owned(), volume)),
                Finding::Provisions(_) => decisions.provisions.push(claim.to_owned()),
                _ => {}
            }
        }
        Ok(decisions)
    }
}

/// The result of each claim on a node, by claim name.
fn findings<'a>(
    cx: Context<'_>,
    state: &'a CycleState,
    node: &NodeInfo,
) -> Result<Vec<(&'a str, Finding)>, Rejection> {
    let state = state
        .read::<State>()
        .ok_or_else(|| Rejection::error(NO_STATE))?;
    let csi_node = cx.cluster.volumes().csi_nodes.get(&*node.name);
    search(&state.claims, node, csi_node.map(|node| &**node)).map_err(Rejection::error)
}

/// The distinct reasons of a node, in upstream's order.
fn reasons(findings: &[(&str, Finding)]) -> Vec<Reason> {
    type Test = fn(&Finding) -> bool;
    let known: [(Test, &'static str); 4] = [
        (
            |finding| matches!(finding, Finding::AffinityConflict(_)),
            "node(s) didn't match PersistentVolume's node affinity",
        ),
        (
            |finding| {
                matches!(
                    finding,
                    Finding::SelectedElsewhere(_) | Finding::Nothing | Finding::TopologyForbids(_)
                )
            },
            "node(s) didn't find available persistent volumes to bind",
        ),
        (
            |finding| matches!(finding, Finding::NoStorage(_)),
            "node(s) did not have enough free storage",
        ),
        (
            |finding| matches!(finding, Finding::VolumeMissing(_)),
            "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
        ),
    ];
    let applies = |test: &Test| findings.iter().any(|(_, finding)| test(finding));
    known
        .iter()
        .filter(|(test, _)| applies(test))
        .map(|(_, reason)| Reason::Borrowed(*reason))
        .collect()
}

#[cfg(test)]
mod tests;
