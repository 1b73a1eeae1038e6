//! A scenario with a Script, played to its end.

use crate::api::decode::Finding;
use crate::api::manifests::{Manifests, read, read_configured};
use crate::api::object::Manifest;
use crate::api::prepare::PrepareOptions;
use crate::api::problem::Severity;
use crate::api::script;
use crate::api::source::{Source, SourceFile};
use crate::plugins::registry::registry;
use crate::protocol::happening::Happening;
use crate::protocol::problem::Problem;
use crate::sim::history;
use crate::sim::replay::life::{self, script::LifeScript};
use crate::sim::replay::{Played, ReplayOptions, format, play};

use super::{Options, configuration_problem, sources};

/// What came of a replay.
pub struct Replayed {
    /// What is wrong with the input.
    pub problems: Vec<Problem>,
    /// `None` if the script is not one to play.
    pub record: Option<history::Record>,
    manifests: Manifests,
}

impl Replayed {
    /// Whether something was refused.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    /// How many objects of each kind were ignored, by kind.
    pub fn ignored_counts(&self) -> std::collections::BTreeMap<&str, usize> {
        self.manifests.loaded.ignored_counts()
    }

    /// What happened, with the reason of every move; nothing if there was no script to play.
    pub fn happenings(&self) -> impl Iterator<Item = Happening> {
        self.record.iter().flat_map(history::Record::happenings)
    }

    /// As JSON, in the form of the recorded lives of kube-scheduler's queue; `None` if nothing was played.
    pub fn events(&self, scenario: &str) -> Option<String> {
        let record = self.record.as_ref()?;
        Some(format::text(record, scenario))
    }
}

/// Reads files, of which one holds a Script, and plays it. With `tells_kept` the record also tells
/// which Pods an event left where they were. `options.expand_workloads`: with controllers and kubelets.
pub fn replay(
    files: &[SourceFile],
    configuration: Option<&SourceFile>,
    options: Options,
    tells_kept: bool,
) -> Replayed {
    // Controllers create Pods in the course of the replay, if at all.
    let prepare_options = PrepareOptions::default();
    let manifests = match configuration {
        Some(configuration) => read_configured(files, configuration, &prepare_options),
        None => read(files, &prepare_options),
    };
    let problems = manifests.problems.clone();
    let mut replayed = Replayed {
        problems,
        record: None,
        manifests,
    };
    let Some((source, script)) = replayed.find_script(files, options.expand_workloads) else {
        return replayed;
    };
    let manifests = &replayed.manifests;
    let documents = manifests.loaded.documents.iter();
    let objects = documents.filter_map(|document| document.object.as_deref());
    let (prepared, registry) = (&manifests.prepared, registry());
    let replay_options = ReplayOptions {
        run: sources::run_options(options),
        tells_kept,
    };
    let played = if options.expand_workloads {
        life::play(prepared, objects, script, &registry, replay_options)
    } else {
        play(prepared, objects, script.script, &registry, replay_options)
    };
    match played {
        Ok(Played { record, refused }) => {
            replayed.report(&source, refused);
            replayed.record = Some(record);
        }
        Err(errors) => {
            let file = configuration.or(files.first());
            let file = file.map_or("", |file| file.name.as_str());
            let errors = errors.into_iter();
            replayed
                .problems
                .extend(errors.map(|error| configuration_problem(&manifests.loaded, file, error)));
        }
    }
    replayed
}

impl Replayed {
    /// The one script, if it is one to play; what is wrong is noted.
    fn find_script(
        &mut self,
        files: &[SourceFile],
        with_controllers: bool,
    ) -> Option<(Source, LifeScript)> {
        let documents = self.manifests.loaded.documents.iter();
        let scripts = documents.filter_map(|document| match document.object.as_deref() {
            Some(Manifest::Script(script)) => Some((document.source.clone(), script)),
            _ => None,
        });
        let scripts: Vec<_> = scripts.collect();
        let Some((source, value)) = scripts.first() else {
            let message = "there is no Script in these files, so nothing happens";
            let finding = Finding::error("", message)
                .help("add a document `kind: Script` of `apiVersion: conformance/v1`");
            let source = Source {
                start: crate::api::source::Position { line: 1, column: 1 },
                ..Source::default()
            };
            if !files.is_empty() {
                self.report(&source, vec![finding]);
            }
            return None;
        };
        if let Some((second, _)) = scripts.get(1) {
            let finding = Finding::error("kind", "only one Script is played")
                .help("put all steps into the first one");
            let second = second.clone();
            self.report(&second, vec![finding]);
            return None;
        }
        let source = source.clone();
        let (script, findings) = if with_controllers {
            life::script::read(value)
        } else {
            let (script, findings) = script::read(value);
            let script = LifeScript {
                script,
                ..LifeScript::default()
            };
            (script, findings)
        };
        let is_sound = findings
            .iter()
            .all(|finding| finding.severity != Severity::Error);
        self.report(&source, findings);
        is_sound.then_some((source, script))
    }

    fn report(&mut self, source: &Source, findings: Vec<Finding>) {
        let loaded = &self.manifests.loaded;
        let found = findings.into_iter();
        let found = found.map(|finding| loaded.problem(source, finding));
        self.problems.extend(found);
    }
}
