//! A Pod on its way into the API server: defaulting, admission, strategy, in that order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use k8s_openapi::api::core::v1::PodSpec;

use crate::api::prepared::{ControllerRef, PodTemplate};

use super::empty::drop_empty_fields;
use super::match_labels::merge_label_keys;
use super::pod_defaults::set_pod_defaults;
use super::priority::{PriorityClasses, Refusal};
use super::random::Fnv;
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
    /// Templates by the hash of their JSON; for look-ups only.
    templates: HashMap<u64, Vec<Arc<PodTemplate>>>,
}

impl Admission {
    pub(super) fn new(priority_classes: PriorityClasses) -> Self {
        Admission {
            priority_classes,
            templates: HashMap::new(),
        }
    }

    /// Takes a Pod through the API server; equal Pods come out sharing one template.
    pub(super) fn admit(&mut self, request: PodRequest) -> Result<Arc<PodTemplate>, Refusal> {
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

    /// One allocation for all equal templates: 50,000 Pods are a handful of templates.
    fn share(&mut self, template: PodTemplate) -> Arc<PodTemplate> {
        let owner = template
            .controller
            .as_ref()
            .map_or("", |controller| &controller.uid);
        let hash = Fnv::of_json(&(
            &template.labels,
            &template.annotations,
            owner,
            &template.spec,
        ));
        let alike = self.templates.entry(hash).or_default();
        if let Some(known) = alike.iter().find(|known| ***known == template) {
            return Arc::clone(known);
        }
        let template = Arc::new(template);
        alike.push(Arc::clone(&template));
        template
    }
}
