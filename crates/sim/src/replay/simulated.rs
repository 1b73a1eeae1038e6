//! Scripts on a whole simulated cluster: API server, controllers, and the components that bind and run Pods.

use crate::scheduling::Scheduling;
use crate::server::ApiError;
use crate::simulated_cluster::SimulatedCluster;
use berth_base::time::Time;
use berth_core::api::decode::Finding;
use berth_core::api::object::Manifest;
use berth_core::api::script::{Operation, Step};

use super::key::ObjectKey;
use super::operations::Operations;
use super::player::Cluster;
use super::steps::{Objects, Refusal};
use super::whole_objects;

/// A cluster, and what the script has applied to it.
pub(super) struct Simulated {
    pub(super) cluster: SimulatedCluster,
    pub(super) operations: Operations,
}

impl Simulated {
    /// Loads `objects` into a cluster.
    pub(super) fn load<'a>(
        mut cluster: SimulatedCluster,
        objects: impl Iterator<Item = &'a Manifest>,
    ) -> Self {
        let mut operations = Operations::default();
        let objects: Vec<&Manifest> = objects.inspect(|it| operations.note(it)).collect();
        // The reader of the documents has already reported their errors.
        let _ = cluster.load(objects.into_iter());
        cluster.settle();
        Self {
            cluster,
            operations,
        }
    }
}

impl Objects for Simulated {
    fn create(&mut self, _: &ObjectKey, object: &Manifest) -> Result<(), Refusal> {
        self.operations.note(object);
        whole_objects::create(object, self.cluster.api_mut()).map_err(refusal)
    }

    fn update(&mut self, _: &ObjectKey, object: &Manifest) -> Result<bool, Refusal> {
        match whole_objects::update(object, self.cluster.api_mut()) {
            Some(updated) => updated.map(|()| true).map_err(refusal),
            None => Ok(false),
        }
    }

    fn delete(&mut self, key: &ObjectKey) -> bool {
        whole_objects::delete(key, self.cluster.api_mut())
    }

    fn operate(&mut self, operation: &Operation) -> Result<Vec<String>, String> {
        let (hashes, api) = self.cluster.hashes_and_api();
        self.operations.act(operation, hashes, api)
    }
}

fn refusal(error: ApiError) -> Refusal {
    vec![Finding::error("", error.to_string())]
}

impl Cluster for Simulated {
    fn advance(&mut self, until: Time) -> bool {
        self.cluster.advance(until)
    }

    fn settle(&mut self) {
        self.cluster.settle();
    }

    /// Drops the audit log of the step: its own entry lists the changes.
    fn end_step(&mut self, _: &Step) {
        self.cluster.api_mut().take_audit_log();
    }

    fn livelock(&self) -> Option<Finding> {
        let livelock = self.cluster.livelock()?;
        let moment = Time::at_microsecond(livelock.at_ms.saturating_mul(1_000));
        let message = format!(
            "the cluster never comes to rest at second {}",
            moment.as_seconds()
        );
        let finding = Finding::error("", message);
        Some(match self.cluster.is_spinning() {
            true => finding.help(
                "Pods that end at once are replaced at once: let them take time (`runSeconds`)"
                    .into(),
            ),
            false => finding,
        })
    }

    fn scheduling(&mut self) -> &mut Scheduling {
        self.cluster.scheduling_mut()
    }
}
