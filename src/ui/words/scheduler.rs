//! Text of the form for the scheduler's configuration.

pub const SCHEDULER: &str = "Scheduler";
pub const SCHEDULER_TITLE: &str = "Scheduler configuration";
pub const DEFAULTS: &str = "These are kube-scheduler's defaults. Your first change adds a document at the end of the manifests.";
pub const IN_FORCE: &str =
    "Some of the manifests cannot be read. This is the configuration in force.";
pub const PERCENTAGE: &str = "percentageOfNodesToScore";
pub const SCHEDULER_NAME: &str = "schedulerName";
pub const PLUGINS: &str = "Plugins";
pub const FILTER: &str = "Filter";
pub const SCORE: &str = "Score";
pub const WEIGHT: &str = "Weight";
pub const WEIGHT_ZERO: &str = "kube-scheduler counts 0 as 1";
pub const STRATEGY: &str = "scoringStrategy";
pub const DEFAULTING: &str = "defaultingType";
pub const NEW_RESOURCE: &str = "New resource";
pub const SHAPE: &str = "shape: utilization %, score 0–10";
pub const UTILIZATION: &str = "utilization";
pub const POINT_SCORE: &str = "score";
pub const ADD_POINT: &str = "Add a point";
pub const NEW_PROFILE: &str = "New profile";

/// The configuration's line in the manifests.
pub fn at_line(line: u32) -> String {
    format!("line {line}")
}

/// Fields of the configuration that the form does not show.
pub fn left_as_written(fields: &[String]) -> String {
    format!(
        "Not shown here, and left as written: {}.",
        fields.join(", ")
    )
}

/// A label with its owner: `Filter, NodePorts`.
pub fn of(what: &str, whose: &str) -> String {
    format!("{what}, {whose}")
}

/// A point of a shape, counted from 1.
pub fn point(what: &str, index: usize) -> String {
    format!("{what}, point {}", index + 1)
}
