//! Creation of a Pod in the API server: defaulting, admission and strategy, in that order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Node;

use crate::api::prepared::{ControllerRef, PodTemplate};
use berth_base::json;
use berth_scheduler::release::{Gate, Release};

use super::disabled::drop_disabled_fields;
use super::policies::PodPolicies;
use super::priority::Refusal;
use super::quota::Quotas;
use super::request::PodRequest;
use super::topology_labels::labels_on;

/// The objects that admission depends on, and the templates of admitted Pods.
#[derive(Default)]
pub(super) struct Admission {
    policies: PodPolicies,
    quotas: Quotas,
    release: Release,
    /// The labels of the nodes by name; used for lookups only.
    nodes: HashMap<String, BTreeMap<String, String>>,
    /// Templates by their JSON; used for lookups only.
    templates: HashMap<String, Arc<PodTemplate>>,
}

impl Admission {
    pub(super) fn new(
        release: Release,
        nodes: &[Node],
        policies: PodPolicies,
        quotas: Quotas,
    ) -> Self {
        Admission {
            policies,
            quotas,
            nodes: match release.is_on(Gate::PodTopologyLabelsAdmission) {
                true => labels_by_name(nodes),
                false => HashMap::new(),
            },
            release,
            templates: HashMap::new(),
        }
    }

    /// Admits a Pod; equal Pods share one template.
    ///
    /// Quotas are checked separately: see [`Self::charge`].
    pub(super) fn admit(
        &mut self,
        namespace: &str,
        request: PodRequest,
    ) -> Result<Arc<PodTemplate>, Refusal> {
        let PodRequest {
            labels,
            annotations,
            controller,
            mut spec,
            from_cluster,
        } = request;
        drop_disabled_fields(&mut spec, &self.release);
        let node = spec.node_name.take();
        let policies = &self.policies;
        policies.complete(namespace, &mut spec, &labels, from_cluster)?;
        if !from_cluster {
            policies.judge_limits(namespace, &spec)?;
        }
        let node = node.and_then(|name| self.nodes.get(&name));
        let labels = node
            .and_then(|node| labels_on(&self.release, &labels, node))
            .unwrap_or(labels);
        Ok(self.share(PodTemplate {
            labels,
            annotations,
            controller,
            spec,
        }))
    }

    /// Whether a namespace has quotas.
    pub(super) fn has_quota(&self, namespace: &str) -> bool {
        self.quotas.covers(namespace)
    }

    /// Counts an existing Pod against the quotas of its namespace.
    pub(super) fn count(&mut self, namespace: &str, template: &PodTemplate) {
        self.quotas.count(namespace, &template.spec);
    }

    /// Charges a new Pod to the quotas of its namespace.
    pub(super) fn charge(
        &mut self,
        namespace: &str,
        template: &PodTemplate,
    ) -> Result<(), Refusal> {
        self.quotas.charge(namespace, &template.spec)
    }

    /// Shares one allocation among equal templates: 50,000 Pods have a handful of templates.
    fn share(&mut self, template: PodTemplate) -> Arc<PodTemplate> {
        let owner = template.controller.as_ref().map(|owner| {
            let ControllerRef {
                api_version,
                kind,
                name,
                uid,
            } = owner;
            [api_version, kind, name, uid]
        });
        let text = json::text(&(
            &template.labels,
            &template.annotations,
            owner,
            &template.spec,
        ));
        let known = self.templates.entry(text);
        Arc::clone(known.or_insert_with(|| Arc::new(template)))
    }
}

fn labels_by_name(nodes: &[Node]) -> HashMap<String, BTreeMap<String, String>> {
    let named = |node: &Node| {
        let name = node.metadata.name.clone()?;
        Some((name, node.metadata.labels.clone()?))
    };
    nodes.iter().filter_map(named).collect()
}
