//! Applies the engine's updates.

use super::{Dialog, Effect, Store};
use crate::words;
use berth_protocol::command::Mutation;
use berth_protocol::page::{Patch, Update};
use berth_protocol::remark::Remark;
use berth_protocol::terminal::Printed;

impl Store {
    pub(in crate::ui) fn receive(&mut self, update: Update) -> Vec<Effect> {
        let mut effects = Vec::new();
        match update {
            Update::Patch(patch) => effects = self.receive_patch(*patch),
            Update::Printed(printed) => effects = self.receive_printed(*printed),
            Update::Completions {
                line,
                cursor,
                words,
            } => self.receive_completions(&line, cursor, words),
            Update::Sources { text } => self.receive_sources(&text),
            Update::Drain(plan) => self.receive_drain(*plan),
            Update::Answered(answer) => self.receive_answer(*answer.0),
            Update::Reduced(reduced) => effects = self.receive_reduced(*reduced.0),
            Update::Draft(answer) => effects = self.receive_draft(*answer.0),
            Update::Lesson(frame) => effects = self.receive_lesson(frame.map(|frame| *frame)),
            Update::Handout(made) => effects = self.receive_handout(made.map(|made| *made)),
            Update::Fine(label) => {
                self.stage.answers.0 += 1;
                if label.key == self.stage.group_by && !self.stage.zones.contains(&label.value) {
                    self.stage.zones.push(label.value);
                }
            }
            Update::Explained(explained) => effects = self.receive_explained(*explained),
            Update::Unexplained => {
                self.explain.explained = None;
                self.explain.cell = None;
            }
            Update::Fixes {
                position,
                fixes,
                done,
            } => self.explain.receive_fixes(position, fixes, done),
            Update::WhyNot {
                position,
                node,
                why,
            } => self.explain.receive_why_not(position, node, why),
            Update::Reason {
                position,
                early,
                rows,
            } => effects = self.receive_reason(position, early, rows),
            Update::Nearest { position, fix } => effects = self.receive_group_fix(position, fix),
            Update::Ungated { pod, fix } => effects = self.receive_ungated(pod, fix),
            Update::Numbers(numbers) => self.explain.receive_numbers(*numbers.0),
            Update::Refused { message } => self.refused(&message),
            Update::Running { running } => self.time.set_running(running),
            Update::Happened { happened } => effects.push(self.happened_file(&happened)),
            Update::Exported { text } => effects.push(Effect::Download {
                name: crate::ui::engine::FILE_NAME.to_owned(),
                text: text.into(),
            }),
            Update::Restored { same, printed } => effects = self.receive_restored(same, printed),
            Update::Working(work) => self.receive_work(work),
            Update::Compared(update) => effects = self.receive_compared(*update.0),
            // The engine's host handles it.
            Update::Noted { .. } => {}
        }
        if self.view.head.finished && self.time.progress.is_none() {
            self.time.playback.stop();
        }
        effects
    }

    /// Takes a frame, or a piece of it.
    fn receive_patch(&mut self, patch: Patch) -> Vec<Effect> {
        let is_whole = !patch.more;
        let fork = self.view.head.fork.take().map(|fork| fork.changes);
        self.count_new_nodes(&patch.nodes.items);
        let labels = self.view.labels_version;
        let lived = self.view.head.now_ms.is_some();
        self.view.apply(patch);
        match (lived, self.view.head.now_ms.is_some()) {
            (false, true) => self.time.enter_cluster(),
            (true, false) => self.time.end_cluster(),
            (true, true) | (false, false) => {}
        }
        if self.view.labels_version != labels {
            self.group_again();
        }
        let changed = self.show_new_fork(fork);
        let view = &self.view;
        self.stage.forget_missing_nodes(view);
        self.explain
            .why_not
            .take_if(|(node, _)| view.node(node).is_none());
        if is_whole {
            self.moment_reported();
        }
        let mut effects = Vec::from_iter(changed);
        effects.extend(self.followed_position().map(Effect::FollowRun));
        if is_whole {
            effects.extend(self.draw_first());
            self.board.drop_question();
            self.drop_reduction();
            effects.extend(self.ask_again());
            effects.extend(self.play_opening());
            effects.extend(self.arrived().map(Effect::FocusNode));
            if self.builder.is_some() {
                effects.extend(self.ask_for_steps());
            }
            if self.time.is_running() {
                effects.push(Effect::Acknowledge);
            }
        }
        effects
    }

    /// The engine changed the text, perhaps on a call of `globalThis.berth`.
    fn receive_sources(&mut self, text: &str) {
        self.explain.outdate();
        self.board.outdate();
        self.case = None;
        self.scheduler.settle();
        self.editor.follow(text);
        self.stage.answers.0 += u32::from(std::mem::take(&mut self.stage.adds));
    }

    fn refused(&mut self, message: &Remark) {
        if !self.scheduler.refuse(message) {
            let text = Some(words::remark(message));
            if self.stage.has_form() {
                self.stage.refusal = text;
            } else {
                self.page.notice = text;
            }
        }
        if let Some(frame) = &self.lesson.frame {
            // A step of the solution, or another start of the lesson, may be what was refused.
            self.lesson.steps = frame.taken;
        }
        self.stage.adds = false;
        self.stage.renames = None;
        self.stage.moved = None;
        self.stage.answers.1 += 1;
    }

    /// The last visit was restored, or another scenario was opened instead.
    fn receive_restored(&mut self, same: bool, printed: Vec<Printed>) -> Vec<Effect> {
        // Moments of earlier scenarios were shown on the way.
        self.view.color_again();
        let mut effects = vec![Effect::VisitRestored];
        if let Some(frame) = &self.lesson.frame {
            self.lesson.steps = frame.taken;
        }
        if self.lesson.stored.is_some() {
            self.lesson.restore();
        }
        if !same {
            // The visit ended before the engine read its last text.
            let text = self.editor.text.to_string();
            let goes_on = false;
            effects.push(self.mutate(Mutation::Type { text, goes_on }));
        }
        effects.extend(self.link_restored(printed));
        if self.awaits_compare.is_some() {
            effects.extend(self.compare_restored());
        }
        if self.page.dialog == Some(Dialog::Share) {
            // A link that was made while the visit was restored is of another moment.
            effects.extend(self.make_link());
        }
        effects
    }
}
