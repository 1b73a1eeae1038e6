//! The page's regions.

use super::parts::drawn::Drawn;

pub mod dialog;
pub mod explain;
pub mod finder;
pub mod fork;
pub mod living;
pub mod queue;
pub mod regions;
pub mod sources;
pub mod stage;
pub mod tabs;
pub mod timeline;
pub mod topbar;

/// The parts that are worth keeping, as they were drawn last. Those with numbers for a state show
/// what these count.
#[derive(Default)]
pub struct Before {
    cards: stage::Cards,
    marks: Drawn<[usize; 3]>,
    documents: Drawn<[usize; 3]>,
    area: Drawn<[usize; 3]>,
}
