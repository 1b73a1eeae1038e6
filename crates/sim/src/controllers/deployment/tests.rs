use k8s_openapi::api::apps::v1::ReplicaSet;

use super::annotations::{REVISION, REVISION_HISTORY, follow};
use crate::replay::timeline::tests::fixture::{life, workload};

const KUBELET: &str = "kubelet: {readyAfter: 2, graceSeconds: 2}\n";

fn web(spec: &str) -> String {
    workload("Deployment", "web", spec)
}

#[test]
fn a_deployment_adopts_the_replica_set_of_its_template() {
    let set = workload("ReplicaSet", "web", "replicas: 2")
        .replace("name: web}", "name: old, labels: {app: web}}");
    let both = format!("{}\n---\n{set}", web("replicas: 2"));
    let life = life(&both, &format!("{KUBELET}until: 5"));
    let old = &life.at(2, "web")["replicaSets"][0];
    assert_eq!((&old["name"], &old["revision"]), (&"old".into(), &1.into()));
    assert!(life.at(2, "old").is_null());
    assert_eq!(life.status(2, "web", "availableReplicas"), 2);
}

#[test]
fn annotations_reach_the_replica_set_without_a_rollout() {
    let steps = "steps:\n- {at: 5, patch: {name: web, patch: {metadata: {annotations: {team: a}}}}}\n- {at: 6, setImage: {name: web, image: 'app:v2'}}\nuntil: 30";
    let life = life(&web("replicas: 1"), &format!("{KUBELET}{steps}"));
    assert_eq!(life.actions(5), [""; 0]);
    assert_eq!(life.actions(6)[0], "create ReplicaSet web-#2 replicas=1");
}

#[test]
fn revision_history_is_bounded() {
    let mut set = ReplicaSet::default();
    let history = |set: &ReplicaSet| {
        let annotations = set.metadata.annotations.clone().unwrap();
        annotations
            .get(REVISION_HISTORY)
            .cloned()
            .unwrap_or_default()
    };
    assert!(follow(&mut set, None, 1));
    assert!(!follow(&mut set, None, 1));
    assert_eq!(history(&set), "");
    assert!(follow(&mut set, None, 3) && follow(&mut set, None, 8));
    assert_eq!(history(&set), "1,3");
    // A lower revision changes nothing, and an invalid one is kept.
    assert!(!follow(&mut set, None, 5));
    for revision in 10_000..10_600 {
        follow(&mut set, None, revision);
    }
    assert!(history(&set).len() <= 2_000 && history(&set).ends_with(",10598"));
    let annotations = set.metadata.annotations.as_mut().unwrap();
    annotations.insert(REVISION.to_owned(), "x".to_owned());
    assert!(!follow(&mut set, None, 99_999));
}

#[test]
fn a_paused_deployment_cannot_be_rolled_back() {
    let steps = "steps:\n- {at: 5, setImage: {name: web, image: 'app:v2'}}\n- {at: 20, pause: {name: web}}\n- {at: 21, undo: {name: web}}\n- {at: 22, undo: {name: web, toRevision: 2}}\n- {at: 30, resume: {name: web}}\n- {at: 31, undo: {name: web, toRevision: 2}}\nuntil: 40";
    let life = life(&web("replicas: 1"), &format!("{KUBELET}{steps}"));
    assert!(life.messages(21)[0].contains("cannot rollback a paused deployment"));
    assert!(life.messages(31)[0].contains("already matches revision 2"));
    assert_eq!(life.at(40, "web")["revision"], "2");
}

#[test]
fn without_a_deadline_there_is_no_progressing_condition() {
    let spec = "replicas: 1, progressDeadlineSeconds: 2147483647";
    let life = life(&web(spec), &format!("{KUBELET}until: 10"));
    let conditions = life.conditions(5, "web");
    assert_eq!(conditions, ["Available=True/MinimumReplicasAvailable"]);
}

#[test]
fn a_rollout_respects_max_unavailable() {
    // The new Pods never become ready: one surge Pod is created, and no old Pod is deleted.
    let kubelet = "kubelet: {readyAfter: 1, images: {'app:v2': {readyAfter: never}}}";
    let steps = "steps:\n- {at: 5, setImage: {name: web, image: 'app:v2'}}\nuntil: 2000";
    let spec = "replicas: 4, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}";
    let life = life(&web(spec), &format!("{kubelet}\n{steps}"));
    assert_eq!(life.status(1_000, "web", "availableReplicas"), 4);
    assert_eq!(life.status(1_000, "web", "updatedReplicas"), 1);
    assert_eq!(life.seconds(), [0, 1, 5, 606]);
    assert_eq!(
        life.conditions(606, "web")[1],
        "Progressing=False/ProgressDeadlineExceeded"
    );
}
