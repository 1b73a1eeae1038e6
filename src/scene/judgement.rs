//! The verdict of one Filter plugin on one node.

use super::progress::Revealed;
use crate::words;
use berth_protocol::cycle::{Code, Cycle, NodeReport, Verdict};
use berth_protocol::fact::Fact;

/// The content of a matrix cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    Passes,
    /// The plugin's PreFilter skipped it.
    Skipped,
    /// The node was not examined.
    NotExamined,
    /// The attempt has not reached this plugin yet.
    NotRun,
    /// The first plugin to reject the node.
    Rejects(Code),
    /// It would also reject the node, but another plugin was first.
    AlsoWould(Code),
}

impl Judgement {
    /// The verdict of this column's plugin.
    pub fn of(cycle: &Cycle, report: &NodeReport, column: usize, revealed: &Revealed) -> Self {
        let plugin = cycle.filter_plugins.get(column).map_or("", String::as_str);
        let Some(verdict) = &report.verdict else {
            return Self::NotExamined;
        };
        if !revealed.filtered(column) {
            return Self::NotRun;
        }
        if verdict.code != Code::Success && verdict.plugin == plugin {
            return Self::Rejects(verdict.code);
        }
        let mut failures = report.failures.iter();
        if let Some(failure) = failures.find(|failure| failure.plugin == plugin) {
            return Self::AlsoWould(failure.code);
        }
        let mut skipped = cycle.pre_filter.skipped.iter();
        if skipped.any(|skipped| skipped == plugin) {
            Self::Skipped
        } else {
            Self::Passes
        }
    }
}

/// The plugin's rejection of the node, if any.
pub fn refusal<'a>(report: &'a NodeReport, plugin: &str) -> Option<&'a Verdict> {
    let of_plugin = |verdict: &&Verdict| verdict.code != Code::Success && verdict.plugin == plugin;
    let by_itself = report.failures.iter().find(of_plugin);
    by_itself.or_else(|| report.verdict.as_ref().filter(of_plugin))
}

/// A rejection in two or three words.
pub fn brief(refusal: &Verdict) -> String {
    let mut against = refusal.facts.iter().filter(|fact| fact.kind.is_violated());
    let devices = words::docks::facts_in_short(&refusal.facts);
    match against.next() {
        _ if devices.is_some() => devices.unwrap_or_default(),
        Some(Fact { kind, .. }) => words::explain::brief(kind),
        None => {
            let reason = refusal.reasons.first().map_or("", String::as_str);
            words::uncounted(reason).to_owned()
        }
    }
}
