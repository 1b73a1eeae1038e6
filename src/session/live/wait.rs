//! Lines of the terminal that wait: each moment that they see is a step of the log.

use std::rc::Rc;

use crate::base::time::Time;
use crate::kubectl::Output;
use crate::kubectl::shell::INTERRUPTED;
use crate::kubectl::suspended::{MAX_MOMENTS, Next, TOO_LONG, Waiting};
use crate::session::Session;
use crate::session::history::Entry;

/// A line that waits, and where it is.
pub struct Wait {
    waiting: Box<dyn Waiting>,
    /// The position of the log at which it goes on. Whoever goes elsewhere ends it.
    position: usize,
    /// The next step in time ends then, at the latest; `None`: it looks at this moment first.
    until: Option<i64>,
    /// Something happened since it last looked.
    happened: bool,
    looks: u32,
    /// The exit code so far.
    code: i32,
    /// The line changed nothing so far: if it ends now, it only looked.
    is_new: bool,
}

impl Wait {
    pub(super) fn new(waiting: Box<dyn Waiting>, position: usize, is_new: bool) -> Self {
        Self {
            waiting,
            position,
            is_new,
            until: None,
            happened: true,
            looks: 0,
            code: 0,
        }
    }
}

/// What came of a piece of waiting.
enum Piece {
    /// A step of the log was made.
    Step,
    /// It looked, and waits on.
    Look,
    /// It ended with this exit code.
    End(i32),
}

impl Session {
    /// Whether a line of the terminal waits at this moment.
    pub fn waits(&self) -> bool {
        let here = (self.position(), self.log().len());
        let wait = self.wait.as_ref();
        wait.is_some_and(|wait| here == (wait.position, wait.position))
    }

    /// Lets a line that waits go on, through so many steps of the log at most. What it printed; `None` if no
    /// line waits. With an end of its waiting the line goes on to its next wait, or to its end.
    pub fn wait_on(&mut self, steps: usize) -> Option<Output> {
        if !self.waits() {
            self.wait = None;
            return None;
        }
        let mut output = Output::default();
        let mut made = 0;
        while made < steps
            && let Some(mut wait) = self.wait.take()
        {
            match self.piece(&mut wait, &mut output) {
                Piece::Step => {
                    self.deeds += 1;
                    made += 1;
                    wait.is_new = false;
                }
                Piece::Look => {}
                Piece::End(code) => {
                    if wait.is_new
                        && let Some(live) = self.history.live().cloned()
                    {
                        self.forget_edit();
                        self.history.look(live);
                    }
                    // Undone together with what came before.
                    let later = self.act_live(!wait.is_new, &mut |live| {
                        live.shell.go_on(code, &mut live.cluster)
                    });
                    output.stdout.push_str(&later.stdout);
                    output.stderr.push_str(&later.stderr);
                    output.code = later.code;
                    output.open = later.open;
                    continue;
                }
            }
            wait.position = self.history.position();
            self.wait = Some(wait);
        }
        Some(output)
    }

    /// Lets a line that waits go on up to this position of the log, as [`Session::wait_on`] would.
    pub fn wait_until(&mut self, position: usize) {
        while self.position() < position && self.wait_on(1).is_some() {}
    }

    /// Another number after every change of the log, and after every step that a line waits.
    pub fn deeds(&self) -> u64 {
        self.deeds
    }

    /// Ctrl+C: ends a line that waits. What bash shows, and its exit code; `None` if no line waits.
    pub fn interrupt(&mut self) -> Option<Output> {
        let waits = self.waits();
        self.wait = None;
        if !waits {
            return None;
        }
        self.history.play(|live| {
            live.shell.interrupt();
            None
        });
        Some(Output {
            stdout: "^C\n".to_owned(),
            code: INTERRUPTED,
            ..Output::default()
        })
    }

    /// One attempt of this moment, else a look at it, else a step in time.
    fn piece(&mut self, wait: &mut Wait, output: &mut Output) -> Piece {
        let tried = self.history.play(|live| {
            let (attempt, happened) = live.attempt()?;
            Some(Entry::attempted(live, attempt, happened))
        });
        if tried {
            return Piece::Step;
        }
        if let Some(until) = wait.until.take() {
            let until = Time::at_microsecond(until.saturating_mul(1_000));
            self.history.play(|live| {
                let (any, happened) = live.pass(until);
                wait.happened = any;
                Some(Entry::Moment {
                    happened,
                    until: Some(until),
                })
            });
            return Piece::Step;
        }
        wait.looks += 1;
        if wait.looks > MAX_MOMENTS {
            output.complain(TOO_LONG);
            return Piece::End(1);
        }
        self.look(wait, output)
    }

    /// A look at a moment in which everybody is done; what it writes is an edit.
    fn look(&mut self, wait: &mut Wait, output: &mut Output) -> Piece {
        let manifests = Rc::clone(self.history.manifests());
        let mut next = Next::Done;
        let wrote = self.history.play(|live| {
            let before = live.world().api().stamp();
            next = wait.waiting.look(wait.happened, &mut live.cluster, output);
            live.cluster.world.prepare();
            if live.world().api().stamp() == before {
                return None;
            }
            let happened = live.stepped();
            Some(Entry::edited(live, manifests, happened))
        });
        wait.code = wait.code.max(std::mem::take(&mut output.code));
        wait.happened = wrote;
        match next {
            Next::Done => Piece::End(wait.code),
            // Others may answer at once: it looks again before time passes.
            Next::Until(_) if wrote => Piece::Step,
            Next::Until(until) => {
                wait.until = Some(until);
                Piece::Look
            }
        }
    }
}

#[cfg(test)]
mod tests;
