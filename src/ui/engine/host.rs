//! A session that does what commands say. It knows neither page nor worker, so that it runs in both.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::patch::{Sent, pieces};
use crate::protocol::fix::{Candidate, Fix};
use crate::protocol::gesture::{Gesture, Label, NodeTemplate};
use crate::protocol::journal::Moment;
use crate::protocol::page::{ALL_ROWS, Command, Explained, Look, Rows, Subject, Update};
use crate::session::{Options, Session, SourceFile};

use super::restoring::{Restoring, moment};
use super::{living, rows, warm};

/// The name of the page's one source file, as problems give it.
pub const FILE_NAME: &str = "scenario.yaml";

/// Attempts between two looks at the other work: well below 50 ms at the sizes this page is made for.
pub(super) const SLICE: usize = 16;
/// Updates that a line which waits does without a sign that the page has drawn the last: nobody may be looking.
const UNSEEN: usize = 100;
/// Steps of a line that waits after which it takes one more in each update: what takes long goes faster.
const FASTER: usize = 32;
/// Attempts times nodes with which a run that is taken anew begins before the page is told, and the
/// most of them: small clusters are where they were at once.
const AT_ONCE: (usize, usize) = (400_000, 1000);
/// Slices between two updates of the page, times the nodes and Pods there are, is about this.
const UPDATE_COST: usize = 40_000;

/// A session, and what the page knows of it.
pub struct Host {
    session: Rc<RefCell<Session>>,
    sent: Sent,
    look: Look,
    running: bool,
    slices: usize,
    /// Steps that the line which waits has taken.
    waited: usize,
    /// The page has not drawn the last update of the run.
    draws: bool,
    fixing: Option<Fixing>,
    restoring: Option<Restoring>,
}

/// A search for fixes, one candidate at a time.
struct Fixing {
    position: usize,
    candidates: VecDeque<Candidate>,
    fixes: Vec<Fix>,
}

impl Host {
    /// A new session.
    pub fn new() -> Self {
        Self::of(Rc::new(RefCell::new(Session::new(Options::default()))))
    }

    /// A session that others hold as well.
    pub fn of(session: Rc<RefCell<Session>>) -> Self {
        Self {
            session,
            sent: Sent::default(),
            look: Look::default(),
            running: false,
            slices: 0,
            waited: 0,
            draws: false,
            fixing: None,
            restoring: None,
        }
    }

    /// Whether [`Host::work`] has something to do.
    pub fn is_running(&self) -> bool {
        self.running || self.fixing.is_some()
    }

    /// Does what the user wants, and tells what came of it.
    pub fn handle(&mut self, command: Command) -> Vec<Update> {
        let handle = Rc::clone(&self.session);
        // Only a call from within a call could find the session in use, and there is none.
        let Ok(mut session) = handle.try_borrow_mut() else {
            return vec![refused("the session is at work")];
        };
        let restored = self.restoring.is_some();
        let Some(command) = self.comes_now(command) else {
            return Vec::new();
        };
        let mut updates = Vec::new();
        if restored && self.restoring.is_none() {
            updates.push(Update::Restored { same: true });
        }
        let before = moment(&session);
        let notes = command.is_deed();
        if let Some(answers) = self.answer(&mut session, &command) {
            updates.extend(notes.then(|| noted(before, false, &session)));
            updates.extend(answers);
            return updates;
        }
        // Whatever is done in between ends what waits.
        if let Some(interrupted) = living::interrupt(&mut session) {
            updates.push(noted(before, true, &session));
            updates.push(interrupted);
        }
        let mut refused = None;
        let then_runs = matches!(command, Command::Edit { run: true, .. });
        match command {
            Command::Pause | Command::Interrupt => session.stay(),
            Command::Restore { course, text } => {
                self.restoring = Some(Restoring::new(course, text));
            }
            other => {
                if let Command::Open { text } | Command::Type { text, .. } = &other {
                    // It comes from the page.
                    self.sent.text = Some(text.as_str().into());
                }
                refused = change_soon(&mut session, other);
                self.draws = false;
            }
        }
        updates.extend(notes.then(|| noted(before, false, &session)));
        self.fixing = None;
        self.waited = 0;
        let then_runs = then_runs && refused.is_none();
        let restores = self.restoring.is_some();
        let runs_on = session.is_due() || then_runs || session.waits() || restores;
        updates.extend(refused);
        if self.running != runs_on {
            self.running = runs_on;
            updates.push(Update::Running { running: runs_on });
        }
        if !restores {
            updates.extend(self.told(&session));
        }
        updates
    }

    /// While an earlier visit is being restored, what is done to it waits for the end of that: `None`.
    fn comes_now(&mut self, command: Command) -> Option<Command> {
        let Some(restoring) = &mut self.restoring else {
            return Some(command);
        };
        match command {
            // Something else is wanted.
            Command::Open { .. } => self.restoring = None,
            command if command.is_deed() || command.is_move() => {
                restoring.then(command);
                return None;
            }
            _ => {}
        }
        Some(command)
    }

    /// Answers what changes nothing; `None` to other commands.
    fn answer(&mut self, session: &mut Session, command: &Command) -> Option<Vec<Update>> {
        let update = match command {
            Command::Look(look) => {
                self.look = look.clone();
                self.explained(session)
            }
            Command::Find {
                pod,
                node,
                pod_path,
                node_path,
            } => {
                let (pod, node) = session.find(pod, node, pod_path, node_path);
                Update::Found { pod, node }
            }
            Command::Check(label) => check(session, label.clone()),
            Command::Complete { line, cursor } => living::complete(session, line.clone(), *cursor),
            Command::Fix { position } => {
                self.look_for_fixes(session, *position);
                return Some(Vec::new());
            }
            Command::WhyNot { position, node } => match session.why_not(*position, node) {
                Ok(why) => Update::WhyNot {
                    position: *position,
                    node: node.clone(),
                    why,
                },
                Err(message) => refused(&message),
            },
            Command::Files(_) | Command::Fields(_) => {
                change(session, command.clone());
                return Some(Vec::new());
            }
            Command::Export => Update::Exported {
                text: session.export_yaml(),
            },
            Command::WarmUp => {
                warm::up();
                return Some(Vec::new());
            }
            Command::Drawn => {
                self.draws = false;
                return Some(Vec::new());
            }
            Command::Interrupt if !session.waits() => return Some(Vec::new()),
            Command::Run if session.waits() => return Some(Vec::new()),
            Command::Run => {
                session.stay();
                self.running = true;
                self.draws = false;
                Update::Running { running: true }
            }
            _ => return None,
        };
        Some(vec![update])
    }

    fn look_for_fixes(&mut self, session: &Session, position: usize) {
        // Whatever changes the session ends a search: this one goes on.
        let mut now = self.fixing.iter();
        if now.any(|fixing| fixing.position == position) {
            return;
        }
        let candidates = session.fix_candidates(position).unwrap_or_default();
        self.fixing = Some(Fixing {
            position,
            candidates: candidates.into(),
            fixes: Vec::new(),
        });
    }

    /// Does what the user wants, and tells nobody.
    pub fn carry_out(&mut self, command: Command) {
        if let Ok(mut session) = self.session.try_borrow_mut() {
            match command {
                Command::Restore { course, text } => {
                    Restoring::new(course, text).finish(&mut session);
                    return;
                }
                // As far as the page's own session was seen to have waited.
                Command::Seek { position } => session.wait_until(position),
                _ => drop(session.interrupt()),
            }
            change(&mut session, command);
        }
    }

    /// One slice of a run. Call it as long as [`Host::is_running`].
    pub fn work(&mut self) -> Vec<Update> {
        let handle = Rc::clone(&self.session);
        let Ok(mut session) = handle.try_borrow_mut() else {
            return Vec::new();
        };
        if let Some(mut restoring) = self.restoring.take() {
            if !restoring.go_on(&mut session) {
                self.restoring = Some(restoring);
                return self.tell_on(&session);
            }
            let (mut updates, later) = self.restored(&session, restoring);
            drop(session);
            updates.extend(later.into_iter().flat_map(|command| self.handle(command)));
            return updates;
        }
        if !self.running {
            return self.fix(&session);
        }
        if session.waits() {
            return self.wait(&mut session);
        }
        let goes_on = if session.is_due() {
            session.catch_up(SLICE);
            session.is_due()
        } else {
            session.advance(SLICE) == SLICE
        };
        if !goes_on {
            self.running = false;
            let mut updates = vec![Update::Running { running: false }];
            updates.extend(self.told(&session));
            return updates;
        }
        self.tell_on(&session)
    }

    /// An earlier visit is there again: what is told, and what is to be done now.
    fn restored(&mut self, session: &Session, restoring: Restoring) -> (Vec<Update>, Vec<Command>) {
        let (same, later) = restoring.end(session);
        self.running = false;
        let mut updates = vec![Update::Running { running: false }];
        // The page's own text is the newer one.
        self.sent.changed_text(session);
        updates.extend(self.told(session));
        updates.push(Update::Restored { same });
        (updates, later)
    }

    /// In the middle of a run: what is told by now, if it is time for that.
    fn tell_on(&mut self, session: &Session) -> Vec<Update> {
        self.slices += 1;
        let size = self.sent.size().max(1);
        // A page that cannot keep up gets fewer updates, and not a heap of them.
        if self.draws || self.slices * UPDATE_COST / size / SLICE < SLICE {
            return Vec::new();
        }
        self.slices = 0;
        let updates = pieces(&mut self.sent, session);
        self.draws = !updates.is_empty();
        updates
    }

    /// Some steps of a line that waits, each seen on the stage before the next, as long as there are few.
    fn wait(&mut self, session: &mut Session) -> Vec<Update> {
        self.slices += 1;
        if self.draws && self.slices < UNSEEN {
            return Vec::new();
        }
        self.slices = 0;
        let steps = (1 + self.waited / FASTER).min(SLICE);
        self.waited += steps;
        let mut updates: Vec<Update> = living::wait_on(session, steps).into_iter().collect();
        if session.waits() {
            let news = pieces(&mut self.sent, session);
            self.draws = !news.is_empty();
            updates.extend(news);
        } else {
            self.running = false;
            updates.push(Update::Running { running: false });
            updates.extend(self.told(session));
        }
        updates
    }

    /// Tries one candidate for a fix.
    fn fix(&mut self, session: &Session) -> Vec<Update> {
        let Some(fixing) = &mut self.fixing else {
            return Vec::new();
        };
        let next = fixing.candidates.pop_front();
        let fix = next.and_then(|candidate| {
            let fix = session.verify_fix(fixing.position, &candidate)?;
            // Others of its group change more of the same.
            fixing
                .candidates
                .retain(|other| other.group != candidate.group);
            Some(fix)
        });
        let is_news = fix.is_some();
        fixing.fixes.extend(fix);
        let done = fixing.candidates.is_empty();
        if !is_news && !done {
            return Vec::new();
        }
        let update = Update::Fixes {
            position: fixing.position,
            fixes: fixing.fixes.clone(),
            done,
        };
        if done {
            self.fixing = None;
        }
        vec![update]
    }

    /// Everything that the page does not know yet.
    fn told(&mut self, session: &Session) -> Vec<Update> {
        let mut updates = pieces(&mut self.sent, session);
        if let Some(text) = self.sent.changed_text(session) {
            updates.push(Update::Sources { text });
        }
        updates.push(self.explained(session));
        updates
    }

    fn explained(&self, session: &Session) -> Update {
        let position = match &self.look.subject {
            Subject::Latest => session
                .attempts()
                .rev()
                .map(|(position, _)| position)
                .find(|position| *position < session.position()),
            Subject::Pod(pod) => session.attempt_of(pod),
            Subject::Attempt(position) => Some(*position),
        };
        let Some(position) = position else {
            return Update::Unexplained;
        };
        let (result, rows) = match session.explain(position) {
            Ok(mut cycle) => {
                let rows = rows::choose(&mut cycle, &self.look, ALL_ROWS);
                (Ok(cycle), rows)
            }
            Err(message) => (Err(message), Rows::default()),
        };
        let made = position < session.log().len();
        Update::Explained(Box::new(Explained {
            position,
            made,
            at_ms: session.time_of(position),
            result,
            rows,
        }))
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
        taken: session.stands(),
    }
}

fn refused(message: &str) -> Update {
    Update::Refused {
        message: message.to_owned(),
    }
}

/// The API server's word on a label is what it says of a node that has it.
fn check(session: &Session, label: Label) -> Update {
    let node = Gesture::AddNodes {
        template: NodeTemplate::General,
        count: 1,
        topology: Some(label.clone()),
    };
    match session.gesture_changes(&node) {
        Ok(_) => Update::Fine(label),
        Err(error) => refused(&error.to_string()),
    }
}

/// Changes the session; a run that is taken anew for it has only begun then.
pub(super) fn change_soon(session: &mut Session, command: Command) -> Option<Update> {
    let update = session.leaving_runs(|session| change(session, command));
    let nodes = session.run().cluster().node_order().len();
    let (attempts, most) = AT_ONCE;
    session.catch_up((attempts / nodes.max(1)).clamp(SLICE, most));
    update
}

/// The commands that only change the session.
fn change(session: &mut Session, command: Command) -> Option<Update> {
    match command {
        Command::Open { text } => {
            session.apply(&[SourceFile::new(FILE_NAME, text)]);
        }
        Command::Type { text, goes_on } => {
            session.edit(&[SourceFile::new(FILE_NAME, text)], goes_on);
        }
        Command::Undo => {
            session.undo();
        }
        Command::Redo => {
            session.redo();
        }
        Command::BackToFirstRun => {
            session.back_to_first_run();
        }
        Command::KeepFork => {
            session.keep_fork();
        }
        Command::Step => {
            session.stay();
            session.step();
        }
        Command::StepBack => {
            session.stay();
            session.step_back();
        }
        Command::Reset => {
            session.stay();
            session.reset();
        }
        Command::Seek { position } => {
            session.stay();
            let known = session.log().len();
            session.seek(position);
            session.advance(position.saturating_sub(known));
        }
        Command::Seed { seed } => session.set_seed(seed),
        Command::Edit { edits, at, .. } => {
            if let Some(at) = at {
                session.catch_up(usize::MAX);
                session.seek(at);
            }
            let made = session.make_edits(&edits);
            return made.err().map(|error| refused(&error.to_string()));
        }
        Command::Gesture(gesture) => {
            let made = session.gesture(&gesture);
            return made.err().map(|error| refused(&error.to_string()));
        }
        other => return living::change(session, other),
    }
    None
}

#[cfg(test)]
mod tests;
