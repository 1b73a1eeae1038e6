//! Links: round trips, damages, bombs, and the frozen links of all versions, which open for ever.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use berth::words::language::is_translation;
use berth_base::random::Random;
use berth_session::redact;
use flate2::Compression;
use flate2::write::ZlibEncoder;

fn berth(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_berth"))
        .args(args)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .env_remove("BERTH_PAGE")
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A new folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("berth-links-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    /// Opens a link that is given on standard input.
    fn open(&self, link: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_berth"))
            .args(["open", "-", "--force", "--into"])
            .arg(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        let mut stdin = child.stdin.take().expect("piped");
        stdin.write_all(link.as_bytes()).expect("it is read");
        drop(stdin);
        child.wait_with_output().expect("it ends")
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.0.join(name)).ok()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenarios");
    let files = std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|file| file.path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|e| e == "yaml"))
        .filter(|file| !is_translation(&file.to_string_lossy()))
        .collect();
    files.sort();
    files
}

fn link_to(file: &Path) -> String {
    text(&berth(&["link", &file.to_string_lossy()]).stdout)
        .trim()
        .to_owned()
}

/// The fragment of a JSON text.
fn fragment(json: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(json).expect("memory");
    let bytes = encoder.finish().expect("memory");
    format!("#1.{}", URL_SAFE_NO_PAD.encode(bytes))
}

fn below(random: &mut Random, bound: usize) -> usize {
    usize::try_from(random.below(bound as u64)).expect("below a usize")
}

#[test]
fn every_example_survives_a_link_of_at_most_2000_characters() {
    let folder = Folder::new("examples");
    for file in examples() {
        let link = link_to(&file);
        let name = file.file_name().expect("a file").to_string_lossy();
        assert!(
            link.len() <= berth_protocol::link::SHORT || name == "dump.yaml",
            "{name}: {} characters",
            link.len()
        );
        let opened = folder.open(&link);
        assert!(opened.status.success(), "{name}: {}", text(&opened.stderr));
        let written = std::fs::read_to_string(&file).unwrap();
        // One example is a dump.
        let shared = redact(&written).map_or(written, |redacted| redacted.text);
        assert_eq!(folder.read(&name), Some(shared), "{name}");
    }
}

#[test]
fn a_link_shows_a_moment() {
    let folder = Folder::new("moment");
    let file = "www/scenarios/taints.yaml";
    let page = "https://example.org/berth/?theme=dark#old";
    let made = berth(&["link", file, "--at", "2", "--page", page]);
    let link = text(&made.stdout);
    assert!(
        link.starts_with("https://example.org/berth/?theme=dark#1."),
        "{link}"
    );
    let opened = folder.open(link.trim());
    let printed = text(&opened.stdout);
    assert!(printed.contains("at entry 2"), "{printed}");
    let late = berth(&["link", file, "--at", "999"]);
    assert_eq!(late.status.code(), Some(2));
    assert!(text(&late.stderr).contains("the run ends after"));
}

#[test]
fn a_link_is_found_in_the_text_around_it() {
    let folder = Folder::new("around");
    let file = Path::new("tests/it/cli/shop.yaml");
    let whole = std::fs::read_to_string(file).expect("a file");
    let link = link_to(file);
    let wrapped: Vec<&str> = link
        .as_bytes()
        .chunks(76)
        .map(|line| std::str::from_utf8(line).expect("ASCII"))
        .collect();
    for text_with_link in [
        format!("<{link}>"),
        format!("[the shop]({link}), as of today. See #2."),
        format!("\"{link}\""),
        format!("看这里：{link}。"),
        format!("{link}&utm_source=chat"),
        format!("Hello!\r\n{}\r\nBest regards", wrapped.join("\r\n")),
    ] {
        let opened = folder.open(&text_with_link);
        assert!(
            opened.status.success(),
            "{text_with_link}: {}",
            text(&opened.stderr)
        );
        assert_eq!(folder.read("shop.yaml").as_ref(), Some(&whole));
        std::fs::remove_file(folder.0.join("shop.yaml")).expect("it was written");
    }
}

#[test]
fn files_of_one_name_are_all_written() {
    let folder = Folder::new("names");
    let opened = folder.open(&fragment(
        br#"{"f":[["app.yaml","kind: Pod"],["app.yaml","kind: Node"],["app","1"],["app","2"]]}"#,
    ));
    assert!(opened.status.success(), "{}", text(&opened.stderr));
    let read = |name: &str| folder.read(name).unwrap_or_default();
    let names = ["app.yaml", "app-2.yaml", "app", "app-2"];
    assert_eq!(names.map(read), ["kind: Pod", "kind: Node", "1", "2"]);
}

#[test]
fn names_that_differ_only_in_case_are_refused() {
    let folder = Folder::new("case");
    let opened = folder.open(&fragment(br#"{"f":[["App.yaml","a"],["app.yaml","b"]]}"#));
    assert_eq!(opened.status.code(), Some(2));
    let complaint = text(&opened.stderr);
    assert!(complaint.contains("differ only in"), "{complaint}");
    assert_eq!(folder.read("App.yaml"), None, "nothing is written");
}

#[test]
fn no_more_than_a_thousand_files_are_written() {
    let folder = Folder::new("many");
    let files: Vec<String> = (0..=1000)
        .map(|at| format!(r#"["{at}.yaml",""]"#))
        .collect();
    let whole = |files: &[String]| fragment(format!(r#"{{"f":[{}]}}"#, files.join(",")).as_bytes());
    let opened = folder.open(&whole(&files));
    assert_eq!(opened.status.code(), Some(2));
    let complaint = text(&opened.stderr);
    assert!(complaint.contains("1001 files"), "{complaint}");
    assert!(folder.open(&whole(&files[1..])).status.success());
}

#[test]
fn existing_files_are_not_overwritten() {
    let folder = Folder::new("existing");
    let link = link_to(Path::new("tests/it/cli/shop.yaml"));
    assert!(folder.open(&link).status.success());
    let into = folder.0.to_string_lossy();
    let again = berth(&["open", &link, "--into", &into]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        text(&again.stderr).contains("--force"),
        "{}",
        text(&again.stderr)
    );
}

#[test]
fn a_damaged_link_opens_equal_or_not_at_all() {
    let folder = Folder::new("damaged");
    let file = Path::new("tests/it/cli/shop.yaml");
    let whole = std::fs::read_to_string(file).expect("a file");
    let link = link_to(file);
    let start = link.find("#1.").expect("a fragment") + 3;
    let mut random = Random::new(1);
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=%!";
    for round in 0..100 {
        let mut bytes = link.clone().into_bytes();
        let at = start + below(&mut random, bytes.len() - start);
        bytes[at] = alphabet[below(&mut random, alphabet.len())];
        let damaged = String::from_utf8(bytes).expect("ASCII");
        let opened = folder.open(&damaged);
        if opened.status.success() {
            assert_eq!(
                folder.read("shop.yaml").as_ref(),
                Some(&whole),
                "round {round}"
            );
        } else {
            assert_eq!(opened.status.code(), Some(2), "round {round}");
            assert!(
                !text(&opened.stderr).contains("panicked"),
                "{}",
                text(&opened.stderr)
            );
        }
    }
}

#[test]
fn what_a_truncated_link_holds_is_kept() {
    let folder = Folder::new("truncated");
    let file = Path::new("tests/it/cli/shop.yaml");
    let link = link_to(file);
    let opened = folder.open(&link[..link.len() * 2 / 3]);
    assert_eq!(opened.status.code(), Some(2));
    let read = folder
        .read("damaged-shop.yaml")
        .expect("what could be read");
    let whole = std::fs::read_to_string(file).expect("a file");
    assert!(read.len() > 100 && whole.starts_with(&read), "{read}");
}

#[test]
fn bombs_and_hostile_links_are_refused_in_words() {
    let folder = Folder::new("hostile");
    let mut bomb = br#"{"f":[["a","#.to_vec();
    bomb.resize(100 << 20, b' ');
    let opened = folder.open(&fragment(&bomb));
    assert_eq!(opened.status.code(), Some(2));
    assert!(
        text(&opened.stderr).contains("32 MiB"),
        "{}",
        text(&opened.stderr)
    );
    let opened = folder.open("#7.abc");
    assert!(
        text(&opened.stderr).contains("version 7"),
        "{}",
        text(&opened.stderr)
    );
    // Names with folders stay in the chosen folder.
    let opened = folder.open(&fragment(br#"{"f":[["../../outside.yaml","kind: Pod"]]}"#));
    assert!(opened.status.success(), "{}", text(&opened.stderr));
    assert_eq!(folder.read("file-0.yaml").as_deref(), Some("kind: Pod"));
}

#[test]
fn every_frozen_link_opens() {
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/links");
    let mut count = 0;
    for file in std::fs::read_dir(frozen).expect("a folder").flatten() {
        let path = file.path();
        if path.extension().is_none_or(|ending| ending != "txt") {
            continue;
        }
        let link = std::fs::read_to_string(&path).expect("text");
        let folder = Folder::new("frozen");
        let opened = folder.open(link.trim());
        assert!(
            opened.status.success(),
            "{}: {}",
            path.display(),
            text(&opened.stderr)
        );
        let beside = std::fs::read_to_string(path.with_extension("yaml")).expect("its manifests");
        assert_eq!(
            folder.read("scenario.yaml"),
            Some(beside),
            "{}",
            path.display()
        );
        count += 1;
    }
    assert!(count >= 3);
}

#[test]
fn a_link_says_what_it_compares() {
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/links/compare.txt");
    let link = std::fs::read_to_string(frozen).expect("text");
    let opened = Folder::new("compare").open(link.trim());
    let printed = text(&opened.stdout);
    assert!(
        printed.contains("A is spreading, B is packing"),
        "{printed}"
    );
}

#[test]
fn a_class_holds_lessons_of_the_course_and_own_ones_with_their_translations() {
    let folder = Folder::new("class");
    let own = "tests/it/lessons/05-labels.yaml";
    let lessons = ["18-the-control-plane-counts", own, "05-node-selector"];
    let made = berth(&[&["link", "--class", "Monday"], &lessons[..]].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    let opened = folder.open(text(&made.stdout).trim());
    let printed = text(&opened.stdout);
    let listed = "class: Monday\n  1  18-the-control-plane-counts (of the course)\n  2  05-labels.yaml\n  \
                  3  05-node-selector (of the course)\n";
    assert!(printed.ends_with(listed), "{printed}");
    for name in ["05-labels.yaml", "05-labels.zh-CN.yaml"] {
        let beside = std::fs::read_to_string(Path::new("tests/it/lessons").join(name)).ok();
        assert_eq!(folder.read(name), beside, "{name}");
    }
}

#[test]
fn a_class_refuses_in_words_what_is_no_lesson() {
    let refused = |args: &[&str], words: &str| {
        let made = berth(&[&["link", "--class", "Monday"], args].concat());
        assert_eq!(made.status.code(), Some(2), "{args:?}");
        let printed = text(&made.stderr);
        assert!(printed.contains(words), "{args:?}: {printed}");
    };
    refused(&["05-no-such"], "neither a file nor a lesson of the course");
    refused(&["05-nodeselector"], "did you mean 05-node-selector?");
    refused(&["missing.yaml"], "missing.yaml");
    refused(&["tests/it/cli/shop.yaml"], "not a lesson");
    refused(
        &["tests/it/lessons/05-labels.yaml", "tests/it/lessons"],
        "two files have this name",
    );
    refused(&["05-node-selector", "--seed", "7"], "--seed");
}

#[test]
fn the_frozen_class_opens() {
    let folder = Folder::new("frozen-class");
    let opened = folder.open(include_str!("links/class.txt").trim());
    let printed = text(&opened.stdout);
    let listed = "class: Frozen: nodes and zones\n  1  05-node-selector (of the course)\n  2  scenario.yaml\n  \
                  3  15-skew (of the course)\n";
    assert!(printed.ends_with(listed), "{printed}");
}
