//! Compares the TypeScript types of the JavaScript API with the values that the engine returns, in both
//! directions: it returns nothing undeclared, and everything declared.

use berth_protocol::cycle::DeviceReport;
use berth_protocol::device::{DeviceFrame, DeviceHolder, NodeDevices, SharedPool, Unavailable};
use berth_protocol::drain::{Blocked, DrainPlan, Evicted};
use berth_protocol::edit::ObjectRef;
use berth_protocol::fact::{AffinityTermKind, DeviceOutcome, Fact, FactKind, VolumeOutcome};
use berth_protocol::frame::{Difference, FirstMark, ForkChange, ForkFrame, MarkKind, WaitingPods};
use berth_protocol::gesture::Label;
use berth_session::{Options, Session, SourceFile, explain, export, frame};
use serde_json::json;

use crate::conformance::corpus;
use crate::declarations::Declarations;

const TYPES: &str = include_str!("../../src/js/types.d.ts");

/// Nodes with devices, which Pods claim.
const GPUS: &str = include_str!("../../www/scenarios/gpu-models.yaml");

/// Manifests with what the recorded scenarios lack: a title, ignored kinds, an error, a warning, a cordon.
const OTHERS: &str = "
apiVersion: berth.dev/v1alpha1
kind: Scenario
title: Types
description: All of them.
hints: [Look closely.]
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: ignored}
---
apiVersion: v1
kind: Node
metadata: {name: node-a, lables: {}}
spec: {unschedulable: true}
status: {conditions: [{type: Ready, status: 'False'}]}
---
apiVersion: v1
kind: Pod
metadata: {name: UPPER}
";

/// What traces say of claims: one is allocated with a configuration, one with admin access, one given up, one missing.
const CLAIMS: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: default, labels: {resource.kubernetes.io/admin-access: 'true'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec:
  selectors: [{cel: {expression: device.driver == 'd.example'}}]
  config: [{opaque: {driver: d.example, parameters: {mode: shared}}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: plain}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: all}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: plain, adminAccess: true}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: lost}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: plain}}]}}
status:
  allocation:
    devices: {results: [{request: g, driver: d.example, pool: old, device: gpu-0}]}
    nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [gone]}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pod-a}
spec: {containers: [{name: c, image: web}], resourceClaims: [{name: g, resourceClaimName: one}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pod-b}
spec: {containers: [{name: c, image: web}], resourceClaims: [{name: g, resourceClaimName: all}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pod-c}
spec: {containers: [{name: c, image: web}], resourceClaims: [{name: g, resourceClaimName: lost}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pod-d}
spec: {containers: [{name: c, image: web}], resourceClaims: [{name: g, resourceClaimName: missing}]}
";

/// A configuration with which a cycle ends in an error: a Filter plugin without its PreFilter.
const BROKEN: &str = "
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {preFilter: {disabled: [{name: NodeResourcesFit}]}}
---
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: pod-a}
spec: {containers: [{name: c, image: web}]}
";

fn declarations() -> Declarations {
    Declarations::new(TYPES)
}

/// Checks everything that a session returns while it plays these manifests.
fn check_session(declarations: &mut Declarations, text: &str, first_on_ties: bool) {
    let mut session = Session::new(Options {
        first_on_ties,
        ..Options::default()
    });
    session.apply(&[SourceFile::new("types.yaml", text)]);
    let check_frame = |declarations: &mut Declarations, session: &Session| {
        let frame = serde_json::to_value(frame::build(session)).expect("a frame");
        declarations.check("Frame", &frame);
    };
    check_frame(declarations, &session);
    session.advance(3);
    check_frame(declarations, &session);
    session.run_to_end();
    check_frame(declarations, &session);
    for position in 0..session.log().len() {
        let cycle = explain::attempt(&session, position).expect("an attempt");
        declarations.check("Cycle", &serde_json::to_value(cycle).expect("a cycle"));
    }
    let trace = export::trace(&mut session, "types").expect("a trace");
    declarations.check("Trace", &serde_json::to_value(trace).expect("JSON"));
    session.seek(session.log().len() / 2);
    if session.edit(&[SourceFile::new("types.yaml", edited(text))], false) {
        session.run_to_end();
        check_frame(declarations, &session);
    }
}

/// Checks what a session with devices returns.
fn check_devices(declarations: &mut Declarations) {
    let mut session = Session::new(Options::default());
    session.apply(&[SourceFile::new("types.yaml", GPUS)]);
    session.run_to_end();
    let frame = serde_json::to_value(frame::build(&session)).expect("a frame");
    declarations.check("Frame", &frame);
    for position in 0..session.log().len() {
        let cycle = explain::attempt(&session, position).expect("an attempt");
        declarations.check("Cycle", &serde_json::to_value(cycle).expect("a cycle"));
    }
}

/// Checks what a session with a simulated cluster returns.
fn check_live(declarations: &mut Declarations, text: &str) {
    let mut session = Session::new(Options {
        live: true,
        ..Options::default()
    });
    session.apply(&[SourceFile::new("types.yaml", text)]);
    while session.step() {
        let frame = serde_json::to_value(frame::build(&session)).expect("a frame");
        declarations.check("Frame", &frame);
    }
}

/// A Pod that is preempted by another, which backs off while a third is tried.
const LIVE: &str = "
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1
---
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: low}
spec:
  nodeName: node-a
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: web, resources: {requests: {cpu: '2'}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: third}
spec: {containers: [{name: c, image: web, resources: {requests: {cpu: '2'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: high}
spec: {priorityClassName: high, containers: [{name: c, image: web, resources: {requests: {cpu: '2'}}}]}
";

/// The same manifests with one more node, which has room for every Pod.
fn edited(text: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: one-more}}\nstatus: {{allocatable: \
         {{cpu: '99', memory: 99Gi, pods: '99'}}}}\n---\n{text}"
    )
}

/// One fact of every kind. A new kind must be added here, and then to the types.
fn facts() -> Vec<FactKind> {
    let text = || "x".to_owned();
    let pod_affinity = |term| FactKind::PodAffinity {
        term,
        topology_key: text(),
        domain: Some(text()),
        count: 1,
        selector: text(),
        pods: Vec::new(),
    };
    let kinds = vec![
        FactKind::Resource {
            resource: text(),
            request: 1,
            used: 1,
            allocatable: 1,
        },
        FactKind::Taint {
            key: text(),
            value: text(),
            effect: text(),
        },
        FactKind::NodeRequirement {
            key: text(),
            operator: text(),
            values: vec![text()],
            actual: None,
            holds: false,
        },
        FactKind::Spread {
            topology_key: text(),
            domain: None,
            count: 1,
            own: 1,
            minimum: 1,
            max_skew: 1,
        },
        pod_affinity(AffinityTermKind::Affinity),
        pod_affinity(AffinityTermKind::AntiAffinity),
        pod_affinity(AffinityTermKind::ExistingAntiAffinity),
        FactKind::HostPort {
            host_ip: text(),
            protocol: text(),
            port: 1,
        },
        FactKind::VolumeCount {
            driver: text(),
            attached: 1,
            new: 1,
            limit: 1,
        },
        FactKind::NodeName { wanted: text() },
        FactKind::Unschedulable,
        FactKind::NodeFeature {
            feature: text(),
            declared: false,
        },
    ];
    let kinds = [kinds, volume_facts(), device_facts()].concat();
    kinds.iter().for_each(is_listed);
    kinds
}

/// A fact of each outcome of a claim or volume.
fn volume_facts() -> Vec<FactKind> {
    let text = String::new;
    let label = |actual| VolumeOutcome::Label {
        key: text(),
        values: vec![text()],
        actual,
    };
    let outcomes = [
        VolumeOutcome::Usable { volume: text() },
        VolumeOutcome::AffinityConflict { volume: text() },
        VolumeOutcome::VolumeMissing { volume: text() },
        VolumeOutcome::SelectedElsewhere { node: text() },
        VolumeOutcome::Takes { volume: text() },
        VolumeOutcome::Provisions {
            provisioner: text(),
        },
        VolumeOutcome::Nothing,
        VolumeOutcome::TopologyForbids {
            provisioner: text(),
        },
        VolumeOutcome::NoStorage { driver: text() },
        label(None),
        label(Some(text())),
        VolumeOutcome::SharedDisk { pod: text() },
        VolumeOutcome::OncePod { pod: text() },
    ];
    let fact = |outcome| FactKind::Volume {
        name: text(),
        outcome,
    };
    outcomes.map(fact).to_vec()
}

/// A fact of each outcome of the search for devices.
fn device_facts() -> Vec<FactKind> {
    let text = String::new;
    let device = |outcome| FactKind::Device {
        claim: text(),
        request: text(),
        device: text(),
        outcome,
    };
    let not_selected = |class| DeviceOutcome::NotSelected {
        class,
        expression: text(),
        seen: vec![(text(), text())],
    };
    vec![
        device(DeviceOutcome::ClaimElsewhere),
        device(DeviceOutcome::BindingFailed {
            reason: text(),
            message: text(),
        }),
        device(DeviceOutcome::BindingTimedOut),
        device(DeviceOutcome::NoDevices),
        device(DeviceOutcome::InUse),
        device(not_selected(None)),
        device(not_selected(Some(text()))),
        device(DeviceOutcome::Elsewhere),
        device(DeviceOutcome::Tainted),
        device(DeviceOutcome::Exhausted { of: text() }),
        device(DeviceOutcome::Constrained { attribute: text() }),
        device(DeviceOutcome::Taken),
        device(DeviceOutcome::GivenBack),
    ]
}

/// Devices with every field.
fn devices() -> NodeDevices {
    let pairs = || vec![("a".to_owned(), "b".to_owned())];
    let reasons = [
        Unavailable::Tainted {
            taint: "a:b".into(),
        },
        Unavailable::PoolIncomplete,
        Unavailable::PoolInvalid { reason: "a".into() },
    ];
    let device = |unavailable| DeviceFrame {
        attributes: pairs(),
        capacity: pairs(),
        group: pairs().pop(),
        holders: vec![DeviceHolder {
            pods: vec!["a/b".into()],
            consumed: pairs(),
            ..DeviceHolder::default()
        }],
        unavailable: Some(unavailable),
        ..DeviceFrame::default()
    };
    NodeDevices {
        devices: reasons.into_iter().map(device).collect(),
        shared: vec![SharedPool::default()],
    }
}

/// Does not compile when a kind is added: add it to [`facts`] as well.
fn is_listed(kind: &FactKind) {
    match kind {
        FactKind::Resource { .. }
        | FactKind::Taint { .. }
        | FactKind::NodeRequirement { .. }
        | FactKind::Spread { .. }
        | FactKind::PodAffinity { .. }
        | FactKind::HostPort { .. }
        | FactKind::VolumeCount { .. }
        | FactKind::Volume { .. }
        | FactKind::Device { .. }
        | FactKind::NodeName { .. }
        | FactKind::Unschedulable
        | FactKind::NodeFeature { .. } => {}
    }
}

fn drained() -> ForkChange {
    ForkChange::Drained {
        plan: DrainPlan {
            node: "node-a1".into(),
            replaced: vec![Evicted {
                pod: "shop/web".into(),
                owner: "ReplicaSet/web".into(),
            }],
            lost: vec!["shop/bare".into()],
            staying: vec!["shop/agent".into()],
            blocked: vec![Blocked {
                pod: "shop/db".into(),
                cause: "budget".into(),
            }],
            unbudgeted: true,
            command: "kubectl drain node-a1".into(),
        },
    }
}

/// A fork with every kind of change, mark and difference.
fn fork() -> ForkFrame {
    let object = || ObjectRef::new("Pod", "shop", "web");
    let field = |before: Option<&str>, after: Option<&str>| ForkChange::Field {
        object: object(),
        path: "spec.priority".into(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    };
    let kinds = [
        MarkKind::Bound,
        MarkKind::Failed,
        MarkKind::Preempted,
        MarkKind::Error,
        MarkKind::Edited,
        MarkKind::Moment,
    ];
    let marks = kinds.into_iter().enumerate();
    let difference = |first: Option<&str>, now: Option<&str>| Difference {
        pod: "shop/web".into(),
        first: first.map(str::to_owned),
        now: now.map(str::to_owned),
        exists: now.is_some(),
    };
    ForkFrame {
        waiting: vec![WaitingPods {
            workload: "Deployment shop/web".into(),
            pods: 2,
            first: "shop/web-1".into(),
        }],
        gone: 1,
        changes: vec![
            ForkChange::Created { object: object() },
            ForkChange::Deleted { object: object() },
            field(None, Some("1")),
            field(Some("1"), None),
            ForkChange::Seed {
                before: 1,
                after: 2,
            },
            ForkChange::Release {
                before: "1.34".into(),
                after: "1.36".into(),
            },
            ForkChange::Command { line: "ls".into() },
            drained(),
            ForkChange::ZoneLost {
                zone: Label {
                    key: "zone".into(),
                    value: "a".into(),
                },
                nodes: vec!["node-a1".into()],
                pods: 2,
            },
            ForkChange::NodesAdded {
                like: "node-a1".into(),
                nodes: vec!["node-a2".into()],
            },
        ],
        first: marks
            .map(|(position, kind)| FirstMark {
                at_ms: (position > 0).then_some(1),
                position,
                kind,
            })
            .collect(),
        differences: vec![difference(Some("a"), None), difference(None, Some("a"))],
        ..ForkFrame::default()
    }
}

#[test]
fn returned_values_and_declarations_agree() {
    let mut declarations = declarations();
    for kind in facts() {
        let bare = Fact::new(kind.clone());
        let placed = Fact::new(kind).in_pod("spec").in_node("spec");
        for fact in [bare, placed] {
            declarations.check("Fact", &serde_json::to_value(fact).expect("a fact"));
        }
    }
    check_session(&mut declarations, OTHERS, false);
    let compares = OTHERS.replace("title: Types", "title: Types\ncompare: {b: {seed: 2}}");
    check_session(&mut declarations, &compares, false);
    check_session(&mut declarations, BROKEN, false);
    check_session(&mut declarations, CLAIMS, false);
    check_devices(&mut declarations);
    // Half of them show every type.
    for (number, case) in corpus::cases().iter().step_by(2).enumerate() {
        check_session(&mut declarations, &case.yaml, number % 2 == 0);
    }
    check_live(&mut declarations, LIVE);
    let devices = serde_json::to_value(devices()).expect("devices");
    declarations.check("NodeDevices", &devices);
    let fork = serde_json::to_value(fork()).expect("a fork");
    declarations.check("ForkFrame", &fork);
    // Of a Pod whose claim another node holds.
    let report = DeviceReport {
        deallocated: vec!["shop/gpu".into()],
        ..DeviceReport::default()
    };
    let report = serde_json::to_value(report).expect("a report");
    declarations.check("DeviceReport", &report);
    let unseen = declarations.unseen(&["Frame", "Cycle", "Trace"]);
    assert!(unseen.is_empty(), "declared, but never said: {unseen:#?}");
}

#[test]
#[should_panic(expected = "Mark.wrong is not declared")]
fn an_undeclared_field_is_found() {
    let mark = json!({"pod": "a/b", "kind": "bound", "node": null, "wrong": 1});
    declarations().check("Mark", &mark);
}

#[test]
#[should_panic(expected = "Mark.node is missing")]
fn a_missing_field_is_found() {
    declarations().check("Mark", &json!({"pod": "a/b", "kind": "bound"}));
}

#[test]
#[should_panic(expected = "Mark.kind is \"lost\"")]
fn a_value_of_another_type_is_found() {
    let mark = json!({"pod": "a/b", "kind": "lost", "node": null});
    declarations().check("Mark", &mark);
}

#[test]
fn declarations_that_never_occurred_are_listed() {
    let mut declarations = declarations();
    declarations.check(
        "Mark",
        &json!({"pod": "a/b", "kind": "bound", "node": null, "atMs": 0}),
    );
    let unseen = declarations.unseen(&["Mark"]);
    // Those of what a mark may hold are listed, too.
    let of_mark = unseen.iter().filter(|name| name.starts_with("Mark."));
    assert_eq!(of_mark.count(), 8, "{unseen:?}");
    let kinds = unseen.iter().filter(|name| name.starts_with("Mark.kind: "));
    assert_eq!(kinds.count(), 5, "{unseen:?}");
}
