//! Acts that bring a cluster to rest after a wild life: they remove blockers of progress, and objects that keep
//! changing.

use std::collections::BTreeSet;

use berth_sim::pod_util;
use berth_sim::server::ApiServer;
use berth_sim::store::{Key, Object, controller_of, name_of, namespace_of, uid_of};

use super::all;
use super::generator::{Act, COMMON, heredoc};

/// `kind/name -n namespace`.
fn named(object: &Object) -> String {
    let (kind, meta) = (object.kind().to_lowercase(), object.metadata());
    match namespace_of(meta) {
        "" => format!("{kind}/{}", name_of(meta)),
        namespace => format!("{kind}/{} -n {namespace}", name_of(meta)),
    }
}

/// Acts after which nothing blocks progress in this cluster.
pub fn acts(api: &ApiServer) -> Vec<Act> {
    let store = api.store();
    let mut lines = vec![
        "kubectl config set-context --current --namespace=default; set +e; unalias k".to_owned(),
        "kubectl delete resourcequotas,limitranges --all -A --wait=false".to_owned(),
        heredoc("apply", COMMON),
    ];
    let mut acts: Vec<Act> = Vec::new();
    for node in store.nodes.iter() {
        let name = name_of(&node.metadata);
        acts.push(Act::Revive(name.to_owned()));
        let well = [
            "DiskPressure",
            "MemoryPressure",
            "PIDPressure",
            "NetworkUnavailable",
        ];
        let well = well.map(|kind| format!(r#"{{"type":"{kind}","status":"False"}}"#));
        lines.push(format!(
            r#"kubectl patch node {name} --subresource=status -p '{{"status":{{"conditions":[{},{{"type":"Ready","status":"True"}}]}}}}'"#,
            well.join(",")
        ));
        let spec = node.spec.clone().unwrap_or_default();
        let keys: BTreeSet<String> = spec
            .taints
            .iter()
            .flatten()
            .map(|it| it.key.clone())
            .collect();
        for key in keys {
            lines.push(format!("kubectl taint nodes {name} {key}-"));
        }
        lines.push(format!("kubectl uncordon {name}"));
    }
    for deployment in store.deployments.iter() {
        let paused = deployment.spec.as_ref().and_then(|it| it.paused);
        if paused == Some(true) {
            let name = named(&Object::Deployment(deployment.clone()));
            lines.push(format!("kubectl rollout resume {name}"));
        }
    }
    for job in store.jobs.iter() {
        let name = named(&Object::Job(job.clone()));
        lines.push(format!(
            r#"kubectl patch {name} -p '{{"spec":{{"suspend":false}}}}'"#
        ));
    }
    for object in all(store) {
        let own = |it: &String| it.contains("example.com");
        if object.metadata().finalizers.iter().flatten().any(own) {
            let name = named(&object);
            let none = r#"{"metadata":{"finalizers":null}}"#;
            lines.push(format!("kubectl patch {name} --type=merge -p '{none}'"));
        }
    }
    lines.push("kubectl delete pods -l fate=crash -A --ignore-not-found --wait=false".to_owned());
    acts.extend(lines.into_iter().map(Act::Line));
    acts
}

/// Suspends all CronJobs in the store, also those with damaged names: they create Jobs without end.
pub fn suspensions(api: &ApiServer) -> Vec<Act> {
    let lines = api.store().cron_jobs.iter().map(|job| {
        let name = named(&Object::CronJob(job.clone()));
        format!(r#"kubectl patch {name} -p '{{"spec":{{"suspend":true}}}}'"#)
    });
    lines.map(Act::Line).collect()
}

/// Lines that delete the owners of objects that keep changing for legitimate reasons: processes that crash and are
/// restarted, Pods that cannot be created, Jobs that fail for a long time.
pub fn removals(api: &ApiServer, since_ms: i64) -> Vec<Act> {
    let mut restless: BTreeSet<String> = BTreeSet::new();
    for pod in api.store().pods.iter() {
        let all = pod_util::container_statuses(pod).chain(pod_util::init_container_statuses(pod));
        let crashes = all.into_iter().any(|status| status.restart_count > 0);
        let is_new = pod_util::created_ms(pod) > since_ms;
        if crashes || is_new || pod_util::annotation_of(pod, "berth.dev/image").is_some() {
            restless.insert(top(Object::Pod(pod.clone()), api));
        }
    }
    for event in api.events().iter().filter(|it| it.last_ms() > since_ms) {
        let is_trouble = [
            "FailedCreate",
            "Unhealthy",
            "BackOff",
            "Failed",
            "InspectFailed",
            "Evicted",
        ];
        if !is_trouble.contains(&&*event.reason) {
            continue;
        }
        let found = api.store().find(event.kind, &event.key);
        if let Some(object) = found.filter(|it| uid_of(it.metadata()) == event.uid) {
            restless.insert(top(object, api));
        }
    }
    restless
        .into_iter()
        .map(|name| Act::Line(format!("kubectl delete {name} --wait=false")))
        .collect()
}

/// The topmost controller of an object, or the object itself. A controller that a finalizer holds does not replace what
/// it owns.
fn top(object: Object, api: &ApiServer) -> String {
    let mut object = object;
    while let Some(owner) = controller_of(object.metadata()) {
        let key = Key::new(namespace_of(object.metadata()), owner.name.as_str());
        match api.store().find(&owner.kind, &key) {
            Some(found) if found.metadata().deletion_timestamp.is_none() => object = found,
            _ => break,
        }
    }
    named(&object)
}
