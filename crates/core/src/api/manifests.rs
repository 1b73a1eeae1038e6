//! Reads, validates and prepares manifests; invalid objects are left out.

use std::collections::BTreeMap;

use berth_protocol::remark::Remark;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::decode::Finding;
use super::load::{Document, Health, Loaded, load, load_again};
use super::object::Manifest;
use super::prepare::{PrepareOptions, choose_release, prepare};
use super::prepared::Prepared;
use super::problem::{self, Problem, Severity};
use super::source::{Position, Source, SourceFile};
use super::validation::{gates, validate};
use berth_scheduler::field::{ErrorKind, FieldError};
use berth_scheduler::release::Release;

/// The result for some files.
#[derive(Clone, Debug, Default)]
pub struct Manifests {
    /// Documents with a rejected object have none.
    pub loaded: Loaded,
    pub prepared: Prepared,
    /// All problems, in file order.
    pub problems: Vec<Problem>,
}

impl Manifests {
    /// Whether any problem is an error.
    pub fn has_errors(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }
}

/// Reads files as `kubectl apply` and the API server would: rejected objects are left out and
/// reported, the rest is prepared for the scheduler.
pub fn read(files: &[SourceFile], options: &PrepareOptions) -> Manifests {
    of_loaded(load(files), options)
}

/// Reads files after an edit: unchanged documents are not read again.
pub fn read_again(files: &[SourceFile], before: &Manifests, options: &PrepareOptions) -> Manifests {
    of_loaded(load_again(files, &before.loaded), options)
}

/// Reads files with a separate scheduler configuration, which replaces the one in the files.
pub fn read_configured(
    files: &[SourceFile],
    configuration: &SourceFile,
    options: &PrepareOptions,
) -> Manifests {
    let mut all = files.to_vec();
    all.push(configuration.clone());
    let mut loaded = load(&all);
    let mut found = false;
    let mut misplaced = Vec::new();
    for document in &mut loaded.documents {
        let is_configuration = matches!(
            document.object.as_deref(),
            Some(Manifest::SchedulerConfiguration(_))
        );
        match (document.source.file == files.len(), is_configuration) {
            (true, true) => found = true,
            (true, false) => {
                // The problems of a rejected object are reported already.
                if document.object.take().is_some() {
                    misplaced.push(document.source.clone());
                }
            }
            (false, true) => {
                document.object = None;
                document.source.range.end = document.source.range.start;
            }
            (false, false) => {}
        }
    }
    for source in misplaced {
        let finding = Finding::error("", Remark::only_configuration());
        let problem = loaded.problem(&source, finding.help(Remark::among_manifests()));
        loaded.problems.push(problem);
    }
    let refused = |problem: &Problem| {
        problem.file == configuration.name && problem.severity == Severity::Error
    };
    if !found && !loaded.problems.iter().any(refused) {
        let source = Source {
            file: files.len(),
            start: Position { line: 1, column: 1 },
            ..Source::default()
        };
        let finding = Finding::error("", Remark::no_configuration());
        let problem = loaded.problem(&source, finding.help(Remark::starts_as_config()));
        loaded.problems.push(problem);
    }
    of_loaded(loaded, options)
}

/// Validates and prepares loaded files.
pub fn of_loaded(mut loaded: Loaded, options: &PrepareOptions) -> Manifests {
    let (release, _) = choose_release(&loaded, &options.release);
    let refusals = refuse_invalid(&mut loaded, &release);
    let (prepared, found) = prepare(&loaded, options);
    let mut problems = std::mem::take(&mut loaded.problems);
    problems.extend(refusals);
    problems.extend(found);
    let order = |name: &str| {
        let files = &loaded.files;
        files
            .iter()
            .position(|file| file.name == name)
            .unwrap_or(files.len())
    };
    let problems = problem::arrange(problems, 0, &order);
    Manifests {
        loaded,
        prepared,
        problems,
    }
}

/// The problems of an object that the API server would reject. Cold: kept out of the first download.
#[inline(never)]
fn refusals(
    loaded: &Loaded,
    document: &Document,
    object: &Manifest,
    errors: Vec<FieldError>,
) -> Vec<Problem> {
    let mut patch_help = is_partial(object).then(Remark::kustomize_patch);
    let errors = errors.into_iter().take(problem::MAX_PROBLEMS_PER_DOCUMENT);
    let findings = errors.map(|error| Finding {
        help: patch_help.take().unwrap_or(error.help),
        is_missing: error.kind == ErrorKind::Required,
        ..Finding::error(error.path, error.message)
    });
    findings
        .map(|finding| loaded.problem(&document.source, finding))
        .collect()
}

/// Why the API server of a release would reject an object. Cold: kept out of the first download.
#[inline(never)]
fn errors_of(document: &Document, object: &Manifest, release: &Release) -> Vec<FieldError> {
    // The release may have changed.
    let mut errors = gates::validate(object, release);
    if document.health != Health::Sound {
        errors.splice(0..0, validate(object));
    }
    errors
}

/// Leaves out the objects that the API server of a release would reject, and returns the reasons.
pub fn refuse_invalid(loaded: &mut Loaded, release: &Release) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refused = Vec::new();
    let mut sound = Vec::new();
    for (position, document) in loaded.documents.iter().enumerate() {
        let Some(object) = &document.object else {
            continue;
        };
        let is_valid = loaded
            .files
            .get(document.source.file)
            .is_some_and(|it| it.is_valid);
        let errors = match is_valid {
            true => Vec::new(),
            false => errors_of(document, object, release),
        };
        if errors.is_empty() {
            sound.push(position);
            continue;
        }
        refused.push(position);
        // Locating is expensive, and only a full list is displayed.
        if problems.len() < problem::MAX_PROBLEMS {
            problems.extend(refusals(loaded, document, object, errors));
        }
    }
    for position in sound {
        if let Some(document) = loaded.documents.get_mut(position)
            && document.health == Health::Read
        {
            document.health = Health::Sound;
        }
    }
    for position in refused {
        if let Some(document) = loaded.documents.get_mut(position) {
            document.object = None;
            document.health = Health::Poor;
        }
    }
    problems
}

/// Whether a workload has neither the selector nor the labels that each needs, like a patch of kustomize.
fn is_partial(object: &Manifest) -> bool {
    let (selector, template) = match object {
        Manifest::Deployment(it) => {
            let spec = it.spec.as_ref();
            (spec.map(|it| &it.selector), spec.map(|it| &it.template))
        }
        Manifest::StatefulSet(it) => {
            let spec = it.spec.as_ref();
            (spec.map(|it| &it.selector), spec.map(|it| &it.template))
        }
        Manifest::DaemonSet(it) => {
            let spec = it.spec.as_ref();
            (spec.map(|it| &it.selector), spec.map(|it| &it.template))
        }
        Manifest::ReplicaSet(it) => {
            let spec = it.spec.as_ref();
            let template = spec.and_then(|it| it.template.as_ref());
            (spec.map(|it| &it.selector), template)
        }
        _ => return false,
    };
    let labels = template
        .and_then(|it| it.metadata.as_ref())
        .and_then(|it| it.labels.as_ref());
    selector.is_none_or(|it| *it == LabelSelector::default())
        && labels.is_none_or(BTreeMap::is_empty)
}

#[cfg(test)]
mod tests;
