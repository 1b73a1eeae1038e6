//! Fixes: the smallest single changes that would let a Pod schedule.
//!
//! The facts of an attempt suggest candidates, family by family and bounded in number; each is then
//! tried on a copy of the state before the attempt, by the scheduler itself. Only those with which
//! the Pod schedules are fixes.

mod candidates;
mod fields;
mod labels;
mod new_node;
mod node;
mod pod;
mod requests;
mod source;
mod terms;
mod verify;
mod victims;

use std::collections::BTreeSet;

use crate::protocol::fix::{Candidate, Fix};

use super::Session;
use candidates::Scene;

/// Candidates of one family, at most.
const MAX_PER_FAMILY: usize = 8;
/// Candidates in all, at most.
const MAX_CANDIDATES: usize = 40;

impl Session {
    /// Changes that may let the Pod of an attempt schedule, the smallest first, at most 40. None if it
    /// was scheduled. Positions as in [`Session::explain`].
    ///
    /// # Errors
    /// As [`Session::explain`].
    pub fn fix_candidates(&self, position: usize) -> Result<Vec<Candidate>, String> {
        let cycle = self.explain(position)?;
        if cycle.selected.is_some() || cycle.error {
            return Ok(Vec::new());
        }
        let run = self.history.at(position);
        let scene = run
            .as_ref()
            .and_then(|run| Scene::new(self, run.with_sources(self.manifests()), &cycle));
        Ok(scene.map_or_else(Vec::new, |scene| candidates(&scene)))
    }

    /// Tries one candidate; `None` if the Pod would not schedule with it either.
    pub fn verify_fix(&self, position: usize, candidate: &Candidate) -> Option<Fix> {
        let run = self.history.at(position)?;
        verify::verify(self, run.with_sources(self.manifests()), candidate)
    }

    /// The fixes of an attempt, the smallest change first: [`Session::fix_candidates`], each tried,
    /// of every group the first that helps.
    ///
    /// # Errors
    /// As [`Session::explain`].
    pub fn fixes(&self, position: usize) -> Result<Vec<Fix>, String> {
        let candidates = self.fix_candidates(position)?;
        let Some(run) = self.history.at(position) else {
            return Ok(Vec::new());
        };
        let mut settled: BTreeSet<&str> = BTreeSet::new();
        let mut fixes = Vec::new();
        for candidate in &candidates {
            if settled.contains(candidate.group.as_str()) {
                continue;
            }
            let run = run.with_sources(self.manifests());
            if let Some(fix) = verify::verify(self, run, candidate) {
                settled.insert(&candidate.group);
                fixes.push(fix);
            }
        }
        Ok(fixes)
    }
}

fn candidates(scene: &Scene<'_>) -> Vec<Candidate> {
    let families = [
        node::taints_and_cordons(scene),
        pod::tolerations(scene),
        requests::candidates(scene),
        labels::candidates(scene),
        pod::node_affinity(scene),
        pod::spread(scene),
        terms::candidates(scene),
        pod::ports(scene),
        victims::candidates(scene),
        new_node::candidates(scene),
    ];
    let mut families = families.map(candidates::Family::finish);
    let mut limit = MAX_PER_FAMILY;
    let total = |limit: usize, families: &[Vec<Candidate>]| -> usize {
        families.iter().map(|family| family.len().min(limit)).sum()
    };
    while total(limit, &families) > MAX_CANDIDATES {
        limit -= 1;
    }
    for family in &mut families {
        family.truncate(limit);
    }
    let mut all: Vec<Candidate> = families.into_iter().flatten().collect();
    // Stable: of equally small ones, that for the node with the fewest obstacles stays first.
    all.sort_by_key(|candidate| candidate.what.rank());
    all
}

#[cfg(test)]
mod tests;
