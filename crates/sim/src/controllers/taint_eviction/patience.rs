//! How long tolerations let a Pod stay under taints.

use k8s_openapi::api::core::v1::{Taint, Toleration};

use berth_core::api::prepare::node_fit::tolerates;

/// How long a Pod stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// It goes at once: some taint is not tolerated.
    None,
    /// So many milliseconds; 0 if the toleration is for no time.
    Until(i64),
    Forever,
}

/// The least of the tolerations that match, one for each taint: the first in the Pod's list. Those without
/// seconds do not count, unless there are no others.
pub(super) fn patience(taints: &[Taint], tolerations: &[Toleration]) -> Patience {
    let mut least: Option<i64> = None;
    for taint in taints {
        let Some(used) = tolerations.iter().find(|own| tolerates(own, taint)) else {
            return Patience::None;
        };
        if let Some(seconds) = used.toleration_seconds {
            let seconds = seconds.max(0);
            least = Some(least.map_or(seconds, |least| least.min(seconds)));
        }
    }
    least.map_or(Patience::Forever, |seconds| {
        Patience::Until(seconds.saturating_mul(1_000))
    })
}
