use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::*;

fn pod(name: &str, owner: &str) -> Arc<Pod> {
    let reference = OwnerReference {
        uid: owner.to_owned(),
        controller: Some(true),
        ..OwnerReference::default()
    };
    Arc::new(Pod {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: Some("default".to_owned()),
            owner_references: (!owner.is_empty()).then(|| vec![reference]),
            ..ObjectMeta::default()
        },
        ..Pod::default()
    })
}

fn put(store: &mut Store, pod: Arc<Pod>) {
    store.pods.put(&Key::of(&pod.metadata), pod);
}

fn names<'a>(pods: impl IntoIterator<Item = &'a Arc<Pod>>) -> Vec<&'a str> {
    pods.into_iter().map(|pod| name_of(&pod.metadata)).collect()
}

#[test]
fn a_controller_finds_its_own_objects_and_orphans_by_name() {
    let mut store = Store::default();
    for (name, owner) in [("c", "one"), ("a", ""), ("b", "two"), ("d", "one")] {
        put(&mut store, pod(name, owner));
    }
    let owner = ObjectMeta {
        namespace: Some("default".to_owned()),
        uid: Some("one".to_owned()),
        ..ObjectMeta::default()
    };
    assert_eq!(names(store.pods.claimable(&owner)), ["a", "c", "d"]);
    assert_eq!(names(store.pods.controlled_by("two")), ["b"]);
    put(&mut store, pod("a", "two"));
    assert_eq!(names(store.pods.claimable(&owner)), ["c", "d"]);
    store.pods.remove(&Key::new("default", "c"));
    assert_eq!(names(store.pods.claimable(&owner)), ["d"]);
}

#[test]
fn changes_make_a_copy() {
    let mut copy = Store::default();
    let object = Object::Pod(pod("a", ""));
    copy.apply(&Change {
        key: Key::new("default", "a"),
        before: None,
        after: Some(object.clone()),
        is_of_status: false,
    });
    assert_eq!(names(copy.pods.of_namespace("default")), ["a"]);
    assert!(copy.pods.of_namespace("other").next().is_none());
    let gone = Change {
        key: Key::new("default", "a"),
        before: Some(object),
        after: None,
        is_of_status: false,
    };
    assert!(gone.of::<Pod>().is_some() && gone.of::<Node>().is_none());
    copy.apply(&gone);
    assert!(copy.pods.iter().next().is_none());
}

#[test]
fn keys_are_in_the_order_of_namespaces_then_names() {
    let parts = [("", "z"), ("a", "b"), ("a", "c"), ("a-b", "a"), ("b", "")];
    let keys = parts.map(|(namespace, name)| Key::new(namespace, name));
    assert!(keys.is_sorted());
    for (key, (namespace, name)) in keys.iter().zip(parts) {
        assert_eq!((key.namespace(), key.name()), (namespace, name));
    }
    assert_eq!(keys[0].to_string(), "z");
    assert_eq!(keys[3].to_string(), "a-b/a");
    assert_ne!(Key::new("a", "b"), Key::new("", "a\0b"));
}

#[test]
fn a_free_row_is_reused() {
    let mut store = Store::default();
    for name in ["b", "a", "c"] {
        put(&mut store, pod(name, "one"));
    }
    store.pods.remove(&Key::new("default", "a"));
    put(&mut store, pod("d", "two"));
    put(&mut store, pod("b", "two"));
    assert_eq!(names(store.pods.iter()), ["b", "c", "d"]);
    assert_eq!(names(store.pods.controlled_by("two")), ["b", "d"]);
    assert_eq!(store.pods.count(), 3);
    assert!(store.pods.get(&Key::new("default", "a")).is_none());
}

#[test]
fn a_digest_follows_its_object() {
    let digests = |store: &Store| store.pods.digests().collect::<Vec<u64>>();
    let mut store = Store::default();
    put(&mut store, pod("a", "one"));
    put(&mut store, pod("b", "one"));
    let before = digests(&store);
    assert_ne!(before[0], before[1]);
    let copy = store.clone();
    let mut changed = (*pod("a", "one")).clone();
    changed.metadata.resource_version = Some("2".to_owned());
    put(&mut store, Arc::new(changed));
    assert_ne!(digests(&store)[0], before[0]);
    assert_eq!(digests(&store)[1], before[1]);
    assert_eq!(digests(&copy), before);
    put(&mut store, pod("a", "one"));
    assert_eq!(digests(&store), before);
}
