//! Namespaces and their labels.

use std::collections::BTreeMap;

use crate::selector::compiled::{Labels, Selector};

/// All namespaces by name.
#[derive(Clone, Debug, Default)]
pub struct Namespaces {
    labels: BTreeMap<String, Labels>,
}

impl Namespaces {
    /// Adds a namespace or replaces its labels.
    pub fn set(&mut self, name: &str, labels: Labels) {
        self.labels.insert(name.to_owned(), labels);
    }

    /// Removes a namespace.
    pub fn remove(&mut self, name: &str) {
        self.labels.remove(name);
    }

    /// Whether the namespace exists and its labels satisfy the selector.
    pub fn selected(&self, name: &str, selector: &Selector) -> bool {
        self.labels
            .get(name)
            .is_some_and(|labels| selector.matches(labels))
    }

    /// All namespaces with their labels, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Labels)> {
        self.labels.iter()
    }
}
