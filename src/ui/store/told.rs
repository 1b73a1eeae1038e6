//! What the engine tells, taken in.

use std::rc::Rc;

use super::{Fixes, Found, Progress, Store, progress};
use crate::protocol::cycle::Cycle;
use crate::protocol::page::{Command, Explained, Patch, Subject, Update};

impl Store {
    pub(super) fn told(&mut self, update: Update) -> Vec<Command> {
        let mut commands = Vec::new();
        match update {
            Update::Patch(patch) => self.moment(*patch),
            Update::Printed(printed) => commands = self.printed(*printed),
            Update::Completions {
                line,
                cursor,
                words,
            } => self.completions(&line, cursor, words),
            Update::Sources { text } => {
                // Maybe changed by somebody else than this page.
                self.stale = true;
                self.sought = None;
                self.follow(&text);
                self.answers.0 += u32::from(std::mem::take(&mut self.adds));
            }
            Update::Fine(label) => {
                self.answers.0 += 1;
                if label.key == self.group_by && !self.zones.contains(&label.value) {
                    self.zones.push(label.value);
                }
            }
            Update::Explained(explained) => commands = self.explained(*explained),
            Update::Unexplained => {
                self.explained = None;
                self.cell = None;
            }
            Update::Fixes {
                position,
                fixes,
                done,
            } => {
                self.fixes = Fixes {
                    position: Some(position),
                    found: Rc::new(fixes),
                    done,
                };
            }
            Update::WhyNot {
                position,
                node,
                why,
            } => {
                let explained = self.explained.as_ref();
                let is_current = explained.is_some_and(|told| told.position == position);
                self.why_not = is_current.then(|| (node, Rc::new(why)));
            }
            Update::Found { pod, node } => self.found = Some(Rc::new(Found { pod, node })),
            Update::Refused { message } => {
                if !self.scheduler.refuse(&message) {
                    self.notice = Some(message);
                }
                self.adds = false;
                self.moved = None;
                self.answers.1 += 1;
            }
            Update::Running { running } => {
                self.running = running;
                self.running_on |= running;
            }
            Update::Exported { text } => self.export = Some(text.into()),
            Update::Restored { same } => commands = self.restored(same),
            // The engine's own end keeps it.
            Update::Noted { .. } => {}
        }
        if self.view.finished && self.progress.is_none() {
            self.playing = false;
        }
        commands
    }

    /// Another moment, or a piece of it: whether the page plays on from there.
    fn moment(&mut self, patch: Patch) {
        let is_whole = !patch.more;
        self.take(patch);
        if self.view.now_ms.is_some() {
            self.terminal.lives();
        }
        if is_whole && self.terminal.waits_to_start() {
            self.goes_on();
        }
        if is_whole {
            self.rests();
        }
    }

    fn take(&mut self, patch: Patch) {
        self.view.take(patch);
        let view = &self.view;
        self.nodes.retain(|node| view.node(node).is_some());
        let is_gone = |node: &String| view.node(node).is_none();
        self.carried
            .take_if(|carried| carried.nodes.iter().any(is_gone));
        self.editing.take_if(|node| view.node(node).is_none());
        self.why_not.take_if(|(node, _)| view.node(node).is_none());
    }

    fn explained(&mut self, explained: Explained) -> Vec<Command> {
        let at = |progress: &mut Progress| progress.attempt == explained.position;
        if explained.result.is_err() && self.progress.take_if(at).is_some() {
            // No attempt follows, but something else happens.
            return vec![self.look_at(Subject::Latest), Command::Step];
        }
        let before = self.explained.as_ref().map(|before| before.position);
        if before != Some(explained.position) {
            self.cell = None;
            self.found = None;
            self.lit.clear();
            self.why_not = None;
        }
        if let (Some(progress), Ok(cycle)) = (&mut self.progress, &explained.result) {
            let stops = progress::stops(cycle);
            progress.stop = if progress.stop == usize::MAX {
                stops.len().saturating_sub(1)
            } else if progress.stop == 0 {
                progress::first(&stops, self.step)
            } else {
                progress.stop.min(stops.len().saturating_sub(1))
            };
        }
        // What was said of the attempt as it was may no longer hold. If only other rows are told, it
        // does, and asking would be explaining twice.
        let asked = self.why_not.as_ref().filter(|_| self.stale);
        let asked = asked.map(|(node, _)| node.clone());
        let position = explained.position;
        let waits = |cycle: &Cycle| cycle.selected.is_none() && !cycle.error;
        let wants_fixes = explained.result.as_ref().is_ok_and(waits);
        self.explained = Some(Rc::new(explained));
        let has_fixes = wants_fixes && self.sought == Some(position);
        if !has_fixes {
            self.fixes = Fixes::default();
            self.sought = None;
        }
        // Nobody reads them while the page plays.
        let is_read = self.progress.is_none() && !self.playing && !self.running;
        // The engine goes on looking if it still does, and only other rows are told.
        let is_done = has_fixes && self.fixes.done;
        let fix = (wants_fixes && !is_done && is_read).then_some(Command::Fix { position });
        let ask = asked.map(|node| Command::WhyNot { position, node });
        fix.into_iter().chain(ask).collect()
    }

    /// Remembers whether the log was changed since it was last asked why an attempt did not end on a
    /// node, or what would have helped. The engine answers in order: an answer asked for now is about
    /// the log as it will be.
    pub(super) fn note(&mut self, commands: &[Command]) {
        for command in commands {
            match command {
                Command::Fix { position } => self.sought = Some(*position),
                command if rewrites(command) => self.sought = None,
                _ => {}
            }
            self.stale = match command {
                Command::WhyNot { .. } => false,
                command => self.stale || rewrites(command),
            };
        }
    }
}

/// Whether a command may change what led to an attempt. Going through time does not.
fn rewrites(command: &Command) -> bool {
    // The terminal's files are none of the run's, and a fork stays what it is when it is kept.
    command.is_deed() && !matches!(command, Command::KeepFork | Command::Files(_))
}
