//! All text of the page, in English.

mod board;
pub mod card;
mod device;
mod drain;
pub mod explain;
mod fork;
mod happening;
mod living;
mod page;
pub mod presenting;
pub mod ruler;
mod scheduler;
pub mod sentence;
mod share;
mod stage;

pub use board::*;
pub use device::*;
pub use drain::*;
pub use fork::*;
pub use happening::*;
pub use living::*;
pub use page::*;
pub use scheduler::*;
pub use share::*;
pub use stage::*;

pub const BRAND: &str = "Berth";
pub const UNTITLED: &str = "Untitled scenario";
pub const RELEASE: &str = "The Kubernetes release that is followed";
pub const SOURCES: &str = "Sources";
pub const STAGE: &str = "Stage";
pub const EXPLAIN: &str = "Explain";
pub const TIMELINE: &str = "Timeline";
pub const THEME: &str = "Light or dark";
pub const MANIFESTS: &str = "Manifests (YAML or JSON)";
pub const REST_MISSING: &str =
    "Berth could not fetch the rest of itself: check the connection, then try again.";
pub const TEXT_WAITS: &str = "Not read yet: Berth could not fetch the rest of itself. Your text is kept, and is read as soon as the connection is back.";
pub const NO_PROBLEMS: &str = "No problems.";
pub const QUEUE: &str = "Scheduling queue";
pub const ACTIVE: &str = "Active";
pub const UNSCHEDULABLE: &str = "Unschedulable";
pub const GATED: &str = "Gated";
pub const NONE: &str = "none";
pub const NO_NODES: &str = "No nodes yet. Add a zone or a node, or paste manifests in Sources.";
pub const CORDONED: &str = "cordoned";
pub const CONTROL_PLANE: &str = "control plane";
pub const WORKER: &str = "worker";
pub const RESET: &str = "To the start";
pub const STEP_BACK: &str = "Step back one Pod";
pub const STEP: &str = "Step one Pod";
pub const RUN: &str = "Run to the end";
pub const PAUSE: &str = "Pause";
pub const MOMENT: &str = "Time went on";
pub const EDITED: &str = "The manifests or the cluster were changed";
pub const CHOSEN: &str = "chosen";

/// `Kubernetes 1.36`.
pub fn kubernetes(minor: &str) -> String {
    format!("Kubernetes {minor}")
}

/// What the choice of a release does.
pub fn follows(full: &str) -> String {
    format!("Follows kube-scheduler {full}. Choose another release to run everything again.")
}

/// `3 nodes`, `1 node`.
pub fn count(count: usize, one: &str, many: &str) -> String {
    let word = if count == 1 { one } else { many };
    format!("{} {word}", number(count))
}

/// A reason without kube-scheduler's leading `node(s)`, which follows a number in its message.
pub fn uncounted(reason: &str) -> &str {
    reason.strip_prefix("node(s) ").unwrap_or(reason)
}

/// A `namespace/name` without the namespace if that is `default`.
pub fn short(key: &str) -> &str {
    key.strip_prefix("default/").unwrap_or(key)
}

/// An amount of a resource with its unit.
#[allow(clippy::cast_precision_loss, reason = "shown with one decimal")]
pub fn amount(resource: &str, amount: i64) -> String {
    let trimmed = |number: f64| {
        let text = format!("{number:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match resource {
        "cpu" => trimmed(amount as f64 / 1000.0),
        "memory" | "ephemeral-storage" => trimmed(amount as f64 / f64::from(1 << 30)),
        _ => amount.to_string(),
    }
}

/// The unit of a resource's numbers, as a suffix.
pub fn unit(resource: &str) -> &'static str {
    match resource {
        "memory" | "ephemeral-storage" => " Gi",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_are_short() {
        assert_eq!(amount("cpu", 2500), "2.5");
        assert_eq!(amount("memory", 4 << 30), "4");
        assert_eq!(amount("pods", 110), "110");
    }
}
