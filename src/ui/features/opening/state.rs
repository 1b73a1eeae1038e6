//! The opening: on the first visit the page plays the first attempts of its scenario automatically, with an introduction.

use crate::ui::features::time::{Playback, TimeAction};
use crate::ui::store::{Action, Effect, Store};
use berth_protocol::command::{Command, Travel};

/// Number of attempts that the opening plays; the next Pod is left to the visitor.
const ATTEMPTS: usize = 3;

/// The state of the opening.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opening {
    /// No opening, or the visitor has taken over.
    #[default]
    Over,
    /// It begins with the first moment. `still`: it shows its end at once, as nothing is to move.
    Awaits { still: bool },
    /// It plays.
    Plays,
    /// It has ended, and says what to do next.
    Ended,
}

impl Opening {
    /// Whether any key or click takes over.
    pub fn is_at_work(self) -> bool {
        match self {
            Self::Awaits { .. } | Self::Plays => true,
            Self::Over | Self::Ended => false,
        }
    }

    /// Whether its line is shown.
    pub fn is_shown(self) -> bool {
        match self {
            Self::Plays | Self::Ended => true,
            Self::Over | Self::Awaits { .. } => false,
        }
    }
}

impl Store {
    /// Ends the opening if the visitor takes over.
    pub(in crate::ui) fn leave_opening(&mut self, action: &Action) {
        if self.page.opening != Opening::Over && action.manner().takes_over {
            self.stop_opening();
            self.page.opening = Opening::Over;
        }
    }

    /// A key or a click: the opening stops where it is, and its line stays.
    pub(in crate::ui) fn stop_opening(&mut self) {
        if self.page.opening == Opening::Plays && self.time.is_playing() {
            self.time.playback = Playback::Stopped;
        }
        if self.page.opening.is_at_work() {
            self.page.opening = Opening::Ended;
        }
    }

    /// A whole moment was reported: the opening begins, or ends.
    pub(in crate::ui) fn play_opening(&mut self) -> Vec<Effect> {
        let is_there = self.view.head.position >= ATTEMPTS || self.view.head.finished;
        match self.page.opening {
            Opening::Awaits { .. } if self.view.nodes.is_empty() => Vec::new(),
            Opening::Awaits { still: true } => {
                self.page.opening = Opening::Ended;
                let position = ATTEMPTS;
                let seek = Effect::Send(Command::Travel(Travel::Seek { position }));
                self.follow_run(seek)
            }
            Opening::Awaits { still: false } => {
                self.page.opening = Opening::Plays;
                self.time.playback = Playback::Playing;
                // Without waiting for the first tick.
                self.through_time(TimeAction::Tick)
            }
            Opening::Plays if is_there => {
                self.stop_opening();
                Vec::new()
            }
            Opening::Plays | Opening::Ended | Opening::Over => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ATTEMPTS, Opening};
    use crate::ui::features::time::TimeAction;
    use crate::ui::store::{Action, Effect, PageAction, Store};
    use berth_protocol::command::{Command, Travel};
    use berth_protocol::frame::NodeFrame;
    use berth_protocol::page::{Changed, Head, Patch, Update};

    fn moment(position: usize) -> Action {
        let patch = Patch {
            head: Head {
                position,
                log_length: position,
                ..Head::default()
            },
            nodes: Changed {
                length: 1,
                items: vec![(0, NodeFrame::default())],
            },
            ..Patch::default()
        };
        Action::Update(Box::new(Update::Patch(Box::new(patch))))
    }

    fn opened(still: bool) -> Store {
        let mut store = Store::default();
        store.act(Action::Page(PageAction::Opening { still }));
        store
    }

    fn travels(effects: &[Effect]) -> Vec<Travel> {
        let travel = |effect: &Effect| {
            if let Effect::Send(Command::Travel(travel)) = effect {
                Some(*travel)
            } else {
                None
            }
        };
        effects.iter().filter_map(travel).collect()
    }

    #[test]
    fn it_plays_the_first_attempts_and_stops() {
        let mut store = opened(false);
        assert_eq!(travels(&store.act(moment(0))), [Travel::Step], "at once");
        assert!(store.time.is_playing());
        for position in 1..ATTEMPTS {
            assert!(travels(&store.act(moment(position))).is_empty());
            assert_eq!(
                travels(&store.act(Action::Time(TimeAction::Tick))),
                [Travel::Step]
            );
        }
        let effects = store.act(moment(ATTEMPTS));
        assert!(effects.contains(&Effect::Play(None)), "{effects:?}");
        assert_eq!(store.page.opening, Opening::Ended);
        store.act(Action::Time(TimeAction::Step));
        assert_eq!(store.page.opening, Opening::Over);
    }

    #[test]
    fn a_key_or_a_click_takes_over() {
        let mut store = opened(false);
        store.act(moment(0));
        store.act(Action::Page(PageAction::StopOpening));
        assert!(!store.time.is_playing() && store.page.opening.is_shown());
        let mut store = opened(false);
        store.act(moment(0));
        let effects = store.act(Action::Time(TimeAction::Play));
        assert_eq!(store.page.opening, Opening::Over);
        assert!(
            store.time.is_playing(),
            "what was pressed is done: {effects:?}"
        );
        let mut store = opened(false);
        store.act(moment(0));
        store.act(Action::Time(TimeAction::Step));
        assert!(!store.time.is_playing());
        // It does not begin after the visitor has done something.
        let mut store = opened(false);
        store.act(Action::Time(TimeAction::Reset));
        assert!(travels(&store.act(moment(0))).is_empty());
    }

    #[test]
    fn without_motion_it_shows_its_end() {
        let mut store = opened(true);
        let position = ATTEMPTS;
        assert_eq!(travels(&store.act(moment(0))), [Travel::Seek { position }]);
        assert!(!store.time.is_playing() && store.page.opening.is_shown());
    }
}
