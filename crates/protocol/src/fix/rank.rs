//! Ranks changes by size.

use super::{Change, Rank};

/// Kubernetes sets taints with these prefixes, so removing or tolerating one counts as a larger change.
const SYSTEM_TAINTS: [&str; 2] = ["node-role.kubernetes.io/", "node.kubernetes.io/"];

/// The tier of a change that deletes a running Pod.
pub(super) const DELETE_POD: u32 = 16;

impl Change {
    /// The rank of the change. Tiers, from the smallest change to the largest:
    ///
    /// | tier | change | amount |
    /// |---|---|---|
    /// | 0 | remove scheduling gates; uncordon a node | |
    /// | 1 | tolerate a taint | |
    /// | 2 | lower a request, or a number of devices, by up to a quarter | share |
    /// | 3 | add a label to a node | |
    /// | 4 | raise `maxSkew` | by how much |
    /// | 5 | remove a taint; tolerate one of Kubernetes' own | |
    /// | 6 | lower a request by up to half | share |
    /// | 7 | use another host port | distance |
    /// | 8 | make a spread constraint soft; take all devices in place of a number | |
    /// | 9 | remove one node selector entry or expression, or a claim's selector | |
    /// | 10 | change or remove a label that a node has | |
    /// | 11 | remove the required node affinity | terms |
    /// | 12 | remove a host port | |
    /// | 13 | remove a required term of the Pod | |
    /// | 14 | remove a required term of another object | |
    /// | 15 | lower a request by more than half | share |
    /// | 16 | delete a running Pod | its priority |
    /// | 17 | scale another workload down | its Pods' priority |
    /// | 18 | delete a running Pod against a PodDisruptionBudget | its priority |
    /// | 19 | add a node | |
    ///
    /// Changes that add or relax a rule precede those that remove one, changes of the Pod's own rules
    /// precede changes of other objects' rules, and changes that cost a running Pod or a machine come last.
    pub fn rank(&self) -> Rank {
        let (tier, amount) = match self {
            Self::Uncordon { .. } | Self::RemoveGates { .. } => (0, 0),
            Self::Tolerate { key, .. } if is_system_taint(key) => (5, 1),
            Self::Tolerate { .. } => (1, 0),
            Self::LowerRequest { from, to, .. } | Self::LowerDeviceCount { from, to, .. } => {
                let share = share_of(from.saturating_sub(*to), *from);
                let tier = match share {
                    ..=2_500 => 2,
                    2_501..=5_000 => 6,
                    _ => 15,
                };
                (tier, share)
            }
            Self::LabelNode { was: None, .. } => (3, 0),
            Self::RaiseMaxSkew { from, to, .. } => (4, to.saturating_sub(*from)),
            Self::LabelNode { .. } => (10, 0),
            Self::UnlabelNode { .. } => (10, 1),
            Self::RemoveTaint { key, .. } => (5, i64::from(is_system_taint(key)) * 2),
            Self::ChangeHostPort { from, to, .. } => (7, i64::from(from.abs_diff(*to))),
            Self::SoftenSpread { .. } => (8, 0),
            Self::RemoveNodeSelector { .. } => (9, 0),
            Self::RemoveNodeRequirement { .. } => (9, 1),
            Self::RemoveDeviceSelector { .. } => (9, 2),
            Self::TakeAllDevices { .. } => (8, 1),
            Self::RemoveNodeAffinity { terms } => (11, i64::from(*terms)),
            Self::RemoveHostPort { .. } => (12, 0),
            Self::RemovePodTerm { .. } => (13, 0),
            Self::RemoveTermOf { .. } => (14, 0),
            Self::DeletePod {
                priority,
                violates_budget,
                ..
            } => {
                let tier = if *violates_budget { 18 } else { DELETE_POD };
                (tier, i64::from(*priority))
            }
            Self::ScaleDown { priority, .. } => (17, i64::from(*priority)),
            Self::AddNode { count, .. } => (19, i64::from(*count)),
        };
        Rank { tier, amount }
    }
}

fn is_system_taint(key: &str) -> bool {
    SYSTEM_TAINTS.iter().any(|prefix| key.starts_with(prefix))
}

/// `part` of `whole` in ten-thousandths.
fn share_of(part: i64, whole: i64) -> i64 {
    let share = i128::from(part) * 10_000 / i128::from(whole.max(1));
    i64::try_from(share).unwrap_or(i64::MAX)
}
