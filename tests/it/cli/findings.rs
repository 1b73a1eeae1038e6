//! What CI systems read: a name of a stranger's manifest stays text in each format, and the exit status is that of the
//! chosen files.

use super::{berth, check, json};

fn printed(line: &str) -> String {
    String::from_utf8(berth(line).stdout).unwrap()
}

/// No line but Berth's own begins a workflow command.
#[test]
fn a_name_starts_no_workflow_command() {
    let text = printed("check hostile.yaml -o github");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(
        lines[0].starts_with(
            "::error file=hostile.yaml,title=berth: refused,line=21,col=18::metadata.name: "
        ),
        "{text}"
    );
    assert!(lines[0].contains("%250A"), "{text}");
}

#[test]
fn a_name_ends_no_element() {
    let text = printed("check hostile.yaml -o junit");
    assert_eq!(text.matches("</failure>").count(), 1, "{text}");
    assert!(
        text.contains(r#"tests="1" failures="1" errors="0">"#),
        "{text}"
    );
    assert!(text.contains("]]&gt;&lt;/failure&gt;"), "{text}");
}

/// In a span of code, Markdown knows no link, mention or HTML.
#[test]
fn a_name_is_code_in_markdown() {
    let text = printed("check hostile.yaml -o markdown");
    let line = text.lines().find(|line| line.contains("evil")).unwrap();
    let (_, message) = line.split_once("`hostile.yaml:21:18`: ").unwrap();
    assert!(
        message.starts_with("``metadata.name: ") && message.ends_with("``"),
        "{line}"
    );
    assert_eq!(message.matches("``").count(), 2, "{line}");
}

#[test]
fn sarif_names_rules_and_places() {
    let sarif = json(&berth("schedule hostile.yaml -o sarif"));
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    let of = |id: &str| {
        results
            .iter()
            .filter(|result| result["ruleId"] == id)
            .count()
    };
    assert_eq!((of("refused"), of("waits"), results.len()), (1, 1, 2));
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "hostile.yaml");
        assert!(place["region"]["startLine"].as_u64() > Some(1));
    }
}

/// A case for each file and each Pod.
#[test]
fn waiting_pods_fail_their_cases() {
    let text = printed("schedule shop.yaml -o junit");
    assert!(
        text.contains(r#"<testcase classname="file" name="shop.yaml"/>"#),
        "{text}"
    );
    let pods = text.matches(r#"classname="Pod""#).count();
    assert!(pods > 1, "{text}");
    let waiting = text.matches(r#"<failure type="waits""#).count();
    assert!(waiting >= 1 && waiting < pods, "{text}");
}

#[test]
fn lessons_are_cases() {
    let text = printed("test ../../../www/lessons/05-node-selector.yaml -o junit --seeds 1");
    assert!(text.contains(r#"<testcase classname="lesson""#), "{text}");
    assert!(text.contains(r#"tests="1" failures="0""#), "{text}");
}

#[test]
fn only_the_chosen_files_decide() {
    let status = |line: &str| berth(line).status.code();
    assert_eq!(status("schedule preemption.yaml shop.yaml"), Some(1));
    assert_eq!(
        status("schedule preemption.yaml shop.yaml --only shop.yaml"),
        Some(1)
    );
    let apart = "schedule shop.yaml fits.yaml";
    assert_eq!(status(apart), Some(1));
    assert_eq!(status(&format!("{apart} --only fits.yaml")), Some(0));
    check(
        &format!("{apart} --only other.yaml"),
        2,
        "",
        "error: --only other.yaml: it is not among the files",
    );
}
