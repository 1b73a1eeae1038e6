//! How preemption chose among its candidates.

use crate::words::Text;
use crate::words::explain as text;
use berth_protocol::cycle::{Candidate, PreemptionReport};

/// A rule's result: how many candidates it left, and which ones it dropped.
#[derive(Debug, PartialEq, Eq)]
pub struct Round {
    pub left: usize,
    pub dropped: Vec<usize>,
}

/// Applies the rules in order while more than one candidate is left.
pub fn rounds(candidates: &[Candidate]) -> Vec<Round> {
    let mut left: Vec<usize> = (0..candidates.len()).collect();
    let rules = candidates.iter().map(|one| one.ranks.len()).min();
    let mut rounds = Vec::new();
    for rule in 0..rules.unwrap_or(0) {
        if left.len() < 2 {
            break;
        }
        let rank = |at: usize| candidates.get(at).and_then(|one| one.ranks.get(rule));
        let best = left.iter().filter_map(|&at| rank(at)).max();
        let (kept, dropped) = left.iter().partition(|&&at| rank(at) == best);
        left = kept;
        rounds.push(Round {
            left: left.len(),
            dropped,
        });
    }
    rounds
}

/// The rule that dropped the last rivals: its position in [`text::RULES`].
pub fn deciding(rounds: &[Round]) -> Option<usize> {
    rounds.iter().rposition(|round| !round.dropped.is_empty())
}

/// What decided, in words.
pub fn decided_by(report: &PreemptionReport) -> String {
    if report.ambiguous {
        return text::by_name(&report.nominated);
    }
    let rule = deciding(&rounds(&report.candidates));
    let rule: Option<&(Text, Text)> = rule.and_then(|rule| text::RULES.get(rule));
    rule.map_or_else(
        || text::ONLY_CANDIDATE.to_owned(),
        |(_, long)| Text::to_owned(*long),
    )
}

/// The positions of the candidates: the nominated one first, then those that fell last.
pub fn ranked(report: &PreemptionReport, rounds: &[Round]) -> Vec<usize> {
    let fell = |at: usize| rounds.iter().position(|round| round.dropped.contains(&at));
    let won = |at: usize| {
        let candidate = report.candidates.get(at);
        candidate.is_some_and(|one| one.node == report.nominated)
    };
    let mut order: Vec<usize> = (0..report.candidates.len()).collect();
    order.sort_by_key(|&at| {
        let fell = fell(at).unwrap_or(usize::MAX);
        (!won(at), std::cmp::Reverse(fell), at)
    });
    order
}

#[cfg(test)]
mod tests {
    use super::{Round, rounds};
    use berth_protocol::cycle::Candidate;

    #[test]
    fn a_candidate_is_dropped_by_the_first_rule_against_it() {
        let candidate = |ranks: [i64; 3]| Candidate {
            node: String::new(),
            victims: Vec::new(),
            pdb_violations: 0,
            ranks: ranks.into(),
        };
        let candidates = [[0, 5, 1], [-1, 9, 9], [0, 5, 3]].map(candidate);
        let round = |left, dropped: &[usize]| Round {
            left,
            dropped: dropped.into(),
        };
        assert_eq!(
            rounds(&candidates),
            [round(2, &[1]), round(2, &[]), round(1, &[0])]
        );
        assert_eq!(rounds(&candidates[..1]), []);
    }
}
