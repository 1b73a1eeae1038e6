//! A search for the fixes of an attempt, one candidate at a time.

use std::collections::VecDeque;

use berth_protocol::fix::{Candidate, Change, Fix};

use super::pairs;
use crate::fixes;
use crate::session::Session;

/// Maximum number of pairs that are offered.
const MAX_PAIRS: usize = 3;

/// The candidates still to be tried for an attempt, and the fixes found.
pub struct FixSearch {
    position: usize,
    candidates: VecDeque<Candidate>,
    /// The single changes, for pairs of them.
    singles: Vec<Candidate>,
    /// Number of all candidates so far.
    all: usize,
    fixes: Vec<Fix>,
    /// Number of pairs among the fixes.
    pairs: usize,
}

impl FixSearch {
    /// Starts a search; tries no candidate yet.
    pub fn new(position: usize, candidates: Vec<Candidate>) -> Self {
        Self {
            position,
            all: candidates.len(),
            singles: candidates.clone(),
            candidates: candidates.into(),
            fixes: Vec::new(),
            pairs: 0,
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
        self.verify_next(|candidate| fixes::verify(session, position, candidate))
    }

    pub(super) fn verify_next(&mut self, verify: impl FnOnce(&Candidate) -> Option<Fix>) -> bool {
        let Some(candidate) = self.candidates.pop_front() else {
            return false;
        };
        let fix = verify(&candidate);
        if fix.is_none() {
            self.pair();
        }
        let Some(fix) = fix else {
            return false;
        };
        // The group's other candidates change more for the same result.
        self.candidates
            .retain(|other| other.group != candidate.group);
        let is_pair = matches!(fix.what, Change::Both { .. });
        self.fixes.push(fix);
        self.pairs += usize::from(is_pair);
        if self.pairs >= MAX_PAIRS {
            self.candidates.clear();
        }
        // A replacement may have made a change larger.
        self.fixes.sort_by_key(|fix| fix.rank);
        self.pair();
        true
    }

    /// Goes on with pairs once all single changes were tried, and none of what exists helps.
    fn pair(&mut self) {
        if !self.candidates.is_empty() || self.fixes.iter().any(|fix| pairs::is_enough(&fix.what)) {
            return;
        }
        self.candidates = pairs::of(&std::mem::take(&mut self.singles)).into();
        self.all += self.candidates.len();
    }
}
