//! From files with a script to the record of what the controllers do (`berth replay -o timeline`).

use serde_json::Value;

use crate::api::decode::Finding;
use crate::api::load::{Document, Loaded, load};
use crate::api::manifests::refuse_invalid;
use crate::api::object::Manifest;
use crate::api::problem::{self, Problem, Severity};
use crate::api::source::SourceFile;
use crate::sim::controllers::Options;
use crate::sim::timeline::script::{self, Script};
use crate::sim::timeline::{self, Failure};

/// What became of some files.
#[derive(Clone, Debug)]
pub struct Played {
    /// The record (`timeline` and `hashes`), unless the script was no good or could not be played.
    pub record: Option<Value>,
    pub problems: Vec<Problem>,
}

/// Plays the objects and the script of some files. What the API server would refuse is left out.
pub fn play(files: &[SourceFile]) -> Played {
    play_as(files, timeline::RECORDED)
}

/// The same with controllers that behave otherwise.
pub fn play_as(files: &[SourceFile], options: Options) -> Played {
    let mut loaded = load(files);
    let refused = refuse_invalid(&mut loaded);
    let mut problems = std::mem::take(&mut loaded.problems);
    problems.extend(refused);
    let record = match find_script(&loaded) {
        Ok((document, script, warnings)) => {
            let warnings = warnings.into_iter();
            problems.extend(warnings.map(|it| loaded.problem(&document.source, it)));
            run(&loaded, document, &script, options, &mut problems)
        }
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
    Played { record, problems }
}

fn run(
    loaded: &Loaded,
    script_document: &Document,
    script: &Script,
    options: Options,
    problems: &mut Vec<Problem>,
) -> Option<Value> {
    let documents = loaded.documents.iter();
    let objects: Vec<(&Document, &Manifest)> = documents
        .filter_map(|document| Some((document, document.object.as_deref()?)))
        .collect();
    let only: Vec<&Manifest> = objects.iter().map(|(_, object)| *object).collect();
    let failure = match timeline::play(&only, script, options) {
        Ok(record) => return Some(record),
        Err(failure) => failure,
    };
    let (document, finding) = match failure {
        Failure::Step { index, message } => {
            let finding = Finding::error(format!("steps[{index}]"), message);
            (script_document, finding)
        }
        Failure::Manifest { index, message } => {
            let document = objects
                .get(index)
                .map_or(script_document, |(document, _)| document);
            (document, Finding::error("metadata.name", message))
        }
        Failure::Livelock(livelock) => {
            let second = livelock.at_ms / 1_000;
            let message = format!("the controllers never come to rest at second {second}");
            (script_document, Finding::error("", message))
        }
    };
    problems.push(loaded.problem(&document.source, finding));
    None
}

/// The one script, with warnings about it; or what is wrong with it.
fn find_script(loaded: &Loaded) -> Result<(&Document, Script, Vec<Finding>), Vec<Problem>> {
    let documents = loaded.documents.iter();
    let mut scripts = documents.filter_map(|document| match document.object.as_deref() {
        Some(Manifest::Script(value)) => Some((document, value)),
        _ => None,
    });
    let Some((document, value)) = scripts.next() else {
        let finding = Finding::error("", "no Script in these files")
            .help("it begins with `apiVersion: conformance/v1` and `kind: Script`");
        let source = loaded.documents.last().map(|it| it.source.clone());
        return Err(vec![loaded.problem(&source.unwrap_or_default(), finding)]);
    };
    if let Some((second, _)) = scripts.next() {
        let finding = Finding::error("", "there is a Script already; only one can be played");
        return Err(vec![loaded.problem(&second.source, finding)]);
    }
    let (script, findings) = script::read(value);
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    match script {
        Some(script) if !findings.iter().any(is_error) => Ok((document, *script, findings)),
        _ => Err(findings
            .into_iter()
            .map(|finding| loaded.problem(&document.source, finding))
            .collect()),
    }
}
