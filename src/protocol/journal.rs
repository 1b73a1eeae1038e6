//! What was done to a session, and when: enough to make the same session again.

use borsh::{BorshDeserialize, BorshSerialize};

use super::page::Command;

/// Where a run is: how much happened so far, and how much of it lies before this moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Moment {
    /// Entries of the log.
    pub log_length: usize,
    /// Those before this moment.
    pub position: usize,
}

/// Something that was done.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Done {
    /// Where the run was before.
    pub before: Moment,
    pub command: Command,
}

/// Everything that was done in a visit, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Course {
    pub done: Vec<Done>,
    /// Where the run was in the end.
    pub at: Moment,
    /// A line of the terminal waited there.
    pub waits: bool,
}

impl Command {
    /// Whether it does something to the session that is not undone by going through time.
    pub fn is_deed(&self) -> bool {
        matches!(
            self,
            Self::Open { .. }
                | Self::Type { .. }
                | Self::Edit { .. }
                | Self::Gesture(_)
                | Self::Undo
                | Self::Redo
                | Self::BackToFirstRun
                | Self::KeepFork
                | Self::Seed { .. }
                | Self::Live(_)
                | Self::Terminal { .. }
                | Self::Files(_)
                | Self::Edited { .. }
        )
    }

    /// Whether it goes through time, or stops there.
    pub fn is_move(&self) -> bool {
        matches!(
            self,
            Self::Step
                | Self::StepBack
                | Self::Reset
                | Self::Seek { .. }
                | Self::Run
                | Self::Pause
                | Self::Interrupt
        )
    }
}
