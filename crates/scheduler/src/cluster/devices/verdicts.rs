//! Whether the open claims of a Pod fit on a node, remembered until something changes there.
//!
//! Pods of one workload have claims with equal specs. A verdict depends on them, on the slices that the node sees
//! and on the devices in use among these: a node whose devices did not change is not searched again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster::NodeIx;

/// The specs of all open claims of a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecsIx(usize);

/// Remembered verdicts. A clone begins empty.
#[derive(Debug, Default)]
pub struct Verdicts(RefCell<Known>);

#[derive(Debug, Default)]
struct Known {
    specs: BTreeMap<String, usize>,
    fits: Vec<Fits>,
}

/// The verdicts of some specs.
#[derive(Debug, Default)]
struct Fits {
    /// What all verdicts depend on: the number of changes that any node may see, and the version of the nodes.
    versions: (u64, u64),
    /// The position up to which `Changes::local` was read.
    read: usize,
    by_node: Vec<Option<bool>>,
}

impl Clone for Verdicts {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The number of different specs after which all verdicts are forgotten.
const MOST_SPECS: usize = 256;

impl Verdicts {
    /// The index of these specs, whose verdicts are brought up to date with the changes. It is valid until the next call.
    pub(super) fn of_specs(
        &self,
        specs: String,
        changes: &Changes,
        node_version: u64,
        find: &dyn Fn(&str) -> Option<NodeIx>,
    ) -> SpecsIx {
        let mut known = self.0.borrow_mut();
        if known.specs.len() >= MOST_SPECS && !known.specs.contains_key(&specs) {
            *known = Known::default();
        }
        let next = known.fits.len();
        let index = *known.specs.entry(specs).or_insert(next);
        if index == next {
            known.fits.push(Fits::default());
        }
        if let Some(fits) = known.fits.get_mut(index) {
            fits.catch_up(changes, node_version, find);
        }
        SpecsIx(index)
    }

    /// The verdict on a node, if nothing has changed since.
    pub fn get(&self, specs: SpecsIx, node: NodeIx) -> Option<bool> {
        let known = self.0.borrow();
        *known.fits.get(specs.0)?.by_node.get(node.0 as usize)?
    }

    /// Remembers a verdict.
    pub fn set(&self, specs: SpecsIx, node: NodeIx, fits: bool) {
        let mut known = self.0.borrow_mut();
        let Some(nodes) = known.fits.get_mut(specs.0).map(|it| &mut it.by_node) else {
            return;
        };
        let index = node.0 as usize;
        if nodes.len() <= index {
            nodes.resize(index + 1, None);
        }
        if let Some(slot) = nodes.get_mut(index) {
            *slot = Some(fits);
        }
    }
}

impl Fits {
    fn catch_up(
        &mut self,
        changes: &Changes,
        node_version: u64,
        find: &dyn Fn(&str) -> Option<NodeIx>,
    ) {
        let versions = (changes.everywhere, node_version);
        match changes.local.get(self.read..) {
            Some(unread) if self.versions == versions => {
                let changed = unread.iter().filter_map(|node| find(node));
                for node in changed {
                    if let Some(slot) = self.by_node.get_mut(node.0 as usize) {
                        *slot = None;
                    }
                }
            }
            _ => self.by_node.clear(),
        }
        self.versions = versions;
        self.read = changes.local.len();
    }
}

/// The number of changes of single nodes after which these count as one that any node may see.
const MOST_LOCAL: usize = 20_000;

/// Changes of what all nodes see, and of the devices of single nodes.
#[derive(Debug, Default)]
pub struct Changes {
    everywhere: u64,
    /// The nodes whose own devices changed, in order, since the list was emptied.
    local: Vec<Arc<str>>,
}

impl Clone for Changes {
    /// Without the list, because the verdicts of a clone begin empty.
    fn clone(&self) -> Self {
        Self {
            everywhere: self.everywhere,
            local: Vec::new(),
        }
    }
}

impl Changes {
    /// Something changed that any node may see.
    pub fn everywhere(&mut self) {
        self.everywhere += 1;
        self.local.clear();
    }

    /// Something changed that only this node sees.
    pub fn on(&mut self, node: &Arc<str>) {
        if self.local.len() >= MOST_LOCAL {
            self.everywhere();
        }
        self.local.push(Arc::clone(node));
    }
}
