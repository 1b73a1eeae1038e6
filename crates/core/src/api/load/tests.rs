mod files;

use super::{Document, Loaded, load};
use crate::api::kinds::dump_command;
use crate::api::object::Manifest;
use crate::api::source::SourceFile;
use crate::api::yaml::Target;

fn read(text: &str) -> Loaded {
    load(&[SourceFile::new("f", text)])
}

/// The problems of a text as displayed, one a line.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let problems: Vec<String> = read(text)
        .problems
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems, expected);
}

fn kinds(loaded: &Loaded) -> Vec<&str> {
    loaded
        .documents
        .iter()
        .map(|document| document.kind.as_str())
        .collect()
}

#[test]
fn documents_are_counted_and_comments_are_not() {
    let text = "# only a comment\n---\n%YAML 1.1\n---\napiVersion: v1\nkind: Pod\n...\n---\n\n--- # nothing\n\
                --- {apiVersion: v1, kind: Node}\n---\nkind: List\napiVersion: v1\nitems:\n\
                - {apiVersion: v1, kind: Pod}\n- {apiVersion: v1, kind: Service}\n";
    let loaded = read(text);
    assert_eq!(kinds(&loaded), ["Pod", "Node", "Pod", "Service"]);
    let index_and_line = |document: &Document| (document.index, document.source.start.line);
    let places: Vec<_> = loaded.documents.iter().map(index_and_line).collect();
    assert_eq!(places, [(0, 5), (1, 11), (2, 16), (3, 17)]);
    assert_eq!(loaded.problems, []);
}

#[test]
fn a_broken_document_hides_no_other() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\na: b\n c: d\n---\n\
                apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n";
    let loaded = read(text);
    assert_eq!(kinds(&loaded), ["Pod", "", "Node"]);
    assert!(
        loaded
            .documents
            .iter()
            .map(|document| document.object.is_some())
            .eq([true, false, true])
    );
    check(
        text,
        &[
            "f:6:3: error: error converting YAML to JSON: mapping values are not allowed in this context \
                   (check the indentation, and put values that hold `: ` in quotes)",
        ],
    );
}

#[test]
fn a_no_break_space_in_the_indentation_is_named() {
    check(
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  -\u{a0}name: c\n    image: i\n",
        &[
            "f:6:10: error: error converting YAML to JSON: mapping values are not allowed in this context \
             (the indentation has a no-break space (U+00A0), often copied from a web page: type plain ones)",
        ],
    );
}

#[test]
fn three_dashes_end_a_document_but_not_a_block_scalar() {
    let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    a: |\n      ---\n      x\n---\n\
                apiVersion: v1\nkind: Node\n";
    assert_eq!(kinds(&read(text)), ["Pod", "Node"]);
    check(text, &[]);
}

#[test]
fn yaml_1_1_as_kubectl_reads_it() {
    let spec = |line: &str| format!("apiVersion: v1\nkind: Pod\nspec:\n  {line}\n");
    for (line, expected) in [
        (
            "nodeSelector: {gpu: yes}",
            "f:4:23: error: spec.nodeSelector[gpu]: json: cannot unmarshal bool into Go \
          struct field PodSpec.spec.nodeSelector of type string (put the value in quotes: \"yes\")",
        ),
        (
            "nodeSelector: {v: 1}",
            "f:4:21: error: spec.nodeSelector[v]: json: cannot unmarshal number into Go \
          struct field PodSpec.spec.nodeSelector of type string (put the value in quotes: \"1\")",
        ),
        (
            "nodeName: 0777",
            "f:4:13: error: spec.nodeName: json: cannot unmarshal number into Go struct field \
          PodSpec.spec.nodeName of type string (put the value in quotes: \"0777\")",
        ),
        (
            "priority: \"5\"",
            "f:4:13: error: spec.priority: json: cannot unmarshal string into Go struct field \
          PodSpec.spec.priority of type int32 (write 5 without quotes)",
        ),
        (
            "priority: 1.5",
            "f:4:13: error: spec.priority: json: cannot unmarshal number 1.5 into Go struct field \
          PodSpec.spec.priority of type int32 (write a whole number)",
        ),
        (
            "priority: 3_000_000_000",
            "f:4:13: error: spec.priority: json: cannot unmarshal number 3000000000 into Go \
          struct field PodSpec.spec.priority of type int32 (write a number between -2147483648 and 2147483647)",
        ),
    ] {
        check(&spec(line), &[expected]);
    }
    for line in [
        "nodeSelector: {gpu: 'yes', v: \"1\", w: !!str no}",
        "nodeSelector: {date: 2025-01-31, time: 12:30:00, version: 1.2.3}",
        "hostNetwork: yes",
        "priority: 0x10",
        "priority: 1e3",
        "priority: 010",
        "priority: 1_000",
        "priority: ~",
        "nodeName: null",
        "containers: [null]",
    ] {
        check(&spec(line), &[]);
    }
}

#[test]
fn numbers_as_go_reads_them() {
    for (text, priority) in [
        ("0x10", 16),
        ("1e3", 1000),
        ("010", 8),
        ("1_000", 1000),
        ("-0b11", -3),
        ("08", 8),
        ("5.0", 5),
    ] {
        let loaded = read(&format!(
            "apiVersion: v1\nkind: Pod\nspec: {{priority: {text}}}\n"
        ));
        let Some(Manifest::Pod(pod)) = loaded
            .documents
            .first()
            .and_then(|document| document.object.as_deref())
        else {
            panic!("{text}: {:?}", loaded.problems);
        };
        assert_eq!(
            pod.spec.as_ref().and_then(|spec| spec.priority),
            Some(priority),
            "{text}"
        );
    }
}

#[test]
fn merge_keys_and_duplicates() {
    let base = "apiVersion: v1\nkind: Pod\nmetadata: &m {name: a, labels: {x: y1}}\n";
    let loaded = read(&format!(
        "{base}spec: {{nodeSelector: {{<<: {{a: b}}, c: d}}}}\n"
    ));
    let Some(Manifest::Pod(pod)) = loaded.documents[0].object.as_deref() else {
        panic!("{:?}", loaded.problems)
    };
    let selector = pod
        .spec
        .as_ref()
        .and_then(|spec| spec.node_selector.clone())
        .unwrap_or_default();
    assert_eq!(
        selector.into_iter().collect::<Vec<_>>(),
        [("a".into(), "b".into()), ("c".into(), "d".into())]
    );
    check(
        &format!("{base}spec:\n  nodeName: a\n  nodeName: b\n"),
        &[
            "f:6:3: warning: spec.nodeName: key \"nodeName\" already set in map (keep one of the two)",
        ],
    );
    check(
        "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"kind\": \"Pod\"}",
        &["f:1:37: warning: kind: key \"kind\" already set in map (keep one of the two)"],
    );
}

#[test]
fn unknown_fields_are_warnings_at_their_key() {
    check(
        "apiVersion: v1\nkind: Pod\nspec:\n  nodeSelecter: {a: b}\n  containers:\n  - resource: {}\n    name: c\n",
        &[
            "f:4:3: warning: spec.nodeSelecter: unknown field \"spec.nodeSelecter\" (did you mean \"nodeSelector\"?)",
            "f:6:5: warning: spec.containers[0].resource: unknown field \"spec.containers[0].resource\" (did you mean \"resources\"?)",
        ],
    );
    check(
        "apiVersion: v1\nkind: Pod\nspec: {quorum: 3}\n",
        &[
            "f:3:8: warning: spec.quorum: unknown field \"spec.quorum\" (PodSpec has no such field; check the spelling and the indentation)",
        ],
    );
}

#[test]
fn quantities_and_ports_take_numbers_and_texts() {
    let container =
        |line: &str| format!("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {line}\n");
    check(
        &container("resources: {requests: {cpu: 0.5, memory: 1073741824, example.com/gpu: '2 '}}"),
        &[],
    );
    check(&container("livenessProbe: {httpGet: {port: 80}}"), &[]);
    check(
        &container("resources: {limits: {memory: 1GB}}"),
        &[
            "f:5:34: error: spec.containers[0].resources.limits[memory]: quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' (units have no B: write 1Gi (1024³) or 1G (1000³))",
        ],
    );
    check(
        &container("livenessProbe: {httpGet: {port: true}}"),
        &[
            "f:5:37: error: spec.containers[0].livenessProbe.httpGet.port: json: cannot unmarshal bool into Go struct field \
         HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32 (write a whole number)",
        ],
    );
}

#[test]
fn kinds_and_versions() {
    check(
        "kind: Pod\n",
        &["f:1:1: error: Object 'apiVersion' is missing (add the line `apiVersion: v1`)"],
    );
    check(
        "apiVersion: v1\nkid: Pod\n",
        &["f:1:1: error: Object 'Kind' is missing (\"kid\": did you mean \"kind\"?)"],
    );
    check(
        "apiVersion: apps/v1\nkind: Pod\n",
        &[
            "f:1:13: error: apiVersion: no matches for kind \"Pod\" in version \"apps/v1\" (write `apiVersion: v1`)",
        ],
    );
    check(
        "apiVersion: extensions/v1beta1\nkind: Deployment\n",
        &[
            "f:1:13: error: apiVersion: no matches for kind \"Deployment\" in version \"extensions/v1beta1\" (Kubernetes 1.16 removed it: write `apiVersion: apps/v1`)",
        ],
    );
    check(
        "- 1\n",
        &[
            "f:1:1: error: the document is not an object: it has no `apiVersion` and `kind` \
                      (write `key: value` lines; separate documents with a line `---`)",
        ],
    );
    let command = dump_command();
    let for_people =
        format!("(this is kubectl's output for people to read: paste that of `{command}`)");
    let no_object = "the document is not an object: it has no `apiVersion` and `kind`";
    for text in [
        "NAMESPACE     NAME    READY   STATUS    RESTARTS   AGE\nshop   web-1   0/1   Pending   0   10m\n",
        "$ kubectl get nodes\nNAME    STATUS   ROLES           AGE   VERSION\nnode-1   Ready    control-plane   3d    v1.34.1\n",
    ] {
        check(text, &[&format!("f:1:1: error: {no_object} {for_people}")]);
    }
    check(
        "Name:     web-1\nLabels:   app=web\n          tier=front\n",
        &[&format!(
            "f:1:1: error: Object 'Kind' is missing {for_people}"
        )],
    );
    check(
        "Name:     web-1\nEvents:\n  Type     Message\n  Warning  0/6 nodes are available: 6 Insufficient cpu.\n",
        &[&format!(
            "f:4:35: error: error converting YAML to JSON: mapping values are not allowed in this context {for_people}"
        )],
    );
    let loaded = read(
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n---\napiVersion: serving.knative.dev/v1\nkind: Service\n",
    );
    assert_eq!(loaded.problems, []);
    let ignored: Vec<_> = loaded
        .ignored
        .iter()
        .map(|ignored| (ignored.line, ignored.kind.as_str()))
        .collect();
    assert_eq!(ignored, [(2, "Widget"), (6, "Service")]);
}

#[test]
fn items_of_lists_have_positions() {
    let text = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec:\n    nodeName: 5\n\
                - apiVersion: v1\n  kind: Node\n  spce: {}\nkind: List\n";
    check(
        text,
        &[
            "f:7:15: error: items[0].spec.nodeName: json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName \
         of type string (put the value in quotes: \"5\")",
            "f:10:3: warning: items[1].spce: unknown field \"spce\" (did you mean \"spec\"?)",
        ],
    );
    let json = "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"é\"}},{\"spce\":{}}]}";
    check(
        json,
        &["f:1:74: warning: items[1].spce: unknown field \"spce\" (did you mean \"spec\"?)"],
    );
    assert_eq!(
        read(json)
            .documents
            .iter()
            .map(|document| document.kind.as_str())
            .collect::<Vec<_>>(),
        ["Node", "Node"]
    );
}

#[test]
fn json_with_tabs_and_several_objects() {
    let text = "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Pod\"\n}\n{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"x\": 1} {}";
    assert_eq!(kinds(&read(text)), ["Pod", "Node", ""]);
    check(
        text,
        &[
            "f:5:38: warning: x: unknown field \"x\" (Node has no such field; check the spelling and the indentation)",
            "f:5:46: error: Object 'Kind' is missing (add a line like `kind: Pod`)",
        ],
    );
}

#[test]
fn byte_order_marks_and_tabs() {
    check(
        "\u{feff}apiVersion: v1\r\nkind: Pod\r\nlables: {}\r\n",
        &[
            "f:3:1: warning: lables: unknown field \"lables\" (Pod has no such field; check the spelling and the indentation)",
        ],
    );
    check(
        "apiVersion: v1\nkind: Pod\nmetadata:\n\tname: a\n",
        &[
            "f:4:1: error: error converting YAML to JSON: found character that cannot start any token \
         (indent with spaces: YAML allows no tabs there)",
        ],
    );
    check(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Values.name }}}\n",
        &[
            "f:3:19: error: error converting YAML to JSON: metadata.name: a mapping or list cannot be a key \
         (this looks like a template; render it first, e.g. with `helm template`)",
        ],
    );
    check(
        "apiVersion: v1\nkind: \"P\\u202eod\"\n\u{0}",
        &[
            "f:3:1: error: error converting YAML to JSON: the text holds a NUL character (remove it; is this a text file?)",
        ],
    );
}

#[test]
fn deceptive_characters_are_shown_escaped() {
    let loaded = read("apiVersion: v1\nkind: Pod\n\"a\u{202e}b\\u0007\": 1\n");
    let shown = loaded.problems[0].to_string();
    assert!(
        shown.starts_with("f:3:1: warning: a\\u{202e}b\\u{7}: unknown field"),
        "{shown}"
    );
}

#[test]
fn nodes_are_found_by_path() {
    let text = "---\napiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    topology.kubernetes.io/zone: a\nspec:\n  containers:\n\
                \x20 - name: c\n    resources:\n      requests: {cpu: 1}\n  - name: d\n    image: é\n";
    let loaded = read(text);
    let source = &loaded.documents[0].source;
    for (path, target, line, column, last) in [
        (
            "metadata.labels[topology.kubernetes.io/zone]",
            Target::Key,
            6,
            5,
            6,
        ),
        (
            "metadata.labels[topology.kubernetes.io/zone]",
            Target::Value,
            6,
            34,
            6,
        ),
        ("spec.containers", Target::Key, 8, 3, 13),
        ("spec.containers[0]", Target::Key, 9, 5, 11),
        ("spec.containers[0].resources", Target::Key, 10, 5, 11),
        (
            "spec.containers[0].resources.requests[cpu]",
            Target::Value,
            11,
            23,
            11,
        ),
        ("spec.containers[1].image", Target::Value, 13, 12, 13),
        ("", Target::Value, 2, 1, 13),
    ] {
        let span = loaded
            .locate(source, path, target)
            .unwrap_or_else(|| panic!("{path}: not found"));
        assert_eq!(
            (span.start.line, span.start.column, span.last_line),
            (line, column, last),
            "{path}"
        );
    }
    assert_eq!(loaded.locate(source, "spec.nodeName", Target::Key), None);
    let missing = loaded.position(source, "spec.containers[1].name2", Target::Value);
    assert_eq!((missing.line, missing.column), (12, 5));
}

#[test]
fn a_dump_with_everything_the_server_adds_is_clean() {
    let text = include_str!("dump.yaml");
    let loaded = read(text);
    assert_eq!(loaded.problems, []);
    let Some(Manifest::Pod(pod)) = loaded.documents[0].object.as_deref() else {
        panic!()
    };
    assert!(
        pod.metadata
            .managed_fields
            .as_ref()
            .is_some_and(|fields| fields[0].fields_v1.is_some())
    );
    assert_eq!(loaded.documents[0].name, "web-x");
}

#[test]
fn kinds_that_do_not_affect_scheduling_are_read() {
    let loaded = read(
        "apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {color: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: a}
data:
  cert: |
    YWRt
    aW4=
---
apiVersion: v1
kind: Endpoints
metadata: {name: a}
subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: a}
addressType: IPv4
endpoints: [{addresses: [10.0.0.1]}]
---
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: a}
spec: {maxReplicas: 3, targetCPUUtilizationPercentage: 50, scaleTargetRef: {kind: Deployment, name: a}}
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: a}
revision: 1
data: {}
",
    );
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.ignored, []);
    let objects = loaded.documents.iter().map(|document| &document.object);
    let read = objects.filter_map(|object| object.as_ref()?.object());
    let read: Vec<&str> = read.map(|(kind, _)| kind.info().kind).collect();
    assert_eq!(read, kinds(&loaded));
    check(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {user: plain text}\n",
        &[
            "f:4:14: error: data[user]: illegal base64 data at input byte 5 (encode the value (`base64 -w0`), or write it plainly under `stringData`)",
        ],
    );
    check(
        "apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\n",
        &[
            "f:1:13: error: apiVersion: no matches for kind \"HorizontalPodAutoscaler\" in version \"autoscaling/v2beta2\" (Kubernetes 1.26 removed it: write `apiVersion: autoscaling/v2`)",
        ],
    );
}

#[test]
fn yaml_for_other_programs_is_told_from_manifests() {
    for other in [
        "",
        "# nothing\n",
        "name: placement\non: pull_request\n",
        "- op: add\n",
        "spec: {nodeSelector: {disk: fast}}",
        "{apiVersion: v2, name: chart, version: 0.1.0}",
        "kind: release\n---\nplain text",
    ] {
        assert!(super::is_other_yaml(other), "{other}");
    }
    for manifest in [
        "{apiVersion: v1, kind: Pod}",
        "a: 1\n---\nkind: Pod\nmetadata: {name: a}",
        "{kind: List, items: []}",
        "a: [",
    ] {
        assert!(!super::is_other_yaml(manifest), "{manifest}");
    }
}
