//! A search for fixes, one candidate at a time.

use std::collections::VecDeque;

use berth_protocol::fix::{Candidate, Fix};
use berth_protocol::page::Update;
use berth_session::Session;

/// The candidates still to be tried for an attempt, and the fixes found.
pub struct Fixing {
    position: usize,
    candidates: VecDeque<Candidate>,
    /// Number of all candidates at the start.
    all: usize,
    fixes: Vec<Fix>,
}

impl Fixing {
    /// Starts a search; tries no candidate yet.
    pub fn new(session: &Session, position: usize) -> Self {
        let candidates = session.fix_candidates(position).unwrap_or_default();
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

    /// Tries the next candidate; returns an update if it is a fix or the last candidate.
    pub fn try_next(&mut self, session: &Session) -> Option<Update> {
        let fix = self.candidates.pop_front().and_then(|candidate| {
            let fix = session.verify_fix(self.position, &candidate)?;
            // The group's other candidates change more for the same result.
            self.candidates
                .retain(|other| other.group != candidate.group);
            Some(fix)
        });
        let is_news = fix.is_some() || self.is_done();
        self.fixes.extend(fix);
        // A replacement may have made a change larger.
        self.fixes.sort_by_key(|fix| fix.rank);
        is_news.then(|| Update::Fixes {
            position: self.position,
            fixes: self.fixes.clone(),
            done: self.is_done(),
        })
    }
}
