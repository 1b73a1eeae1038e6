//! Text of what a plugin found out about a claim or volume.

use berth_protocol::fact::VolumeOutcome;
use berth_words::{say, text};

/// The outcome in words. The command has its own ([`VolumeOutcome::expression`]).
pub fn volume_outcome(outcome: &VolumeOutcome) -> String {
    match outcome {
        VolumeOutcome::Usable { volume } => say!("bound to {volume}, which can be used here"),
        VolumeOutcome::AffinityConflict { volume } => {
            say!("bound to {volume}, whose node affinity excludes this node")
        }
        VolumeOutcome::VolumeMissing { volume } => {
            say!("bound to {volume}, which does not exist")
        }
        VolumeOutcome::SelectedElsewhere { node } => {
            say!("its volume is being provisioned for node {node}")
        }
        VolumeOutcome::Takes { volume } => say!("{volume} is free and fits"),
        VolumeOutcome::Provisions { provisioner } => {
            say!("{provisioner} provisions a new volume")
        }
        VolumeOutcome::Nothing => {
            text!("no free volume fits here, and its class has no provisioner").to_owned()
        }
        VolumeOutcome::TopologyForbids { provisioner } => say!(
            "no free volume fits here, and allowedTopologies keep {provisioner} from this node"
        ),
        VolumeOutcome::NoStorage { driver } => {
            say!("{driver} has published no storage capacity that is enough for this node")
        }
        VolumeOutcome::Label {
            key,
            values,
            actual,
        } => {
            let values = alternatives(values);
            match actual {
                Some(actual) => say!("{key} is {values}, the node has {actual}"),
                None => say!("{key} is {values}, the node has nothing"),
            }
        }
        VolumeOutcome::SharedDisk { pod } => say!("the same disk is mounted by Pod {pod}"),
        VolumeOutcome::OncePod { pod } => say!("ReadWriteOncePod, already in use by Pod {pod}"),
    }
}

/// `a or b`.
pub fn alternatives(values: &[String]) -> String {
    let joined = values
        .iter()
        .cloned()
        .reduce(|one, other| say!("{one} or {other}"));
    joined.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::volume_outcome;
    use berth_protocol::fact::VolumeOutcome;

    #[test]
    fn the_page_says_in_english_what_the_command_says() {
        let name = || "x".to_owned();
        let label = |actual| VolumeOutcome::Label {
            key: "zone".to_owned(),
            values: vec!["a".to_owned(), "b".to_owned()],
            actual,
        };
        for outcome in [
            VolumeOutcome::Usable { volume: name() },
            VolumeOutcome::AffinityConflict { volume: name() },
            VolumeOutcome::VolumeMissing { volume: name() },
            VolumeOutcome::SelectedElsewhere { node: name() },
            VolumeOutcome::Takes { volume: name() },
            VolumeOutcome::Provisions {
                provisioner: name(),
            },
            VolumeOutcome::Nothing,
            VolumeOutcome::TopologyForbids {
                provisioner: name(),
            },
            VolumeOutcome::NoStorage { driver: name() },
            label(None),
            label(Some(name())),
            VolumeOutcome::SharedDisk { pod: name() },
            VolumeOutcome::OncePod { pod: name() },
        ] {
            assert_eq!(volume_outcome(&outcome), outcome.expression());
        }
    }
}
