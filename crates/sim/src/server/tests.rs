use k8s_openapi::api::core::v1::{PodSpec, PodStatus};

use super::*;
use crate::store::name_of;
use berth_scheduler::release::Version;

fn server() -> ApiServer {
    ApiServer::new(Naming::Counted(BTreeMap::new()), None)
}

fn pod(node: Option<&str>, finalizers: &[&str]) -> Pod {
    Pod {
        metadata: ObjectMeta {
            generate_name: Some("web-".to_owned()),
            finalizers: Some(finalizers.iter().map(|name| (*name).to_owned()).collect()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            node_name: node.map(str::to_owned),
            ..PodSpec::default()
        }),
        ..Pod::default()
    }
}

#[test]
fn names_and_uids_are_counted_and_versions_guard_against_lost_updates() {
    let mut api = server();
    let first = api.create(pod(None, &[])).unwrap();
    let second = api.create(pod(None, &[])).unwrap();
    assert_eq!(name_of(&first.metadata), "web-0001");
    assert_eq!(name_of(&second.metadata), "web-0002");
    assert_eq!(second.metadata.uid.as_deref(), Some("uid-000002"));
    let mut stale = (*first).clone();
    let mut fresh = (*first).clone();
    fresh.metadata.labels = Some([("a".to_owned(), "b".to_owned())].into());
    assert!(api.update(fresh).is_ok());
    stale.metadata.labels = Some(BTreeMap::new());
    let refused = api.update(stale).unwrap_err();
    assert!(
        refused.to_string().contains("has been modified"),
        "{refused}"
    );
}

#[test]
fn an_update_that_changes_nothing_makes_no_change() {
    let mut api = server();
    let pod = api.create(pod(None, &[])).unwrap();
    let changes = |api: &mut ApiServer| std::iter::from_fn(|| api.next_change()).count();
    assert_eq!(changes(&mut api), 1);
    api.update((*pod).clone()).unwrap();
    api.update_status(&*pod).unwrap();
    assert_eq!(changes(&mut api), 0);
}

#[test]
fn a_running_pod_gets_its_grace_and_others_are_deleted_at_once() {
    let mut api = server();
    let running = api.create(pod(Some("n1"), &[])).unwrap();
    let waiting = api.create(pod(None, &[])).unwrap();
    for pod in [&running, &waiting] {
        api.delete::<Pod>(&Key::of(&pod.metadata)).unwrap();
    }
    let left: Vec<_> = api.store().pods.iter().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].metadata.deletion_grace_period_seconds, Some(30));
    assert_eq!(left[0].metadata.deletion_timestamp, Some(time_at(30_000)));
}

#[test]
fn finalizers_hold_a_finished_pod_until_they_are_removed() {
    let mut api = server();
    let mut held = pod(Some("n1"), &["keep"]);
    held.status = Some(PodStatus {
        phase: Some("Failed".to_owned()),
        ..PodStatus::default()
    });
    let held = api.create(held).unwrap();
    let key = Key::of(&held.metadata);
    api.delete::<Pod>(&key).unwrap();
    let mut held = (**api.store().pods.get(&key).unwrap()).clone();
    held.metadata.finalizers = None;
    api.update(held).unwrap();
    assert!(api.store().pods.get(&key).is_none());
}

#[test]
fn only_changes_of_the_spec_increase_the_generation() {
    let mut api = server();
    let set = k8s_openapi::api::apps::v1::ReplicaSet {
        metadata: ObjectMeta {
            name: Some("web".to_owned()),
            ..ObjectMeta::default()
        },
        ..Default::default()
    };
    let set = api.create(set).unwrap();
    let mut scaled = (*set).clone();
    scaled.spec.get_or_insert_default().replicas = Some(3);
    let scaled = api.update(scaled).unwrap();
    assert_eq!(scaled.metadata.generation, Some(2));
    let mut status = (*scaled).clone();
    status.status.get_or_insert_default().replicas = 3;
    status.spec = None;
    let stored = api.update_status(&status).unwrap();
    assert_eq!(stored.metadata.generation, Some(2));
    assert_eq!(stored.spec, scaled.spec);
    assert!(matches!(
        api.take_audit_log()[..],
        [
            AuditEntry::Created(_),
            AuditEntry::Scaled { from: 1, to: 3, .. }
        ]
    ));
}

#[test]
fn a_bound_pod_gets_the_labels_of_its_nodes_topology_since_v1_35() {
    let zone = "topology.kubernetes.io/zone";
    let labels = |version: Version| {
        let mut api = server().of_release(Release::of(version));
        let mut node = Node::default();
        node.metadata.name = Some("k".to_owned());
        node.metadata.labels = Some([(zone.to_owned(), "a".to_owned())].into());
        api.create(node).unwrap();
        let pod = api.create(pod(None, &[])).unwrap();
        let bound = api.bind((*pod).clone(), "k").unwrap();
        bound.metadata.labels.clone().unwrap_or_default()
    };
    assert!(labels(Version::V1_34).is_empty());
    assert_eq!(
        labels(Version::V1_36).get(zone).map(String::as_str),
        Some("a")
    );
}
