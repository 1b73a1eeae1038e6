//! Text of the form for the scheduler's configuration.

use berth_words::{say, text};

use super::Text;
use super::language::comma;

pub const SCHEDULER: Text = text!("Scheduler");
pub const SCHEDULER_TITLE: Text = text!("Scheduler configuration");
pub const DEFAULTS: Text = text!(
    "These are kube-scheduler's defaults. Your first change adds a document at the end of the manifests."
);
pub const IN_FORCE: Text =
    text!("Some of the manifests cannot be read. This is the configuration in force.");
pub const PERCENTAGE: &str = "percentageOfNodesToScore";
pub const SCHEDULER_NAME: &str = "schedulerName";
pub const PLUGINS: Text = text!("Plugins");
pub const FILTER: Text = text!("Filter | column");
pub const SCORE: Text = text!("Score | column");
pub const WEIGHT: Text = text!("Weight");
pub const WEIGHT_ZERO: Text = text!("kube-scheduler counts 0 as 1");
pub const STRATEGY: &str = "scoringStrategy";
pub const DEFAULTING: &str = "defaultingType";
pub const NEW_RESOURCE: Text = text!("New resource");
pub const SHAPE: Text = text!("shape: utilization %, score 0–10");
pub const UTILIZATION: Text = text!("utilization");
pub const POINT_SCORE: Text = text!("score");
pub const ADD_POINT: Text = text!("Add a point");
pub const NEW_PROFILE: Text = text!("New profile");

/// The configuration's line in the manifests.
pub fn at_line(line: u32) -> String {
    say!("line {line}")
}

/// Fields of the configuration that the form does not show.
pub fn left_as_written(fields: &[String]) -> String {
    say!(
        "Not shown here, and left as written: {fields}.",
        fields = fields.join(comma())
    )
}

/// A label with its owner: `Filter, NodePorts`.
pub fn of(what: &str, whose: &str) -> String {
    super::followed(what, whose)
}

/// A point of a shape, counted from 1.
pub fn point(what: &str, index: usize) -> String {
    say!("{what}, point {number}", number = index + 1)
}
