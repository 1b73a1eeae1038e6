//! Long work of the engine, as the page shows it while it runs.

use borsh::{BorshDeserialize, BorshSerialize};

use super::reduce::Size;

/// What the engine works on in slices, and how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Work {
    pub task: Task,
    pub amount: Amount,
}

/// What the engine works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Task {
    /// The run continues to its end, or returns to the position that it had before a change.
    Run,
    /// A line of the terminal waits.
    Wait,
    /// An earlier visit is replayed.
    Restore,
    /// Where a fork leads is tried.
    Fork,
    /// The smallest fixes for an attempt are searched for.
    Fixes,
    /// The fix of a group of the board is searched for.
    Nearest,
    /// A what-if is played.
    WhatIf,
    /// An attempt is reduced to its smallest case.
    Reduce,
    /// One change of the session, which is not done in slices.
    Change,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Amount {
    Unknown,
    Attempts {
        done: usize,
        all: usize,
    },
    /// Changes of a visit, or candidates for a fix.
    Changes {
        done: usize,
        all: usize,
    },
    /// Plays of a what-if.
    Plays {
        done: usize,
        all: usize,
    },
    /// Trials of a reduction, and what the best of them has left; `None` before anything was left out.
    Trials {
        done: usize,
        left: Option<Size>,
    },
    /// The virtual time, and the time at which the task is known to end.
    Time {
        from_ms: i64,
        now_ms: i64,
        until_ms: Option<i64>,
    },
}

impl Amount {
    /// The share that is done, in percent; `None` if the end is unknown.
    pub fn percent(&self) -> Option<u32> {
        let (done, all) = match *self {
            Self::Unknown | Self::Trials { .. } => return None,
            Self::Attempts { done, all }
            | Self::Changes { done, all }
            | Self::Plays { done, all } => (i64::try_from(done).ok()?, i64::try_from(all).ok()?),
            Self::Time {
                from_ms,
                now_ms,
                until_ms,
            } => (
                now_ms.checked_sub(from_ms)?,
                until_ms?.checked_sub(from_ms)?,
            ),
        };
        let share = done.max(0).saturating_mul(100) / all.max(1);
        u32::try_from(share.min(100)).ok()
    }
}

impl Task {
    /// Whether it can be stopped: a change is all or nothing.
    pub fn can_stop(self) -> bool {
        self != Self::Change
    }
}

#[cfg(test)]
mod tests {
    use super::Amount;

    #[test]
    fn a_share_is_known_if_the_end_is() {
        let time = |now_ms, until_ms| Amount::Time {
            from_ms: 1_000,
            now_ms,
            until_ms,
        };
        assert_eq!(Amount::Unknown.percent(), None);
        assert_eq!(Amount::Attempts { done: 1, all: 3 }.percent(), Some(33));
        assert_eq!(Amount::Changes { done: 9, all: 0 }.percent(), Some(100));
        assert_eq!(time(2_000, None).percent(), None);
        assert_eq!(time(2_000, Some(5_000)).percent(), Some(25));
        assert_eq!(time(i64::MAX, Some(i64::MIN)).percent(), None);
        assert_eq!(time(i64::MAX, Some(5_000)).percent(), Some(100));
    }
}
