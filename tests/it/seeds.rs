//! Lessons about scheduling and controllers, as scripts of kubectl commands: each meets its expectations with every
//! seed.
//!
//! A folder under `tests/scenarios/seeds/` is one lesson: `cluster.yaml` is the initial cluster, `run.sh` is the script
//! (`berth run run.sh cluster.yaml` plays it, too), and the other files are the manifests that the script applies.

use std::fs;
use std::path::{Path, PathBuf};

use berth_session::terminal::{Terminal, open};
use berth_session::{Options, SourceFile};

/// Seeds with which every lesson is played.
const SEEDS: [u64; 3] = [1, 2, 3];

/// The folders of the lessons, by name.
fn lessons() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/seeds");
    let entries = fs::read_dir(root).unwrap();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// The cluster of a lesson, with the files that its commands read.
fn cluster(folder: &Path, seed: u64) -> Result<Terminal, String> {
    let text = fs::read_to_string(folder.join("cluster.yaml")).map_err(|it| it.to_string())?;
    let options = Options {
        seed,
        live: true,
        ..Options::default()
    };
    let opened = open(&[SourceFile::new("cluster.yaml", text)], None, options);
    if !opened.problems.is_empty() {
        return Err(format!("cluster.yaml: {:#?}", opened.problems));
    }
    let mut terminal = opened.terminal.unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "yaml") {
            terminal.add_file(name(&path), fs::read_to_string(&path).unwrap());
        }
    }
    Ok(terminal)
}

/// Plays a lesson; an error holds the failed expectations and the transcript.
fn play(folder: &Path, seed: u64) -> Result<(), String> {
    let script = fs::read_to_string(folder.join("run.sh")).map_err(|it| it.to_string())?;
    let says = |mark: &str| script.lines().any(|line| line.starts_with(mark));
    if !says("#=") && !says("#~") {
        return Err("run.sh has no expected output".to_owned());
    }
    let played = cluster(folder, seed)?.play_script(&script);
    if played.code == 0 && played.failures.is_empty() {
        return Ok(());
    }
    let failures = played.failures.iter();
    let failures: Vec<String> = failures
        .map(|it| format!("run.sh:{}: {}", it.line, it.message))
        .collect();
    let (code, failures) = (played.code, failures.join("\n"));
    let transcript = played.transcript;
    Err(format!("exit code {code}\n{failures}\n\n{transcript}"))
}

#[test]
fn every_lesson_meets_its_expectations() {
    let folders = lessons();
    assert!(!folders.is_empty());
    let seeds = if crate::all() {
        &SEEDS[..]
    } else {
        &SEEDS[..1]
    };
    let mut wrong = Vec::new();
    for folder in &folders {
        // The first failing seed of a lesson is enough.
        let failed = seeds.iter().find_map(|&seed| {
            let failure = play(folder, seed).err()?;
            Some(format!("== {}, seed {seed}: {failure}", name(folder)))
        });
        wrong.extend(failed);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
