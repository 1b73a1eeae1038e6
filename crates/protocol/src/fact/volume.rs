//! What a plugin found out about one claim or volume.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

/// What became of a claim or volume on the node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum VolumeOutcome {
    /// The claim is bound to a volume that can be used on the node.
    Usable { volume: String },
    /// The node affinity of the claim's volume excludes the node.
    AffinityConflict { volume: String },
    /// The claim names a volume that does not exist.
    VolumeMissing { volume: String },
    /// The claim's volume is being provisioned for another node.
    SelectedElsewhere { node: String },
    /// The claim gets this free volume.
    Takes { volume: String },
    /// The claim gets a new volume.
    Provisions { provisioner: String },
    /// No free volume fits, and the class cannot provision.
    Nothing,
    /// `allowedTopologies` exclude the node.
    TopologyForbids { provisioner: String },
    /// The driver has published no sufficient capacity for the node.
    NoStorage { driver: String },
    /// A topology label of the volume, against that of the node.
    Label {
        key: String,
        values: Vec<String>,
        actual: Option<String>,
    },
    /// A Pod of the node mounts the same disk, which cannot be shared.
    SharedDisk {
        /// `NAMESPACE/NAME`.
        pod: String,
    },
    /// A Pod uses the claim, whose access mode is ReadWriteOncePod.
    OncePod {
        /// `NAMESPACE/NAME`.
        pod: String,
    },
}

impl VolumeOutcome {
    /// The outcome in words, in English.
    pub fn expression(&self) -> String {
        match self {
            Self::Usable { volume } => format!("bound to {volume}, which can be used here"),
            Self::AffinityConflict { volume } => {
                format!("bound to {volume}, whose node affinity excludes this node")
            }
            Self::VolumeMissing { volume } => format!("bound to {volume}, which does not exist"),
            Self::SelectedElsewhere { node } => {
                format!("its volume is being provisioned for node {node}")
            }
            Self::Takes { volume } => format!("{volume} is free and fits"),
            Self::Provisions { provisioner } => format!("{provisioner} provisions a new volume"),
            Self::Nothing => {
                "no free volume fits here, and its class has no provisioner".to_owned()
            }
            Self::TopologyForbids { provisioner } => format!(
                "no free volume fits here, and allowedTopologies keep {provisioner} from this node"
            ),
            Self::NoStorage { driver } => {
                format!("{driver} has published no storage capacity that is enough for this node")
            }
            Self::Label {
                key,
                values,
                actual,
            } => {
                let actual = actual.as_deref().unwrap_or("nothing");
                let values = values.join(" or ");
                format!("{key} is {values}, the node has {actual}")
            }
            Self::SharedDisk { pod } => format!("the same disk is mounted by Pod {pod}"),
            Self::OncePod { pod } => format!("ReadWriteOncePod, already in use by Pod {pod}"),
        }
    }
}

/// JSON of a fact has the outcome twice: as data, and as `text` in words.
pub(super) mod json {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::VolumeOutcome;

    #[derive(Serialize)]
    struct Written<'a> {
        text: String,
        outcome: &'a VolumeOutcome,
    }

    #[derive(Deserialize)]
    struct Read {
        outcome: VolumeOutcome,
    }

    pub fn serialize<S: Serializer>(
        outcome: &VolumeOutcome,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = outcome.expression();
        Written { text, outcome }.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<VolumeOutcome, D::Error> {
        Read::deserialize(deserializer).map(|read| read.outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::VolumeOutcome;
    use crate::fact::FactKind;
    use serde_json::json;

    #[test]
    fn json_has_the_outcome_as_data_and_in_words() {
        let fact = FactKind::Volume {
            name: "data".to_owned(),
            outcome: VolumeOutcome::Takes {
                volume: "pv".to_owned(),
            },
        };
        let written = json!({
            "kind": "volume",
            "name": "data",
            "text": "pv is free and fits",
            "outcome": {"is": "takes", "volume": "pv"},
        });
        assert_eq!(serde_json::to_value(&fact).ok(), Some(written.clone()));
        assert_eq!(serde_json::from_value(written).ok(), Some(fact));
    }
}
