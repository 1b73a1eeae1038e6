//! Score: prefers nodes that satisfy earlier alternatives of `firstAvailable` (since v1.36).

use super::{Claims, DynamicResources, claims_in, search};
use crate::cluster::NodeIx;
use crate::cluster::devices::{allocation_of, requests_of};
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::{Context, Score};
use crate::framework::state::CycleState;
use crate::framework::status::Rejection;
use crate::plugins::helpers::normalize_by_maximum;

/// The most alternatives of a request.
const MAX_ALTERNATIVES: i64 = 8;

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
        score(cx, claims, node)
    }

    fn normalize(
        &self,
        _cx: Context<'_>,
        _state: &CycleState,
        _nodes: &[NodeIx],
        scores: &mut [i64],
    ) {
        normalize_by_maximum(scores, false);
    }
}

/// The alternatives of the allocations that the claims have.
fn of_allocated(claims: &Claims) -> i64 {
    let mut sum = 0;
    for claim in &claims.all {
        let results = allocation_of(claim).and_then(|it| it.devices.as_ref()?.results.as_ref());
        let Some(results) = results else { continue };
        for request in requests_of(claim) {
            let list = request.first_available.as_deref().unwrap_or_default();
            let index = list.iter().position(|it| {
                let name = format!("{}/{}", request.name, it.name);
                results.iter().any(|result| result.request == name)
            });
            if let Some(index) = index.and_then(|index| i64::try_from(index).ok()) {
                sum += MAX_ALTERNATIVES - index;
            }
        }
    }
    sum
}

/// Apart from Score, which Pods without claims run, too.
#[inline(never)]
fn score(cx: Context<'_>, claims: &Claims, node: &NodeInfo) -> Result<i64, Rejection> {
    let mut sum: i64 = of_allocated(claims);
    let has_list = claims
        .open
        .iter()
        .any(|claim| requests_of(claim).any(|it| it.first_available.is_some()));
    if has_list && let Some(found) = search(cx, claims, node, None)? {
        for (claim, allocation) in claims.open.iter().zip(found) {
            for (request, chosen) in requests_of(claim).zip(allocation.chosen) {
                if request.first_available.is_some() {
                    sum += MAX_ALTERNATIVES - i64::try_from(chosen).unwrap_or(0);
                }
            }
        }
    }
    Ok(sum)
}
