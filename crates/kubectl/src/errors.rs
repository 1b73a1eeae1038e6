//! The API server's errors as kubectl words them (kubectl v1.34 `cmd/util/helpers.go`).

use std::collections::BTreeSet;

use crate::kinds::{KindInfo, of_kind};
use berth_scheduler::field::FieldError;
use berth_sim::server::ApiError;

/// The resource of a kind in messages: `pods`, `deployments.apps`.
pub fn resource(kind: &str) -> String {
    of_kind(kind).map_or_else(|| kind.to_ascii_lowercase(), KindInfo::resource)
}

/// The line for an API error.
pub fn server(error: &ApiError) -> String {
    match error {
        ApiError::Invalid { kind, key, errors } => invalid(kind, key.name(), errors),
        other => format!("Error from server ({}): {other}", other.reason()),
    }
}

/// How a command introduces the API server's error.
#[derive(Clone, Copy)]
pub enum ErrorContext<'a> {
    /// It does not.
    Nothing,
    /// About an object of a file: `error when creating "a.yaml"`.
    File(&'a str),
    /// In the words of `kubectl create KIND`: `failed to create job:`.
    Generated(&'a str),
}

/// An error about one of the objects of a command. kubectl words it otherwise if there are several (`CheckErr` of an
/// aggregate).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    alone: String,
    among: String,
}

impl Complaint {
    /// The same about an object that was sent in this version.
    #[must_use]
    pub fn in_version(self, api_version: &str) -> Self {
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let named = |text: String| {
            let parts = text
                .split_once(" in version \"")
                .and_then(|(opening, rest)| {
                    let (_, closing) = rest.split_once("\" cannot be handled as a ")?;
                    Some(format!(
                        "{opening} in version {version:?} cannot be handled as a {closing}"
                    ))
                });
            parts.unwrap_or(text)
        };
        Complaint {
            alone: named(self.alone),
            among: named(self.among),
        }
    }
}

impl From<String> for Complaint {
    fn from(alone: String) -> Self {
        let among = alone.strip_prefix("error: ").unwrap_or(&alone).to_owned();
        Complaint { alone, among }
    }
}

impl From<&str> for Complaint {
    fn from(alone: &str) -> Self {
        alone.to_owned().into()
    }
}

impl From<Complaint> for String {
    fn from(complaint: Complaint) -> Self {
        complaint.alone
    }
}

impl AsRef<str> for Complaint {
    fn as_ref(&self) -> &str {
        &self.alone
    }
}

/// The lines for all errors of a command.
pub fn lines(complaints: &[Complaint]) -> Vec<&str> {
    match complaints {
        [one] => vec![&one.alone],
        several => several.iter().map(|it| it.among.as_str()).collect(),
    }
}

/// The line for an API error.
pub fn server_while(error: &ApiError, context: ErrorContext<'_>) -> Complaint {
    let among = match context {
        ErrorContext::Generated(opening) => return format!("error: {opening} {error}").into(),
        ErrorContext::Nothing => format!("Error from server ({}): {error}", error.reason()),
        ErrorContext::File(context) => {
            format!("Error from server ({}): {context}: {error}", error.reason())
        }
    };
    let alone = match error {
        ApiError::Invalid { .. } => server(error),
        _ => among.clone(),
    };
    Complaint { alone, among }
}

/// The line for an object that the API server cannot decode.
pub fn bad_request(message: &str, context: ErrorContext<'_>) -> String {
    match context {
        ErrorContext::Nothing => format!("Error from server (BadRequest): {message}"),
        ErrorContext::File(context) => {
            format!("Error from server (BadRequest): {context}: {message}")
        }
        ErrorContext::Generated(opening) => format!("error: {opening} {message}"),
    }
}

/// The line for an object that does not exist.
pub fn not_found(kind: &str, name: &str) -> String {
    format!(
        "Error from server (NotFound): {} {name:?} not found",
        resource(kind)
    )
}

/// The lines for an object that fails validation.
pub fn invalid(kind: &str, name: &str, errors: &[FieldError]) -> String {
    let causes = errors
        .iter()
        .map(|error| format!("{}: {}", error.path, error.message));
    let mut seen = BTreeSet::new();
    // kubectl lists equal causes once.
    let causes: Vec<String> = causes.filter(|cause| seen.insert(cause.clone())).collect();
    match causes.as_slice() {
        [one] => format!("The {kind} {name:?} is invalid: {one}"),
        more => format!("The {kind} {name:?} is invalid: \n* {}", more.join("\n* ")),
    }
}
