//! What a scenario plays by where neither its manifests nor its reader choose. Links and visits record it, so that they
//! keep their meaning when a later version of Berth has other defaults.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// The defaults of a scenario, from when it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(default)]
pub struct Defaults {
    /// The Kubernetes release to follow (`1.34`); `None`: that of this version of Berth.
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<String>,
    #[serde(rename = "e", skip_serializing_if = "Edition::is_current")]
    pub edition: Edition,
}

/// Rules of Berth's own, by the version that introduced them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub enum Edition {
    #[serde(rename = "0.1")]
    V0_1,
    #[default]
    #[serde(rename = "0.2")]
    V0_2,
}

impl Edition {
    /// The edition of what a version of Berth (`0.1.0`) wrote; the current one for an empty or a later version.
    pub fn of(berth: &str) -> Self {
        if berth.starts_with("0.1.") {
            Self::V0_1
        } else {
            Self::default()
        }
    }

    fn is_current(&self) -> bool {
        *self == Self::default()
    }

    /// The release that this edition followed by default; `None`: that of this version of Berth.
    fn kubernetes(self) -> Option<&'static str> {
        match self {
            Self::V0_1 => Some("1.34"),
            Self::V0_2 => None,
        }
    }
}

impl Defaults {
    /// Those of what a version of Berth wrote, which may not have named its release.
    pub fn of(edition: Edition, kubernetes: Option<String>) -> Self {
        Self {
            kubernetes: kubernetes.or_else(|| edition.kubernetes().map(str::to_owned)),
            edition,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_version_0_1_wrote_follows_1_34() {
        let defaults = |berth| Defaults::of(Edition::of(berth), None);
        assert_eq!(defaults("0.1.0").kubernetes.as_deref(), Some("1.34"));
        assert_eq!(defaults("0.1.0").edition, Edition::V0_1);
        for current in ["", "0.2.0", "0.10.0", "7"] {
            assert_eq!(defaults(current), Defaults::default(), "{current}");
        }
    }
}
