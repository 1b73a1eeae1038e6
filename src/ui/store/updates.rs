//! Applies the engine's updates.

use super::{Dialog, Effect, Store};
use crate::words;
use berth_protocol::command::Mutation;
use berth_protocol::page::{Patch, Update};
use berth_protocol::remark::Remark;
use berth_protocol::terminal::Printed;

impl Store {
    pub(in crate::ui) fn take(&mut self, update: Update) -> Vec<Effect> {
        let mut effects = Vec::new();
        match update {
            Update::Patch(patch) => effects = self.patch(*patch),
            Update::Printed(printed) => effects = self.printed(*printed),
            Update::Completions {
                line,
                cursor,
                words,
            } => self.completions(&line, cursor, words),
            Update::Sources { text } => self.sources_changed(&text),
            Update::Drain(plan) => self.take_drain(*plan),
            Update::Answered(answer) => self.what_if_answered(*answer.0),
            Update::Reduced(reduced) => effects = self.take_reduced(*reduced.0),
            Update::Draft(answer) => effects = self.take_draft(*answer.0),
            Update::Lesson(frame) => effects = self.take_lesson(frame.map(|frame| *frame)),
            Update::Handout(made) => effects = self.take_handout(made.map(|made| *made)),
            Update::Fine(label) => {
                self.stage.answers.0 += 1;
                if label.key == self.stage.group_by && !self.stage.zones.contains(&label.value) {
                    self.stage.zones.push(label.value);
                }
            }
            Update::Explained(explained) => effects = self.explained(*explained),
            Update::Unexplained => {
                self.explain.explained = None;
                self.explain.cell = None;
            }
            Update::Fixes {
                position,
                fixes,
                done,
            } => self.explain.take_fixes(position, fixes, done),
            Update::WhyNot {
                position,
                node,
                why,
            } => self.explain.take_why_not(position, node, why),
            Update::Reason {
                position,
                early,
                rows,
            } => effects = self.reason_received(position, early, rows),
            Update::Nearest { position, fix } => effects = self.nearest_found(position, fix),
            Update::Ungated { pod, fix } => effects = self.ungated(pod, fix),
            Update::Numbers(numbers) => self.explain.take_numbers(*numbers.0),
            Update::Refused { message } => self.refused(&message),
            Update::Running { running } => self.time.set_running(running),
            Update::Happened { happened } => effects.push(self.happened_file(&happened)),
            Update::Exported { text } => effects.push(Effect::Download {
                name: crate::ui::engine::FILE_NAME.to_owned(),
                text: text.into(),
            }),
            Update::Restored { same, printed } => effects = self.restored(same, printed),
            Update::Working(work) => self.take_work(work),
            Update::Compared(update) => effects = self.take_compared(*update.0),
            // The engine's host handles it.
            Update::Noted { .. } => {}
        }
        if self.view.head.finished && self.time.progress.is_none() {
            self.time.playback.stop();
        }
        effects
    }

    /// Takes a frame, or a piece of it.
    fn patch(&mut self, patch: Patch) -> Vec<Effect> {
        let is_whole = !patch.more;
        let fork = self.view.head.fork.take().map(|fork| fork.changes);
        self.count_new_nodes(&patch.nodes.items);
        let labels = self.view.labels_version;
        let lived = self.view.head.now_ms.is_some();
        self.view.take(patch);
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
    fn sources_changed(&mut self, text: &str) {
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
    fn restored(&mut self, same: bool, printed: Vec<Printed>) -> Vec<Effect> {
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
