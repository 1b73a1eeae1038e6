//! The façade: sources in, a run that goes forwards and backwards, frames and cycles out.

mod edit;
pub mod export;
mod frame;
pub mod gesture;
mod history;

use crate::api::manifests::{Manifests, read, read_configured};
use crate::api::prepare::PrepareOptions;
use crate::api::problem::Severity;
use crate::plugins::registry::registry;
use crate::protocol::cycle::Cycle;
use crate::protocol::frame::{Frame, Mark, MarkKind, ProblemFrame};
use crate::scheduler::TieBreak;
use crate::sim::run::{Attempt, Ending, Run, RunOptions};
use history::History;

pub use crate::api::problem::Printable;
pub use crate::api::source::SourceFile;

/// How a session reads and runs.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Ties go to the alphabetically first node, not to one at random.
    pub first_on_ties: bool,
    /// Decides ties otherwise.
    pub seed: u64,
    /// Workloads get the Pods that their controllers would create.
    pub expand_workloads: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            first_on_ties: false,
            seed: 1,
            expand_workloads: true,
        }
    }
}

/// Sources, the run made of them, and a position in its log.
pub struct Session {
    options: Options,
    /// What the run was made of: the last sources that were any good.
    manifests: Manifests,
    /// Of the last sources, good or not.
    problems: Vec<ProblemFrame>,
    history: History,
}

impl Session {
    /// An empty session.
    pub fn new(options: Options) -> Self {
        let manifests = Manifests::default();
        let run = start(&manifests, options).unwrap_or_else(|_| Run::idle());
        Self {
            options,
            manifests,
            problems: Vec::new(),
            history: History::new(run),
        }
    }

    /// Takes new sources, at the beginning of their run. Documents that cannot be read are left out
    /// and reported; if none can, or the configuration is one that kube-scheduler would not start
    /// with, everything stays as it was.
    ///
    /// Returns whether the sources were taken. The problems are in [`Session::problems`].
    pub fn apply(&mut self, files: &[SourceFile]) -> bool {
        self.take(read(files, &self.prepare_options()), files.first())
    }

    /// Like [`Session::apply`], with a KubeSchedulerConfiguration that replaces those of the files.
    pub fn apply_configured(&mut self, files: &[SourceFile], configuration: &SourceFile) -> bool {
        let manifests = read_configured(files, configuration, &self.prepare_options());
        self.take(manifests, Some(configuration))
    }

    fn prepare_options(&self) -> PrepareOptions {
        PrepareOptions {
            expand_workloads: self.options.expand_workloads,
        }
    }

    /// `configured_by`: the file to name where the configuration is one to refuse.
    fn take(&mut self, manifests: Manifests, configured_by: Option<&SourceFile>) -> bool {
        self.problems = manifests.problems.iter().map(problem_frame).collect();
        let documents = &manifests.loaded.documents;
        let anything_good = documents.iter().any(|document| document.object.is_some());
        if manifests.has_errors() && !anything_good {
            return false;
        }
        match start(&manifests, self.options) {
            Ok(run) => {
                self.history = History::new(run);
                self.manifests = manifests;
                true
            }
            Err(errors) => {
                let file = configured_by.map_or("", |file| file.name.as_str());
                self.problems.extend(
                    errors
                        .iter()
                        .map(|error| configuration_problem(file, error)),
                );
                false
            }
        }
    }

    /// What is wrong with the last sources.
    pub fn problems(&self) -> &[ProblemFrame] {
        &self.problems
    }

    /// Whether the last sources have an error (not only warnings).
    pub fn has_errors(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == "error")
    }

    /// The run at the current position.
    pub fn run(&self) -> &Run {
        self.history.now()
    }

    /// What the run was made of.
    pub fn manifests(&self) -> &Manifests {
        &self.manifests
    }

    /// The options the session was made with.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Attempts made before this moment.
    pub fn position(&self) -> usize {
        self.history.position()
    }

    /// The attempt before this moment, as a view marks it.
    pub fn last_mark(&self) -> Option<Mark> {
        let attempt = self.log().get(self.position().checked_sub(1)?)?;
        Some(frame::mark(self.run().cluster(), attempt))
    }

    /// The log: every attempt that was made so far, also those after this moment.
    pub fn log(&self) -> &[Attempt] {
        self.history.log()
    }

    /// One attempt forwards. `false` at the end of the run.
    pub fn step(&mut self) -> bool {
        self.history.step()
    }

    /// One attempt forwards, told whole; `None` at the end of the run.
    ///
    /// # Errors
    /// If the record disagrees with what was decided (a defect of Berth).
    pub fn step_explained(&mut self) -> Result<Option<Cycle>, String> {
        let position = self.position();
        if self.run().next_pod().is_none() {
            return Ok(None);
        }
        let cycle = self.explain(position)?;
        self.step();
        // The record was made before the decision: now they can be compared.
        match self.log().get(position) {
            Some(attempt) if attempt.agrees_with(&cycle) => Ok(Some(cycle)),
            _ => Err(disagreement(position, &cycle.pod)),
        }
    }

    /// One attempt backwards. `false` at the beginning.
    pub fn step_back(&mut self) -> bool {
        let position = self.position();
        position > 0 && self.seek(position - 1)
    }

    /// Up to `limit` attempts forwards; returns how many there were. Fewer than `limit` means that
    /// the run is at its end.
    pub fn advance(&mut self, limit: usize) -> usize {
        (0..limit).take_while(|_| self.history.step()).count()
    }

    /// To the end of the run.
    pub fn run_to_end(&mut self) {
        while self.history.step() {}
    }

    /// To the beginning.
    pub fn reset(&mut self) {
        self.history.seek(0);
    }

    /// To any position of the log. `false` if the log is shorter: then it goes to its end.
    pub fn seek(&mut self, position: usize) -> bool {
        self.history.seek(position)
    }

    /// Everything that a view shows of this moment.
    pub fn frame(&self) -> Frame {
        frame::build(self)
    }

    /// A stable hash of the state at this moment, in hexadecimal.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.run().cluster().digest())
    }

    /// The attempt at a position of the log, told whole. The position after the last tells the next
    /// attempt, before it is made.
    ///
    /// # Errors
    /// If there is no such attempt, or the record disagrees with the log (a defect of Berth).
    pub fn explain(&self, position: usize) -> Result<Cycle, String> {
        self.explain_at(position, None)
    }

    /// The same, with the facts of the plugins that this node passes.
    ///
    /// # Errors
    /// As [`Session::explain`].
    pub fn explain_node(&self, position: usize, node: &str) -> Result<Cycle, String> {
        self.explain_at(position, Some(node))
    }

    fn explain_at(&self, position: usize, detailed: Option<&str>) -> Result<Cycle, String> {
        let run = self.history.at(position);
        let cycle = run.as_ref().and_then(|run| run.explain_next_at(detailed));
        let cycle = cycle.ok_or_else(|| format!("there is no attempt number {position}"))?;
        match self.log().get(position) {
            Some(attempt) if !attempt.agrees_with(&cycle) => {
                Err(disagreement(position, &attempt.key))
            }
            _ => Ok(cycle),
        }
    }

    /// The position of a Pod's last attempt before this moment, or else of its first after it.
    pub fn attempt_of(&self, pod: &str) -> Option<usize> {
        let (past, future) = self.log().split_at(self.position().min(self.log().len()));
        let in_past = past.iter().rposition(|attempt| attempt.key == pod);
        let in_future = future.iter().position(|attempt| attempt.key == pod);
        in_past.or_else(|| in_future.map(|position| position + past.len()))
    }
}

fn disagreement(position: usize, pod: &str) -> String {
    format!(
        "the record of attempt {position} ({pod}) disagrees with the log: please report this scenario"
    )
}

fn start(manifests: &Manifests, options: Options) -> Result<Run, Vec<String>> {
    let tie_break = if options.first_on_ties {
        TieBreak::First
    } else {
        TieBreak::Random
    };
    let options = RunOptions {
        tie_break,
        seed: options.seed,
    };
    Run::new(&manifests.prepared, &registry(), options)
}

/// How an attempt ended, for the timeline.
pub fn mark_kind(attempt: &Attempt) -> MarkKind {
    match &attempt.ending {
        Ending::Bound { .. } => MarkKind::Bound,
        Ending::Unschedulable(unschedulable) if unschedulable.preemption.is_some() => {
            MarkKind::Preempted
        }
        Ending::Unschedulable(_) => MarkKind::Failed,
        Ending::Error { .. } => MarkKind::Error,
    }
}

fn problem_frame(problem: &crate::api::problem::Problem) -> ProblemFrame {
    ProblemFrame {
        severity: match problem.severity {
            Severity::Error => "error".to_owned(),
            Severity::Warning => "warning".to_owned(),
        },
        file: problem.file.clone(),
        line: problem.line,
        column: problem.column,
        path: problem.path.clone(),
        message: problem.message.clone(),
        help: problem.help.clone(),
    }
}

fn configuration_problem(file: &str, error: &str) -> ProblemFrame {
    ProblemFrame {
        severity: "error".to_owned(),
        file: file.to_owned(),
        line: 1,
        column: 1,
        path: String::new(),
        message: error.to_owned(),
        help: "kube-scheduler would not start with this KubeSchedulerConfiguration".to_owned(),
    }
}

#[cfg(test)]
mod tests;
