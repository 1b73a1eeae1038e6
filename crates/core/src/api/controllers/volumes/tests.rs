use serde_json::{Value, json};

use super::*;

fn parse<T: serde::de::DeserializeOwned>(value: Value) -> Vec<T> {
    serde_json::from_value(value).unwrap()
}

fn volume(name: &str, size: &str, modes: &[&str]) -> Value {
    json!({"metadata": {"name": name}, "spec": {"capacity": {"storage": size}, "accessModes": modes}})
}

fn claim(name: &str, size: &str) -> Value {
    json!({
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}},
    })
}

/// The volume and phase of each claim after the controller's pass.
fn bound(volumes: Value, claims: Value, classes: Value) -> Vec<(String, String)> {
    let (mut volumes, mut claims) = (parse(volumes), parse(claims));
    bind_volumes(&mut volumes, &mut claims, &parse(classes));
    let phase = |claim: &PersistentVolumeClaim| claim.status.clone().unwrap().phase.unwrap();
    claims
        .iter()
        .map(|claim| (bound_volume(claim).unwrap_or("").into(), phase(claim)))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

#[test]
fn a_free_claim_gets_fewest_modes_then_the_smallest_then_the_first_name() {
    let rwo = &["ReadWriteOnce"][..];
    let volumes = json!([
        volume("many-modes", "1Gi", &["ReadWriteOnce", "ReadOnlyMany"]),
        volume("too-small", "1Mi", rwo),
        volume("large", "9Gi", rwo),
        volume("b", "2Gi", rwo),
        volume("a", "2048Mi", rwo),
    ]);
    let claims = json!([
        claim("1", "1Gi"),
        claim("2", "1Gi"),
        claim("3", "1Gi"),
        claim("4", "1Gi"),
        claim("5", "1Gi")
    ]);
    let expected = [
        ("a", BOUND),
        ("b", BOUND),
        ("large", BOUND),
        ("many-modes", BOUND),
        ("", PENDING),
    ];
    assert_eq!(bound(volumes, claims, json!([])), pairs(&expected));
}

#[test]
fn binding_writes_both_sides() {
    let mut volumes = parse(json!([volume("pv", "1Gi", &["ReadWriteOnce"])]));
    let mut claims = parse(json!([claim("c", "1Gi")]));
    bind_volumes(&mut volumes, &mut claims, &[]);
    let volume: Value = serde_json::to_value(&volumes[0]).unwrap();
    assert_eq!(volume["status"]["phase"], json!("Bound"));
    assert_eq!(volume["spec"]["claimRef"]["uid"], json!("uid-c"));
    let claim: Value = serde_json::to_value(&claims[0]).unwrap();
    assert_eq!(
        claim["metadata"]["annotations"],
        json!({BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes"})
    );
    assert_eq!(claim["spec"]["volumeName"], json!("pv"));
}

#[test]
fn claims_with_a_volume_name_come_first_and_get_no_controller_mark() {
    let volumes = json!([volume("pv", "1Mi", &[])]);
    let mut named = claim("named", "1Gi");
    named["spec"]["volumeName"] = json!("pv");
    let mut free = claim("free", "1Mi");
    free["spec"]["accessModes"] = json!([]);
    let (mut volumes, mut claims) = (parse(volumes), parse(json!([free, named])));
    bind_volumes(&mut volumes, &mut claims, &[]);
    let annotations = claims[1].metadata.annotations.clone().unwrap();
    assert_eq!(annotations.keys().collect::<Vec<_>>(), [BIND_COMPLETED]);
    assert_eq!(bound_volume(&claims[0]), None);
}

#[test]
fn a_volume_name_of_a_missing_or_foreign_volume_leaves_the_claim_pending_and_lost_stays_lost() {
    let mut foreign = volume("taken", "1Gi", &[]);
    foreign["spec"]["claimRef"] = json!({"namespace": "default", "name": "somebody"});
    let mut a = claim("a", "1Gi");
    a["spec"]["volumeName"] = json!("gone");
    let mut b = claim("b", "1Gi");
    b["spec"]["volumeName"] = json!("taken");
    let mut c = a.clone();
    c["status"] = json!({"phase": "Lost"});
    let expected = [("gone", PENDING), ("taken", PENDING), ("gone", LOST)];
    assert_eq!(
        bound(json!([foreign]), json!([a, b, c]), json!([])),
        pairs(&expected)
    );
}

#[test]
fn a_claim_ref_binds_its_claim_even_when_the_class_waits() {
    let mut reserved = volume("reserved", "1Gi", &["ReadWriteOnce"]);
    reserved["spec"]["claimRef"] = json!({"namespace": "default", "name": "c"});
    let mut waiting = claim("c", "1Gi");
    waiting["spec"]["storageClassName"] = json!("late");
    let late = json!([{"metadata": {"name": "late"}, "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer"}]);
    assert_eq!(
        bound(json!([reserved]), json!([waiting]), late),
        pairs(&[("reserved", BOUND)])
    );
}

#[test]
fn waiting_claims_and_volumes_that_do_not_fit_stay_apart() {
    let late = json!([{"metadata": {"name": "late"}, "provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer"}]);
    let mut of_late = volume("of-late", "1Gi", &["ReadWriteOnce"]);
    of_late["spec"]["storageClassName"] = json!("late");
    let mut waiting = claim("waiting", "1Gi");
    waiting["spec"]["storageClassName"] = json!("late");
    let mut block = claim("block", "1Gi");
    block["spec"]["volumeMode"] = json!("Block");
    let mut choosy = claim("choosy", "1Gi");
    choosy["spec"]["selector"] = json!({"matchLabels": {"media": "ssd"}});
    let mut released = volume("released", "1Gi", &["ReadWriteOnce"]);
    released["status"] = json!({"phase": "Released"});
    let plain = volume("plain", "1Gi", &["ReadOnlyMany"]);
    let claims = json!([waiting, block, choosy, claim("writer", "1Gi")]);
    let expected = [("", PENDING); 4];
    assert_eq!(
        bound(json!([of_late, released, plain]), claims, late),
        pairs(&expected)
    );
}

#[test]
fn a_placed_pod_binds_the_chosen_volume_and_provisions_the_rest() {
    let late: Vec<StorageClass> = parse(json!([
        {"metadata": {"name": "late"}, "provisioner": "disk.csi", "volumeBindingMode": "WaitForFirstConsumer"},
    ]));
    let mut volumes = parse(json!([volume("chosen", "5Gi", &["ReadWriteOnce"])]));
    let mut fresh = claim("fresh", "3Gi");
    fresh["spec"]["storageClassName"] = json!("late");
    let mut claims = parse(json!([fresh, claim("old", "1Gi")]));
    let decisions = PodVolumes {
        bindings: vec![
            ("default/old".into(), "chosen".into()),
            ("default/gone".into(), "chosen".into()),
        ],
        provisions: vec!["default/fresh".into()],
    };
    let done = bind_claims_of_pod(&decisions, &mut volumes, &mut claims, &late);
    assert_eq!(
        done,
        [
            BoundClaim {
                claim: 1,
                volume: 0
            },
            BoundClaim {
                claim: 0,
                volume: 1
            }
        ]
    );
    assert_eq!(bound_volume(&claims[1]), Some("chosen"));
    let made: Value = serde_json::to_value(&volumes[1]).unwrap();
    assert_eq!(made["metadata"]["name"], json!("pvc-default-fresh"));
    assert_eq!(made["spec"]["capacity"]["storage"], json!("3Gi"));
    assert_eq!(
        made["spec"]["csi"],
        json!({"driver": "disk.csi", "volumeHandle": "pvc-default-fresh"})
    );
    assert_eq!(made["spec"]["storageClassName"], json!("late"));
    assert_eq!(made["spec"].get("nodeAffinity"), None);
    assert_eq!(made["status"]["phase"], json!("Bound"));
}
