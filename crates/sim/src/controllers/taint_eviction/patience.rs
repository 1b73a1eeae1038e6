//! How long tolerations permit a Pod to stay on a tainted node.

use k8s_openapi::api::core::v1::{Taint, Toleration};

use berth_core::api::prepare::node_fit::tolerates;

/// How long a Pod may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Not at all: some taint is not tolerated.
    None,
    /// This many milliseconds; 0 if `tolerationSeconds` is 0 or negative.
    Until(i64),
    Forever,
}

/// The minimum over the tolerations in use, which are the first matching one for each taint. Tolerations without
/// seconds do not limit the time.
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
