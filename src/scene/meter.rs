//! The bars of a card: what is requested of each resource.

use super::docks::{Sum, sums};
use crate::words;
use berth_protocol::frame::{NodeFrame, PodFrame, ResourceFrame};

/// A resource's bar and numbers, which count nominated Pods as the scheduler does.
pub struct Meter {
    pub name: String,
    /// Requested, and what the Pod being scheduled would add, in percent of what is allocatable.
    pub share: f64,
    pub plus: f64,
    /// More is requested than is allocatable.
    pub is_over: bool,
    pub counted: String,
    /// ` / 16 Gi`.
    pub of: String,
    pub nominated: Option<Nominated>,
}

/// The part of a bar that nominated Pods request.
pub struct Nominated {
    /// In percent of the bar.
    pub from: f64,
    pub width: f64,
    pub amount: String,
}

/// The meters of a node. `asker`: the Pod being scheduled, if the node may take it.
pub fn meters<'a>(
    node: &'a NodeFrame,
    asker: Option<&'a PodFrame>,
) -> impl Iterator<Item = Meter> + 'a {
    let rows = node
        .resources
        .iter()
        .filter(|row| is_shown(row))
        .map(move |row| meter(row, node.nominated_request(&row.name), asker));
    let devices = node.devices.is_some().then(|| devices(node));
    rows.chain(devices.into_iter().flatten())
}

/// The devices of each driver.
#[inline(never)]
fn devices(node: &NodeFrame) -> Vec<Meter> {
    let meter = |sum: &Sum| Meter {
        name: sum.name().to_owned(),
        share: 100.0 * sum.taken as f64 / sum.all.max(1) as f64,
        plus: 0.0,
        is_over: false,
        counted: sum.taken.to_string(),
        of: format!(" / {}", sum.all),
        nominated: None,
    };
    sums(node).iter().map(meter).collect()
}

/// Whether a resource is shown: disk space is rarely requested, and most nodes have no huge pages.
fn is_shown(row: &ResourceFrame) -> bool {
    let is_common = matches!(row.name.as_str(), "cpu" | "memory" | "pods");
    row.name != "ephemeral-storage" && (is_common || row.allocatable > 0 || row.requested > 0)
}

fn meter(row: &ResourceFrame, nominated: i64, asker: Option<&PodFrame>) -> Meter {
    let of_all = |amount: i64| 100.0 * amount as f64 / (row.allocatable.max(1)) as f64;
    let counted = row.requested.saturating_add(nominated);
    let plus = asker.map_or(0, |pod| match row.name.as_str() {
        "cpu" => pod.milli_cpu,
        "memory" => pod.memory_bytes,
        "pods" => 1,
        _ => 0,
    });
    let name = match row.name.as_str() {
        "memory" => words::MEMORY.get(),
        other => other.rsplit('/').next().unwrap_or(other),
    };
    let unit = words::unit(&row.name);
    let amount = |amount: i64| words::amount(&row.name, amount);
    let part = || {
        let from = of_all(row.requested).min(100.0);
        Nominated {
            from,
            width: of_all(nominated).min(100.0 - from),
            amount: format!("{}{unit}", amount(nominated)),
        }
    };
    Meter {
        name: name.to_owned(),
        share: of_all(counted).min(100.0),
        plus: of_all(plus),
        is_over: counted > row.allocatable,
        counted: amount(counted),
        of: format!(" / {}{unit}", amount(row.allocatable)),
        nominated: (nominated > 0).then(part),
    }
}
