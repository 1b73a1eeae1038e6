//! A search for the fixes of an attempt, one candidate at a time.

use std::collections::VecDeque;

use berth_protocol::fix::{Candidate, Fix};

use crate::Session;

/// The candidates still to be tried for an attempt, and the fixes found.
pub struct FixSearch {
    position: usize,
    candidates: VecDeque<Candidate>,
    /// Number of all candidates at the start.
    all: usize,
    fixes: Vec<Fix>,
}

impl FixSearch {
    /// Starts a search; tries no candidate yet.
    pub fn new(position: usize, candidates: Vec<Candidate>) -> Self {
        Self {
            position,
            all: candidates.len(),
            candidates: candidates.into(),
            fixes: Vec::new(),
        }
    }

    /// Position of the attempt.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many candidates were tried or ruled out, of all.
    pub fn tried(&self) -> (usize, usize) {
        (self.all - self.candidates.len().min(self.all), self.all)
    }

    /// Whether all candidates were tried.
    pub fn is_done(&self) -> bool {
        self.candidates.is_empty()
    }

    /// The fixes found so far, the smallest change first.
    pub fn fixes(&self) -> &[Fix] {
        &self.fixes
    }

    /// Tries the next candidate; returns whether it is a fix.
    pub fn try_next(&mut self, session: &Session) -> bool {
        let position = self.position;
        self.verify_next(|candidate| session.verify_fix(position, candidate))
    }

    pub(super) fn verify_next(&mut self, verify: impl FnOnce(&Candidate) -> Option<Fix>) -> bool {
        let Some(candidate) = self.candidates.pop_front() else {
            return false;
        };
        let Some(fix) = verify(&candidate) else {
            return false;
        };
        // The group's other candidates change more for the same result.
        self.candidates
            .retain(|other| other.group != candidate.group);
        self.fixes.push(fix);
        // A replacement may have made a change larger.
        self.fixes.sort_by_key(|fix| fix.rank);
        true
    }
}
