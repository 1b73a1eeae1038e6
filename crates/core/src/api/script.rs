//! `kind: Script` (`conformance/v1`): what happens to the objects of a scenario, and when.
//!
//! All scripts share one type and one reader; [`Verbs`] lists the steps that a cluster supports.

mod kubelet;
mod operation;
mod read;

use super::decode::Finding;
use super::load::{Document, Loaded};
use super::object::Manifest;
use super::problem::{Problem, Severity};
use super::source::{Position, Source};
use berth_base::time::Time;

pub use kubelet::{KubeletRules, Processes, Rule, outcome, ready_after};
pub use operation::{
    LabelNode, Operation, Patch, PodTarget, Scale, SetImage, TaintNode, Target, Undo,
};
pub use read::read;

/// The API version of [`Script`] documents.
pub const API_VERSION: &str = "conformance/v1";

/// The default of `until`.
const DEFAULT_UNTIL_SECONDS: i64 = 400;
/// Maximum duration of a script: eleven days.
const MAX_SECONDS: i64 = 1_000_000;

/// Steps with their times.
#[derive(Clone, Debug)]
pub struct Script {
    /// The last whole second that is simulated.
    pub until_seconds: i64,
    /// Feature gate `SchedulerPopFromBackoffQ`, on by default.
    pub pop_from_backoff: bool,
    /// The rules of the simulated kubelets.
    pub kubelet: KubeletRules,
    /// In order of time.
    pub steps: Vec<Step>,
}

/// The changes at one moment.
#[derive(Clone, Debug)]
pub struct Step {
    pub at: Time,
    /// In execution order.
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
    /// The complete new manifest.
    Update(Manifest),
    Delete(ObjectName),
    Operate {
        operation: Operation,
        /// The operation as written in the script: `pause {"name":"web"}`.
        text: String,
    },
}

/// An object by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    pub kind: String,
    /// Empty if the script omits it.
    pub namespace: String,
    pub name: String,
}

/// The steps that a cluster supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbs {
    /// `create`, `update` and `delete`, for a scheduler without a control plane.
    Objects,
    /// Also operations on workloads, Pods and nodes, and the kubelet's rules.
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

/// The script of some files, its document, and warnings about it.
///
/// # Errors
/// If there is no script, more than one, or an invalid one. Includes the warnings.
pub fn find(
    loaded: &Loaded,
    verbs: Verbs,
) -> Result<(&Source, Script, Vec<Problem>), Vec<Problem>> {
    let mut scripts = loaded.documents.iter().filter_map(script_of);
    let Some((document, value)) = scripts.next() else {
        let message = "there is no Script in these files, so nothing happens";
        let finding = Finding::error("", message)
            .help("add a document `kind: Script` of `apiVersion: conformance/v1`".into());
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
            .help("put all steps into the first one".into());
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
