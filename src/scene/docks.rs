//! The docks of a node: its devices, which are taken, and what the explained attempt did with each.

use std::collections::BTreeMap;

use super::moment::{Moment, NodeVerdict};
use super::view::View;
use crate::words;
use berth_protocol::device::{DeviceFrame, DeviceHolder, NodeDevices, SharedPool};
use berth_protocol::fact::{DeviceOutcome, FactKind};
use berth_protocol::frame::NodeFrame;

/// With more devices than this on a node, docks of one kind are drawn as a count.
const SINGLE: usize = 12;
/// Attributes that identify the type of a device, best first.
const MODELS: [&str; 5] = ["model", "productName", "product", "type", "speed"];

/// What the explained attempt did with a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// It is out of the question: why.
    Rejected(DeviceOutcome),
    /// The search took it, and gave it back.
    GivenBack,
    /// The Pod would get it here.
    Wanted,
}

/// By `DRIVER/POOL/DEVICE`.
pub type Trials = BTreeMap<String, Trial>;

/// The devices of a node as its card draws them.
pub struct Docks<'n> {
    pub rows: Vec<Row<'n>>,
    pub shared: &'n [SharedPool],
}

/// Docks side by side.
pub struct Row<'n> {
    /// The attribute that claims match on, and the value that these devices have in common.
    pub label: Option<(&'n str, &'n str)>,
    pub docks: Vec<Dock<'n>>,
}

/// One device, or several of one kind.
pub struct Dock<'n> {
    pub devices: Vec<&'n DeviceFrame>,
    /// Its model and capacity; may be empty.
    pub kind: String,
    /// The position of its driver among those of the view: each is drawn differently.
    pub driver: usize,
    pub trial: Option<&'n Trial>,
}

impl<'n> Docks<'n> {
    /// The docks of a node. `drivers`: those of the view.
    pub fn of(devices: &'n NodeDevices, trials: &'n Trials, drivers: &[String]) -> Self {
        let folds = devices.devices.len() > SINGLE;
        let mut rows: Vec<Row> = Vec::new();
        for device in &devices.devices {
            let label = device.group.as_ref();
            let label = label.map(|(name, value)| (name.as_str(), value.as_str()));
            let row = rows.iter().position(|row| row.label == label);
            let row = row.unwrap_or_else(|| {
                rows.push(Row {
                    label,
                    docks: Vec::new(),
                });
                rows.len() - 1
            });
            let dock = Dock {
                kind: kind_of(device),
                driver: drivers
                    .iter()
                    .position(|it| *it == device.driver)
                    .unwrap_or(0),
                trial: trials.get(&device.id()),
                devices: vec![device],
            };
            if let Some(row) = rows.get_mut(row) {
                row.add(dock, folds);
            }
        }
        Self {
            rows,
            shared: &devices.shared,
        }
    }
}

impl<'n> Row<'n> {
    fn add(&mut self, dock: Dock<'n>, folds: bool) {
        let is_alike = |it: &&mut Dock| it.driver == dock.driver && it.kind == dock.kind;
        let known = self.docks.iter_mut().filter(|_| folds).find(is_alike);
        match known {
            Some(known) => known.devices.extend(dock.devices),
            None => self.docks.push(dock),
        }
    }
}

impl<'n> Dock<'n> {
    /// The device, unless there are several.
    pub fn only(&self) -> Option<&'n DeviceFrame> {
        match self.devices.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The allocation that keeps others away from the device, or else one with admin access.
    pub fn holder(&self) -> Option<&'n DeviceHolder> {
        let holders = &self.only()?.holders;
        let exclusive = holders.iter().find(|holder| !holder.admin_access);
        exclusive.or(holders.first())
    }

    pub fn taken(&self) -> usize {
        self.devices.iter().filter(|it| it.is_taken()).count()
    }

    /// `gpu-0`, or `16 ×`.
    pub fn name(&self) -> String {
        match self.only() {
            Some(device) => device.name.clone(),
            None => format!("{} ×", self.devices.len()),
        }
    }
}

/// A device's model and capacity: `h100 80Gi`.
pub fn kind_of(device: &DeviceFrame) -> String {
    let attribute = |wanted: &&str| {
        let mut attributes = device.attributes.iter();
        attributes.find(|(name, _)| words::short_key(name) == *wanted)
    };
    let model = MODELS.iter().find_map(attribute).map(|(_, value)| value);
    let memory = device.capacity.iter().find(|(name, _)| name == "memory");
    let size = memory.or(device.capacity.first()).map(|(_, size)| size);
    let parts: Vec<&str> = model.into_iter().chain(size).map(String::as_str).collect();
    parts.join(" ")
}

/// Devices of a driver on a node: how many there are, and how many of them are taken.
pub struct Sum<'n> {
    pub driver: &'n str,
    pub taken: usize,
    pub all: usize,
}

impl Sum<'_> {
    /// `gpu` of `gpu.example.com`.
    pub fn name(&self) -> &str {
        self.driver.split('.').next().unwrap_or(self.driver)
    }
}

/// The sums of a node by driver.
pub fn sums(node: &NodeFrame) -> Vec<Sum<'_>> {
    let mut sums: Vec<Sum> = Vec::new();
    let devices = node.devices.iter().flat_map(|it| &it.devices);
    for device in devices {
        let known = sums.iter().position(|it| it.driver == device.driver);
        let at = known.unwrap_or_else(|| {
            sums.push(Sum {
                driver: &device.driver,
                taken: 0,
                all: 0,
            });
            sums.len() - 1
        });
        if let Some(sum) = sums.get_mut(at) {
            sum.all += 1;
            sum.taken += usize::from(device.is_taken());
        }
    }
    sums
}

impl View {
    /// The drivers of all devices, sorted.
    pub fn drivers(&self) -> Vec<String> {
        let devices = self.nodes.iter().filter_map(|node| node.devices.as_ref());
        let names = devices.flat_map(|it| it.devices.iter().map(|device| &device.driver));
        let names: std::collections::BTreeSet<&String> = names.collect();
        names.into_iter().cloned().collect()
    }
}

impl Moment<'_> {
    /// What the explained attempt did with the devices of a node, while its Pod waits.
    pub fn trials(&self, node: &NodeFrame, node_verdict: &NodeVerdict) -> Trials {
        let mut trials = Trials::new();
        let Some(cycle) = self.cycle.filter(|_| self.waiting.is_some()) else {
            return trials;
        };
        if node_verdict.may_take() {
            let report = cycle.devices.iter().flat_map(|it| &it.allocations);
            let claims = report.filter(|it| it.node == node.name);
            let results = claims.flat_map(|it| it.claims.iter().flat_map(|claim| &claim.devices));
            let devices = results.filter_map(|it| it.split_once('='));
            trials.extend(devices.map(|(_, device)| (device.to_owned(), Trial::Wanted)));
            return trials;
        }
        let report = self.report(node).filter(|_| {
            matches!(
                node_verdict,
                NodeVerdict::Rejected { .. } | NodeVerdict::Candidate { .. }
            )
        });
        let failures = report.into_iter().flat_map(|it| &it.failures);
        for fact in failures.flat_map(|it| &it.facts) {
            let FactKind::Device {
                device, outcome, ..
            } = &fact.kind
            else {
                continue;
            };
            let trial = match outcome {
                DeviceOutcome::GivenBack => Trial::GivenBack,
                DeviceOutcome::Taken
                | DeviceOutcome::InUse
                | DeviceOutcome::NoDevices
                | DeviceOutcome::ClaimElsewhere
                | DeviceOutcome::BindingFailed { .. }
                | DeviceOutcome::BindingTimedOut => continue,
                other => Trial::Rejected(other.clone()),
            };
            match trials.get(device) {
                Some(Trial::GivenBack) => {}
                Some(_) if trial != Trial::GivenBack => {}
                _ => {
                    trials.insert(device.clone(), trial);
                }
            }
        }
        trials
    }
}

#[cfg(test)]
mod tests {
    use super::{Docks, Trials, kind_of, sums};
    use berth_protocol::device::{DeviceFrame, DeviceHolder, NodeDevices};
    use berth_protocol::frame::NodeFrame;

    fn device(name: &str, model: &str, taken: bool) -> DeviceFrame {
        DeviceFrame {
            driver: "gpu.example.com".to_owned(),
            pool: "node-a".to_owned(),
            name: name.to_owned(),
            attributes: vec![
                ("index".to_owned(), "0".to_owned()),
                ("model".to_owned(), model.to_owned()),
            ],
            capacity: vec![("memory".to_owned(), "80Gi".to_owned())],
            holders: vec![DeviceHolder::default(); usize::from(taken)],
            ..DeviceFrame::default()
        }
    }

    #[test]
    fn many_devices_of_one_kind_fold_into_a_count() {
        let some = |count: usize| NodeDevices {
            devices: (0..count)
                .map(|it| {
                    let model = if it % 2 == 0 { "h100" } else { "a100" };
                    device(&format!("gpu-{it}"), model, it < 3)
                })
                .collect(),
            shared: Vec::new(),
        };
        let none = Trials::new();
        let (few, many) = (some(12), some(13));
        let few = Docks::of(&few, &none, &[]);
        assert_eq!(few.rows[0].docks.len(), 12);
        assert_eq!(few.rows[0].docks[1].name(), "gpu-1");
        let many = Docks::of(&many, &none, &[]);
        let shown = many.rows[0].docks.iter();
        let shown: Vec<_> = shown
            .map(|it| (it.name(), it.kind.clone(), it.taken()))
            .collect();
        let expected = [("7 ×", "h100 80Gi", 2), ("6 ×", "a100 80Gi", 1)];
        assert_eq!(
            shown,
            expected.map(|(name, kind, taken)| (name.to_owned(), kind.to_owned(), taken))
        );
    }

    #[test]
    fn devices_are_summed_by_driver_and_grouped_by_what_claims_match_on() {
        let mut nic = DeviceFrame {
            driver: "nic.example.com".to_owned(),
            ..device("nic-0", "400G", false)
        };
        nic.capacity.clear();
        assert_eq!(kind_of(&nic), "400G");
        let mut all = vec![
            device("gpu-0", "h100", true),
            device("gpu-1", "h100", false),
            nic,
        ];
        for (device, root) in all.iter_mut().zip(["17", "85", "17"]) {
            device.group = Some(("pcieRoot".to_owned(), root.to_owned()));
        }
        let devices = NodeDevices {
            devices: all,
            shared: Vec::new(),
        };
        let none = Trials::new();
        let drivers = ["gpu.example.com".to_owned(), "nic.example.com".to_owned()];
        let docks = Docks::of(&devices, &none, &drivers);
        let rows = docks.rows.iter().map(|row| {
            let names: Vec<_> = row.docks.iter().map(|it| (it.name(), it.driver)).collect();
            (row.label.map(|(_, value)| value), names)
        });
        let rows: Vec<_> = rows.collect();
        let named = |name: &str, driver: usize| (name.to_owned(), driver);
        assert_eq!(
            rows[0],
            (Some("17"), vec![named("gpu-0", 0), named("nic-0", 1)])
        );
        assert_eq!(rows[1], (Some("85"), vec![named("gpu-1", 0)]));
        let node = NodeFrame {
            devices: Some(Box::new(devices.clone())),
            ..NodeFrame::default()
        };
        let sums: Vec<_> = sums(&node)
            .iter()
            .map(|it| (it.name().to_owned(), it.taken, it.all))
            .collect();
        assert_eq!(sums, [("gpu".to_owned(), 1, 2), ("nic".to_owned(), 0, 1)]);
    }
}
