//! Simulated time: whole microseconds since a run began. The machine's clock is never read.

/// Microseconds in a second.
const SECOND_US: i64 = 1_000_000;

/// A moment of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    us: i64,
}

/// A duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    us: i64,
}

impl Span {
    /// Whole seconds, saturating.
    pub const fn seconds(seconds: i64) -> Self {
        Self {
            us: seconds.saturating_mul(SECOND_US),
        }
    }

    /// Whole microseconds.
    pub const fn microseconds(us: i64) -> Self {
        Self { us }
    }

    /// This span doubled `times` times, saturating.
    #[must_use]
    pub const fn doubled(self, times: u32) -> Self {
        let mut us = self.us;
        let mut left = times;
        // 63 doublings of a microsecond are beyond the longest span.
        while left > 0 && us < i64::MAX && us > 0 {
            us = us.saturating_mul(2);
            left -= 1;
        }
        Self { us }
    }
}

impl Time {
    /// The moment a run begins.
    pub const START: Self = Self { us: 0 };

    /// `seconds` whole seconds after the start.
    pub const fn at_second(seconds: i64) -> Self {
        Self {
            us: seconds.saturating_mul(SECOND_US),
        }
    }

    /// `us` microseconds after the start.
    pub const fn at_microsecond(us: i64) -> Self {
        Self { us }
    }

    /// Microseconds since the start.
    pub const fn microseconds(self) -> i64 {
        self.us
    }

    /// Milliseconds since the start, rounded to the nearest.
    pub const fn milliseconds(self) -> i64 {
        self.us.saturating_add(500).div_euclid(1000)
    }

    /// This moment, rounded down to a whole second.
    #[must_use]
    pub const fn cut_to_second(self) -> Self {
        Self {
            us: self.us.div_euclid(SECOND_US) * SECOND_US,
        }
    }

    /// The moment `span` later.
    #[must_use]
    pub const fn after(self, span: Span) -> Self {
        Self {
            us: self.us.saturating_add(span.us),
        }
    }

    /// The time since `earlier`; negative if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Span {
        Span {
            us: self.us.saturating_sub(earlier.us),
        }
    }

    /// The same moment relative to `beginning`.
    #[must_use]
    pub const fn counted_from(self, beginning: Time) -> Self {
        Self {
            us: self.us.saturating_sub(beginning.us),
        }
    }

    /// Seconds since the start, to the nearest millisecond, for display and JSON.
    // Milliseconds of 285,000 years are exact.
    pub fn as_seconds(self) -> f64 {
        self.milliseconds() as f64 / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Span, Time};

    #[test]
    fn seconds_are_cut_and_rounded() {
        let time = Time::at_microsecond(5_999_999);
        assert_eq!(time.cut_to_second(), Time::at_second(5));
        assert_eq!(time.milliseconds(), 6000);
        assert_eq!(
            Time::at_microsecond(5_500_003).as_seconds().to_string(),
            "5.5"
        );
        assert_eq!(Time::at_second(7).cut_to_second(), Time::at_second(7));
    }

    #[test]
    fn doubling_stops_at_the_longest_span() {
        assert_eq!(Span::seconds(1).doubled(3), Span::seconds(8));
        assert_eq!(Span::seconds(0).doubled(u32::MAX), Span::seconds(0));
        let longest = Span::microseconds(i64::MAX);
        assert_eq!(Span::seconds(1).doubled(u32::MAX), longest);
        assert_eq!(Time::at_second(1).after(longest).microseconds(), i64::MAX);
    }
}
