//! Text of the numbers behind a verdict.

use berth_words::{counted, say, text};

use super::super::language::comma;
use super::super::{Text, labelled, remark};
use super::quantity_of;
use berth_protocol::fact::{AffinityTermKind, FactKind, taint};

pub const THIS_POD: Text = text!("this Pod");
pub const NOT_THIS_POD: Text = text!("not this Pod");
pub const FEWEST: Text = text!("fewest");
pub const SKEW: Text = text!("skew");
pub const ATTACHED: Text = text!("attached");
pub const NEW_VOLUMES: Text = text!("new");
pub const VOLUMES: Text = text!("volumes");
pub const LIMIT: Text = text!("limit");
pub const USED: Text = text!("used");
pub const REQUESTED: Text = text!("requested");
pub const ALLOCATABLE: Text = text!("allocatable");
pub const NEEDED: Text = text!("needed");
pub const ALLOWED: Text = text!("allowed");

/// The title of a sum: the plugin, and what it is about.
pub fn sum_of(plugin: &str, about: Option<&str>) -> String {
    let about = about.map(|about| super::super::followed(plugin, about));
    format!("· {}", about.as_deref().unwrap_or(plugin))
}

pub fn counted_in(domain: &str) -> String {
    say!("in {domain}")
}

pub fn matching_in(domain: &str) -> String {
    say!("matching in {domain}")
}

pub fn refuse_it_in(domain: &str) -> String {
    say!("refuse it in {domain}")
}

/// A fact as one line of arithmetic or words. The command has its own ([`FactKind::expression`]).
pub fn expression(fact: &FactKind) -> String {
    if let Some(key) = fact.missing_topology_key() {
        return say!("the node has no label {key}");
    }
    match fact {
        FactKind::Resource { .. } | FactKind::Spread { .. } | FactKind::VolumeCount { .. } => {
            sum(fact)
        }
        FactKind::Taint { key, value, effect } => say!(
            "taint {taint} is not tolerated",
            taint = taint(key, value, effect)
        ),
        FactKind::NodeRequirement {
            key,
            operator,
            values,
            actual,
            holds,
        } => {
            let rule = format!("{key} {operator} [{}]", values.join(comma()));
            let actual = actual.as_ref().map_or_else(
                || text!("absent").to_owned(),
                |value| format!("\"{value}\""),
            );
            if *holds {
                say!("{rule} holds: the node has {actual}")
            } else {
                say!("{rule} fails: the node has {actual}")
            }
        }
        FactKind::PodAffinity {
            term,
            topology_key,
            domain,
            count,
            ..
        } => in_domain(topology_key, domain.as_deref(), rule(*term, *count)),
        FactKind::NodeFeature {
            feature,
            declared: true,
        } => say!("the node declares the feature {feature}"),
        FactKind::NodeFeature { feature, .. } => {
            say!("the node does not declare the feature {feature}")
        }
        FactKind::HostPort {
            host_ip,
            protocol,
            port,
        } => say!(
            "host port {port} is taken on this node",
            port = format_args!("{host_ip}:{port}/{protocol}")
        ),
        FactKind::Volume { name, outcome } => labelled(name, remark(&outcome.remark())),
        FactKind::Device {
            claim,
            request,
            device,
            outcome,
        } => super::super::device_step(claim, request, device, outcome),
        FactKind::NodeName { wanted } => say!("spec.nodeName asks for {wanted}"),
        FactKind::Unschedulable => {
            text!("the node is cordoned (spec.unschedulable: true)").to_owned()
        }
    }
}

fn sum(fact: &FactKind) -> String {
    match fact {
        FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        } => {
            let amount = |amount: i64| quantity_of(resource, amount);
            let sum = used.saturating_add(*request);
            say!(
                "{resource}: {used} used + {request} requested = {sum} {sign} {allocatable} allocatable",
                used = amount(*used),
                request = amount(*request),
                sum = amount(sum),
                sign = sign(sum > *allocatable),
                allocatable = amount(*allocatable)
            )
        }
        FactKind::Spread {
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
        FactKind::VolumeCount {
            driver,
            attached,
            new,
            limit,
        } => {
            let sum = attached.saturating_add(*new);
            say!(
                "{driver}: {attached} attached + {new} new = {sum} {sign} limit {limit}",
                sign = sign(sum > *limit)
            )
        }
        _ => String::new(),
    }
}

fn in_domain(topology_key: &str, domain: Option<&str>, text: String) -> String {
    let place = format!("{topology_key}={}", domain.unwrap_or_default());
    labelled(place, text)
}

fn rule(term: AffinityTermKind, pods: i64) -> String {
    let pods = usize::try_from(pods).unwrap_or_default();
    match term {
        AffinityTermKind::Affinity => counted!(
            pods,
            "{pods} Pod matches the affinity term, at least 1 needed",
            "{pods} Pods match the affinity term, at least 1 needed"
        ),
        AffinityTermKind::AntiAffinity => counted!(
            pods,
            "{pods} Pod matches the anti-affinity term, 0 allowed",
            "{pods} Pods match the anti-affinity term, 0 allowed"
        ),
        AffinityTermKind::ExistingAntiAffinity => counted!(
            pods,
            "the anti-affinity of {pods} running Pod refuses this Pod",
            "the anti-affinity of {pods} running Pods refuses this Pod"
        ),
    }
}

fn sign(exceeds: bool) -> char {
    if exceeds { '>' } else { '≤' }
}

#[cfg(test)]
mod tests {
    use super::expression;
    use berth_protocol::fact::{AffinityTermKind, FactKind};

    #[test]
    fn the_page_says_in_english_what_the_command_says() {
        let spread = FactKind::Spread {
            topology_key: "zone".into(),
            domain: Some("a".into()),
            count: 2,
            own: 1,
            minimum: 1,
            max_skew: 1,
        };
        let terms = [
            AffinityTermKind::Affinity,
            AffinityTermKind::AntiAffinity,
            AffinityTermKind::ExistingAntiAffinity,
        ];
        let near = terms.into_iter().flat_map(|term| {
            [0, 1, 2].map(|count| FactKind::PodAffinity {
                term,
                topology_key: "zone".into(),
                domain: Some("a".into()),
                count,
                selector: String::new(),
            })
        });
        let resource = FactKind::Resource {
            resource: "cpu".into(),
            request: 500,
            used: 3750,
            allocatable: 4000,
        };
        let requirement = FactKind::NodeRequirement {
            key: "pool".into(),
            operator: "In".into(),
            values: vec!["a".into(), "b".into()],
            actual: None,
            holds: false,
        };
        let volumes = FactKind::VolumeCount {
            driver: "ebs".into(),
            attached: 25,
            new: 1,
            limit: 25,
        };
        let taint = FactKind::Taint {
            key: "a.b/c".into(),
            value: "d".into(),
            effect: "NoSchedule".into(),
        };
        let wanted = FactKind::NodeName { wanted: "b".into() };
        let others = [
            spread,
            resource,
            requirement,
            volumes,
            taint,
            wanted,
            FactKind::Unschedulable,
        ];
        for fact in near.chain(others) {
            assert_eq!(expression(&fact), fact.expression());
        }
    }
}
