//! The scheduler's configuration as a form, and the changes made in it.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// The effective configuration of the scheduler, including defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SchedulerFrame {
    /// Whether a document configures the scheduler; otherwise kube-scheduler's defaults apply.
    pub written: bool,
    /// `percentageOfNodesToScore`; 0: depends on the cluster's size.
    pub percentage: i32,
    /// Never empty.
    pub profiles: Vec<ProfileFrame>,
    /// Fields of the document that the form does not show, by path.
    pub rest: Vec<String>,
}

/// A profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ProfileFrame {
    pub name: String,
    /// The plugins that filter or score, in their default order.
    pub plugins: Vec<PluginFrame>,
    /// `scoringStrategy.type` of NodeResourcesFit.
    pub strategy: String,
    /// The weights of its resources.
    pub resources: Vec<(String, i64)>,
    /// Utilization (percent) and score (0 to 10); only for RequestedToCapacityRatio.
    pub shape: Vec<(i32, i32)>,
    /// `defaultingType` of PodTopologySpread.
    pub defaulting: String,
    /// Fields of the profile that the form does not show, by path.
    pub rest: Vec<String>,
}

/// A plugin of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct PluginFrame {
    pub name: String,
    /// Whether its Filter is enabled; `None` if it has none.
    pub filter: Option<bool>,
    /// Whether its Score is enabled; `None` if it has none.
    pub score: Option<bool>,
    /// The weight of its score; 0 if it does not score.
    pub weight: i64,
}

/// One change of the configuration. (A flat type: a variant for each field would multiply its size in
/// the page's program.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
#[serde(default)]
pub struct SchedulerChange {
    pub field: SchedulerField,
    /// The profile's index.
    pub profile: usize,
    /// The plugin that is switched or weighted; empty for other fields.
    pub plugin: String,
    /// The index of the resource or point; 0 for other fields.
    pub index: usize,
    /// The text as typed. Switches are `true` or `false`; additions take the new name.
    pub value: String,
}

impl SchedulerChange {
    /// Whether both changes concern the same field.
    pub fn is_at(&self, other: &Self) -> bool {
        self.field == other.field
            && self.profile == other.profile
            && self.plugin == other.plugin
            && self.index == other.index
    }
}

/// A field of the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum SchedulerField {
    /// Appends a profile of that name.
    AddProfile,
    RemoveProfile,
    #[default]
    Name,
    Percentage,
    /// The switches of a plugin, and its weight.
    Filter,
    Score,
    Weight,
    /// The scoring strategy of NodeResourcesFit.
    Strategy,
    AddResource,
    RemoveResource,
    ResourceWeight,
    /// Adds a point to the strategy's shape, in the widest gap.
    AddPoint,
    RemovePoint,
    Utilization,
    PointScore,
    /// The defaulting type of PodTopologySpread.
    Defaulting,
}
