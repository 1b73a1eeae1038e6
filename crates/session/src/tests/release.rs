//! Sessions that follow another release.

use berth_core::api::source::SourceFile;
use berth_scheduler::release::Version;

use crate::session::{Options, Session};
use crate::testing::session;
use crate::{export, sources};

const TAINTED: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a}
spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
status: {allocatable: {cpu: '2', memory: 4Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: web}]}
";

fn message(session: &mut Session) -> String {
    session.run_to_end();
    let (_, attempt) = session.attempts().next().expect("an attempt");
    attempt.message().unwrap_or_default().to_owned()
}

#[test]
fn another_release_runs_everything_again_and_can_be_undone() {
    let mut session = session(TAINTED);
    sources::set_kubernetes(&mut session, Some(Version::V1_34));
    let named = message(&mut session);
    assert!(
        named.contains("untolerated taint {dedicated: gpu}"),
        "{named}"
    );
    sources::set_kubernetes(&mut session, Some(Version::V1_36));
    let plain = message(&mut session);
    assert!(plain.contains("untolerated taint(s)"), "{plain}");
    assert_eq!(export::trace_frame(&session, "x").kubernetes, "v1.36.3");
    assert!(session.undo());
    assert_eq!(message(&mut session), named);
}

#[test]
fn a_scenario_chooses_release_and_gates() {
    let scenario = |fields: &str| {
        let head = "apiVersion: berth.dev/v1alpha1\nkind: Scenario\n";
        format!("{head}{fields}\n---{TAINTED}")
    };
    let plain = message(&mut session(&scenario("kubernetes: '1.36'")));
    assert!(plain.contains("untolerated taint(s)"), "{plain}");
    let problems = |fields: &str| -> Vec<String> {
        let mut session = Session::new(Options::default());
        assert!(session.apply(&[SourceFile::new("test.yaml", scenario(fields))]));
        session.problems().iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        problems("kubernetes: '1.36'\nfeatureGates: {ImageVolume: false}"),
        [
            "test.yaml:4:29: error: featureGates[ImageVolume]: cannot set feature gate ImageVolume to false, feature is \
          locked to true (leave it out)"
        ]
    );
    assert_eq!(
        problems("kubernetes: '1.37'"),
        [
            "test.yaml:3:13: error: kubernetes: Unsupported value: \"1.37\": supported values: \"1.34\", \"1.35\", \
          \"1.36\" (Kubernetes 1.37 is not simulated: use one of 1.34, 1.35, 1.36)"
        ]
    );
}

/// A plugin that the older release lacks: kube-scheduler would not start, so the session stays as it is.
#[test]
fn a_release_that_would_not_start_is_not_followed() {
    let configured = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n\
        - plugins: {filter: {enabled: [{name: NodeDeclaredFeatures}]}}\n---";
    let head = "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nkubernetes: '1.36'\n---\n";
    let mut session = session(&format!("{head}{configured}{TAINTED}"));
    sources::set_kubernetes(&mut session, Some(Version::V1_34));
    assert_eq!(
        session.manifests().prepared.release.version(),
        Version::V1_36
    );
    assert!(session.options().release.kubernetes.is_none());
    assert!(
        session
            .problems()
            .iter()
            .any(|it| it.to_string().contains("does not exist"))
    );
}
