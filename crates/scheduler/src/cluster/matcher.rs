//! Matchers: how many Pods that satisfy some selectors each node holds, kept up to date Pod by Pod.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::NodeIx;
use super::class::{ClassIx, PodClass};
use super::counts::NodeCounts;
use super::namespaces::Namespaces;
use crate::selector::compiled::{Labels, Selector};
use berth_base::index::IndexVec;

berth_base::index_types! {
    /// A set of Pods that the terms of some class select.
    MatcherIx;
}

/// Pods by namespace and labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodMatch {
    /// Namespaces by name.
    pub namespaces: BTreeSet<String>,
    /// Namespaces by label, in addition.
    pub namespace_selector: Selector,
    pub selector: Selector,
}

impl PodMatch {
    /// Pods of one namespace.
    pub fn in_namespace(namespace: &str, selector: Selector) -> Self {
        Self {
            namespaces: BTreeSet::from([namespace.to_owned()]),
            namespace_selector: Selector::Nothing,
            selector,
        }
    }

    /// Whether a term of the Pod being scheduled selects an existing Pod with these labels.
    ///
    /// v1.34 also matches the namespace selector against an empty label set (kubernetes issue
    /// 141526), so one made only of `NotIn` and `DoesNotExist` selects Pods of every namespace.
    pub fn matches_existing(
        &self,
        namespace: &str,
        labels: &Labels,
        namespaces: &Namespaces,
    ) -> bool {
        let in_scope = self.namespaces.contains(namespace)
            || namespaces.selected(namespace, &self.namespace_selector)
            || self.namespace_selector.matches(&Labels::new());
        in_scope && self.selector.matches(labels)
    }

    /// Whether a term of an existing Pod selects the Pod being scheduled.
    pub fn matches_incoming(
        &self,
        namespace: &str,
        labels: &Labels,
        namespaces: &Namespaces,
    ) -> bool {
        let in_scope = self.namespaces.contains(namespace)
            || namespaces.selected(namespace, &self.namespace_selector);
        in_scope && self.selector.matches(labels)
    }
}

/// The Pods that satisfy all of some targets, and their number on each node.
#[derive(Clone, Debug)]
pub struct Matcher {
    targets: Vec<PodMatch>,
    /// By class: whether its Pods match.
    matches: Vec<bool>,
    counts: NodeCounts,
}

impl Matcher {
    /// Whether Pods of the class match.
    pub fn matches(&self, class: ClassIx) -> bool {
        self.matches.get(class.0 as usize).copied().unwrap_or(false)
    }

    /// Number of matching Pods on each node.
    pub fn counts(&self) -> &NodeCounts {
        &self.counts
    }

    fn judge(&self, class: &PodClass, namespaces: &Namespaces) -> bool {
        self.targets
            .iter()
            .all(|target| target.matches_existing(&class.namespace, class.labels(), namespaces))
    }
}

/// All matchers, interned by their targets.
#[derive(Clone, Debug, Default)]
pub struct Matchers {
    list: IndexVec<MatcherIx, Matcher>,
    by_targets: BTreeMap<Vec<PodMatch>, MatcherIx>,
}

impl Matchers {
    /// A matcher.
    pub fn get(&self, matcher: MatcherIx) -> &Matcher {
        &self.list[matcher]
    }

    /// The matcher for Pods that satisfy all `targets`; a new one counts the existing Pods.
    pub(super) fn intern(
        &mut self,
        targets: Vec<PodMatch>,
        classes: &IndexVec<ClassIx, Arc<PodClass>>,
        placed: &IndexVec<ClassIx, NodeCounts>,
        namespaces: &Namespaces,
    ) -> MatcherIx {
        if let Some(&known) = self.by_targets.get(&targets) {
            return known;
        }
        let mut matcher = Matcher {
            targets: targets.clone(),
            matches: Vec::new(),
            counts: NodeCounts::default(),
        };
        recount(&mut matcher, classes, placed, namespaces);
        let index = self.list.push(matcher);
        self.by_targets.insert(targets, index);
        index
    }

    /// Tests a new class, which has no Pods yet, against every matcher.
    pub(super) fn add_class(&mut self, class: &PodClass, namespaces: &Namespaces) {
        for matcher in self.list.iter_mut() {
            let verdict = matcher.judge(class, namespaces);
            matcher.matches.push(verdict);
        }
    }

    /// Recomputes all matches and counts after namespaces changed.
    pub(super) fn rebuild(
        &mut self,
        classes: &IndexVec<ClassIx, Arc<PodClass>>,
        placed: &IndexVec<ClassIx, NodeCounts>,
        namespaces: &Namespaces,
    ) {
        for matcher in self.list.iter_mut() {
            recount(matcher, classes, placed, namespaces);
        }
    }

    /// Recomputes all matches and counts, and compares.
    pub(super) fn audit(
        &self,
        classes: &IndexVec<ClassIx, Arc<PodClass>>,
        placed: &IndexVec<ClassIx, NodeCounts>,
        namespaces: &Namespaces,
    ) -> Result<(), String> {
        for (index, matcher) in self.list.iter_indexed() {
            let mut derived = matcher.clone();
            recount(&mut derived, classes, placed, namespaces);
            if derived.matches != matcher.matches || derived.counts != matcher.counts {
                return Err(format!("Pods that matcher {} finds per node", index.0));
            }
        }
        Ok(())
    }

    /// Counts a Pod of `class` placed on `node`.
    pub(super) fn pod_placed(&mut self, class: ClassIx, node: NodeIx, terminating: bool) {
        let (live, going) = if terminating { (0, 1) } else { (1, 0) };
        for matcher in self.list.iter_mut() {
            if matcher.matches(class) {
                matcher.counts.add(node, live, going);
            }
        }
    }

    /// Uncounts a Pod of `class` removed from `node`.
    pub(super) fn pod_removed(&mut self, class: ClassIx, node: NodeIx, terminating: bool) {
        for matcher in self.list.iter_mut() {
            if matcher.matches(class) {
                matcher.counts.remove(node, terminating);
            }
        }
    }
}

fn recount(
    matcher: &mut Matcher,
    classes: &IndexVec<ClassIx, Arc<PodClass>>,
    placed: &IndexVec<ClassIx, NodeCounts>,
    namespaces: &Namespaces,
) {
    matcher.matches.clear();
    matcher.counts = NodeCounts::default();
    for (index, class) in classes.iter_indexed() {
        let verdict = matcher.judge(class, namespaces);
        matcher.matches.push(verdict);
        if let (true, Some(counts)) = (verdict, placed.get(index)) {
            matcher.counts.add_all(counts);
        }
    }
}
