//! Nodes × Filter plugins.

use super::judgement::{Judgement, brief, refusal};
use crate::scene::progress::Revealed;
use berth_protocol::cycle::{Cycle, NodeReport};

/// With more nodes, equal ones share a row.
pub const MAX_ROWS: usize = 40;

/// The verdicts of all Filter plugins on all reported nodes.
pub struct Matrix<'a> {
    pub plugins: Vec<&'a str>,
    /// Plugins that PreFilter skipped, if they have no column.
    pub skipped: Vec<&'a str>,
    pub rows: Vec<Row<'a>>,
}

/// A node, or several with equal judgements.
pub struct Row<'a> {
    pub report: &'a NodeReport,
    /// Number of further nodes.
    pub others: usize,
    /// In the order of the columns.
    pub judgements: Vec<Judgement>,
}

impl<'a> Matrix<'a> {
    /// The matrix at a step of the attempt.
    pub fn of(cycle: &'a Cycle, revealed: &Revealed) -> Self {
        let columns = 0..cycle.filter_plugins.len();
        let row = |report| Row {
            report,
            others: 0,
            judgements: columns
                .clone()
                .map(|column| Judgement::at(cycle, report, column, revealed))
                .collect(),
        };
        Self {
            plugins: cycle.filter_plugins.iter().map(String::as_str).collect(),
            skipped: Vec::new(),
            rows: cycle.nodes.iter().map(row).collect(),
        }
    }

    /// Without the columns of plugins that PreFilter skipped, as they check nothing for this Pod.
    pub fn without_skipped(mut self, cycle: &'a Cycle) -> Self {
        let is_kept = |plugin: &str| !cycle.pre_filter.skipped.iter().any(|it| it == plugin);
        let kept: Vec<bool> = self.plugins.iter().map(|plugin| is_kept(plugin)).collect();
        for row in &mut self.rows {
            let mut columns = kept.iter();
            row.judgements.retain(|_| columns.next() == Some(&true));
        }
        (self.plugins, self.skipped) = self.plugins.into_iter().partition(|it| is_kept(it));
        self
    }

    /// With one row for nodes of equal judgements, if there are more than `most`.
    pub fn folded(mut self, most: usize) -> Self {
        if self.rows.len() <= most {
            return self;
        }
        let mut rows: Vec<Row<'a>> = Vec::new();
        for row in self.rows {
            let alike = rows.iter_mut().find(|it| it.judgements == row.judgements);
            match alike {
                Some(first) => first.others += 1,
                None => rows.push(row),
            }
        }
        self.rows = rows;
        self
    }

    /// The judgements that occur, in the order of a legend.
    pub fn used(&self) -> impl Iterator<Item = Judgement> + '_ {
        let occurs = |judgement: &Judgement| {
            let mut all = self.rows.iter().flat_map(|row| &row.judgements);
            all.any(|it| it.name() == judgement.name())
        };
        Judgement::ALL.into_iter().filter(occurs)
    }
}

/// The rejection of a node in a few words; empty for a feasible node, and before its plugin has run.
pub fn why(cycle: &Cycle, report: &NodeReport, revealed: &Revealed) -> String {
    let verdict = revealed.verdict(cycle, report);
    let refused = verdict.and_then(|verdict| refusal(report, &verdict.plugin));
    refused.map(brief).unwrap_or_default()
}

/// `PTS` for `PodTopologySpread`. The in-tree plugins' initials are distinct.
pub fn initials(plugin: &str) -> String {
    plugin.chars().filter(char::is_ascii_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::initials;

    #[test]
    fn plugins_have_initials() {
        assert_eq!(initials("NodeResourcesBalancedAllocation"), "NRBA");
    }
}
