//! Preemption on the stage: candidates, victims and nominated nodes.

use super::Scene;
use super::card::Card;
use super::node_verdict::Standing;
use crate::ui::store::progress::Point;
use berth_protocol::cycle::{Candidate, PreemptionReport};

impl Scene<'_> {
    /// The explained attempt's preemption, from PostFilter on.
    pub(super) fn shown_preemption(&self) -> Option<&PreemptionReport> {
        let report = self.cycle?.preemption.as_ref();
        report.filter(|_| self.revealed.reached(Point::PostFilter))
    }

    fn candidate(&self, node: &str) -> Option<&Candidate> {
        let mut candidates = self.shown_preemption()?.candidates.iter();
        candidates.find(|candidate| candidate.node == node)
    }

    /// The standing of a node on which preemption could make room.
    pub(super) fn preempts(&self, node: &str) -> Option<Standing> {
        let candidate = self.candidate(node)?;
        let nominated = self.shown_preemption().map(|report| &report.nominated);
        Some(Standing::Candidate {
            victims: candidate.victims.len(),
            pdb_violations: candidate.pdb_violations,
            is_nominated: nominated.is_some_and(|name| name == node),
        })
    }

    /// Whether a Pod on the node is a victim: it was evicted for a Pod that is still nominated, or the step shows the
    /// search for victims.
    pub(super) fn is_victim(&self, node: &str, pod: &str) -> bool {
        let is_searching = self.revealed.stop.is_some();
        let candidate = self.candidate(node).filter(|_| is_searching);
        let listed =
            candidate.is_some_and(|candidate| candidate.victims.iter().any(|it| it == pod));
        let mut evicted = self.store.view.head.victims.iter();
        listed || evicted.any(|victim| victim.key == pod)
    }
}

impl Card {
    /// Whether a Pod is nominated to the node, now or by the shown step.
    pub(super) fn is_nominated(&self) -> bool {
        let by_step = matches!(
            self.standing,
            Standing::Candidate {
                is_nominated: true,
                ..
            }
        );
        by_step || !self.node.0.nominated.is_empty()
    }
}
