//! A dump without what is private decides the same.
//!
//! The dumps are those of a kind cluster, of an EKS cluster of 60 nodes, and of a GKE cluster of 500, of which they have one
//! node in 25 of each pool with its Pods, and all that wait; with managed fields, as kubectl prints them.

use std::io::Read;

use berth_session::terminal::{Output, Printed, open};
use berth_session::{Choice, Options, Session, SourceFile, Version, explain, frame, redact};
use flate2::read::GzDecoder;
use serde_json::Value;

const DUMPS: [(&str, &[u8]); 3] = [
    ("kind3", include_bytes!("redaction/kind3.yaml.gz")),
    ("eks60", include_bytes!("redaction/eks60.yaml.gz")),
    ("gke500", include_bytes!("redaction/gke500.yaml.gz")),
];

/// One in so many attempts is explained.
const SOME: usize = 6;

fn text(packed: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

fn files(text: &str) -> [SourceFile; 1] {
    [SourceFile::new("dump.yaml", text)]
}

fn options(version: Version) -> Options {
    Options {
        release: Choice {
            kubernetes: Some(version),
            ..Choice::default()
        },
        ..Options::default()
    }
}

/// The session of a text at the end of its run.
fn played(text: &str, version: Version) -> Session {
    let mut session = Session::new(options(version));
    assert!(session.apply(&files(text)) && !session.has_errors());
    while session.step() {}
    session
}

/// All that the page shows at the end of a run. A digest hashes whole Pod templates, whose private text decides nothing.
fn frame(session: &Session) -> Value {
    let mut frame = serde_json::to_value(frame::build(session)).unwrap();
    frame["digest"] = Value::Null;
    // The same problems are on other lines.
    for problem in frame["problems"].as_array_mut().into_iter().flatten() {
        problem["line"] = Value::Null;
        problem["column"] = Value::Null;
    }
    frame
}

#[test]
fn frames_and_explanations_stay_the_same() {
    for (name, packed) in DUMPS {
        let text = text(packed);
        let redacted = redact(&text).unwrap();
        assert!(redacted.objects > 20, "{name}: {}", redacted.objects);
        for left_out in ["managedFields:", "--port=8080", "prometheus.io/scrape"] {
            assert!(
                text.contains(left_out) && !redacted.text.contains(left_out),
                "{name}"
            );
        }
        for version in Version::ALL {
            let [before, after] = [text.as_str(), &redacted.text].map(|text| played(text, version));
            assert_eq!(frame(&before), frame(&after), "{name}");
            let attempts = before.attempts().map(|(position, _)| position);
            for position in attempts.step_by(SOME) {
                assert_eq!(
                    explain::attempt(&before, position),
                    explain::attempt(&after, position),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn the_simulated_cluster_stays_the_same() {
    let text = text(DUMPS[0].1);
    let redacted = redact(&text).unwrap();
    let lines = "kubectl drain kind-worker --ignore-daemonsets --delete-emptydir-data --force --timeout=60s\n\
                 kubectl get pods -A -o wide\nkubectl get deployments,replicasets -A\nkubectl get nodes -o wide\nkubectl get events -A\n";
    let [before, after] = [text.as_str(), &redacted.text].map(|text| {
        let opened = open(&files(text), None, options(Version::V1_34));
        let mut terminal = opened.terminal.unwrap();
        terminal.play(600);
        let outputs = lines.lines().map(|line| terminal.run(line));
        let printed = |output: Output| -> String {
            let parts = output.printed();
            let texts = parts.into_iter().map(|part| match part {
                Printed::Out(text) | Printed::Err(text) => text.to_owned(),
            });
            texts.collect()
        };
        outputs.map(printed).collect::<Vec<String>>()
    });
    assert_eq!(before, after);
    assert!(before[1].contains("kind-worker2"), "{before:?}");
}
