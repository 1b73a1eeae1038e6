//! `COMMAND &`: a job ends before the next command begins, so only its number, `$!` and `wait` are simulated.

use super::run::Run;
use super::{Failure, Output};

/// The process of the nth job, counted from 1, is `FIRST + n * STEP`.
const FIRST: u32 = 4211;
const STEP: u32 = 7;

/// Maximum processes whose exit codes are kept for `wait`.
const MAX_KNOWN: usize = 1_000;

/// The jobs so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Jobs {
    /// Processes started so far.
    begun: u32,
    /// Jobs started by this line.
    numbered: u32,
    /// Exit codes by process.
    ended: Vec<(u32, i32)>,
}

impl Jobs {
    fn process(&self) -> u32 {
        FIRST.wrapping_add(self.begun.wrapping_mul(STEP))
    }

    /// What bash prints when a job begins: its number and its process.
    pub(super) fn begin(&mut self) -> String {
        self.begun = self.begun.wrapping_add(1);
        self.numbered = self.numbered.saturating_add(1);
        format!("[{}] {}", self.numbered, self.process())
    }

    /// Records the exit code of the last job.
    pub(super) fn end(&mut self, code: i32) {
        if self.ended.len() >= MAX_KNOWN {
            self.ended.remove(0);
        }
        self.ended.push((self.process(), code));
    }

    /// `$!`: the process of the last job.
    pub(super) fn last(&self) -> Option<String> {
        (self.begun > 0).then(|| self.process().to_string())
    }

    /// Numbers the jobs of a new line from 1.
    pub(super) fn new_line(&mut self) {
        self.numbered = 0;
    }
}

/// `wait`, `wait PROCESS…`.
pub(super) fn wait(run: &mut Run<'_>, arguments: &[String], _: &str) -> Result<Output, Failure> {
    let mut output = Output::default();
    let jobs = &mut run.shell.jobs;
    for argument in arguments.iter().filter(|it| !it.starts_with('-')) {
        let mut ended = jobs.ended.iter().rev();
        let ended = ended.find(|(process, _)| process.to_string() == *argument);
        output.code = ended.map_or(127, |(_, code)| *code);
        if ended.is_none() {
            output.warn(format!(
                "bash: wait: pid {argument} is not a child of this shell"
            ));
        }
    }
    jobs.new_line();
    Ok(output)
}
