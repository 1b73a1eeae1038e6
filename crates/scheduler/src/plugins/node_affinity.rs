//! NodeAffinity: nodeSelector and node affinity, required and preferred.
//!
//! - **Extension points**: PreFilter (narrows to named nodes), Filter, PreScore, Score.
//! - **Why**: a Pod may require or prefer a kind of node (disk, zone, architecture).
//! - **Example**: `nodeSelector: {disktype: ssd}`; the profile's `addedAffinity` applies to every Pod.
//! - **Upstream**: `plugins/nodeaffinity`, v1.34.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::NodeAffinity as ApiNodeAffinity;

use crate::cluster::NodeIx;
use crate::cluster::node::NodeInfo;
use crate::framework::events::{
    ActionType, EnqueueExtensions, EventToRegister, Hint, ObjectUpdate, Resource,
};
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{Context, Filter, PreFilter, PreScore, Score, extends};
use crate::framework::state::CycleState;
use crate::framework::status::{
    Facts, PreFiltered, PreScored, Rejection, ScoreFacts, Verdict, aggregate,
};
use crate::selector::compiled::{NodeTerm, NodeTerms, Operator, Requirement};
use berth_base::sort;
use berth_protocol::fact::{Fact, FactKind};
use berth_protocol::score::{Formula, Input, Normalization};

const REASON_POD: &str = "node(s) didn't match Pod's node affinity/selector";
const REASON_ADDED: &str = "node(s) didn't match scheduler-enforced node affinity";

/// The plugin, with the profile's `addedAffinity`.
pub struct NodeAffinity {
    added_required: Option<NodeTerms>,
    added_preferred: Vec<(i64, NodeTerm)>,
}

impl NodeAffinity {
    /// Compiles `addedAffinity`, if the profile has one.
    pub fn new(added: Option<&ApiNodeAffinity>) -> Self {
        let required = added.and_then(|a| {
            a.required_during_scheduling_ignored_during_execution
                .as_ref()
        });
        let preferred = added
            .and_then(|a| {
                a.preferred_during_scheduling_ignored_during_execution
                    .as_ref()
            })
            .into_iter()
            .flatten()
            .map(|term| (i64::from(term.weight), NodeTerm::new(&term.preference)));
        Self {
            added_required: required.map(NodeTerms::new),
            added_preferred: preferred.filter(|(_, term)| !term.is_empty()).collect(),
        }
    }
}

extends!(NodeAffinity: PreFilter, Filter, PreScore, Score, EnqueueExtensions);

impl PreFilter for NodeAffinity {
    fn pre_filter(&self, cx: Context<'_>, _state: &mut CycleState) -> PreFiltered {
        let Some(terms) = &cx.spec.required_node_affinity else {
            let nothing_to_ask = cx.spec.node_selector.is_empty() && self.added_required.is_none();
            return if nothing_to_ask {
                PreFiltered::Skip
            } else {
                PreFiltered::Continue
            };
        };
        let mut names = BTreeSet::new();
        for term in &terms.0 {
            let Some(named) = named_nodes(term) else {
                return PreFiltered::Continue;
            };
            names.extend(named);
        }
        if terms.0.is_empty() {
            return PreFiltered::Continue;
        }
        if names.is_empty() {
            return PreFiltered::Rejected(Rejection::unresolvable("pod affinity terms conflict"));
        }
        PreFiltered::Only(names.into_iter().collect())
    }
}

/// The nodes that a term requires by name: those in all of its `metadata.name In` fields; `None` if
/// it has no such field.
fn named_nodes(term: &NodeTerm) -> Option<BTreeSet<String>> {
    let mut named: Option<BTreeSet<String>> = None;
    for field in &term.fields {
        if field.key == "metadata.name" && field.operator == Operator::In {
            let values: BTreeSet<String> = sort::gather(field.values.iter().cloned());
            named = Some(match named {
                Some(known) => sort::gather(known.intersection(&values).cloned()),
                None => values,
            });
        }
    }
    named
}

impl Filter for NodeAffinity {
    fn is_node_local(&self) -> bool {
        true
    }

    fn filter(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Verdict {
        let added = self.added_required.as_ref();
        if added.is_some_and(|terms| !terms.matches(&node.labels, &node.name)) {
            return Err(Rejection::unresolvable(REASON_ADDED));
        }
        if !cx.spec.accepts_node(&node.labels, &node.name) {
            return Err(Rejection::unresolvable(REASON_POD));
        }
        Ok(())
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> Facts {
        let mut facts = Vec::new();
        for requirement in &cx.spec.node_selector {
            let path = format!("spec.nodeSelector[{}]", requirement.key);
            facts.push(requirement_fact(requirement, node, path));
        }
        let required = "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
        let terms = cx
            .spec
            .required_node_affinity
            .iter()
            .flat_map(|terms| &terms.0);
        for (index, term) in terms.enumerate() {
            let path = format!("spec.affinity.nodeAffinity.{required}[{index}]");
            for (position, requirement) in term.labels.iter().enumerate() {
                facts.push(requirement_fact(
                    requirement,
                    node,
                    format!("{path}.matchExpressions[{position}]"),
                ));
            }
            for (position, requirement) in term.fields.iter().enumerate() {
                facts.push(requirement_fact(
                    requirement,
                    node,
                    format!("{path}.matchFields[{position}]"),
                ));
            }
        }
        for requirement in self
            .added_required
            .iter()
            .flat_map(|terms| &terms.0)
            .flat_map(|term| term.labels.iter().chain(&term.fields))
        {
            facts.push(requirement_fact(requirement, node, String::new()));
        }
        facts
    }
}

fn requirement_fact(requirement: &Requirement, node: &NodeInfo, pod_path: String) -> Fact {
    let is_name = requirement.key == "metadata.name";
    let label = node.labels.get(&requirement.key).map(String::as_str);
    let actual = if is_name {
        Some(node.name.as_ref())
    } else {
        label
    };
    let fact = Fact::new(FactKind::NodeRequirement {
        key: requirement.key.clone(),
        operator: requirement.operator.name().to_owned(),
        values: requirement.values.clone(),
        actual: actual.map(str::to_owned),
        holds: requirement.matches(actual),
    });
    let node_path = if is_name {
        "metadata.name"
    } else {
        "metadata.labels"
    };
    fact.in_pod(pod_path).in_node(node_path)
}

impl PreScore for NodeAffinity {
    fn pre_score(
        &self,
        cx: Context<'_>,
        _state: &mut CycleState,
        nodes: Feasible<'_>,
    ) -> PreScored {
        let errors = cx.spec.preferred_node_affinity_errors.iter().cloned();
        if let Some(errors) = aggregate(errors) {
            return PreScored::Rejected(Rejection::error(errors));
        }
        let nothing_preferred =
            cx.spec.preferred_node_affinity.is_none() && self.added_preferred.is_empty();
        if !nodes.is_empty() && nothing_preferred {
            return PreScored::Skip;
        }
        PreScored::Continue
    }
}

impl Score for NodeAffinity {
    fn is_node_local(&self) -> bool {
        true
    }

    fn score(
        &self,
        cx: Context<'_>,
        _state: &CycleState,
        node: &NodeInfo,
    ) -> Result<i64, Rejection> {
        Ok(cx
            .spec
            .preferred_node_affinity
            .iter()
            .flatten()
            .chain(&self.added_preferred)
            .filter(|(_, term)| term.matches(&node.labels, &node.name))
            .map(|(weight, _)| weight)
            .sum())
    }

    fn normalization(&self, _state: &CycleState, _nodes: &[NodeIx], raw: &[i64]) -> Normalization {
        Normalization::by_maximum(raw, false)
    }

    fn facts(&self, cx: Context<'_>, _state: &CycleState, node: &NodeInfo) -> ScoreFacts {
        let affinity = cx.spec.template.spec.affinity.as_ref();
        let affinity = affinity.and_then(|affinity| affinity.node_affinity.as_ref());
        let preferred = affinity.and_then(|it| {
            it.preferred_during_scheduling_ignored_during_execution
                .as_ref()
        });
        // The compiled list has no empty terms, and so no places.
        let own = preferred.into_iter().flatten().enumerate();
        let own = own.map(|(index, term)| {
            let path = "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution";
            let compiled = (i64::from(term.weight), NodeTerm::new(&term.preference));
            (format!("{path}[{index}]"), compiled)
        });
        let added = self.added_preferred.iter().cloned();
        let terms = own.chain(added.map(|term| (String::new(), term)));
        let inputs =
            terms
                .filter(|(_, (_, term))| !term.is_empty())
                .map(|(path, (weight, term))| {
                    let requirements = term.labels.iter().chain(&term.fields);
                    let requirements: Vec<String> = requirements.map(ToString::to_string).collect();
                    let input = Input::PreferredTerm {
                        requirements: requirements.join(","),
                        weight,
                        holds: term.matches(&node.labels, &node.name),
                    };
                    Fact::new(input).in_pod(path).in_node("metadata.labels")
                });
        ScoreFacts::new(Formula::PreferredTerms, inputs)
    }
}

impl EnqueueExtensions for NodeAffinity {
    fn events_to_register(&self) -> &'static [EventToRegister] {
        const EVENTS: [EventToRegister; 1] = [EventToRegister::hinted(
            Resource::Node,
            ActionType::ADD.or(ActionType::UPDATE_NODE_LABEL),
        )];
        &EVENTS
    }

    /// The Pod's affinity accepts the node and did not accept it before. As upstream, an earlier
    /// rejection by the profile's `addedAffinity` does not count.
    fn hint(&self, cx: Context<'_>, change: &ObjectUpdate) -> Hint {
        let ObjectUpdate::Node(node) = change else {
            return Hint::Skip;
        };
        let accepts = |node: &NodeInfo| cx.spec.accepts_node(&node.labels, &node.name);
        let is_forbidden = |node: &NodeInfo| {
            let added = self.added_required.as_ref();
            added.is_some_and(|terms| !terms.matches(&node.labels, &node.name))
        };
        let accepted = node.old.as_deref().is_some_and(accepts);
        let new = node.new.as_deref().filter(|node| !is_forbidden(node));
        Hint::queue_if(!accepted && new.is_some_and(accepts))
    }
}
