//! A terminal on a simulated cluster: runs lines and returns their output; also runs scripts with expected output.

mod script;

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_base::time::Time;
use berth_core::api::manifests::Manifests;
use berth_core::api::source::SourceFile;
use berth_kubectl::rest::LineStart;
use berth_kubectl::shell::Shell;
use berth_kubectl::terminal_cluster::{OnAdvance, TerminalCluster};
use berth_protocol::drain::InferredOwner;
use berth_protocol::problem::Problem;
use berth_sim::simulated_cluster::SimulatedCluster;

use super::simulated::Pace;
use super::what_if::{comes_to_rest, rests_by};
use super::{simulated, sources};
use crate::session::Options;
use crate::sources::configuration_problem;

pub use berth_kubectl::shell::{Lacks, pasted};
pub use berth_kubectl::{OpenRequest, Output, Printed};
pub use script::{Failure, Played};

/// Maximum number of moments that the cluster plays at once.
const MAX_MOMENTS: u32 = 1_000_000;

/// A shell and the cluster that it acts on. A copy is a checkpoint.
#[derive(Clone)]
pub struct Terminal {
    shell: Shell,
    terminal: TerminalCluster,
}

/// The result of opening files.
pub struct Opened {
    /// The problems of the files.
    pub problems: Vec<Problem>,
    /// The workloads that the files lack and that were inferred from their Pods.
    pub inferred: Vec<InferredOwner>,
    /// The number of objects that are assumed to exist, as Pods name them, by kind.
    pub assumed: BTreeMap<&'static str, usize>,
    /// `None` if the scheduler would not start.
    pub terminal: Option<Terminal>,
}

/// Opens a terminal on the cluster of these manifests, settled in its first moment.
pub fn open(files: &[SourceFile], configuration: Option<&SourceFile>, options: Options) -> Opened {
    let manifests = sources::read_unexpanded(files, configuration, &options);
    let Manifests {
        loaded, problems, ..
    } = &manifests;
    let mut problems = problems.clone();
    let mut cluster = match simulated::empty(&manifests, &options, false, Pace::Living) {
        Ok(cluster) => cluster,
        Err(errors) => {
            let file = configuration.or(files.first());
            let file = file.map_or("", |file| file.name.as_str());
            let errors = errors.into_iter();
            problems.extend(errors.map(|error| configuration_problem(loaded, file, error)));
            return Opened {
                problems,
                assumed: BTreeMap::new(),
                inferred: Vec::new(),
                terminal: None,
            };
        }
    };
    let documents = || loaded.documents.iter().filter(|it| it.object.is_some());
    let objects = documents().filter_map(|document| document.object.as_deref());
    for (place, error) in cluster.load(objects) {
        if let Some(document) = documents().nth(place) {
            let finding = berth_core::api::decode::Finding::error("", error.to_string());
            problems.push(loaded.problem(&document.source, finding));
        }
    }
    cluster.settle();
    cluster.take_record();
    let mut terminal = Terminal::on(cluster);
    // Commands can also refer to the files of the cluster.
    for file in files {
        let (name, text) = (file.name.clone(), Arc::clone(&file.text));
        terminal.terminal.files.insert(name, text);
    }
    Opened {
        problems,
        inferred: manifests.prepared.inferred.clone(),
        assumed: manifests.prepared.assumed.clone(),
        terminal: Some(terminal),
    }
}

impl Terminal {
    /// A terminal on this cluster.
    pub(crate) fn on(cluster: SimulatedCluster) -> Self {
        Self {
            shell: Shell::default(),
            terminal: TerminalCluster::new(cluster),
        }
    }

    #[cfg(test)]
    pub(crate) fn cluster(&self) -> &SimulatedCluster {
        &self.terminal.cluster
    }

    /// Adds a file for commands.
    pub fn add_file(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let text: String = text.into();
        self.terminal.files.insert(path.into(), text.into());
    }

    /// Calls a function with the virtual time in milliseconds whenever time advances.
    pub fn watch_time(&mut self, call: impl FnMut(i64) + 'static) {
        self.terminal.on_advance = Some(OnAdvance::new(call));
    }

    /// Advances the cluster until nothing is due, by at most this many seconds.
    pub fn play(&mut self, seconds: i64) {
        let cluster = &mut self.terminal.cluster;
        let until = cluster.now().microseconds();
        let until = until.saturating_add(seconds.saturating_mul(1_000_000));
        cluster.run_until_quiet(Time::at_microsecond(until), MAX_MOMENTS);
        cluster.take_record();
    }

    /// Advances the cluster until all that can be placed is, and is ready, as between the lines of a what-if.
    pub fn rest(&mut self) {
        let cluster = &mut self.terminal.cluster;
        let until = rests_by(cluster);
        comes_to_rest(cluster, until, MAX_MOMENTS);
        cluster.take_record();
    }

    /// Runs a line, or several.
    pub fn run(&mut self, line: &str) -> Output {
        let output = self.shell.run(line, &mut self.terminal);
        self.terminal.cluster.take_record();
        output
    }

    /// Runs a line of a script; returns also the milliseconds that it took. The next line follows at once, as in bash:
    /// time goes on after a line only where somebody types.
    pub(crate) fn run_timed(&mut self, line: &str) -> (Output, i64) {
        let start = LineStart::new(&self.terminal.cluster, false);
        let output = self.run(line);
        (output, start.passed_ms(&self.terminal.cluster))
    }

    /// Milliseconds since the cluster began.
    pub fn elapsed_ms(&self) -> i64 {
        self.terminal.cluster.elapsed_ms()
    }

    /// Takes back a text that a line asked to edit.
    pub fn edited(&mut self, request: &OpenRequest, text: &str) -> Output {
        Shell::edited(request, text, &mut self.terminal)
    }
}

#[cfg(test)]
mod tests;
