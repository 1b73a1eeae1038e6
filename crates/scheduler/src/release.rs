//! The Kubernetes releases that Berth follows, as data: feature gates, default plugins, formulas, messages.
//!
//! Code that differs between releases asks the [`Release`] for a gate or a rule; it never compares versions.
//! A new release is a column of `gates.txt`, a variant of [`Version`] and its [`Rules`].

mod choice;
mod gates;
mod rules;

use berth_protocol::remark::Remark;
use std::collections::BTreeMap;

pub use choice::{Choice, ChoiceProblem};
pub use gates::{Gate, GateProblem, Gates, parse_flag};
pub use rules::{BalancedAllocation, ControllerRules, PluginRule, Rules};

/// A minor version of Kubernetes, followed at one patch release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// v1.34.1.
    V1_34,
    /// v1.35.6.
    V1_35,
    /// v1.36.3.
    #[default]
    V1_36,
}

impl Version {
    /// All versions, oldest first: the order of the columns of `gates.txt`.
    pub const ALL: [Self; 3] = [Self::V1_34, Self::V1_35, Self::V1_36];

    /// `1.34`.
    pub fn minor(self) -> &'static str {
        self.rules().minor
    }

    /// `v1.34.1`.
    pub fn full(self) -> &'static str {
        self.rules().full
    }

    /// The day on which Kubernetes' support ended (`2026-10-27`); `None` while it lasts.
    pub fn ended(self) -> Option<&'static str> {
        self.rules().ended
    }

    /// The second number: 36 of 1.36.
    pub fn number(self) -> Option<u32> {
        self.minor().split_once('.')?.1.parse().ok()
    }

    /// The version that `1.36`, `v1.36`, or any patch of it (`1.36.2`) means.
    ///
    /// # Errors
    /// What to write instead.
    pub fn parse(text: &str) -> Result<Self, Remark> {
        let wanted = text.trim().trim_start_matches('v');
        let matches = |version: &Self| {
            let rest = wanted.strip_prefix(version.minor());
            rest.is_some_and(|rest| rest.is_empty() || is_patch(rest))
        };
        Self::ALL.into_iter().find(matches).ok_or_else(|| {
            let known = Self::ALL.map(|version| version.minor().to_owned());
            Remark::not_simulated_release(text, known.to_vec())
        })
    }

    fn rules(self) -> &'static Rules {
        match self {
            Self::V1_34 => &rules::V1_34,
            Self::V1_35 => &rules::V1_35,
            Self::V1_36 => &rules::V1_36,
        }
    }
}

/// `.2`.
fn is_patch(text: &str) -> bool {
    let digits = text.strip_prefix('.').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
}

/// A version with its feature gates: what all code that differs between releases reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    version: Version,
    gates: Gates,
}

impl Default for Release {
    fn default() -> Self {
        Self::of(Version::default())
    }
}

impl Release {
    /// A version with its default gates.
    pub fn of(version: Version) -> Self {
        Self {
            version,
            gates: Gates::defaults(version),
        }
    }

    /// A version with some gates set. Gates with a problem keep their default.
    pub fn with_gates(
        version: Version,
        wanted: &BTreeMap<String, bool>,
    ) -> (Self, Vec<GateProblem>) {
        let (gates, problems) = Gates::set(version, wanted);
        (Self { version, gates }, problems)
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether a feature gate is on.
    #[inline]
    pub fn is_on(&self, gate: Gate) -> bool {
        self.gates.is_on(gate)
    }

    /// What no gate decides.
    #[inline]
    pub fn rules(&self) -> &'static Rules {
        self.version.rules()
    }

    /// The plugins that a profile enables by default, in order.
    pub fn default_plugins(&self) -> impl Iterator<Item = &'static PluginRule> + '_ {
        self.rules()
            .plugins
            .iter()
            .filter(|plugin| plugin.gate.is_none_or(|gate| self.is_on(gate)))
    }

    /// The default weight of a Score plugin; 0 without one.
    pub fn default_weight(&self, plugin: &str) -> i32 {
        let mut defaults = self.default_plugins();
        let known = defaults.find(|default| default.name == plugin);
        known.map_or(0, |default| default.weight)
    }

    /// The rule of a plugin; `None` if the release has no such plugin.
    pub fn plugin(&self, name: &str) -> Option<&'static PluginRule> {
        self.rules().plugins.iter().find(|rule| rule.name == name)
    }
}

#[cfg(test)]
mod tests;
