//! Changes in English.

use super::Change;
use crate::edit::ObjectRef;
use crate::fact::AffinityTermKind;
use crate::quantity;

impl Change {
    /// The change as an instruction: `Raise maxSkew on topology.kubernetes.io/zone to 2`.
    pub fn sentence(&self) -> String {
        match self {
            Self::Tolerate { .. } | Self::RemoveTaint { .. } | Self::Uncordon { .. } => {
                self.about_taints()
            }
            Self::LowerRequest {
                resource,
                container,
                from,
                to,
            } => lower(resource, container.as_deref(), *from, *to),
            Self::LabelNode { .. } | Self::UnlabelNode { .. } => self.about_labels(),
            Self::RaiseMaxSkew {
                topology_key, to, ..
            } => format!("Raise maxSkew on {topology_key} to {to}"),
            Self::SoftenSpread { topology_key } => {
                format!("Set whenUnsatisfiable: ScheduleAnyway for the spread over {topology_key}")
            }
            Self::RemoveGates {
                gates,
                object,
                line,
            } => ungate(gates, object, line),
            Self::RemoveNodeSelector { key, value } => {
                format!("Remove {key}={value} from nodeSelector")
            }
            Self::RemoveNodeRequirement {
                key,
                operator,
                values,
            } => {
                let values = match values.as_slice() {
                    [] => String::new(),
                    values => format!(" [{}]", values.join(", ")),
                };
                format!("Remove {key} {operator}{values} from the required node affinity")
            }
            Self::RemoveNodeAffinity { .. } => "Remove the required node affinity".to_owned(),
            Self::ChangeHostPort { protocol, from, to } => {
                format!("Use host port {to}/{protocol} instead of {from}")
            }
            Self::RemoveHostPort { protocol, port } => {
                format!("Remove host port {port}/{protocol}")
            }
            Self::RemovePodTerm { term, topology_key } => {
                let name = match term {
                    AffinityTermKind::Affinity => "affinity",
                    _ => "anti-affinity",
                };
                format!("Remove the required pod {name} over {topology_key}")
            }
            Self::RemoveTermOf {
                object,
                topology_key,
            } => format!(
                "Remove the required anti-affinity over {topology_key} from {}",
                named(object)
            ),
            Self::RemoveDeviceSelector { .. }
            | Self::LowerDeviceCount { .. }
            | Self::TakeAllDevices { .. } => self.about_devices(),
            Self::DeletePod { .. } | Self::ScaleDown { .. } | Self::AddNode { .. } => {
                self.about_what_runs()
            }
        }
    }

    fn about_taints(&self) -> String {
        let taint = |key: &str, value: &str, effect: &str| match value {
            "" => format!("{key}:{effect}"),
            value => format!("{key}={value}:{effect}"),
        };
        match self {
            Self::Tolerate { key, value, effect } => {
                format!("Tolerate {}", taint(key, value, effect))
            }
            Self::RemoveTaint {
                node,
                key,
                value,
                effect,
            } => format!("Remove taint {} from {node}", taint(key, value, effect)),
            Self::Uncordon { node } => format!("Uncordon {node}"),
            _ => String::new(),
        }
    }

    fn about_devices(&self) -> String {
        match self {
            Self::RemoveDeviceSelector {
                object,
                request,
                expression,
            } => format!(
                "Remove the selector {expression} from request {request} of {}",
                named(object)
            ),
            Self::LowerDeviceCount {
                object,
                request,
                from,
                to,
            } => format!(
                "Lower the count of request {request} of {} from {from} to {to}",
                named(object)
            ),
            Self::TakeAllDevices { object, request } => format!(
                "Set allocationMode: All for request {request} of {}",
                named(object)
            ),
            _ => String::new(),
        }
    }

    fn about_labels(&self) -> String {
        match self {
            Self::LabelNode {
                node,
                key,
                value,
                was: None,
            } => format!("Label {node} {key}={value}"),
            Self::LabelNode {
                node,
                key,
                value,
                was: Some(was),
            } => format!("Change label {key} of {node} from {was} to {value}"),
            Self::UnlabelNode { node, key, value } => {
                format!("Remove label {key}={value} from {node}")
            }
            _ => String::new(),
        }
    }

    fn about_what_runs(&self) -> String {
        match self {
            Self::DeletePod { pod, node, .. } => format!("Delete Pod {pod} from {node}"),
            Self::ScaleDown {
                object,
                to,
                pod,
                node,
                ..
            } => format!(
                "Scale {} down to {to}, which removes {pod} from {node}",
                named(object)
            ),
            Self::AddNode {
                name: _,
                count,
                like,
                zone,
                milli_cpu,
                memory_bytes,
                others,
                labels,
            } => {
                let main = [
                    quantity::asked("cpu", *milli_cpu),
                    quantity::asked("memory", *memory_bytes),
                ];
                let others = others.iter();
                let others = others.map(|(name, amount)| quantity::asked(name, *amount));
                let size: Vec<String> = main.into_iter().chain(others).collect();
                let like = like.as_ref();
                let like = like.map_or(String::new(), |node| format!(" like {node}"));
                let zone = zone.as_ref();
                let zone = zone.map_or(String::new(), |zone| format!(" in {zone}"));
                let labels = labels.iter().map(|(key, value)| format!("{key}={value}"));
                let labels: Vec<String> = labels.collect();
                let with = match labels.as_slice() {
                    [] => String::new(),
                    labels => format!(" with {}", labels.join(", ")),
                };
                let size = size.join(", ");
                match count {
                    1 => format!("Add a node{like}{zone}{with} ({size})"),
                    count => format!("Add {count} nodes{like}{zone}{with} ({size} each)"),
                }
            }
            _ => String::new(),
        }
    }
}

fn ungate(gates: &[String], object: &ObjectRef, line: &str) -> String {
    let all = match gates {
        [gate] => format!("the scheduling gate {gate}"),
        gates => format!("the scheduling gates {}", gates.join(", ")),
    };
    match line {
        "" => format!("Remove {all} from {}", named(object)),
        line => format!("Remove {all}: {line}"),
    }
}

fn lower(resource: &str, container: Option<&str>, from: i64, to: i64) -> String {
    let whose = container.map_or(String::new(), |name| format!(" of container {name}"));
    let (from, to) = quantity::pair(resource, from, to);
    format!("Lower the {resource} request{whose} from {from} to {to}")
}

pub(super) fn named(object: &ObjectRef) -> String {
    match object.namespace.as_str() {
        "" | "default" => format!("{} {}", object.kind, object.name),
        namespace => format!("{} {namespace}/{}", object.kind, object.name),
    }
}
