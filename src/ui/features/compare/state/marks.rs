//! Pods with a different place in the other run, as one side's stage draws them.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::scene::view::View;
use berth_protocol::compare::{Place, PodDifference, Which};
use berth_protocol::frame::PodFrame;

/// The Pods of one run that end elsewhere in the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Elsewhere {
    /// The run in which they are elsewhere.
    pub other: Which,
    /// Their places in the other run, by key.
    pub places: BTreeMap<String, Place>,
    /// The other run's Pods with a different place in this one, by their node in the other run.
    pub left: BTreeMap<String, Vec<(Rc<PodFrame>, Place)>>,
}

impl Default for Elsewhere {
    fn default() -> Self {
        Self {
            other: Which::B,
            places: BTreeMap::new(),
            left: BTreeMap::new(),
        }
    }
}

/// How a Pod came out in B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Moved,
    NewlyPlaced,
    NewlyPending,
    NewlyEvicted,
    OnlyInOne,
}

impl Kind {
    pub fn of(pod: &PodDifference) -> Self {
        match (&pod.a, &pod.b) {
            (Place::Node(_), Place::Node(_)) => Self::Moved,
            (_, Place::Evicted { .. }) => Self::NewlyEvicted,
            (Place::Absent, _) | (_, Place::Absent) => Self::OnlyInOne,
            (_, Place::Node(_)) => Self::NewlyPlaced,
            (_, Place::Pending | Place::Gated) => Self::NewlyPending,
        }
    }
}

impl Elsewhere {
    /// The marks of this side's stage.
    pub fn new(side: Which, differences: &[PodDifference]) -> Self {
        let there = |pod: &PodDifference| match side {
            Which::A => pod.b.clone(),
            Which::B => pod.a.clone(),
        };
        Self {
            other: side.other(),
            places: differences
                .iter()
                .map(|pod| (pod.pod.clone(), there(pod)))
                .collect(),
            left: BTreeMap::new(),
        }
    }

    /// Adds where A's Pods were that B has elsewhere. `view`: that of A.
    pub fn add_left(&mut self, view: &View, differences: &[PodDifference]) {
        for difference in differences {
            if let (Place::Node(node), Some(pod)) = (&difference.a, view.pod(&difference.pod)) {
                let left = self.left.entry(node.clone()).or_default();
                left.push((Rc::clone(pod), difference.b.clone()));
            }
        }
    }
}
