//! Names that scripts know, where they are not those of the Rust types.

use super::source::Definition;

/// Modules, types and their names; `*`: of any module.
const TYPES: [(&str, &str, &str); 14] = [
    // `Record` is a type of the language.
    ("report", "Record", "ExplainedAttempt"),
    ("report", "Told", "AttemptReport"),
    ("report", "Reason", "AttemptReason"),
    ("evictions", "Utilization", "EvictionUtilization"),
    ("evictions", "EvictedPod", "DeschedulerEviction"),
    ("what_if", "BlockedPod", "BlockedEviction"),
    ("what_if", "Question", "WhatIfQuestion"),
    ("what_if", "Answer", "WhatIfAnswer"),
    ("what_if", "Answered", "WhatIf"),
    ("live", "Cause", "LackCause"),
    ("reduce", "Written", "Reduced"),
    ("*", "Evicted", "EvictedPod"),
    ("*", "Blocked", "BlockedPod"),
    ("*", "Label", "NodeLabel"),
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

pub fn of_type(rust: &Definition) -> &str {
    let known = TYPES
        .iter()
        .find(|(module, name, _)| *name == rust.name && ["*", &rust.module].contains(module));
    known.map_or(&rust.name, |(_, _, name)| name)
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
