//! PriorityClasses.

use k8s_openapi::api::scheduling::v1::PriorityClass;

use super::metadata::{Naming, object_meta};
use super::{Errors, one_of};
use berth_scheduler::field::{FieldError, Path};

/// The highest value that is not reserved for system classes.
const HIGHEST_USER_DEFINABLE: i32 = 1_000_000_000;

/// The classes that exist in every cluster, with their values.
const SYSTEM_CLASSES: [(&str, i32); 2] = [
    ("system-node-critical", 2_000_001_000),
    ("system-cluster-critical", 2_000_000_000),
];

/// Validates a PriorityClass.
pub fn priority_class(class: &PriorityClass, errors: &mut Errors) {
    object_meta(&class.metadata, Naming::Subdomain, errors);
    let name = class.metadata.name.as_deref().unwrap_or_default();
    if name.starts_with("system-") {
        if let Some(reason) = not_a_system_class(name, class) {
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. \
                 error: {reason}"
            );
            let path = Path::root().child("metadata").child("name");
            errors.push(FieldError::forbidden(&path, &detail));
        }
    } else if class.value.unwrap_or_default() > HIGHEST_USER_DEFINABLE {
        let detail =
            format!("maximum allowed value of a user defined priority is {HIGHEST_USER_DEFINABLE}");
        errors.push(FieldError::forbidden(&Path::root().child("value"), &detail));
    }
    preemption_policy(&Path::root(), class.preemption_policy.as_ref(), errors);
}

/// Validates `preemptionPolicy` of the object at `path`.
pub fn preemption_policy(path: &Path, policy: Option<&String>, errors: &mut Errors) {
    let path = path.child("preemptionPolicy");
    match policy.map(String::as_str) {
        Some("") => errors.push(FieldError::required(&path, "")),
        _ => one_of(&path, policy, &["PreemptLowerPriority", "Never"], errors),
    }
}

fn not_a_system_class(name: &str, class: &PriorityClass) -> Option<String> {
    let Some((_, value)) = SYSTEM_CLASSES.iter().find(|(known, _)| *known == name) else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if class.value.unwrap_or_default() != *value {
        return Some(format!("value of {name} PriorityClass must be {value}"));
    }
    let global = class.global_default == Some(true);
    global.then(|| format!("globalDefault of {name} PriorityClass must be false"))
}
