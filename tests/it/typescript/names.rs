//! Names that scripts know, where they are not those of the Rust types.

/// Types.
const TYPES: [(&str, &str); 3] = [
    ("Evicted", "EvictedPod"),
    ("Blocked", "BlockedPod"),
    ("Label", "NodeLabel"),
];

/// The interfaces of variants: their name, the enum, and its variants, which have the same fields.
const VARIANTS: &str = "
DeviceTainted Unavailable Tainted
PoolIncomplete Unavailable PoolIncomplete
PoolInvalid Unavailable PoolInvalid
ForkedObject ForkChange Created Deleted
ForkedField ForkChange Field
ForkedSeed ForkChange Seed
ForkedRelease ForkChange Release
ForkedCommand ForkChange Command
ForkedDrain ForkChange Drained
ForkedZone ForkChange ZoneLost
ForkedNodes ForkChange NodesAdded
VolumeOfClaim VolumeOutcome Usable AffinityConflict VolumeMissing Takes
VolumeElsewhere VolumeOutcome SelectedElsewhere
VolumeOfProvisioner VolumeOutcome Provisions TopologyForbids
VolumeNotFound VolumeOutcome Nothing
VolumeWithoutStorage VolumeOutcome NoStorage
VolumeLabel VolumeOutcome Label
VolumeInUse VolumeOutcome SharedDisk OncePod
PlainDeviceOutcome DeviceOutcome ClaimElsewhere BindingTimedOut NoDevices InUse Elsewhere Tainted Taken GivenBack
DeviceNotSelected DeviceOutcome NotSelected
DeviceExhausted DeviceOutcome Exhausted
DeviceConstrained DeviceOutcome Constrained
DeviceBindingFailed DeviceOutcome BindingFailed
";

/// Fields that the API never returns: only an explanation of one node has them, on request.
const UNRETURNED: [(&str, &str); 4] = [
    ("NodeReport", "passes"),
    ("PluginScore", "arithmetic"),
    ("Fact", "pods"),
    ("Fact", "pods_path"),
];

pub fn of_type(rust: &str) -> &str {
    let known = TYPES.iter().find(|(name, _)| *name == rust);
    known.map_or(rust, |(_, name)| name)
}

/// The interface of a variant.
pub fn of_variant(of: &str, variant: &str) -> String {
    let known = VARIANTS.lines().find_map(|line| {
        let mut words = line.split(' ');
        let name = words.next()?;
        (words.next() == Some(of) && words.any(|word| word == variant)).then(|| name.to_owned())
    });
    known.unwrap_or_else(|| format!("{variant}{of}"))
}

/// The interface of what all members of a union have.
pub fn of_base(union: &str) -> String {
    format!("{union}Paths")
}

pub fn is_returned(of: &str, field: &str) -> bool {
    !UNRETURNED.contains(&(of, field))
}
