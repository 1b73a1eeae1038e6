//! Edits of the session.

use super::{Effect, Store};
use crate::words;
use berth_protocol::command::{Command, Input, Mutation};
use berth_protocol::fix::Fix;
use berth_protocol::gesture::Gesture;
use berth_protocol::link::joined;
use berth_protocol::remark::Remark;

/// An edit of the session.
#[allow(clippy::large_enum_variant, reason = "one exists at a time")]
#[derive(Clone, Debug, PartialEq)]
pub enum EditAction {
    /// Opens another scenario.
    Open(String),
    /// Files, by name. They open another scenario, or are added to the terminal's file system if they were dropped
    /// while the terminal is shown.
    Files {
        files: Vec<(String, String)>,
        dropped: bool,
    },
    Undo,
    Redo,
    BackToFirstRun,
    KeepFork,
    /// Takes back one change of the fork, by its position in the list.
    UndoChange(usize),
    /// An edit by drag and drop, a form or a shortcut.
    Gesture(Gesture),
    /// Tries a fix of the explained attempt on a fork.
    TryFix(usize),
    /// Sets the seed that breaks ties.
    Seed(u64),
    /// Switches between a simulated cluster and scheduling alone.
    Live(bool),
    /// Starts the current mode from the manifests.
    BeginAnew,
    /// Follows this Kubernetes release.
    Kubernetes(String),
}

impl Store {
    pub(in crate::ui) fn edit(&mut self, action: EditAction) -> Vec<Effect> {
        match action {
            EditAction::Open(text) => self.open(text),
            EditAction::Files { files, dropped } => self.files(files, dropped),
            EditAction::Undo => self.change(Mutation::Undo),
            EditAction::Redo => self.change(Mutation::Redo),
            EditAction::BackToFirstRun => vec![self.mutate(Mutation::BackToFirstRun)],
            EditAction::KeepFork => {
                self.say_undoable(words::FORK_KEPT.to_owned());
                vec![self.mutate(Mutation::KeepFork)]
            }
            EditAction::UndoChange(number) => self.change(Mutation::UndoChange { number }),
            EditAction::Gesture(gesture) => self.gesture(gesture),
            EditAction::TryFix(number) => self.try_fix(number),
            EditAction::Seed(seed) => self.start_again(Mutation::Seed { seed }),
            EditAction::Live(live) => self.live(live),
            EditAction::BeginAnew => {
                let effects = self.change(Mutation::BeginAnew);
                self.lesson_begins_again();
                effects
            }
            EditAction::Kubernetes(version) => self.start_again(Mutation::Kubernetes { version }),
        }
    }

    /// The effect that sends a mutation.
    pub(in crate::ui) fn mutate(&mut self, mutation: Mutation) -> Effect {
        Effect::Send(self.mutation(mutation))
    }

    /// Prepares a mutation. If it rewrites the log, answers about attempts become stale; the engine handles commands in
    /// order, so later questions are answered for the rewritten log.
    pub(in crate::ui) fn mutation(&mut self, mutation: Mutation) -> Command {
        if mutation.rewrites_log() {
            self.explain.outdate();
            self.board.outdate();
            self.case = None;
        }
        Command::Mutate(mutation)
    }

    /// Sends a mutation that starts the run again.
    fn start_again(&mut self, mutation: Mutation) -> Vec<Effect> {
        self.lesson_begins_again();
        vec![self.mutate(mutation)]
    }

    /// Sends a mutation of the manifests and removes the notice about the previous one.
    fn change(&mut self, mutation: Mutation) -> Vec<Effect> {
        self.leave();
        self.page.notice = None;
        self.stage.refusal = None;
        self.stage.adds = false;
        vec![self.mutate(mutation)]
    }

    pub(in crate::ui) fn gesture(&mut self, gesture: Gesture) -> Vec<Effect> {
        self.scheduler.ask(&gesture);
        if let Gesture::RenameNode { node, name } = &gesture
            && self.stage.editing.as_ref() == Some(node)
            && self.view.node(name).is_none()
        {
            self.stage.renames = Some(name.clone());
        }
        let effects = self.change(Mutation::Gesture(gesture));
        self.stage.adds = true;
        effects
    }

    pub(in crate::ui) fn open(&mut self, text: String) -> Vec<Effect> {
        self.editor.set_text(&text);
        self.another_scenario(Mutation::Open { text })
    }

    /// Sends a mutation that opens another scenario.
    pub(in crate::ui) fn another_scenario(&mut self, opens: Mutation) -> Vec<Effect> {
        self.editor.waits = false;
        self.page.notice = None;
        self.page.dialog = None;
        self.page.opened.clear();
        self.leave();
        self.view.begin_anew();
        self.terminal.diverged = false;
        self.stage.forget_scenario();
        self.leave_draft();
        let left = self.leave_link(&opens);
        let open = self.mutate(opens);
        left.into_iter().chain(self.follow_run(open)).collect()
    }

    /// Takes files: for the terminal's commands if it is shown, otherwise as another scenario.
    #[inline(never)]
    fn files(&mut self, files: Vec<(String, String)>, dropped: bool) -> Vec<Effect> {
        if dropped && self.terminal.shown {
            self.terminal.note_files(&files);
            return vec![self.mutate(Mutation::Terminal(Input::Files(files)))];
        }
        let mut effects = self.open(joined(&files));
        self.page.opened = match files.as_slice() {
            [] => String::new(),
            [(name, _)] => name.clone(),
            [(name, _), others @ ..] => format!("{name} +{}", others.len()),
        };
        effects.push(self.mutate(Mutation::Terminal(Input::Files(files))));
        effects
    }

    /// Applies a fix before the attempt that it is for, and reruns from there.
    fn try_fix(&mut self, number: usize) -> Vec<Effect> {
        let fixes = &self.explain.fixes;
        let (Some(at), Some(fix)) = (fixes.position, fixes.found.get(number)) else {
            return Vec::new();
        };
        let fix = fix.clone();
        self.try_on_fork(at, &fix)
    }

    /// Applies a verified fix before the attempt at this position, and reruns from there.
    pub(in crate::ui) fn try_on_fork(&mut self, at: usize, fix: &Fix) -> Vec<Effect> {
        let edit = Mutation::Edit {
            edits: fix.edits.clone(),
            at: Some(at),
            run: true,
        };
        self.leave();
        self.time.ran = true;
        let edit = self.mutate(edit);
        self.follow_run(edit)
    }

    #[inline(never)]
    fn live(&mut self, live: bool) -> Vec<Effect> {
        let lesson = self.lesson.frame.as_deref();
        if !live && lesson.is_some_and(|lesson| lesson.is_live) {
            self.page.notice = Some(words::remark(&Remark::lesson_lives()));
            return Vec::new();
        }
        self.leave();
        self.terminal.diverged &= live;
        if live {
            self.time.create_cluster();
            self.time.ran = false;
        }
        let notice = match live {
            true => words::LIVES_NOW,
            false => words::SCHEDULES_ONLY,
        };
        self.say_undoable(notice.to_owned());
        let live = self.mutate(Mutation::Live(live));
        self.follow_run(live)
    }
}
