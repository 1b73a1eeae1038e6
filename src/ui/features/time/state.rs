//! Moving through the run: steps, playback, and steps within an attempt.

use crate::ui::store::progress::StepSize;
use crate::ui::store::{Effect, Progress, Store, progress};
use crate::words;
use berth_protocol::command::{Command, Run, Subject, Travel};
use berth_protocol::due::Due;
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
    /// Someone pressed Play.
    Playing,
    /// A new cluster plays until it is at rest.
    Settling,
    /// A cluster is being created: settles from its first moment.
    AwaitingFirstMoment,
    /// A terminal command is running. No step comes between it and its answer.
    Suspended {
        /// What continues afterwards.
        then: Resume,
        /// The command creates the cluster.
        creates: bool,
    },
}

/// What continues after a terminal command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resume {
    #[default]
    Nothing,
    Playing,
    Settling,
}

impl Playback {
    /// Whether steps are taken now.
    pub fn is_playing(self) -> bool {
        match self {
            Self::Playing | Self::Settling => true,
            Self::Stopped | Self::AwaitingFirstMoment | Self::Suspended { .. } => false,
        }
    }

    /// Stops the steps; an awaited moment is still awaited.
    pub(in crate::ui) fn stop(&mut self) {
        if self.is_playing() {
            *self = Self::Stopped;
        }
    }

    /// The cluster whose first moment was awaited no longer exists.
    pub(in crate::ui) fn forget_moment(&mut self) {
        *self = match *self {
            Self::AwaitingFirstMoment | Self::Settling | Self::Stopped => Self::Stopped,
            Self::Playing => Self::Playing,
            Self::Suspended { then, .. } => Self::Suspended {
                then: match then {
                    Resume::Playing => Resume::Playing,
                    Resume::Nothing | Resume::Settling => Resume::Nothing,
                },
                creates: false,
            },
        };
    }

    fn toggle(&mut self, finished: bool) {
        *self = match *self {
            Self::Playing | Self::Settling => Self::Stopped,
            // There is nothing to play yet.
            Self::AwaitingFirstMoment | Self::Suspended { .. } | Self::Stopped if finished => *self,
            Self::Stopped | Self::AwaitingFirstMoment | Self::Suspended { .. } => Self::Playing,
        };
    }

    fn create_cluster(&mut self) {
        *self = match *self {
            Self::Suspended { .. } => Self::Suspended {
                then: Resume::Settling,
                creates: true,
            },
            Self::Stopped | Self::Playing | Self::Settling | Self::AwaitingFirstMoment => {
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
            | Self::Settling
            | Self::Suspended { creates: false, .. } => false,
        }
    }

    /// A terminal command begins.
    fn suspend(&mut self, creates: bool) {
        let then = match *self {
            Self::Playing => Resume::Playing,
            Self::Settling | Self::AwaitingFirstMoment => Resume::Settling,
            // The previous line was incomplete.
            Self::Suspended { then, .. } => then,
            Self::Stopped => Resume::Nothing,
        };
        *self = Self::Suspended { then, creates };
    }

    /// The command ended, and the engine has let the cluster come to rest. `has_clock`: a moment of the cluster was
    /// reported; `finished`: nothing follows the last reported moment.
    pub(in crate::ui) fn line_ended(&mut self, has_clock: bool, finished: bool) {
        if let Self::Suspended { then, .. } = *self {
            *self = match then {
                _ if !has_clock => Self::AwaitingFirstMoment,
                Resume::Playing if !finished => Self::Playing,
                Resume::Settling => Self::AwaitingFirstMoment,
                Resume::Playing | Resume::Nothing => Self::Stopped,
            };
        }
    }

    /// A moment was reported. `can_play`: an event follows it; `is_at_rest`: a new cluster waits there; `is_quiet`: that
    /// event is more than [`QUIET_MS`] away, so playback waits until it is asked to go there.
    fn moment_reported(&mut self, can_play: bool, is_at_rest: bool, is_quiet: bool) {
        *self = match *self {
            Self::AwaitingFirstMoment if can_play => Self::Settling,
            Self::AwaitingFirstMoment => Self::Stopped,
            Self::Stopped | Self::Playing | Self::Settling | Self::Suspended { .. } => *self,
        };
        let stops = match *self {
            Self::Playing => is_quiet,
            Self::Settling => is_at_rest,
            Self::Stopped | Self::AwaitingFirstMoment | Self::Suspended { .. } => false,
        };
        if stops {
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
    pub(in crate::ui) speed_is_chosen: bool,
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

    pub(in crate::ui) fn set_running(&mut self, running: bool) {
        self.run = match (running, self.run) {
            (true, _) => RunState::Running,
            (false, RunState::Running | RunState::Stopping) => RunState::Stopping,
            (false, RunState::Idle) => RunState::Idle,
        };
    }

    pub(in crate::ui) fn create_cluster(&mut self) {
        self.raise_speed();
        self.playback.create_cluster();
    }

    /// A cluster was simulated, perhaps from a link.
    pub(in crate::ui) fn enter_cluster(&mut self) {
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
    pub(in crate::ui) fn end_cluster(&mut self) {
        self.speed = self.speed_alone.take().unwrap_or(self.speed);
        self.playback.forget_moment();
    }

    /// Milliseconds between two steps while playing.
    pub(in crate::ui) fn tick_ms(&self) -> Option<u32> {
        self.is_playing().then(|| pause_ms(self.speed))
    }
}

/// Milliseconds between two steps of playback at a speed, in steps per second.
pub fn pause_ms(speed: f64) -> u32 {
    (1000.0 / speed.clamp(0.1, 60.0)) as u32
}

impl Store {
    pub(in crate::ui) fn through_time(&mut self, action: TimeAction) -> Vec<Effect> {
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
    pub(in crate::ui) fn leave(&mut self) {
        self.time.progress = None;
        self.time.playback.stop();
    }

    /// Moves in time; Explain then follows the run instead of the chosen Pod.
    pub(in crate::ui) fn follow_run(&mut self, then: Effect) -> Vec<Effect> {
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
    pub(in crate::ui) fn suspend_playback(&mut self) -> bool {
        let creates = self.view.head.now_ms.is_none();
        let is_first = creates && !self.time.playback.awaits_first_moment();
        self.time.playback.suspend(creates);
        if creates {
            self.time.raise_speed();
        }
        is_first
    }

    /// A complete moment was reported: playback may begin or end.
    #[inline(never)]
    pub(in crate::ui) fn moment_reported(&mut self) {
        let head = &self.view.head;
        let can_play = head.now_ms.is_some() && !head.finished;
        let is_quiet = self.quiet_until().is_some();
        let is_at_rest = self.rest().is_some();
        if !self.terminal.is_busy() || self.time.is_playing() {
            let playback = &mut self.time.playback;
            playback.moment_reported(can_play, is_at_rest, is_quiet);
        }
    }

    /// What happens next if the cluster is quiet until then.
    pub(in crate::ui) fn quiet_until(&self) -> Option<&Due> {
        let (now, due) = (self.view.head.now_ms?, self.view.head.due.as_ref()?);
        Some(due).filter(|due| due.at_ms - now > QUIET_MS)
    }

    /// What happens next if the cluster is at rest until then.
    fn rest(&self) -> Option<&Due> {
        let (now, due) = (self.view.head.now_ms?, self.view.head.due.as_ref()?);
        Some(due).filter(|due| due.ends_rest(now))
    }

    /// The same while time does not advance, for a note.
    pub fn rests_until(&self) -> Option<&Due> {
        let stands = !self.time.is_playing() && !self.time.is_running() && !self.terminal.is_busy();
        self.rest().filter(|_| stands)
    }

    /// The line of the terminal that goes to a time.
    pub fn line_to(&self, at_ms: i64) -> String {
        let ahead = at_ms - self.view.head.now_ms.unwrap_or(at_ms);
        let seconds = format!("{}.{:03}", ahead.max(0) / 1000, ahead.max(0) % 1000);
        let seconds = seconds.trim_end_matches('0').trim_end_matches('.');
        format!("sleep {seconds}")
    }

    /// After a patch: the position for the mirror, if the run advanced without a command.
    pub(in crate::ui) fn followed_position(&mut self) -> Option<usize> {
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
