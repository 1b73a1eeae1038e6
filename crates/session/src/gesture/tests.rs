#![allow(clippy::too_many_lines, reason = "tables of cases")]

use std::collections::BTreeMap;

use crate::session::{Options, Session};
use crate::testing::{session, simulated};
use crate::{edit, frame};
use berth_protocol::edit::ObjectRef;
use berth_protocol::gesture::{
    ApartForm, ClaimForm, DevicesForm, Gesture, Label, NearForm, NodeTemplate, PodForm, SpreadForm,
    TaintForm, TolerationForm,
};

const CLUSTER: &str = "\
# Two nodes.
apiVersion: v1
kind: Node
metadata:
  name: node-a1
  labels: {zone: a}
status: {capacity: {cpu: 4}, allocatable: {cpu: 4, memory: 8Gi}} # small
---
apiVersion: v1
kind: Node
metadata:
  name: node-a2
  labels:
    zone: a # here
spec:
  unschedulable: true
  taints:
  - {key: node.kubernetes.io/unschedulable, effect: NoSchedule}
  - key: gpu
    value: \"yes\"
    effect: NoSchedule
status: {allocatable: {cpu: 4}}
";

fn text(session: &Session) -> &str {
    &session.manifests().loaded.files[0].text
}

#[track_caller]
fn check(gesture: &Gesture, pairs: &[(&str, &str)]) {
    let mut expected = CLUSTER.to_owned();
    for (old, new) in pairs {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    let mut session = session(CLUSTER);
    let bytes = borsh::to_vec(gesture).unwrap();
    let gesture: Gesture = borsh::from_slice(&bytes).unwrap();
    edit::perform(&mut session, &gesture).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text(&session), expected);
}

#[track_caller]
fn refused(gesture: &Gesture, message: &str) {
    let mut session = session(CLUSTER);
    let error = edit::perform(&mut session, gesture).expect_err("a refusal");
    assert_eq!(error.message, message);
    assert_eq!(text(&session), CLUSTER);
    assert!(!session.has_errors());
}

fn taint(key: &str, value: &str, effect: &str) -> TaintForm {
    TaintForm {
        key: key.to_owned(),
        value: value.to_owned(),
        effect: effect.to_owned(),
    }
}

fn label(node: &str, key: &str, value: &str) -> Gesture {
    Gesture::SetLabel {
        node: node.to_owned(),
        key: key.to_owned(),
        value: value.to_owned(),
    }
}

fn set_taint(old: Option<usize>, taint: TaintForm) -> Gesture {
    Gesture::SetTaint {
        node: "node-a2".to_owned(),
        old,
        taint,
    }
}

#[test]
fn nodes_move_and_lose_their_domain() {
    let nodes = vec!["node-a1".to_owned(), "node-a2".to_owned()];
    let to = |value: Option<&str>| Gesture::MoveNodes {
        nodes: nodes.clone(),
        topology_key: "zone".to_owned(),
        value: value.map(str::to_owned),
    };
    check(
        &to(Some("b")),
        &[("{zone: a}", "{zone: b}"), ("zone: a #", "zone: b #")],
    );
    check(
        &to(None),
        &[
            ("\n  labels: {zone: a}", ""),
            ("\n  labels:\n    zone: a # here", ""),
        ],
    );
}

#[test]
fn labels_taints_and_amounts() {
    check(
        &label("node-a1", "a.b/c", "1"),
        &[("{zone: a}", "{zone: a, a.b/c: \"1\"}")],
    );
    let remove = Gesture::RemoveLabel {
        node: "node-a1".to_owned(),
        key: "zone".to_owned(),
    };
    check(&remove, &[("\n  labels: {zone: a}", "")]);
    check(
        &set_taint(None, taint("x", "", "NoExecute")),
        &[(
            "    effect: NoSchedule\n",
            "    effect: NoSchedule\n  - key: x\n    effect: NoExecute\n",
        )],
    );
    check(
        &set_taint(Some(1), taint("gpu", "no", "NoExecute")),
        &[
            ("\"yes\"", "\"no\""),
            ("    effect: NoSchedule", "    effect: NoExecute"),
        ],
    );
    check(
        &set_taint(Some(1), taint("gpu", "", "NoSchedule")),
        &[("    value: \"yes\"\n", "")],
    );
    let remove = Gesture::RemoveTaint {
        node: "node-a2".to_owned(),
        index: 1,
    };
    check(
        &remove,
        &[(
            "  - key: gpu\n    value: \"yes\"\n    effect: NoSchedule\n",
            "",
        )],
    );
    let amount = |quantity: &str| Gesture::SetAllocatable {
        node: "node-a1".to_owned(),
        resource: "cpu".to_owned(),
        quantity: quantity.to_owned(),
    };
    check(
        &amount("8"),
        &[(
            "{cpu: 4}, allocatable: {cpu: 4, ",
            "{cpu: \"8\"}, allocatable: {cpu: \"8\", ",
        )],
    );
    refused(
        &amount("-1"),
        "status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal to 0",
    );
}

const BOUND: &str = "\
kind: Node
apiVersion: v1
metadata: {name: old, labels: {kubernetes.io/hostname: old, zone: old}} # first
status: {allocatable: {cpu: 4, pods: 10}}
---
apiVersion: v1
kind: Pod
metadata: {name: agent}
spec: {nodeName: old, containers: [{name: main, image: a}]} # here
---
apiVersion: v1
kind: Pod
metadata: {name: free}
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 1}}}]}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: old}
spec: {drivers: []}
---
apiVersion: v1
kind: Node
metadata: {name: other}
status: {allocatable: {cpu: 1m, pods: 10}}
";

#[test]
fn a_renamed_node_keeps_its_pods() {
    let rename = |name: &str| Gesture::RenameNode {
        node: "old".to_owned(),
        name: name.to_owned(),
    };
    let expected = BOUND
        .replace("{name: old", "{name: new")
        .replace("hostname: old", "hostname: new")
        .replace("nodeName: old", "nodeName: new");
    let mut session = session(BOUND);
    session.run_to_end();
    let placed = |session: &Session| {
        let pods = frame::build(session).pods;
        pods.into_iter()
            .filter_map(|pod| pod.node)
            .collect::<Vec<_>>()
    };
    assert_eq!(placed(&session), ["old", "old"]);
    // Not at this moment, where the Pods would be lost with the node that is gone.
    edit::perform(&mut session, &rename("new")).unwrap();
    assert_eq!(text(&session), expected);
    assert_eq!(session.problems(), []);
    assert_eq!(placed(&session), ["new", "new"]);
    let refusal = |session: &mut Session, name: &str| {
        let gesture = Gesture::RenameNode {
            node: "new".to_owned(),
            name: name.to_owned(),
        };
        let error = edit::perform(session, &gesture).unwrap_err();
        error.message.to_string()
    };
    assert_eq!(
        refusal(&mut session, "other"),
        "Node \"other\" already exists"
    );
    assert!(refusal(&mut session, "No").contains("lowercase RFC 1123 subdomain"));
    assert_eq!(text(&session), expected);

    let mut living = simulated(BOUND);
    let error = edit::perform(&mut living, &rename("new")).unwrap_err();
    assert_eq!(error.message, "a node of a running cluster keeps its name");
}

#[test]
fn cordons_are_a_field_and_leave_no_taint() {
    let cordon = Gesture::Cordon {
        nodes: vec!["node-a1".to_owned()],
    };
    check(
        &cordon,
        &[(
            "allocatable: {cpu: 4, memory: 8Gi}} # small\n",
            "allocatable: {cpu: 4, memory: 8Gi}} # small\nspec:\n  unschedulable: true\n",
        )],
    );
    let uncordon = Gesture::Uncordon {
        nodes: vec!["node-a2".to_owned()],
    };
    check(
        &uncordon,
        &[
            ("  unschedulable: true\n", ""),
            (
                "  - {key: node.kubernetes.io/unschedulable, effect: NoSchedule}\n",
                "",
            ),
        ],
    );
}

#[test]
fn invalid_objects_are_refused_in_the_api_servers_words() {
    refused(
        &label("node-a1", "zone", "no spaces"),
        "metadata.labels: Invalid value: \"no spaces\": a valid label must be an empty string or consist of alphanumeric \
         characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
         'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    );
    refused(
        &label("node-a1", "/x", "1"),
        "metadata.labels: Invalid value: \"/x\": prefix part must be non-empty",
    );
    refused(
        &set_taint(None, taint("x", "", "Never")),
        "metadata.taints[2].effect: Unsupported value: \"Never\": supported values: \"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
    );
    refused(
        &set_taint(None, taint("gpu", "", "NoSchedule")),
        "metadata.taints[2]: Duplicate value: {\"Key\":\"gpu\",\"Value\":\"\",\"Effect\":\"NoSchedule\",\"TimeAdded\":null}: taints must be unique by key and effect pair",
    );
    refused(
        &set_taint(Some(7), taint("x", "", "NoSchedule")),
        "node \"node-a2\" has no taint 7 in its manifest",
    );
    refused(
        &label("node-b", "a", "b"),
        "there is no Node node-b in the manifests",
    );
    let scale = Gesture::SetReplicas {
        object: ObjectRef::node("node-a1"),
        replicas: 1,
    };
    refused(&scale, "a Node has no replicas");
}

fn add(template: NodeTemplate, count: u32, zone: Option<&str>) -> Gesture {
    Gesture::AddNodes {
        template,
        count,
        topology: zone.map(|value| Label {
            key: "zone".to_owned(),
            value: value.to_owned(),
        }),
    }
}

#[test]
fn new_nodes_are_named_like_their_neighbors() {
    let names = |gestures: &[Gesture]| {
        let mut session = session(CLUSTER);
        for gesture in gestures {
            edit::perform(&mut session, gesture).unwrap();
        }
        assert_eq!(session.problems(), []);
        let nodes = frame::build(&session).nodes;
        let new = nodes.iter().skip(2).map(|node| node.name.clone());
        new.collect::<Vec<_>>()
    };
    let general = || NodeTemplate::General;
    assert_eq!(
        names(&[add(general(), 2, Some("a"))]),
        ["node-a3", "node-a4"]
    );
    assert_eq!(
        names(&[
            add(general(), 1, Some("b")),
            add(NodeTemplate::Large, 1, None)
        ]),
        ["node-1", "node-2"]
    );
    assert_eq!(
        names(&[
            add(NodeTemplate::ControlPlane, 1, Some("a")),
            add(NodeTemplate::ControlPlane, 1, None)
        ]),
        ["control-plane-1", "control-plane-2"]
    );
    let mut empty = Session::new(Options::default());
    edit::perform(&mut empty, &add(NodeTemplate::Gpu, 1, Some("a"))).unwrap();
    assert_eq!(
        text(&empty),
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: node-1\n  labels:\n    kubernetes.io/arch: amd64\n    \
         kubernetes.io/hostname: node-1\n    kubernetes.io/os: linux\n    zone: a\nstatus:\n  capacity: {cpu: \"8\", \
         memory: 64Gi, pods: \"110\", nvidia.com/gpu: \"1\"}\n  allocatable: {cpu: \"8\", memory: 64Gi, pods: \"110\", \
         nvidia.com/gpu: \"1\"}\n"
    );
    let custom = NodeTemplate::Custom {
        cpu: "1x".to_owned(),
        memory: "1Gi".to_owned(),
        pods: "10".to_owned(),
        extra: BTreeMap::new(),
    };
    let error = edit::perform(&mut empty, &add(custom, 1, None)).unwrap_err();
    assert!(
        error
            .message
            .to_string()
            .contains("quantities must match the regular expression"),
        "{error}"
    );
}

fn map(key: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(key.to_owned(), value.to_owned())])
}

#[test]
fn forms_become_pods_and_deployments() {
    let key = || "kubernetes.io/hostname".to_owned();
    let pod = PodForm {
        cpu: "500m".to_owned(),
        memory: "1Gi".to_owned(),
        extra: map("nvidia.com/gpu", "1"),
        labels: map("app", "web"),
        node_selector: map("zone", "a"),
        tolerations: vec![TolerationForm {
            key: "gpu".to_owned(),
            ..TolerationForm::default()
        }],
        spread: vec![SpreadForm {
            topology_key: key(),
            max_skew: 1,
            hard: true,
        }],
        apart: vec![ApartForm {
            topology_key: key(),
            hard: false,
        }],
        near: vec![NearForm {
            topology_key: "zone".to_owned(),
            labels: map("app", "web"),
            hard: true,
        }],
        priority_class_name: "system-cluster-critical".to_owned(),
        claim: None,
    };
    let mut session = session(CLUSTER);
    let deployment = Gesture::AddDeployment {
        name: Some("web".to_owned()),
        namespace: String::new(),
        replicas: 2,
        pod: pod.clone(),
    };
    edit::perform(&mut session, &deployment).unwrap();
    for _ in 0..2 {
        let add = Gesture::AddPod {
            name: None,
            namespace: "team".to_owned(),
            pod: PodForm::default(),
        };
        edit::perform(&mut session, &add).unwrap();
    }
    assert_eq!(session.problems(), []);
    let object = ObjectRef::new("Deployment", "default", "web");
    let scale = Gesture::SetReplicas {
        object: object.clone(),
        replicas: 3,
    };
    edit::perform(&mut session, &scale).unwrap();
    let keys = |session: &Session| frame::build(session).pods.len();
    assert_eq!(keys(&session), 5);
    edit::perform(
        &mut session,
        &Gesture::Delete {
            objects: vec![object],
        },
    )
    .unwrap();
    assert_eq!(keys(&session), 2);
    assert!(
        text(&session).contains("name: pod-2\n  namespace: team\n"),
        "{}",
        text(&session)
    );
    let unknown = Gesture::AddPod {
        name: None,
        namespace: String::new(),
        pod: PodForm {
            priority_class_name: "nope".to_owned(),
            ..pod
        },
    };
    refused(&unknown, "no PriorityClass with name nope was found");
}

#[test]
fn a_node_with_devices_comes_with_its_slice_and_a_pod_claims_one() {
    let mut session = session(CLUSTER);
    let gpus = |count| NodeTemplate::Devices {
        cpu: "16".to_owned(),
        memory: "128Gi".to_owned(),
        devices: DevicesForm {
            count,
            model: "h100".to_owned(),
            memory: "80Gi".to_owned(),
        },
    };
    let add = |count, devices| Gesture::AddNodes {
        template: gpus(devices),
        count,
        topology: None,
    };
    edit::perform(&mut session, &add(2, 1)).expect("two nodes");
    let text = session.sources()[0].text.clone();
    assert_eq!(text.matches("kind: ResourceSlice").count(), 2);
    assert_eq!(text.matches("kind: DeviceClass").count(), 1);
    edit::perform(&mut session, &add(1, 1)).expect("another");
    let text = session.sources()[0].text.clone();
    assert_eq!(text.matches("kind: DeviceClass").count(), 1, "it is known");
    assert!(edit::perform(&mut session, &add(1, 129)).is_err());

    let pod = |name: &str, class: &str| Gesture::AddPod {
        name: Some(name.to_owned()),
        namespace: String::new(),
        pod: PodForm {
            claim: Some(Box::new(ClaimForm {
                class: class.to_owned(),
                count: 1,
                selector: "device.attributes[\"gpu.example.com\"].model == \"h100\"".to_owned(),
            })),
            ..PodForm::default()
        },
    };
    assert!(edit::perform(&mut session, &pod("train", "nope")).is_err());
    for name in ["train", "other", "third", "fourth"] {
        edit::perform(&mut session, &pod(name, "")).expect("a Pod");
    }
    session.run_to_end();
    let frame = frame::build(&session);
    let devices = frame.nodes.iter().filter_map(|node| node.devices.as_ref());
    let devices: Vec<_> = devices.flat_map(|it| &it.devices).collect();
    assert_eq!(devices.len(), 3);
    assert!(devices.iter().all(|device| device.is_taken()));
    let holders = devices.iter().map(|device| &device.holders[0]);
    let mut holders: Vec<_> = holders
        .map(|it| (it.pods[0].as_str(), it.claim.as_str()))
        .collect();
    holders.sort_unstable();
    assert_eq!(
        holders,
        [
            ("default/other", "default/other-gpu"),
            ("default/third", "default/third-gpu"),
            ("default/train", "default/train-gpu"),
        ]
    );
    let waiting = frame.pods.iter().filter(|pod| pod.node.is_none());
    let waiting: Vec<_> = waiting.map(|pod| pod.key.as_str()).collect();
    assert_eq!(waiting, ["default/fourth"]);
}

#[test]
fn a_deleted_node_takes_its_slices_along() {
    let mut session = session(CLUSTER);
    let add = Gesture::AddNodes {
        template: NodeTemplate::Devices {
            cpu: "16".to_owned(),
            memory: "128Gi".to_owned(),
            devices: DevicesForm {
                count: 2,
                model: String::new(),
                memory: String::new(),
            },
        },
        count: 2,
        topology: None,
    };
    edit::perform(&mut session, &add).expect("two nodes");
    let name = frame::build(&session).nodes[2].name.clone();
    let delete = Gesture::Delete {
        objects: vec![ObjectRef::node(&name)],
    };
    edit::perform(&mut session, &delete).expect("deleted");
    let text = session.sources()[0].text.clone();
    assert_eq!(text.matches("kind: ResourceSlice").count(), 1);
    assert!(!text.contains(&name), "{text}");
}
