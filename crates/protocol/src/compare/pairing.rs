//! What is compared: two sides of the same manifests, and how each differs from them.

use std::collections::BTreeMap;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::{Comparison, PodDifference, Summary};
use crate::command::Command;
use crate::page::Update;
use crate::remark::Remark;

/// The default key of the node label that workloads are spread over.
pub const ZONE: &str = "topology.kubernetes.io/zone";

/// Two sides to compare. The fields are those of `compare` in a Scenario, and of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Pairing {
    #[serde(skip_serializing_if = "Side::is_as_given")]
    pub a: Side,
    #[serde(skip_serializing_if = "Side::is_as_given")]
    pub b: Side,
    /// The key of the node label that workloads are spread over. Empty: the zone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub topology: String,
}

/// How one side differs from the manifests as given. An absent or empty field keeps the manifests' own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Side {
    /// How the page calls it. Empty: by its settings.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The run that the side continues. A fork and its first run keep what has happened so far.
    #[serde(skip_serializing_if = "Origin::is_manifests")]
    pub from: Origin,
    /// The release: `1.36`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubernetes: Option<String>,
    /// Feature gates, over those of the manifests.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub feature_gates: BTreeMap<String, bool>,
    /// What breaks ties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Ties go to the first node by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_on_ties: Option<bool>,
    /// The name and text of a file with a KubeSchedulerConfiguration, in place of that of the manifests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<(String, String)>,
    /// The names and texts of files with manifests to merge into those of the same name, or to add.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<(String, String)>,
    /// Label selectors of nodes to remove.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
}

/// The run that a side continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// A new run of the manifests.
    #[default]
    Manifests,
    /// The run before the edits.
    FirstRun,
    /// The run with the edits.
    Fork,
}

impl Origin {
    fn is_manifests(&self) -> bool {
        *self == Self::Manifests
    }
}

impl Side {
    /// Whether it is the manifests as given.
    pub fn is_as_given(&self) -> bool {
        *self == Self::default()
    }
}

impl Pairing {
    pub fn topology(&self) -> &str {
        match self.topology.as_str() {
            "" => ZONE,
            key => key,
        }
    }

    pub fn side(&self, which: Which) -> &Side {
        match which {
            Which::A => &self.a,
            Which::B => &self.b,
        }
    }

    pub fn side_mut(&mut self, which: Which) -> &mut Side {
        match which {
            Which::A => &mut self.a,
            Which::B => &mut self.b,
        }
    }
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Which {
    A,
    B,
}

impl Which {
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    pub fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// A command to the comparison that the engine runs beside the page's session.
#[allow(clippy::large_enum_variant, reason = "boxed as a whole")]
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Comparing {
    /// Begins to compare; ends an earlier comparison. `None`: what the Scenario says.
    Begin(Option<Pairing>),
    /// Counts the spread over the domains of another topology key.
    Topology(String),
    /// A move or a query in one side's run.
    Side(Which, Box<Command>),
    /// Asks for the causes of a number of differences from a position on.
    Causes {
        from: usize,
        count: usize,
    },
    End,
}

/// What the engine reports of a comparison.
#[allow(clippy::large_enum_variant, reason = "boxed as a whole")]
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Compared {
    /// A scenario with a comparison was opened.
    Suggested,
    /// It begins with these sides.
    Begun(Pairing),
    /// Attempts made so far in both runs, and the number of unfinished Pods of both.
    Progress {
        attempts: [usize; 2],
        pods: [usize; 2],
    },
    /// The ends of both runs; `pods` differences follow in pieces. `kept`: see [`Comparison`].
    Ends {
        a: Summary,
        b: Summary,
        kept: usize,
        pods: usize,
    },
    /// Differences from a position on.
    Differences {
        from: usize,
        pods: Vec<PodDifference>,
    },
    /// One side's run.
    Side(Which, Update),
    /// A side cannot be run.
    Refused {
        side: Option<Which>,
        message: Remark,
    },
}

impl Comparison {
    /// Whether the runs came out the same.
    pub fn is_same(&self) -> bool {
        self.a == self.b && self.pods.is_empty()
    }
}
