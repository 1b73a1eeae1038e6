//! The lives of `lives.rs` in WebAssembly: as natively.
#![cfg(target_arch = "wasm32")]
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking; nothing is checked here but the digests"
)]

#[path = "lives/digests.rs"]
mod digests;
#[path = "lives/generator.rs"]
mod generator;
#[path = "lives/invariants.rs"]
mod invariants;
#[path = "lives/player.rs"]
mod player;

use digests::{LIVES, SMALL};
use generator::life;
use player::Player;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn lives_are_what_they_are_natively() {
    let committed = digests::committed();
    assert_eq!(committed.len() as u64, LIVES);
    for (seed, digest) in committed {
        let life = life(seed, SMALL);
        let mut player = Player::new(&life, false);
        for act in &life.acts {
            player.play(act);
        }
        assert_eq!(player.digest(), digest, "seed {seed}");
    }
}
