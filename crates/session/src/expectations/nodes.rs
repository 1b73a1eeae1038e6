//! Expectations on nodes.

use berth_core::api::scenario::Expectation;
use berth_core::cluster::node::NodeInfo;

use super::moment::Moment;

/// Controllers whose Pods do not keep a node from being empty: a drain leaves them where they are.
const STAYING: [&str; 2] = ["DaemonSet", "Node"];

impl Moment<'_> {
    /// Why the nodes are not as expected; `None` if they are.
    pub(super) fn check_nodes(&self, expectation: &Expectation) -> Option<String> {
        let names = expectation.node.iter();
        let names: Vec<&String> = names.chain(expectation.nodes.iter().flatten()).collect();
        let cluster = self.run.cluster();
        if let Some(missing) = names.iter().find(|name| cluster.find_node(name).is_none()) {
            return Some(format!("there is no node {missing}"));
        }
        let is_meant = |node: &&NodeInfo| {
            names.is_empty() || names.iter().any(|name| name.as_str() == &*node.name)
        };
        let meant: Vec<&NodeInfo> = cluster.nodes().filter(is_meant).collect();
        let whys: Vec<(&NodeInfo, String)> = meant
            .iter()
            .filter_map(|node| Some((*node, self.why_not_node(expectation, node)?)))
            .collect();
        let good = meant.len() - whys.len();
        let said = || {
            let said = whys.iter().take(3);
            let said = said.map(|(node, why)| format!("{} {why}", node.name));
            said.collect::<Vec<String>>().join("; ")
        };
        match expectation.count() {
            Some((min, max)) if (min..=max).contains(&good) => None,
            Some(_) => Some(match whys.is_empty() {
                true => format!("{good} are"),
                false => format!("{good} of {}: {}", meant.len(), said()),
            }),
            None if whys.is_empty() => None,
            None => Some(said()),
        }
    }

    fn why_not_node(&self, expectation: &Expectation, node: &NodeInfo) -> Option<String> {
        let pods = self.run.cluster().pods();
        let own = node.pods.iter().filter_map(|&pod| pods.get(pod));
        let mut own = own.filter(|pod| {
            let owner = pod.object.template.controller.as_ref();
            !owner.is_some_and(|owner| STAYING.contains(&owner.kind.as_str()))
        });
        let first = own.next();
        let is_empty = first.is_none();
        if let Some(drained) = expectation.drained
            && drained != (is_empty && node.unschedulable)
        {
            return Some(match (drained, is_empty) {
                (true, true) => "is not cordoned".to_owned(),
                (true, false) => running(first.map(|pod| pod.object.key())),
                (false, _) => "is drained".to_owned(),
            });
        }
        match expectation.empty {
            Some(empty) if empty != is_empty => Some(match empty {
                true => running(first.map(|pod| pod.object.key())),
                false => "is empty".to_owned(),
            }),
            _ => None,
        }
    }
}

/// `runs web-0`.
fn running(pod: Option<String>) -> String {
    let pod = pod.unwrap_or_default();
    let short = pod.strip_prefix("default/").unwrap_or(&pod);
    format!("runs {short}")
}
