//! What a plugin found out about one claim or volume.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use crate::remark::{Remark, Value};

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
    /// The outcome in words.
    #[inline(never)]
    pub fn remark(&self) -> Remark {
        match self {
            Self::Usable { volume } => Remark::volume_usable(volume),
            Self::AffinityConflict { volume } => Remark::volume_excluded(volume),
            Self::VolumeMissing { volume } => Remark::volume_missing(volume),
            Self::SelectedElsewhere { node } => Remark::volume_for_node(node),
            Self::Takes { volume } => Remark::volume_free(volume),
            Self::Provisions { provisioner } => Remark::volume_provisioned(provisioner),
            Self::Nothing => Remark::no_volume(),
            Self::TopologyForbids { provisioner } => Remark::topology_forbids(provisioner),
            Self::NoStorage { driver } => Remark::no_storage(driver),
            Self::Label {
                key,
                values,
                actual,
            } => {
                let values = values.iter().map(Value::from);
                let values = values.reduce(|a, b| Remark::either(a, b).into());
                let values = values.unwrap_or_else(|| "".into());
                match actual {
                    Some(actual) => Remark::volume_label(key, values, actual),
                    None => Remark::volume_label_absent(key, values),
                }
            }
            Self::SharedDisk { pod } => Remark::disk_shared(pod),
            Self::OncePod { pod } => Remark::once_pod(pod),
        }
    }
}

/// JSON of a fact has the outcome twice: as data, and as `text` in words.
pub(super) mod json {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::VolumeOutcome;
    use crate::remark::Remark;

    #[derive(Serialize)]
    struct Written<'a> {
        /// The outcome in English.
        text: Remark,
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
        let text = outcome.remark();
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
    fn a_label_is_one_of_several() {
        let label = |values: &[&str], actual: Option<&str>| {
            let outcome = VolumeOutcome::Label {
                key: "zone".to_owned(),
                values: values.iter().map(|&value| value.to_owned()).collect(),
                actual: actual.map(str::to_owned),
            };
            outcome.remark()
        };
        assert_eq!(label(&["a"], Some("b")), "zone is a, the node has b");
        assert_eq!(
            label(&["a", "b", "c"], None),
            "zone is a or b or c, the node has nothing"
        );
    }

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
