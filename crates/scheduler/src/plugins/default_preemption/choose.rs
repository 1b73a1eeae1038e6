//! The choice of the node on which Pods are preempted.

use crate::cluster::Cluster;
use crate::cluster::pod::PodInfo;
use crate::framework::preemption::PreemptionCandidate;

/// The chosen candidate.
pub struct Choice {
    pub position: usize,
    /// All rules left several nodes; the alphabetically first was taken.
    pub ambiguous: bool,
    pub decided_by: &'static str,
}

type Rule = (&'static str, fn(&Cluster, &PreemptionCandidate) -> i64);

/// Applied in order while several candidates are left; the highest rank wins.
const RULES: [Rule; 5] = [
    ("fewest PDB violations", |_, candidate| {
        -i64::from(candidate.pdb_violations)
    }),
    ("least important first victim", lowest_top_priority),
    ("lowest sum of priorities", lowest_priority_sum),
    ("fewest victims", |_, candidate| -count(candidate)),
    ("latest start of the most important victims", latest_start),
];

/// The rank of a candidate under each rule.
pub fn ranks(cluster: &Cluster, candidate: &PreemptionCandidate) -> Vec<i64> {
    RULES
        .iter()
        .map(|(_, score)| score(cluster, candidate))
        .collect()
}

/// Picks one candidate (`pickOneNodeForPreemption`).
pub fn choose(cluster: &Cluster, candidates: &[PreemptionCandidate]) -> Choice {
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    let mut decided_by = "the only candidate";
    for (rule, (name, _)) in RULES.iter().enumerate() {
        if left.len() < 2 {
            break;
        }
        let scores: Vec<i64> = left
            .iter()
            .map(|&position| candidates[position].ranks[rule])
            .collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let before = left.len();
        left = left
            .iter()
            .zip(&scores)
            .filter(|(_, score)| **score == best)
            .map(|(&position, _)| position)
            .collect();
        if left.len() < before {
            decided_by = *name;
        }
    }
    let ambiguous = left.len() > 1;
    let by_name = left
        .iter()
        .copied()
        .min_by_key(|&position| &cluster.node(candidates[position].node).name);
    Choice {
        position: by_name.unwrap_or(0),
        ambiguous,
        decided_by: if ambiguous {
            "a tie: the first by name"
        } else {
            decided_by
        },
    }
}

fn victims<'a>(
    cluster: &'a Cluster,
    candidate: &'a PreemptionCandidate,
) -> impl Iterator<Item = &'a PodInfo> {
    candidate
        .victims
        .iter()
        .filter_map(|&pod| cluster.pods().get(pod))
}

fn count(candidate: &PreemptionCandidate) -> i64 {
    i64::try_from(candidate.victims.len()).unwrap_or(i64::MAX)
}

fn lowest_top_priority(cluster: &Cluster, candidate: &PreemptionCandidate) -> i64 {
    -victims(cluster, candidate)
        .next()
        .map_or(0, |victim| i64::from(victim.priority()))
}

/// Each priority is shifted above zero, so that many Pods of negative priority do not rank better
/// than a few.
fn lowest_priority_sum(cluster: &Cluster, candidate: &PreemptionCandidate) -> i64 {
    -victims(cluster, candidate)
        .map(|victim| i64::from(victim.priority()) + i64::from(i32::MAX) + 1)
        .sum::<i64>()
}

fn latest_start(cluster: &Cluster, candidate: &PreemptionCandidate) -> i64 {
    let top = victims(cluster, candidate).map(PodInfo::priority).max();
    let most_important =
        victims(cluster, candidate).filter(|victim| Some(victim.priority()) == top);
    let starts = most_important.map(|victim| victim.object.start_ms.unwrap_or(i64::MAX));
    starts.min().unwrap_or(i64::MIN)
}
