//! Random lives of clusters; the invariants are checked after every event.
//!
//! `cargo xtask fuzz` plays any number of them. A life that fails is shortened before it is printed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use berth_sim::simulated_cluster::Rest;

use super::generator::{Act, Life, Size, life};
use super::player::Player;
use super::{peace, rest, shrink};

/// Lives of everyday commands.
const BUSY: Size = Size {
    nodes: 6,
    workloads: 3,
    replicas: 6,
    acts: 120,
    seconds: 400,
    is_rough: true,
    is_wild: false,
    has_devices: false,
};

/// Lives in which half of the acts are unusual.
const WILD: Size = Size {
    nodes: 5,
    is_wild: true,
    ..BUSY
};

/// The seed of the first life of a test run.
const FIRST: u64 = 1_000;

/// Events of a test run without `BERTH_FUZZ_EVENTS`.
const EVENTS: u64 = 60_000;

/// Hours after which a cluster must be quiet: retries and crashes back off to minutes.
const HOURS: i64 = 12;

/// Hours between two removals of objects that do not come to rest, and the maximum number of removals.
const ROUND_HOURS: i64 = 2;
const ROUNDS: u32 = 6;

/// Counters over the lives of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    lives: u64,
    events: u64,
    acts: u64,
    bound: u64,
    evictions: u64,
    looks: u64,
    /// Workloads whose final state was compared with their spec.
    compared: u64,
    /// Lives that ended because Pods were replaced without end.
    spinning: u64,
    /// Reservations of claims that were checked.
    reserved: u64,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.lives += 1;
        self.events += other.events;
        self.acts += other.acts;
        self.bound += other.bound;
        self.evictions += other.evictions;
        self.looks += other.looks;
        self.compared += other.compared;
        self.spinning += other.spinning;
        self.reserved += other.reserved;
    }
}

/// Every other life is wild, and every third has devices.
fn life_of(seed: u64) -> (Life, bool) {
    let is_wild = seed % 2 == 1;
    let size = Size {
        has_devices: seed.is_multiple_of(3),
        ..if is_wild { WILD } else { BUSY }
    };
    (life(seed, size), is_wild)
}

/// Plays a life, or some of its acts, with all checks, until the cluster is quiet.
fn play(life: &Life, acts: &[Act], is_wild: bool) -> Seen {
    let mut player = Player::new(life, true);
    let mut seen = Seen::default();
    for act in acts.iter().chain(&life.peace) {
        do_one(&mut player, act);
        seen.acts += 1;
        if player.is_spinning() {
            seen.spinning = 1;
            return seen.with(&player);
        }
    }
    make_peace(&mut player, is_wild);
    if player.is_spinning() {
        seen.spinning = 1;
        return seen.with(&player);
    }
    let rest = player.rest(HOURS);
    if player.is_spinning() {
        seen.spinning = 1;
        return seen.with(&player);
    }
    let recent = player.cluster.recent.iter().rev();
    let recent: Vec<String> = recent.map(|entry| format!("{entry:?}")).collect();
    let is_quiet = rest == Rest::Quiet || player.is_still(HOURS / 2);
    assert!(is_quiet, "{rest:?}: {}", recent.join("\n"));
    seen.compared = rest::assert_whole(player.cluster().api());
    seen.with(&player)
}

/// Plays an act; `BERTH_FUZZ_VERBOSE` prints it first.
fn do_one(player: &mut Player, act: &Act) {
    if std::env::var_os("BERTH_FUZZ_VERBOSE").is_some() {
        let (at, events) = (player.cluster().api().now_ms(), player.cluster.entries);
        println!("{at} ms, {events} events: {act:?}");
    }
    player.play(act);
}

/// Removes what blocks progress, then repeatedly removes the objects that have a good reason not to come to rest.
fn make_peace(player: &mut Player, is_wild: bool) {
    let mut acts = peace::suspensions(player.cluster().api());
    if is_wild {
        acts.extend(peace::acts(player.cluster().api()));
    }
    for act in acts {
        do_one(player, &act);
    }
    for _ in 0..ROUNDS {
        let rest = player.rest(ROUND_HOURS);
        let api = player.cluster().api();
        let since_ms = api.now_ms() - ROUND_HOURS * 3_600_000 / 2;
        let removals = peace::removals(api, since_ms);
        if rest == Rest::Quiet || removals.is_empty() {
            return;
        }
        for act in removals {
            do_one(player, &act);
        }
    }
}

impl Seen {
    fn with(mut self, player: &Player) -> Seen {
        let invariants = player.invariants().expect("it checks");
        self.events = player.cluster.entries;
        self.bound = invariants.bound;
        self.evictions = invariants.evictions;
        self.looks = invariants.settled;
        self.reserved = invariants.reserved;
        self
    }

    /// Plays the life of a seed; prints a shortened one if it fails.
    fn live(&mut self, seed: u64) {
        let (life, is_wild) = life_of(seed);
        if std::env::var_os("BERTH_FUZZ_VERBOSE").is_some() {
            println!("seed {seed}");
        }
        let played = catch_unwind(AssertUnwindSafe(|| play(&life, &life.acts, is_wild)));
        match played {
            Ok(seen) => self.add(seen),
            Err(_) => {
                let failure = shrink::report(&life, &mut |acts| {
                    catch_unwind(AssertUnwindSafe(|| play(&life, acts, is_wild))).is_err()
                });
                panic!("seed {seed}; `cargo xtask fuzz 1 {seed}` plays it again. {failure}");
            }
        }
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.map_or(otherwise, |text| {
        let number = text.parse();
        number.unwrap_or_else(|_| panic!("{variable} is no number: {text}"))
    })
}

/// Plays lives until `events` events have happened, and prints the rate.
#[allow(clippy::disallowed_types, reason = "the rate is only printed")]
fn go_on(first: u64, events: u64) -> Seen {
    let (start, mut seen) = (std::time::Instant::now(), Seen::default());
    while seen.events < events {
        seen.live(first + seen.lives);
    }
    let rate = seen.events as f64 / start.elapsed().as_secs_f64();
    println!(
        "{seen:?}, {rate:.0} events a second, seeds {first} to {}",
        first + seen.lives - 1
    );
    seen
}

#[test]
fn whatever_happens_lives_stay_whole() {
    let events = number("BERTH_FUZZ_EVENTS", EVENTS);
    let seen = go_on(FIRST, events);
    // Lower numbers would mean that the checks hardly ran.
    assert!(
        seen.bound > events / 60
            && seen.evictions > events / 10_000
            && seen.looks > events / 20
            && seen.compared > events / 500
            && seen.reserved > events / 100
            && seen.spinning < seen.lives / 8,
        "{seen:?}"
    );
}

/// Plays lives until `BERTH_FUZZ_EVENTS` events have happened, starting with seed `BERTH_FUZZ_SEED`.
#[test]
#[ignore = "it takes as long as one likes: `cargo xtask fuzz`"]
fn on_and_on() {
    let events = number("BERTH_FUZZ_EVENTS", 1_000_000);
    go_on(number("BERTH_FUZZ_SEED", 1_000_000), events);
}
