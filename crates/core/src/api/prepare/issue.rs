//! Problems found by preparation, before they are located in a file.

use berth_protocol::remark::Remark;

use crate::api::config::{self, ConfigProblem};
use crate::api::decode::Finding;
use crate::api::prepared::DocumentIndex;
use crate::api::problem::Severity;

/// A problem with one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Issue {
    pub document: DocumentIndex,
    pub finding: Finding,
}

impl Issue {
    /// The object is rejected. `path` is empty for the object as a whole.
    pub(super) fn error(document: DocumentIndex, path: &str, message: impl Into<Remark>) -> Self {
        Issue {
            document,
            finding: Finding::error(path, message),
        }
    }

    /// The object does not behave as its author may expect.
    pub(super) fn warning(document: DocumentIndex, path: &str, message: impl Into<Remark>) -> Self {
        let mut issue = Issue::error(document, path, message);
        issue.finding.severity = Severity::Warning;
        issue
    }

    /// A problem with a scheduler configuration.
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
        issue.with_help(help)
    }

    /// Adds advice.
    pub(super) fn with_help(mut self, help: Remark) -> Self {
        self.finding.help = help;
        self
    }
}
