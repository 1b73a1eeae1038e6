//! Several objects in one text: lists, new and deleted documents.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

use super::block::NODE;
use super::*;

#[test]
fn items_of_lists_in_yaml() {
    let list = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: one\n  spec: {}\n# between\n- apiVersion: v1\n  kind: Node\n  metadata: {name: two}\nkind: List\nmetadata:\n  resourceVersion: \"\"\n";
    check(
        list,
        set("Node/one", "metadata|labels|a", json!("b")),
        &list.replace("name: one\n", "name: one\n    labels:\n      a: b\n"),
    );
    check(
        list,
        append("Node/two", "spec|taints", taint("x")),
        &list.replace(
            "{name: two}\n",
            "{name: two}\n  spec:\n    taints:\n    - key: x\n      effect: NoSchedule\n",
        ),
    );
    check(
        list,
        remove("Node/two", "apiVersion"),
        &list.replace(
            "- apiVersion: v1\n  kind: Node\n  metadata: {",
            "- kind: Node\n  metadata: {",
        ),
    );
    check(
        list,
        delete("Node/one"),
        &list.replace(
            "- apiVersion: v1\n  kind: Node\n  metadata:\n    name: one\n  spec: {}\n",
            "",
        ),
    );
    check(
        list,
        delete("Node/two"),
        &list.replace(
            "- apiVersion: v1\n  kind: Node\n  metadata: {name: two}\n",
            "",
        ),
    );
    check_all(
        list,
        &[delete("Node/one"), delete("Node/two")],
        "apiVersion: v1\nitems: []\n# between\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
    );
    let indented = "kind: NodeList\napiVersion: v1\nitems:\n  - metadata:\n      name: one\n\n  - metadata:\n      name: two";
    check(
        indented,
        set("Node/two", "spec|unschedulable", json!(true)),
        &format!("{indented}\n    spec:\n      unschedulable: true"),
    );
    let shared = "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a, labels: &l {x: w}}}\n- {apiVersion: v1, kind: Node, metadata: {name: b, labels: *l}}\n";
    refused(
        shared,
        set("Node/a", "metadata|labels|x", json!("z")),
        "f:4: this change would affect other items of the list (give the object a document of its own, or change it by hand)",
    );
    refused(
        shared,
        set("Node/b", "metadata|labels|x", json!("z")),
        "f:5: this object cannot be read on its own (give it a document of its own, without lists in lists and aliases to others)",
    );
}

#[test]
fn impossible_edits_are_refused() {
    refused(
        NODE,
        set("Node/b", "spec", json!({})),
        "there is no Node b in the manifests (objects that a workload creates are changed through the workload)",
    );
    refused(
        NODE,
        set("Node/a", "kind|x", json!(1)),
        "kind is a text, not a mapping (change its value first)",
    );
    refused(
        NODE,
        append("Node/a", "metadata|labels", json!(1)),
        "metadata.labels is a mapping, not a list (change its value first)",
    );
    refused(
        NODE,
        set("Node/a", "spec|taints|5|key", json!("x")),
        "spec.taints has no item 5, only 2 (the manifests have changed; try again)",
    );
    let create = Edit::Create {
        manifest: json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}),
    };
    refused(
        NODE,
        create,
        "Node \"a\" already exists (choose another name)",
    );
}

pub(super) fn pod(name: &str) -> String {
    format!("kind: Pod\napiVersion: v1\nmetadata: {{name: {name}}}\n")
}

#[test]
fn documents_are_deleted_with_one_separator() {
    let (a, b, c) = (pod("a"), pod("b"), pod("c"));
    let three = format!("{a}---\n{b}---\n{c}");
    check(&three, delete("Pod/a"), &format!("{b}---\n{c}"));
    check(&three, delete("Pod/b"), &format!("{a}---\n{c}"));
    check(&three, delete("Pod/default/c"), &format!("{a}---\n{b}"));
    check_all(&three, &[delete("Pod/a"), delete("Pod/c")], &b);
    check_all(
        &three,
        &[delete("Pod/a"), delete("Pod/b"), delete("Pod/c")],
        "",
    );
    check(
        &format!("---\n{three}"),
        delete("Pod/a"),
        &format!("---\n{b}---\n{c}"),
    );
    check(
        &format!("# License.\n\n# Pod a.\n{three}"),
        delete("Pod/a"),
        &format!("# License.\n\n{b}---\n{c}"),
    );
    check(
        &format!("{a}# End of a.\n---\n# About b.\n{b}\n# End.\n"),
        delete("Pod/b"),
        &format!("{a}# End of a.\n\n# End.\n"),
    );
    check(&format!("{a}...\n---\n{b}"), delete("Pod/a"), &b);
    check(
        &format!("{a}--- # b\n{b}"),
        delete("Pod/a"),
        &format!("--- # b\n{b}"),
    );
    check(
        &format!("{a}---\n{{kind: Pod, apiVersion: v1, metadata: {{name: b}}}}"),
        delete("Pod/b"),
        &a,
    );
    check(
        &format!("{a}--- {{kind: Pod, apiVersion: v1, metadata: {{name: b}}}}\n---\n{c}"),
        delete("Pod/b"),
        &format!("{a}---\n{c}"),
    );
    check(
        &format!("{a}---\nkind: [broken\n---\n{c}"),
        delete("Pod/a"),
        &format!("kind: [broken\n---\n{c}"),
    );
}

#[test]
fn new_documents_come_last_and_in_order() {
    let create = Edit::Create {
        manifest: json!({
            "status": {"allocatable": {"cpu": "4", "memory": "16Gi"}},
            "spec": {"taints": [{"key": "a.b/c", "effect": "NoSchedule"}], "podCIDRs": []},
            "metadata": {"labels": {"x": "no"}, "name": "new"},
            "kind": "Node", "apiVersion": "v1"}),
    };
    let new = "apiVersion: v1\nkind: Node\nmetadata:\n  name: new\n  labels:\n    x: \"no\"\nspec:\n  taints:\n  - key: a.b/c\n    effect: NoSchedule\n  podCIDRs: []\nstatus:\n  allocatable: {cpu: \"4\", memory: 16Gi}\n";
    check("", create.clone(), new);
    check("---\n", create.clone(), &format!("---\n{new}"));
    check("# notes", create.clone(), &format!("# notes\n{new}"));
    check(
        &pod("a"),
        create.clone(),
        &format!("{}---\n{new}", pod("a")),
    );
    check(
        pod("a").trim_end(),
        create.clone(),
        &format!("{}---\n{new}", pod("a")),
    );
    check(
        &format!("{}...\n", pod("a")),
        create.clone(),
        &format!("{}...\n---\n{new}", pod("a")),
    );
    let indented = format!("{}spec:\n  containers:\n    - name: c\n", pod("a"));
    check(
        &indented,
        create.clone(),
        &format!(
            "{indented}---\n{}",
            new.replace(
                "  - key: a.b/c\n    effect",
                "    - key: a.b/c\n      effect"
            )
        ),
    );
    check_all(
        "",
        &[
            create.clone(),
            set("Node/new", "metadata|labels|x", json!("w")),
        ],
        &new.replace("\"no\"", "\"w\""),
    );
    check_all(&pod("a"), &[create.clone(), delete("Node/new")], &pod("a"));
    check_all(&pod("a"), &[delete("Pod/a"), create], new);
}

#[test]
fn one_object_of_many_is_cheap() {
    let documents: Vec<String> = (0..10_000)
        .map(|number| pod(&format!("p{number}")))
        .collect();
    let text = documents.join("---\n");
    let files = [SourceFile::new("f", text.as_str())];
    let loaded = load(&files);
    let edits: Vec<Edit> = (0..100)
        .map(|number| {
            set(
                &format!("Pod/p{}", number * 99),
                "metadata|labels|x",
                json!("w"),
            )
        })
        .collect();
    let changes = apply(&loaded, &edits).unwrap().changes;
    assert_eq!(changes.len(), 100);
    // Splices stay within the edited documents.
    for (number, change) in (0..).zip(&changes) {
        let source = &loaded.documents[number * 99].source;
        assert!(source.range.contains(&change.range.start), "{change:?}");
        assert_eq!(change.text, ", labels: {x: w}");
    }
}
