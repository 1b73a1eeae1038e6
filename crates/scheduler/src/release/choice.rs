//! Which release to follow: the choice made outside the manifests takes precedence over that of their Scenario.

use std::collections::BTreeMap;

use super::{GateProblem, Release, Version};

/// The release asked for outside the manifests: with the command or on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Instead of the Scenario's.
    pub kubernetes: Option<Version>,
    /// Where neither that nor the Scenario names one.
    pub fallback: Version,
    /// Over the Scenario's.
    pub feature_gates: BTreeMap<String, bool>,
}

/// A problem with the choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoiceProblem {
    /// The field of the Scenario; `None` if the gate was given outside of it.
    pub field: Option<String>,
    pub problem: GateProblem,
}

impl Choice {
    /// The release that the choice amounts to with what a Scenario says: `kubernetes` and `featureGates`.
    pub fn resolve(
        &self,
        written: Option<&str>,
        gates: Option<&BTreeMap<String, bool>>,
    ) -> (Release, Vec<ChoiceProblem>) {
        // Validation has refused a Scenario with an unknown version.
        let written = written.and_then(|text| Version::parse(text).ok());
        let version = self.kubernetes.or(written).unwrap_or(self.fallback);
        let (release, problems) = Release::with_gates(version, &self.gates(gates));
        let placed = problems.into_iter().map(|problem| ChoiceProblem {
            field: (!self.feature_gates.contains_key(&problem.gate))
                .then(|| format!("featureGates[{}]", problem.gate)),
            problem,
        });
        (release, placed.collect())
    }

    /// The gates that are set: those of a Scenario, and over them those given outside of it.
    pub fn gates(&self, written: Option<&BTreeMap<String, bool>>) -> BTreeMap<String, bool> {
        let mut gates = written.cloned().unwrap_or_default();
        gates.extend(self.feature_gates.clone());
        gates
    }
}
