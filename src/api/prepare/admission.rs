//! A Pod on its way into the API server: defaulting, admission, strategy, in that order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use k8s_openapi::api::core::v1::PodSpec;

use crate::api::prepared::{ControllerRef, PodTemplate};
use crate::base::json;

use super::empty::drop_empty_fields;
use super::limits::LimitRanges;
use super::match_labels::merge_label_keys;
use super::pod_defaults::set_pod_defaults;
use super::priority::{PriorityClasses, Refusal};
use super::quota::Quotas;
use super::tolerations::add_default_tolerations;

/// A Pod as somebody asks for it.
#[derive(Clone, Debug, Default)]
pub(super) struct PodRequest {
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    pub controller: Option<ControllerRef>,
    pub spec: PodSpec,
    /// Whether it was dumped out of a cluster, which has admitted it before.
    pub from_cluster: bool,
}

/// What admission knows of the cluster, and the templates it has admitted.
#[derive(Default)]
pub(super) struct Admission {
    priority_classes: PriorityClasses,
    limit_ranges: LimitRanges,
    quotas: Quotas,
    /// Templates by their JSON; for look-ups only.
    templates: HashMap<String, Arc<PodTemplate>>,
}

impl Admission {
    pub(super) fn new(
        priority_classes: PriorityClasses,
        limit_ranges: LimitRanges,
        quotas: Quotas,
    ) -> Self {
        Admission {
            priority_classes,
            limit_ranges,
            quotas,
            templates: HashMap::new(),
        }
    }

    /// Takes a Pod through the API server; equal Pods come out sharing one template.
    ///
    /// Quotas are not looked at: see [`Self::charge`].
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
        drop_empty_fields(&mut spec);
        spec.node_name = None;
        set_pod_defaults(&mut spec);
        if !from_cluster {
            self.limit_ranges.admit(namespace, &mut spec)?;
        }
        self.priority_classes.admit(&mut spec, from_cluster)?;
        add_default_tolerations(&mut spec);
        merge_label_keys(&mut spec, &labels);
        Ok(self.share(PodTemplate {
            labels,
            annotations,
            controller,
            spec,
        }))
    }

    /// Whether a namespace has quotas to count for.
    pub(super) fn has_quota(&self, namespace: &str) -> bool {
        self.quotas.covers(namespace)
    }

    /// Counts a Pod that exists already against the quotas of its namespace.
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

    /// One allocation for all equal templates: 50,000 Pods are a handful of templates.
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
