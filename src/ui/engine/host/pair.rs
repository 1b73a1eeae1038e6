//! The comparison of two runs beside the page's session: it opens both sides, runs them to their ends in slices,
//! compares them, and then moves in both.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::{Host, SLICE};
use berth_protocol::command::{Command, Travel};
use berth_protocol::compare::{Compared, Comparing, Pairing, PodDifference, Summary, Which, ZONE};
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_session::compare::{cause, compare};
use berth_session::{Session, frame, pairing};

/// Slices between two reports of progress.
const REPORT: usize = 8;
/// Maximum number of differences in one message: the page reads each in a task of its own.
const PIECE: usize = 400;

/// A comparison.
pub struct Pair {
    pairing: Pairing,
    phase: Phase,
    /// The opened sides: A, then B.
    sides: Vec<Opened>,
    differences: Vec<PodDifference>,
    /// The number of Pods that both runs kept where they were.
    kept: usize,
    /// The differences whose causes the page still waits for.
    wanted: std::ops::Range<usize>,
}

struct Opened {
    session: Rc<RefCell<Session>>,
    host: Host,
}

enum Phase {
    Opening,
    Running {
        slices: usize,
    },
    Done,
    /// A side cannot be run.
    Refused,
}

impl Pair {
    fn new(pairing: Pairing) -> Self {
        Self {
            pairing,
            phase: Phase::Opening,
            sides: Vec::new(),
            differences: Vec::new(),
            kept: 0,
            wanted: 0..0,
        }
    }

    /// Whether [`Pair::work`] has something to do.
    pub fn is_running(&self) -> bool {
        match self.phase {
            Phase::Opening | Phase::Running { .. } => true,
            Phase::Done => {
                !self.wanted.is_empty() || self.sides.iter().any(|side| side.host.is_running())
            }
            Phase::Refused => false,
        }
    }

    /// Runs one slice. `main`: the page's session.
    #[inline(never)]
    pub fn work(&mut self, main: &Session) -> Vec<Update> {
        let updates = match self.phase {
            Phase::Opening => self.open(main),
            Phase::Running { slices } => self.run(slices),
            Phase::Done if !self.wanted.is_empty() => self.explain(),
            Phase::Done => self.work_on_sides(),
            Phase::Refused => Vec::new(),
        };
        updates.into_iter().map(reported).collect()
    }

    fn open(&mut self, main: &Session) -> Vec<Compared> {
        let which = if self.sides.is_empty() {
            Which::A
        } else {
            Which::B
        };
        match pairing::open_side(main, self.pairing.side(which)) {
            Ok(session) => {
                let session = Rc::new(RefCell::new(session));
                let mut host = Host::of(Rc::clone(&session));
                // The page does not show the sides' texts.
                host.sent.text = session
                    .borrow()
                    .sources()
                    .first()
                    .map(|it| Arc::clone(&it.text));
                self.sides.push(Opened { session, host });
                if self.sides.len() == 2 {
                    self.phase = Phase::Running { slices: 0 };
                }
                Vec::new()
            }
            Err(message) => {
                self.phase = Phase::Refused;
                let side = Some(which);
                vec![Compared::Refused { side, message }]
            }
        }
    }

    fn run(&mut self, slices: usize) -> Vec<Compared> {
        let [a, b] = self.sides.as_slice() else {
            return Vec::new();
        };
        let (mut first, mut other) = (a.session.borrow_mut(), b.session.borrow_mut());
        let until = pairing::until_ms(&first, &other);
        let goes_on = pairing::run_on(&mut first, until, SLICE);
        let goes_on = pairing::run_on(&mut other, until, SLICE) || goes_on;
        if goes_on {
            self.phase = Phase::Running { slices: slices + 1 };
            let progress = Compared::Progress {
                attempts: [first.position(), other.position()],
                pods: [&first, &other].map(|side| side.run().cluster().pods().iter().count()),
            };
            return if slices.is_multiple_of(REPORT) {
                vec![progress]
            } else {
                Vec::new()
            };
        }
        let ends = compare(&first, &other, self.pairing.topology());
        drop((first, other));
        self.phase = Phase::Done;
        let mut updates = vec![Compared::Ends {
            a: ends.a,
            b: ends.b,
            kept: ends.kept,
            pods: ends.pods.len(),
        }];
        let pieces = ends.pods.chunks(PIECE).enumerate();
        updates.extend(pieces.map(|(number, pods)| Compared::Differences {
            from: number * PIECE,
            pods: pods.to_vec(),
        }));
        self.kept = ends.kept;
        self.differences = ends.pods;
        for which in Which::BOTH {
            let position = self.position(which);
            updates.extend(self.carry_out(which, Command::Travel(Travel::Seek { position })));
        }
        updates
    }

    fn position(&self, which: Which) -> usize {
        let side = self.sides.get(which as usize);
        side.map_or(0, |side| side.session.borrow().position())
    }

    /// Finds one cause.
    fn explain(&mut self) -> Vec<Compared> {
        let (Some(from), [a, b]) = (self.wanted.next(), self.sides.as_slice()) else {
            return Vec::new();
        };
        let Some(difference) = self.differences.get_mut(from) else {
            self.wanted = 0..0;
            return Vec::new();
        };
        match cause(&a.session.borrow(), &b.session.borrow(), difference) {
            Ok(cause) => {
                difference.cause = cause;
                let pods = vec![difference.clone()];
                vec![Compared::Differences { from, pods }]
            }
            Err(message) => vec![Compared::Refused {
                side: None,
                message,
            }],
        }
    }

    /// Goes on with what was asked of one of the sides.
    fn work_on_sides(&mut self) -> Vec<Compared> {
        let sides = Which::BOTH.into_iter().zip(&mut self.sides);
        let mut updates = Vec::new();
        for (which, side) in sides.filter(|(_, side)| side.host.is_running()) {
            let made = side.host.work();
            updates.extend(made.into_iter().map(|update| Compared::Side(which, update)));
        }
        updates
    }

    /// A move or a query in one side's run. Nothing edits a side.
    fn carry_out(&mut self, which: Which, command: Command) -> Vec<Compared> {
        let edits = matches!(
            command,
            Command::Mutate(_) | Command::Compare(_) | Command::Run(_)
        );
        let Some(side) = self.sides.get_mut(which as usize).filter(|_| !edits) else {
            return Vec::new();
        };
        side.host
            .handle(command)
            .into_iter()
            .map(|update| Compared::Side(which, update))
            .collect()
    }

    /// The figures with the spread over another topology key.
    fn summarize(&mut self, topology: String) -> Vec<Compared> {
        self.pairing.topology = topology;
        let key = self.pairing.topology();
        let (Phase::Done, [a, b]) = (&self.phase, self.sides.as_slice()) else {
            return Vec::new();
        };
        let [a, b] = [a, b].map(|side| {
            let mut session = side.session.borrow_mut();
            let (here, end) = (session.position(), session.log().len());
            session.seek(end);
            let summary = Summary::of(&frame::build(&session), key);
            session.seek(here);
            summary
        });
        let pods = self.differences.len();
        let kept = self.kept;
        vec![Compared::Ends { a, b, kept, pods }]
    }
}

impl Host {
    /// Begins, asks or ends a comparison.
    #[inline(never)]
    pub(super) fn compare(&mut self, main: &Session, command: Comparing) -> Vec<Update> {
        let updates = match (command, &mut self.pair) {
            (Comparing::Begin(given), _) => {
                let pairing = given.or_else(|| pairing::suggested(main));
                let mut pairing = pairing.unwrap_or_default();
                if pairing.topology == ZONE {
                    pairing.topology.clear();
                }
                self.pair = Some(Box::new(Pair::new(pairing.clone())));
                vec![Compared::Begun(pairing)]
            }
            (Comparing::End, _) => {
                self.pair = None;
                Vec::new()
            }
            (Comparing::Topology(key), Some(pair)) => pair.summarize(key),
            (Comparing::Side(which, command), Some(pair)) => pair.carry_out(which, *command),
            (Comparing::Causes { from, count }, Some(pair)) => {
                let end = from.saturating_add(count).min(pair.differences.len());
                pair.wanted = from..end;
                Vec::new()
            }
            (_, None) => Vec::new(),
        };
        updates.into_iter().map(reported).collect()
    }
}

/// Reports that the opened scenario says what to compare.
#[inline(never)]
pub fn suggested() -> Update {
    reported(Compared::Suggested)
}

fn reported(update: Compared) -> Update {
    Update::Compared(OutOfLine::new(update))
}
