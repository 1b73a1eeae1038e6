//! Runs are equal, byte for byte, natively and in WebAssembly: both builds compare with `fingerprints.txt`.
//!
//! A fingerprint changes when anything in a trace or in the state's digest does, such as a new field. After an
//! intended change, `cargo xtask snapshots` rewrites the file.

use std::fmt::Write as _;

use berth_scheduler::release::Version;
use berth_session::{Session, SourceFile, export};

use super::corpus::Case;
use crate::snapshot::assert_snapshot;

/// Seed of the tie-breaking.
const SEED: u64 = 7;

/// Compares the fingerprints of all categories with the committed ones.
#[track_caller]
pub fn assert_fingerprints(cases: &[Case]) {
    let mut table: Vec<(&str, u64)> = Vec::new();
    for case in cases {
        if table.last().is_none_or(|(last, _)| *last != case.category) {
            table.push((&case.category, FNV_START));
        }
        if let Some((_, hash)) = table.last_mut() {
            *hash = add_run(*hash, case);
        }
    }
    let text = table
        .iter()
        .fold(String::new(), |mut text, (category, hash)| {
            let _ = writeln!(text, "{category} {hash:016x}");
            text
        });
    let committed = include_str!("fingerprints.txt");
    assert_snapshot("conformance/fingerprints.txt", committed, &text);
}

/// Hashes the digest at every position, then the trace of all attempts.
fn add_run(mut hash: u64, case: &Case) -> u64 {
    let mut session = Session::new(super::options(Version::V1_34, false, SEED));
    let accepted = session.apply(&[SourceFile::new(case.name.as_str(), case.yaml.as_str())]);
    assert!(accepted, "{}: {:?}", case.name, session.problems());
    hash = fnv(hash, &session.digest());
    while session.step() {
        hash = fnv(hash, &session.digest());
    }
    match export::trace(&mut session, &case.name) {
        Ok(trace) => fnv(hash, &serde_json::to_string(&trace).expect("JSON")),
        Err(error) => panic!("{}: {error}", case.name),
    }
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, 64 bits.
fn fnv(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
