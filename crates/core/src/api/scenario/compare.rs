//! The part of a Scenario that names the sides of a comparison.

use std::collections::BTreeMap;

use berth_protocol::compare::{Pairing, Side};
use berth_protocol::remark::Remark;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Scenario;
use crate::api::decode::{Finding, decode};
use berth_scheduler::release::Version;

/// Two sides to compare: the same manifests with different settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Compare {
    pub a: CompareSide,
    pub b: CompareSide,
    /// The key of the node label that workloads are spread over.
    pub topology: Option<String>,
}

/// How one side differs from the manifests. Absent fields are not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CompareSide {
    /// How it is called.
    pub name: Option<String>,
    /// The Kubernetes release: `1.36`.
    pub kubernetes: Option<String>,
    pub feature_gates: Option<BTreeMap<String, bool>>,
    /// What breaks ties.
    pub seed: Option<i64>,
    /// `random` or `first`: the first node by name.
    pub tie_break: Option<String>,
    /// A KubeSchedulerConfiguration in place of that of the manifests.
    pub config: Value,
    /// Manifests that are merged into those of the same name, or added.
    pub patch: Option<Vec<Value>>,
    /// Label selectors: nodes with these labels are removed.
    pub without: Option<Vec<String>>,
}

/// The values of `tieBreak`.
pub const TIE_BREAKS: [&str; 2] = ["random", "first"];

impl Scenario {
    /// The sides to compare, and their problems by path. `None` without `compare`.
    pub fn pairing(&self) -> Option<(Pairing, Vec<Finding>)> {
        (!self.compare.is_null()).then(|| self.read_pairing())
    }

    #[inline(never)]
    fn read_pairing(&self) -> (Pairing, Vec<Finding>) {
        let given = serde_json::json!({ "compare": self.compare });
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Part {
            compare: Compare,
        }
        let (part, mut findings) = decode::<Part>(&given);
        let Compare { a, b, topology } = part.map(|part| part.compare).unwrap_or_default();
        let pairing = Pairing {
            a: a.side("compare.a", &mut findings),
            b: b.side("compare.b", &mut findings),
            topology: topology.unwrap_or_default(),
        };
        if findings.is_empty() && pairing.a == pairing.b {
            let finding = Finding::error("compare", Remark::equal_sides());
            findings.push(finding.help(Remark::vary_a_side()));
        }
        (pairing, findings)
    }
}

impl CompareSide {
    fn side(self, path: &str, findings: &mut Vec<Finding>) -> Side {
        let mut wrong = |field: &str, message: Remark, help: Remark| {
            findings.push(Finding::error(format!("{path}.{field}"), message).help(help));
        };
        if let Some(text) = &self.kubernetes
            && let Err(help) = Version::parse(text)
        {
            wrong("kubernetes", Remark::unsupported(format!("{text:?}")), help);
        }
        let seed = self.seed.map(u64::try_from);
        if let Some(Err(_)) = seed {
            wrong("seed", Remark::negative(), Remark::whole_number());
        }
        let tie_break = self.tie_break.as_deref();
        if let Some(text) = tie_break.filter(|text| !TIE_BREAKS.contains(text)) {
            let message = Remark::unsupported(format!("{text:?}"));
            wrong("tieBreak", message, Remark::random_or_first());
        }
        if !self.config.is_null() && !self.config.is_object() {
            wrong(
                "config",
                Remark::not_an_object(),
                Remark::whole_configuration(),
            );
        }
        let file = |name: String, value: &Value| (name, format!("{value:#}"));
        let patches = self.patch.iter().flatten().enumerate();
        Side {
            name: self.name.unwrap_or_default(),
            kubernetes: self.kubernetes,
            feature_gates: self.feature_gates.unwrap_or_default(),
            seed: seed.and_then(Result::ok),
            first_on_ties: tie_break.map(|text| text == "first"),
            config: Some(&self.config)
                .filter(|config| config.is_object())
                .map(|config| file(format!("{path}.config"), config)),
            patches: patches
                .map(|(index, patch)| file(format!("{path}.patch[{index}]"), patch))
                .collect(),
            without: self.without.unwrap_or_default(),
            ..Side::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scenario;

    fn scenario(yaml: &str) -> Scenario {
        serde_yaml::from_str(yaml).unwrap()
    }

    #[test]
    fn sides_are_read() {
        let text = "compare: {b: {name: packed, seed: 3, tieBreak: first, kubernetes: '1.36', config: {kind: KubeSchedulerConfiguration}, without: [pool=spot]}}";
        let (pairing, findings) = scenario(text).pairing().unwrap();
        assert_eq!(findings, []);
        assert!(pairing.a.is_as_given());
        let b = pairing.b;
        assert_eq!(
            (b.name.as_str(), b.seed, b.first_on_ties),
            ("packed", Some(3), Some(true))
        );
        assert_eq!(b.without, ["pool=spot"]);
        assert!(b.config.unwrap().1.contains("KubeSchedulerConfiguration"));
        assert!(scenario("title: a").pairing().is_none());
    }

    #[test]
    fn wrong_sides_are_reported() {
        for (text, path) in [
            ("{compare: {a: {seed: 1}, b: {seed: 1}}}", "compare"),
            ("{compare: {b: {seed: -1}}}", "compare.b.seed"),
            ("{compare: {b: {tieBreak: last}}}", "compare.b.tieBreak"),
            (
                "{compare: {b: {kubernetes: '1.20'}}}",
                "compare.b.kubernetes",
            ),
            ("{compare: {b: {config: x}}}", "compare.b.config"),
        ] {
            let (_, findings) = scenario(text).pairing().unwrap();
            assert!(
                findings.iter().any(|finding| finding.path == path),
                "{text}: {findings:?}"
            );
        }
    }
}
