//! What preparation has to say about a document, before it is located in a file.

use crate::api::config::{self, ConfigProblem};
use crate::api::decode::Finding;
use crate::api::prepared::DocumentIndex;
use crate::api::problem::Severity;

/// Something about one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Issue {
    pub document: DocumentIndex,
    pub finding: Finding,
}

impl Issue {
    /// The object does not come to be. `path` is empty for the object as a whole.
    pub(super) fn error(document: DocumentIndex, path: &str, message: String) -> Self {
        Issue {
            document,
            finding: Finding::error(path, message),
        }
    }

    /// The object does not do what its author may expect.
    pub(super) fn warning(document: DocumentIndex, path: &str, message: String) -> Self {
        let mut issue = Issue::error(document, path, message);
        issue.finding.severity = Severity::Warning;
        issue
    }

    /// What the reading of a scheduler configuration found.
    pub(super) fn of_configuration(document: DocumentIndex, problem: ConfigProblem) -> Self {
        let ConfigProblem {
            path,
            message,
            help,
            severity,
        } = problem;
        let issue = match severity {
            config::Severity::Error => Issue::error(document, &path, message),
            config::Severity::Warning => Issue::warning(document, &path, message),
        };
        issue.with_help(&help)
    }

    /// Adds what to do about it.
    pub(super) fn with_help(mut self, help: &str) -> Self {
        help.clone_into(&mut self.finding.help);
        self
    }
}
