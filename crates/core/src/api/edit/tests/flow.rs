//! Flow style and JSON.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

use super::*;

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
