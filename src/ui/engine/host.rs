//! A session that handles commands. It depends on neither the page nor the worker, so it runs in both.

#![deny(clippy::wildcard_enum_match_arm)]

mod explanation;
mod pair;

use std::cell::RefCell;
use std::rc::Rc;

use super::changes::{SLICE, catch_up_soon, check, mutate, mutate_soon, travel};
use super::jobs::{Jobs, draft, fixes, fork, reduction, what_if};
use super::patch::{Sent, pieces};
use super::restoring::{Replayed, Restoring, moment};
use super::{prewarm, progress, refused, rows, terminal};
use berth_protocol::command::{
    Command, Control, MatrixQuery, Moment, Mutation, Query, Run, Travel,
};
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::page::Update;
use berth_protocol::remark::Remark;
use berth_protocol::work::Work;
use berth_session::fixes::ungate;
use berth_session::{Options, Session, drain, export, find, pairing, simulated, why_not};
use explanation::LastExplained;
use pair::Pair;

/// Slices that a waiting command skips while a repaint is unacknowledged; the tab may be hidden.
const UNSEEN: usize = 100;
/// After this many steps, a waiting command takes one more step per update, so long waits speed up.
const FASTER: usize = 32;
/// Number of nodes and Pods at which an update is sent every `SLICE`² slices; smaller clusters get updates more often.
const UPDATE_COST: usize = 40_000;

/// A session, and the state that the page has received.
pub struct Host {
    session: Rc<RefCell<Session>>,
    sent: Sent,
    query: MatrixQuery,
    running: bool,
    slices: usize,
    /// Steps that the waiting command has taken.
    waited: usize,
    /// The page has not acknowledged the last update of the run.
    draws: bool,
    /// What the page asked for; it waits for what changes the session.
    jobs: Jobs,
    restoring: Option<Restoring>,
    pair: Option<Box<Pair>>,
    last_explained: Option<LastExplained>,
}

impl Host {
    /// A new session.
    pub fn new() -> Self {
        Self::of(Rc::new(RefCell::new(Session::new(Options::default()))))
    }

    /// A host for a shared session.
    pub fn of(session: Rc<RefCell<Session>>) -> Self {
        Self {
            session,
            sent: Sent::default(),
            query: MatrixQuery::default(),
            running: false,
            slices: 0,
            waited: 0,
            draws: false,
            jobs: Jobs::default(),
            restoring: None,
            pair: None,
            last_explained: None,
        }
    }

    /// Whether [`Host::work`] has something to do.
    pub fn is_running(&self) -> bool {
        self.restoring.is_some() || self.compares() || self.running || !self.jobs.is_empty()
    }

    /// Whether the outcome of an earlier command is still incomplete: an earlier visit is being restored, or a run that
    /// started again has not reached its old position.
    pub fn is_catching_up(&self) -> bool {
        let runs = !self.compares() && self.running;
        self.restoring.is_some() || runs && self.session.borrow().is_due()
    }

    fn compares(&self) -> bool {
        self.pair.as_ref().is_some_and(|pair| pair.is_running())
    }

    /// What [`Host::work`] works on. A comparison reports itself.
    pub fn under_way(&self) -> Option<Work> {
        if let Some(restoring) = &self.restoring {
            return Some(restoring.work());
        }
        if self.compares() {
            return None;
        }
        if self.running {
            return Some(progress::of_run(&*self.session.try_borrow().ok()?));
        }
        self.jobs.work()
    }

    /// Handles a command, and returns the updates for the page.
    pub fn handle(&mut self, command: Command) -> Vec<Update> {
        let handle = Rc::clone(&self.session);
        // The session could be in use only during a reentrant call, which does not happen.
        let Ok(mut session) = handle.try_borrow_mut() else {
            return vec![refused(Remark::at_work())];
        };
        let was_restoring = self.restoring.is_some();
        let Some(command) = self.comes_now(command) else {
            return Vec::new();
        };
        let mut updates = Vec::new();
        if was_restoring && self.restoring.is_none() {
            updates.push(Update::Restored {
                same: true,
                printed: Vec::new(),
            });
        }
        updates.extend(match command {
            Command::Mutate(mutation) => self.mutate(&mut session, mutation),
            Command::Travel(travel) => self.travel(&mut session, travel),
            Command::Run(run) => self.start_or_stop(&mut session, run),
            Command::Ask(query) => self.answer(&session, query).into_iter().collect(),
            Command::Control(control) => self.control(&mut session, control),
            Command::Compare(command) => self.compare(&session, *command.0),
        });
        updates
    }

    /// Defers changes and moves until an earlier visit is restored: `None`.
    fn comes_now(&mut self, command: Command) -> Option<Command> {
        let Some(restoring) = &mut self.restoring else {
            return Some(command);
        };
        match command {
            // Another scenario replaces the visit.
            Command::Mutate(mutation) if mutation.opens() => {
                let command = Command::Mutate(mutation);
                self.restoring = None;
                Some(command)
            }
            Command::Mutate(_) | Command::Travel(_) | Command::Run(_) | Command::Compare(_) => {
                restoring.then(command);
                None
            }
            Command::Ask(_) | Command::Control(_) => Some(command),
        }
    }

    fn mutate(&mut self, session: &mut Session, mutation: Mutation) -> Vec<Update> {
        let before = moment(session);
        if mutation.keeps_suspended() {
            let refused = mutate(session, mutation);
            return [noted(before, false, session)]
                .into_iter()
                .chain(refused)
                .collect();
        }
        let mut updates = interrupt(session);
        if let Some(text) = mutation.text() {
            // The text came from the page.
            self.sent.text = Some(text.into());
        }
        let runs_to_end = mutation.runs_to_end();
        let opens = mutation.opens();
        let refused = mutate_soon(session, mutation);
        self.draws = false;
        updates.push(noted(before, false, session));
        let runs_on = runs_to_end && refused.is_none();
        updates.extend(refused);
        let mut updates = self.settle(session, runs_on, updates);
        if opens && pairing::compares(session) {
            updates.push(pair::suggested());
        }
        updates
    }

    fn travel(&mut self, session: &mut Session, to: Travel) -> Vec<Update> {
        let updates = interrupt(session);
        session.deferring_catch_up(|session| travel(session, to));
        catch_up_soon(session);
        self.draws = false;
        self.settle(session, false, updates)
    }

    fn start_or_stop(&mut self, session: &mut Session, run: Run) -> Vec<Update> {
        match run {
            // A waiting command already runs, and without one there is nothing to interrupt.
            Run::ToEnd if simulated::waits(session) => Vec::new(),
            Run::Interrupt if !simulated::waits(session) => Vec::new(),
            Run::ToEnd => {
                session.cancel_catch_up();
                self.running = true;
                self.draws = false;
                vec![Update::Running { running: true }]
            }
            Run::Stop if !self.running => self.jobs.stop(),
            Run::Pause | Run::Interrupt | Run::Stop => {
                let updates = interrupt(session);
                session.cancel_catch_up();
                self.settle(session, false, updates)
            }
        }
    }

    fn control(&mut self, session: &mut Session, control: Control) -> Vec<Update> {
        match control {
            Control::Restore { recording, text } => {
                let updates = interrupt(session);
                self.restoring = Some(Restoring::new(recording, text));
                self.settle(session, true, updates)
            }
            Control::Fields(fields) => {
                terminal::describe_fields(session, fields);
                Vec::new()
            }
            Control::Drawn => {
                self.draws = false;
                Vec::new()
            }
            Control::WarmUp => {
                prewarm::up();
                Vec::new()
            }
        }
    }

    /// After a change or a move: ends work for the previous moment, and reports the new one.
    fn settle(
        &mut self,
        session: &Session,
        runs_on: bool,
        mut updates: Vec<Update>,
    ) -> Vec<Update> {
        self.jobs.drop_stale();
        self.waited = 0;
        fork::begin(&mut self.jobs, session);
        let runs_on = runs_on || session.is_due() || simulated::waits(session);
        if self.running != runs_on {
            self.running = runs_on;
            updates.push(Update::Running { running: runs_on });
        }
        if self.restoring.is_none() {
            updates.extend(self.news(session));
        }
        updates
    }

    /// Answers a query; `None` if [`Host::work`] answers it later.
    fn answer(&mut self, session: &Session, query: Query) -> Option<Update> {
        Some(match query {
            Query::Matrix(query) => {
                self.query = query;
                self.explained(session)
            }
            Query::Numbers {
                position,
                node,
                plugin,
                scored,
            } => {
                let numbers = find::numbers(session, position, &node, &plugin, scored);
                Update::Numbers(OutOfLine::new(numbers.ok()?))
            }
            Query::Drain { node } => Update::Drain(Box::new(drain::plan(session, &node)?)),
            Query::Check(label) => check(session, label),
            Query::Complete { line, cursor } => terminal::complete(session, line, cursor),
            Query::Fix { position } => {
                fixes::begin(&mut self.jobs, session, position);
                return None;
            }
            Query::Reason { position } => rows::reason(session, position),
            Query::Nearest { positions } => {
                fixes::begin_group(&mut self.jobs, positions);
                return None;
            }
            Query::Ungate { pods } => Update::Ungated {
                fix: ungate(session, &pods).map(Box::new),
                pod: pods.into_iter().next().unwrap_or_default(),
            },
            Query::WhyNot { position, node } => match why_not::why_not(session, position, &node) {
                Ok(why) => Update::WhyNot {
                    position,
                    node,
                    why,
                },
                Err(message) => refused(message),
            },
            Query::Draft(query) => draft::answer(&mut self.jobs, session, *query.0),
            Query::Happened => Update::Happened {
                happened: terminal::happened(session, usize::MAX),
            },
            Query::Export => Update::Exported {
                text: export::redacted_yaml(session),
            },
            Query::WhatIf(asking) => return what_if::begin(&mut self.jobs, session, asking),
            Query::Reduce { position, date } => {
                return reduction::begin(&mut self.jobs, session, position, date);
            }
            Query::Handout {
                slug,
                text,
                translation,
            } => super::lesson::handout(slug, text, translation),
        })
    }

    /// Handles a command without reporting updates, for the mirror.
    pub fn carry_out(&mut self, command: Command) {
        let Ok(mut session) = self.session.try_borrow_mut() else {
            return;
        };
        match command {
            Command::Control(Control::Restore { recording, text }) => {
                Restoring::new(recording, text).finish(&mut session);
            }
            Command::Control(Control::Fields(fields)) => {
                simulated::interrupt(&mut session);
                terminal::describe_fields(&mut session, fields);
            }
            Command::Travel(Travel::Seek { position }) => {
                // Waits as far as the page's own session was reported to have waited.
                simulated::wait_until(&mut session, position);
                travel(&mut session, Travel::Seek { position });
            }
            Command::Travel(to) => {
                simulated::interrupt(&mut session);
                travel(&mut session, to);
            }
            Command::Mutate(mutation) => {
                simulated::interrupt(&mut session);
                mutate(&mut session, mutation);
            }
            Command::Run(_)
            | Command::Ask(_)
            | Command::Compare(_)
            | Command::Control(Control::Drawn | Control::WarmUp) => {}
        }
    }

    /// Runs one slice of the first that has something to do. Call it while [`Host::is_running`].
    pub fn work(&mut self) -> Vec<Update> {
        let handle = Rc::clone(&self.session);
        let Ok(mut session) = handle.try_borrow_mut() else {
            return Vec::new();
        };
        if self.restoring.is_some() {
            let (updates, later) = self.restore(&mut session);
            drop(session);
            let handled = later.into_iter().flat_map(|command| self.handle(command));
            return updates.into_iter().chain(handled).collect();
        }
        if let Some(pair) = self.pair.as_mut().filter(|pair| pair.is_running()) {
            return pair.work(&session);
        }
        if !self.running {
            return self.jobs.advance(&mut session, &mut self.sent);
        }
        if simulated::waits(&session) {
            self.wait(&mut session)
        } else {
            self.run(&mut session)
        }
    }

    /// Runs one slice of the scenario.
    fn run(&mut self, session: &mut Session) -> Vec<Update> {
        let goes_on = if session.is_due() {
            session.catch_up(SLICE);
            session.is_due()
        } else {
            session.advance(SLICE) == SLICE
        };
        if goes_on {
            return self.report_amid_run(session);
        }
        self.running = false;
        let mut updates = vec![Update::Running { running: false }];
        updates.extend(self.news(session));
        updates
    }

    /// Restores one slice of an earlier visit. At its end, also returns the deferred commands.
    fn restore(&mut self, session: &mut Session) -> (Vec<Update>, Vec<Command>) {
        let Some(mut restoring) = self.restoring.take() else {
            return (Vec::new(), Vec::new());
        };
        if restoring.go_on(session) {
            return self.restored(session, restoring);
        }
        self.restoring = Some(restoring);
        (self.report_amid_run(session), Vec::new())
    }

    /// Ends a restore: returns the updates for the page, and the deferred commands.
    fn restored(&mut self, session: &Session, restoring: Restoring) -> (Vec<Update>, Vec<Command>) {
        let Replayed {
            same,
            printed,
            later,
        } = restoring.end(session);
        self.running = false;
        fork::begin(&mut self.jobs, session);
        let mut updates = vec![Update::Running { running: false }];
        // The page's own text is newer.
        self.sent.changed_text(session);
        updates.extend(self.news(session));
        updates.push(Update::Restored { same, printed });
        (updates, later)
    }

    /// An update during a run, if one is due.
    fn report_amid_run(&mut self, session: &Session) -> Vec<Update> {
        self.slices += 1;
        let size = self.sent.size().max(1);
        // A page that cannot keep up gets fewer updates, not a backlog.
        if self.draws || self.slices * UPDATE_COST / size / SLICE < SLICE {
            return Vec::new();
        }
        self.slices = 0;
        let updates = pieces(&mut self.sent, session);
        self.draws = !updates.is_empty();
        updates
    }

    /// Takes some steps of a waiting command; the first ones are drawn one by one.
    fn wait(&mut self, session: &mut Session) -> Vec<Update> {
        self.slices += 1;
        if self.draws && self.slices < UNSEEN {
            return Vec::new();
        }
        self.slices = 0;
        let steps = (1 + self.waited / FASTER).min(SLICE);
        self.waited += steps;
        let mut updates: Vec<Update> = terminal::wait_on(session, steps).into_iter().collect();
        if simulated::waits(session) {
            let news = pieces(&mut self.sent, session);
            self.draws = !news.is_empty();
            updates.extend(news);
        } else {
            self.running = false;
            fork::begin(&mut self.jobs, session);
            updates.push(Update::Running { running: false });
            updates.extend(self.news(session));
        }
        updates
    }

    /// All updates that the page does not have yet.
    fn news(&mut self, session: &Session) -> Vec<Update> {
        let mut updates = pieces(&mut self.sent, session);
        if let Some(text) = self.sent.changed_text(session) {
            updates.push(Update::Sources { text });
        }
        updates.push(self.explained(session));
        updates
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

fn noted(before: Moment, interrupts: bool, session: &Session) -> Update {
    Update::Noted {
        before,
        interrupts,
        taken: session.sources_accepted(),
    }
}

/// Interrupts a waiting terminal command, as every command except a query does.
fn interrupt(session: &mut Session) -> Vec<Update> {
    let before = moment(session);
    let Some(printed) = terminal::interrupt(session) else {
        return Vec::new();
    };
    vec![noted(before, true, session), printed]
}

#[cfg(test)]
mod tests;
