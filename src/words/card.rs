//! Text of a node's card: its verdict in a few words.

use berth_words::{counted, say, text};

use super::Text;
use super::explain::{brief, taint};
use berth_protocol::fact::FactKind;
use berth_protocol::quantity;

pub const NOMINATED: Text = text!("nominated");
/// Before the Pods that take no room of their node.
pub const NO_REQUEST: Text = text!("no request");
pub const NO_CPU_REQUEST: Text = text!("no CPU request");

/// A rejection in a few words. `taints`: the number of the node's taints, which the card shows beside it.
pub fn rejection(fact: &FactKind, taints: usize) -> String {
    match fact {
        FactKind::Taint { .. } if taints == 1 => text!("taint not tolerated").to_owned(),
        FactKind::Taint { key, value, .. } => {
            say!("taint {taint} not tolerated", taint = taint(key, value, ""))
        }
        FactKind::Spread {
            count,
            own,
            minimum,
            max_skew,
            ..
        } if fact.missing_topology_key().is_none() => {
            super::explain::skewed(count + own - minimum, *max_skew)
        }
        _ => brief(fact),
    }
}

/// `cpu −250m`: how much of a resource is missing, with the number where it is not cut; `None` for other rejections.
pub fn least(fact: &FactKind) -> Option<String> {
    let (resource, missing) = fact.missing().filter(|_| !fact.has_none())?;
    let missing = quantity::readable(resource, missing);
    Some(format!("{} −{missing}", super::explain::resource(resource)))
}

/// The same for a node on which evicting Pods would not help; the chips show which taint it is.
pub fn no_help(fact: Option<&FactKind>, rejection: &str) -> String {
    let what = match fact {
        Some(FactKind::Taint { .. }) => text!("taint").get(),
        _ => rejection,
    };
    say!("{what}; preempting cannot help")
}

/// The Pods that would have to go, and how many of them break a PodDisruptionBudget.
pub fn victims(victims: usize, breaks: u32) -> String {
    let all = counted!(victims, "{victims} victim", "{victims} victims");
    let breaks = usize::try_from(breaks).unwrap_or(usize::MAX);
    match breaks {
        0 => all,
        _ => counted!(
            breaks,
            "{all}, {breaks} breaks a PDB",
            "{all}, {breaks} break a PDB"
        ),
    }
}

/// The accessible name of a node's nominated Pods.
pub fn nominated_for(pods: &str) -> String {
    say!("nominated for {pods}")
}

/// The tooltip of the place kept for a nominated Pod.
pub fn kept_for(pod: &str) -> String {
    say!("kept for {pod}, which is nominated")
}

/// The tooltip of the block of a Pod that was evicted.
pub fn evicted(pod: &str) -> String {
    say!("{pod} was evicted")
}

/// The tooltip of a bar with nominated Pods.
pub fn of_nominated(amount: &str) -> String {
    say!("{amount} of it for nominated Pods")
}

#[cfg(test)]
mod tests {
    use super::{least, rejection, victims};
    use crate::scene::testing::{resource, short_of_cpu, skewed, taint};
    use berth_protocol::fact::{FactKind, VolumeOutcome};

    #[test]
    fn a_card_says_what_is_short_and_which_rule_it_breaks() {
        let short = short_of_cpu();
        assert_eq!(rejection(&short, 0), "cpu short by 250m");
        assert_eq!(least(&short).as_deref(), Some("cpu −250m"));
        let none = resource("nvidia.com/gpu", 1, 0, 0);
        assert_eq!(rejection(&none, 0), "no nvidia.com/gpu");
        assert_eq!(least(&none), None);
        let of = |outcome| FactKind::Volume {
            name: "reader-data".into(),
            outcome,
        };
        let zone = VolumeOutcome::Label {
            key: "topology.kubernetes.io/zone".into(),
            values: vec!["a".into(), "b".into()],
            actual: Some("c".into()),
        };
        assert_eq!(rejection(&of(zone), 0), "volume is in a or b");
        let bound = VolumeOutcome::AffinityConflict {
            volume: "pv-1".into(),
        };
        assert_eq!(rejection(&of(bound), 0), "volume pv-1 is elsewhere");
        let free = VolumeOutcome::Nothing;
        assert_eq!(rejection(&of(free), 0), "no volume for reader-data");
        let skew = skewed("zone", Some("a"));
        assert_eq!(rejection(&skew, 0), "skew 2 > maxSkew 1");
        let slow = taint("link", "slow", "NoExecute");
        assert_eq!(rejection(&slow, 1), "taint not tolerated");
        assert_eq!(rejection(&slow, 2), "taint link=slow not tolerated");
        assert_eq!(victims(2, 1), "2 victims, 1 breaks a PDB");
        assert_eq!(victims(1, 0), "1 victim");
    }
}
