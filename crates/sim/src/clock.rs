//! The virtual clock of a run.

use berth_base::time::{Span, Time};

/// The virtual time. It advances only when it is set, and never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    now: Time,
}

impl Clock {
    /// The time between two consecutive events.
    const TICK: Span = Span::microseconds(1);

    /// The current time.
    pub fn now(self) -> Time {
        self.now
    }

    /// Advances to `time`; no effect if that is past.
    pub fn advance_to(&mut self, time: Time) {
        self.now = self.now.max(time);
    }

    /// Moves on by one tick, so that the next event has a later timestamp.
    pub fn tick(&mut self) {
        self.now = self.now.after(Self::TICK);
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;
    use berth_base::time::Time;

    #[test]
    fn a_clock_never_goes_back() {
        let mut clock = Clock::default();
        clock.advance_to(Time::at_second(2));
        clock.tick();
        clock.advance_to(Time::at_second(2));
        assert_eq!(clock.now(), Time::at_microsecond(2_000_001));
    }
}
