//! The scheduler's configuration as a form shows it, and what the form changes.

use borsh::{BorshDeserialize, BorshSerialize};

/// The configuration that the scheduler runs with, defaults included.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SchedulerFrame {
    /// Whether a document says so; otherwise all of it is kube-scheduler's default.
    pub written: bool,
    /// `percentageOfNodesToScore`; 0: chosen by the cluster's size.
    pub percentage: i32,
    /// Never empty.
    pub profiles: Vec<ProfileFrame>,
    /// Fields that are written and not shown here, by path.
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
    /// What its resources weigh.
    pub resources: Vec<(String, i64)>,
    /// Utilization (percent) and score (0 to 10); only for RequestedToCapacityRatio.
    pub shape: Vec<(i32, i32)>,
    /// `defaultingType` of PodTopologySpread.
    pub defaulting: String,
    /// Fields that are written and not shown here, by path.
    pub rest: Vec<String>,
}

/// A plugin of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct PluginFrame {
    pub name: String,
    /// Whether it filters; `None` if it cannot.
    pub filter: Option<bool>,
    /// Whether it scores; `None` if it cannot.
    pub score: Option<bool>,
    /// What its score weighs; 0 if it does not score.
    pub weight: i64,
}

/// One change of the configuration, by what it concerns. (One flat type: a variant for each field
/// would cost the page several times as much.)
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SchedulerChange {
    pub field: SchedulerField,
    /// The profile's position.
    pub profile: usize,
    /// Whose switch or weight it is; empty for other fields.
    pub plugin: String,
    /// The position of the resource or point; 0 for other fields.
    pub index: usize,
    /// As it was typed. Switches are `true` or `false`; additions take the new name.
    pub value: String,
}

impl SchedulerChange {
    /// Whether both are about the same field, whatever value they give it.
    pub fn is_at(&self, other: &Self) -> bool {
        self.field == other.field
            && self.profile == other.profile
            && self.plugin == other.plugin
            && self.index == other.index
    }
}

/// What can be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum SchedulerField {
    /// A profile of that name at the end.
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
    /// A point of the strategy's shape, in the widest gap.
    AddPoint,
    RemovePoint,
    Utilization,
    PointScore,
    /// The defaulting type of PodTopologySpread.
    Defaulting,
}
