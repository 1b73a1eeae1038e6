//! Ranks changes: what an operator would try first.

use super::{Change, NewNode, Rank};

/// Kubernetes sets taints with these prefixes, so removing or tolerating one counts as a larger change.
const SYSTEM_TAINTS: [&str; 2] = ["node-role.kubernetes.io/", "node.kubernetes.io/"];

/// The tier of a change that deletes a running Pod.
pub(super) const DELETE_POD: u32 = 19;

/// The tier of a change that takes what is reserved for others.
pub(super) const RESERVED: u32 = 22;

impl Change {
    /// The rank of the change. Tiers, in the order in which an operator would try them:
    ///
    /// | tier | change | amount |
    /// |---|---|---|
    /// | 0 | remove scheduling gates; uncordon a node | |
    /// | 1 | tolerate a taint of the nodes that the Pod was meant for | |
    /// | 2 | add nodes like those that exist | how many |
    /// | 3 | lower a request, or a number of devices, by up to a quarter | share |
    /// | 4 | add a label to a node | |
    /// | 5 | count only tolerated nodes in a spread; raise `maxSkew` | by how much |
    /// | 6 | remove a taint; tolerate one of Kubernetes' own | |
    /// | 7 | lower a request by up to half | share |
    /// | 8 | give up replicas that have no domain; add nodes larger than any, or in a zone of their own | how many |
    /// | 9 | make a spread constraint or an anti-affinity soft; take all devices in place of a number | |
    /// | 10 | remove one node selector entry or expression, or a claim's selector | |
    /// | 11 | change or remove a label that a node has | |
    /// | 12 | remove the required node affinity | terms |
    /// | 13 | use another host port | distance |
    /// | 14 | remove a host port | |
    /// | 15 | remove a required term of the Pod | |
    /// | 16 | remove a required term of another object | |
    /// | 17 | add nodes unlike any that exist | how many |
    /// | 18 | lower a request by more than half | share |
    /// | 19 | delete a running Pod | its priority |
    /// | 20 | scale another workload down | its Pods' priority |
    /// | 21 | delete a running Pod against a PodDisruptionBudget | its priority |
    /// | 22 | tolerate or remove a taint that reserves nodes for others | |
    ///
    /// Two changes have the tier of the larger one, and come after single changes.
    ///
    /// A node of a pool that only lacks room costs nobody anything, so it precedes changes of the Pod. Changes that add or
    /// relax a rule precede those that remove one, changes of the Pod's own rules precede changes of other objects'
    /// rules, and changes that cost a running Pod, or the owners of a reserved pool, come last.
    pub fn rank(&self) -> Rank {
        let (tier, amount) = match self {
            Self::Uncordon { .. } | Self::RemoveGates { .. } => (0, 0),
            Self::Tolerate { reserved: true, .. } => (RESERVED, 0),
            Self::RemoveTaint { reserved: true, .. } => (RESERVED, 1),
            Self::Tolerate { key, .. } if is_system_taint(key) => (6, 1),
            Self::Tolerate { .. } => (1, 0),
            Self::LowerRequest { from, to, .. } | Self::LowerDeviceCount { from, to, .. } => {
                let share = share_of(from.saturating_sub(*to), *from);
                let tier = match share {
                    ..=2_500 => 3,
                    2_501..=5_000 => 7,
                    _ => 18,
                };
                (tier, share)
            }
            Self::LabelNode { was: None, .. } => (4, 0),
            Self::HonorTaints { .. } => (5, 0),
            Self::RaiseMaxSkew { from, to, .. } => (5, to.saturating_sub(*from)),
            Self::LabelNode { .. } => (11, 0),
            Self::UnlabelNode { .. } => (11, 1),
            Self::RemoveTaint { key, .. } => (6, i64::from(is_system_taint(key)) * 2),
            Self::ChangeHostPort { from, to, .. } => (13, i64::from(from.abs_diff(*to))),
            Self::SoftenSpread { .. } | Self::PreferPodTerm { .. } => (9, 0),
            Self::TakeAllDevices { .. } => (9, 1),
            Self::RemoveNodeSelector { .. } => (10, 0),
            Self::RemoveNodeRequirement { .. } => (10, 1),
            Self::RemoveDeviceSelector { .. } => (10, 2),
            Self::RemoveNodeAffinity { terms } => (12, i64::from(*terms)),
            Self::RemoveHostPort { .. } => (14, 0),
            Self::RemovePodTerm { .. } => (15, 0),
            Self::RemoveTermOf { .. } => (16, 0),
            Self::DeletePod {
                priority,
                violates_budget,
                ..
            } => {
                let tier = if *violates_budget { 21 } else { DELETE_POD };
                (tier, i64::from(*priority))
            }
            Self::Forgo { .. } => (8, 0),
            Self::Both { first, second } => {
                let rank = first.what.rank().max(second.what.rank());
                (rank.tier, rank.amount)
            }
            Self::ScaleDown { priority, .. } => (20, i64::from(*priority)),
            Self::AddNode { count, kind, .. } => {
                let tier = match kind {
                    NewNode::Same => 2,
                    NewNode::OwnZone | NewNode::Larger => 8,
                    NewNode::Unlike => 17,
                };
                (tier, i64::from(*count))
            }
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
