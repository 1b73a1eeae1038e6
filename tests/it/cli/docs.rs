//! `berth docs`: blocks of pages as tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::json;

const NODE: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n";

fn pod(name: &str, cpu: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: {name}}}}}\nspec:\n  containers:\n  - name: c\n    \
         image: i\n    resources: {{requests: {{cpu: '{cpu}'}}}}\n"
    )
}

fn fence(words: &str, text: &str) -> String {
    format!("```yaml {words}\n{text}```\n")
}

/// A folder with these pages.
fn folder(test: &str, pages: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("docs-{test}"));
    let _ = fs::remove_dir_all(&folder);
    for (name, text) in pages {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn berth_in(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Runs `docs .` in a folder with these pages, and compares what it prints.
#[track_caller]
fn check(test: &str, pages: &[(&str, &str)], status: i32, expected: &[&str]) {
    let output = berth_in(&folder(test, pages), "docs .");
    let out = String::from_utf8(output.stdout).unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines, expected, "{err}");
    assert_eq!(output.status.code(), Some(status), "{out}{err}");
}

const WAITS: &str = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are \
                     available: 1 Preemption is not helpful for scheduling.";

#[test]
fn what_cannot_be_read_or_would_be_refused_is_named_by_its_line() {
    let page = "# Page\n\n```yaml\nkind: Pod\nmetadata: {name: a\n```\n\n- In a list:\n\n  ```yaml\n  apiVersion: v1\n  kind: Pod\n  \
                metadata: {name: b}\n  spec: {containers: []}\n  ```\n";
    let output = berth_in(&folder("refused", &[("a.md", page)]), "docs .");
    let out = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(
        lines[0].starts_with("./a.md:5:") || lines[0].starts_with("./a.md:6:"),
        "{out}"
    );
    assert!(lines[0].contains("error converting YAML to JSON"), "{out}");
    // Columns are those of the page.
    assert!(
        lines[1].starts_with("./a.md:14:22: error: spec.containers: Required value"),
        "{out}"
    );
    assert_eq!(lines[2], "0 of 2 blocks pass");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn blocks_share_a_cluster_and_expect() {
    let first = fence("cluster=lab", NODE)
        + "\nA Pod that fits:\n\n"
        + &fence("cluster=lab expect=\"web: Bound on n1\"", &pod("web", "3"));
    let second = fence(
        "cluster=lab expect=\"db: Pending: Insufficient cpu; app=web: Bound\"",
        &pod("db", "2"),
    );
    let pages = [("1.md", first.as_str()), ("2.md", &second)];
    check("cluster", &pages, 0, &["3 of 3 blocks pass"]);
    // A block of `lab/a` is read after those of `lab`, and only by its own.
    let apart = fence("cluster=lab", NODE)
        + &fence("cluster=lab/a expect=\"web: Bound\"", &pod("web", "3"))
        + &fence("cluster=lab/b expect=\"db: Bound\"", &pod("db", "3"))
        + &fence("cluster=laboratory expect=\"db: Pending\"", &pod("db", "3"));
    check("apart", &[("1.md", &apart)], 0, &["4 of 4 blocks pass"]);
}

#[test]
fn a_pod_that_waits_unexpectedly_fails_its_block() {
    let page = fence("cluster=lab", NODE)
        + &fence("cluster=lab", &pod("db", "5"))
        + &fence("cluster=lab expect=\"web: Pending\"", &pod("web", "1"));
    let expected = [
        &*format!("./a.md:8:1: error: default/db waits: {WAITS}"),
        "./a.md:17:1: error: Pod web is Pending: web is Bound on n1",
        "1 of 3 blocks pass",
    ];
    check("waits", &[("a.md", &page)], 1, &expected);
}

#[test]
fn misspelt_words_fail() {
    let page = fence("cluster=lab expct=\"web: Bound\"", NODE)
        + &fence("berth stpe=3 view=matrx", NODE)
        + &fence("expect=\"web: Bond\"", NODE);
    let expected = [
        "./a.md:1:1: error: expct is no attribute of a block (did you mean expect?)",
        "./a.md:7:1: error: view=matrx is none of stage, explain, matrix, terminal (did you mean matrix?)",
        "./a.md:7:1: error: stpe is no attribute of a block (did you mean step?)",
        "./a.md:13:1: error: expect: expectations[0].state: Unsupported value: \"Bond\": supported values: \"Bound\", \
         \"Pending\", \"Gated\", \"Deleted\" (did you mean \"Bound\"?)",
        "0 of 3 blocks pass",
    ];
    check("misspelt", &[("a.md", &page)], 2, &expected);
}

#[test]
fn hidden_lines_and_blocks_are_read() {
    let hidden = format!("<!--\n{}-->\n", fence("cluster=lab", NODE));
    let lines: String = NODE.lines().map(|line| format!("~{line}\n")).collect();
    let page = hidden
        + &fence("cluster=lab expect=\"db: Pending\"", &pod("db", "5"))
        + &fence(
            "hidelines=~ expect=\"web: Bound on n1\"",
            &format!("{lines}---\n{}", pod("web", "1")),
        );
    check("hidden", &[("a.md", &page)], 0, &["3 of 3 blocks pass"]);
}

#[test]
fn restructured_text_and_included_files_are_read() {
    let indented = |text: &str| {
        text.lines()
            .map(|line| format!("   {line}\n"))
            .collect::<String>()
    };
    let rst = format!(
        "Title\n=====\n\n..\n   .. berth::\n      :cluster: lab\n\n{}\n.. berth::\n   :cluster: lab\n   :expect: db: Pending\n\n{}\n\
         .. literalinclude:: pod.yaml\n   :cluster: lab\n   :expect: web: Bound\n",
        NODE.lines()
            .map(|line| format!("      {line}\n"))
            .collect::<String>(),
        indented(&pod("db", "5")),
    );
    let page = "{{% code_sample file=\"pods/web.yaml\" expect=\"web: Bound\" %}}\n{{% code_sample file=\"pods/none.yaml\" %}}\n";
    let node_and_pod = format!("{NODE}---\n{}", pod("web", "1"));
    let broken = pod("web", "x");
    let pages = [
        ("a.rst", rst.as_str()),
        ("pod.yaml", &pod("web", "1")),
        ("content/zh-cn/docs/b.md", page),
        ("content/en/examples/pods/web.yaml", &node_and_pod),
        (
            "c.md",
            "```yaml\n{{#include broken.yaml}}\n```\n```yaml\n{{#include broken.yaml:2}}\n```\n",
        ),
        ("broken.yaml", &broken),
    ];
    let expected = [
        "./broken.yaml:8:33: error: spec.containers[0].resources.requests[cpu]: quantities must match the regular expression \
         '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' (write a number with an optional unit, e.g. 500m, 2, 1.5Gi)",
        "./content/zh-cn/docs/b.md:2:1: error: pods/none.yaml: no such file",
        "4 of 6 blocks pass",
    ];
    check("rst", &pages, 2, &expected);
}

#[test]
fn what_is_not_looked_at_is_counted() {
    let page = fence("", "name: placement\non: pull_request\n")
        + &fence("ignore", &pod("a", "x"))
        + &fence("", "apiVersion: v1\nkind: Pod\nspec:\n  ...\n")
        + "````markdown\n```yaml\nkind: [\n```\n````\n"
        + &fence("", &pod("a", "1"));
    let pages = [
        ("a.md", page.as_str()),
        ("node_modules/b/b.md", "```yaml\nkind: [\n```\n"),
    ];
    let folder = folder("skipped", &pages);
    let output = berth_in(&folder, "docs . -v");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "1 of 1 blocks pass\n"
    );
    let err = String::from_utf8(output.stderr).unwrap();
    let expected = "./a.md:1: not looked at: YAML without manifests\n./a.md:15: not looked at: `...` or `…` stands for a part of \
                    it\n./a.md:5: not looked at: marked `ignore`\n";
    assert_eq!(err, expected);
    assert_eq!(output.status.code(), Some(0));
}

/// No green run for a folder in which nothing was read.
#[test]
fn pages_without_manifests_are_an_error() {
    let folder = folder("nothing", &[("a.md", "Text.\n"), ("b.txt", "Text.\n")]);
    for (line, message) in [
        (
            "docs a.md",
            "error: no block of these pages has manifests\n",
        ),
        ("docs c.md", "error: c.md: no such file or folder\n"),
    ] {
        let output = berth_in(&folder, line);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), message);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_scenario_and_a_release_of_a_block_hold() {
    let scenario = "apiVersion: berth.dev/v1alpha1\nkind: Scenario\nexpectations:\n- {pod: web, state: Pending}\n---\n";
    let page = fence("", &format!("{scenario}{NODE}---\n{}", pod("web", "1")))
        + &fence(
            "kubernetes=1.34",
            &format!("{NODE}---\n{}", pod("web", "1")),
        );
    let expected = [
        "./a.md:5:3: error: Pod web is Pending: web is Bound on n1",
        "1 of 2 blocks pass",
    ];
    check("scenario", &[("a.md", &page)], 1, &expected);
}

/// A stranger's page is text in every format.
#[test]
fn formats_are_those_of_the_other_checks() {
    let page = fence("cluster=lab", NODE)
        + &fence("cluster=lab", &pod("db", "5"))
        + "~~~yaml berth view=::error\n~~~\n"
        + "~~~yaml berth view=<img>`@all\n~~~\n";
    let folder = folder("formats", &[("a.md", &page)]);
    let printed = |format: &str| {
        let output = berth_in(&folder, &format!("docs a.md -o {format}"));
        assert_eq!(output.status.code(), Some(2), "{format}");
        output
    };
    let text = |format: &str| String::from_utf8(printed(format).stdout).unwrap();
    let github = text("github");
    assert!(
        github.contains("::error file=a.md,title=berth: waits,line=8,col=1::default/db waits: "),
        "{github}"
    );
    assert!(
        github.contains("::error file=a.md,title=berth: misspelt,line="),
        "{github}"
    );
    let junit = text("junit");
    assert!(
        junit.contains("<testcase classname=\"block\" name=\"a.md:1\"/>"),
        "{junit}"
    );
    assert!(junit.contains("<failure type=\"waits\""), "{junit}");
    assert!(!junit.contains("<img"), "{junit}");
    let markdown = text("markdown");
    assert!(
        markdown.starts_with("**✗ berth docs**: 1 of "),
        "{markdown}"
    );
    let sarif = json(&printed("sarif"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&Value> = results.iter().map(|result| &result["ruleId"]).collect();
    assert!(
        rules.contains(&&"waits".into()) && rules.contains(&&"misspelt".into()),
        "{rules:?}"
    );
    let problems = json(&printed("json"));
    assert_eq!(
        (&problems[0]["file"], &problems[0]["line"]),
        (&"a.md".into(), &8.into())
    );
}

/// The pages of this project.
#[test]
fn our_own_pages_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = berth_in(root, "docs README.md README.zh-CN.md docs adapters");
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{out}");
}
