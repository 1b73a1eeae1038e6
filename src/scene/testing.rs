//! Facts for tests.

use berth_protocol::fact::{AffinityTermKind, FactKind};

pub fn resource(resource: &str, request: i64, used: i64, allocatable: i64) -> FactKind {
    FactKind::Resource {
        resource: resource.into(),
        request,
        used,
        allocatable,
    }
}

/// 3750m + 500m against 4000m.
pub fn short_of_cpu() -> FactKind {
    resource("cpu", 500, 3750, 4000)
}

pub fn taint(key: &str, value: &str, effect: &str) -> FactKind {
    FactKind::Taint {
        key: key.into(),
        value: value.into(),
        effect: effect.into(),
    }
}

/// A skew of 2 + 1 − 1 = 2, where `maxSkew` is 1.
pub fn skewed(topology_key: &str, domain: Option<&str>) -> FactKind {
    FactKind::Spread {
        topology_key: topology_key.into(),
        domain: domain.map(str::to_owned),
        count: 2,
        own: 1,
        minimum: 1,
        max_skew: 1,
    }
}

/// `count` Pods that a term selects, in the domain `a`.
pub fn pods_near(
    term: AffinityTermKind,
    topology_key: &str,
    count: i64,
    selector: &str,
) -> FactKind {
    FactKind::PodAffinity {
        term,
        topology_key: topology_key.into(),
        domain: Some("a".into()),
        count,
        selector: selector.into(),
        pods: Vec::new(),
    }
}
