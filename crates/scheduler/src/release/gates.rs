//! Feature gates: every gate of the releases with its stage, default and lock, and those that Berth's code asks.
//!
//! `gates.txt` has a line a gate: its name and, by version, its state. A letter is the stage (`a`lpha, `b`eta, `g`a,
//! `d`eprecated; a capital one: locked), the digit the default; `-`: the version has no such gate.

use berth_protocol::remark::Remark;
use std::collections::BTreeMap;

use super::Version;
use berth_base::suggest::closest;

const TABLE: &str = include_str!("gates.txt");

/// Sets all alpha gates, or all beta gates, that are not set by name.
const GROUPS: [(&str, Stage); 2] = [("AllAlpha", Stage::Alpha), ("AllBeta", Stage::Beta)];

macro_rules! gates {
    ($($name:ident),+ $(,)?) => {
        /// A feature gate on which something in Berth depends.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Gate {
            $($name),+
        }

        impl Gate {
            const ALL: &[(Self, &str)] = &[$((Self::$name, stringify!($name))),+];
        }
    };
}

gates! {
    CSIServiceAccountTokenSecrets,
    ClearingNominatedNodeNameAfterBinding,
    ContainerRestartRules,
    DRAAdminAccess,
    DRAConsumableCapacity,
    DRADeviceBindingConditions,
    DRADeviceTaints,
    DRAExtendedResource,
    DRAPartitionableDevices,
    DRAPrioritizedList,
    DRAResourceClaimDeviceStatus,
    DRASchedulerFilterTimeout,
    DeploymentReplicaSetTerminatingReplicas,
    DynamicResourceAllocation,
    EnvFiles,
    ExtendWebSocketsToKubelet,
    HPAConfigurableTolerance,
    HostnameOverride,
    ImageVolume,
    InPlacePodLevelResourcesVerticalScaling,
    InPlacePodVerticalScaling,
    InPlacePodVerticalScalingInitContainers,
    MatchLabelKeysInPodTopologySpread,
    MutableCSINodeAllocatableCount,
    MutablePodResourcesForSuspendedJobs,
    MutableSchedulingDirectivesForSuspendedJobs,
    NodeDeclaredFeatures,
    PodLevelResources,
    PodTopologyLabelsAdmission,
    RelaxedServiceNameValidation,
    RestartAllContainersOnContainerExits,
    SchedulerPopFromBackoffQ,
    StrictIPCIDRValidation,
}

impl Gate {
    fn bit(self) -> u64 {
        1 << self as u32
    }

    /// The name in `--feature-gates`.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.iter();
        all.find(|(gate, _)| *gate == self)
            .map_or("", |(_, name)| name)
    }

    fn find(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter();
        all.find(|(_, known)| *known == name).map(|(gate, _)| *gate)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Alpha,
    Beta,
    Stable,
    Deprecated,
}

/// A gate in one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    stage: Stage,
    default: bool,
    locked: bool,
}

impl State {
    fn parse(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let letter = letters.next()?;
        Some(Self {
            stage: match letter.to_ascii_lowercase() {
                'a' => Stage::Alpha,
                'b' => Stage::Beta,
                'g' => Stage::Stable,
                'd' => Stage::Deprecated,
                _ => return None,
            },
            default: letters.next()? == '1',
            locked: letter.is_ascii_uppercase(),
        })
    }
}

/// The gates of a version.
fn table(version: Version) -> impl Iterator<Item = (&'static str, State)> {
    TABLE.lines().filter_map(move |line| {
        let mut words = line.split(' ');
        let name = words.next()?;
        let state = words.nth(version as usize)?;
        Some((name, State::parse(state)?))
    })
}

/// Which of the gates in [`Gate`] are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates(u64);

/// Why kube-scheduler would not start with a gate, or what to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateProblem {
    pub gate: String,
    /// kube-scheduler's message.
    pub message: Remark,
    /// What to write instead; may be empty.
    pub help: Remark,
    /// Whether kube-scheduler would not start.
    pub is_error: bool,
}

impl Gates {
    /// Whether a gate is on.
    #[inline]
    pub fn is_on(self, gate: Gate) -> bool {
        self.0 & gate.bit() != 0
    }

    /// The defaults of a version.
    pub(super) fn defaults(version: Version) -> Self {
        let mut gates = Self::default();
        for (name, state) in table(version) {
            gates.write(name, state.default);
        }
        gates
    }

    /// The defaults of a version with some gates set (`featureGate.SetFromMap`).
    pub(super) fn set(
        version: Version,
        wanted: &BTreeMap<String, bool>,
    ) -> (Self, Vec<GateProblem>) {
        let mut gates = Self::defaults(version);
        let mut problems = Vec::new();
        for (group, stage) in GROUPS {
            let Some(&on) = wanted.get(group) else {
                continue;
            };
            for (name, _) in table(version).filter(|(_, state)| state.stage == stage) {
                gates.write(name, on);
            }
        }
        for (name, &on) in wanted {
            if GROUPS.iter().any(|(group, _)| group == name) {
                continue;
            }
            let known = table(version).find(|(known, _)| known == name);
            problems.extend(problem(version, name, on, known.map(|(_, state)| state)));
            if known.is_some_and(|(_, state)| !state.locked) {
                gates.write(name, on);
            }
        }
        (gates, problems)
    }

    fn write(&mut self, name: &str, on: bool) {
        let Some(gate) = Gate::find(name) else {
            return;
        };
        match on {
            true => self.0 |= gate.bit(),
            false => self.0 &= !gate.bit(),
        }
    }
}

fn problem(version: Version, name: &str, on: bool, state: Option<State>) -> Option<GateProblem> {
    let found = |message: Remark, help: Remark, is_error: bool| {
        Some(GateProblem {
            gate: name.to_owned(),
            message,
            help,
            is_error,
        })
    };
    let Some(state) = state else {
        let names = table(version).map(|(known, _)| known);
        let help = match closest(name, names) {
            Some(known) => Remark::did_you_mean(known),
            None => elsewhere(version, name),
        };
        return found(
            Remark::quoted(format!("unrecognized feature gate: {name}")),
            help,
            true,
        );
    };
    if state.locked && on != state.default {
        let message = format!(
            "cannot set feature gate {name} to {on}, feature is locked to {}",
            state.default
        );
        return found(Remark::quoted(message), Remark::leave_gate_out(), true);
    }
    if Gate::find(name).is_none() && on != state.default {
        let message = Remark::gate_without_effect(name);
        return found(message, Remark::default(), false);
    }
    None
}

/// The versions that have a gate which this one lacks.
fn elsewhere(version: Version, name: &str) -> Remark {
    let others = Version::ALL.into_iter().filter(|other| *other != version);
    let mut having = others.filter(|other| table(*other).any(|(known, _)| known == name));
    match having.next() {
        Some(other) => Remark::gate_elsewhere(other.minor()),
        None => Remark::no_such_gate(version.minor()),
    }
}

/// The gates of `--feature-gates`: `A=true,B=false`.
///
/// # Errors
/// kube-scheduler's message.
pub fn parse_flag(text: &str) -> Result<BTreeMap<String, bool>, String> {
    let mut gates = BTreeMap::new();
    for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(format!("missing bool value for {}", pair.trim()));
        };
        let (name, value) = (name.trim(), value.trim());
        let on = match value {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => true,
            "0" | "f" | "F" | "FALSE" | "false" | "False" => false,
            _ => {
                return Err(format!(
                    "invalid value of {name}={value}, err: strconv.ParseBool: parsing \"{value}\": invalid syntax"
                ));
            }
        };
        gates.insert(name.to_owned(), on);
    }
    Ok(gates)
}

#[cfg(test)]
mod tests {
    use super::{Gate, table};
    use crate::release::Version;

    #[test]
    fn every_gate_of_the_code_is_in_the_table() {
        let newest = Version::ALL[Version::ALL.len() - 1];
        for (_, name) in Gate::ALL {
            assert!(table(newest).any(|(known, _)| known == *name), "{name}");
        }
    }
}
