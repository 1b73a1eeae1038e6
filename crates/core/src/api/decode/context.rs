//! The state that all nodes of a document share while it is decoded: the path to the current node,
//! and the findings.
//!
//! Nothing here is generic. Code in [`super::node`] is compiled once per Kubernetes type; code here
//! is compiled once.

use berth_protocol::remark::Remark;
use std::cell::Cell;

use super::Finding;
use super::path::{self, Step};
use crate::api::problem::Severity;
use berth_base::suggest::closest;

#[derive(Default)]
pub(super) struct Context<'de> {
    /// The path from the root to the innermost node that is being decoded.
    way: Cell<Vec<Step<'de>>>,
    /// Go's name of the innermost enclosing struct: `PodSpec`.
    owner: Cell<&'static str>,
    /// Go's name of the outermost struct: `Pod`.
    root: Cell<&'static str>,
    findings: Cell<Vec<Finding>>,
}

impl<'de> Context<'de> {
    /// Descends one step, to a value in the struct `owner`.
    #[inline(never)]
    pub(super) fn enter(&self, step: Step<'de>, owner: &'static str) {
        let mut way = self.way.take();
        way.push(step);
        self.way.set(way);
        self.owner.set(owner);
    }

    /// Ascends again. After an error the path stays, because it locates the error.
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

    /// Sets Go's name of the struct that contains the current value.
    pub(super) fn set_owner(&self, owner: &'static str) {
        self.owner.set(owner);
        if self.root.get().is_empty() {
            self.root.set(owner);
        }
    }

    /// Go's name of the outermost struct.
    pub(super) fn root(&self) -> &'static str {
        self.root.get()
    }

    /// The steps to the current value.
    pub(super) fn with_steps<T>(&self, read: impl FnOnce(&[Step<'_>]) -> T) -> T {
        let way = self.way.take();
        let result = read(&way);
        self.way.set(way);
        result
    }

    /// The path of the current value, formatted by one of `path`'s functions.
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

    /// Records a field that the current struct does not have.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown_field(&self, name: &'de str, owner: &str, fields: &[&'static str]) {
        let help = match closest(name, fields.iter().copied()) {
            _ if name.contains('\u{a0}') => Remark::no_break_space(),
            Some(field) => Remark::did_you_mean(format!("{field:?}")),
            None => Remark::no_such_field(owner),
        };
        let mut way = self.way.take();
        way.push(Step::Field(name));
        let path = path::text(&way);
        way.pop();
        self.way.set(way);
        self.push(Finding::unknown_field(path).help(help));
    }

    /// The findings, and whether none of them is an error.
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
