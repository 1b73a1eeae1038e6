//! Expectations on nodes.

use berth_core::api::prepared::ControllerRef;
use berth_core::api::scenario::Expectation;
use berth_protocol::key::short;
use berth_protocol::remark::Remark;
use berth_scheduler::cluster::node::NodeInfo;

use super::moment::{Moment, NAMED};

impl Moment<'_> {
    /// Why the nodes are not as expected; `None` if they are.
    pub(super) fn check_nodes(&self, expectation: &Expectation) -> Option<Remark> {
        let names = expectation.node.iter();
        let names: Vec<&String> = names.chain(expectation.nodes.iter().flatten()).collect();
        let cluster = self.run.cluster();
        if let Some(missing) = names.iter().find(|name| cluster.find_node(name).is_none()) {
            return Some(Remark::no_node(*missing));
        }
        let is_meant = |node: &&NodeInfo| {
            names.is_empty() || names.iter().any(|name| name.as_str() == &*node.name)
        };
        let meant: Vec<&NodeInfo> = cluster.nodes().filter(is_meant).collect();
        let mut whys: Vec<Remark> = meant
            .iter()
            .filter_map(|node| self.why_not_node(expectation, node))
            .collect();
        let good = meant.len() - whys.len();
        whys.truncate(NAMED);
        match expectation.count() {
            Some((min, max)) if (min..=max).contains(&good) => None,
            Some(_) => Some(match whys.is_empty() {
                true => Remark::nodes_hold(good),
                false => Remark::some_nodes_hold(good, meant.len(), whys),
            }),
            None if whys.is_empty() => None,
            None => Some(Remark::joined(whys)),
        }
    }

    fn why_not_node(&self, expectation: &Expectation, node: &NodeInfo) -> Option<Remark> {
        let pods = self.run.cluster().pods();
        let own = node.pods.iter().filter_map(|&pod| pods.get(pod));
        let mut own = own.filter(|pod| {
            let owner = pod.object.template.controller.as_ref();
            // What a drain leaves does not keep a node from being empty.
            !owner.is_some_and(ControllerRef::stays_on_its_node)
        });
        let first = own.next();
        let is_empty = first.is_none();
        if let Some(drained) = expectation.drained
            && drained != (is_empty && node.unschedulable)
        {
            return Some(match (drained, is_empty) {
                (true, true) => Remark::not_cordoned(&*node.name),
                (true, false) => running(node, first.map(|pod| pod.object.key())),
                (false, _) => Remark::node_drained(&*node.name),
            });
        }
        match expectation.empty {
            Some(empty) if empty != is_empty => Some(match empty {
                true => running(node, first.map(|pod| pod.object.key())),
                false => Remark::node_empty(&*node.name),
            }),
            _ => None,
        }
    }
}

/// `node-1 runs web-0`.
fn running(node: &NodeInfo, pod: Option<String>) -> Remark {
    let pod = pod.unwrap_or_default();
    Remark::runs(&*node.name, short(&pod))
}
