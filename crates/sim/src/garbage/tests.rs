use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};

use super::*;
use crate::server::Naming;
use crate::store::Stored;
use crate::strategy::Served;

/// An API server with the garbage collector only.
struct Plane(ApiServer);

impl Plane {
    fn new() -> Self {
        Plane(ApiServer::new(Naming::Counted(BTreeMap::new()), None))
    }

    fn settle(&mut self) {
        while let Some(change) = self.0.next_change() {
            collect(&change, &mut self.0, true);
        }
    }

    /// Creates an object with these owners: kind, name, uid, and whether it blocks them.
    fn create<T: Served + Default>(
        &mut self,
        name: &str,
        owners: &[(&str, &str, &str, bool)],
    ) -> String {
        let mut object = T::default();
        let references = owners
            .iter()
            .map(|(kind, name, uid, blocks)| OwnerReference {
                kind: (*kind).to_owned(),
                name: (*name).to_owned(),
                uid: (*uid).to_owned(),
                block_owner_deletion: Some(*blocks),
                ..OwnerReference::default()
            });
        *object.metadata_mut() = ObjectMeta {
            name: Some(name.to_owned()),
            owner_references: Some(references.collect()),
            ..ObjectMeta::default()
        };
        let object = self.0.create(object).expect("it is new");
        uid_of(object.metadata()).to_owned()
    }

    fn delete<T: Served>(&mut self, name: &str, propagation: Propagation) {
        let key = Key::new("default", name);
        self.0
            .delete_as::<T>(&key, propagation)
            .expect("it is there");
    }

    fn has<T: Stored>(&self, name: &str) -> bool {
        T::table(self.0.store())
            .get(&Key::new("default", name))
            .is_some()
    }
}

#[test]
fn dependents_of_dependents_go_as_well() {
    let mut plane = Plane::new();
    let web = plane.create::<Deployment>("web", &[]);
    let set = plane.create::<ReplicaSet>("web-1", &[("Deployment", "web", &web, true)]);
    plane.create::<Pod>("web-1-a", &[("ReplicaSet", "web-1", &set, true)]);
    plane.create::<Pod>("other", &[]);
    plane.delete::<Deployment>("web", Propagation::Background);
    plane.settle();
    assert!(!plane.has::<ReplicaSet>("web-1") && !plane.has::<Pod>("web-1-a"));
    assert!(plane.has::<Pod>("other"));
}

#[test]
fn an_object_goes_with_the_last_of_its_owners_and_forgets_the_others() {
    let mut plane = Plane::new();
    let one = plane.create::<Deployment>("one", &[]);
    let two = plane.create::<Deployment>("two", &[]);
    let owners = [
        ("Deployment", "one", one.as_str(), false),
        ("Deployment", "two", two.as_str(), false),
    ];
    plane.create::<PersistentVolumeClaim>("shared", &owners);
    plane.delete::<Deployment>("one", Propagation::Background);
    plane.settle();
    let claim = plane.0.store().claims.get(&Key::new("default", "shared"));
    let left = claim.map(|claim| super::owners_of(&claim.metadata).len());
    assert_eq!(left, Some(1));
    plane.delete::<Deployment>("two", Propagation::Background);
    plane.settle();
    assert!(!plane.has::<PersistentVolumeClaim>("shared"));
}

#[test]
fn dependents_of_owners_that_never_existed_are_deleted() {
    let mut plane = Plane::new();
    let web = plane.create::<Deployment>("web", &[]);
    plane.create::<Pod>("lost", &[("Deployment", "nobody", "uid-x", true)]);
    // A namesake with another uid is not the owner.
    plane.create::<Pod>("namesake", &[("Deployment", "web", "uid-x", true)]);
    plane.create::<Pod>("kept", &[("Deployment", "web", &web, true)]);
    plane.create::<Pod>("foreign", &[("Rollout", "web", "uid-y", true)]);
    plane.settle();
    let kept = ["lost", "namesake", "kept", "foreign"].map(|name| plane.has::<Pod>(name));
    assert_eq!(kept, [false, false, true, true]);
}

#[test]
fn in_the_foreground_an_owner_waits_for_those_that_block_it() {
    let mut plane = Plane::new();
    let set = plane.create::<ReplicaSet>("web", &[]);
    let owner = |blocks| [("ReplicaSet", "web", set.as_str(), blocks)];
    plane.create::<Pod>("blocks", &owner(true));
    plane.create::<Pod>("follows", &owner(false));
    for name in ["blocks", "follows"] {
        let pod = plane.0.store().pods.get(&Key::new("default", name));
        let mut pod = (**pod.expect("it is there")).clone();
        pod.spec.get_or_insert_default().node_name = Some("n1".to_owned());
        plane.0.update(pod).expect("it is new");
    }
    plane.delete::<ReplicaSet>("web", Propagation::Foreground);
    plane.settle();
    assert!(plane.has::<ReplicaSet>("web"), "its Pods have their grace");
    plane.0.erase::<Pod>(&Key::new("default", "blocks"));
    plane.settle();
    assert!(plane.has::<Pod>("follows") && !plane.has::<ReplicaSet>("web"));
}

#[test]
fn a_foreground_deletion_reaches_dependents_of_dependents_first() {
    let mut plane = Plane::new();
    let web = plane.create::<Deployment>("web", &[]);
    let set = plane.create::<ReplicaSet>("web-1", &[("Deployment", "web", &web, true)]);
    plane.create::<Pod>("a", &[("ReplicaSet", "web-1", &set, true)]);
    let pod = plane.0.store().pods.get(&Key::new("default", "a"));
    let mut pod = (**pod.expect("it is there")).clone();
    pod.spec.get_or_insert_default().node_name = Some("n1".to_owned());
    plane.0.update(pod).expect("it is new");
    plane.delete::<Deployment>("web", Propagation::Foreground);
    plane.settle();
    assert!(plane.has::<Deployment>("web") && plane.has::<ReplicaSet>("web-1"));
    plane.0.erase::<Pod>(&Key::new("default", "a"));
    plane.settle();
    assert!(!plane.has::<Deployment>("web") && !plane.has::<ReplicaSet>("web-1"));
}

#[test]
fn orphans_stay_without_an_owner() {
    let mut plane = Plane::new();
    let set = plane.create::<ReplicaSet>("web", &[]);
    plane.create::<Pod>("a", &[("ReplicaSet", "web", &set, true)]);
    plane.delete::<ReplicaSet>("web", Propagation::Orphan);
    plane.settle();
    assert!(!plane.has::<ReplicaSet>("web"));
    let pod = plane.0.store().pods.get(&Key::new("default", "a"));
    assert_eq!(
        pod.map(|pod| super::owners_of(&pod.metadata).len()),
        Some(0)
    );
}
