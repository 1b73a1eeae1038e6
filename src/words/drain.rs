//! Text about draining a node, and about owners that were inferred.

use berth_words::{counted, say, text};

use super::language::comma;
use super::{Text, short};
use berth_protocol::drain::{Blocked, DrainPlan, Evicted, InferredOwner};

pub const DRAIN: Text = text!("Drain");
pub const DRAIN_NOW: Text = text!("Drain now");
pub const DRAIN_NOTHING: Text = text!("No Pod would move. The node would be cordoned.");
/// After a drain where time does not pass.
pub fn drained(node: &str) -> String {
    say!("{node} is cordoned, and the Pods that may leave it are evicted.")
}

/// Below the plan where time does not pass.
pub const DRAIN_ONCE: Text = text!(
    "Without a clock, only the evictions that budgets allow now happen; drain again once the replacements are placed."
);
pub const DRAIN_LIVING: Text = text!("Runs in the terminal:");

/// The title of a plan.
pub fn drain_title(plan: &DrainPlan) -> String {
    say!("Draining {node} cordons it and evicts:", node = plan.node)
}

/// The Pods that find new places: `4 Pods, replaced by their owners`.
pub fn drain_replaced(pods: &[Evicted]) -> Option<(String, String)> {
    let title = counted!(
        pods = pods.len(),
        "{pods} Pod, replaced by its owner",
        "{pods} Pods, replaced by their owners"
    );
    let listed = pods
        .iter()
        .map(|it| say!("{pod} ({owner})", pod = short(&it.pod), owner = it.owner));
    some(pods, title, listed)
}

pub fn drain_lost(pods: &[String]) -> Option<(String, String)> {
    let title = counted!(
        pods = pods.len(),
        "{pods} Pod is lost: nothing replaces it",
        "{pods} Pods are lost: nothing replaces them"
    );
    some(pods, title, pods.iter().map(|pod| short(pod).to_owned()))
}

pub fn drain_staying(pods: &[String]) -> Option<(String, String)> {
    let title = counted!(
        pods = pods.len(),
        "{pods} Pod stays: its DaemonSet or the kubelet keeps it here",
        "{pods} Pods stay: their DaemonSets or the kubelet keep them here"
    );
    some(pods, title, pods.iter().map(|pod| short(pod).to_owned()))
}

pub fn drain_blocked(pods: &[Blocked]) -> Option<(String, String)> {
    let title = counted!(
        pods = pods.len(),
        "{pods} Pod is blocked by a budget for now",
        "{pods} Pods are blocked by a budget for now"
    );
    let listed = pods
        .iter()
        .map(|it| super::labelled(short(&it.pod), &it.cause));
    some(pods, title, listed)
}

/// A plan without budgets proves nothing if the dump left them out.
pub fn drain_unbudgeted(plan: &DrainPlan) -> Option<Text> {
    let evicts = !plan.replaced.is_empty() || !plan.lost.is_empty();
    let text = text!("The manifests have no PodDisruptionBudget, so none is counted.");
    (plan.unbudgeted && evicts).then_some(text)
}

/// The title and the list, unless there is nothing to list.
fn some<T>(
    all: &[T],
    title: String,
    listed: impl Iterator<Item = String>,
) -> Option<(String, String)> {
    (!all.is_empty()).then(|| (title, listed.collect::<Vec<String>>().join(comma())))
}

/// Says once that owners were inferred.
pub fn inferred(owners: &[InferredOwner]) -> String {
    counted!(
        owners = owners.len(),
        "{owners} workload is not among the manifests and inferred from the Pods that name it as their owner: when one of these Pods is evicted or deleted, it is replaced.",
        "{owners} workloads are not among the manifests and inferred from the Pods that name them as their owners: when one of these Pods is evicted or deleted, it is replaced."
    )
}

/// `ReplicaSet shop/web-5d8c, from 3 Pods`.
pub fn inferred_owner(owner: &InferredOwner) -> String {
    let InferredOwner {
        kind,
        namespace,
        name,
        pods,
    } = owner;
    say!(
        "{kind} {namespace}/{name}, from {pods}",
        pods = super::pods(*pods)
    )
}

#[cfg(test)]
mod tests {
    use super::{Text, drain_lost, drain_replaced, drain_unbudgeted, inferred_owner};
    use berth_protocol::drain::{DrainPlan, Evicted, InferredOwner};

    #[test]
    fn plans_name_the_pods_and_what_becomes_of_them() {
        let evicted = Evicted {
            pod: "default/web-1".into(),
            owner: "ReplicaSet/web".into(),
        };
        assert_eq!(
            drain_replaced(&[evicted]),
            Some((
                "1 Pod, replaced by its owner".into(),
                "web-1 (ReplicaSet/web)".into()
            ))
        );
        assert_eq!(drain_lost(&[]), None);
        let mut plan = DrainPlan {
            unbudgeted: true,
            ..DrainPlan::default()
        };
        assert_eq!(drain_unbudgeted(&plan).map(Text::get), None);
        plan.lost.push("default/web-1".into());
        assert!(drain_unbudgeted(&plan).is_some());
        let lost = ["default/a".to_owned(), "ops/b".to_owned()];
        let (title, listed) = drain_lost(&lost).unwrap();
        assert_eq!(title, "2 Pods are lost: nothing replaces them");
        assert_eq!(listed, "a, ops/b");
        let owner = InferredOwner {
            kind: "ReplicaSet".into(),
            namespace: "shop".into(),
            name: "web-5d8c".into(),
            pods: 3,
        };
        assert_eq!(
            inferred_owner(&owner),
            "ReplicaSet shop/web-5d8c, from 3 Pods"
        );
    }
}
