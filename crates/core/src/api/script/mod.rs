//! `kind: Script` (`conformance/v1`): what happens to the objects of a scenario, and when.
//!
//! There is one type of script and one reader; [`Verbs`] says which steps a cluster understands.

mod kubelet;
mod operation;
mod read;

use super::decode::Finding;
use super::load::{Document, Loaded};
use super::object::Manifest;
use super::problem::{Problem, Severity};
use super::source::{Position, Source};
use crate::base::time::Time;

pub use kubelet::{KubeletRules, Rule, outcome, ready_after};
pub use operation::{
    LabelNode, Operation, Patch, PodTarget, Scale, SetImage, TaintNode, Target, Undo,
};
pub use read::read;

/// The API version of [`Script`] documents.
pub const API_VERSION: &str = "conformance/v1";

/// The default of `until`.
const DEFAULT_UNTIL_SECONDS: i64 = 400;
/// The longest time of a script: eleven days.
const MAX_SECONDS: i64 = 1_000_000;

/// Steps on a clock.
#[derive(Clone, Debug)]
pub struct Script {
    /// The last whole second that is played.
    pub until_seconds: i64,
    /// Feature gate `SchedulerPopFromBackoffQ`, on by default.
    pub pop_from_backoff: bool,
    /// How Pods fare on their nodes.
    pub kubelet: KubeletRules,
    /// In order of time.
    pub steps: Vec<Step>,
}

/// What happens at one moment.
#[derive(Clone, Debug)]
pub struct Step {
    pub at: Time,
    /// In the order in which they happen.
    pub acts: Vec<Act>,
}

/// One change to the cluster.
#[derive(Clone, Debug)]
pub struct Act {
    /// The field path in the script: `steps[2].create[0]`.
    pub path: String,
    pub verb: Verb,
}

#[derive(Clone, Debug)]
pub enum Verb {
    Create(Manifest),
    /// The whole manifest as it is to be.
    Update(Manifest),
    Delete(ObjectName),
    Operate {
        operation: Operation,
        /// The operation as the script has it: `pause {"name":"web"}`.
        text: String,
    },
}

/// An object by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    pub kind: String,
    /// Empty if the script does not give it.
    pub namespace: String,
    pub name: String,
}

/// The steps that a cluster understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbs {
    /// `create`, `update` and `delete`: all that a scheduler without a control plane needs.
    Objects,
    /// Operations on workloads, Pods and nodes as well, and the kubelet's rules.
    Operations,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            until_seconds: DEFAULT_UNTIL_SECONDS,
            pop_from_backoff: true,
            kubelet: KubeletRules::default(),
            steps: Vec::new(),
        }
    }
}

/// The one script of some files and the document that holds it, with warnings about it.
///
/// # Errors
/// If there is none, if there are several, or if it is wrong; with its warnings.
pub fn find(
    loaded: &Loaded,
    verbs: Verbs,
) -> Result<(&Source, Script, Vec<Problem>), Vec<Problem>> {
    let mut scripts = loaded.documents.iter().filter_map(script_of);
    let Some((document, value)) = scripts.next() else {
        let message = "there is no Script in these files, so nothing happens";
        let finding = Finding::error("", message)
            .help("add a document `kind: Script` of `apiVersion: conformance/v1`");
        let source = Source {
            start: Position { line: 1, column: 1 },
            ..Source::default()
        };
        return Err(match loaded.files.is_empty() {
            true => Vec::new(),
            false => vec![loaded.problem(&source, finding)],
        });
    };
    if let Some((second, _)) = scripts.next() {
        let finding = Finding::error("kind", "only one Script is played")
            .help("put all steps into the first one");
        return Err(vec![loaded.problem(&second.source, finding)]);
    }
    let (script, findings) = read(value, verbs);
    let problems: Vec<Problem> = findings
        .into_iter()
        .map(|finding| loaded.problem(&document.source, finding))
        .collect();
    if problems.iter().any(|it| it.severity == Severity::Error) {
        return Err(problems);
    }
    Ok((&document.source, script, problems))
}

fn script_of(document: &Document) -> Option<(&Document, &serde_json::Value)> {
    match document.object.as_deref() {
        Some(Manifest::Script(value)) => Some((document, value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
