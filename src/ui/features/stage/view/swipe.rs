//! A swipe over the stage is a step: to the left forwards, to the right backwards. The style sheet leaves only vertical
//! panning to the browser where the stage is as wide as the screen; elsewhere the browser takes the gesture.

use std::cell::Cell;

use yew::{Callback, PointerEvent};

use crate::ui::features::time::TimeAction;
use crate::ui::store::Action;

/// Least width of a swipe in CSS pixels. It is twice as wide as high.
const LEAST: i32 = 48;

thread_local! {
    /// Where the finger came down.
    static DOWN: Cell<Option<(i32, i32)>> = const { Cell::new(None) };
}

/// A finger comes down; a second one ends the gesture.
pub fn begins() -> Callback<PointerEvent> {
    Callback::from(|event: PointerEvent| {
        let is_finger = event.pointer_type() == "touch" && event.is_primary();
        DOWN.set(is_finger.then(|| (event.client_x(), event.client_y())));
    })
}

/// It leaves.
pub fn ends(act: &Callback<Action>) -> Callback<PointerEvent> {
    let act = act.clone();
    Callback::from(move |event: PointerEvent| {
        let Some((x, y)) = DOWN.take() else {
            return;
        };
        if let Some(step) = step(event.client_x() - x, event.client_y() - y) {
            act.emit(Action::Time(step));
        }
    })
}

fn step(right: i32, down: i32) -> Option<TimeAction> {
    let is_swipe = right.abs() >= LEAST && right.abs() >= 2 * down.abs();
    is_swipe.then_some(match right < 0 {
        true => TimeAction::Step,
        false => TimeAction::StepBack,
    })
}

#[cfg(test)]
mod tests {
    use super::{TimeAction, step};

    #[test]
    fn a_swipe_is_wide_and_level() {
        assert_eq!(step(-60, 10), Some(TimeAction::Step));
        assert_eq!(step(60, -30), Some(TimeAction::StepBack));
        for (right, down) in [(-40, 0), (60, 40), (0, 200)] {
            assert_eq!(step(right, down), None);
        }
    }
}
