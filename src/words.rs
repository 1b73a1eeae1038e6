//! All text of the page, in English; the catalogues beside it (`*.txt`) have its translations. See `berth-words` for the
//! macros.

#[cfg(feature = "ui")]
mod board;
mod bookmark;
pub mod builder;
pub mod card;
pub mod case;
pub mod chip;
#[cfg(feature = "ui")]
mod class;
mod clock;
pub mod compare;
mod device;
pub mod docks;
mod drain;
pub mod explain;
mod export;
mod fork;
mod handout;
mod happening;
pub mod language;
mod lesson;
#[cfg(feature = "cli")]
pub mod live;
mod offline;
mod page;
#[cfg(feature = "ui")]
mod presenter;
pub mod presenting;
mod remark;
pub mod report;
pub mod ruler;
mod scheduler;
pub mod sentence;
mod share;
mod stage;
mod terminal;
#[cfg(feature = "ui")]
mod trial;
#[cfg(feature = "cli")]
pub mod verify;
#[cfg(any(feature = "cli", feature = "ui"))]
pub mod what_if;
pub mod work;

pub use berth_protocol::key::short;
#[cfg(feature = "ui")]
pub use board::*;
pub use bookmark::*;
#[cfg(feature = "ui")]
pub use class::*;
pub use clock::*;
pub use device::*;
pub use drain::*;
pub use export::*;
pub use fork::*;
pub use handout::*;
pub use happening::*;
pub use language::{Text, number};
pub use lesson::*;
pub use offline::*;
pub use page::*;
#[cfg(feature = "ui")]
pub use presenter::*;
pub use remark::{remark, remark_parts};
pub use scheduler::*;
pub use share::*;
pub use stage::*;
pub use terminal::*;
#[cfg(feature = "ui")]
pub use trial::*;

use std::fmt::Display;

use berth_protocol::page::KnownRelease;
use berth_words::{counted, say, text};

pub const BRAND: &str = "Berth";
pub const PAGE_TITLE: Text = text!("Berth · a Kubernetes scheduling playground");
pub const LANGUAGE: Text = text!("Language");
pub const UNTITLED: Text = text!("Untitled scenario");
pub const RELEASE: Text = text!("The Kubernetes release that is followed");
pub const SOURCES: Text = text!("Sources");
pub const STAGE: Text = text!("Stage");
pub const EXPLAIN: Text = text!("Explain");
pub const TIMELINE: Text = text!("Timeline");
pub const THEME: Text = text!("Light or dark");
pub const MANIFESTS: Text = text!("Manifests (YAML or JSON)");
pub const LAZY_MODULE_MISSING: Text =
    text!("Berth could not fetch the rest of itself: check the connection, then try again.");
pub const STYLES_MISSING: Text = text!(
    "Berth could not fetch a style sheet: what you see is plain, but works. Check the connection."
);
pub const TEXT_WAITS: Text = text!(
    "Not read yet: Berth could not fetch the rest of itself. Your text is kept, and is read as soon as the connection is back."
);
pub const NO_PROBLEMS: Text = text!("No problems.");
pub const QUEUE: Text = text!("Scheduling queue");
pub const ACTIVE: Text = text!("Active");
pub const UNSCHEDULABLE: Text = text!("Unschedulable");
pub const GATED: Text = text!("Gated");

/// The lane of Pods that the scheduler never tries, and how many of them wait for what.
pub fn held_back(gated: usize, unmanaged: usize) -> (Text, String) {
    match unmanaged {
        0 => (GATED, pods(gated)),
        _ => (
            text!("Held back"),
            say!("{gated} gated, {unmanaged} of other schedulers"),
        ),
    }
}

pub const NONE: Text = text!("none");
pub const NO_NODES: Text =
    text!("No nodes yet. Add a zone or a node, or paste manifests in Sources.");
pub const CORDONED: Text = text!("cordoned");
pub const CONTROL_PLANE: Text = text!("control plane");
pub const WORKER: Text = text!("worker");
pub const RESET: Text = text!("Rewind the timeline");
pub const STEP_BACK: Text = text!("Step back one Pod");
pub const STEP: Text = text!("Step one Pod");
pub const RUN: Text = text!("Run to the end");
pub const PAUSE: Text = text!("Pause");
pub const MOMENT: Text = text!("Time passed");
pub const EDITED: Text = text!("The manifests or the cluster were changed");
pub const CHOSEN: Text = text!("chosen");
/// Memory, as short as beside a bar.
pub const MEMORY: Text = text!("mem");

/// Within a page of documentation, whose author writes the manifests.
pub const NO_NODES_EMBEDDED: Text =
    text!("These manifests have no Node, so there is nowhere to schedule.");

/// The title of a scenario, which may have none.
pub fn title(title: &str) -> String {
    match title {
        "" => UNTITLED.to_owned(),
        title => title.to_owned(),
    }
}

/// `Kubernetes 1.36`.
pub fn kubernetes(minor: &str) -> String {
    format!("Kubernetes {minor}")
}

/// `Kubernetes 1.36`, or that its support ended.
pub fn known_release(release: &KnownRelease) -> String {
    let minor = &release.minor;
    match &release.ended {
        None => kubernetes(minor),
        Some(day) => say!("Kubernetes {minor} (out of support since {day})"),
    }
}

/// The button that follows the release that is nearest to the nodes' kubelets.
pub fn follow_nearest(minor: &str) -> String {
    say!("Follow Kubernetes {minor}, the nearest release")
}

/// What the choice of a release does.
pub fn follows(full: &str) -> String {
    say!("Follows kube-scheduler {full}. Choose another release to run everything again.")
}

/// `3 nodes`, `1 node`.
pub fn nodes(nodes: usize) -> String {
    counted!(nodes, "{nodes} node", "{nodes} nodes")
}

/// `3 Pods`, `1 Pod`.
pub fn pods(pods: usize) -> String {
    counted!(pods, "{pods} Pod", "{pods} Pods")
}

/// A language in the menu, with what is translated of it until that is all.
pub fn language_name(language: &str, percent: usize) -> String {
    match percent {
        100 => language.to_owned(),
        _ => say!("{language} {percent} %"),
    }
}

/// A label and its meaning: `node-a: rejected`.
pub fn labelled(label: impl Display, text: impl Display) -> String {
    say!("{label}: {text}")
}

/// Two parts of an enumeration: `node-a, NodePorts`.
pub fn followed(first: impl Display, second: impl Display) -> String {
    say!("{first}, {second}")
}

/// `3 of 12`
pub fn part_of(part: impl Display, all: impl Display) -> String {
    say!("{part} of {all}")
}

/// A Pod's tooltip: its name and its requests.
pub fn pod_title(name: &str, milli_cpu: i64, memory_bytes: i64) -> String {
    say!(
        "{name}: {milli_cpu}m CPU, {memory} Gi memory",
        memory = amount("memory", memory_bytes)
    )
}

/// A reason without kube-scheduler's leading `node(s)`, which follows a number in its message.
pub fn uncounted(reason: &str) -> &str {
    reason.strip_prefix("node(s) ").unwrap_or(reason)
}

/// An amount of a resource with its unit.
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
mod tests;
