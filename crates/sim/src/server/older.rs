//! What older releases say in place of the newest, whose rules the checks follow.

use berth_scheduler::field::{ErrorKind, FieldError, Path};
use berth_scheduler::names::dns_subdomain_errors;
use berth_scheduler::release::{Gate, Release};

/// What is wrong with addresses that were valid once (`StrictIPCIDRValidation`).
const STRICT: [&str; 5] = [
    "must not have leading 0s",
    "must not be an IPv4-mapped IPv6 address",
    "must not have leading 0s in IP or prefix length",
    "must not have an IPv4-mapped IPv6 address",
    "must not have bits set beyond the prefix length",
];

/// Turns errors into those of a release.
pub(super) fn settle(errors: &mut Vec<FieldError>, release: &Release) {
    if errors.is_empty() {
        return;
    }
    if !release.is_on(Gate::StrictIPCIDRValidation) {
        let is_strict = |error: &FieldError| STRICT.iter().any(|it| error.message.ends_with(it));
        errors.retain(|error| !is_strict(error));
    }
    if release.rules().reports_empty_drivers_twice {
        let twice = std::mem::take(errors).into_iter().flat_map(|error| {
            let again = is_driver(&error).then(|| invalid(&error)).flatten();
            [Some(error), again].into_iter().flatten()
        });
        *errors = twice.collect();
    }
    if !release.rules().validates_declaratively {
        errors.iter_mut().for_each(bound_of_autoscaler);
    }
    for error in errors {
        error.message = release.rules().worded(std::mem::take(&mut error.message));
    }
}

/// Before declarative validation, one sentence was about a maximum of 0 and a negative one.
fn bound_of_autoscaler(error: &mut FieldError) {
    const DETAIL: &str = "must be greater than 0";
    if error.path != "spec.maxReplicas" {
        return;
    }
    if error.kind == ErrorKind::Required {
        let path = Path::root().child("spec").child("maxReplicas");
        *error = FieldError::invalid(&path, 0, DETAIL);
    } else if let Some(value) = error
        .message
        .strip_suffix("must be greater than or equal to 1")
    {
        error.message = format!("{value}{DETAIL}");
    }
}

/// Whether the name of a CSI or DRA driver is missing.
fn is_driver(error: &FieldError) -> bool {
    let is_named = error.path.ends_with(".driver")
        || error.path.starts_with("spec.drivers[") && error.path.ends_with(".name");
    error.kind == ErrorKind::Required && is_named
}

fn invalid(error: &FieldError) -> Option<FieldError> {
    let details = dns_subdomain_errors("");
    let invalid = FieldError::invalid(&Path::root(), "", details.first()?);
    Some(FieldError {
        path: error.path.clone(),
        ..invalid
    })
}
