//! `berth verify`: what it prints, and its exit status.

use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{berth, json};
use crate::verify::folders;

/// Writes the files of a recorded folder, its log compressed, and returns the command line that compares them.
fn line_of(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("verify-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    let files = &folders()[name];
    for (file, source) in files {
        std::fs::write(folder.join(file), &*source.text).unwrap();
    }
    let path = |file: &str| folder.join(file).display().to_string();
    let (case, pods, events) = (path("case.yaml"), path("pods.json"), path("events.json"));
    let mut line = format!("verify {case} --pods {pods} --events {events}");
    if let Some(log) = files.get("scheduler.log") {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(log.text.as_bytes()).unwrap();
        std::fs::write(folder.join("scheduler.log.gz"), packed.finish().unwrap()).unwrap();
        line += &format!(" --log {}", path("scheduler.log.gz"));
    }
    line
}

fn printed(line: &str) -> (String, Option<i32>) {
    let output = berth(line);
    let text = String::from_utf8(output.stdout).unwrap();
    (text, output.status.code())
}

#[test]
fn an_agreement_is_one_sentence_and_status_0() {
    let line = line_of("09-resources");
    let expected = "9 attempts, 30 scores, 6 messages: all as the cluster said.\n";
    assert_eq!(printed(&line), (expected.to_owned(), Some(0)));
    let chinese = "9 次尝试、30 个得分、6 条消息：全部与集群所说一致。\n";
    let line = format!("{line} --lang zh-CN");
    assert_eq!(printed(&line), (chinese.to_owned(), Some(0)));
    let (all, status) = printed(&format!("{} -v", line_of("09-resources")));
    assert_eq!(status, Some(0));
    assert_eq!(all.lines().count(), 1 + 1 + 1 + 9, "{all}");
}

#[test]
fn a_difference_names_pod_and_plugin_and_has_status_1() {
    let line = line_of("wrong-06");
    let (text, status) = printed(&line);
    assert_eq!(status, Some(1));
    for part in [
        "2 differences from what the cluster said.",
        "Scores that differ: InterPodAffinity 1",
        "w1, attempt 1",
        "score of InterPodAffinity on a1: 199 in the cluster, 200 in Berth",
        "the log does not add up: the scores of a1 make",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let written = json(&berth(&format!("{line} -o json")));
    assert_eq!(written["agrees"], false);
    assert_eq!(written["counts"]["scores"]["compared"], 204);
    assert_eq!(written["counts"]["scores"]["equal"], 203);
    let first = &written["differences"][0];
    assert_eq!(
        (&first["what"], &first["plugin"]),
        (&"score".into(), &"InterPodAffinity".into())
    );
}

#[test]
fn a_file_that_is_no_answer_has_status_2_and_is_named() {
    let line = line_of("wrong-09");
    let output = berth(&line);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()));
    assert!(
        said.contains("pods.json:259:22: EOF while parsing"),
        "{said}"
    );
    let output = berth("verify shop.yaml --pods none.json");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(said, "error: none.json: no such file or folder\n");
}
