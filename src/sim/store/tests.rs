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

fn names<'a>(pods: impl IntoIterator<Item = &'a Arc<Pod>>) -> Vec<&'a str> {
    pods.into_iter().map(|pod| name_of(&pod.metadata)).collect()
}

#[test]
fn a_controller_finds_its_own_and_those_of_nobody_by_name() {
    let mut store = Store::default();
    for (name, owner) in [("c", "one"), ("a", ""), ("b", "two"), ("d", "one")] {
        store.pods.put(pod(name, owner));
    }
    let owner = ObjectMeta {
        namespace: Some("default".to_owned()),
        uid: Some("one".to_owned()),
        ..ObjectMeta::default()
    };
    assert_eq!(names(store.pods.claimable(&owner)), ["a", "c", "d"]);
    assert_eq!(names(store.pods.controlled_by("two")), ["b"]);
    store.pods.put(pod("a", "two"));
    assert_eq!(names(store.pods.claimable(&owner)), ["c", "d"]);
    store.pods.remove(&Key::new("default", "c"));
    assert_eq!(names(store.pods.claimable(&owner)), ["d"]);
}

#[test]
fn changes_make_a_copy() {
    let mut copy = Store::default();
    let object = Object::Pod(pod("a", ""));
    copy.apply(&Change {
        before: None,
        after: Some(object.clone()),
    });
    assert_eq!(names(copy.pods.of_namespace("default")), ["a"]);
    assert!(copy.pods.of_namespace("other").next().is_none());
    let gone = Change {
        before: Some(object),
        after: None,
    };
    assert!(gone.of::<Pod>().is_some() && gone.of::<Node>().is_none());
    copy.apply(&gone);
    assert!(copy.pods.iter().next().is_none());
}
