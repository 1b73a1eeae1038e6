//! Random lives of simulated clusters: a seed gives the same life natively and in WebAssembly, and a life that is
//! resumed from a checkpoint equals the life that was never interrupted.
//!
//! `digests.txt` holds a digest of the states of each life, `transcripts` what the commands of some lives print.
//! After an intended change, `cargo xtask snapshots` rewrites both.

mod devices;
mod generator;
mod invariants;
mod player;

#[cfg(not(target_arch = "wasm32"))]
mod broken;
#[cfg(not(target_arch = "wasm32"))]
mod fuzz;
#[cfg(not(target_arch = "wasm32"))]
mod peace;
#[cfg(not(target_arch = "wasm32"))]
mod rest;
#[cfg(not(target_arch = "wasm32"))]
mod session;
#[cfg(not(target_arch = "wasm32"))]
mod shrink;
#[cfg(not(target_arch = "wasm32"))]
mod transcripts;

use std::fmt::Write as _;

use berth_base::random::Random;
use berth_core::api::kinds::Kind;
use berth_sim::store::{Object, Store};
use generator::{Life, Size, life};
use player::Player;

use crate::portable;
use crate::snapshot::assert_snapshot;

/// Seeds 0 to 199.
const LIVES: u64 = 200;

/// Lives that are short enough to be played many times.
const SMALL: Size = Size {
    nodes: 4,
    workloads: 2,
    replicas: 3,
    acts: 24,
    seconds: 60,
    is_rough: true,
    is_wild: false,
    has_devices: false,
};

/// All objects of a store, by kind, namespace and name.
fn all(store: &Store) -> impl Iterator<Item = Object> {
    Kind::ALL.iter().flat_map(|kind| store.of_kind(*kind))
}

/// Acts of each life after which the states are compared.
const POINTS: usize = 20;

/// The digests after the acts at `points` (sorted, including the last act), played without interruption.
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

/// The same digests. After every point, play resumes on a copy of the cluster; the original is dropped at the next
/// point.
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

#[portable]
fn every_life_has_the_committed_digest() {
    let mut text = String::new();
    for seed in 0..LIVES {
        let life = life(seed, SMALL);
        let digest = played(&life, &[life.acts.len() - 1])[0];
        let _ = writeln!(text, "{seed} {digest:016x}");
    }
    assert_snapshot(
        "lives/digests.txt",
        include_str!("lives/digests.txt"),
        &text,
    );
}

/// All lives with `cargo xtask test all`, otherwise every eighth.
#[test]
fn a_resumed_life_equals_the_uninterrupted_one() {
    for seed in (0..LIVES).step_by(if crate::all() { 1 } else { 8 }) {
        let life = life(seed, SMALL);
        let points = points(&life);
        assert_eq!(resumed(&life, &points), played(&life, &points), "{seed}");
    }
}
