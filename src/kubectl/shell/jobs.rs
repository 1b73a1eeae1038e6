//! `COMMAND &`: nothing goes on beside the terminal, so a job is done before the next command begins. What bash
//! tells of it, and `wait`, are the same.

use super::run::Run;
use crate::kubectl::Output;

/// The number of the first process, and how far apart they are.
const FIRST: u32 = 4211;
const STEP: u32 = 7;

/// Processes that `wait` still knows the end of.
const MAX_KNOWN: usize = 1_000;

/// The jobs so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs {
    /// Processes that there were.
    begun: u32,
    /// Jobs of this line.
    numbered: u32,
    /// How processes ended.
    ended: Vec<(u32, i32)>,
}

impl Jobs {
    fn process(&self) -> u32 {
        FIRST.wrapping_add(self.begun.wrapping_mul(STEP))
    }

    /// What bash tells of a job that begins: its number and its process.
    pub(crate) fn begin(&mut self) -> String {
        self.begun = self.begun.wrapping_add(1);
        self.numbered = self.numbered.saturating_add(1);
        format!("[{}] {}", self.numbered, self.process())
    }

    /// The job ended with this exit code.
    pub(crate) fn end(&mut self, code: i32) {
        if self.ended.len() >= MAX_KNOWN {
            self.ended.remove(0);
        }
        self.ended.push((self.process(), code));
    }

    /// `$!`: the process of the last job.
    pub(crate) fn last(&self) -> Option<String> {
        (self.begun > 0).then(|| self.process().to_string())
    }

    /// A new line numbers its jobs anew.
    pub(crate) fn forget(&mut self) {
        self.numbered = 0;
    }
}

/// `wait`, `wait PROCESS`, `wait %JOB`.
pub(crate) fn wait(run: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut output = Output::default();
    for argument in arguments.iter().filter(|it| !it.starts_with('-')) {
        let jobs = &run.shell.jobs;
        output.code = if argument.starts_with('%') {
            output.warn(format!("bash: wait: {argument}: no such job"));
            127
        } else if let Ok(process) = argument.parse::<u32>() {
            let ended = jobs.ended.iter().rev().find(|it| it.0 == process);
            if ended.is_none() {
                output.warn(format!(
                    "bash: wait: pid {process} is not a child of this shell"
                ));
            }
            ended.map_or(127, |it| it.1)
        } else {
            output.warn(format!(
                "bash: wait: `{argument}': not a pid or valid job spec"
            ));
            1
        };
    }
    run.shell.jobs.forget();
    output
}

/// `kill`: whatever was begun has ended.
pub(crate) fn kill(_: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let mut output = Output::default();
    for argument in arguments.iter().filter(|it| !it.starts_with('-')) {
        output.complain(if argument.starts_with('%') {
            format!("bash: kill: {argument}: no such job")
        } else if argument.parse::<u32>().is_ok() {
            format!("bash: kill: ({argument}) - No such process")
        } else {
            format!("bash: kill: {argument}: arguments must be process or job IDs")
        });
    }
    if arguments.is_empty() {
        output = Output::failure(
            "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
            2,
        );
    }
    output
}

/// `fg` and `bg`: there is nothing to bring back.
pub(crate) fn bring(_: &mut Run<'_>, arguments: &[String], _: &str) -> Output {
    let job = arguments.first().map_or("current", String::as_str);
    Output::failure(&format!("bash: fg: {job}: no such job"), 1)
}
