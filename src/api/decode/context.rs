//! What all nodes of one document share while it is decoded: the way to the node at hand, and what
//! was found so far.
//!
//! Everything here is the same for all types. The page pays for each line of [`super::node`] once
//! per type of Kubernetes, for those here once.

use std::cell::Cell;

use super::Finding;
use super::path::{self, Step};
use super::suggest::closest;
use crate::api::problem::Severity;
use crate::api::yaml::Target;

#[derive(Default)]
pub(super) struct Context<'de> {
    /// From the top to the innermost node that is not decoded yet.
    way: Cell<Vec<Step<'de>>>,
    /// Go's name of the innermost struct around it: `PodSpec`.
    owner: Cell<&'static str>,
    findings: Cell<Vec<Finding>>,
}

impl<'de> Context<'de> {
    /// Goes one step down, to a value in the struct `owner`.
    #[inline(never)]
    pub(super) fn enter(&self, step: Step<'de>, owner: &'static str) {
        let mut way = self.way.take();
        way.push(step);
        self.way.set(way);
        self.owner.set(owner);
    }

    /// Goes back up. Not after an error: its place is where the way ends.
    #[inline(never)]
    pub(super) fn leave(&self, succeeded: bool) {
        if succeeded {
            let mut way = self.way.take();
            way.pop();
            self.way.set(way);
        }
    }

    pub(super) fn owner(&self) -> &'static str {
        self.owner.get()
    }

    /// The value at hand belongs to this struct, by Go's name.
    pub(super) fn set_owner(&self, owner: &'static str) {
        self.owner.set(owner);
    }

    /// The path of the value at hand, made by one of `path`'s functions.
    pub(super) fn path(&self, write: fn(&[Step<'_>]) -> String) -> String {
        let way = self.way.take();
        let path = write(&way);
        self.way.set(way);
        path
    }

    pub(super) fn push(&self, finding: Finding) {
        let mut findings = self.findings.take();
        findings.push(finding);
        self.findings.set(findings);
    }

    /// Records a field that the struct at hand does not have.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown_field(&self, name: &'de str, owner: &str, fields: &[&'static str]) {
        let help = match closest(name, fields.iter().copied()) {
            Some(field) => format!("did you mean {field:?}?"),
            None => {
                format!("{owner} has no such field; check the spelling and the indentation")
            }
        };
        let mut way = self.way.take();
        way.push(Step::Field(name));
        let path = path::text(&way);
        way.pop();
        self.way.set(way);
        self.push(Finding {
            severity: Severity::Warning,
            message: format!("unknown field {path:?}"),
            path,
            target: Target::Key,
            help,
            wants_quotes: false,
        });
    }

    /// What was found, and whether all of it may stand: then there is no error among it.
    pub(super) fn conclude(self, failure: Option<String>) -> (Vec<Finding>, bool) {
        if let Some(message) = failure {
            self.push(Finding::error(self.path(path::text), message));
        }
        let findings = self.findings.into_inner();
        let refused = findings
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        (findings, !refused)
    }
}
