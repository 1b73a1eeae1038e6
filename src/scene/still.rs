//! A moment that is told of, not moved through: the state, and an attempt explained.

use super::moment::{Moment, Shown};
use super::progress::Revealed;
use super::rows;
use super::view::View;
use berth_protocol::cycle::Cycle;
use berth_protocol::page::Explained;
use berth_protocol::remark::Remark;

/// The state at a moment, and an attempt explained.
pub struct Still {
    view: View,
    explained: Option<Explained>,
    group_by: String,
}

impl Still {
    /// `group_by`: the key that nodes are grouped by; the best place if not given.
    pub fn new(view: View, explained: Option<Explained>, group_by: Option<&str>) -> Self {
        Self {
            explained,
            group_by: group_by.unwrap_or_else(|| view.domain_key()).to_owned(),
            view,
        }
    }

    /// The explained attempt.
    pub fn cycle_mut(&mut self) -> Option<&mut Cycle> {
        self.explained.as_mut()?.result.as_mut().ok()
    }

    pub fn moment(&self) -> Moment<'_> {
        let shown = Shown {
            explained: self.explained.as_ref(),
            revealed: Revealed::all(),
            is_stepping: false,
            chosen: None,
            placed: self.explained.as_ref().and_then(placed),
            group_by: &self.group_by,
        };
        Moment::new(&self.view, shown)
    }
}

/// An attempt with all its rows.
pub fn explained(
    position: usize,
    made: bool,
    at_ms: Option<i64>,
    result: Result<Cycle, Remark>,
) -> Explained {
    Explained {
        position,
        made,
        at_ms,
        rows: result.as_ref().map(rows::count).unwrap_or_default(),
        result,
    }
}

/// The Pod that the attempt placed.
fn placed(explained: &Explained) -> Option<&str> {
    let cycle = explained.result.as_ref().ok()?;
    cycle.selected.is_some().then_some(cycle.pod.as_str())
}
