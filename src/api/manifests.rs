//! The whole way of manifests: read, validate, prepare; whatever is good is kept.

use super::decode::Finding;
use super::load::{Loaded, load};
use super::prepare::{PrepareOptions, prepare};
use super::prepared::Prepared;
use super::problem::{self, Problem, Severity};
use super::source::SourceFile;
use super::validation::validate;

/// What became of some files.
#[derive(Clone, Debug, Default)]
pub struct Manifests {
    /// Documents whose object was refused have none.
    pub loaded: Loaded,
    pub prepared: Prepared,
    /// Everything that was found on the way, in the order of the files.
    pub problems: Vec<Problem>,
}

impl Manifests {
    /// Whether something was refused.
    pub fn has_errors(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }
}

/// Reads files as `kubectl apply` and the API server would: what they would refuse is left out and
/// reported, the rest is prepared for the scheduler.
pub fn read(files: &[SourceFile], options: &PrepareOptions) -> Manifests {
    let mut loaded = load(files);
    let refusals = refuse_invalid(&mut loaded);
    let (prepared, found) = prepare(&loaded, options);
    let mut problems = std::mem::take(&mut loaded.problems);
    problems.extend(refusals);
    problems.extend(found);
    let order = |name: &str| {
        files
            .iter()
            .position(|file| file.name == name)
            .unwrap_or(files.len())
    };
    let problems = problem::arrange(problems, 0, order);
    Manifests {
        loaded,
        prepared,
        problems,
    }
}

fn refuse_invalid(loaded: &mut Loaded) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut refused = Vec::new();
    for (position, document) in loaded.documents.iter().enumerate() {
        let Some(object) = &document.object else {
            continue;
        };
        let errors = validate(object);
        if errors.is_empty() {
            continue;
        }
        refused.push(position);
        // Finding places costs; beyond a full list nobody would see them.
        if problems.len() >= problem::MAX_PROBLEMS {
            continue;
        }
        for error in errors.into_iter().take(problem::MAX_PROBLEMS_PER_DOCUMENT) {
            let finding = Finding {
                help: error.help,
                ..Finding::error(error.path, error.message)
            };
            problems.push(loaded.problem(&document.source, finding));
        }
    }
    for position in refused {
        if let Some(document) = loaded.documents.get_mut(position) {
            document.object = None;
        }
    }
    problems
}
