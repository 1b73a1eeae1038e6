//! The page's regions.

use std::cell::OnceCell;

use berth_protocol::compare::Which;

use super::features::stage::Cards;
use super::parts::drawn::Drawn;

pub mod dialog;
pub mod embed;
pub mod regions;
mod release;
pub mod tabs;
pub mod topbar;

/// Parts of the page cached as last drawn. Numbers as state are version counters and positions.
#[derive(Default)]
pub struct DrawCache {
    pub(super) cards: Cards,
    pub(super) marks: Drawn<[usize; 3]>,
    pub(super) documents: Drawn<[usize; 3]>,
    pub(super) area: Drawn<[usize; 3]>,
    /// Those of both sides of a comparison.
    sides: OnceCell<Box<[DrawCache; 2]>>,
}

impl DrawCache {
    /// The page is about to be drawn.
    pub fn begin_drawing(&self) {
        self.cards.begin_drawing();
        self.each_side().for_each(Self::begin_drawing);
    }

    /// An animation frame has come.
    pub fn frame_came(&self) {
        self.cards.frame_came();
        self.each_side().for_each(Self::frame_came);
    }

    /// Whether changed cards wait for the next frame.
    pub fn has_late_cards(&self) -> bool {
        self.cards.has_late() || self.each_side().any(Self::has_late_cards)
    }

    fn each_side(&self) -> impl Iterator<Item = &Self> {
        self.sides.get().into_iter().flat_map(|sides| sides.iter())
    }

    /// What is cached of one side of a comparison.
    pub(super) fn side(&self, which: Which) -> &Self {
        &self.sides.get_or_init(Box::default)[which as usize]
    }
}
