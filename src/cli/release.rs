//! `--kubernetes` and `--feature-gates`: the release to follow.

use std::collections::BTreeMap;

use berth_session::{Choice, Version, parse_flag};
use clap::Args;

/// The release to follow.
#[derive(Clone, Debug, Default, Args)]
pub struct ReleaseOptions {
    /// The Kubernetes release to follow in place of the Scenario's.
    #[arg(long, value_name = "VERSION", value_parser = Version::parse, help = help())]
    pub kubernetes: Option<Version>,

    /// Feature gates of all components: Name=true,Other=false
    #[arg(long, value_name = "GATES", value_parser = gates)]
    pub feature_gates: Vec<BTreeMap<String, bool>>,
}

/// The help of `--kubernetes`.
fn help() -> String {
    let known = Version::ALL.map(|version| {
        let minor = version.minor();
        match version.ended() {
            _ if version == Version::default() => format!("{minor} (the default)"),
            Some(day) => format!("{minor} (out of support since {day})"),
            None => minor.to_owned(),
        }
    });
    let known = known.join(", ");
    format!("The Kubernetes release to follow in place of the Scenario's: {known}")
}

fn gates(text: &str) -> Result<BTreeMap<String, bool>, String> {
    parse_flag(text)
}

fn owned((name, on): (&String, &bool)) -> (String, bool) {
    (name.clone(), *on)
}

impl ReleaseOptions {
    /// The choice for a session.
    pub fn choice(&self) -> Choice {
        Choice {
            kubernetes: self.kubernetes,
            fallback: Version::default(),
            feature_gates: self.feature_gates.iter().flatten().map(owned).collect(),
        }
    }
}
