//! The numbers behind a verdict, so that a view can show the arithmetic.

mod volume;

use std::borrow::Cow;
use std::collections::BTreeSet;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use super::quantity;
use super::remark::{Remark, Value};
pub use volume::VolumeOutcome;

/// One number of a plugin, and the fields of the objects that it comes from: a reason of a Filter plugin
/// ([`FactKind`]), or an input of a Score plugin ([`super::score::Input`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fact<K = FactKind> {
    /// The comparison, or the input.
    #[serde(flatten)]
    pub kind: K,
    /// Field path in the Pod, in the API server's notation (`spec.tolerations`); empty if none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pod_path: String,
    /// Field path in the Node; empty if none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node_path: String,
    /// The Pods that it counts (`namespace/name`), in the order of their nodes; recorded on request for one node only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<String>,
    /// Field path of the rule in those Pods; empty if they have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pods_path: String,
}

impl<K> Fact<K> {
    /// A fact without field paths.
    pub fn new(kind: K) -> Self {
        Self {
            kind,
            pod_path: String::new(),
            node_path: String::new(),
            pods: Vec::new(),
            pods_path: String::new(),
        }
    }

    /// Sets the Pod's field.
    pub fn in_pod(mut self, path: impl Into<String>) -> Self {
        self.pod_path = path.into();
        self
    }

    /// Sets the Node's field.
    pub fn in_node(mut self, path: impl Into<String>) -> Self {
        self.node_path = path.into();
        self
    }

    /// Sets the Pods that it counts.
    pub fn counting(mut self, pods: Vec<String>) -> Self {
        self.pods = pods;
        self
    }

    /// Sets the field of those Pods.
    pub fn by_rule(mut self, path: impl Into<String>) -> Self {
        self.pods_path = path.into();
        self
    }
}

/// The Pods that facts count, each once.
pub fn counted<K>(facts: &[Fact<K>]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let pods = facts.iter().flat_map(|fact| &fact.pods);
    pods.map(String::as_str)
        .filter(|pod| seen.insert(*pod))
        .collect()
}

/// The comparison that a plugin made, by kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum FactKind {
    /// `used + request` against `allocatable`: milli-CPU for `cpu`, else the resource's own unit (bytes, pieces).
    #[serde(rename_all = "camelCase")]
    Resource {
        resource: String,
        request: i64,
        used: i64,
        allocatable: i64,
    },
    /// A taint of the node that the Pod does not tolerate.
    #[serde(rename_all = "camelCase")]
    Taint {
        key: String,
        value: String,
        effect: String,
    },
    /// A requirement on the node's labels (or name), and the actual value.
    #[serde(rename_all = "camelCase")]
    NodeRequirement {
        key: String,
        operator: String,
        values: Vec<String>,
        /// `None`: the node lacks the label.
        actual: Option<String>,
        holds: bool,
    },
    /// `count + own − minimum` against `maxSkew` in one topology domain.
    #[serde(rename_all = "camelCase")]
    Spread {
        topology_key: String,
        /// `None`: the node lacks the key.
        domain: Option<String>,
        count: i64,
        /// 1 if the Pod matches its own selector, else 0.
        own: i64,
        minimum: i64,
        max_skew: i64,
    },
    /// The Pods that an (anti-)affinity term matches in the node's domain.
    #[serde(rename_all = "camelCase")]
    PodAffinity {
        term: AffinityTermKind,
        topology_key: String,
        /// `None`: the node lacks the key.
        domain: Option<String>,
        /// Matching Pods in that domain.
        count: i64,
        /// The labels of the Pods that the term selects, as in `kubectl get -l`; empty if it selects all, or if running
        /// Pods have the term.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        selector: String,
        /// Some of the Pods that keep the Pod away by a term of their own, `namespace/name`; empty for its own terms.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pods: Vec<String>,
    },
    /// A host port that is in use.
    #[serde(rename_all = "camelCase")]
    HostPort {
        host_ip: String,
        protocol: String,
        port: i32,
    },
    /// Volumes of one driver: attached + new against the limit.
    #[serde(rename_all = "camelCase")]
    VolumeCount {
        driver: String,
        attached: i64,
        new: i64,
        limit: i64,
    },
    /// What became of one claim or volume.
    #[serde(rename_all = "camelCase")]
    Volume {
        name: String,
        #[serde(flatten, with = "volume::json")]
        outcome: VolumeOutcome,
    },
    /// What the search for devices did with one of them.
    #[serde(rename_all = "camelCase")]
    Device {
        /// Name of the ResourceClaim; empty if the node has no device at all.
        claim: String,
        /// `REQUEST` or `REQUEST/SUBREQUEST`; empty if the finding concerns the whole claim.
        request: String,
        /// `DRIVER/POOL/DEVICE`; empty likewise.
        device: String,
        outcome: DeviceOutcome,
    },
    /// `spec.nodeName` against the node's name.
    #[serde(rename_all = "camelCase")]
    NodeName { wanted: String },
    /// The node is cordoned.
    Unschedulable,
    /// A feature of the kubelet that the Pod needs.
    #[serde(rename_all = "camelCase")]
    NodeFeature { feature: String, declared: bool },
}

/// What became of a device, or of the whole claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum DeviceOutcome {
    /// The claim is allocated already, to devices that this node cannot use.
    ClaimElsewhere,
    /// A failure condition of the allocated device is true: the claim is given up.
    BindingFailed {
        reason: String,
        message: String,
    },
    /// The binding conditions of the allocated device did not hold in time: the claim is given up.
    BindingTimedOut,
    /// The node has no device that the search could look at.
    NoDevices,
    /// An allocation holds it, or this search took it already.
    InUse,
    /// A CEL selector of the class (with its name) or of the request is false.
    #[serde(rename_all = "camelCase")]
    NotSelected {
        class: Option<String>,
        expression: String,
        /// What the expression names, with the device's values.
        seen: Vec<(String, String)>,
    },
    /// The device itself is bound to other nodes.
    Elsewhere,
    /// It has a taint that the request does not tolerate.
    Tainted,
    /// A `matchAttribute` constraint on this attribute fails.
    #[serde(rename_all = "camelCase")]
    Constrained {
        attribute: String,
    },
    /// Too little is left of a capacity of the device, or of a counter that it shares with others.
    Exhausted {
        of: String,
    },
    Taken,
    /// Taken before, and given back since the rest could not be allocated with it.
    GivenBack,
}

impl DeviceOutcome {
    /// The outcome in words.
    #[inline(never)]
    pub fn remark(&self) -> Remark {
        match self {
            Self::ClaimElsewhere => Remark::claim_elsewhere(),
            Self::BindingFailed { reason, message } => Remark::binding_failed(reason, message),
            Self::BindingTimedOut => Remark::binding_timed_out(),
            Self::NoDevices => Remark::no_devices(),
            Self::InUse => Remark::device_in_use(),
            Self::NotSelected {
                class,
                expression,
                seen,
            } => {
                let seen = seen
                    .iter()
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect::<Vec<String>>()
                    .join(", ");
                match class {
                    Some(class) => Remark::not_of_class(class, expression, seen),
                    None => Remark::not_selected(expression, seen),
                }
            }
            Self::Elsewhere => Remark::device_elsewhere(),
            Self::Tainted => Remark::device_tainted(),
            Self::Constrained { attribute } => Remark::attribute_differs(attribute),
            Self::Exhausted { of } => Remark::too_little_left(of),
            Self::Taken => Remark::device_taken(),
            Self::GivenBack => Remark::device_given_back(),
        }
    }

    /// The outcome after the claim, request and device that it is about; each may be empty.
    #[inline(never)]
    pub fn remark_on(&self, claim: &str, request: &str, device: &str) -> Remark {
        let place = [claim, request, device];
        let place: Vec<&str> = place.into_iter().filter(|it| !it.is_empty()).collect();
        match place.is_empty() {
            true => self.remark(),
            false => Remark::prefixed(place.join(" "), self.remark()),
        }
    }
}

/// The kind of the (anti-)affinity term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "camelCase")]
pub enum AffinityTermKind {
    /// The Pod's own required affinity.
    Affinity,
    /// The Pod's own required anti-affinity.
    AntiAffinity,
    /// Required anti-affinity of running Pods.
    ExistingAntiAffinity,
}

/// A taint as in `kubectl taint`: `dedicated=gpu:NoSchedule`.
pub fn taint(key: &str, value: &str, effect: &str) -> String {
    match value {
        "" => format!("{key}:{effect}"),
        value => format!("{key}={value}:{effect}"),
    }
}

/// NodeResourcesFit's reason to reject a node that lacks a resource.
pub fn shortage(resource: &str) -> Cow<'static, str> {
    match resource {
        "pods" => "Too many pods".into(),
        "cpu" => "Insufficient cpu".into(),
        "memory" => "Insufficient memory".into(),
        "ephemeral-storage" => "Insufficient ephemeral-storage".into(),
        other => format!("Insufficient {other}").into(),
    }
}

impl FactKind {
    /// Whether a plugin's reason is about this comparison: NodeResourcesFit has one reason for each resource.
    pub fn is_behind(&self, reason: &str) -> bool {
        match self {
            Self::Resource { resource, .. } => shortage(resource) == reason,
            _ => true,
        }
    }

    /// Whether this is a reason to reject the node; `false` if the comparison holds.
    pub fn is_violated(&self) -> bool {
        match self {
            Self::Resource {
                request,
                used,
                allocatable,
                ..
            } => used.saturating_add(*request) > *allocatable,
            Self::NodeRequirement { holds, .. } => !holds,
            Self::Spread {
                domain,
                count,
                own,
                minimum,
                max_skew,
                ..
            } => domain.is_none() || count + own - minimum > *max_skew,
            Self::PodAffinity { term, count, .. } => match term {
                AffinityTermKind::Affinity => *count == 0,
                AffinityTermKind::AntiAffinity | AffinityTermKind::ExistingAntiAffinity => {
                    *count > 0
                }
            },
            Self::VolumeCount {
                attached,
                new,
                limit,
                ..
            } => attached + new > *limit,
            Self::Taint { .. }
            | Self::HostPort { .. }
            | Self::Volume { .. }
            | Self::NodeName { .. }
            | Self::Unschedulable => true,
            Self::NodeFeature { declared, .. } => !declared,
            Self::Device { outcome, .. } => *outcome != DeviceOutcome::Taken,
        }
    }

    /// A resource, and how much of it is missing on the node; `None` for other facts.
    pub fn missing(&self) -> Option<(&str, i64)> {
        match self {
            Self::Resource {
                resource,
                request,
                used,
                allocatable,
            } => {
                let missing = used.saturating_add(*request).saturating_sub(*allocatable);
                Some((resource, missing))
            }
            _ => None,
        }
    }

    /// Whether the node has nothing at all of the resource.
    pub fn has_none(&self) -> bool {
        matches!(self, Self::Resource { allocatable: 0, .. })
    }

    /// The topology key that the node lacks, if that is the reason for its rejection.
    pub fn missing_topology_key(&self) -> Option<&str> {
        match self {
            Self::Spread {
                topology_key,
                domain: None,
                ..
            }
            | Self::PodAffinity {
                topology_key,
                domain: None,
                ..
            } => Some(topology_key),
            _ => None,
        }
    }

    /// The comparison as one line of arithmetic or words.
    #[inline(never)]
    pub fn remark(&self) -> Remark {
        if let Some(key) = self.missing_topology_key() {
            return Remark::no_topology_label(key);
        }
        match self {
            Self::Resource { .. } | Self::Spread { .. } | Self::VolumeCount { .. } => self.sum(),
            Self::Taint { key, value, effect } => Remark::untolerated(taint(key, value, effect)),
            Self::NodeRequirement {
                key,
                operator,
                values,
                actual,
                holds,
            } => {
                let actual = match actual {
                    Some(value) => Value::Text(format!("\"{value}\"")),
                    None => Remark::no_value().into(),
                };
                match holds {
                    true => Remark::rule_holds(key, operator, values.clone(), actual),
                    false => Remark::rule_fails(key, operator, values.clone(), actual),
                }
            }
            Self::PodAffinity {
                term,
                topology_key,
                domain,
                count,
                ..
            } => in_domain(topology_key, domain.as_deref(), term.remark(*count)),
            Self::NodeFeature { feature, declared } => match declared {
                true => Remark::feature_declared(feature),
                false => Remark::feature_undeclared(feature),
            },
            Self::HostPort {
                host_ip,
                protocol,
                port,
            } => Remark::port_taken(format!("{host_ip}:{port}/{protocol}")),
            Self::Volume { name, outcome } => Remark::prefixed(name, outcome.remark()),
            Self::Device {
                claim,
                request,
                device,
                outcome,
            } => outcome.remark_on(claim, request, device),
            Self::NodeName { wanted } => Remark::node_name_wanted(wanted),
            Self::Unschedulable => Remark::node_cordoned(),
        }
    }

    fn sum(&self) -> Remark {
        match self {
            Self::Resource {
                resource,
                request,
                used,
                allocatable,
            } => {
                let sum = used.saturating_add(*request);
                let amount = |amount| quantity::exact(resource, amount);
                Remark::resource_sum(
                    resource,
                    amount(*used),
                    amount(*request),
                    amount(sum),
                    sign(sum > *allocatable),
                    amount(*allocatable),
                )
            }
            Self::Spread {
                topology_key,
                domain,
                count,
                own,
                minimum,
                max_skew,
            } => {
                let skew = count + own - minimum;
                let sign = sign(skew > *max_skew);
                let sum = format!("{count} + {own} − {minimum} = {skew} {sign} maxSkew {max_skew}");
                in_domain(topology_key, domain.as_deref(), sum)
            }
            Self::VolumeCount {
                driver,
                attached,
                new,
                limit,
            } => {
                let sum = attached.saturating_add(*new);
                let sign = sign(sum > *limit);
                Remark::volume_sum(driver, *attached, *new, sum, sign, *limit)
            }
            _ => Remark::default(),
        }
    }
}

fn in_domain(topology_key: &str, domain: Option<&str>, what: impl Into<Value>) -> Remark {
    let place = format!("{topology_key}={}", domain.unwrap_or_default());
    Remark::prefixed(place, what)
}

fn sign(exceeds: bool) -> &'static str {
    if exceeds { ">" } else { "≤" }
}

impl AffinityTermKind {
    /// What a number of Pods means for the term.
    #[inline(never)]
    fn remark(self, count: i64) -> Remark {
        match (self, count) {
            (Self::Affinity, 1) => Remark::one_matches_affinity(count),
            (Self::Affinity, _) => Remark::some_match_affinity(count),
            (Self::AntiAffinity, 1) => Remark::one_matches_anti_affinity(count),
            (Self::AntiAffinity, _) => Remark::some_match_anti_affinity(count),
            (Self::ExistingAntiAffinity, 1) => Remark::one_refuses(count),
            (Self::ExistingAntiAffinity, _) => Remark::some_refuse(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_about_one_resource() {
        let cpu = FactKind::Resource {
            resource: "cpu".to_owned(),
            request: 2,
            used: 0,
            allocatable: 1,
        };
        assert!(cpu.is_behind("Insufficient cpu"));
        assert!(!cpu.is_behind("Insufficient example.com/cpu-slots"));
    }

    #[test]
    fn pods_that_a_term_matches_are_counted() {
        let near = |term, count| {
            let fact = FactKind::PodAffinity {
                term,
                topology_key: "zone".to_owned(),
                domain: Some("a".to_owned()),
                count,
                selector: String::new(),
                pods: Vec::new(),
            };
            fact.remark()
        };
        assert_eq!(
            near(AffinityTermKind::Affinity, 0),
            "zone=a: 0 Pods match the affinity term, at least 1 needed"
        );
        assert_eq!(
            near(AffinityTermKind::AntiAffinity, 1),
            "zone=a: 1 Pod matches the anti-affinity term, 0 allowed"
        );
        assert_eq!(
            near(AffinityTermKind::ExistingAntiAffinity, 2),
            "zone=a: the anti-affinity of 2 running Pods refuses this Pod"
        );
    }

    #[test]
    fn sums_have_their_units() {
        let spread = |domain: Option<&str>| FactKind::Spread {
            topology_key: "zone".to_owned(),
            domain: domain.map(str::to_owned),
            count: 2,
            own: 1,
            minimum: 1,
            max_skew: 1,
        };
        let resource = FactKind::Resource {
            resource: "cpu".to_owned(),
            request: 500,
            used: 3750,
            allocatable: 4000,
        };
        let requirement = FactKind::NodeRequirement {
            key: "pool".to_owned(),
            operator: "In".to_owned(),
            values: vec!["a".to_owned(), "b".to_owned()],
            actual: None,
            holds: false,
        };
        let volumes = FactKind::VolumeCount {
            driver: "ebs".to_owned(),
            attached: 24,
            new: 1,
            limit: 25,
        };
        for (fact, remark) in [
            (spread(Some("a")), "zone=a: 2 + 1 − 1 = 2 > maxSkew 1"),
            (spread(None), "the node has no label zone"),
            (
                resource,
                "cpu: 3750m used + 500m requested = 4250m > 4000m allocatable",
            ),
            (requirement, "pool In [a, b] fails: the node has absent"),
            (volumes, "ebs: 24 attached + 1 new = 25 ≤ limit 25"),
        ] {
            assert_eq!(fact.remark(), remark);
        }
    }
}
