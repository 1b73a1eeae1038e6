//! Navigation in the matrix: scrolling, which requests rows from the engine, and the keys that move between cells.

use web_sys::Element;
use web_sys::wasm_bindgen::JsCast;
use yew::{Event, KeyboardEvent};

use super::super::rows;
use super::{At, Matrix, Msg, NAMES, Props};
use crate::ui::features::explain::{Cell as Chosen, ExplainAction, Table};
use crate::ui::store::Action;

impl Matrix {
    pub(super) fn scrolled(&mut self, props: &Props) -> bool {
        let Some(list) = self.list.cast::<Element>() else {
            return false;
        };
        let pixels = |number: i32| usize::try_from(number).unwrap_or(0);
        let total = props.total();
        let first = rows::first(
            pixels(list.scroll_top()),
            pixels(list.scroll_height()),
            total,
        );
        let moved = first != self.first;
        self.first = first;
        self.ask(props);
        moved
    }

    /// Requests rows that are to be drawn but were not reported yet.
    fn ask(&mut self, props: &Props) {
        let drawn = rows::drawn(self.first, props.total());
        let missing = rows::missing(&drawn, &props.known());
        if let Some(from) = missing.filter(|from| self.asked != Some(*from)) {
            self.asked = Some(from);
            props.act.emit(Action::Explain(ExplainAction::Rows(from)));
        }
    }

    /// The columns that the arrow keys reach.
    pub(super) fn columns(&self, props: &Props) -> Vec<usize> {
        let count = props.cycle().map_or(0, |cycle| cycle.filter_plugins.len());
        let plugins = (0..count).filter(|column| self.unfolded || !props.is_skipped(*column));
        props
            .asks
            .then_some(NAMES)
            .into_iter()
            .chain(plugins)
            .collect()
    }

    pub(super) fn go(&mut self, props: &Props, down: isize, right: isize) -> bool {
        let columns = self.columns(props);
        let here = columns
            .iter()
            .position(|column| *column == self.stop.column);
        let last = columns.len().saturating_sub(1);
        let column = here.unwrap_or(0).saturating_add_signed(right).min(last);
        let last = props.total().saturating_sub(1);
        self.stop = At {
            row: self.stop.row.saturating_add_signed(down).min(last),
            column: columns.get(column).copied().unwrap_or(0),
        };
        let drawn = rows::drawn(self.first, props.total());
        if !drawn.contains(&self.stop.row) {
            self.first = self.stop.row.saturating_sub(rows::DRAWN / 2);
            self.ask(props);
        }
        self.focus = true;
        true
    }

    pub(super) fn action_at(&self, props: &Props, at: At) -> Option<Action> {
        let cycle = props.cycle()?;
        let row = at.row.checked_sub(props.known().start)?;
        let mut order = props.groups().into_iter().flat_map(|group| group.rows);
        let node = cycle.nodes.get(order.nth(row)?)?.node.clone();
        if at.column == NAMES {
            return Some(Action::Explain(ExplainAction::WhyNot(node)));
        }
        let plugin = cycle.filter_plugins.get(at.column)?.clone();
        Some(Action::Explain(ExplainAction::Cell(Chosen {
            node,
            plugin,
            table: Table::Filter,
        })))
    }
}

/// The cell that is an event's target.
pub(super) fn at_of(event: &Event) -> Option<At> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let cell = target.closest("[data-at]").ok().flatten()?;
    let at = cell.get_attribute("data-at")?;
    let (row, column) = at.split_once(' ')?;
    Some(At {
        row: row.parse().ok()?,
        column: column.parse().ok()?,
    })
}

/// Handles keys within the matrix, and stops their propagation.
pub(super) fn key(event: KeyboardEvent) -> Option<Msg> {
    let is_cell = at_of(&event).is_some();
    let far = isize::try_from(rows::DRAWN / 4).unwrap_or(1);
    let msg = match event.key().as_str() {
        "Escape" => Msg::Close,
        "ArrowDown" if is_cell => Msg::Go(1, 0),
        "ArrowUp" if is_cell => Msg::Go(-1, 0),
        "ArrowRight" if is_cell => Msg::Go(0, 1),
        "ArrowLeft" if is_cell => Msg::Go(0, -1),
        "PageDown" if is_cell => Msg::Go(far, 0),
        "PageUp" if is_cell => Msg::Go(-far, 0),
        "Home" if is_cell => Msg::Go(0, isize::MIN),
        "End" if is_cell => Msg::Go(0, isize::MAX),
        _ => return None,
    };
    event.prevent_default();
    event.stop_propagation();
    Some(msg)
}
