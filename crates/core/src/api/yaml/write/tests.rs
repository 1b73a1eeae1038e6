//! Checks the output against kubectl's, and that parsing it yields the same value.

use serde_json::json;

use super::*;
use crate::api::yaml::parse;
use berth_base::random::Random;

#[test]
fn keys_are_sorted_and_lists_not_indented() {
    let value = json!({
        "spec": {"b": [1, {"y": [], "x": {}}], "a": null, "c10": true, "c9": 1.5},
        "kind": "Pod",
    });
    assert_eq!(
        write(&value),
        "kind: Pod\nspec:\n  a: null\n  b:\n  - 1\n  - x: {}\n    \"y\": []\n  c9: 1.5\n  c10: true\n"
    );
}

#[test]
fn texts_are_quoted_as_kubectl_quotes_them() {
    for (text, written) in [
        ("nginx:1.25", "nginx:1.25"),
        ("1", "\"1\""),
        ("true", "\"true\""),
        ("yes", "\"yes\""),
        ("", "\"\""),
        ("2025-01-01T00:00:00Z", "\"2025-01-01T00:00:00Z\""),
        ("100m", "100m"),
        ("1e3", "\"1e3\""),
        ("1:30", "\"1:30\""),
        ("*/5 * * * *", "'*/5 * * * *'"),
        ("a: b", "'a: b'"),
        ("it's", "it's"),
        ("'quoted'", "'''quoted'''"),
        ("- a", "'- a'"),
        ("-a", "-a"),
        ("a #b", "'a #b'"),
        (" a", "' a'"),
        ("@x", "'@x'"),
        ("tab\there", "\"tab\\there\""),
        ("{}", "'{}'"),
    ] {
        assert_eq!(
            write(&json!({"k": text})),
            format!("k: {written}\n"),
            "{text:?}"
        );
    }
}

#[test]
fn multiline_strings_are_literal_and_long_ones_folded() {
    assert_eq!(
        write(&json!({"m": {"a": "one\ntwo\n", "b": "one\n  two"}})),
        "m:\n  a: |\n    one\n    two\n  b: |-\n    one\n      two\n"
    );
    let message = "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.";
    assert_eq!(
        write(&json!({"conditions": [{"message": message}]})),
        "conditions:\n- message: '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are\n    available: 3 No preemption victims found for incoming pod.'\n"
    );
}

#[test]
fn written_values_are_read_back_unchanged() {
    const PARTS: [&str; 22] = [
        "a", "b", " ", "\n", ":", "#", "- ", "'", "\"", "1", "0x", ".", "e5", "true", "~", "\t",
        "\\", "{", "*", "é", "word", "\u{1}",
    ];
    let mut random = Random::new(11);
    for _ in 0..4_000 {
        let length = random.below(40);
        let parts = (0..length).map(|_| PARTS[usize::try_from(random.below(22)).expect("small")]);
        let text: String = parts.collect();
        let value = json!({"outer": [{"k": text, "l": [text]}, text], text.as_str(): 1});
        let written = write(&value);
        let read = parse(&written).unwrap_or_else(|why| panic!("{written}: {why:?}"));
        assert_eq!(read.value, value, "{written}");
    }
}
