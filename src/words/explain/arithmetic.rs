//! Text of the numbers behind a verdict.

use berth_words::{counted, say, text};

use super::super::Text;
use super::super::language::comma;

pub const THIS_POD: Text = text!("this Pod");
pub const NOT_THIS_POD: Text = text!("not this Pod");
pub const FEWEST: Text = text!("fewest");
pub const SKEW: Text = text!("skew");
pub const ATTACHED: Text = text!("attached");
pub const NEW_VOLUMES: Text = text!("new");
pub const VOLUMES: Text = text!("volumes");
pub const LIMIT: Text = text!("limit");
pub const USED: Text = text!("used");
pub const REQUESTED: Text = text!("requested");
pub const ALLOCATABLE: Text = text!("allocatable");
pub const NEEDED: Text = text!("needed");
pub const ALLOWED: Text = text!("allowed");

/// The title of a sum: the plugin, and what it is about.
pub fn sum_of(plugin: &str, about: Option<&str>) -> String {
    let about = about.map(|about| super::super::followed(plugin, about));
    format!("· {}", about.as_deref().unwrap_or(plugin))
}

pub fn counted_in(domain: &str) -> String {
    say!("in {domain}")
}

pub fn matching_in(domain: &str) -> String {
    say!("matching in {domain}")
}

pub fn refuse_it_in(domain: &str) -> String {
    say!("refuse it in {domain}")
}

/// The Pods whose own anti-affinity matches the Pod, and how many more there are.
pub fn kept_away_by(pods: &[&str], more: usize) -> String {
    let pods = pods.join(comma());
    match more {
        0 => say!("The required anti-affinity of {pods} matches this Pod."),
        more => say!("The required anti-affinity of {pods} and {more} more matches this Pod."),
    }
}

/// The Pods that the numbers count, which the stage highlights.
pub fn counted_pods(pods: usize) -> String {
    counted!(pods, "{pods} Pod counts:", "{pods} Pods count:")
}

/// The distance between the two best nodes: `17 points ahead of node-b: 11 room, 6 balance`.
pub fn lead(points: i64, second: &str, parts: &[(&str, i64)]) -> String {
    let part = |(plugin, points): &(&str, i64)| {
        let sign = if *points < 0 { "−" } else { "" };
        say!(
            "{sign}{points} {stake}",
            sign = sign,
            points = points.unsigned_abs(),
            stake = stake(plugin)
        )
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    let parts = parts.join(comma());
    let count = usize::try_from(points).unwrap_or(0);
    counted!(
        count,
        "{count} point ahead of {second}: {parts}",
        "{count} points ahead of {second}: {parts}"
    )
}

/// What a Score plugin's points are for, in one or two words.
fn stake(plugin: &str) -> &str {
    match plugin {
        "NodeResourcesFit" => text!("room").get(),
        "NodeResourcesBalancedAllocation" => text!("balance").get(),
        "TaintToleration" => text!("taints").get(),
        "NodeAffinity" => text!("node affinity").get(),
        "PodTopologySpread" => text!("spread").get(),
        "InterPodAffinity" => text!("Pod affinity").get(),
        "ImageLocality" => text!("images").get(),
        "DynamicResources" => text!("devices | points").get(),
        other => other,
    }
}
