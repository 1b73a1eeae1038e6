//! How many Pods may be unavailable, and how many may be surplus, during a rollout.

use k8s_openapi::api::apps::v1::RollingUpdateDeployment;

use super::Sync;
use berth_core::api::controllers::scaled;

impl Sync<'_> {
    /// `spec.replicas`, 1 if absent.
    pub(super) fn replicas(&self) -> i32 {
        let spec = self.deployment.spec.as_ref();
        spec.and_then(|spec| spec.replicas).unwrap_or(1)
    }

    pub(super) fn is_rolling_update(&self) -> bool {
        let spec = self.deployment.spec.as_ref();
        let kind = spec
            .and_then(|spec| spec.strategy.as_ref())
            .and_then(|strategy| strategy.type_.as_deref());
        kind.unwrap_or("RollingUpdate") == "RollingUpdate"
    }

    /// The number of Pods above `replicas` that may exist during a rollout.
    pub(super) fn max_surge(&self) -> i32 {
        if self.is_rolling_update() {
            self.fenceposts().0
        } else {
            0
        }
    }

    /// The maximum number of Pods during a rollout.
    pub(super) fn most(&self) -> i32 {
        self.replicas().saturating_add(self.max_surge())
    }

    /// The number of `replicas` that may be unavailable during a rollout.
    pub(super) fn max_unavailable(&self) -> i32 {
        if self.is_rolling_update() && self.replicas() > 0 {
            self.fenceposts().1.min(self.replicas())
        } else {
            0
        }
    }

    /// Resolves `maxSurge`, rounded up, and `maxUnavailable`, rounded down. If both are 0, one Pod may be
    /// unavailable, or the rollout could not progress.
    fn fenceposts(&self) -> (i32, i32) {
        let rolling = self.rolling();
        let resolve = |value: Option<&_>, up| {
            value
                .and_then(|value| scaled(value, self.replicas(), up))
                .unwrap_or(0)
                .max(0)
        };
        let surge = resolve(rolling.max_surge.as_ref(), true);
        let unavailable = resolve(rolling.max_unavailable.as_ref(), false);
        if surge == 0 && unavailable == 0 {
            (0, 1)
        } else {
            (surge, unavailable)
        }
    }

    fn rolling(&self) -> RollingUpdateDeployment {
        let spec = self.deployment.spec.as_ref();
        let strategy = spec.and_then(|spec| spec.strategy.as_ref());
        strategy
            .and_then(|strategy| strategy.rolling_update.clone())
            .unwrap_or_default()
    }
}
