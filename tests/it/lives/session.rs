//! The 200 lives of `mod.rs` in a page's session: going back and forth in the log is going nowhere.
//!
//! Every life is played twice: straight on, and by somebody who looks around between any two acts. Both see the
//! same states at all positions, in whatever order.

use berth::base::random::Random;
use berth::session::{Options, Session, SourceFile};

use super::generator::{Act, Life, life};
use super::{LIVES, SMALL};

/// Positions of each life that are come back to in the end.
const POINTS: usize = 20;

/// Steps that one act may see: CronJobs never end.
const MAX_STEPS: usize = 400;

/// A session, and what the terminal printed in it.
struct Visitor {
    seed: u64,
    session: Session,
    printed: Vec<String>,
}

/// The digest at every position of the log, as it was when the position was reached first.
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

    /// Does something; every position that is reached is shown to `reached`.
    fn play(&mut self, act: &Act, reached: &mut dyn FnMut(&Session)) {
        let line = match act {
            Act::Line(line) | Act::Edit(line, _) => line.clone(),
            Act::Silence(node) => format!("ssh {node} systemctl stop kubelet"),
            Act::Revive(node) => format!("ssh {node} systemctl start kubelet"),
            Act::Pass(ms) => return self.pass(*ms, reached),
        };
        let mut output = self.session.begin(&line);
        reached(&self.session);
        // A line that waits is as many positions as it sees.
        while let Some(more) = self.session.wait_on(1) {
            output = output.and(more);
            reached(&self.session);
        }
        self.printed.push(output.stdout + &output.stderr);
    }

    fn now_ms(&self) -> i64 {
        self.session.live().expect("it lives").api().now_ms()
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

    /// The state at this position is what it was.
    fn compare(&self, seen: &Seen) {
        let position = self.session.position();
        let (seed, digest) = (self.seed, self.session.digest());
        assert_eq!(
            Some(&digest),
            seen.get(position),
            "seed {seed}, position {position}"
        );
    }

    /// Goes to some position, perhaps a few steps from there, and comes back.
    fn look_around(&mut self, random: &mut Random, seen: &Seen) {
        let (seed, end) = (self.seed, self.session.position());
        let target = below(random, end + 1);
        assert!(
            self.session.seek(target),
            "seed {seed}: no position {target}"
        );
        self.compare(seen);
        if self.session.attempt(target).is_some() {
            // It compares with the log by itself.
            let told = self.session.explain(target);
            assert!(told.is_ok(), "seed {seed}, position {target}: {told:?}");
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

/// Plays a life both ways; how many positions it has.
fn visit(seed: u64) -> usize {
    let life = life(seed, SMALL);
    let mut straight = Visitor::new(&life);
    let mut seen = vec![straight.session.digest()];
    for act in &life.acts {
        straight.play(act, &mut |session| {
            // A line that only looks is no position.
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

/// All of them with `BERTH_LIVES=all`, as `cargo xtask test lives` has it; else every tenth, for it takes long.
#[test]
fn positions_are_what_they_were_in_any_order() {
    let all = std::env::var("BERTH_LIVES").is_ok_and(|which| which == "all");
    let lives = (0..LIVES).step_by(if all { 1 } else { 10 });
    let count = lives.clone().count();
    let positions: usize = lives.map(visit).sum();
    // Else there would be nowhere to go.
    assert!(positions > count * 40, "{positions} positions");
}
