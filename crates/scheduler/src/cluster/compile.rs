//! Compiles Pods to classes, once per namespace and template, with lookup by pointer and by content.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Cluster;
use super::class::{
    AffinityTerm, ClassIx, DefaultSpread, PodAffinity, PodClass, ShapeIx, SpecIx, SpreadConstraint,
    term_target,
};
use super::counts::NodeCounts;
use super::digest;
use super::matcher::{MatcherIx, PodMatch};
use super::shape;
use super::spec::SpecInfo;
use super::topology::TopologyKeyIx;
use crate::pod_object::{PodObject, PodTemplate, Resized};
use crate::selector::compiled::Selector;
use berth_base::index::Index;
use berth_base::json;

/// Number of templates that are found by their address.
const RECENT: usize = 32;

/// Finds classes and specs by content.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassIndex {
    /// The templates seen last, with their namespaces: Pods of a few workloads arrive together. At most [`RECENT`].
    recent: Vec<(Arc<PodTemplate>, Arc<str>, ClassIx)>,
    /// The entry of `recent` that is replaced next.
    oldest: usize,
    by_content: BTreeMap<Arc<str>, ClassIx>,
    specs: BTreeMap<Arc<str>, SpecIx>,
    shapes: BTreeMap<Arc<str>, ShapeIx>,
}

impl Cluster {
    /// The class of a Pod, compiled if it is new.
    pub(super) fn intern_class(&mut self, pod: &PodObject) -> ClassIx {
        let template = &pod.template;
        if pod.resized.is_some() {
            return self.class_by_content(pod);
        }
        let is_of_pod = |(recent, namespace, _): &&(Arc<PodTemplate>, Arc<str>, ClassIx)| {
            Arc::ptr_eq(recent, template) && *namespace == pod.namespace
        };
        if let Some((.., class)) = self.class_index.recent.iter().find(is_of_pod) {
            return *class;
        }
        let class = self.class_by_content(pod);
        let seen = (Arc::clone(template), Arc::clone(&pod.namespace), class);
        let ClassIndex { recent, oldest, .. } = &mut self.class_index;
        match recent.get_mut(*oldest) {
            Some(replaced) => *replaced = seen,
            None => recent.push(seen),
        }
        *oldest = (*oldest + 1) % RECENT;
        class
    }

    fn class_by_content(&mut self, pod: &PodObject) -> ClassIx {
        let template = &pod.template;
        let spec = self.intern_spec(template, pod.resized.as_deref());
        let content = format!(
            "{}\n{:?}\n{:?}\n{spec:?}",
            pod.namespace, template.labels, template.controller
        );
        if let Some(&class) = self.class_index.by_content.get(content.as_str()) {
            return class;
        }
        let class = self.compile_class(&pod.namespace, template, spec);
        self.class_index.by_content.insert(content.into(), class);
        class
    }

    fn intern_spec(&mut self, template: &Arc<PodTemplate>, status: Option<&Resized>) -> SpecIx {
        let mut text = json::text(&template.spec);
        if let Some(status) = status {
            text.push_str(&format!("{status:?}"));
        }
        if let Some(&known) = self.class_index.specs.get(text.as_str()) {
            return known;
        }
        let mut info = SpecInfo::new(template, digest::of_text(&text), status, &self.release);
        info.shape = self.intern_shape(&shape::text(&template.spec, status));
        let spec = self.specs.push(Arc::new(info));
        self.class_index.specs.insert(text.into(), spec);
        spec
    }

    fn intern_shape(&mut self, text: &str) -> ShapeIx {
        let shapes = &mut self.class_index.shapes;
        if let Some(&known) = shapes.get(text) {
            return known;
        }
        let shape = ShapeIx::from_usize(shapes.len());
        shapes.insert(text.into(), shape);
        shape
    }

    fn compile_class(
        &mut self,
        namespace: &Arc<str>,
        template: &Arc<PodTemplate>,
        spec: SpecIx,
    ) -> ClassIx {
        let class = PodClass {
            namespace: Arc::clone(namespace),
            template: Arc::clone(template),
            spec,
            affinity: self.compile_affinity(namespace, template),
            spread: self.compile_spread(namespace, template),
            default_spread: self.default_spread(namespace, template),
        };
        self.matchers.add_class(&class, &self.namespaces);
        let affine = !class.affinity.is_empty();
        self.claims_devices |= class.template.spec.resource_claims.is_some();
        let index = self.classes.push(Arc::new(class));
        self.placed.push(NodeCounts::default());
        if affine {
            self.affine_classes.push(index);
        }
        index
    }

    /// The key's table; created if the key is new.
    pub fn intern_topology_key(&mut self, name: &str) -> TopologyKeyIx {
        self.topology.intern(name, &self.nodes)
    }

    fn intern_matcher(&mut self, targets: Vec<PodMatch>) -> MatcherIx {
        self.matchers
            .intern(targets, &self.classes, &self.placed, &self.namespaces)
    }

    fn compile_affinity(&mut self, namespace: &str, template: &PodTemplate) -> PodAffinity {
        let Some(affinity) = &template.spec.affinity else {
            return PodAffinity::default();
        };
        let mut compiled = PodAffinity::default();
        let term = |cluster: &mut Self, term: &_, weight: i32, pod_path: String| {
            let target = term_target(term, namespace);
            AffinityTerm {
                topology_key: cluster.intern_topology_key(&term.topology_key),
                matcher: cluster.intern_matcher(vec![target.clone()]),
                target,
                weight: i64::from(weight),
                pod_path,
            }
        };
        const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
        const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
        if let Some(own) = &affinity.pod_affinity {
            let required = own
                .required_during_scheduling_ignored_during_execution
                .iter()
                .flatten();
            for (index, item) in required.enumerate() {
                let path = format!("spec.affinity.podAffinity.{REQUIRED}[{index}]");
                compiled.required.push(term(self, item, 0, path));
            }
            let preferred = own
                .preferred_during_scheduling_ignored_during_execution
                .iter()
                .flatten();
            for (index, item) in preferred.enumerate() {
                let path = format!("spec.affinity.podAffinity.{PREFERRED}[{index}]");
                compiled
                    .preferred
                    .push(term(self, &item.pod_affinity_term, item.weight, path));
            }
        }
        if let Some(own) = &affinity.pod_anti_affinity {
            for (index, item) in own
                .required_during_scheduling_ignored_during_execution
                .iter()
                .flatten()
                .enumerate()
            {
                let path = format!("spec.affinity.podAntiAffinity.{REQUIRED}[{index}]");
                compiled.required_anti.push(term(self, item, 0, path));
            }
            for (index, item) in own
                .preferred_during_scheduling_ignored_during_execution
                .iter()
                .flatten()
                .enumerate()
            {
                let path = format!("spec.affinity.podAntiAffinity.{PREFERRED}[{index}]");
                compiled.preferred_anti.push(term(
                    self,
                    &item.pod_affinity_term,
                    item.weight,
                    path,
                ));
            }
        }
        if !compiled.required.is_empty() {
            let targets = compiled
                .required
                .iter()
                .map(|term| term.target.clone())
                .collect();
            compiled.required_matcher = Some(self.intern_matcher(targets));
        }
        compiled
    }

    fn compile_spread(&mut self, namespace: &str, template: &PodTemplate) -> Vec<SpreadConstraint> {
        let constraints = template.spec.topology_spread_constraints.iter().flatten();
        let mut compiled = Vec::new();
        for (index, constraint) in constraints.enumerate() {
            let selector = Selector::new(constraint.label_selector.as_ref());
            let matches_self = selector.matches(&template.labels);
            let matcher = self.spread_matcher(namespace, selector.clone());
            let key = self.intern_topology_key(&constraint.topology_key);
            let path = format!("spec.topologySpreadConstraints[{index}]");
            compiled.push(SpreadConstraint::new(
                constraint,
                key,
                selector,
                matcher,
                matches_self,
                path,
            ));
        }
        compiled
    }

    /// The matcher of a spread constraint; an empty or absent selector selects no existing Pod.
    fn spread_matcher(&mut self, namespace: &str, selector: Selector) -> Option<MatcherIx> {
        if selector.is_empty() || selector == Selector::Nothing {
            return None;
        }
        Some(self.intern_matcher(vec![PodMatch::in_namespace(namespace, selector)]))
    }

    fn default_spread(&mut self, namespace: &str, template: &PodTemplate) -> Option<DefaultSpread> {
        let selector = self.owners.default_selector(namespace, template);
        let matches_self = selector.matches(&template.labels);
        let matcher = self.spread_matcher(namespace, selector.clone())?;
        Some(DefaultSpread {
            selector,
            matcher,
            matches_self,
        })
    }

    /// Updates the default spread selectors after a Service or a workload changed.
    pub(super) fn refresh_default_spread(&mut self) {
        for class in self.classes.indices() {
            let (namespace, template) = {
                let class = &self.classes[class];
                (Arc::clone(&class.namespace), Arc::clone(&class.template))
            };
            let spread = self.default_spread(&namespace, &template);
            if self.classes[class].default_spread != spread {
                Arc::make_mut(&mut self.classes[class]).default_spread = spread;
            }
        }
    }
}
