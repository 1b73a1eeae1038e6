//! NodeDeclaredFeatures: keeps Pods off nodes whose kubelet lacks a feature that the Pod needs.
//!
//! - **Extension points**: PreFilter, Filter.
//! - **Why**: kubelets of an older version, or with other feature gates, ignore fields that they do not know.
//! - **Example**: a container with a restart rule `RestartAllContainers` needs a node that declares
//!   `RestartAllContainersOnContainerExits`.
//! - **Upstream**: `plugins/nodedeclaredfeatures` and `component-helpers/nodedeclaredfeatures`, v1.36.

use k8s_openapi::api::core::v1::{Container, PodSpec};

use crate::cluster::node::NodeInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::plugin::{Context, Filter, PreFilter, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreFiltered, Rejection, Verdict};
use berth_protocol::fact::{Fact, FactKind};

const RESTART_ALL: &str = "RestartAllContainersOnContainerExits";
const USER_NAMESPACES_ON_HOST_NETWORK: &str = "UserNamespacesHostNetworkSupport";

/// The plugin.
pub struct NodeDeclaredFeatures;

/// The features that the Pod needs.
#[derive(Clone)]
struct Needed(Vec<&'static str>);

extends!(NodeDeclaredFeatures: PreFilter, Filter, EnqueueExtensions);

impl PreFilter for NodeDeclaredFeatures {
    fn pre_filter(&self, cx: Context<'_>, state: &mut CycleState) -> PreFiltered {
        let needed = needed(&cx.spec.template.spec);
        if needed.is_empty() {
            return PreFiltered::Skip;
        }
        state.write(Needed(needed));
        PreFiltered::Continue
    }
}

impl Filter for NodeDeclaredFeatures {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, _cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> Verdict {
        let Some(Needed(needed)) = state.read() else {
            return Err(Rejection::error(
                "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found",
            ));
        };
        if needed.iter().all(|feature| declares(node, feature)) {
            Ok(())
        } else {
            Err(Rejection::unresolvable(
                "node(s) didn't match Pod's required features",
            ))
        }
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Facts {
        let facts = needed(&cx.spec.template.spec).into_iter().map(|feature| {
            let kind = FactKind::NodeFeature {
                feature: feature.to_owned(),
                declared: declares(node, feature),
            };
            Fact::new(kind).in_node("status.declaredFeatures")
        });
        facts.collect()
    }
}

fn declares(node: &NodeInfo, feature: &str) -> bool {
    declared(node).iter().any(|known| known == feature)
}

fn declared(node: &NodeInfo) -> &[String] {
    let status = node.object.status.as_ref();
    let declared = status.and_then(|status| status.declared_features.as_deref());
    declared.unwrap_or_default()
}

/// The features that scheduling infers from a spec.
fn needed(spec: &PodSpec) -> Vec<&'static str> {
    let mut needed = Vec::new();
    let mut containers = spec
        .init_containers
        .iter()
        .flatten()
        .chain(&spec.containers);
    if containers.any(restarts_all) {
        needed.push(RESTART_ALL);
    }
    if spec.host_network == Some(true) && spec.host_users == Some(false) {
        needed.push(USER_NAMESPACES_ON_HOST_NETWORK);
    }
    needed
}

fn restarts_all(container: &Container) -> bool {
    let mut rules = container.restart_policy_rules.iter().flatten();
    rules.any(|rule| rule.action == "RestartAllContainers")
}

impl EnqueueExtensions for NodeDeclaredFeatures {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 1] = [EventToRegister::hinted(
            Resource::Node,
            ActionType::ADD.or(ActionType::UPDATE_NODE_DECLARED_FEATURE),
        )];
        &EVENTS
    }

    /// The node is new, or declares other features, whatever the Pod needs. (A Pod's own needs never change.)
    fn hint(&self, _cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        let ObjectUpdate::Node(node) = change else {
            return Hint::Skip;
        };
        Hint::queue_if(
            node.both()
                .is_none_or(|(old, new)| declared(old) != declared(new)),
        )
    }
}
