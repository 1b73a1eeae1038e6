//! Text of the numbers behind a verdict.

use berth_words::{say, text};

use super::super::{Text, language};

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
    let pods = pods.join(language::comma());
    match more {
        0 => say!("The required anti-affinity of {pods} matches this Pod."),
        more => say!("The required anti-affinity of {pods} and {more} more matches this Pod."),
    }
}
