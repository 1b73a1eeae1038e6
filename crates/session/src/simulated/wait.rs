//! Waiting commands of the terminal: each moment that they see is an entry of the log.

use std::rc::Rc;

use crate::history::LogEntry;
use crate::session::Session;
use crate::simulated::line;
use crate::{simulated, undo};
use berth_base::time::Time;
use berth_kubectl::Output;
use berth_kubectl::rest::Rest;
use berth_kubectl::shell::INTERRUPTED;
use berth_kubectl::suspended::{MAX_MOMENTS, Poll, Suspended, TOO_LONG};
use berth_protocol::frame::ForkChange;

/// A waiting command and its position.
pub struct Wait {
    suspended: Box<dyn Suspended>,
    /// The whole line, or what it was run for.
    asked: Rc<ForkChange>,
    /// The position of the log at which it continues. Leaving that position ends it.
    position: usize,
    /// The latest end of the next step in time; `None`: the command is polled first.
    until: Option<i64>,
    /// When it was polled first and the end that it named last, in milliseconds since the start.
    span_ms: Option<(i64, i64)>,
    /// Something happened since the last poll.
    happened: bool,
    looks: u32,
    /// The exit code so far.
    code: i32,
    /// The command has changed nothing so far, so there is nothing to undo if it ends now.
    is_new: bool,
}

impl Wait {
    pub(super) fn new(
        suspended: Box<dyn Suspended>,
        asked: Rc<ForkChange>,
        position: usize,
        is_new: bool,
    ) -> Self {
        Self {
            suspended,
            asked,
            position,
            is_new,
            until: None,
            span_ms: None,
            happened: true,
            looks: 0,
            code: 0,
        }
    }
}

/// The time that goes on after a line.
pub struct Resting {
    rest: Rest,
    /// The position of the log at which it goes on. Leaving that position ends it.
    position: usize,
    /// The exit code of the line.
    code: i32,
}

/// The result of one piece of waiting.
enum Piece {
    /// The log has one more entry.
    Step,
    /// The command was polled and is still waiting.
    Look,
    /// The command ended with this exit code.
    End(i32),
}

/// Whether a line has not ended at this moment: its command waits, or the cluster comes to rest after it.
pub fn waits(session: &Session) -> bool {
    let here = (session.position(), session.log().len());
    let wait = session.wait.as_ref().map(|wait| wait.position);
    let at = wait.or(session.rest.as_ref().map(|rest| rest.position));
    at.is_some_and(|at| here == (at, at))
}

/// Whether no command waits, but the cluster comes to rest after one.
pub fn rests(session: &Session) -> bool {
    simulated::waits(session) && session.wait.is_none()
}

/// Milliseconds that have passed since the last line began.
pub fn line_passed_ms(session: &Session) -> i64 {
    let line = session.line.as_ref().zip(session.simulated_cluster());
    line.map_or(0, |(line, cluster)| line.passed_ms(cluster))
}

/// Lets the next piece of a line be a step toward rest, if one belongs to it.
pub(super) fn rest_until_still(session: &mut Session, rest: Rest, code: i32) {
    let mut goes_on = false;
    session.history.play(|simulated| {
        goes_on = rest.goes_on(&mut simulated.terminal.cluster);
        None
    });
    let position = session.position();
    session.rest = goes_on.then_some(Resting {
        rest,
        position,
        code,
    });
}

/// One step toward rest; `false` if the cluster is at rest.
fn come_to_rest(session: &mut Session) -> bool {
    let Some(Resting { rest, code, .. }) = session.rest.take() else {
        return false;
    };
    if !session.history.step() {
        return false;
    }
    session.change_count += 1;
    rest_until_still(session, rest, code);
    true
}

/// When the waiting command began to wait, and when it stops waiting at the latest or looks again, in milliseconds
/// since the start; `None` if no command waits.
pub fn wait_span_ms(session: &Session) -> Option<(i64, i64)> {
    session
        .wait
        .as_ref()
        .filter(|_| simulated::waits(session))?
        .span_ms
}

/// This moment and a time of the cluster's clock, in milliseconds since the start.
fn named_end_ms(session: &Session, clock_ms: i64) -> Option<(i64, i64)> {
    let cluster = session.simulated_cluster()?;
    let (now_ms, clock_now_ms) = (cluster.elapsed_ms(), cluster.now().milliseconds());
    Some((
        now_ms,
        now_ms.saturating_add(clock_ms.saturating_sub(clock_now_ms)),
    ))
}

/// Continues a waiting command for at most `steps` entries of the log, and returns its output; `None` if no
/// command waits. When the wait ends, the rest of the line runs up to its next wait, or to its end.
pub fn wait_on(session: &mut Session, steps: usize) -> Option<Output> {
    if !simulated::waits(session) {
        session.wait = None;
        session.rest = None;
        return None;
    }
    let mut output = Output::default();
    let rest = session.rest.as_ref();
    output.code = rest.map_or(0, |rest| rest.code);
    let end = session.log().len().saturating_add(steps);
    while session.log().len() < end {
        let Some(mut wait) = session.wait.take() else {
            if !come_to_rest(session) {
                break;
            }
            continue;
        };
        match piece(session, &mut wait, &mut output) {
            Piece::Step => {
                session.change_count += 1;
                wait.is_new = false;
            }
            Piece::Look => {}
            Piece::End(code) => {
                if wait.is_new
                    && let Some(simulated) = session.history.simulated().cloned()
                {
                    undo::forget_edit(session);
                    session.history.replace_terminal(simulated);
                }
                // Undone together with the beginning of the line.
                let later =
                    line::act_on_cluster(session, &wait.asked, !wait.is_new, &mut |simulated| {
                        simulated.shell.resume(code, &mut simulated.terminal)
                    });
                output.push(&later);
                output.code = later.code;
                output.open = later.open;
                continue;
            }
        }
        wait.position = session.history.position();
        session.wait = Some(wait);
    }
    Some(output)
}

/// Continues a waiting command up to this position of the log.
pub fn wait_until(session: &mut Session, position: usize) {
    while session.position() < position && simulated::wait_on(session, 1).is_some() {}
}

/// Ctrl+C: ends a waiting command. Returns bash's output and exit code; `None` if no command waits.
pub fn interrupt(session: &mut Session) -> Option<Output> {
    let waits = simulated::waits(session);
    let (wait, rest) = (session.wait.take(), session.rest.take());
    if !waits {
        return None;
    }
    if wait.is_none() {
        // Nobody runs a command: the clock stands.
        return Some(Output {
            code: rest.map_or(0, |rest| rest.code),
            ..Output::default()
        });
    }
    session.history.play(|simulated| {
        simulated.shell.interrupt();
        None
    });
    Some(Output {
        stdout: "^C\n".to_owned(),
        code: INTERRUPTED,
        ..Output::default()
    })
}

/// Makes an attempt of this moment, if there is one. Otherwise polls the command; if it is pending, the next piece
/// is a step in time.
fn piece(session: &mut Session, wait: &mut Wait, output: &mut Output) -> Piece {
    let tried = session.history.play(|simulated| {
        let (attempt, happened) = simulated.attempt()?;
        Some(LogEntry::attempted(simulated, attempt, happened))
    });
    if tried {
        return Piece::Step;
    }
    if let Some(until) = wait.until.take() {
        let until = Time::at_microsecond(until.saturating_mul(1_000));
        session.history.play(|simulated| {
            let (any, happened) = simulated.pass(until);
            wait.happened = any;
            Some(LogEntry::Moment {
                happened,
                until: Some(until),
                at_ms: simulated.cluster().elapsed_ms(),
            })
        });
        return Piece::Step;
    }
    wait.looks += 1;
    if wait.looks > MAX_MOMENTS {
        output.complain(TOO_LONG);
        return Piece::End(1);
    }
    poll_once(session, wait, output)
}

/// Polls the command in a moment in which the cluster is quiet; its writes are an edit.
fn poll_once(session: &mut Session, wait: &mut Wait, output: &mut Output) -> Piece {
    let manifests = Rc::clone(session.history.manifests());
    let mut next = Poll::Ready;
    let wrote = session.history.play(|simulated| {
        let before = simulated.cluster().api().stamp();
        next = wait
            .suspended
            .poll(wait.happened, &mut simulated.terminal, output);
        simulated.terminal.end_user_write();
        simulated.terminal.cluster.prepare();
        if simulated.cluster().api().stamp() == before {
            return None;
        }
        let happened = simulated.stepped();
        Some(LogEntry::edited(simulated, manifests, happened))
    });
    wait.code = wait.code.max(std::mem::take(&mut output.code));
    wait.happened = wrote;
    match next {
        Poll::Ready => Piece::End(wait.code),
        // Controllers may react at once: poll again before time passes.
        Poll::Pending(_) if wrote => Piece::Step,
        Poll::Pending(until) => {
            wait.until = Some(until);
            wait.span_ms = named_end_ms(session, until).map(|(now_ms, end_ms)| {
                let began_ms = wait.span_ms.map_or(now_ms, |(began_ms, _)| began_ms);
                (began_ms, end_ms)
            });
            Piece::Look
        }
    }
}

#[cfg(test)]
mod tests;
