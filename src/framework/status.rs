//! What plugins answer.

use std::borrow::Cow;

use crate::protocol::cycle::Code;
use crate::protocol::fact::Fact;

/// A reason as the FitError counts it.
pub type Reason = Cow<'static, str>;

/// Why a plugin refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Never `Success`.
    pub code: Code,
    pub reasons: Vec<Reason>,
}

impl Rejection {
    /// Refused, but preempting other Pods may help.
    pub fn unschedulable(reason: impl Into<Reason>) -> Self {
        Self::with(Code::Unschedulable, vec![reason.into()])
    }

    /// Refused, and preempting other Pods cannot help.
    pub fn unresolvable(reason: impl Into<Reason>) -> Self {
        Self::with(Code::UnschedulableAndUnresolvable, vec![reason.into()])
    }

    /// Something is wrong: the cycle ends.
    pub fn error(message: impl Into<Reason>) -> Self {
        Self::with(Code::Error, vec![message.into()])
    }

    /// With a code and several reasons.
    pub fn with(code: Code, reasons: Vec<Reason>) -> Self {
        Self { code, reasons }
    }

    /// The reasons, joined as upstream's `Status.Message` does.
    pub fn message(&self) -> String {
        self.reasons.join(", ")
    }
}

/// Several errors as one text, each once, the way apimachinery's `Aggregate` puts them; `None` if
/// there are none.
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

/// What a Filter plugin says of a node: nothing, or why not.
pub type Verdict = Result<(), Rejection>;

/// A rejection and who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    pub plugin: &'static str,
    pub rejection: Rejection,
}

/// What a PreFilter plugin says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreFiltered {
    /// Go on.
    Continue,
    /// Go on, but only these nodes (by name; they need not exist) can take the Pod.
    Only(Vec<String>),
    /// This plugin's Filter has nothing to say about the Pod.
    Skip,
    /// No node can take the Pod.
    Rejected(Rejection),
}

/// What a PreScore plugin says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreScored {
    Continue,
    /// This plugin's Score has nothing to say about the Pod.
    Skip,
    Rejected(Rejection),
}

/// Facts of one node for one plugin.
pub type Facts = Vec<Fact>;
