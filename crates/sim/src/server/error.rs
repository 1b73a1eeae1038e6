//! Why the API server refuses a request, in its words.

use std::collections::BTreeSet;
use std::fmt;

use super::MAX_OBJECTS;
use crate::store::{Key, resource_of};
use berth_scheduler::field::{FieldError, quote};

/// Why a write is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    NotFound {
        kind: &'static str,
        key: Key,
    },
    AlreadyExists {
        kind: &'static str,
        key: Key,
    },
    /// Admission refuses the object with this message.
    Forbidden {
        kind: &'static str,
        key: Key,
        message: String,
    },
    /// Fields of the object are invalid or immutable.
    Invalid {
        kind: &'static str,
        key: Key,
        errors: Vec<FieldError>,
    },
    /// The maximum number of objects of the kind is reached.
    TooMany {
        kind: &'static str,
    },
    /// The object has changed since it was read.
    Conflict {
        kind: &'static str,
        key: Key,
    },
    /// Not now: the eviction would break a budget (HTTP status 429).
    TooManyRequests {
        message: &'static str,
        /// Which budget, and why, in the API server's words.
        cause: String,
    },
    /// The request makes no sense (HTTP status 400).
    BadRequest {
        message: String,
    },
    /// The object is another one than the request means (HTTP status 409).
    Mismatch {
        kind: &'static str,
        key: Key,
        why: String,
    },
    /// The Pod cannot be bound (HTTP status 409).
    BindingConflict {
        key: Key,
        why: String,
    },
    /// No kind of that name is served (HTTP status 404).
    NoResource,
    /// The server cannot do what is asked (HTTP status 500).
    Internal {
        message: &'static str,
    },
}

impl ApiError {
    /// The reason of the status, which kubectl prints first: `Error from server (NotFound): …`.
    pub fn reason(&self) -> &'static str {
        match self {
            ApiError::NotFound { .. } | ApiError::NoResource => "NotFound",
            ApiError::AlreadyExists { .. } => "AlreadyExists",
            ApiError::Forbidden { .. } | ApiError::TooMany { .. } => "Forbidden",
            ApiError::Invalid { .. } => "Invalid",
            ApiError::Conflict { .. }
            | ApiError::Mismatch { .. }
            | ApiError::BindingConflict { .. } => "Conflict",
            ApiError::BadRequest { .. } => "BadRequest",
            ApiError::TooManyRequests { .. } => "TooManyRequests",
            ApiError::Internal { .. } => "InternalError",
        }
    }

    /// The errors of fields as the API server prints them; kubectl lists them.
    pub fn causes(&self) -> Vec<String> {
        match self {
            ApiError::Invalid { errors, .. } => {
                let mut seen = BTreeSet::new();
                let all = errors.iter().map(FieldError::to_string);
                all.filter(|cause| seen.insert(cause.clone())).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Worded as by the API server: `pods "web" is forbidden: …`.
impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |kind: &str, key: &Key| format!("{} {}", resource_of(kind), quote(key.name()));
        match self {
            ApiError::NotFound { kind, key } => write!(f, "{} not found", named(kind, key)),
            ApiError::AlreadyExists { kind, key } => {
                write!(f, "{} already exists", named(kind, key))
            }
            ApiError::Forbidden { kind, key, message } => {
                write!(f, "{} is forbidden: {message}", named(kind, key))
            }
            ApiError::Invalid { kind, key, .. } => {
                let causes = self.causes();
                let group = resource_of(kind);
                let group = group.split_once('.').map(|(_, group)| format!(".{group}"));
                let group = group.unwrap_or_default();
                write!(f, "{kind}{group} {} is invalid: ", quote(key.name()))?;
                match causes.as_slice() {
                    [one] => f.write_str(one),
                    many => write!(f, "[{}]", many.join(", ")),
                }
            }
            ApiError::TooMany { kind } => {
                write!(
                    f,
                    "there cannot be more than {MAX_OBJECTS} objects of kind {kind}"
                )
            }
            ApiError::Conflict { kind, key } => write!(
                f,
                "Operation cannot be fulfilled on {}: the object has been modified; please apply your changes to the latest version and try again",
                named(kind, key)
            ),
            ApiError::Mismatch { kind, key, why } => write!(
                f,
                "Operation cannot be fulfilled on {}: {why}",
                named(kind, key)
            ),
            ApiError::BindingConflict { key, why } => write!(
                f,
                "Operation cannot be fulfilled on pods/binding {}: {why}",
                quote(key.name())
            ),
            ApiError::BadRequest { message } => f.write_str(message),
            ApiError::NoResource => f.write_str("the server could not find the requested resource"),
            ApiError::TooManyRequests { message, .. } | ApiError::Internal { message } => {
                f.write_str(message)
            }
        }
    }
}
