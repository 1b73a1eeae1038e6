//! The API server's errors as kubectl words them (kubectl v1.34 `cmd/util/helpers.go`).

use crate::kinds::{KindInfo, of_kind};
use berth_core::api::validation::field::FieldError;
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

/// The line for an API error about an object of a file; `doing` is `error when creating "a.yaml"`.
pub fn server_while(error: &ApiError, doing: &str) -> String {
    match error {
        ApiError::Invalid { .. } => server(error),
        _ if doing.is_empty() => server(error),
        other => format!("Error from server ({}): {doing}: {other}", other.reason()),
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
    let causes: Vec<String> = causes.collect();
    match causes.as_slice() {
        [one] => format!("The {kind} {name:?} is invalid: {one}"),
        more => format!("The {kind} {name:?} is invalid: \n* {}", more.join("\n* ")),
    }
}
