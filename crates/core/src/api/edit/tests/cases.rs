#![allow(clippy::too_many_lines, reason = "tables of cases")]

use super::*;

const NODE: &str = "\
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
fn brackets_over_several_lines() {
    let lines = "apiVersion: v1\nkind: Node\nmetadata: {\n  name: a, # name\n  labels: {\n    a: b # last\n  }\n}\nspec: {taints: [\n    {key: x, effect: NoSchedule},\n    {key: w, effect: NoSchedule}, # comma\n  ]}\n";
    check(
        lines,
        set("Node/a", "metadata|labels|c", json!("d")),
        &lines.replace("a: b # last\n", "a: b, # last\n    c: d\n"),
    );
    check(
        lines,
        append("Node/a", "spec|taints", taint("z")),
        &lines.replace("# comma\n", "# comma\n    {key: z, effect: NoSchedule},\n"),
    );
    check(
        lines,
        remove("Node/a", "spec|taints|0"),
        &lines.replace("    {key: x, effect: NoSchedule},\n", ""),
    );
    check(
        lines,
        remove("Node/a", "spec|taints|1"),
        &lines.replace("    {key: w, effect: NoSchedule}, # comma\n", ""),
    );
    check(
        lines,
        remove("Node/a", "metadata|labels"),
        &lines
            .replace("  labels: {\n    a: b # last\n  }\n", "")
            .replace("a, #", "a #"),
    );
    check(
        lines,
        set("Node/a", "metadata|annotations|a", json!("b")),
        &lines.replace("  }\n}\n", "  },\n  annotations: {a: b}\n}\n"),
    );
    let trailing = "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {a: b,},}\n";
    check(
        trailing,
        set("Node/a", "metadata|labels|c", json!("d")),
        &trailing.replace("a: b,", "a: b, c: d,"),
    );
    check(
        trailing,
        remove("Node/a", "metadata|labels"),
        "apiVersion: v1\nkind: Node\nmetadata: {name: a,}\n",
    );
    let open = "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {x, w: , \"z\":}}\n";
    check(
        open,
        set("Node/a", "metadata|labels|x", json!("1")),
        &open.replace("{x,", "{x: \"1\","),
    );
    check(
        open,
        set("Node/a", "metadata|labels|w", json!("1")),
        &open.replace("w: ,", "w: \"1\" ,"),
    );
    check(
        open,
        set("Node/a", "metadata|labels|z", json!("a,b")),
        &open.replace("\"z\":", "\"z\": \"a,b\""),
    );
}

const DUMP: &str = "{
    \"apiVersion\": \"v1\",
    \"items\": [
        {
            \"apiVersion\": \"v1\",
            \"kind\": \"Node\",
            \"metadata\": {
                \"labels\": {
                    \"a\": \"b\"
                },
                \"name\": \"one\"
            },
            \"spec\": {}
        },
        {
            \"apiVersion\": \"v1\",
            \"kind\": \"Node\",
            \"metadata\": {
                \"name\": \"two\"
            }
        }
    ],
    \"kind\": \"List\",
    \"metadata\": {
        \"resourceVersion\": \"\"
    }
}
";

#[test]
fn dumps_in_json_stay_dumps() {
    check(
        DUMP,
        set("Node/one", "metadata|labels|a", json!("c")),
        &DUMP.replace("\"b\"", "\"c\""),
    );
    check(
        DUMP,
        set("Node/one", "metadata|labels|d", json!("1")),
        &DUMP.replace("\"b\"\n", "\"b\",\n                    \"d\": \"1\"\n"),
    );
    check(
        DUMP,
        append("Node/one", "spec|taints", taint("x")),
        &DUMP.replace("\"spec\": {}", "\"spec\": {\n                \"taints\": [\n                    {\n                        \"key\": \"x\",\n                        \"effect\": \"NoSchedule\"\n                    }\n                ]\n            }"),
    );
    check(
        DUMP,
        set("Node/two", "spec|unschedulable", json!(true)),
        &DUMP.replace("\"two\"\n            }\n", "\"two\"\n            },\n            \"spec\": {\n                \"unschedulable\": true\n            }\n"),
    );
    check(
        DUMP,
        remove("Node/one", "metadata|labels|a"),
        &DUMP.replace(
            "                \"labels\": {\n                    \"a\": \"b\"\n                },\n",
            "",
        ),
    );
    check(
        DUMP,
        remove("Node/one", "spec"),
        &DUMP.replace(
            "            },\n            \"spec\": {}\n",
            "            }\n",
        ),
    );
    let two = "        {\n            \"apiVersion\": \"v1\",\n            \"kind\": \"Node\",\n            \"metadata\": {\n                \"name\": \"two\"\n            }\n        }\n";
    check(
        DUMP,
        delete("Node/two"),
        &DUMP
            .replace(two, "")
            .replace("        },\n    ]", "        }\n    ]")
            .replace("\"spec\": {}\n        },\n", "\"spec\": {}\n        }\n"),
    );
    check_all(
        DUMP,
        &[delete("Node/one"), delete("Node/two")],
        "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n",
    );
    let three = two.replace("two", "three");
    let create = Edit::Create {
        manifest: json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "three"}}),
    };
    check(
        DUMP,
        create.clone(),
        &DUMP.replace(two, &format!("{},\n{three}", two.trim_end())),
    );
    check_all(
        DUMP,
        &[
            create.clone(),
            set("Node/three", "metadata|name", json!("four")),
            delete("Node/four"),
        ],
        DUMP,
    );
    let compact = "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[]}";
    check(
        compact,
        create,
        "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"three\"}}]}",
    );
}

#[test]
fn json_documents_stay_json() {
    let compact = "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}";
    check(
        compact,
        set("Node/a", "metadata|labels|x", json!("w")),
        "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"w\"}}}",
    );
    check(
        compact,
        remove("Node/a", "apiVersion"),
        "{\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}",
    );
    let tabs = "{\n\t\"kind\": \"Node\",\n\t\"apiVersion\": \"v1\",\n\t\"metadata\": {\"name\": \"a\"}\n}\n";
    check(
        tabs,
        set("Node/a", "spec|podCIDR", json!("x")),
        &tabs.replace(
            "\"a\"}\n",
            "\"a\"},\n\t\"spec\": {\n\t\t\"podCIDR\": \"x\"\n\t}\n",
        ),
    );
    check(
        tabs,
        set("Node/a", "metadata|labels|x", json!("\u{202e}")),
        &tabs.replace("\"a\"", "\"a\", \"labels\": {\"x\": \"\\u202e\"}"),
    );
    let create = Edit::Create {
        manifest: json!({"metadata": {"name": "b"}, "kind": "Node", "apiVersion": "v1"}),
    };
    check(
        tabs,
        create.clone(),
        &format!(
            "{tabs}{{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Node\",\n\t\"metadata\": {{\n\t\t\"name\": \"b\"\n\t}}\n}}\n"
        ),
    );
    let two = format!("{compact}\n{}\n", compact.replace("\"a\"", "\"b\""));
    check(&two, delete("Node/b"), &format!("{compact}\n"));
    check(
        &two,
        set("Node/b", "metadata|name", json!("c")),
        &two.replace("\"b\"", "\"c\""),
    );
    let in_yaml =
        "apiVersion: v1\nkind: Node\nmetadata: {\"name\": \"a\", \"labels\": {\"x\": \"w\"}}\n";
    check(
        in_yaml,
        set("Node/a", "metadata|labels|z", json!("1")),
        &in_yaml.replace("\"w\"", "\"w\", \"z\": \"1\""),
    );
}

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
        "f:4: this change would reach other items of the list (give the object a document of its own, or change it by hand)",
    );
    refused(
        shared,
        set("Node/b", "metadata|labels|x", json!("z")),
        "f:5: this object cannot be read on its own (give it a document of its own, without lists in lists and aliases to others)",
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
        "f:6: this change would reach further than asked: an anchor (`&`) is used elsewhere (write the value out where an alias (`*`) uses it, then try again)",
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

fn pod(name: &str) -> String {
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
