//! 200 lives of clusters at random: the same seed is the same life, here and in WebAssembly
//! (`wasm_lives.rs`), and a life that goes on from a checkpoint is the life that never stopped.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "lives/digests.rs"]
mod digests;
#[path = "lives/generator.rs"]
mod generator;
#[path = "lives/invariants.rs"]
mod invariants;
#[path = "lives/player.rs"]
mod player;

use berth::base::random::Random;
use digests::{LIVES, SMALL};
use generator::{Life, life};
use player::Player;

/// Moments of each life that are compared.
const POINTS: usize = 20;

/// The digests after some of the acts (sorted, the last among them), played in one go.
fn played(life: &Life, points: &[usize]) -> Vec<u64> {
    let mut player = Player::new(life, false);
    let mut digests = Vec::new();
    for (index, act) in life.acts.iter().enumerate() {
        player.play(act);
        if points.contains(&index) {
            digests.push(player.digest());
        }
    }
    digests
}

/// The same, each from a copy of the cluster that was made at the point before; whoever it was copied from
/// plays on as well, and must not disturb it.
fn resumed(life: &Life, points: &[usize]) -> Vec<u64> {
    let mut checkpoint = Player::new(life, false);
    let mut from = 0;
    let mut digests = Vec::new();
    for &point in points {
        let mut player = checkpoint.clone();
        for act in &life.acts[from..=point] {
            player.play(act);
        }
        digests.push(player.digest());
        checkpoint = player;
        from = point + 1;
    }
    digests
}

fn points(life: &Life) -> Vec<usize> {
    let mut random = Random::new(life.seed);
    let last = life.acts.len() - 1;
    let mut points: Vec<usize> = (1..POINTS)
        .map(|_| usize::try_from(random.below(last as u64)).unwrap())
        .collect();
    points.push(last);
    points.sort_unstable();
    points.dedup();
    points
}

fn digest_of(seed: u64) -> u64 {
    let life = life(seed, SMALL);
    let points = points(&life);
    let digests = played(&life, &points);
    assert_eq!(resumed(&life, &points), digests, "seed {seed}");
    *digests.last().expect("the last point")
}

#[test]
fn two_hundred_lives_are_what_they_were() {
    let committed = digests::committed();
    assert_eq!(committed.len() as u64, LIVES);
    for (seed, digest) in committed {
        assert_eq!(digest_of(seed), digest, "seed {seed}");
    }
}

/// Writes the file of digests.
#[test]
#[ignore = "it writes tests/lives/digests.txt, for lives that have changed on purpose"]
fn write_digests() {
    let lines = (0..LIVES).map(|seed| format!("{seed} {:016x}\n", digest_of(seed)));
    let text: String = lines.collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lives/digests.txt");
    std::fs::write(path, text).expect("it is written");
}
