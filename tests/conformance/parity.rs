//! The same scenario and seed give the same run, byte for byte, natively and in WebAssembly: both
//! tests compare with the fingerprints below.
//!
//! A fingerprint changes when anything in a trace or in the state's digest does, such as a new field.
//! If that was meant, `cargo test --test conformance fingerprints` fails with the new table: put it
//! here, then see that the WebAssembly test agrees.

use berth::session::{Options, Session, SourceFile};

use super::corpus::Case;

/// Decides the ties.
const SEED: u64 = 7;

/// By category, over its scenarios in order.
#[rustfmt::skip]
pub const FINGERPRINTS: &[(&str, u64)] = &[
    ("config", 0x4d2c44c2c2f694d3),
    ("gates", 0xe134bd533ef8c9bd),
    ("images", 0x8d82601cbd24db2e),
    ("mix", 0xf7a050b259c5d9a5),
    ("nodeaffinity", 0x931731f1e508c23a),
    ("podaffinity", 0xf31befd4050af8b8),
    ("ports", 0x69c30dca02973dee),
    ("preemption", 0xba7166b95a56da3c),
    ("puzzles", 0xe1ad060a5c75c486),
    ("resources", 0xbaa34c6484d0a5b6),
    ("seeds", 0x0b41230d7f495aad),
    ("spread", 0x44c7ce3331ffcd96),
    ("taints", 0xd4eb1a7e8eb2d595),
    ("unit-corev1helpers", 0x412362cfac7c1602),
    ("unit-corev1nodeaffinity", 0xc267dbd0372c732b),
    ("unit-defaultpreemption", 0xee81d6625653c73c),
    ("unit-imagelocality", 0xa7163364cdb00e29),
    ("unit-interpodaffinity", 0x1d1278aeccb179b1),
    ("unit-nodeaffinity", 0x37763d2edcd0ace4),
    ("unit-nodename", 0x5785899801acb694),
    ("unit-nodeports", 0x6ca9f02eea1e9723),
    ("unit-noderesources", 0x74c9cbb974a0d544),
    ("unit-nodeunschedulable", 0x11d00a2d75cfb08a),
    ("unit-nodevolumelimits", 0x43439203901ad77b),
    ("unit-podtopologyspread", 0x3ee1cd0df8ad4f28),
    ("unit-queuesort", 0xa333e57ae11394ca),
    ("unit-scheduleone", 0x333913d2b768d050),
    ("unit-schedulinggates", 0x3bf2a2cf14f639a5),
    ("unit-selectorspread", 0xb4108d0f05a02580),
    ("unit-tainttoleration", 0x37353088b4a0797d),
    ("unit-volumebinding", 0xe1ae11af2c32e81d),
    ("unit-volumerestrictions", 0xb98b837e0737ea48),
    ("unit-volumezone", 0x428ae73765b150ce),
    ("volumes", 0xdfc1639d0cacb85f),
];

/// The fingerprints of all categories, as this build computes them.
pub fn fingerprints(cases: &[Case]) -> Vec<(String, u64)> {
    let mut table: Vec<(String, u64)> = Vec::new();
    for case in cases {
        if table.last().is_none_or(|(last, _)| *last != case.category) {
            table.push((case.category.clone(), FNV_START));
        }
        if let Some((_, hash)) = table.last_mut() {
            *hash = add_run(*hash, case);
        }
    }
    table
}

/// Panics with the table to put into this file if a category's fingerprint is not the expected one.
pub fn assert_fingerprints(cases: &[Case]) {
    let table = fingerprints(cases);
    let equal = table
        .iter()
        .map(|(category, hash)| (category.as_str(), *hash))
        .eq(FINGERPRINTS.iter().copied());
    let lines = table
        .iter()
        .map(|(category, hash)| format!("    ({category:?}, {hash:#018x}),\n"));
    assert!(
        equal,
        "the runs are not those of the fingerprints; here they are:\n{}",
        lines.collect::<String>()
    );
}

/// The digest at every position, as decided; then every attempt, explained.
fn add_run(mut hash: u64, case: &Case) -> u64 {
    let mut session = Session::new(Options {
        first_on_ties: false,
        seed: SEED,
        expand_workloads: false,
    });
    let accepted = session.apply(&[SourceFile::new(case.name.as_str(), case.yaml.as_str())]);
    assert!(accepted, "{}: {:?}", case.name, session.problems());
    hash = fnv(hash, &session.digest());
    while session.step() {
        hash = fnv(hash, &session.digest());
    }
    match session.trace(&case.name) {
        Ok(trace) => fnv(hash, &trace.to_string()),
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
