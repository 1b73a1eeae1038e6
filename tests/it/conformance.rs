//! Compares Berth with the real kube-scheduler: every recorded decision, in every field. Checks the
//! invariants of every run on the same scenarios.

mod compare;
pub mod corpus;
mod parity;

use berth_scheduler::release::{Choice, Version};
use berth_session::{Options, Session, SourceFile, explain, export};
use corpus::Case;

use crate::portable;

/// Number of recorded scenarios and attempts.
const RECORDED: (usize, usize) = (1_342, 8_894);
/// Scenarios that are cut from dumps: a warning says that a Pod of theirs hangs on a kind that the dump would have.
const LACKING: [&str; 6] = [
    "nodevolumelimits-csilimits-020",
    "nodevolumelimits-csilimits-021",
    "nodevolumelimits-csilimits-022",
    "nodevolumelimits-csilimits-023",
    "storagecapacity-0060",
    "volumebinding-find-pod-volumes-without-provisioning-004",
];
/// That kind.
const LACKED: &str = "CSINode";
/// Maximum number of positions of a run to seek to.
const VISITS: usize = 20;
/// Maximum number of differing scenarios to print.
const SHOWN: usize = 12;

pub fn session(case: &Case, options: Options) -> Session {
    let mut session = Session::new(options);
    let accepted = session.apply(&[SourceFile::new(case.name.as_str(), case.yaml.as_str())]);
    assert!(accepted, "{}: {:?}", case.name, session.problems());
    let problems = session.problems().iter().map(ToString::to_string);
    let lacking: Vec<String> = match LACKING.contains(&case.name.as_str()) {
        true => vec![format!("depends on kinds that the files lack: {LACKED} (")],
        false => Vec::new(),
    };
    let problems: Vec<String> = problems.collect();
    let is_expected = problems.len() == lacking.len()
        && problems
            .iter()
            .zip(&lacking)
            .all(|(it, part)| it.contains(part));
    assert!(is_expected, "{}: {problems:?}", case.name);
    session
}

/// Options of a run of a release, without the Pods of workloads.
pub fn options(version: Version, first_on_ties: bool, seed: u64) -> Options {
    Options {
        release: Choice {
            kubernetes: Some(version),
            ..Choice::default()
        },
        first_on_ties,
        seed,
        expand_workloads: false,
        ..Options::default()
    }
}

/// Plays the scenarios as recorded, with the release that decided them, and compares every attempt in every field.
/// `recorded`: the number of scenarios and of attempts.
#[track_caller]
pub fn assert_equal(cases: &[Case], version: Version, recorded: (usize, usize)) {
    let (mut attempts, mut equal_attempts) = (0, 0);
    let mut different: Vec<String> = Vec::new();
    for case in cases {
        let want: serde_json::Value = serde_json::from_str(&case.json).expect("JSON");
        attempts += want["attempts"].as_array().map_or(0, Vec::len);
        let got = export::trace(&mut session(case, options(version, true, 0)), &case.name);
        let got = got.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let got = serde_json::to_value(got).expect("JSON");
        let comparison = compare::compare(&want, &got);
        equal_attempts += comparison.equal_attempts;
        if let Some(first) = comparison.differences.first() {
            different.push(format!("  {}: {first}\n", case.name));
        }
    }
    assert!(
        different.is_empty(),
        "{} of {} scenarios and {equal_attempts} of {attempts} attempts are equal; the first that differ:\n{}",
        cases.len() - different.len(),
        cases.len(),
        different[..different.len().min(SHOWN)].concat()
    );
    assert_eq!((cases.len(), equal_attempts), recorded);
}

#[portable]
fn every_recorded_decision_is_equal_in_every_field() {
    assert_equal(&corpus::cases(), Version::V1_34, RECORDED);
}

/// All scenarios with `cargo xtask test all`, otherwise every sixth.
#[test]
fn runs_go_back_and_forth_and_are_explained_as_they_were_decided() {
    let part = if crate::all() { 1 } else { 6 };
    for case in corpus::cases().iter().step_by(part) {
        let mut session = session(case, options(Version::V1_34, false, 3));
        let mut digests = vec![session.digest()];
        while session.step() {
            digests.push(session.digest());
        }
        let audited = |session: &Session| {
            let audit = session.run().cluster().audit();
            audit.unwrap_or_else(|error| {
                panic!("{} at {}: {error}", case.name, session.position());
            });
        };
        audited(&session);
        for position in visits(digests.len()) {
            assert!(session.seek(position), "{} to {position}", case.name);
            let same = session.digest() == digests[position];
            assert!(same, "{}: another state at {position}", case.name);
            audited(&session);
        }
        for (position, attempt) in session.attempts() {
            match explain::attempt(&session, position) {
                Ok(cycle) => {
                    assert_eq!(cycle.pod, attempt.key, "{} at {position}", case.name)
                }
                Err(error) => panic!("{} at {position}: {error}", case.name),
            }
        }
    }
}

/// Up to [`VISITS`] of the positions below `count`, in an order that goes both ways.
fn visits(count: usize) -> impl Iterator<Item = usize> {
    let stride = count.div_ceil(VISITS).max(1);
    let positions: Vec<usize> = (0..count).rev().step_by(stride).collect();
    let half = positions.len() / 2;
    let (late, early) = positions.split_at(half);
    let both: Vec<usize> = early.iter().chain(late).copied().collect();
    both.into_iter()
}

#[portable]
fn fingerprints_are_those_of_every_build() {
    parity::assert_fingerprints(&corpus::cases());
}

#[test]
fn a_changed_field_is_found() {
    let case = &corpus::cases()[0];
    let want: serde_json::Value = serde_json::from_str(&case.json).expect("JSON");
    let attempts = want["attempts"].as_array().map_or(0, Vec::len);
    let same = compare::compare(&want, &want);
    assert!(same.differences.is_empty() && same.equal_attempts == attempts);

    let mut other = want.clone();
    other["attempts"][0]["message"] = "changed".into();
    other["deleted"] = serde_json::json!(["a/b"]);
    let found = compare::compare(&want, &other);
    assert_eq!(found.equal_attempts, attempts - 1);
    assert!(found.differences[0].contains("message"), "{found:?}");
    assert!(found.differences[1].contains("deleted"), "{found:?}");
}
