//! Proportional scaling in the middle of a rollout.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use k8s_openapi::api::apps::v1::ReplicaSet;

use super::Sync;
use super::annotations::{self, DESIRED_REPLICAS, MAX_REPLICAS};
use super::sets::{self, Sets, available, by_age};
use crate::server::ApiError;
use berth_base::sort;

impl Sync<'_> {
    /// Scales to the Deployment's size.
    ///
    /// If only one ReplicaSet is active, it gets all replicas. If the new one is saturated, the old ones are scaled
    /// to 0. Otherwise all are scaled in proportion.
    pub(super) fn scale(&mut self, sets: &mut Sets) -> Result<(), ApiError> {
        if let Some(mut only) = only_or_latest(sets) {
            self.resize(&mut only, self.replicas())?;
            return Ok(());
        }
        if sets.new.as_ref().is_some_and(|new| self.is_saturated(new)) {
            for mut old in sets.active_old() {
                self.resize(&mut old, 0)?;
            }
            return Ok(());
        }
        if self.is_rolling_update() {
            self.scale_in_proportion(sets)?;
        }
        Ok(())
    }

    fn is_saturated(&self, new: &ReplicaSet) -> bool {
        let replicas = self.replicas();
        sets::replicas(new) == replicas
            && annotations::number(new, DESIRED_REPLICAS) == Some(replicas)
            && available(new) == replicas
    }

    fn scale_in_proportion(&mut self, sets: &Sets) -> Result<(), ApiError> {
        let mut active: Vec<Arc<ReplicaSet>> = sets.active().cloned().collect();
        let allowed = if self.replicas() > 0 { self.most() } else { 0 };
        let wanted = sets::total(active.iter(), sets::replicas);
        let to_add = allowed - wanted;
        match to_add.cmp(&0) {
            Ordering::Greater => {
                sort::sort_by(&mut active, |a, b| by_size(a, b).then_with(|| by_age(b, a)))
            }
            Ordering::Less => {
                sort::sort_by(&mut active, |a, b| by_size(a, b).then_with(|| by_age(a, b)))
            }
            Ordering::Equal => {}
        }
        let mut added = 0;
        let mut sizes = Vec::with_capacity(active.len());
        for set in &active {
            let share = self.share(set, to_add, added);
            added += share;
            sizes.push(sets::replicas(set) + share);
        }
        // The largest ReplicaSet gets the remainder of rounding.
        if let Some(first) = sizes.first_mut() {
            *first = (*first + to_add - added).max(0);
        }
        for (set, size) in active.iter().zip(sizes) {
            self.scale_set(set, size)?;
        }
        Ok(())
    }

    /// The share of a ReplicaSet in `to_add` replicas (negative: to remove), of which `added` are already assigned.
    fn share(&self, set: &ReplicaSet, to_add: i32, added: i32) -> i32 {
        if sets::replicas(set) == 0 || to_add == 0 || to_add == added {
            return 0;
        }
        let (fraction, left) = (self.fraction(set), to_add - added);
        if to_add > 0 {
            fraction.min(left)
        } else {
            fraction.max(left)
        }
    }

    /// The change that keeps a ReplicaSet's proportion as it was when it was last scaled.
    fn fraction(&self, set: &ReplicaSet) -> i32 {
        let size = sets::replicas(set);
        if self.replicas() == 0 {
            return -size;
        }
        let before = annotations::number(set, MAX_REPLICAS).filter(|most| *most != 0);
        let status = self.deployment.status.as_ref();
        let actual = || status.and_then(|status| status.replicas).unwrap_or(0);
        let before = before.unwrap_or_else(actual);
        if before == 0 {
            return 0;
        }
        rounded(i64::from(size) * i64::from(self.most()), i64::from(before)) - size
    }
}

/// The quotient, halves rounded away from zero.
fn rounded(dividend: i64, divisor: i64) -> i32 {
    let doubled = 2 * dividend.abs() + divisor.abs();
    let magnitude = doubled / (2 * divisor.abs());
    let sign = dividend.signum() * divisor.signum();
    i32::try_from(sign * magnitude).unwrap_or(i32::MAX)
}

/// Larger first.
fn by_size(a: &Arc<ReplicaSet>, b: &Arc<ReplicaSet>) -> Ordering {
    Reverse(sets::replicas(a)).cmp(&Reverse(sets::replicas(b)))
}

/// The only active ReplicaSet; if none is active, the new one, or else the youngest; `None` if several are active.
fn only_or_latest(sets: &Sets) -> Option<Arc<ReplicaSet>> {
    let mut active = sets.active();
    match (active.next(), active.next()) {
        (Some(only), None) => Some(only.clone()),
        (Some(_), Some(_)) => None,
        (None, _) => sets.new.clone().or_else(|| sets.old.last().cloned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!((rounded(5, 2), rounded(-5, 2)), (3, -3));
        assert_eq!((rounded(104, 13), rounded(96, 13)), (8, 7));
        assert_eq!(rounded(0, 3), 0);
    }
}
