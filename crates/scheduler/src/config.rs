//! The configuration of the scheduler (`KubeSchedulerConfiguration`), with defaults applied.

pub mod added_affinity;
pub mod args;
pub mod plugins;

use args::PluginArgs;
use plugins::Plugins;

pub use plugins::ExtensionPoint;

/// The defaulted configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerConfiguration {
    /// Number of goroutines of kube-scheduler; not used.
    pub parallelism: i32,
    /// Percentage of nodes to find feasible before scoring; 0 depends on the cluster's size.
    pub percentage_of_nodes_to_score: i32,
    pub pod_initial_backoff_seconds: i64,
    pub pod_max_backoff_seconds: i64,
    /// At least one.
    pub profiles: Vec<Profile>,
}

impl Default for SchedulerConfiguration {
    fn default() -> Self {
        Self {
            parallelism: 16,
            percentage_of_nodes_to_score: 0,
            pod_initial_backoff_seconds: 1,
            pod_max_backoff_seconds: 10,
            profiles: vec![Profile::default()],
        }
    }
}

/// A profile, selected by a Pod's `schedulerName`.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    pub scheduler_name: String,
    /// Overrides the configuration's own value.
    pub percentage_of_nodes_to_score: Option<i32>,
    /// As configured; `framework::profile` merges them with the defaults.
    pub plugins: Plugins,
    /// With defaults applied.
    pub args: PluginArgs,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            scheduler_name: "default-scheduler".to_owned(),
            percentage_of_nodes_to_score: None,
            plugins: Plugins::default(),
            args: PluginArgs::default(),
        }
    }
}
