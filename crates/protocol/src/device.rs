//! Devices of dynamic resource allocation, as a node's card shows them.

use borsh::io::{Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// Writes the devices of a node. What clusters without devices do not need is apart, here and below: a first visit
/// does not download it.
pub fn write<W: Write>(devices: &Option<Box<NodeDevices>>, writer: &mut W) -> Result<()> {
    match devices {
        None => BorshSerialize::serialize(&false, writer),
        Some(devices) => write_some(devices, writer),
    }
}

#[inline(never)]
fn write_some<W: Write>(devices: &NodeDevices, writer: &mut W) -> Result<()> {
    BorshSerialize::serialize(&true, writer)?;
    BorshSerialize::serialize(devices, writer)
}

/// Reads what [`write`] has written.
pub fn read<R: Read>(reader: &mut R) -> Result<Option<Box<NodeDevices>>> {
    if bool::deserialize_reader(reader)? {
        return read_some(reader);
    }
    Ok(None)
}

#[inline(never)]
fn read_some<R: Read>(reader: &mut R) -> Result<Option<Box<NodeDevices>>> {
    Ok(Some(Box::new(NodeDevices::deserialize_reader(reader)?)))
}

impl PartialEq for NodeDevices {
    #[inline(never)]
    fn eq(&self, other: &Self) -> bool {
        self.devices == other.devices && self.shared == other.shared
    }
}

/// The devices that a node sees.
#[derive(Clone, Debug, Default, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeDevices {
    /// The node's own devices, and devices of several nodes that a Pod on this one has; in the order of the search.
    pub devices: Vec<DeviceFrame>,
    /// Pools whose devices several nodes see; empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedPool>,
}

/// A device that a ResourceSlice publishes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceFrame {
    pub driver: String,
    pub pool: String,
    pub name: String,
    /// Attributes and their values, by name; those of the driver's own domain without it.
    pub attributes: Vec<(String, String)>,
    /// Capacities and their quantities, likewise.
    pub capacity: Vec<(String, String)>,
    /// The attribute that constraints of claims match on, and its value; `None` if no claim has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<(String, String)>,
    /// The allocations of the device.
    pub holders: Vec<DeviceHolder>,
    /// Why no claim can get it, though it may be free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<Unavailable>,
}

impl DeviceFrame {
    /// `DRIVER/POOL/DEVICE`, as facts and allocations name it.
    pub fn id(&self) -> String {
        format!("{}/{}/{}", self.driver, self.pool, self.name)
    }

    /// Whether an allocation keeps other claims from it: one with admin access, or of a part of its capacity, does not.
    pub fn is_taken(&self) -> bool {
        let mut holders = self.holders.iter();
        holders.any(|holder| !holder.admin_access && holder.consumed.is_empty())
    }
}

/// An allocation of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceHolder {
    /// The ResourceClaim: `namespace/name`.
    pub claim: String,
    /// `REQUEST` or `REQUEST/SUBREQUEST`.
    pub request: String,
    /// The Pods that the claim is reserved for: `namespace/name`.
    pub pods: Vec<String>,
    pub admin_access: bool,
    /// What it consumes of the device's capacity, by name; empty if the device is its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consumed: Vec<(String, String)>,
}

/// Why no claim can get a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum Unavailable {
    /// It has a taint: `key=value:effect`. Claims with a toleration get it all the same.
    Tainted { taint: String },
    /// Slices of its pool are missing.
    PoolIncomplete,
    /// Its pool has a mistake: why.
    PoolInvalid { reason: String },
}

/// A pool of devices that several nodes see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedPool {
    pub driver: String,
    pub pool: String,
    pub devices: u32,
    /// How many of them are allocated.
    pub taken: u32,
}
