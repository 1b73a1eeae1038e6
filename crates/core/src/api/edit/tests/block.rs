//! Fields of a document in block style.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

use super::documents::pod;
use super::*;

pub(super) const NODE: &str = "\
# The first node.
apiVersion: v1
kind: Node
metadata:
  name: a   # its name
  labels:
    # Where it stands.
    topology.kubernetes.io/zone: \"z1\" # east
    disk: 'ssd'
spec:
  taints:
  - key: gpu
    effect: NoSchedule # keep out
  - {key: old, effect: NoExecute}
status:
  allocatable: {cpu: 4, memory: 16Gi}
";

/// `NODE` with one piece replaced.
fn node_with(old: &str, new: &str) -> String {
    assert_eq!(NODE.matches(old).count(), 1, "{old}");
    NODE.replace(old, new)
}

#[test]
fn scalars_keep_their_quotes_and_comments() {
    check(
        NODE,
        set(
            "Node/a",
            "metadata|labels|topology.kubernetes.io/zone",
            json!("z2"),
        ),
        &node_with("\"z1\"", "\"z2\""),
    );
    check(
        NODE,
        set("Node/a", "metadata|labels|disk", json!("it's")),
        &node_with("'ssd'", "'it''s'"),
    );
    check(
        NODE,
        set("Node/a", "metadata|name", json!("b")),
        &node_with("name: a ", "name: b "),
    );
    check(
        NODE,
        set("Node/a", "spec|taints|0|effect", json!("NoExecute")),
        &node_with("NoSchedule #", "NoExecute #"),
    );
    check(
        NODE,
        set("Node/a", "spec|taints|1|effect", json!("NoSchedule")),
        &node_with("effect: NoExecute", "effect: NoSchedule"),
    );
    check(
        NODE,
        set("Node/a", "status|allocatable|cpu", json!("8")),
        &node_with("cpu: 4", "cpu: \"8\""),
    );
    check(
        NODE,
        set("Node/a", "status|allocatable|cpu", json!(8)),
        &node_with("cpu: 4", "cpu: 8"),
    );
    check(
        NODE,
        set("Node/a", "status|allocatable|memory", json!("64Gi")),
        &node_with("16Gi", "64Gi"),
    );
}

#[test]
fn keys_are_added_after_the_last_one() {
    check(
        NODE,
        set("Node/a", "metadata|labels|rack", json!("r1")),
        &node_with("'ssd'\n", "'ssd'\n    rack: r1\n"),
    );
    check(
        NODE,
        set("Node/a", "spec|unschedulable", json!(true)),
        &node_with("NoExecute}\n", "NoExecute}\n  unschedulable: true\n"),
    );
    check(
        NODE,
        set("Node/a", "status|allocatable|pods", json!("110")),
        &node_with("16Gi}", "16Gi, pods: \"110\"}"),
    );
    check(
        NODE,
        set("Node/a", "spec|taints|0|value", json!("yes")),
        &node_with("keep out\n", "keep out\n    value: \"yes\"\n"),
    );
    check(
        NODE,
        set("Node/a", "spec|taints|1|value", json!("no")),
        &node_with("NoExecute}", "NoExecute, value: \"no\"}"),
    );
    check(
        NODE,
        set(
            "Node/a",
            "metadata|annotations|example.com/x",
            json!("a: b"),
        ),
        &node_with(
            "'ssd'\n",
            "'ssd'\n  annotations:\n    example.com/x: \"a: b\"\n",
        ),
    );
    check(
        NODE,
        set("Node/a", "status|capacity|cpu", json!("4")),
        &node_with("16Gi}\n", "16Gi}\n  capacity: {cpu: \"4\"}\n"),
    );
}

#[test]
fn items_are_added_in_the_style_of_the_last_one() {
    check(
        NODE,
        append("Node/a", "spec|taints", taint("new")),
        &node_with(
            "NoExecute}\n",
            "NoExecute}\n  - {key: new, effect: NoSchedule}\n",
        ),
    );
    let block = "kind: Node\napiVersion: v1\nmetadata: {name: a}\nspec:\n    taints:\n      -   key: x\n          effect: NoSchedule\n    providerID: p\n";
    check(
        block,
        append("Node/a", "spec|taints", taint("w")),
        "kind: Node\napiVersion: v1\nmetadata: {name: a}\nspec:\n    taints:\n      -   key: x\n          effect: NoSchedule\n      - key: w\n        effect: NoSchedule\n    providerID: p\n",
    );
    let flow = "kind: Node\napiVersion: v1\nmetadata: {name: a}\nspec: {taints: [{key: x, effect: NoSchedule}]}\n";
    check(
        flow,
        append("Node/a", "spec|taints", taint("w")),
        "kind: Node\napiVersion: v1\nmetadata: {name: a}\nspec: {taints: [{key: x, effect: NoSchedule}, {key: w, effect: NoSchedule}]}\n",
    );
}

#[test]
fn missing_mappings_and_lists_are_created() {
    let bare = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n";
    check(
        bare,
        append("Node/a", "spec|taints", taint("x")),
        &format!("{bare}spec:\n  taints:\n  - key: x\n    effect: NoSchedule\n"),
    );
    check(
        bare,
        set("Node/a", "metadata|labels|on", json!("1")),
        &format!("{bare}  labels:\n    \"on\": \"1\"\n"),
    );
    for empty in ["", " ", " # none", " null", " ~", " {}", " { }"] {
        let labels =
            format!("apiVersion: v1\nkind: Node\nmetadata:\n  labels:{empty}\n  name: a\n");
        let comment = empty.trim_end_matches(['n', 'u', 'l', '~', '{', '}', ' ']);
        let comment = if empty == " # none" { empty } else { comment };
        let comment = if empty == " " { " " } else { comment };
        check(
            &labels,
            set("Node/a", "metadata|labels|x", json!("w")),
            &format!(
                "apiVersion: v1\nkind: Node\nmetadata:\n  labels:{comment}\n    x: w\n  name: a\n"
            ),
        );
    }
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {taints: []}",
        append("Node/a", "spec|taints", taint("x")),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {taints: [{key: x, effect: NoSchedule}]}",
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}",
        set("Node/a", "metadata|labels|a.b/c", json!("")),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {a.b/c: \"\"}}",
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}",
        set("Node/a", "spec|unschedulable", json!(true)),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  unschedulable: true",
    );
}

#[test]
fn removal_includes_parents_that_become_empty() {
    check(
        NODE,
        remove("Node/a", "metadata|labels|disk"),
        &node_with("    disk: 'ssd'\n", ""),
    );
    check(
        NODE,
        remove("Node/a", "metadata|labels|topology.kubernetes.io/zone"),
        &node_with("    topology.kubernetes.io/zone: \"z1\" # east\n", ""),
    );
    check(
        NODE,
        remove("Node/a", "spec|taints|0"),
        &node_with("  - key: gpu\n    effect: NoSchedule # keep out\n", ""),
    );
    check(
        NODE,
        remove("Node/a", "spec|taints|1"),
        &node_with("  - {key: old, effect: NoExecute}\n", ""),
    );
    check(
        NODE,
        remove("Node/a", "status|allocatable|cpu"),
        &node_with("cpu: 4, ", ""),
    );
    check(
        NODE,
        remove("Node/a", "status|allocatable|memory"),
        &node_with(", memory: 16Gi", ""),
    );
    check(
        NODE,
        remove("Node/a", "spec|taints|0|key"),
        &node_with("- key: gpu\n    effect", "- effect"),
    );
    check_all(
        NODE,
        &[remove("Node/a", "spec|taints|0"), remove("Node/a", "spec|taints|0")],
        &NODE.replace("spec:\n  taints:\n  - key: gpu\n    effect: NoSchedule # keep out\n  - {key: old, effect: NoExecute}\n", ""),
    );
    check(NODE, remove("Node/a", "spec|nothing"), NODE);
    check(
        "apiVersion: v1\nkind: Node\nmetadata:\n  labels:\n    a: b # c\nspec: {podCIDR: x}\n",
        remove("Node/", "metadata|labels|a"),
        "apiVersion: v1\nkind: Node\nmetadata: {}\nspec: {podCIDR: x}\n",
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {podCIDR: x}",
        remove("Node/a", "spec|podCIDR"),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}",
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - # why\n    key: a\n    effect: NoSchedule\n  - # because\n    key: b\n    effect: NoSchedule\n",
        remove("Node/a", "spec|taints|0"),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - # because\n    key: b\n    effect: NoSchedule\n",
    );
}

#[test]
fn a_comment_after_the_dash_stays() {
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - key: a # first\n    # second\n    effect: NoSchedule\n",
        remove("Node/a", "spec|taints|0|key"),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  -  # first\n    # second\n    effect: NoSchedule\n",
    );
}

#[test]
fn shapes_change_in_place() {
    check(
        NODE,
        set("Node/a", "spec|taints", json!([])),
        &NODE.replace("  taints:\n  - key: gpu\n    effect: NoSchedule # keep out\n  - {key: old, effect: NoExecute}\n", "  taints: []\n"),
    );
    check(
        NODE,
        set(
            "Node/a",
            "metadata|labels",
            json!({"disk": "hdd", "rack": "1"}),
        ),
        &node_with(
            "    topology.kubernetes.io/zone: \"z1\" # east\n    disk: 'ssd'\n",
            "    disk: 'hdd'\n    rack: \"1\"\n",
        ),
    );
    check(
        NODE,
        set("Node/a", "metadata|name", json!(["x", {"w": [1]}])),
        &node_with(
            "  name: a   # its name\n",
            "  name:   # its name\n  - x\n  - w:\n    - 1\n",
        ),
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels:\n    # gone\n\n    a: b\n",
        set("Node/a", "metadata|labels", json!({})),
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {}\n    # gone\n\n",
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - a\n  - x: w\n  -\n",
        set(
            "Node/a",
            "spec|taints|0",
            json!({"k": {"l": "m"}, "num": 1}),
        ),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - k:\n      l: m\n    num: 1\n  - x: w\n  -\n",
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - a\n  - x: w\n  -\n",
        set("Node/a", "spec|taints|1", json!("z")),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - a\n  - z\n  -\n",
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - a\n  - x: w\n  -\n",
        set("Node/a", "spec|taints|2|k", json!("v")),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec:\n  taints:\n  - a\n  - x: w\n  - k: v\n",
    );
}

#[test]
fn block_scalars_and_long_texts() {
    let text = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  annotations:\n    one: |\n      # no comment\n      x: w\n\n    two: >-\n      folded\n      text\n    three: plain\n      text\n    four: \"quoted\n      text\"\n";
    check(
        text,
        set("Node/a", "metadata|annotations|one", json!("1")),
        &text.replace("|\n      # no comment\n      x: w\n", "\"1\"\n"),
    );
    check(
        text,
        set("Node/a", "metadata|annotations|two", json!("t")),
        &text.replace(">-\n      folded\n      text\n", "t\n"),
    );
    check(
        text,
        set("Node/a", "metadata|annotations|three", json!("t")),
        &text.replace("plain\n      text\n", "t\n"),
    );
    check(
        text,
        set("Node/a", "metadata|annotations|four", json!("t")),
        &text.replace("\"quoted\n      text\"", "\"t\""),
    );
    check(
        text,
        remove("Node/a", "metadata|annotations|one"),
        &text.replace("    one: |\n      # no comment\n      x: w\n", ""),
    );
    check(
        text,
        set("Node/a", "metadata|labels|x", json!("w")),
        &format!("{text}  labels:\n    x: w\n"),
    );
    check(
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  annotations:\n    keep: |+\n      x\n\nspec: {}\n",
        set("Node/a", "metadata|annotations|new", json!("two\nlines")),
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  annotations:\n    keep: |+\n      x\n\n    new: \"two\\nlines\"\nspec: {}\n",
    );
    refused(
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  annotations:\n    open: |\n      x",
        set("Node/a", "metadata|annotations|new", json!("x")),
        "f:7: this cannot be changed in place (change it by hand; is a key given twice?)",
    );
}

#[test]
fn anchors_aliases_merges_and_tags() {
    let text = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: &l\n    x: &x w\n    num: !!str 5\n  annotations:\n    <<: *l\n    own: *x\n    other: &unused z\n    all: {a: *x}\n";
    check(
        text,
        set("Node/a", "metadata|annotations|own", json!("v")),
        &text.replace("own: *x", "own: v"),
    );
    check(
        text,
        set("Node/a", "metadata|annotations|all|a", json!("v")),
        &text.replace("{a: *x}", "{a: v}"),
    );
    check(
        text,
        set("Node/a", "metadata|annotations|other", json!("v")),
        &text.replace("&unused z", "&unused v"),
    );
    check(
        text,
        set("Node/a", "metadata|annotations|x", json!("v")),
        &format!("{text}    x: v\n"),
    );
    refused(
        text,
        set("Node/a", "metadata|labels|x", json!("v")),
        "f:6: this change would affect more than asked: an anchor (`&`) is used elsewhere (write the value out where an alias (`*`) uses it, then try again)",
    );
    refused(
        text,
        remove("Node/a", "metadata|annotations|x"),
        "f:9: the field comes from a merge (`<<`) and cannot be taken away here (write the merged fields out, or change them where the anchor is)",
    );
    let tagged = "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {num: !!str 5}\n  annotations: !!map\n    m: !!str 5 # five\n";
    check(
        tagged,
        set("Node/a", "metadata|labels|num", json!(6)),
        &tagged.replace("!!str 5}", "6}"),
    );
    check(
        tagged,
        set("Node/a", "metadata|annotations|m", json!("6")),
        &tagged.replace("!!str 5 #", "\"6\" #"),
    );
    check(
        tagged,
        set("Node/a", "metadata|annotations|k", json!("6")),
        &format!("{tagged}    k: \"6\"\n"),
    );
    let alias = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: &s {disk: ssd}\n  other: *s\n";
    check(
        alias,
        set("Pod/a", "spec|other|x", json!("w")),
        &alias.replace("other: *s", "other:\n    disk: ssd\n    x: w"),
    );
}

#[test]
fn line_endings_byte_order_marks_and_odd_layouts() {
    let crlf = NODE.replace('\n', "\r\n");
    let and = |edit: Edit, after: &str| check(&crlf, edit, &after.replace('\n', "\r\n"));
    and(
        set("Node/a", "metadata|labels|rack", json!("r")),
        &node_with("'ssd'\n", "'ssd'\n    rack: r\n"),
    );
    and(
        remove("Node/a", "spec|taints|0"),
        &node_with("  - key: gpu\n    effect: NoSchedule # keep out\n", ""),
    );
    and(
        set("Node/a", "metadata|name", json!("é\u{202e}")),
        &node_with("name: a ", "name: \"é\\u202e\" "),
    );
    let create = Edit::Create {
        manifest: json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "b"}}),
    };
    and(
        create,
        &format!("{NODE}---\napiVersion: v1\nkind: Node\nmetadata:\n  name: b\n"),
    );
    check(
        "\u{feff}apiVersion: v1\nkind: Node\nmetadata: {name: a}\t# tab\nspec:\t{podCIDR: 'x'}\t\n",
        set("Node/a", "spec|podCIDR", json!("w")),
        "\u{feff}apiVersion: v1\nkind: Node\nmetadata: {name: a}\t# tab\nspec:\t{podCIDR: 'w'}\t\n",
    );
    check(
        "# é \u{202e} comment\napiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {\"\u{e9}\": \u{e9}} # \u{202e}\n",
        set("Node/a", "metadata|labels|é", json!("e")),
        "# é \u{202e} comment\napiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {\"\u{e9}\": \"e\"} # \u{202e}\n",
    );
    refused(
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  ? labels\n  : x\n",
        set("Node/a", "spec|podCIDR", json!("w")),
        "f:5: a key behind `?` cannot be edited in place (write this part in a simpler way, or change it by hand)",
    );
    refused(
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {x: 1}\nspec: {x: 2}\n",
        remove("Node/a", "spec|x"),
        "f:5: this cannot be changed in place (change it by hand; is a key given twice?)",
    );
}

#[test]
fn strings_are_quoted_if_needed() {
    for text in [
        "yes",
        "No",
        "on",
        "y",
        "null",
        "~",
        "",
        "true",
        "1",
        "-1",
        "1e3",
        "0x1",
        "1_000",
        "0o17",
        "017",
        ".5",
        "+.inf",
        ".nan",
        "2001-01-01",
        "2001-01-01T00:00:00Z",
        "1:30",
        "1.34",
        "=",
        "<<",
        "a: b",
        "a #b",
        "a:",
        ":a",
        "- a",
        "-",
        "?",
        "*a",
        "&a",
        "!a",
        "@a",
        "`a",
        "%a",
        "{a",
        "[a",
        "|",
        ">",
        "'a",
        "\"a",
        " a",
        "a ",
        "a\nb",
        "a\tb",
        "\u{7f}",
        "\u{202e}",
        "\u{feff}x",
        "\u{2028}",
        "---",
        "#a",
        "1e",
        "0b1",
        "\\",
        "é",
    ] {
        let plain = ["\\", "é"].contains(&text);
        for before in ["x: w", "x: [w]"] {
            let before = format!("{before}\napiVersion: v1\nkind: Node\nmetadata: {{name: a}}\n");
            let at = if before.contains('[') { "x|0" } else { "x" };
            let after = edited(&before, &[set("Node/a", at, json!(text))]).unwrap();
            assert_eq!(after.contains('"'), !plain, "{text:?}: {after}");
        }
    }
    for text in [
        "16Gi",
        "500m",
        "a.b/c",
        "node-1",
        "a-b_c",
        "nginx:1.27",
        "NoSchedule",
        "a, b",
        "x=w",
        "1a-b.example",
    ] {
        let after = edited(&pod("a"), &[set("Pod/a", "spec|x", json!(text))]).unwrap();
        assert!(after.ends_with(&format!("  x: {text}\n")), "{after}");
    }
}
