//! Text of the devices on a node's card.

use berth_words::{counted, say, text};

use super::language::comma;
use super::{Text, device_brief, followed, labelled};
use crate::scene::device_matrix::Rule;
use crate::scene::docks::{Dock, Sum, Trial, kind_of, sums};
use berth_protocol::device::{DeviceFrame, DeviceHolder, SharedPool, Unavailable};
use berth_protocol::fact::{DeviceOutcome, Fact, FactKind};
use berth_protocol::frame::NodeFrame;

pub const FREE: Text = text!("free");
pub const UNAVAILABLE: Text = text!("unavailable");
pub const CLAIM: Text = text!("Claim");
pub const DEVICE: Text = text!("Device");
pub const DRIVER: Text = text!("Driver and pool");
pub const TAKEN_BY: Text = text!("Taken by");
pub const ATTRIBUTES: Text = text!("Attributes");
pub const CAPACITY: Text = text!("Capacity");
pub const STATE: Text = text!("State");
pub const DEVICES: Text = text!("Devices");
pub const BY_RULE: Text = text!("Devices by rule, node by node");
pub const NOT_ASKED: Text = text!("not asked");
pub const NO_DEVICE: Text = text!("no device");
pub const IS_FALSE: Text = text!("is false");
pub const CLOSE_DEVICE: Text = text!("Close the device");

pub const CUSTOM_DEVICES: Text = text!("Other devices");
pub const DEVICES_EACH: Text = text!("devices");
pub const DEVICE_MODEL: Text = text!("model");
pub const DEVICE_MEMORY: Text = text!("memory of each");
pub const CLAIM_DEVICES: Text = text!("Claim devices");
pub const SELECTOR: Text = text!("Selector in CEL");
pub const CLAIM_MEANS: Text = text!(
    "Each Pod gets its own ResourceClaim from a template. Without a DeviceClass, the last one in the manifests is used."
);

/// The accessible name of a node's devices.
pub fn devices_of(node: &str) -> String {
    say!("Devices of {node}")
}

/// How many devices of a node are taken, by driver, for its accessible name.
#[inline(never)]
pub fn all_taken(node: &NodeFrame) -> Vec<String> {
    sums(node).iter().map(devices_taken).collect()
}

fn devices_taken(sum: &Sum) -> String {
    say!(
        "{taken} of {all} {driver} devices taken",
        taken = sum.taken,
        all = sum.all,
        driver = sum.driver
    )
}

/// A pool that several nodes see.
pub fn shared_pool(pool: &SharedPool) -> String {
    say!(
        "{pool}: {taken} of {all} taken, for several nodes",
        pool = pool.pool,
        taken = pool.taken,
        all = pool.devices
    )
}

/// The last part of an attribute's value, which distinguishes values: `17` of `pci0000:17`.
pub fn last_part(value: &str) -> &str {
    value.rsplit([':', '/']).next().unwrap_or(value)
}

/// Several devices of one kind.
pub fn folded(dock: &Dock) -> String {
    let (taken, all) = (dock.taken(), dock.devices.len());
    let free = dock.devices.iter().filter(|it| is_free(it)).count();
    let kind = if dock.kind.is_empty() {
        dock.devices.first().map_or("", |it| it.driver.as_str())
    } else {
        &dock.kind
    };
    say!("{all} devices {kind}: {taken} taken, {free} free")
}

/// The count of free devices on a folded dock.
pub fn free_of(dock: &Dock) -> String {
    let free = dock.devices.iter().filter(|it| is_free(it)).count();
    counted!(free, "{free} free", "{free} free")
}

fn is_free(device: &DeviceFrame) -> bool {
    !device.is_taken() && device.unavailable.is_none()
}

/// The holders of a device: the Pods that its claim is reserved for, or the claim.
pub fn holder_of(holder: &DeviceHolder) -> String {
    if holder.pods.is_empty() {
        return super::short(&holder.claim).to_owned();
    }
    let pods: Vec<&str> = holder.pods.iter().map(|pod| super::short(pod)).collect();
    pods.join(comma())
}

/// Why no claim can get a device.
pub fn unavailable(reason: &Unavailable) -> String {
    match reason {
        Unavailable::Tainted { taint } => say!("tainted {taint}"),
        Unavailable::PoolIncomplete => text!("its pool lacks slices").to_owned(),
        Unavailable::PoolInvalid { reason } => say!("its pool is invalid: {reason}"),
    }
}

/// The state of a device: `taken by train-0 (claim train-0-gpu)`.
pub fn device_state(device: &DeviceFrame) -> String {
    let taken = |holder: &DeviceHolder| {
        let (by, claim) = (holder_of(holder), super::short(&holder.claim));
        let consumed = holder.consumed.iter();
        let consumed: Vec<String> = consumed.map(|(name, it)| format!("{name} {it}")).collect();
        let consumed = consumed.join(comma());
        match (holder.admin_access, consumed.is_empty()) {
            (true, _) => say!("used by {by} with admin access (claim {claim})"),
            (false, true) => say!("taken by {by} (claim {claim})"),
            (false, false) => say!("{consumed} taken by {by} (claim {claim})"),
        }
    };
    let mut parts: Vec<String> = device.holders.iter().map(taken).collect();
    parts.extend(device.unavailable.as_ref().map(unavailable));
    if parts.is_empty() {
        parts.push(FREE.to_owned());
    }
    parts.join(comma())
}

/// What the explained attempt did with a device. `pod`: the attempt's Pod.
pub fn trial(device: &str, trial: &Trial, pod: &str) -> String {
    match trial {
        Trial::Rejected(outcome) => device_brief(device, outcome),
        Trial::GivenBack => say!("tried for {pod} and given back"),
        Trial::Wanted => say!("{pod} would get it"),
    }
}

/// A device in words: `gpu-0, h100 80Gi, pcieRoot pci0000:17, free`.
pub fn device_in_words(device: &DeviceFrame) -> String {
    let mut parts = vec![device.name.clone()];
    parts.extend(Some(kind_of(device)).filter(|kind| !kind.is_empty()));
    let group = device.group.as_ref();
    parts.extend(group.map(|(name, value)| labelled(super::short_key(name), value)));
    parts.push(device_state(device));
    parts.join(comma())
}

/// A dock in words, with what the attempt of `pod` did.
pub fn dock_in_words(dock: &Dock, pod: Option<&str>) -> String {
    let Some(device) = dock.only() else {
        return folded(dock);
    };
    let words = device_in_words(device);
    match dock.trial.zip(pod) {
        Some((it, pod)) => followed(words, trial(&device.name, it, pod)),
        None => words,
    }
}

/// The same from the facts behind a rejection; `None` if none concerns a device.
#[inline(never)]
pub fn facts_in_short(facts: &[Fact]) -> Option<String> {
    let mut outcomes = facts
        .iter()
        .filter_map(|fact| match &fact.kind {
            FactKind::Device {
                device, outcome, ..
            } => Some((device.as_str(), outcome)),
            _ => None,
        })
        .filter(|(device, _)| !device.is_empty())
        .peekable();
    outcomes.peek()?;
    Some(devices_in_short(outcomes))
}

/// A rule of the matrix of devices: its name, and what it is in full.
pub fn rule(rule: &Rule) -> (String, String) {
    let same = |text: Text| (text.to_owned(), String::new());
    match rule {
        Rule::Class => (text!("class").to_owned(), "DeviceClass".to_owned()),
        Rule::Selector { expression, reads } => {
            let name = Some(reads.clone()).filter(|reads| !reads.is_empty());
            let name = name.unwrap_or_else(|| text!("selector").to_owned());
            (name, expression.clone())
        }
        Rule::Place => same(text!("place")),
        Rule::Capacity => same(text!("capacity")),
        Rule::Taints => same(text!("taint")),
        Rule::Free => same(FREE),
        Rule::Constraint(attribute) => {
            let name = super::short_key(attribute).to_owned();
            (name, format!("matchAttribute {attribute}"))
        }
    }
}

/// The holder of a device, at the end of its row.
pub fn has_it(who: &str) -> String {
    say!("{who} has it")
}

/// The value that an expression saw, and refused.
pub fn saw(value: &str) -> String {
    say!("has {value}")
}

/// How many of all devices are free.
pub fn free_among(free: usize, all: usize) -> String {
    say!("{free} of {all} free")
}

/// Nodes that the matrix of devices leaves out.
pub fn more_nodes(nodes: usize) -> String {
    counted!(nodes, "And {nodes} more node.", "And {nodes} more nodes.")
}

/// The devices of a node that were out of the question, by reason: `2 in use, 1 unsuitable`.
#[inline(never)]
pub fn devices_in_short<'o>(
    outcomes: impl Iterator<Item = (&'o str, &'o DeviceOutcome)>,
) -> String {
    let mut last: Vec<(&str, &DeviceOutcome)> = Vec::new();
    for (device, outcome) in outcomes {
        match last.iter_mut().find(|(known, _)| *known == device) {
            // A device that was given back is listed as such, whatever else happened to it.
            Some((_, known)) if **known == DeviceOutcome::GivenBack => {}
            Some((_, known)) => *known = outcome,
            None => last.push((device, outcome)),
        }
    }
    if let [(device, only)] = last.as_slice() {
        return device_brief(device, only);
    }
    let count = |is: fn(&DeviceOutcome) -> bool| last.iter().filter(|(_, it)| is(it)).count();
    let in_use = count(|it| matches!(it, DeviceOutcome::InUse));
    let unselected = count(|it| matches!(it, DeviceOutcome::NotSelected { .. }));
    let tainted = count(|it| matches!(it, DeviceOutcome::Tainted));
    let constrained = count(|it| matches!(it, DeviceOutcome::Constrained { .. }));
    let exhausted = count(|it| matches!(it, DeviceOutcome::Exhausted { .. }));
    let back = count(|it| matches!(it, DeviceOutcome::GivenBack));
    let parts = [
        (
            in_use,
            counted!(in_use, "{in_use} in use", "{in_use} in use"),
        ),
        (
            unselected,
            counted!(
                unselected,
                "{unselected} unsuitable",
                "{unselected} unsuitable"
            ),
        ),
        (
            tainted,
            counted!(tainted, "{tainted} tainted", "{tainted} tainted"),
        ),
        (
            exhausted,
            counted!(exhausted, "{exhausted} exhausted", "{exhausted} exhausted"),
        ),
        (
            constrained,
            counted!(
                constrained,
                "{constrained} does not match",
                "{constrained} do not match"
            ),
        ),
        (
            back,
            counted!(back, "{back} given back", "{back} given back"),
        ),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(_, part)| part).collect();
    match last.first() {
        Some((device, outcome)) if parts.is_empty() => device_brief(device, outcome),
        _ => parts.join(comma()),
    }
}

#[cfg(test)]
mod tests {
    use super::{device_in_words, devices_in_short};
    use berth_protocol::device::{DeviceFrame, DeviceHolder, Unavailable};
    use berth_protocol::fact::DeviceOutcome;

    #[test]
    fn a_device_says_what_it_is_and_who_has_it() {
        let free = DeviceFrame {
            name: "gpu-0".to_owned(),
            attributes: vec![("model".to_owned(), "h100".to_owned())],
            capacity: vec![("memory".to_owned(), "80Gi".to_owned())],
            ..DeviceFrame::default()
        };
        assert_eq!(device_in_words(&free), "gpu-0, h100 80Gi, free");
        let taken = DeviceFrame {
            holders: vec![DeviceHolder {
                claim: "default/train-0-gpu".to_owned(),
                pods: vec!["default/train-0".to_owned()],
                ..DeviceHolder::default()
            }],
            group: Some((
                "resource.kubernetes.io/pcieRoot".to_owned(),
                "17".to_owned(),
            )),
            ..free.clone()
        };
        assert_eq!(
            device_in_words(&taken),
            "gpu-0, h100 80Gi, pcieRoot: 17, taken by train-0 (claim train-0-gpu)"
        );
        let tainted = DeviceFrame {
            unavailable: Some(Unavailable::Tainted {
                taint: "broken:NoSchedule".to_owned(),
            }),
            ..free
        };
        assert_eq!(
            device_in_words(&tainted),
            "gpu-0, h100 80Gi, tainted broken:NoSchedule"
        );
    }

    #[test]
    fn reasons_of_devices_are_counted() {
        let no = DeviceOutcome::NotSelected {
            class: None,
            expression: String::new(),
            seen: Vec::new(),
        };
        let steps = [
            ("a", &DeviceOutcome::InUse),
            ("b", &no),
            ("c", &no),
            ("d", &DeviceOutcome::Taken),
            ("d", &DeviceOutcome::GivenBack),
            ("d", &DeviceOutcome::InUse),
        ];
        assert_eq!(
            devices_in_short(steps.into_iter()),
            "1 in use, 2 unsuitable, 1 given back"
        );
        assert_eq!(devices_in_short(steps.into_iter().take(1)), "a in use");
    }
}
