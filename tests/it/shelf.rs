//! The shelf of cases: each claim and each counterfactual holds, with several seeds, and each says where it comes from.

use std::fs;
use std::path::Path;

use berth_session::{SourceFile, case};

const SEEDS: [u64; 3] = [1, 2, 3];

/// File names and texts.
fn cases() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let entries = fs::read_dir(folder).unwrap();
    let mut cases: Vec<(String, String)> = entries
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    cases.sort();
    cases
}

#[test]
fn every_case_holds() {
    let cases = cases();
    assert!(cases.len() >= 40, "{}", cases.len());
    for (name, text) in cases {
        let problems = case::test(&SourceFile::new(name.as_str(), text.as_str()), &SEEDS);
        assert_eq!(problems, [], "{name}");
    }
}

#[test]
fn every_case_has_a_title_and_says_where_it_comes_from() {
    for (name, text) in cases() {
        let head = text.split("\n---\n").next().unwrap();
        for field in ["title: ", "description: ", "source: ", "kubernetes: "] {
            let has = head.lines().any(|line| line.starts_with(field));
            assert!(has, "{name} has no {field}");
        }
        let slug = name.strip_suffix(".yaml").unwrap();
        let is_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(slug.chars().all(is_slug), "{name}");
    }
}

#[test]
fn the_page_of_messages_has_every_case_and_every_reason() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/messages.md");
    let page = fs::read_to_string(page).unwrap();
    for (name, text) in cases() {
        assert!(page.contains(&format!("](../cases/{name})")), "{name}");
        let head = text.split("\n---\n").next().unwrap();
        let reasons = head.split("reason: ").skip(1);
        for reason in reasons.filter_map(|rest| rest.lines().next()) {
            let reason = reason.split(", count:").next().unwrap();
            let reason = reason.trim_matches(['"', '\'']).replace("''", "'");
            assert!(page.contains(&format!("`{reason}`")), "{name}: {reason}");
        }
    }
}
