//! Lives of clusters at random, with what must always hold looked at after everything that happens.
//!
//! `cargo xtask fuzz` plays on for as long as one likes.
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "lives/generator.rs"]
mod generator;
#[path = "lives/invariants.rs"]
mod invariants;
#[path = "lives/player.rs"]
mod player;
#[path = "lives/rest.rs"]
mod rest;

use std::panic::{AssertUnwindSafe, catch_unwind};

use berth::sim::world::Rest;
use generator::{Act, Size, life};
use player::Player;

const BUSY: Size = Size {
    nodes: 6,
    workloads: 3,
    replicas: 6,
    acts: 120,
    seconds: 400,
    is_rough: true,
};

/// The seed of the first life of a test run.
const FIRST: u64 = 1_000;

/// Lives of a test run: without optimization each takes a second.
const LIVES: u64 = 24;

/// Hours in which a cluster has to come to rest: retries and crashes back off to minutes.
const HOURS: i64 = 12;

/// What the lives of a run saw together.
#[derive(Default)]
struct Seen {
    entries: u64,
    bound: u64,
    evictions: u64,
    settled: u64,
}

impl Seen {
    /// Plays a life with its checks to its end in peace.
    fn live(&mut self, seed: u64, size: Size) {
        let life = life(seed, size);
        let mut done: Vec<&Act> = Vec::new();
        let played = catch_unwind(AssertUnwindSafe(|| {
            let mut player = Player::new(&life, true);
            for act in life.acts.iter().chain(&life.peace) {
                done.push(act);
                player.play(act);
            }
            let rest = player.rest(HOURS);
            let recent = player.cluster.recent.iter().rev().map(String::as_str);
            let recent: Vec<&str> = recent.collect();
            assert_eq!(rest, Rest::Quiet, "{}", recent.join("\n"));
            rest::assert_whole(player.world().api());
            player
        }));
        let Ok(player) = played else {
            let acts: Vec<String> = done.iter().map(|act| format!("{act:?}")).collect();
            panic!(
                "seed {seed}, after {} acts, the last of them:\n{}",
                acts.len(),
                acts[acts.len().saturating_sub(5)..].join("\n")
            );
        };
        let invariants = player.invariants().expect("it checks");
        self.entries += player.cluster.entries;
        self.bound += invariants.bound;
        self.evictions += invariants.evictions;
        self.settled += invariants.settled;
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.map_or(otherwise, |text| {
        let number = text.parse();
        number.unwrap_or_else(|_| panic!("{variable} is no number: {text}"))
    })
}

#[test]
fn whatever_happens_lives_stay_whole() {
    let mut seen = Seen::default();
    for seed in FIRST..FIRST + LIVES {
        seen.live(seed, BUSY);
    }
    // Else these lives would show nothing.
    assert!(
        seen.entries > 40_000 && seen.bound > 1_000 && seen.evictions > 5 && seen.settled > 5_000,
        "{} entries, {} bindings, {} evictions, {} looks",
        seen.entries,
        seen.bound,
        seen.evictions,
        seen.settled
    );
}

/// Until `BERTH_FUZZ_EVENTS` events, from seed `BERTH_FUZZ_SEED` on.
#[test]
#[ignore = "it takes as long as one likes: `cargo xtask fuzz`"]
fn on_and_on() {
    let (events, first) = (
        number("BERTH_FUZZ_EVENTS", 1_000_000),
        number("BERTH_FUZZ_SEED", FIRST + LIVES),
    );
    let mut seen = Seen::default();
    let mut lives = 0;
    while seen.entries < events {
        seen.live(first + lives, BUSY);
        lives += 1;
    }
    println!(
        "{lives} lives, {} events, {} bindings, {} evictions, {} looks",
        seen.entries, seen.bound, seen.evictions, seen.settled
    );
}
