//! Moments of a run.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// A moment of a run: the length of its log, and the number of entries before the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(from = "(usize, usize)", into = "(usize, usize)")]
pub struct Moment {
    /// Entries of the log.
    pub log_length: usize,
    /// Entries before the moment.
    pub position: usize,
}

impl From<(usize, usize)> for Moment {
    fn from((log_length, position): (usize, usize)) -> Self {
        Self {
            log_length,
            position,
        }
    }
}

impl From<Moment> for (usize, usize) {
    fn from(moment: Moment) -> Self {
        (moment.log_length, moment.position)
    }
}
