//! Changes in words, as instructions.

use std::collections::BTreeMap;

use super::{Change, Fix, NewNode, Part};
use crate::edit::ObjectRef;
use crate::fact::{AffinityTermKind, taint};
use crate::quantity;
use crate::remark::Remark;

impl Fix {
    /// The change as an instruction.
    #[inline(never)]
    pub fn remark(&self) -> Remark {
        let what = in_template(self.what.remark(), self.template.as_deref());
        match self.replaced() {
            Some(object) => Remark::recreate(what, named(object)),
            None => what,
        }
    }
}

impl Change {
    /// The change as an instruction: `Raise maxSkew on topology.kubernetes.io/zone to 2`.
    #[inline(never)]
    pub fn remark(&self) -> Remark {
        match self {
            Self::Uncordon { .. }
            | Self::RemoveTaint { .. }
            | Self::LabelNode { .. }
            | Self::UnlabelNode { .. }
            | Self::AddNode { .. } => self.of_nodes(),
            Self::RaiseMaxSkew { .. }
            | Self::SoftenSpread { .. }
            | Self::HonorTaints { .. }
            | Self::PreferPodTerm { .. }
            | Self::RemoveNodeSelector { .. }
            | Self::RemoveNodeRequirement { .. }
            | Self::RemoveNodeAffinity { .. }
            | Self::RemovePodTerm { .. }
            | Self::RemoveTermOf { .. } => self.of_rules(),
            Self::RemoveDeviceSelector { .. }
            | Self::LowerDeviceCount { .. }
            | Self::TakeAllDevices { .. } => self.of_devices(),
            Self::Tolerate {
                key,
                value,
                effect,
                reserved,
            } => {
                let taint = taint(key, value, effect);
                match reserved {
                    true => Remark::tolerate_reserved(taint),
                    false => Remark::tolerate(taint),
                }
            }
            Self::LowerRequest {
                resource,
                container,
                from,
                to,
            } => {
                let (from, to) = quantity::pair(resource, *from, *to);
                match container {
                    None => Remark::lower_request(resource, from, to),
                    Some(name) => Remark::lower_request_of(resource, name, from, to),
                }
            }
            Self::ChangeHostPort { protocol, from, to } => {
                Remark::use_host_port(*to, protocol, *from)
            }
            Self::RemoveHostPort { protocol, port } => Remark::remove_host_port(*port, protocol),
            Self::DeletePod { pod, node, .. } => Remark::delete_pod(pod, node),
            Self::ScaleDown {
                object,
                to,
                pod,
                node,
                ..
            } => Remark::scale_down(named(object), *to, pod, node),
            Self::RemoveGates {
                gates,
                object,
                line,
            } => ungate(gates, object, line),
            Self::Forgo { workload, to, .. } => Remark::scale_own(workload, *to),
            Self::Both { first, second } => {
                let part = |part: &Part| in_template(part.what.remark(), part.template.as_deref());
                Remark::both_changes(part(first), part(second))
            }
        }
    }

    fn of_nodes(&self) -> Remark {
        match self {
            Self::Uncordon { node } => Remark::uncordon(node),
            Self::RemoveTaint {
                node,
                key,
                value,
                effect,
                reserved,
            } => {
                let taint = taint(key, value, effect);
                match reserved {
                    true => Remark::remove_reserved_taint(taint, node),
                    false => Remark::remove_taint(taint, node),
                }
            }
            Self::LabelNode {
                node,
                key,
                value,
                was: None,
            } => Remark::label_node(node, format!("{key}={value}")),
            Self::LabelNode {
                node,
                key,
                value,
                was: Some(was),
            } => Remark::change_label(key, node, was, value),
            Self::UnlabelNode { node, key, value } => {
                Remark::remove_label(format!("{key}={value}"), node)
            }
            Self::AddNode { .. } => self.of_new_nodes(),
            _ => Remark::default(),
        }
    }

    /// New nodes: how many, like which, where, and how large.
    fn of_new_nodes(&self) -> Remark {
        let Self::AddNode {
            name: _,
            count,
            like,
            pool,
            kind,
            zone,
            milli_cpu,
            memory_bytes,
            others,
            labels,
        } = self
        else {
            return Remark::default();
        };
        let nodes = new_nodes(*count, pool.as_ref());
        let nodes = match (kind, pool, like) {
            (NewNode::Same | NewNode::OwnZone, None, Some(like)) => Remark::nodes_like(nodes, like),
            _ => nodes,
        };
        let nodes = match (kind, zone) {
            (NewNode::OwnZone, _) => Remark::nodes_in_own_zone(nodes),
            (_, Some(zone)) => Remark::nodes_in(nodes, zone),
            (_, None) => nodes,
        };
        let nodes = match (pool, labels.is_empty()) {
            (None, false) => {
                let labels = labels.iter().map(|(key, value)| format!("{key}={value}"));
                Remark::nodes_with(nodes, labels.collect::<Vec<_>>())
            }
            _ => nodes,
        };
        let nodes = match kind {
            NewNode::Larger => Remark::nodes_larger(nodes),
            NewNode::Unlike => Remark::nodes_unlike(nodes),
            NewNode::Same | NewNode::OwnZone => nodes,
        };
        let size = size(*milli_cpu, *memory_bytes, others);
        match count {
            1 => Remark::add_node(nodes, size),
            _ => Remark::add_equal_nodes(nodes, size),
        }
    }

    fn of_rules(&self) -> Remark {
        match self {
            Self::RaiseMaxSkew {
                topology_key, to, ..
            } => Remark::raise_max_skew(topology_key, *to),
            Self::SoftenSpread { topology_key } => Remark::soften_spread(topology_key),
            Self::HonorTaints { topology_key } => Remark::honor_taints(topology_key),
            Self::PreferPodTerm { topology_key } => Remark::prefer_pod_term(topology_key),
            Self::RemoveNodeSelector { key, value } => {
                Remark::remove_node_selector(format!("{key}={value}"))
            }
            Self::RemoveNodeRequirement {
                key,
                operator,
                values,
            } => Remark::remove_node_requirement(match values.as_slice() {
                [] => format!("{key} {operator}"),
                values => format!("{key} {operator} [{}]", values.join(", ")),
            }),
            Self::RemoveNodeAffinity { .. } => Remark::remove_node_affinity(),
            Self::RemovePodTerm { term, topology_key } => match term {
                AffinityTermKind::Affinity => Remark::remove_pod_affinity(topology_key),
                _ => Remark::remove_pod_anti_affinity(topology_key),
            },
            Self::RemoveTermOf {
                object,
                topology_key,
            } => Remark::remove_term_of(topology_key, named(object)),
            _ => Remark::default(),
        }
    }

    fn of_devices(&self) -> Remark {
        match self {
            Self::RemoveDeviceSelector {
                object,
                request,
                expression,
            } => Remark::remove_device_selector(expression, request, named(object)),
            Self::LowerDeviceCount {
                object,
                request,
                from,
                to,
            } => Remark::lower_device_count(request, named(object), *from, *to),
            Self::TakeAllDevices { object, request } => {
                Remark::take_all_devices(request, named(object))
            }
            _ => Remark::default(),
        }
    }
}

fn in_template(what: Remark, owner: Option<&str>) -> Remark {
    match owner {
        Some(owner) => Remark::in_template(what, owner),
        None => what,
    }
}

fn ungate(gates: &[String], object: &ObjectRef, line: &str) -> Remark {
    match (gates, line) {
        ([gate], "") => Remark::remove_gate(gate, named(object)),
        (gates, "") => Remark::remove_gates(gates.to_vec(), named(object)),
        ([gate], line) => Remark::remove_gate_by(gate, line),
        (gates, line) => Remark::remove_gates_by(gates.to_vec(), line),
    }
}

/// `3 gpu nodes`.
fn new_nodes(count: u32, pool: Option<&String>) -> Remark {
    match (count, pool) {
        (1, None) => Remark::a_node(),
        (1, Some(pool)) => Remark::a_pool_node(pool),
        (count, None) => Remark::new_nodes(count),
        (count, Some(pool)) => Remark::new_pool_nodes(count, pool),
    }
}

fn size(milli_cpu: i64, memory_bytes: i64, others: &BTreeMap<String, i64>) -> Vec<String> {
    let main = [("cpu", milli_cpu), ("memory", memory_bytes)];
    let others = others.iter().map(|(name, amount)| (name.as_str(), *amount));
    let all = main.into_iter().chain(others);
    all.map(|(name, amount)| quantity::asked(name, amount))
        .collect()
}

fn named(object: &ObjectRef) -> String {
    match object.namespace.as_str() {
        "" | "default" => format!("{} {}", object.kind, object.name),
        namespace => format!("{} {namespace}/{}", object.kind, object.name),
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, NewNode};
    use crate::edit::ObjectRef;

    #[test]
    fn new_nodes_have_what_the_pod_asks_for() {
        let add = |count, kind, pool: Option<&str>, is_plain: bool| {
            let some = |text: &str| (!is_plain).then(|| text.to_owned());
            let change = Change::AddNode {
                name: "node-d".to_owned(),
                count,
                like: some("node-a"),
                pool: pool.map(str::to_owned),
                kind,
                zone: some("zone-c"),
                milli_cpu: 4000,
                memory_bytes: 16 << 30,
                others: some("nvidia.com/gpu")
                    .map(|it| (it, 1))
                    .into_iter()
                    .collect(),
                labels: some("pool")
                    .map(|it| (it, "db".to_owned()))
                    .into_iter()
                    .collect(),
            };
            change.remark()
        };
        assert_eq!(
            add(1, NewNode::Same, None, true),
            "Add a node (4 CPU, 16 GiB memory)"
        );
        assert_eq!(
            add(3, NewNode::Same, None, false),
            "Add 3 nodes like node-a in zone-c with pool=db (4 CPU, 16 GiB memory, 1 nvidia.com/gpu each)"
        );
        assert_eq!(
            add(3, NewNode::Same, Some("gpu"), false),
            "Add 3 gpu nodes in zone-c (4 CPU, 16 GiB memory, 1 nvidia.com/gpu each)"
        );
        assert_eq!(
            add(1, NewNode::OwnZone, Some("gpu"), false),
            "Add one gpu node in a zone of its own (4 CPU, 16 GiB memory, 1 nvidia.com/gpu)"
        );
        assert_eq!(
            add(1, NewNode::Larger, Some("gpu"), true),
            "Add one gpu node, larger than any here (4 CPU, 16 GiB memory)"
        );
        assert_eq!(
            add(1, NewNode::Unlike, None, false),
            "Add a node in zone-c with pool=db, unlike any here (4 CPU, 16 GiB memory, 1 nvidia.com/gpu)"
        );
    }

    #[test]
    fn gates_are_listed() {
        let ungate = |gates: &[&str], line: &str| {
            let change = Change::RemoveGates {
                gates: gates.iter().map(|&gate| gate.to_owned()).collect(),
                object: ObjectRef {
                    kind: "Deployment".to_owned(),
                    namespace: "shop".to_owned(),
                    name: "web".to_owned(),
                },
                line: line.to_owned(),
            };
            change.remark()
        };
        assert_eq!(
            ungate(&["a.b/c"], ""),
            "Remove the scheduling gate a.b/c from Deployment shop/web"
        );
        assert_eq!(
            ungate(&["a", "b"], "kubectl patch"),
            "Remove the scheduling gates a, b: kubectl patch"
        );
    }
}
