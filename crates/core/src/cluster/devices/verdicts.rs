//! Whether the open claims of a Pod fit on a node, remembered until something changes there.
//!
//! Pods of one workload have claims with equal specs. A verdict depends on them, on the slices that the node sees
//! and on the devices in use among these: a node whose devices did not change is not searched again.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::cluster::NodeIx;

/// The specs of all open claims of a Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecsIx(usize);

/// What a verdict depends on: changes elsewhere, and changes of the node's own devices.
pub type Version = (u64, u64);

/// Remembered verdicts. A clone begins empty.
#[derive(Debug, Default)]
pub struct Verdicts(RefCell<Known>);

#[derive(Debug, Default)]
struct Known {
    specs: BTreeMap<String, usize>,
    /// By specs, then by node.
    fits: Vec<Vec<Option<(Version, bool)>>>,
}

impl Clone for Verdicts {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The number of different specs after which all verdicts are forgotten.
const MOST_SPECS: usize = 256;

impl Verdicts {
    /// The index of these specs. It is valid until the next call.
    pub fn of_specs(&self, specs: String) -> SpecsIx {
        let mut known = self.0.borrow_mut();
        if known.specs.len() >= MOST_SPECS && !known.specs.contains_key(&specs) {
            *known = Known::default();
        }
        let next = known.fits.len();
        let index = *known.specs.entry(specs).or_insert(next);
        if index == next {
            known.fits.push(Vec::new());
        }
        SpecsIx(index)
    }

    /// The verdict on a node, if nothing has changed since.
    pub fn get(&self, specs: SpecsIx, node: NodeIx, version: Version) -> Option<bool> {
        let known = self.0.borrow();
        let (then, fits) = (*known.fits.get(specs.0)?.get(node.0 as usize)?)?;
        (then == version).then_some(fits)
    }

    /// Remembers a verdict.
    pub fn set(&self, specs: SpecsIx, node: NodeIx, version: Version, fits: bool) {
        let mut known = self.0.borrow_mut();
        let Some(nodes) = known.fits.get_mut(specs.0) else {
            return;
        };
        let index = node.0 as usize;
        if nodes.len() <= index {
            nodes.resize(index + 1, None);
        }
        if let Some(slot) = nodes.get_mut(index) {
            *slot = Some((version, fits));
        }
    }
}

/// Counts changes: of what all nodes see, and of the devices of single nodes.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    everywhere: u64,
    local: HashMap<Arc<str>, u64>,
}

impl Changes {
    /// Something changed that any node may see.
    pub fn everywhere(&mut self) {
        self.everywhere += 1;
    }

    /// Something changed that only this node sees.
    pub fn on(&mut self, node: &Arc<str>) {
        *self.local.entry(Arc::clone(node)).or_default() += 1;
    }

    /// The present version for a node.
    pub fn version(&self, node: &str) -> Version {
        (self.everywhere, self.local.get(node).copied().unwrap_or(0))
    }
}
