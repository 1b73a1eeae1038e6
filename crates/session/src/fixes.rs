//! Fixes: changes that would let a Pod schedule, in the order in which an operator would try them. Where no single change
//! of what exists helps, pairs are tried.
//!
//! The facts of an attempt suggest candidates, family by family and bounded in number. Each is then committed on a
//! branch of the session, and the Pod is tried again. A candidate is a fix only if the Pod then schedules.

mod candidates;
mod devices;
mod dry_run;
mod fields;
mod forgo;
mod gates;
mod group;
mod labels;
mod lines;
mod new_node;
mod node;
mod pairs;
mod pod;
mod replace;
mod requests;
mod search;
mod source;
mod template;
mod terms;
mod verify;
mod victims;

use berth_protocol::fix::{Candidate, Fix};
use berth_protocol::remark::Remark;

use super::Session;
use super::preview::Target;
use candidates::FixContext;
pub use group::GroupSearch;
pub use search::FixSearch;
use source::Source;

/// Maximum number of candidates of one family.
const MAX_PER_FAMILY: usize = 8;
/// Maximum number of candidates in total.
const MAX_CANDIDATES: usize = 40;

impl Session {
    /// At most 40 changes that may let the Pod of an attempt schedule, by rank. Empty if it was scheduled.
    /// Positions as in [`Session::explain`].
    ///
    /// # Errors
    /// As [`Session::explain`].
    pub fn fix_candidates(&self, position: usize) -> Result<Vec<Candidate>, Remark> {
        let cycle = self.explain(position)?;
        if cycle.selected.is_some() || cycle.error {
            return Ok(Vec::new());
        }
        let then = self.branch(position);
        let candidates = then.and_then(|then| {
            let run = then.history.with_sources();
            Some(candidates(&FixContext::new(&then, run, &cycle)?))
        });
        Ok(candidates.unwrap_or_default())
    }

    /// Tries one candidate; `None` if the Pod still would not schedule.
    pub fn verify_fix(&self, position: usize, candidate: &Candidate) -> Option<Fix> {
        let then = self.branch(position)?;
        then.verified(candidate, &then.target()?)
    }

    /// The fixes of an attempt, by rank: tries [`Session::fix_candidates`] and, if need be, pairs of them, and keeps the
    /// first of every group that helps.
    ///
    /// # Errors
    /// As [`Session::explain`].
    pub fn fixes(&self, position: usize) -> Result<Vec<Fix>, Remark> {
        let mut search = FixSearch::new(position, self.fix_candidates(position)?);
        let then = self.branch(position);
        let target = then.as_ref().and_then(Session::target);
        let (Some(then), Some(target)) = (then, target) else {
            return Ok(Vec::new());
        };
        while !search.is_done() {
            search.verify_next(|candidate| then.verified(candidate, &target));
        }
        Ok(search.fixes().to_vec())
    }

    /// The Pod that is tried next.
    pub(crate) fn target(&self) -> Option<Target> {
        let pod = self.history.with_sources().next_pod()?;
        let source = Source::at(self, pod.object.document);
        Some(Target {
            key: pod.object.key(),
            source: source.map(|source| (source.document, source.object)),
        })
    }
}

fn candidates(context: &FixContext<'_>) -> Vec<Candidate> {
    let families = [
        node::taints_and_cordons(context),
        pod::tolerations(context),
        requests::candidates(context),
        labels::candidates(context),
        pod::node_affinity(context),
        pod::spread(context),
        terms::candidates(context),
        devices::candidates(context),
        pod::ports(context),
        victims::candidates(context),
        forgo::candidates(context),
        new_node::candidates(context),
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
    template::complete(context, &mut all);
    if context.session.is_simulated() {
        replace::complete(&mut all, MAX_CANDIDATES);
    }
    // The sort is stable: among changes of one rank, those for nodes that the Pod was meant for stay first.
    all.sort_by_key(Candidate::rank);
    all
}

#[cfg(test)]
mod tests;
