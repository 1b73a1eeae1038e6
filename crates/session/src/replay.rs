//! Plays a scenario with a Script to its end.

use serde_json::Value;

use berth_core::api::decode::Finding;
use berth_core::api::load::{Document, Loaded, load};
use berth_core::api::manifests::{Manifests, refuse_invalid};
use berth_core::api::object::Manifest;
use berth_core::api::prepare::choose_release;
use berth_core::api::problem;
use berth_core::api::script::{self, Verbs};
use berth_core::api::source::{Source, SourceFile};
use berth_protocol::happening::Happening;
use berth_protocol::problem::Problem;
use berth_scheduler::plugins::registry::registry;
use berth_scheduler::release::{Choice, Release};
use berth_sim::history;
use berth_sim::replay::timeline::{self, Failure, recorded};
use berth_sim::replay::{Played, ReplayOptions, format, play};

use super::sources;
use crate::session::Options;
use crate::sources::configuration_problem;

/// The result of a replay.
pub struct Replayed {
    /// The problems of the input.
    pub problems: Vec<Problem>,
    /// `None` if there is no valid script.
    pub record: Option<history::Record>,
    manifests: Manifests,
}

impl Replayed {
    /// Whether there is an error among the problems.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    /// Numbers of ignored objects by kind.
    pub fn ignored_counts(&self) -> std::collections::BTreeMap<&str, usize> {
        self.manifests.loaded.ignored_counts()
    }

    /// The happenings, with the reason of every move; empty if there was no script to play.
    pub fn happenings(&self) -> impl Iterator<Item = Happening> {
        self.record.iter().flat_map(history::Record::happenings)
    }

    /// The record as JSON, in the format of the recorded lives of kube-scheduler's queue; `None` if nothing was played.
    pub fn events(&self, scenario: &str) -> Option<String> {
        let record = self.record.as_ref()?;
        Some(format::text(record, scenario))
    }
}

/// Reads files, one of which has a Script, and plays it. `tells_kept`: the record includes Pods that an event left
/// where they were. `options.expand_workloads`: with controllers and kubelets.
pub fn replay(
    files: &[SourceFile],
    configuration: Option<&SourceFile>,
    options: Options,
    tells_kept: bool,
) -> Replayed {
    let manifests = sources::read_unexpanded(files, configuration, &options);
    let problems = manifests.problems.clone();
    let mut replayed = Replayed {
        problems,
        record: None,
        manifests,
    };
    let replay_options = ReplayOptions {
        run: sources::run_options(&options),
        tells_kept,
        controllers: options.expand_workloads,
    };
    let loaded = &replayed.manifests.loaded;
    let (source, script) = match script::find(loaded, replay_options.verbs()) {
        Ok((source, script, problems)) => {
            let source = source.clone();
            replayed.report(&problems);
            (source, script)
        }
        Err(problems) => {
            replayed.report(&problems);
            return replayed;
        }
    };
    let Manifests {
        loaded, prepared, ..
    } = &replayed.manifests;
    let objects = loaded
        .documents
        .iter()
        .filter_map(|document| document.object.as_deref());
    match play(prepared, objects, script, &registry(), replay_options) {
        Ok(Played { record, refused }) => {
            let refused: Vec<Problem> = at(loaded, &source, refused).collect();
            replayed.report(&refused);
            replayed.record = Some(record);
        }
        Err(errors) => {
            let file = configuration.or(files.first());
            let file = file.map_or("", |file| file.name.as_str());
            let problems = errors
                .into_iter()
                .map(|error| configuration_problem(loaded, file, error));
            replayed.problems.extend(problems);
        }
    }
    replayed
}

impl Replayed {
    fn report(&mut self, problems: &[Problem]) {
        self.problems.extend(problems.iter().cloned());
    }
}

fn at(loaded: &Loaded, source: &Source, findings: Vec<Finding>) -> impl Iterator<Item = Problem> {
    findings
        .into_iter()
        .map(|finding| loaded.problem(source, finding))
}

/// The actions of the workload controllers over time.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The record (`timeline` and `hashes`), unless the script was wrong or could not be played.
    pub record: Option<Value>,
    pub problems: Vec<Problem>,
}

/// Plays the objects and the script of some files under the conditions in which the real workload controllers were
/// recorded. Objects that the API server would refuse are left out.
pub fn timeline(files: &[SourceFile], release: &Choice) -> Timeline {
    let mut loaded = load(files);
    let (release, found) = choose_release(&loaded, release);
    let refused = refuse_invalid(&mut loaded, &release);
    let mut problems = std::mem::take(&mut loaded.problems);
    problems.extend(refused);
    problems.extend(found);
    let record = match record(&loaded, release, &mut problems) {
        Ok(record) => Some(record),
        Err(found) => {
            problems.extend(found);
            None
        }
    };
    let order = |name: &str| {
        let position = files.iter().position(|file| file.name == name);
        position.unwrap_or(files.len())
    };
    let problems = problem::arrange(problems, 0, &order);
    Timeline { record, problems }
}

fn record(
    loaded: &Loaded,
    release: Release,
    warnings: &mut Vec<Problem>,
) -> Result<Value, Vec<Problem>> {
    let (source, script, found) = script::find(loaded, Verbs::Operations)?;
    warnings.extend(found);
    let (documents, objects): (Vec<&Document>, Vec<&Manifest>) = loaded
        .documents
        .iter()
        .filter_map(|document| Some((document, document.object.as_deref()?)))
        .unzip();
    timeline::play(&objects, &script, recorded(release)).map_err(|failure| match failure {
        Failure::Script(findings) => at(loaded, source, findings).collect(),
        Failure::Manifest { index, message } => {
            let source = documents.get(index).map_or(source, |it| &it.source);
            let finding = Finding::error("metadata.name", message);
            vec![loaded.problem(source, finding)]
        }
    })
}
