//! The plugins that a profile enables and disables.

/// An extension point of the scheduling framework (kube-scheduler v1.34).
///
/// In the order in which kube-scheduler sets its extension points up, and therefore reports errors
/// in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtensionPoint {
    PreFilter,
    Filter,
    PostFilter,
    Reserve,
    PreScore,
    Score,
    PreBind,
    Bind,
    PostBind,
    Permit,
    PreEnqueue,
    QueueSort,
}

impl ExtensionPoint {
    /// Every extension point.
    pub const ALL: [Self; 12] = [
        Self::PreFilter,
        Self::Filter,
        Self::PostFilter,
        Self::Reserve,
        Self::PreScore,
        Self::Score,
        Self::PreBind,
        Self::Bind,
        Self::PostBind,
        Self::Permit,
        Self::PreEnqueue,
        Self::QueueSort,
    ];

    /// The field of `plugins` that configures this point.
    pub fn field(self) -> &'static str {
        match self {
            Self::PreFilter => "preFilter",
            Self::Filter => "filter",
            Self::PostFilter => "postFilter",
            Self::Reserve => "reserve",
            Self::PreScore => "preScore",
            Self::Score => "score",
            Self::PreBind => "preBind",
            Self::Bind => "bind",
            Self::PostBind => "postBind",
            Self::Permit => "permit",
            Self::PreEnqueue => "preEnqueue",
            Self::QueueSort => "queueSort",
        }
    }

    /// The interface that plugins of this point implement, as named in messages.
    pub fn interface(self) -> &'static str {
        match self {
            Self::PreFilter => "PreFilterPlugin",
            Self::Filter => "FilterPlugin",
            Self::PostFilter => "PostFilterPlugin",
            Self::Reserve => "ReservePlugin",
            Self::PreScore => "PreScorePlugin",
            Self::Score => "ScorePlugin",
            Self::PreBind => "PreBindPlugin",
            Self::Bind => "BindPlugin",
            Self::PostBind => "PostBindPlugin",
            Self::Permit => "PermitPlugin",
            Self::PreEnqueue => "PreEnqueuePlugin",
            Self::QueueSort => "QueueSortPlugin",
        }
    }
}

/// One entry of `enabled`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnabledPlugin {
    pub name: String,
    /// `weight` as configured; 0 if absent. Only Score uses it, and treats 0 as 1.
    pub weight: i32,
}

/// The plugins enabled and disabled at one extension point or (`multiPoint`) at all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginSet {
    /// In call order.
    pub enabled: Vec<EnabledPlugin>,
    /// Plugin names; `*` means all.
    pub disabled: Vec<String>,
}

impl PluginSet {
    /// Whether `name` is disabled by name.
    pub fn disables(&self, name: &str) -> bool {
        self.disabled.iter().any(|disabled| disabled == name)
    }

    /// Whether all plugins are disabled.
    pub fn disables_all(&self) -> bool {
        self.disables("*")
    }
}

/// `profiles[].plugins` as configured, not merged with the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plugins {
    /// Enables plugins at every point that they implement.
    pub multi_point: PluginSet,
    /// One set for each of [`ExtensionPoint::ALL`], in that order.
    points: [PluginSet; 12],
}

impl Plugins {
    /// The set of one extension point.
    pub fn at(&self, point: ExtensionPoint) -> &PluginSet {
        &self.points[point as usize]
    }

    /// The same, for writing.
    pub fn at_mut(&mut self, point: ExtensionPoint) -> &mut PluginSet {
        &mut self.points[point as usize]
    }
}
