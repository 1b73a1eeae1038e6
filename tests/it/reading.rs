//! Large, deep or malicious input is read in bounded time; refused input gets a problem that names the reason.

use std::fmt::Write as _;

use berth_core::api::load::{Loaded, load};
use berth_core::api::problem::MAX_PROBLEMS;
use berth_core::api::source::SourceFile;

fn read(text: String) -> Loaded {
    load(&[SourceFile::new("f", text)])
}

/// The messages, without places and help.
fn messages(text: String) -> Vec<String> {
    read(text)
        .problems
        .into_iter()
        .map(|problem| problem.message.to_string())
        .collect()
}

#[test]
fn deep_nesting_is_refused() {
    let expected = ["error converting YAML to JSON: nested more than 128 levels deep"];
    let block: String = (0..1_000).fold(String::new(), |mut text, level| {
        let _ = writeln!(text, "{}a:", " ".repeat(level));
        text
    });
    for text in [
        "[".repeat(5_000_000),
        "{a: ".repeat(10_000),
        format!(
            "apiVersion: v1\nkind: Pod\nx: {}{}",
            "[".repeat(10_000),
            "]".repeat(10_000)
        ),
        format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000)),
        format!("a: &a\n  b: [{}", "&x [".repeat(10_000)),
        "- ".repeat(10_000),
        block,
        "a: &a [*a]".to_owned(),
    ] {
        assert_eq!(
            messages(text.clone()),
            expected,
            "{}",
            &text[..20.min(text.len())]
        );
    }
}

#[test]
fn brackets_in_scripts_and_texts_are_not_nesting() {
    let script = "      echo \"\\e[0m [ {\n".repeat(1_000);
    let text = format!("apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    a: |\n{script}");
    assert_eq!(messages(text), [""; 0]);
    let quoted = "'[','{',\"\\\"[\", ".repeat(1_000);
    assert_eq!(
        messages(format!(
            "apiVersion: v1\nkind: Pod\nspec: {{containers: [{{args: [{quoted}]}}]}}"
        )),
        [""; 0]
    );
}

#[test]
fn aliases_cannot_explode() {
    let expected =
        ["error converting YAML to JSON: the aliases of this document expand to too much"];
    let mut lists = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let _ = writeln!(
            lists,
            "a{level}: &a{level} [{}]",
            format!("*a{}, ", level - 1).repeat(9)
        );
    }
    let long = format!(
        "a: &a {}\nb: [{}]",
        "x".repeat(100_000),
        "*a, ".repeat(10_000)
    );
    let mut merges = "a0: &a0 {x: 1, y: 2}\n".to_owned();
    for level in 1..40 {
        let _ = writeln!(
            merges,
            "a{level}: &a{level} {{l: *a{0}, r: *a{0}, <<: *a{0}}}",
            level - 1
        );
    }
    for text in [lists, long, merges] {
        assert_eq!(messages(text), expected);
    }
}

#[test]
fn many_documents_are_read_in_linear_time() {
    assert_eq!(read("---\n".repeat(200_000)).documents.len(), 0);
    let loaded = read("apiVersion: v1\nkind: Node\n---\n".repeat(20_000));
    assert_eq!((loaded.documents.len(), loaded.problems.len()), (20_000, 0));
}

#[test]
fn problems_are_counted_when_there_are_too_many() {
    let loaded = read("a: 1\n---\n".repeat(20_000));
    assert_eq!(loaded.problems.len(), MAX_PROBLEMS + 1);
    assert_eq!(
        loaded
            .problems
            .last()
            .map(|problem| problem.message.to_string()),
        Some("… and 19000 more".to_owned())
    );
    let unknown = (0..1_000).fold(
        "apiVersion: v1\nkind: Pod\n".to_owned(),
        |mut text, number| {
            let _ = writeln!(text, "x{number}: 1");
            text
        },
    );
    assert_eq!(
        messages(unknown).last().map(String::as_str),
        Some("… and 950 more")
    );
}

#[test]
fn a_first_error_is_listed_behind_any_number_of_warnings() {
    let warnings = "apiVersion: v1\nkind: Pod\nx: 1\n---\n".repeat(3_000);
    let loaded = read(format!("{warnings}kind: Pod\n"));
    assert!(
        loaded
            .problems
            .iter()
            .any(|problem| problem.message == "Object 'apiVersion' is missing")
    );
}

#[test]
fn numbers_beyond_bounds() {
    let pod = |spec: &str| format!("apiVersion: v1\nkind: Pod\nspec: {spec}\n");
    for (spec, expected) in [
        (
            "{priority: 99999999999999999999999999999999999999999999}",
            "json: cannot unmarshal number",
        ),
        (
            "{priority: .nan}",
            "error converting YAML to JSON: spec.priority: NaN and infinity are no JSON numbers",
        ),
        (
            "{priority: -.inf}",
            "error converting YAML to JSON: spec.priority: NaN and infinity are no JSON numbers",
        ),
        (
            "{overhead: {cpu: nan}}",
            "quantities must match the regular expression",
        ),
    ] {
        let messages = messages(pod(spec));
        assert!(
            messages.len() == 1 && messages[0].starts_with(expected),
            "{spec}: {messages:?}"
        );
    }
    assert_eq!(
        messages(pod(
            "{overhead: {cpu: 1e400, memory: 1e-400, x: 99999999999999999999Ei}}"
        )),
        [""; 0]
    );
}
