//! ReplicationControllers as ReplicaSets (`pkg/controller/replication/conversion.go`, Kubernetes v1.34).

use std::borrow::Cow;

use k8s_openapi::api::apps::v1::{
    ReplicaSet, ReplicaSetCondition, ReplicaSetSpec, ReplicaSetStatus,
};
use k8s_openapi::api::core::v1::{
    ReplicationController, ReplicationControllerCondition, ReplicationControllerStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::Replicated;
use crate::controllers::owned_pods::PodOwner;

impl Replicated for ReplicationController {
    const COMPONENT: &'static str = "replication-controller";

    fn as_set(&self) -> Cow<'_, ReplicaSet> {
        let spec = self.spec.as_ref().map(|spec| ReplicaSetSpec {
            min_ready_seconds: spec.min_ready_seconds,
            replicas: spec.replicas,
            selector: self.selector().unwrap_or_default().into_owned(),
            template: spec.template.clone(),
        });
        Cow::Owned(ReplicaSet {
            metadata: self.metadata.clone(),
            spec,
            status: self.status.as_ref().map(status_of),
        })
    }

    fn with_status(&self, status: ReplicaSetStatus) -> Self {
        let conditions = status.conditions.map(|all| {
            let own = all.into_iter().map(|it| ReplicationControllerCondition {
                type_: it.type_,
                status: it.status,
                reason: it.reason,
                message: it.message,
                last_transition_time: it.last_transition_time,
            });
            own.collect()
        });
        ReplicationController {
            status: Some(ReplicationControllerStatus {
                replicas: status.replicas,
                fully_labeled_replicas: status.fully_labeled_replicas,
                ready_replicas: status.ready_replicas,
                available_replicas: status.available_replicas,
                observed_generation: status.observed_generation,
                conditions,
            }),
            ..self.clone()
        }
    }
}

fn status_of(status: &ReplicationControllerStatus) -> ReplicaSetStatus {
    let conditions = status.conditions.as_ref().map(|all| {
        let own = all.iter().cloned().map(|it| ReplicaSetCondition {
            type_: it.type_,
            status: it.status,
            reason: it.reason,
            message: it.message,
            last_transition_time: it.last_transition_time,
        });
        own.collect()
    });
    ReplicaSetStatus {
        replicas: status.replicas,
        fully_labeled_replicas: status.fully_labeled_replicas,
        ready_replicas: status.ready_replicas,
        available_replicas: status.available_replicas,
        observed_generation: status.observed_generation,
        conditions,
        terminating_replicas: None,
    }
}

impl PodOwner for ReplicationController {
    fn selector(&self) -> Option<Cow<'_, LabelSelector>> {
        let labels = self.spec.as_ref()?.selector.clone();
        Some(Cow::Owned(LabelSelector {
            match_labels: labels,
            match_expressions: None,
        }))
    }

    fn min_ready_seconds(&self) -> i32 {
        let spec = self.spec.as_ref();
        spec.and_then(|spec| spec.min_ready_seconds).unwrap_or(0)
    }
}
