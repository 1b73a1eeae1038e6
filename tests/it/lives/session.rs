//! The same 200 lives in a session: seeking in the log changes nothing.
//!
//! Every life is played twice: without interruption, and with random seeks between the acts. Both see the same states
//! at all positions, in any order.

use berth_base::random::Random;
use berth_session::{Options, Session, SourceFile, explain, simulated};

use super::generator::{Act, Life, life};
use super::{LIVES, SMALL};

/// Positions of each life that are visited at the end.
const POINTS: usize = 20;

/// Maximum number of steps of one act: CronJobs never end.
const MAX_STEPS: usize = 400;

/// A session, and what its terminal printed.
struct Visitor {
    seed: u64,
    session: Session,
    printed: Vec<String>,
}

/// The digest at every position of the log when it was first reached.
type Seen = Vec<String>;

impl Visitor {
    fn new(life: &Life) -> Self {
        let options = Options {
            live: true,
            seed: life.seed,
            ..Options::default()
        };
        let mut session = Session::new(options);
        let file = SourceFile::new("life.yaml", life.manifests.as_str());
        assert!(session.apply(&[file]), "{:?}", session.problems());
        Visitor {
            seed: life.seed,
            session,
            printed: Vec::new(),
        }
    }

    /// Plays one act; calls `reached` at every new position.
    fn play(&mut self, act: &Act, reached: &mut dyn FnMut(&Session)) {
        let line = match act {
            Act::Line(line) | Act::Edit(line, _) => line.clone(),
            Act::Silence(node) => format!("ssh {node} systemctl stop kubelet"),
            Act::Revive(node) => format!("ssh {node} systemctl start kubelet"),
            Act::Pass(ms) => return self.pass(*ms, reached),
        };
        let mut output = simulated::begin(&mut self.session, &line);
        reached(&self.session);
        // A waiting line adds a position for each moment that it waits.
        while let Some(more) = simulated::wait_on(&mut self.session, 1) {
            output = output.and(more);
            reached(&self.session);
        }
        self.printed.push(output.stdout + &output.stderr);
    }

    fn now_ms(&self) -> i64 {
        self.session
            .simulated_cluster()
            .expect("it lives")
            .api()
            .now_ms()
    }

    fn pass(&mut self, ms: i64, reached: &mut dyn FnMut(&Session)) {
        let until = self.now_ms() + ms;
        for _ in 0..MAX_STEPS {
            if self.now_ms() >= until || !self.session.step() {
                return;
            }
            reached(&self.session);
        }
    }

    /// The state at this position equals the first one seen there.
    fn compare(&self, seen: &Seen) {
        let position = self.session.position();
        let (seed, digest) = (self.seed, self.session.digest());
        assert_eq!(
            Some(&digest),
            seen.get(position),
            "seed {seed}, position {position}"
        );
    }

    /// Seeks to a random position, perhaps makes a few steps there, and returns.
    fn look_around(&mut self, random: &mut Random, seen: &Seen) {
        let (seed, end) = (self.seed, self.session.position());
        let target = below(random, end + 1);
        assert!(
            self.session.seek(target),
            "seed {seed}: no position {target}"
        );
        self.compare(seen);
        if self.session.attempt(target).is_some() {
            // `explain` itself compares its result with the log.
            let explained = explain::attempt(&self.session, target);
            assert!(
                explained.is_ok(),
                "seed {seed}, position {target}: {explained:?}"
            );
        }
        for _ in 0..below(random, 4) {
            if self.session.position() < end && self.session.step() {
                self.compare(seen);
            }
        }
        if below(random, 2) == 0 && self.session.step_back() {
            self.compare(seen);
        }
        assert!(self.session.seek(end), "seed {seed}: the end is gone");
        self.compare(seen);
    }
}

fn below(random: &mut Random, bound: usize) -> usize {
    usize::try_from(random.below(bound as u64)).expect("it fits")
}

/// Plays a life both ways; returns the number of positions.
fn visit(seed: u64) -> usize {
    let life = life(seed, SMALL);
    let mut straight = Visitor::new(&life);
    let mut seen = vec![straight.session.digest()];
    for act in &life.acts {
        straight.play(act, &mut |session| {
            // A line that only reads adds no position.
            seen.truncate(session.position());
            assert_eq!(session.position(), seen.len(), "seed {seed}");
            seen.push(session.digest());
        });
    }
    let mut random = Random::new(seed);
    let mut wandering = Visitor::new(&life);
    for act in &life.acts {
        wandering.play(act, &mut |_| {});
        wandering.compare(&seen);
        if below(&mut random, 2) == 0 {
            wandering.look_around(&mut random, &seen);
        }
    }
    assert_eq!(wandering.printed, straight.printed, "seed {seed}");
    assert_eq!(wandering.session.log().len(), straight.session.log().len());
    for _ in 0..POINTS {
        straight.look_around(&mut random, &seen);
    }
    seen.len()
}

/// All lives with `cargo xtask test all`, otherwise every tenth.
#[test]
fn positions_are_what_they_were_in_any_order() {
    let lives = (0..LIVES).step_by(if crate::all() { 1 } else { 10 });
    let count = lives.clone().count();
    let positions: usize = lives.map(visit).sum();
    // Too few positions would make seeking trivial.
    assert!(positions > count * 40, "{positions} positions");
}
