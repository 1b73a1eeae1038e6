//! Score: prefers nodes that satisfy earlier alternatives of `firstAvailable` (since v1.36).

use k8s_openapi::api::resource::v1::{DeviceRequest, ResourceClaim};

use super::{Claims, DynamicResources, claims_in, search};
use crate::cluster::NodeIx;
use crate::cluster::devices::{allocation_of, requests_of};
use crate::cluster::node::NodeInfo;
use crate::framework::by_domain::Terms;
use crate::framework::plugin::{ByDomain, Context, Score};
use crate::framework::state::CycleState;
use crate::framework::status::{Rejection, ScoreFacts};
use berth_protocol::fact::Fact;
use berth_protocol::score::formula::alternative;
use berth_protocol::score::{Formula, Input, Normalization};

impl ByDomain for DynamicResources {
    /// Without claims, nodes do not differ; with claims, they are looked at one by one.
    fn terms(&self, _cx: Context<'_>, state: &CycleState) -> Option<Terms> {
        let claims = claims_in(state).ok()?;
        let none = claims.all.is_empty() && claims.extended.is_empty();
        none.then(Terms::default)
    }

    fn values(&self, _cx: Context<'_>, _terms: &Terms, _node: &NodeInfo, _values: &mut Vec<i64>) {}
}

impl Score for DynamicResources {
    fn score(
        &self,
        cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        let claims = claims_in(state)?;
        if claims.all.is_empty() {
            return Ok(0);
        }
        let chosen = alternatives(cx, claims, node)?;
        Ok(chosen.iter().map(|it| alternative(it.index)).sum())
    }

    fn normalization(&self, _state: &CycleState, _nodes: &[NodeIx], raw: &[i64]) -> Normalization {
        Normalization::by_maximum(raw, false)
    }

    fn facts(&self, cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let claims = claims_in(state);
        let chosen = claims.and_then(|claims| alternatives(cx, claims, node));
        let inputs = chosen.unwrap_or_default().into_iter().map(|it| {
            Fact::new(Input::Alternative {
                claim: it.claim,
                request: it.request,
                index: it.index,
            })
        });
        ScoreFacts::new(Formula::Alternatives, inputs)
    }
}

/// The alternative that a request gets.
struct Chosen {
    /// Name of the claim.
    claim: String,
    request: String,
    /// From 0.
    index: i64,
}

impl Chosen {
    fn new(claim: &ResourceClaim, request: &DeviceRequest, index: usize) -> Self {
        Self {
            claim: claim.metadata.name.clone().unwrap_or_default(),
            request: request.name.clone(),
            index: i64::try_from(index).unwrap_or(0),
        }
    }
}

/// The alternatives of the allocations that the claims have.
fn of_allocated(claims: &Claims) -> Vec<Chosen> {
    let mut chosen = Vec::new();
    for claim in &claims.all {
        let results = allocation_of(claim).and_then(|it| it.devices.as_ref()?.results.as_ref());
        let Some(results) = results else { continue };
        for request in requests_of(claim) {
            let list = request.first_available.as_deref().unwrap_or_default();
            let index = list.iter().position(|it| {
                let name = format!("{}/{}", request.name, it.name);
                results.iter().any(|result| result.request == name)
            });
            chosen.extend(index.map(|index| Chosen::new(claim, request, index)));
        }
    }
    chosen
}

/// Apart from Score, which Pods without claims run, too.
#[inline(never)]
fn alternatives(
    cx: Context<'_>,
    claims: &Claims,
    node: &NodeInfo,
) -> Result<Vec<Chosen>, Rejection> {
    let mut chosen = of_allocated(claims);
    let has_list = claims
        .open
        .iter()
        .any(|claim| requests_of(claim).any(|it| it.first_available.is_some()));
    if has_list && let Some(found) = search(cx, claims, node, None)? {
        for (claim, allocation) in claims.open.iter().zip(found) {
            for (request, index) in requests_of(claim).zip(allocation.chosen) {
                if request.first_available.is_some() {
                    chosen.push(Chosen::new(claim, request, index));
                }
            }
        }
    }
    Ok(chosen)
}
