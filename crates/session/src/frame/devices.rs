//! The devices of nodes: which exist, which are allocated, and to which Pods.

use std::collections::BTreeMap;

use k8s_openapi::api::resource::v1::{Device, DeviceAttribute, ResourceClaim};

use berth_protocol::device::{DeviceFrame, DeviceHolder, NodeDevices, SharedPool, Unavailable};
use berth_protocol::key::split;
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::devices::{
    Devices, Features, Pool, SliceInfo, allocation_of, attribute_of, gather, keeps_away,
};
use berth_scheduler::cluster::node::NodeInfo;
use berth_scheduler::cluster::object_key;

/// What the frames of all nodes have in common.
pub struct Fleet<'c> {
    devices: &'c Devices,
    features: Features,
    /// By `driver/pool/device`.
    holders: BTreeMap<String, Vec<DeviceHolder>>,
    cluster: &'c Cluster,
    /// The attribute that the first constraint of a claim matches on.
    matched: Option<&'c str>,
}

impl<'c> Fleet<'c> {
    /// The devices of a cluster; `None` if it has no ResourceSlices.
    pub fn of(cluster: &'c Cluster) -> Option<Self> {
        let devices = cluster.devices();
        if devices.is_empty() {
            return None;
        }
        Self::published(cluster, devices)
    }

    #[inline(never)]
    fn published(cluster: &'c Cluster, devices: &'c Devices) -> Option<Self> {
        devices.slices().next()?;
        let mut holders: BTreeMap<String, Vec<DeviceHolder>> = BTreeMap::new();
        for claim in devices.claims() {
            for (device, holder) in held_by(claim) {
                holders.entry(device).or_default().push(holder);
            }
        }
        let constraints = devices.claims().flat_map(|claim| {
            let spec = claim.spec.devices.as_ref();
            spec.and_then(|it| it.constraints.as_deref())
                .unwrap_or_default()
        });
        Some(Self {
            devices,
            cluster,
            features: Features::of(cluster.release()),
            holders,
            matched: constraints
                .filter_map(|it| it.match_attribute.as_deref())
                .next(),
        })
    }

    /// What a node sees; `None` if that is nothing.
    pub fn seen_by(&self, node: &NodeInfo) -> Option<Box<NodeDevices>> {
        let mut seen = NodeDevices::default();
        for pool in gather(self.devices, node, self.features.gathering).iter() {
            for slice in &pool.slices {
                self.add(&mut seen, node, pool, slice);
            }
        }
        let is_empty = seen.devices.is_empty() && seen.shared.is_empty();
        (!is_empty).then(|| Box::new(seen))
    }

    fn add(&self, seen: &mut NodeDevices, node: &NodeInfo, pool: &Pool, slice: &SliceInfo) {
        let own = Some(&*node.name);
        let is_local = slice.object.spec.node_name.as_deref() == own;
        for device in slice.published() {
            let holders = self.holders_of(pool, device);
            let is_local = is_local || device.node_name.as_deref() == own;
            let has_pod_here = holders.iter().any(|it| self.is_used_on(it, node));
            if !is_local {
                let taken = holders.iter().any(|holder| !holder.admin_access);
                count(&mut seen.shared, pool, taken);
            }
            if is_local || has_pod_here {
                let frame = self.frame(pool, device, holders);
                seen.devices.push(frame);
            }
        }
    }

    fn holders_of(&self, pool: &Pool, device: &Device) -> &[DeviceHolder] {
        let id = format!("{}/{}/{}", pool.driver, pool.name, device.name);
        self.holders.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Whether a Pod on the node uses the allocation.
    fn is_used_on(&self, holder: &DeviceHolder, node: &NodeInfo) -> bool {
        let mut pods = holder
            .pods
            .iter()
            .map(|key| split(key))
            .filter_map(|(namespace, name)| self.cluster.pods().find(namespace, name));
        pods.any(|pod| node.pods.contains(&pod.ix))
    }

    fn frame(&self, pool: &Pool, device: &Device, holders: &[DeviceHolder]) -> DeviceFrame {
        let group = self.matched.and_then(|name| {
            let value = attribute_of(device, &pool.driver, name)?;
            Some((name.to_owned(), text_of(value)))
        });
        let own = |name: &str| {
            let prefix = name
                .split_once('/')
                .filter(|(domain, _)| **domain == *pool.driver);
            prefix.map_or(name, |(_, id)| id).to_owned()
        };
        let attributes = device.attributes.iter().flatten();
        let capacity = device.capacity.iter().flatten();
        DeviceFrame {
            driver: pool.driver.to_string(),
            pool: pool.name.to_string(),
            name: device.name.clone(),
            attributes: attributes
                .map(|(name, value)| (own(name), text_of(value)))
                .collect(),
            capacity: capacity
                .map(|(name, it)| (own(name), it.value.0.clone()))
                .collect(),
            group,
            holders: holders.to_vec(),
            unavailable: self.unavailable(pool, device),
        }
    }

    fn unavailable(&self, pool: &Pool, device: &Device) -> Option<Unavailable> {
        if let Some(reason) = &pool.invalid {
            let reason = reason.clone();
            return Some(Unavailable::PoolInvalid { reason });
        }
        if pool.is_incomplete && self.features.gathering.whole_pools {
            return Some(Unavailable::PoolIncomplete);
        }
        let mut taints = device.taints.iter().flatten().filter(|it| keeps_away(it));
        let taint = taints.next().filter(|_| self.features.taints)?;
        let value = taint.value.as_deref().unwrap_or_default();
        let value = if value.is_empty() {
            String::new()
        } else {
            format!("={value}")
        };
        Some(Unavailable::Tainted {
            taint: format!("{}{value}:{}", taint.key, taint.effect),
        })
    }
}

/// Counts a device of several nodes in its pool.
fn count(shared: &mut Vec<SharedPool>, pool: &Pool, taken: bool) {
    let is_same = |it: &SharedPool| *it.driver == *pool.driver && *it.pool == *pool.name;
    let index = shared.iter().position(is_same).unwrap_or_else(|| {
        shared.push(SharedPool {
            driver: pool.driver.to_string(),
            pool: pool.name.to_string(),
            ..SharedPool::default()
        });
        shared.len() - 1
    });
    if let Some(pool) = shared.get_mut(index) {
        pool.devices += 1;
        pool.taken += u32::from(taken);
    }
}

/// The devices of a claim's allocation, as `driver/pool/device`.
fn held_by(claim: &ResourceClaim) -> Vec<(String, DeviceHolder)> {
    let Some(allocation) = allocation_of(claim) else {
        return Vec::new();
    };
    let (namespace, name) = object_key(&claim.metadata);
    let status = claim.status.as_ref();
    let consumers = status.and_then(|it| it.reserved_for.as_deref());
    let pods = consumers.unwrap_or_default().iter();
    let pods = pods.filter(|it| it.resource == "pods");
    let pods: Vec<String> = pods.map(|it| format!("{namespace}/{}", it.name)).collect();
    let results = allocation.devices.iter().flat_map(|it| &it.results);
    let held = results.flatten().map(|it| {
        let consumed = it.consumed_capacity.iter().flatten();
        let holder = DeviceHolder {
            claim: format!("{namespace}/{name}"),
            request: it.request.clone(),
            pods: pods.clone(),
            admin_access: it.admin_access.unwrap_or(false),
            consumed: consumed
                .map(|(name, amount)| (name.clone(), amount.0.clone()))
                .collect(),
        };
        (format!("{}/{}/{}", it.driver, it.pool, it.device), holder)
    });
    held.collect()
}

fn text_of(value: &DeviceAttribute) -> String {
    let mut texts = [&value.string, &value.version].into_iter().flatten();
    let first = texts.next().cloned();
    let first = first.or_else(|| value.int.map(|it| it.to_string()));
    let first = first.or_else(|| value.bool.map(|it| it.to_string()));
    first.unwrap_or_default()
}
