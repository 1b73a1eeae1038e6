//! The progress of a rollout (kubectl v1.34 `polymorphichelpers/rollout_status.go`).

use serde_json::Value;

use crate::resource::targets::Target;
use berth_sim::server::ApiServer;

/// The state of a rollout.
pub(crate) struct State {
    pub(crate) text: String,
    pub(crate) is_done: bool,
}

/// The state of an object's rollout.
///
/// # Errors
/// kubectl's error if the rollout has failed, the kind has no rollouts, or the object is gone.
pub(crate) fn of(target: &Target, revision: i64, api: &ApiServer) -> Result<State, String> {
    let Target { kind, key } = target;
    let Some(object) = api.get(kind.kind, key) else {
        return Err("error: object has been deleted".to_owned());
    };
    let object = object.to_json();
    let name = key.name();
    let rollout = Rollout {
        object: &object,
        name,
    };
    match kind.kind {
        "Deployment" => rollout.deployment(revision),
        "DaemonSet" => rollout.daemon_set(),
        "StatefulSet" => rollout.stateful_set(),
        _ => Err(format!(
            "error: no status viewer has been implemented for {}",
            kind.group_kind()
        )),
    }
}

struct Rollout<'a> {
    object: &'a Value,
    name: &'a str,
}

fn going(text: String) -> Result<State, String> {
    Ok(State {
        text,
        is_done: false,
    })
}

fn done(text: String) -> Result<State, String> {
    Ok(State {
        text,
        is_done: true,
    })
}

impl Rollout<'_> {
    fn number(&self, path: &str) -> i64 {
        let number = self.object.pointer(path).and_then(Value::as_i64);
        number.unwrap_or(0)
    }

    fn text(&self, path: &str) -> &str {
        let text = self.object.pointer(path).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    /// Whether the controller has observed the current generation.
    fn is_observed(&self) -> bool {
        self.number("/metadata/generation") <= self.number("/status/observedGeneration")
    }

    fn deployment(&self, revision: i64) -> Result<State, String> {
        let name = self.name;
        if revision > 0 {
            let own = self.object.pointer("/metadata/annotations");
            let own = own.and_then(|it| it.get("deployment.kubernetes.io/revision"));
            let own = own.and_then(Value::as_str).unwrap_or_default();
            if own != revision.to_string() {
                return Err(format!(
                    "error: desired revision ({revision}) is different from the running revision ({own})"
                ));
            }
        }
        if !self.is_observed() {
            return going("Waiting for deployment spec update to be observed...\n".to_owned());
        }
        let conditions = self.object.pointer("/status/conditions");
        let conditions = conditions.and_then(Value::as_array);
        let mut progress = conditions
            .into_iter()
            .flatten()
            .filter(|it| it.get("type").is_some_and(|it| it == "Progressing"));
        let exceeded = progress.any(|it| {
            it.get("reason")
                .is_some_and(|it| it == "ProgressDeadlineExceeded")
        });
        if exceeded {
            return Err(format!(
                "error: deployment {name:?} exceeded its progress deadline"
            ));
        }
        let replicas = self.number("/status/replicas");
        let updated = self.number("/status/updatedReplicas");
        let available = self.number("/status/availableReplicas");
        let wanted = self
            .object
            .pointer("/spec/replicas")
            .and_then(Value::as_i64);
        let waiting = format!("Waiting for deployment {name:?} rollout to finish: ");
        match wanted {
            Some(wanted) if updated < wanted => going(format!(
                "{waiting}{updated} out of {wanted} new replicas have been updated...\n"
            )),
            _ if replicas > updated => going(format!(
                "{waiting}{} old replicas are pending termination...\n",
                replicas - updated
            )),
            _ if available < updated => going(format!(
                "{waiting}{available} of {updated} updated replicas are available...\n"
            )),
            _ => done(format!("deployment {name:?} successfully rolled out\n")),
        }
    }

    fn daemon_set(&self) -> Result<State, String> {
        let name = self.name;
        let kind = self.text("/spec/updateStrategy/type");
        if kind != "RollingUpdate" {
            return Err(
                "error: rollout status is only available for RollingUpdate strategy type"
                    .to_owned(),
            );
        }
        if !self.is_observed() {
            return going("Waiting for daemon set spec update to be observed...\n".to_owned());
        }
        let wanted = self.number("/status/desiredNumberScheduled");
        let updated = self.number("/status/updatedNumberScheduled");
        let available = self.number("/status/numberAvailable");
        let waiting = format!("Waiting for daemon set {name:?} rollout to finish: ");
        if updated < wanted {
            return going(format!(
                "{waiting}{updated} out of {wanted} new pods have been updated...\n"
            ));
        }
        if available < wanted {
            return going(format!(
                "{waiting}{available} of {wanted} updated pods are available...\n"
            ));
        }
        done(format!("daemon set {name:?} successfully rolled out\n"))
    }

    fn stateful_set(&self) -> Result<State, String> {
        if self.text("/spec/updateStrategy/type") != "RollingUpdate" {
            return Err(
                "error: rollout status is only available for RollingUpdate strategy type"
                    .to_owned(),
            );
        }
        if self.number("/status/observedGeneration") == 0 || !self.is_observed() {
            return going("Waiting for statefulset spec update to be observed...\n".to_owned());
        }
        let replicas = self
            .object
            .pointer("/spec/replicas")
            .and_then(Value::as_i64);
        let ready = self.number("/status/readyReplicas");
        if let Some(replicas) = replicas.filter(|replicas| ready < *replicas) {
            return going(format!(
                "Waiting for {} pods to be ready...\n",
                replicas - ready
            ));
        }
        let updated = self.number("/status/updatedReplicas");
        let partition = self
            .object
            .pointer("/spec/updateStrategy/rollingUpdate/partition");
        // The API server defaults the partition to 0, so kubectl reports a partitioned rollout even if none was set.
        if let Some(partition) = partition.and_then(Value::as_i64) {
            if let Some(replicas) = replicas
                && updated < replicas - partition
            {
                return going(format!(
                    "Waiting for partitioned roll out to finish: {updated} out of {} new pods have been updated...\n",
                    replicas - partition
                ));
            }
            return done(format!(
                "partitioned roll out complete: {updated} new pods have been updated...\n"
            ));
        }
        let revision = self.text("/status/updateRevision");
        if revision != self.text("/status/currentRevision") {
            return going(format!(
                "waiting for statefulset rolling update to complete {updated} pods at revision {revision}...\n"
            ));
        }
        done(format!(
            "statefulset rolling update complete {} pods at revision {}...\n",
            self.number("/status/currentReplicas"),
            self.text("/status/currentRevision")
        ))
    }
}
