use std::sync::Arc;

use super::{Manifests, read, read_again};
use crate::api::prepare::PrepareOptions;
use crate::api::source::SourceFile;

fn options() -> PrepareOptions {
    PrepareOptions {
        expand_workloads: true,
        ..PrepareOptions::default()
    }
}

/// A mix of documents: two styles, duplicates, lists, JSON, workloads, and documents that are ignored,
/// rejected, unreadable, or produce warnings.
const TEXT: &str = r#"# first
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: a}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata:
  name: twin
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 100m}}}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: twin
spec: {containers: [{name: main, image: a, resources: {requests: {cpu: 100m}}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: a}]}
---
apiVersion: v1
kind: PodList
items:
- metadata: {name: listed}
  spec: {containers: [{name: main, image: a}]}
- metadata: {name: UPPER}
  spec: {containers: [{name: main, image: a}]}
---
{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "one"}}
{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "two"}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ignored}
---
apiVersion: v1
kind: Pod
metadata: {name: warned}
spec: {nodeSelecter: {a: b}, containers: [{name: main, image: a}]}
---
apiVersion: v1
kind: Pod
metadata: {name: refused}
spec: {containers: []}
---
apiVersion: v1
kind: Pod
kind: Pod
metadata: {name: doubled}
spec: {containers: [{name: main, image: a}]}
---
apiVersion: v1
kind: Pod
metadata: {name: [broken
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 10
"#;

fn files(text: &str) -> [SourceFile; 1] {
    [SourceFile::new("all.yaml", text)]
}

fn shared(a: &Manifests, b: &Manifests) -> usize {
    let objects = |manifests: &Manifests| -> Vec<_> {
        manifests
            .loaded
            .documents
            .iter()
            .filter_map(|document| document.object.clone())
            .collect()
    };
    let others = objects(b);
    let is_shared = |object: &Arc<_>| others.iter().any(|b| Arc::ptr_eq(object, b));
    objects(a).iter().filter(|object| is_shared(object)).count()
}

#[test]
fn reading_after_an_edit_equals_reading_everything() {
    let before = read(&files(TEXT), &options());
    let lines: Vec<&str> = TEXT.lines().collect();
    for number in 0..lines.len() {
        let mut without = lines.clone();
        without.remove(number);
        let mut twice = lines.clone();
        twice.insert(number, lines[number]);
        for edited in [without, twice] {
            let text = edited.join("\n");
            let again = read_again(&files(&text), &before, &options());
            let all = read(&files(&text), &options());
            assert_eq!(format!("{again:?}"), format!("{all:?}"), "line {number}");
        }
    }
}

#[test]
fn only_sound_documents_are_reused() {
    let before = read(&files(TEXT), &options());
    let same = read_again(&files(TEXT), &before, &options());
    assert_eq!(format!("{same:?}"), format!("{before:?}"));
    // The node, the duplicates, the Deployment, both Namespaces, the PriorityClass, the ServiceAccount.
    assert_eq!(shared(&same, &before), 8);
    let moved = format!(
        "# a line more\n\n{}",
        TEXT.replace("cpu: \"4\"", "cpu: \"5\"")
    );
    let moved = read_again(&files(&moved), &same, &options());
    assert_eq!(shared(&moved, &before), 7);
}

#[test]
fn a_part_of_a_workload_may_be_a_patch() {
    let patch =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n";
    let problems = read(&[SourceFile::new("f", patch)], &options()).problems;
    let first = problems[0].to_string();
    let help = "(if this is a patch of a kustomization.yaml, read the output of `kubectl kustomize FOLDER` instead)";
    assert!(
        first.starts_with("f:4:") && first.ends_with(help),
        "{first}"
    );
    assert!(
        problems
            .iter()
            .skip(1)
            .all(|it| !it.to_string().ends_with(help))
    );
    let typo = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  \
                template: {metadata: {labels: {app: wob}}, spec: {containers: [{name: c, image: i}]}}\n";
    let problems = read(&[SourceFile::new("f", typo)], &options()).problems;
    assert!(!problems.is_empty() && problems.iter().all(|it| !it.to_string().ends_with(help)));
}
