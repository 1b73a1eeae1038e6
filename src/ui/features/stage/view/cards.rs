//! The cached cards. In a large fleet a frame redraws only some of those that changed: the style and layout of a card cost
//! a millisecond and more, and a task of the page must stay below 50 ms.

use std::cell::{Cell, RefCell};

use super::card::Card;
use crate::ui::parts::drawn::Drawn;

/// Pods on the changed cards that one frame redraws, where a card counts as some Pods more.
const A_FRAME: usize = 80;
/// Pods that cost as much as the other parts of a card.
const PARTS: usize = 8;
/// Frames in a row (four seconds) after which one frame redraws all: a card that changes constantly must not keep the page
/// drawing.
const MOST_LATE: usize = 240;

/// The cards as last drawn, by node position.
#[derive(Default)]
pub struct Cards {
    pub(super) drawn: RefCell<Vec<Drawn<Card>>>,
    /// How much of [`A_FRAME`] is left; `None`: this frame redraws all cards.
    left: Cell<Option<usize>>,
    has_late: Cell<bool>,
    /// How many cards the last drawing showed, and this one so far.
    shown: Cell<[usize; 2]>,
    /// An animation frame has come since the cards were last drawn.
    is_next_frame: Cell<bool>,
    /// Frames in a row that left cards for the next one.
    late_frames: Cell<usize>,
}

impl Cards {
    /// Called before the page is drawn, possibly several times a frame: cards that wait for the next frame keep waiting.
    pub fn begin_drawing(&self) {
        let [_, shown] = self.shown.get();
        self.shown.set([shown, 0]);
        let late = self.has_late.replace(false);
        if late && !self.is_next_frame.get() {
            return;
        }
        self.is_next_frame.set(false);
        let before = self.late_frames.get();
        self.late_frames.set(if late { before + 1 } else { 0 });
        self.left.set(None);
    }

    /// An animation frame has come.
    pub fn frame_came(&self) {
        self.is_next_frame.set(true);
    }

    /// This frame redraws only some of the changed cards.
    pub(super) fn slice(&self) {
        if self.left.get().is_none() && self.late_frames.get() <= MOST_LATE {
            self.left.set(Some(A_FRAME));
        }
    }

    /// Shows the card of the node at a position; returns whether the last drawing showed one. Others are on no screen, so
    /// they cannot stay as they were: they may be of nodes that were deleted since.
    pub(super) fn show(&self, position: usize) -> bool {
        let [before, now] = self.shown.get();
        self.shown.set([before, now.max(position + 1)]);
        position < before
    }

    /// Whether a changed card with this number of Pods has to wait for the next frame.
    pub(super) fn is_late(&self, pods: usize) -> bool {
        match self.left.get() {
            None => false,
            Some(0) => {
                self.has_late.set(true);
                true
            }
            Some(left) => {
                self.left.set(Some(left.saturating_sub(PARTS + pods)));
                false
            }
        }
    }

    /// Whether a changed card of this frame waits for the next one.
    pub fn has_late(&self) -> bool {
        self.has_late.get()
    }
}

#[cfg(test)]
mod tests {
    use super::{A_FRAME, Cards, MOST_LATE, PARTS};

    /// Empty cards that a frame redraws.
    const EMPTY: usize = A_FRAME / PARTS;

    #[test]
    fn a_frame_redraws_some_cards_and_the_next_goes_on() {
        let cards = Cards::default();
        cards.begin_drawing();
        assert!((0..100).all(|_| !cards.is_late(90)), "a small fleet");
        let draws_of_25 = || {
            cards.begin_drawing();
            cards.slice();
            let late = (0..25).filter(|_| cards.is_late(0)).count();
            25 - late
        };
        assert_eq!((draws_of_25(), cards.has_late()), (EMPTY, true));
        assert_eq!(
            (draws_of_25(), cards.has_late()),
            (0, true),
            "the same frame"
        );
        cards.frame_came();
        assert_eq!(draws_of_25(), EMPTY);
        cards.frame_came();
        cards.begin_drawing();
        cards.slice();
        assert!(!cards.is_late(0) && !cards.has_late());
    }

    #[test]
    fn a_frame_redraws_fewer_cards_if_they_have_more_pods() {
        let drawn = |pods: usize| {
            let cards = Cards::default();
            cards.begin_drawing();
            cards.slice();
            (0..25).filter(|_| !cards.is_late(pods)).count()
        };
        assert_eq!([0, 6, 35].map(drawn), [EMPTY, 6, 2]);
        assert_eq!(drawn(500), 1, "one at least, or none would ever be drawn");
    }

    #[test]
    fn cards_that_were_gone_do_not_stay_as_they_were() {
        let cards = Cards::default();
        let shows = |count: usize| {
            cards.begin_drawing();
            (0..count).filter(|position| cards.show(*position)).count()
        };
        assert_eq!([shows(3), shows(3), shows(4)], [0, 3, 3]);
        assert_eq!([shows(0), shows(4)], [0, 0], "all nodes were deleted");
    }

    #[test]
    fn cards_that_always_change_do_not_keep_the_page_drawing() {
        let cards = Cards::default();
        let draws = |cards: &Cards| {
            cards.frame_came();
            cards.begin_drawing();
            cards.slice();
            (0..25).filter(|_| cards.is_late(0)).count() > 0
        };
        let frames = (0..1000).take_while(|_| draws(&cards)).count();
        assert_eq!(frames, MOST_LATE + 1);
    }
}
