//! Fixes in a simulated cluster: a fix for a Pod of a controller edits the document of its workload.

use super::kinds::{claiming, gpus};
use super::{node, pod, sentences};
use crate::session::Session;
use crate::{edit, find, fixes, frame, simulated};
use berth_core::api::source::SourceFile;
use berth_protocol::edit::Edit;
use berth_protocol::fix::{Change, Fix};

fn living(yaml: &str) -> Session {
    let mut session = crate::testing::simulated(yaml);
    session.run_to_end();
    session
}

/// The position of the last failed attempt of a Pod whose name has this prefix, and its fixes.
fn fixes(session: &Session, name: &str) -> (usize, Vec<Fix>) {
    let begin = format!("default/{name}");
    let mut attempts = session.attempts().rev();
    let found = attempts.find(|(_, it)| it.key.starts_with(&begin) && it.node().is_none());
    let (position, _) = found.expect("it failed");
    (
        position,
        fixes::find(session, position).expect("it can be explained"),
    )
}

fn workload(kind: &str, name: &str, group: &str, spec: &str, pod: &str) -> String {
    format!(
        "apiVersion: {group}
kind: {kind}
metadata: {{name: {name}}}
spec:
  {spec}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      {pod}
      containers: [{{name: main, image: main, command: [sleep, '1000'], resources: {{requests: {{cpu: 1500m}}}}}}]
---
"
    )
}

const SELECTOR: &str = "selector: {matchLabels: {app: NAME}}";

#[test]
fn pods_of_every_workload_change_with_its_template() {
    let wanted = "nodeSelector: {disk: ssd}";
    let never = "nodeSelector: {disk: ssd}\n      restartPolicy: Never";
    let named = |name: &str| SELECTOR.replace("NAME", name);
    for (kind, group, spec, pod_spec) in [
        ("Deployment", "apps/v1", named("it"), wanted),
        ("ReplicaSet", "apps/v1", named("it"), wanted),
        (
            "StatefulSet",
            "apps/v1",
            named("it") + "\n  serviceName: it",
            wanted,
        ),
        ("Job", "batch/v1", "completions: 1".to_owned(), never),
    ] {
        let yaml = node("one", "a", "") + &workload(kind, "it", group, &spec, pod_spec);
        let mut session = living(&yaml);
        let (position, fixes) = fixes(&session, "it-");
        let path = |fix: &&Fix| matches!(&fix.edits[..], [Edit::Remove { object, .. }, ..] if object.kind == kind);
        let fix = fixes.iter().find(path);
        let fix = fix.unwrap_or_else(|| panic!("{kind}: {:?}", sentences(&fixes)));
        assert_eq!(fix.node, "one");
        // The committed fix has the effect that was verified.
        session.seek(position);
        edit::make(&mut session, &fix.edits).expect("they can be made");
        session.run_to_end();
        let placed = session.attempts().filter(|(_, it)| it.node().is_some());
        assert_eq!(placed.count(), 1, "{kind}");
    }
}

#[test]
fn a_pod_without_a_document_has_fixes_of_nodes() {
    let tainted = "spec: {taints: [{key: only, value: gpu, effect: NoSchedule}]}";
    let mut session = living(&node("one", "a", tainted));
    simulated::command(&mut session, "kubectl create deployment web --image=nginx");
    session.run_to_end();
    let (_, fixes) = fixes(&session, "web-");
    let is_node = |fix: &Fix| {
        fix.edits.iter().all(|edit| match edit {
            Edit::Set { object, .. }
            | Edit::Append { object, .. }
            | Edit::Remove { object, .. } => object.kind == "Node",
            Edit::Create { .. } => true,
            Edit::Delete { .. } | Edit::Replace { .. } => false,
        })
    };
    assert!(
        !fixes.is_empty() && fixes.iter().all(is_node),
        "{:?}",
        sentences(&fixes)
    );
}

#[test]
fn scaling_down_a_deployment_is_no_fix_in_a_simulated_cluster() {
    let named = SELECTOR.replace("NAME", "big");
    let big = workload(
        "Deployment",
        "big",
        "apps/v1",
        &format!("replicas: 1\n  {named}"),
        "{}",
    );
    let big = big.replace("      {}\n", "");
    let yaml = node("one", "a", "") + &big;
    let mut session = living(&yaml);
    let more = SourceFile::new("test.yaml", yaml + &pod("small", "1", ""));
    assert!(session.edit(&[more], false));
    session.run_to_end();
    let (_, fixes) = fixes(&session, "small");
    let scales = |fix: &Fix| matches!(fix.what, Change::ScaleDown { .. });
    assert!(!fixes.iter().any(scales), "{:?}", sentences(&fixes));
}

#[test]
fn a_verdict_is_found_in_the_template_of_its_workload() {
    let named = SELECTOR.replace("NAME", "it");
    let yaml = node("one", "a", "")
        + &workload(
            "Deployment",
            "it",
            "apps/v1",
            &named,
            "nodeSelector: {disk: ssd}",
        );
    let session = living(&yaml);
    let pods = frame::build(&session).pods;
    let key = &pods.first().expect("a Pod").key;
    let (found, _) = find::find(&session, key, "one", "spec.nodeSelector", "");
    let found = found.expect("it stands there");
    assert_eq!(found.object, "Deployment it");
    assert!(found.text.contains("disk: ssd"), "{}", found.text);
}

#[test]
fn device_requests_can_be_loosened_in_a_living_cluster() {
    // An edit before the first attempt begins the run again, and needs no replacement.
    let first = gpus("one", "big", 2) + &pod("first", "100m", "");
    let of_template = first + &claiming(&["web"], "count: 4");
    let written = of_template
        .replace("resourceClaimTemplateName", "resourceClaimName")
        .replace("kind: ResourceClaimTemplate", "kind: ResourceClaim")
        .replace("spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 4}}]}}}",
            "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 4}}]}}");
    for (kind, yaml) in [
        ("ResourceClaim", written),
        ("ResourceClaimTemplate", of_template),
    ] {
        let mut session = living(&yaml);
        let (position, fixes) = fixes(&session, "web");
        let lowers = |fix: &&Fix| matches!(&fix.what, Change::LowerDeviceCount { object, to: 2, .. } if object.kind == kind);
        let fix = fixes.iter().find(lowers);
        let fix = fix.unwrap_or_else(|| panic!("{kind}: {:?}", sentences(&fixes)));
        assert!(fix.replaced().is_some(), "{kind}: {}", fix.remark());
        session.seek(position);
        edit::make(&mut session, &fix.edits).expect("they can be made");
        session.run_to_end();
        let placed = session.attempts().filter(|(_, it)| it.node().is_some());
        assert_eq!(placed.count(), 2, "{kind}");
    }
}
