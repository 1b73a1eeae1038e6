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
    ("config", 0xf32eded898a83623),
    ("gates", 0x795ff7ebcda4484d),
    ("images", 0x010ac763acf16d10),
    ("mix", 0x65e258ff4a68b387),
    ("nodeaffinity", 0x4e674c197686a711),
    ("podaffinity", 0x6907bd6720b61ff0),
    ("ports", 0xf13357ff0ea288b4),
    ("preemption", 0xd592d24f15c2a1a1),
    ("puzzles", 0x35e94d0e22b801fe),
    ("resources", 0xeb445dede6de4cb2),
    ("seeds", 0xbf38027df9730f0e),
    ("spread", 0xf920996888c30120),
    ("taints", 0x1ea1cd6b5d1670b3),
    ("unit-corev1helpers", 0x2da16978d544888d),
    ("unit-corev1nodeaffinity", 0xe368a3e8e43c0b1c),
    ("unit-defaultpreemption", 0xa21adfb9b2596521),
    ("unit-imagelocality", 0xb179c8607173678b),
    ("unit-interpodaffinity", 0xa7c4b02daa1d5ba2),
    ("unit-nodeaffinity", 0xa384ee0483e4f0b4),
    ("unit-nodename", 0x8d7601c4686178bd),
    ("unit-nodeports", 0x56b2160eef86a049),
    ("unit-noderesources", 0xd56789b99d263231),
    ("unit-nodeunschedulable", 0xc0434bfdb392d2f7),
    ("unit-nodevolumelimits", 0x8d157108c12b9520),
    ("unit-podtopologyspread", 0xfd723fb0b9878dec),
    ("unit-queuesort", 0x98e58a9b25ed8554),
    ("unit-scheduleone", 0x7927c50a56ee3ba5),
    ("unit-schedulinggates", 0x63d5101279994c73),
    ("unit-selectorspread", 0xcf0f5f476b7bc753),
    ("unit-tainttoleration", 0xdd609bc40ac23e35),
    ("unit-volumebinding", 0xcb9bded7a9dcad71),
    ("unit-volumerestrictions", 0x75a9e2b9c2a90bbd),
    ("unit-volumezone", 0x7b1e55efb13477b3),
    ("volumes", 0xbfc85d3e9a640cf2),
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
        live: false,
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
