//! Moving through the run: steps, playback, and steps within an attempt.

use super::progress::{self, StepSize};
use super::{Effect, Progress, Store};
use crate::words;
use berth_protocol::command::{Command, Run, Subject, Travel};
use berth_protocol::frame::{Mark, MarkKind};

/// A longer pause before the next event means that the cluster is quiet. Shorter ones include a Pod that starts, ends
/// or is retried, a missed kubelet (50 s) and a CronJob of every minute. Longer ones are deadlines (a rollout's 600 s,
/// a toleration's 300 s), which playback does not skip to unasked.
const QUIET_MS: i64 = 60_000;
/// Minimum playback speed of a new cluster: it has many events between two attempts.
const MIN_CLUSTER_SPEED: f64 = 4.0;

/// An action that moves in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeAction {
    Step,
    /// Playback takes a step.
    Tick,
    StepBack,
    Reset,
    /// Runs to the end, or pauses a run.
    Run,
    Seek(usize),
    /// Starts or stops playback.
    Play,
    Speed(f64),
    StepSize(StepSize),
}

/// The state of playback: steps that the page takes on a timer, until it is stopped, the log ends, or the cluster is
/// quiet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Playback {
    #[default]
    Stopped,
    Playing,
    /// A change has had no effect yet: plays from the next moment that the engine reports.
    AwaitingMoment,
    /// A cluster is being created: plays from its first moment.
    AwaitingFirstMoment,
    /// A terminal command is running. No step comes between it and its answer.
    Suspended {
        /// Playback resumes afterwards.
        resume: bool,
        /// The command creates the cluster.
        creates: bool,
    },
}

impl Playback {
    /// Whether steps are taken now.
    pub fn is_playing(self) -> bool {
        match self {
            Self::Playing => true,
            Self::Stopped
            | Self::AwaitingMoment
            | Self::AwaitingFirstMoment
            | Self::Suspended { .. } => false,
        }
    }

    /// Stops the steps; an awaited moment is still awaited.
    pub(super) fn stop(&mut self) {
        if self.is_playing() {
            *self = Self::Stopped;
        }
    }

    /// The cluster whose next moment was awaited no longer exists.
    pub(super) fn forget_moment(&mut self) {
        *self = match *self {
            Self::AwaitingMoment | Self::AwaitingFirstMoment | Self::Stopped => Self::Stopped,
            Self::Playing => Self::Playing,
            Self::Suspended { resume, .. } => Self::Suspended {
                resume,
                creates: false,
            },
        };
    }

    fn toggle(&mut self, finished: bool) {
        *self = match *self {
            Self::Playing => Self::Stopped,
            // There is nothing to play yet.
            Self::AwaitingMoment | Self::AwaitingFirstMoment if finished => Self::AwaitingMoment,
            Self::Suspended { .. } | Self::Stopped if finished => *self,
            Self::Stopped
            | Self::AwaitingMoment
            | Self::AwaitingFirstMoment
            | Self::Suspended { .. } => Self::Playing,
        };
    }

    fn create_cluster(&mut self) {
        *self = match *self {
            Self::Suspended { resume, .. } => Self::Suspended {
                resume,
                creates: true,
            },
            Self::Stopped | Self::Playing | Self::AwaitingMoment | Self::AwaitingFirstMoment => {
                Self::AwaitingFirstMoment
            }
        };
    }

    /// Whether the cluster's first moment has not been reported yet.
    fn awaits_first_moment(self) -> bool {
        match self {
            Self::AwaitingFirstMoment | Self::Suspended { creates: true, .. } => true,
            Self::Stopped
            | Self::Playing
            | Self::AwaitingMoment
            | Self::Suspended { creates: false, .. } => false,
        }
    }

    /// A terminal command begins.
    fn suspend(&mut self, creates: bool) {
        let resume = match *self {
            Self::Playing => true,
            // The previous line was incomplete.
            Self::Suspended { resume, .. } => resume,
            Self::Stopped | Self::AwaitingMoment | Self::AwaitingFirstMoment => false,
        };
        *self = Self::Suspended { resume, creates };
    }

    /// The command ended; `changed`: it changed the cluster; `has_clock`: a moment of the cluster was reported;
    /// `finished`: nothing follows the last reported moment.
    pub(super) fn line_ended(&mut self, changed: bool, has_clock: bool, finished: bool) {
        *self = match *self {
            Self::Suspended { creates, resume } => {
                if !has_clock {
                    Self::AwaitingFirstMoment
                } else if (changed || resume) && !finished {
                    Self::Playing
                } else if changed || creates {
                    Self::AwaitingMoment
                } else {
                    Self::Stopped
                }
            }
            Self::Stopped | Self::AwaitingMoment | Self::AwaitingFirstMoment if changed => {
                if finished {
                    Self::AwaitingMoment
                } else {
                    Self::Playing
                }
            }
            Self::Stopped | Self::Playing | Self::AwaitingMoment | Self::AwaitingFirstMoment => {
                *self
            }
        };
    }

    /// A moment was reported. `can_play`: an event follows it; `is_quiet`: that event is more than [`QUIET_MS`] away,
    /// so playback waits until it is asked to go there.
    fn moment_reported(&mut self, can_play: bool, is_quiet: bool) {
        *self = match *self {
            Self::AwaitingMoment | Self::AwaitingFirstMoment if can_play => Self::Playing,
            Self::AwaitingMoment | Self::AwaitingFirstMoment => Self::Stopped,
            Self::Stopped | Self::Playing | Self::Suspended { .. } => *self,
        };
        if is_quiet && *self == Self::Playing {
            *self = Self::Stopped;
        }
    }
}

/// Whether the engine runs in slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    #[default]
    Idle,
    Running,
    /// It stopped; the patch with its final position has not arrived yet.
    Stopping,
}

/// The state of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    /// The attempt being stepped through, and the step.
    pub progress: Option<Progress>,
    pub step: StepSize,
    pub playback: Playback,
    /// Steps per second of playback.
    pub speed: f64,
    /// The speed of scheduling alone, while a cluster has a higher one of its own.
    speed_alone: Option<f64>,
    /// The visitor chose the speed, now or in the visit that was restored.
    pub(super) speed_is_chosen: bool,
    pub run: RunState,
    /// The last move was a run to the end, or a change that runs by itself: the stage shows what came of it.
    pub ran: bool,
}

impl Default for Time {
    fn default() -> Self {
        Self {
            progress: None,
            step: StepSize::default(),
            playback: Playback::default(),
            speed: 1.0,
            speed_alone: None,
            speed_is_chosen: false,
            run: RunState::default(),
            ran: false,
        }
    }
}

impl Time {
    /// Whether playback is taking steps.
    pub fn is_playing(&self) -> bool {
        self.playback.is_playing()
    }

    /// Whether the engine runs in slices.
    pub fn is_running(&self) -> bool {
        self.run == RunState::Running
    }

    pub(super) fn set_running(&mut self, running: bool) {
        self.run = match (running, self.run) {
            (true, _) => RunState::Running,
            (false, RunState::Running | RunState::Stopping) => RunState::Stopping,
            (false, RunState::Idle) => RunState::Idle,
        };
    }

    pub(super) fn create_cluster(&mut self) {
        self.raise_speed();
        self.playback.create_cluster();
    }

    /// A cluster was simulated, perhaps from a link.
    pub(super) fn enter_cluster(&mut self) {
        if !self.speed_is_chosen {
            self.raise_speed();
        }
    }

    fn raise_speed(&mut self) {
        if self.speed < MIN_CLUSTER_SPEED {
            self.speed_alone = Some(self.speed);
            self.speed = MIN_CLUSTER_SPEED;
        }
    }

    /// Scheduling alone again, at its own speed.
    pub(super) fn end_cluster(&mut self) {
        self.speed = self.speed_alone.take().unwrap_or(self.speed);
        self.playback.forget_moment();
    }

    /// Milliseconds between two steps while playing.
    pub(super) fn tick_ms(&self) -> Option<u32> {
        self.is_playing().then(|| pause_ms(self.speed))
    }
}

/// Milliseconds between two steps of playback at a speed, in steps per second.
pub(super) fn pause_ms(speed: f64) -> u32 {
    (1000.0 / speed.clamp(0.1, 60.0)) as u32
}

impl Store {
    pub(super) fn through_time(&mut self, action: TimeAction) -> Vec<Effect> {
        match action {
            TimeAction::Run => self.time.ran = true,
            TimeAction::Step
            | TimeAction::Tick
            | TimeAction::StepBack
            | TimeAction::Reset
            | TimeAction::Seek(_) => self.time.ran = false,
            TimeAction::Play | TimeAction::Speed(_) | TimeAction::StepSize(_) => {}
        }
        match action {
            TimeAction::Step | TimeAction::Tick => return self.step(true),
            TimeAction::StepBack => return self.step(false),
            TimeAction::Reset => return self.reset(),
            TimeAction::Seek(position) => return self.travel(Travel::Seek { position }),
            TimeAction::Run => return self.run(),
            TimeAction::Play => self.time.playback.toggle(self.view.head.finished),
            TimeAction::Speed(speed) => {
                self.time.speed = speed;
                self.time.speed_alone = None;
                self.time.speed_is_chosen = true;
            }
            TimeAction::StepSize(size) => self.time.step = size,
        }
        Vec::new()
    }

    /// Stops playback and leaves the attempt being stepped through.
    pub(super) fn leave(&mut self) {
        self.time.progress = None;
        self.time.playback.stop();
    }

    /// Moves in time; Explain then follows the run instead of the chosen Pod.
    pub(super) fn follow_run(&mut self, then: Effect) -> Vec<Effect> {
        self.time.progress = None;
        // After a move the engine reports the explanation anyway, unless Explain shows something else.
        let query = &self.explain.query;
        let follows = query.subject == Subject::Latest && query.from == 0;
        let query = (!follows).then(|| self.ask_about(Subject::Latest));
        query.into_iter().chain([then]).collect()
    }

    fn travel(&mut self, travel: Travel) -> Vec<Effect> {
        self.follow_run(Effect::Send(Command::Travel(travel)))
    }

    /// To the moment at which the simulation began; from there, or without a cluster, to the start of the log.
    fn reset(&mut self) -> Vec<Effect> {
        self.page.notice = None;
        let position = self.view.head.position;
        match self.simulated_since() {
            Some(start) if start < position => self.travel(Travel::Seek { position: start }),
            start => {
                if start.is_some() {
                    self.page.notice = Some(words::BEFORE_THE_CLUSTER.to_owned());
                }
                self.travel(Travel::Reset)
            }
        }
    }

    /// The position at which the simulation began, if it did after attempts without a clock.
    fn simulated_since(&self) -> Option<usize> {
        self.view.head.now_ms?;
        let position = self.view.head.position;
        let done = self.view.timeline.get(..position)?;
        let is_timed = |mark: &Mark| mark.kind == MarkKind::Edited || mark.at_ms.is_some();
        let before = done.iter().rposition(|mark| !is_timed(mark))? + 1;
        let edits = done.iter().skip(before);
        Some(
            before
                + edits
                    .take_while(|mark| mark.kind == MarkKind::Edited)
                    .count(),
        )
    }

    fn run(&mut self) -> Vec<Effect> {
        self.time.playback.stop();
        if self.time.is_running() {
            return vec![Effect::Send(Command::Run(Run::Pause))];
        }
        self.follow_run(Effect::Send(Command::Run(Run::ToEnd)))
    }

    fn step(&mut self, forwards: bool) -> Vec<Effect> {
        // A step is about an attempt.
        self.explain.shows_fork = false;
        if let (Some(progress), Some(cycle)) = (self.time.progress, self.cycle()) {
            let stops = progress::stops(cycle);
            if let Some(stop) = progress::next(&stops, progress.stop, self.time.step, forwards) {
                self.time.progress = Some(Progress { stop, ..progress });
                return Vec::new();
            }
            return if forwards {
                self.travel(Travel::Step)
            } else {
                self.time.progress = None;
                vec![self.ask_about(Subject::Latest)]
            };
        }
        let is_edit = |position: usize| {
            let mark = self.view.timeline.get(position);
            mark.is_some_and(|mark| mark.pod.is_empty())
        };
        let position = self.view.head.position;
        match (self.time.step, forwards) {
            (StepSize::Pod, true) => self.travel(Travel::Step),
            (StepSize::Point | StepSize::Plugin, true) if is_edit(position) => {
                self.travel(Travel::Step)
            }
            (StepSize::Point | StepSize::Plugin, true) => {
                if self.view.head.finished {
                    return Vec::new();
                }
                self.time.progress = Some(Progress {
                    attempt: position,
                    stop: 0,
                });
                vec![self.ask_about(Subject::Attempt(position))]
            }
            (StepSize::Pod, false) => self.travel(Travel::StepBack),
            (StepSize::Point | StepSize::Plugin, false) => {
                let Some(before) = position.checked_sub(1) else {
                    return Vec::new();
                };
                if is_edit(before) {
                    return self.travel(Travel::StepBack);
                }
                self.time.progress = Some(Progress {
                    attempt: before,
                    stop: usize::MAX,
                });
                vec![
                    self.ask_about(Subject::Attempt(before)),
                    Effect::Send(Command::Travel(Travel::StepBack)),
                ]
            }
        }
    }

    /// Suspends playback before a terminal command; only the command itself may advance the clock. Returns whether it
    /// is the first command that needs a cluster.
    pub(super) fn suspend_playback(&mut self) -> bool {
        let creates = self.view.head.now_ms.is_none();
        let is_first = creates && !self.time.playback.awaits_first_moment();
        self.time.playback.suspend(creates);
        if creates {
            self.time.create_cluster();
        }
        is_first
    }

    /// A complete moment was reported: playback may begin or end.
    #[inline(never)]
    pub(super) fn moment_reported(&mut self) {
        let head = &self.view.head;
        let can_play = head.now_ms.is_some() && !head.finished;
        let is_quiet = self.quiet_until().is_some();
        if !self.terminal.is_busy() || self.time.is_playing() {
            self.time.playback.moment_reported(can_play, is_quiet);
        }
    }

    /// The time of the next event if the cluster is quiet until then.
    pub(super) fn quiet_until(&self) -> Option<i64> {
        let (now, next) = (self.view.head.now_ms?, self.view.head.next_ms?);
        (next - now > QUIET_MS).then_some(next)
    }

    /// The same while time does not advance, for a note.
    pub fn rests_until(&self) -> Option<i64> {
        let stands = !self.time.is_playing() && !self.time.is_running();
        self.quiet_until().filter(|_| stands)
    }

    /// After a patch: the position for the mirror, if the run advanced without a command.
    pub(super) fn followed_position(&mut self) -> Option<usize> {
        match self.time.run {
            RunState::Idle => return None,
            RunState::Running => {}
            RunState::Stopping => self.time.run = RunState::Idle,
        }
        Some(self.view.head.position)
    }
}

#[cfg(test)]
mod tests;
