//! The terminal: lines and scripts as bash reads them, for kubectl and the small tools around it.
//!
//! All files are the cluster's, all time is virtual, and every loop is bounded. Not simulated: functions,
//! `case`, arrays. Jobs in the background are done before the next command begins.

mod arithmetic;
mod complete;
mod condition;
mod expand;
mod files;
mod jobs;
mod lex;
mod parse;
mod programs;
mod run;
mod syntax;

use std::collections::{BTreeMap, BTreeSet};

use crate::kubectl::call::Settings;
use crate::kubectl::{Cluster, OpenRequest, Output};
use syntax::Fault;

/// The exit code of what Ctrl+C ended: 128 and the number of SIGINT.
pub const INTERRUPTED: i32 = 130;

/// What a terminal keeps between lines.
#[derive(Clone, Debug)]
pub struct Shell {
    /// What kubectl keeps.
    pub settings: Settings,
    aliases: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
    /// The folder one is in.
    folder: String,
    /// Folders that were made, by path.
    folders: BTreeSet<String>,
    /// The exit code of the last command.
    status: i32,
    /// `set -e`.
    stops_on_failure: Option<bool>,
    /// The code of `exit`.
    exited: Option<i32>,
    /// What command substitutions said on standard error.
    noise: String,
    /// What was sent to the background.
    jobs: jobs::Jobs,
    /// Steps of the line that come after a waiting that was left.
    later: Vec<syntax::Step>,
}

impl Default for Shell {
    fn default() -> Self {
        Shell {
            settings: Settings::default(),
            aliases: BTreeMap::new(),
            variables: BTreeMap::new(),
            folder: files::HOME.to_owned(),
            folders: BTreeSet::new(),
            status: 0,
            stops_on_failure: None,
            exited: None,
            noise: String::new(),
            jobs: jobs::Jobs::default(),
            later: Vec::new(),
        }
    }
}

impl Shell {
    /// Runs a line, or a script of many.
    pub fn run(&mut self, line: &str, cluster: &mut dyn Cluster) -> Output {
        self.exited = None;
        self.jobs.forget();
        let mut output = run::Run::new(self, cluster).line(line, "");
        for file in cluster.files() {
            // Nothing reads from `<(…)` any more.
            if file.starts_with(expand::DESCRIPTORS) {
                cluster.remove_file(&file);
            }
        }
        self.noise.clear();
        if let Some(code) = self.exited {
            output.code = code;
        }
        output
    }

    /// A waiting that a line had left ended with this exit code: runs what the line goes on with.
    pub fn go_on(&mut self, code: i32, cluster: &mut dyn Cluster) -> Output {
        let mut output = run::Run::new(self, cluster).later(code);
        self.noise.clear();
        if let Some(code) = self.exited {
            output.code = code;
        }
        output
    }

    /// Ctrl+C: what the line goes on with is not run, and it ended with bash's code for that.
    pub fn interrupt(&mut self) {
        self.later.clear();
        self.status = INTERRUPTED;
    }

    /// Takes a text back that a command asked to edit.
    pub fn edited(request: &OpenRequest, text: &str, cluster: &mut dyn Cluster) -> Output {
        crate::kubectl::cmd::edited(request, text, cluster)
    }

    /// Whether a text goes on in the next line: an open quote, bracket, loop or here-document.
    pub fn needs_more(text: &str) -> bool {
        match parse::parse(text) {
            Ok(parsed) => parsed.open_here.is_some() || ends_with_backslash(text),
            Err(Fault::Incomplete(_)) => true,
            Err(Fault::Wrong(_)) => false,
        }
    }

    /// The code of the last line's `exit`, if it had one.
    pub fn exited(&self) -> Option<i32> {
        self.exited
    }

    /// Whether `set -e` (`true`) or `set +e` was said.
    pub fn stops_on_failure(&self) -> Option<bool> {
        self.stops_on_failure
    }
}

/// Whether the last line is continued.
fn ends_with_backslash(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let last = text.rsplit('\n').next().unwrap_or_default();
    let slashes = last.len() - last.trim_end_matches('\\').len();
    slashes % 2 == 1 && !last.trim_start().starts_with('#')
}

#[cfg(test)]
mod tests;
