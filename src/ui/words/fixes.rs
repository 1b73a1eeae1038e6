//! Fixes as instructions. The command has its own sentences ([`Fix::sentence`]).

use berth_words::{say, text};

use super::language::comma;
use berth_protocol::edit::ObjectRef;
use berth_protocol::fact::AffinityTermKind;
use berth_protocol::fix::{Change, Fix};
use berth_protocol::quantity;

/// The fix as an instruction.
pub fn fix(fix: &Fix) -> String {
    let change = change(&fix.what);
    match fix.replaced() {
        Some(object) => say!(
            "{change}; delete {object} and create it again",
            object = named(object)
        ),
        None => change,
    }
}

/// The change as an instruction: `Raise maxSkew on topology.kubernetes.io/zone to 2`.
fn change(change: &Change) -> String {
    match change {
        Change::Uncordon { node } => say!("Uncordon {node}"),
        Change::Tolerate { key, value, effect } => {
            say!("Tolerate {taint}", taint = taint(key, value, effect))
        }
        Change::RemoveTaint {
            node,
            key,
            value,
            effect,
        } => say!(
            "Remove taint {taint} from {node}",
            taint = taint(key, value, effect)
        ),
        Change::LabelNode { .. } | Change::UnlabelNode { .. } => about_labels(change),
        Change::RemoveNodeSelector { .. }
        | Change::RemoveNodeRequirement { .. }
        | Change::RemoveNodeAffinity { .. }
        | Change::RemovePodTerm { .. }
        | Change::RemoveTermOf { .. } => about_affinity(change),
        Change::RaiseMaxSkew {
            topology_key, to, ..
        } => say!("Raise maxSkew on {topology_key} to {to}"),
        Change::SoftenSpread { topology_key } => {
            say!("Set whenUnsatisfiable: ScheduleAnyway for the spread over {topology_key}")
        }
        Change::ChangeHostPort { protocol, from, to } => {
            say!("Use host port {to}/{protocol} instead of {from}")
        }
        Change::RemoveHostPort { protocol, port } => say!("Remove host port {port}/{protocol}"),
        Change::LowerRequest { .. } | Change::DeletePod { .. } | Change::ScaleDown { .. } => {
            about_what_runs(change)
        }
        Change::RemoveDeviceSelector {
            object,
            request,
            expression,
        } => say!(
            "Remove the selector {expression} from request {request} of {object}",
            object = named(object)
        ),
        Change::LowerDeviceCount {
            object,
            request,
            from,
            to,
        } => say!(
            "Lower the count of request {request} of {object} from {from} to {to}",
            object = named(object)
        ),
        Change::TakeAllDevices { object, request } => say!(
            "Set allocationMode: All for request {request} of {object}",
            object = named(object)
        ),
        Change::AddNode { .. } => add_node(change),
        Change::RemoveGates {
            gates,
            object,
            line,
        } => ungate(gates, object, line),
    }
}

fn ungate(gates: &[String], object: &ObjectRef, line: &str) -> String {
    let all = gates.join(comma());
    match (gates.len(), line) {
        (1, "") => say!(
            "Remove the scheduling gate {gate} from {object}",
            gate = all,
            object = named(object)
        ),
        (_, "") => say!(
            "Remove the scheduling gates {gates} from {object}",
            gates = all,
            object = named(object)
        ),
        (1, line) => say!("Remove the scheduling gate {gate}: {line}", gate = all),
        (_, line) => say!("Remove the scheduling gates {gates}: {line}", gates = all),
    }
}

fn about_affinity(change: &Change) -> String {
    match change {
        Change::RemoveNodeSelector { key, value } => say!(
            "Remove {label} from nodeSelector",
            label = format_args!("{key}={value}")
        ),
        Change::RemoveNodeRequirement {
            key,
            operator,
            values,
        } => {
            let rule = match values.as_slice() {
                [] => format!("{key} {operator}"),
                values => format!("{key} {operator} [{}]", values.join(", ")),
            };
            say!("Remove {rule} from the required node affinity")
        }
        Change::RemoveNodeAffinity { .. } => text!("Remove the required node affinity").to_owned(),
        Change::RemovePodTerm {
            term: AffinityTermKind::Affinity,
            topology_key,
        } => say!("Remove the required pod affinity over {topology_key}"),
        Change::RemovePodTerm { topology_key, .. } => {
            say!("Remove the required pod anti-affinity over {topology_key}")
        }
        Change::RemoveTermOf {
            object,
            topology_key,
        } => say!(
            "Remove the required anti-affinity over {topology_key} from {object}",
            object = named(object)
        ),
        _ => String::new(),
    }
}

fn about_what_runs(change: &Change) -> String {
    match change {
        Change::LowerRequest {
            resource,
            container,
            from,
            to,
        } => {
            let (from, to) = quantity::pair(resource, *from, *to);
            match container {
                None => say!("Lower the {resource} request from {from} to {to}"),
                Some(container) => {
                    say!(
                        "Lower the {resource} request of container {container} from {from} to {to}"
                    )
                }
            }
        }
        Change::DeletePod { pod, node, .. } => say!("Delete Pod {pod} from {node}"),
        Change::ScaleDown {
            object,
            to,
            pod,
            node,
            ..
        } => say!(
            "Scale {object} down to {to}, which removes {pod} from {node}",
            object = named(object)
        ),
        _ => String::new(),
    }
}

fn about_labels(change: &Change) -> String {
    match change {
        Change::LabelNode {
            node,
            key,
            value,
            was: None,
        } => say!(
            "Label {node} {label}",
            label = format_args!("{key}={value}")
        ),
        Change::LabelNode {
            node,
            key,
            value,
            was: Some(was),
        } => say!("Change label {key} of {node} from {was} to {value}"),
        Change::UnlabelNode { node, key, value } => say!(
            "Remove label {label} from {node}",
            label = format_args!("{key}={value}")
        ),
        _ => String::new(),
    }
}

fn add_node(change: &Change) -> String {
    let Change::AddNode {
        name: _,
        count,
        like,
        zone,
        milli_cpu,
        memory_bytes,
        others,
        labels,
    } = change
    else {
        return String::new();
    };
    let main = [
        quantity::asked("cpu", *milli_cpu),
        quantity::asked("memory", *memory_bytes),
    ];
    let others = others
        .iter()
        .map(|(name, amount)| quantity::asked(name, *amount));
    let size: Vec<String> = main.into_iter().chain(others).collect();
    let labels: Vec<String> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let mut nodes = match count {
        1 => text!("a node").to_owned(),
        count => super::nodes(usize::try_from(*count).unwrap_or(usize::MAX)),
    };
    if let Some(like) = like {
        nodes = say!("{nodes} like {like}");
    }
    if let Some(zone) = zone {
        nodes = say!("{nodes} in {zone}");
    }
    if !labels.is_empty() {
        nodes = say!("{nodes} with {labels}", labels = labels.join(comma()));
    }
    let size = size.join(comma());
    match count {
        1 => say!("Add {nodes} ({size})"),
        _ => say!("Add {nodes} ({size} each)"),
    }
}

pub(super) fn taint(key: &str, value: &str, effect: &str) -> String {
    match value {
        "" => format!("{key}:{effect}"),
        value => format!("{key}={value}:{effect}"),
    }
}

fn named(object: &ObjectRef) -> String {
    match object.namespace.as_str() {
        "" | "default" => format!("{} {}", object.kind, object.name),
        namespace => format!("{} {namespace}/{}", object.kind, object.name),
    }
}

#[cfg(test)]
mod tests {
    use super::change;
    use berth_protocol::edit::ObjectRef;
    use berth_protocol::fix::Change;

    #[test]
    fn the_page_says_in_english_what_the_command_says() {
        let object = ObjectRef {
            kind: "Deployment".into(),
            namespace: "shop".into(),
            name: "web".into(),
        };
        let (node, key) = ("node-a".to_owned(), "pool".to_owned());
        for what in [
            Change::Uncordon { node: node.clone() },
            Change::LowerRequest {
                resource: "cpu".into(),
                container: Some("app".into()),
                from: 3500,
                to: 2800,
            },
            Change::LabelNode {
                node: node.clone(),
                key: key.clone(),
                value: "db".into(),
                was: Some("web".into()),
            },
            Change::RemoveNodeRequirement {
                key: key.clone(),
                operator: "In".into(),
                values: vec!["a".into(), "b".into()],
            },
            Change::RemoveTermOf {
                object: object.clone(),
                topology_key: "zone".into(),
            },
            Change::RemoveGates {
                gates: vec!["a.b/c".into()],
                object: object.clone(),
                line: String::new(),
            },
            Change::RemoveGates {
                gates: vec!["a".into(), "b".into()],
                object: object.clone(),
                line: "kubectl patch".into(),
            },
            Change::ScaleDown {
                object,
                from: 3,
                to: 2,
                pod: "shop/web-1".into(),
                node: node.clone(),
                priority: 0,
            },
            Change::AddNode {
                count: 1,
                name: "node-d".into(),
                like: None,
                zone: None,
                milli_cpu: 4000,
                memory_bytes: 16 << 30,
                others: Default::default(),
                labels: Default::default(),
            },
            Change::AddNode {
                count: 3,
                name: "node-d".into(),
                like: Some(node),
                zone: Some("zone-c".into()),
                milli_cpu: 4000,
                memory_bytes: 16 << 30,
                others: [("nvidia.com/gpu".to_owned(), 1)].into(),
                labels: [(key, "db".to_owned())].into(),
            },
        ] {
            assert_eq!(change(&what), what.sentence());
        }
    }
}
