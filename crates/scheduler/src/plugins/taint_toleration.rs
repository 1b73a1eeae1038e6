//! TaintToleration: keeps Pods off nodes whose taints they do not tolerate, and prefers nodes with
//! fewer `PreferNoSchedule` taints.
//!
//! - **Extension points**: Filter, PreScore, Score.
//! - **Why**: taints reserve nodes (control plane, GPU pool) for Pods that tolerate them.
//! - **Example**: taint `dedicated=gpu:NoSchedule` needs a toleration for key `dedicated`.
//! - **Upstream**: `plugins/tainttoleration`, v1.34 and v1.36.

use k8s_openapi::api::core::v1::{Taint, Toleration};

use super::helpers::{first_untolerated, own_update, taint_fact, tolerates};
use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{Context, Filter, PreScore, Score, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{Facts, PreScored, Rejection, ScoreFacts, Verdict};
use berth_protocol::fact::Fact;
use berth_protocol::score::{Formula, Input, Normalization};

/// The plugin.
pub struct TaintToleration;

/// The Pod's tolerations that apply to `PreferNoSchedule` taints.
#[derive(Clone)]
struct Preferred(Vec<Toleration>);

extends!(TaintToleration: Filter, PreScore, Score, EnqueueExtensions);

impl Filter for TaintToleration {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Verdict {
        match first_untolerated(&node.taints, &cx.spec.tolerations) {
            None => Ok(()),
            Some(_) if !cx.release().rules().names_untolerated_taint => {
                Err(Rejection::unresolvable("node(s) had untolerated taint(s)"))
            }
            Some((_, taint)) => {
                let value = taint.value.as_deref().unwrap_or_default();
                Err(Rejection::unresolvable(format!(
                    "node(s) had untolerated taint {{{}: {value}}}",
                    taint.key
                )))
            }
        }
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Facts {
        let untolerated = first_untolerated(&node.taints, &cx.spec.tolerations);
        untolerated
            .map(|(index, taint)| taint_fact(index, taint))
            .into_iter()
            .collect()
    }
}

impl PreScore for TaintToleration {
    fn pre_score(&self, cx: Context<'_>, state: &mut CycleState, nodes: Feasible<'_>) -> PreScored {
        if nodes.is_empty() {
            return PreScored::Continue;
        }
        let covers = |toleration: &&Toleration| {
            let effect = toleration.effect.as_deref().unwrap_or_default();
            effect.is_empty() || effect == "PreferNoSchedule"
        };
        state.write(Preferred(
            cx.spec.tolerations.iter().filter(covers).cloned().collect(),
        ));
        PreScored::Continue
    }
}

impl Score for TaintToleration {
    fn is_node_local(&self) -> bool {
        true
    }

    fn score(
        &self,
        _cx: Context<'_>,
        state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        let Some(Preferred(tolerations)) = state.read() else {
            return Err(Rejection::error(
                "failed to read \"PreScoreTaintToleration\" from cycleState: not found",
            ));
        };
        let untolerated = preferences(node).filter(|(_, taint)| !is_tolerated(taint, tolerations));
        Ok(i64::try_from(untolerated.count()).unwrap_or(i64::MAX))
    }

    fn normalization(&self, _state: &CycleState, _nodes: &[NodeIx], raw: &[i64]) -> Normalization {
        Normalization::by_maximum(raw, true)
    }

    fn facts(&self, _cx: Context<'_>, state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let tolerations = state.read().map_or(&[][..], |Preferred(list)| list);
        let inputs = preferences(node).map(|(index, taint)| {
            let input = Input::Taint {
                key: taint.key.clone(),
                value: taint.value.clone().unwrap_or_default(),
                effect: taint.effect.clone(),
                tolerated: is_tolerated(taint, tolerations),
            };
            let fact = Fact::new(input).in_pod("spec.tolerations");
            fact.in_node(format!("spec.taints[{index}]"))
        });
        ScoreFacts::new(Formula::UntoleratedTaints, inputs)
    }
}

/// The node's `PreferNoSchedule` taints, with their places in its list.
fn preferences(node: &NodeInfo) -> impl Iterator<Item = (usize, &Taint)> {
    let taints = node.taints.iter().enumerate();
    taints.filter(|(_, taint)| taint.effect == "PreferNoSchedule")
}

fn is_tolerated(taint: &Taint, tolerations: &[Toleration]) -> bool {
    let mut tolerations = tolerations.iter();
    tolerations.any(|toleration| tolerates(toleration, taint))
}

impl EnqueueExtensions for TaintToleration {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 2] = [
            EventToRegister::hinted(
                Resource::Node,
                ActionType::ADD.or(ActionType::UPDATE_NODE_TAINT),
            ),
            EventToRegister::hinted(Resource::Pod, ActionType::UPDATE_POD_TOLERATION),
        ];
        &EVENTS
    }

    /// The Pod tolerates the taints of a node that it did not tolerate before, or its own tolerations changed.
    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        match change {
            ObjectUpdate::Node(node) => {
                let bears = |node: &std::sync::Arc<NodeInfo>| {
                    first_untolerated(&node.taints, &cx.spec.tolerations).is_none()
                };
                let bore = node.old.as_ref().is_some_and(bears);
                Hint::queue_if(!bore && node.new.as_ref().is_some_and(bears))
            }
            _ => Hint::queue_if(own_update(cx, change).is_some()),
        }
    }
}
