//! DynamicResources: allocates devices to the Pod's ResourceClaims together with its node.
//!
//! - **Extension points**: PreEnqueue, PreFilter, Filter, PostFilter, Score, Reserve. (Upstream's PreBind
//!   writes the claims; here the simulated cluster writes what Reserve decided.)
//! - **Why**: GPUs and other devices are claimed by what they are, not by a number, and only a node that
//!   has the right ones free can run the Pod.
//! - **How**: PreFilter finds the claims and their classes. Filter rejects nodes on which an allocated claim
//!   cannot be used (or anywhere, once its devices' binding conditions failed or took too long), and those on which the search finds no devices for the others. Reserve allocates on the
//!   chosen node. PostFilter gives up an allocation that no node could use, for the next attempt.
//! - **Example**: a claim for a device of class `gpu` with `model == "h100"`; node a has a free h100, b an
//!   l4. Node b is rejected with `cannot allocate all claims`; on a the claim gets the h100.
//! - **Upstream**: `plugins/dynamicresources`, v1.34. The search is bounded by steps instead of ten seconds.

mod bind;
mod claims;
mod extended;
mod facts;
mod hints;
mod score;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use k8s_openapi::api::resource::v1::ResourceClaim;

use crate::cluster::Cluster;
use crate::cluster::devices::{Failure, Features, Found, SpecsIx, Step, allocate, allocation_of};
use crate::cluster::node::NodeInfo;
use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{
    Context, Filter, PostFilter, PreEnqueue, PreFilter, Reserve, VolumeDecisions, extends,
};
use crate::framework::preemption::{PostFiltered, PreemptionContext};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use crate::selector::compiled::NodeTerms;
use berth_base::json;
use berth_protocol::fact::DeviceOutcome;
use claims::{missing_class, pod_claims};
use extended::Extended;

const NAME: &str = "DynamicResources";
/// Upstream's error if PreFilter did not run.
const NO_STATE: &str = "not found";
const UNAVAILABLE: &str = "resourceclaim not available on the node";

/// The plugin.
pub struct DynamicResources {
    /// How long PreBind waits for binding conditions of devices.
    binding_timeout_ms: i64,
}

impl DynamicResources {
    /// With the time that devices have to become ready for binding.
    pub fn new(binding_timeout_ms: i64) -> Self {
        Self { binding_timeout_ms }
    }
}

/// The Pod's claims; none if PreFilter rejected it.
#[derive(Clone, Default)]
struct State(Arc<Claims>);

#[derive(Default)]
struct Claims {
    /// In the order of `spec.resourceClaims`.
    all: Vec<Arc<ResourceClaim>>,
    /// Requests for extended resources that classes serve.
    extended: Vec<Extended>,
    /// Those without an allocation, in the same order.
    open: Vec<Arc<ResourceClaim>>,
    /// By claim: where its allocation can be used; `None`: everywhere, or not allocated.
    terms: Vec<Option<NodeTerms>>,
    /// By claim: why its devices cannot be waited for any more.
    lost: Vec<Option<DeviceOutcome>>,
    /// The specs of the claims to allocate, for remembered verdicts; `None` if they differ by node.
    specs: Option<SpecsIx>,
    /// Whether Filter has allocated on some node: Reserve uses nothing else.
    filtered: AtomicBool,
}

extends!(
    DynamicResources: PreEnqueue, PreFilter, Filter, PostFilter, Score, ByDomain, Reserve, PreBind, EnqueueExtensions
);

impl PreEnqueue for DynamicResources {
    fn pre_enqueue(&self, cluster: &Cluster, pod: &PodInfo) -> Result<(), Rejection> {
        let claims = pod_claims(cluster, pod);
        claims.map(|_| ()).map_err(Rejection::unresolvable)
    }
}

impl PreFilter for DynamicResources {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        state.write(State::default());
        let all = match pod_claims(cx.cluster, cx.pod) {
            Ok(all) => all,
            Err(message) => return PreFiltered::Rejected(Rejection::unresolvable(message)),
        };
        let extended = extended::requests(cx);
        if all.is_empty() && extended.is_empty() {
            return PreFiltered::Skip;
        }
        match Claims::of(cx, all, extended, self.binding_timeout_ms) {
            Ok(claims) => state.write(State(Arc::new(claims))),
            Err(message) => return PreFiltered::Rejected(Rejection::unresolvable(message)),
        }
        PreFiltered::Continue
    }
}

/// The search on one node.
#[inline(never)]
fn search(
    cx: Context<'_>,
    claims: &Claims,
    node: &NodeInfo,
    record: Option<&mut Vec<Step>>,
) -> Result<Found, Rejection> {
    let features = Features::of(cx.release());
    let open = claims.open_on(cx.pod, node)?;
    let found = allocate(cx.cluster.devices(), node, &open, features, record);
    found.map_err(|failure| match failure {
        Failure::Error(message) => Rejection::error(message),
        Failure::InvalidPool => Rejection::unresolvable("invalid resource pools were encountered"),
        _ if cx.release().rules().device_timeout_is_error => Rejection::error(format!(
            "node {}: timed out trying to allocate devices",
            node.name
        )),
        _ => Rejection::unresolvable("timed out trying to allocate devices"),
    })
}

/// Whether the claims can be allocated on a node.
fn fits(cx: Context<'_>, claims: &Claims, node: &NodeInfo) -> Result<bool, Rejection> {
    let devices = cx.cluster.devices();
    let Some(specs) = claims.specs else {
        return Ok(search(cx, claims, node, None)?.is_some());
    };
    if let Some(known) = devices.verdicts.get(specs, node.ix) {
        return Ok(known);
    }
    let fits = search(cx, claims, node, None)?.is_some();
    devices.verdicts.set(specs, node.ix, fits);
    Ok(fits)
}

fn claims_in(state: &CycleState) -> Result<&Claims, Rejection> {
    state
        .read::<State>()
        .map(|state| &*state.0)
        .ok_or_else(|| Rejection::error(NO_STATE))
}

impl Claims {
    /// What Filter needs; an error if a class is missing. Apart from PreFilter, which every Pod runs.
    #[inline(never)]
    fn of(
        cx: Context<'_>,
        all: Vec<Arc<ResourceClaim>>,
        extended: Vec<Extended>,
        binding_timeout_ms: i64,
    ) -> Result<Self, String> {
        let mut claims = Self {
            extended,
            ..Self::default()
        };
        for claim in &all {
            let allocation = allocation_of(claim);
            if allocation.is_none() {
                if let Some(message) = missing_class(cx.cluster.devices(), claim) {
                    return Err(message);
                }
                claims.open.push(Arc::clone(claim));
            }
            let selector = allocation.and_then(|it| it.node_selector.as_ref());
            claims.terms.push(selector.map(NodeTerms::new));
            claims.lost.push(bind::lost(cx, claim, binding_timeout_ms));
        }
        claims.all = all;
        if claims.extended.is_empty() && !claims.open.is_empty() {
            let specs = claims.open.iter().map(|claim| json::text(&claim.spec));
            // A changed node may see other slices.
            let version = cx.cluster.node_version();
            let find = |name: &str| cx.cluster.find_node(name).map(|node| node.ix);
            let devices = cx.cluster.devices();
            claims.specs = Some(devices.verdicts_of(specs.collect(), version, &find));
        }
        Ok(claims)
    }

    /// Whether there may be something to allocate.
    fn may_allocate(&self) -> bool {
        !self.open.is_empty() || !self.extended.is_empty()
    }

    /// The claims to allocate on a node: extended resources that it does not offer come last.
    ///
    /// # Errors
    /// Neither the node nor a class has an extended resource.
    fn open_on(
        &self,
        pod: &PodInfo,
        node: &NodeInfo,
    ) -> Result<Vec<Arc<ResourceClaim>>, Rejection> {
        let mut open = self.open.clone();
        let has_own_claims = !self.all.is_empty();
        open.extend(extended::claim_on(
            pod,
            &self.extended,
            node,
            has_own_claims,
        )?);
        Ok(open)
    }

    /// The positions of the claims whose allocation cannot be used on the node.
    fn unusable_on<'a>(&'a self, node: &'a NodeInfo) -> impl Iterator<Item = usize> + 'a {
        let terms = self.terms.iter().enumerate();
        terms
            .filter(|(index, terms)| {
                let terms = terms.as_ref();
                let is_lost = self.lost.get(*index).is_some_and(Option::is_some);
                is_lost || terms.is_some_and(|terms| !terms.matches(&node.labels, &node.name))
            })
            .map(|(index, _)| index)
    }
}

impl Filter for DynamicResources {
    fn filter(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        let claims = claims_in(state)?;
        if claims.may_allocate() && !fits(cx, claims, node)? {
            return Err(Rejection::unresolvable("cannot allocate all claims"));
        }
        if claims.unusable_on(node).next().is_some() {
            return Err(Rejection::unresolvable(UNAVAILABLE));
        }
        claims.filtered.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn devices(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Vec<(String, Vec<String>)> {
        allocations(cx, state, node)
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Facts {
        claims_in(state).map_or_else(|_| Facts::new(), |claims| facts::of(cx, claims, node))
    }
}

impl PostFilter for DynamicResources {
    /// Deallocates one claim that some node could not use, if no other Pod has reserved it. Only claims count
    /// that made this plugin reject a node.
    fn post_filter(&self, cx: &PreemptionContext<'_>) -> PostFiltered {
        let claims = match claims_in(cx.state) {
            Ok(claims) => claims,
            Err(rejection) => return PostFiltered::Error(rejection),
        };
        if claims.all.is_empty() && claims.extended.is_empty() {
            return unschedulable("no new claims to deallocate");
        }
        deallocated(cx, claims)
    }
}

fn unschedulable(text: &'static str) -> PostFiltered {
    PostFiltered::Unschedulable {
        message: text.to_owned().into(),
        tried: Vec::new(),
        clear_nomination: false,
    }
}

/// Apart from PostFilter, which Pods without claims run, too.
#[inline(never)]
fn deallocated(cx: &PreemptionContext<'_>, claims: &Claims) -> PostFiltered {
    let mut unusable = vec![false; claims.all.len()];
    for (node, rejected) in cx.rejected.iter() {
        let reasons = &rejected.rejection.reasons;
        if rejected.plugin != NAME || !reasons.iter().any(|reason| reason == UNAVAILABLE) {
            continue;
        }
        for index in claims.unusable_on(cx.cx.cluster.node(node)) {
            unusable[index] = true;
        }
    }
    let mut candidates = claims.all.iter().zip(unusable).filter(|(_, it)| *it);
    let uid = &*cx.cx.pod.object.uid;
    let free = candidates.find(|(claim, _)| {
        let consumers = claim
            .status
            .as_ref()
            .and_then(|it| it.reserved_for.as_ref());
        consumers.is_none_or(|consumers| match consumers.as_slice() {
            [] => true,
            [only] => only.uid == uid,
            _ => false,
        })
    });
    match free {
        Some((claim, _)) => PostFiltered::Deallocated {
            claim: crate::cluster::object_key(&claim.metadata),
            rejection: Rejection::unschedulable("deallocation of ResourceClaim completed"),
        },
        None => unschedulable("still not schedulable"),
    }
}

impl Reserve for DynamicResources {
    fn reserve(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<VolumeDecisions, Rejection> {
        let claims = claims_in(state)?;
        let open = claims.open_on(cx.pod, node)?;
        if claims.all.is_empty() && open.is_empty() {
            return Ok(VolumeDecisions::default());
        }
        let found = if open.is_empty() {
            Vec::new()
        } else {
            let filtered = claims.filtered.load(Ordering::Relaxed);
            let found = search(cx, claims, node, None)?.filter(|_| filtered);
            found.ok_or_else(|| Rejection::error("claim allocation not found for node"))?
        };
        Ok(bind::decide(
            cx,
            claims,
            &open,
            found,
            self.binding_timeout_ms,
        ))
    }
}

/// What Filter allocates on a node: `REQUEST=DRIVER/POOL/DEVICE` by claim.
fn allocations(cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Vec<(String, Vec<String>)> {
    let Ok(claims) = claims_in(state) else {
        return Vec::new();
    };
    let Ok(open) = claims.open_on(cx.pod, node) else {
        return Vec::new();
    };
    if open.is_empty() {
        return Vec::new();
    }
    let Ok(Some(found)) = search(cx, claims, node, None) else {
        return Vec::new();
    };
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (claim, allocation) in open.iter().zip(found) {
        if extended::is_placeholder(claim) && extended::without_requests(claim, cx.pod).is_some() {
            continue;
        }
        let (namespace, name) = crate::cluster::object_key(&claim.metadata);
        let devices = allocation.result.devices.and_then(|it| it.results);
        let shown = devices
            .into_iter()
            .flatten()
            .map(|it| format!("{}={}/{}/{}", it.request, it.driver, it.pool, it.device));
        let (key, shown) = (format!("{namespace}/{name}"), shown.collect());
        match all.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = shown,
            None => all.push((key, shown)),
        }
    }
    all
}
