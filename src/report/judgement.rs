//! The verdict of one Filter plugin on one node.

use crate::scene::progress::Revealed;
use crate::words;
use crate::words::Text;
use crate::words::explain as text;
use berth_protocol::cycle::{Code, Cycle, NodeReport, Verdict};
use berth_protocol::fact::Fact;
use serde::{Serialize, Serializer};

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
    /// All of them, with an arbitrary code: the order of a legend.
    pub const ALL: [Self; 6] = [
        Self::Passes,
        Self::Rejects(Code::Unschedulable),
        Self::AlsoWould(Code::Unschedulable),
        Self::Skipped,
        Self::NotExamined,
        Self::NotRun,
    ];

    /// The verdict of a plugin once the attempt is over.
    pub fn of(cycle: &Cycle, report: &NodeReport, plugin: &str) -> Self {
        let Some(verdict) = &report.verdict else {
            return Self::NotExamined;
        };
        if verdict.code != Code::Success && verdict.plugin == plugin {
            return Self::Rejects(verdict.code);
        }
        if let Some(code) = failure(report, plugin) {
            return Self::AlsoWould(code);
        }
        let mut skipped = cycle.pre_filter.skipped.iter();
        if skipped.any(|skipped| skipped == plugin) {
            Self::Skipped
        } else {
            Self::Passes
        }
    }

    /// The same for a node that is explained by itself, on which plugins are run even if the attempt did not examine it.
    pub fn by_itself(cycle: &Cycle, report: &NodeReport, plugin: &str) -> Self {
        match (Self::of(cycle, report, plugin), failure(report, plugin)) {
            (Self::NotExamined, Some(code)) => Self::AlsoWould(code),
            (judgement, _) => judgement,
        }
    }

    /// The verdict of this column's plugin, at a step of the attempt.
    pub fn at(cycle: &Cycle, report: &NodeReport, column: usize, revealed: &Revealed) -> Self {
        let plugin = cycle.filter_plugins.get(column).map_or("", String::as_str);
        match Self::of(cycle, report, plugin) {
            Self::NotExamined => Self::NotExamined,
            _ if !revealed.filtered(column) => Self::NotRun,
            judgement => judgement,
        }
    }

    /// What it says, for legends and screen readers.
    pub fn meaning(self) -> Text {
        match self {
            Self::Passes => text::PASSES,
            Self::Skipped => text::SKIPPED,
            Self::NotExamined => text::NOT_EXAMINED,
            Self::NotRun => text::NOT_RUN,
            Self::Rejects(_) => text::REJECTS,
            Self::AlsoWould(_) => text::WOULD_ALSO_REJECT,
        }
    }

    /// Its sign in plain text.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Passes => "✓",
            Self::Skipped => "·",
            Self::NotExamined => "–",
            Self::NotRun => "",
            Self::Rejects(_) => "✗",
            Self::AlsoWould(_) => "(✗)",
        }
    }

    /// Its name in data: the same in all languages and versions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Skipped => "skipped",
            Self::NotExamined => "notExamined",
            Self::NotRun => "notRun",
            Self::Rejects(_) => "rejects",
            Self::AlsoWould(_) => "wouldAlsoReject",
        }
    }

    /// Whether there is a verdict against the node.
    pub fn is_against(self) -> bool {
        matches!(self, Self::Rejects(_) | Self::AlsoWould(_))
    }
}

/// The rejection of a plugin that was run for the record.
fn failure(report: &NodeReport, plugin: &str) -> Option<Code> {
    let mut failures = report.failures.iter();
    let failure = failures.find(|failure| failure.plugin == plugin)?;
    Some(failure.code)
}

/// [`Judgement::name`].
impl Serialize for Judgement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
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
