//! Results of plugins.

use std::borrow::Cow;

use berth_protocol::cycle::Code;
use berth_protocol::fact::Fact;
use berth_protocol::score::{Formula, Input};

/// A reason as counted by the FitError.
pub type Reason = Cow<'static, str>;

/// Why a plugin rejected a node or a Pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Never `Success`.
    pub code: Code,
    pub reasons: Vec<Reason>,
}

impl Rejection {
    /// Rejected, but preempting other Pods may help.
    pub fn unschedulable(reason: impl Into<Reason>) -> Self {
        Self::with(Code::Unschedulable, vec![reason.into()])
    }

    /// Rejected, and preempting other Pods cannot help.
    pub fn unresolvable(reason: impl Into<Reason>) -> Self {
        Self::with(Code::UnschedulableAndUnresolvable, vec![reason.into()])
    }

    /// An internal error, which ends the cycle.
    pub fn error(message: impl Into<Reason>) -> Self {
        Self::with(Code::Error, vec![message.into()])
    }

    /// With a code and several reasons.
    pub fn with(code: Code, reasons: Vec<Reason>) -> Self {
        Self { code, reasons }
    }

    /// The reasons, joined as by upstream's `Status.Message`.
    pub fn message(&self) -> String {
        self.reasons.join(", ")
    }
}

/// Several errors as one text, without duplicates, as formatted by apimachinery's `Aggregate`;
/// `None` if there are none.
pub fn aggregate(errors: impl Iterator<Item = String>) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for text in errors {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        several => Some(format!("[{}]", several.join(", "))),
    }
}

/// The verdict of a Filter plugin on a node.
pub type Verdict = Result<(), Rejection>;

/// A rejection and its plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    pub plugin: &'static str,
    pub rejection: Rejection,
}

/// The result of a PreFilter plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreFiltered {
    /// Continue with all nodes.
    Continue,
    /// Continue, but only with these nodes (by name; they need not exist).
    Only(Vec<String>),
    /// This plugin's Filter does not apply to the Pod.
    Skip,
    /// No node can take the Pod.
    Rejected(Rejection),
}

/// The result of a PreScore plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreScored {
    Continue,
    /// This plugin's Score does not apply to the Pod.
    Skip,
    Rejected(Rejection),
}

/// The facts of one plugin about one node.
pub type Facts = Vec<Fact>;

/// How one plugin scores one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreFacts {
    pub formula: Formula,
    pub inputs: Vec<Fact<Input>>,
}

impl ScoreFacts {
    /// The inputs of a formula.
    pub fn new(formula: Formula, inputs: impl IntoIterator<Item = Fact<Input>>) -> Self {
        Self {
            formula,
            inputs: inputs.into_iter().collect(),
        }
    }
}
