//! Roles and their bindings (`pkg/apis/rbac/validation`, v1.36).

use k8s_openapi::Metadata;
use k8s_openapi::api::rbac::v1::{
    ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{listed, name_of};
use crate::api::validation::Errors;
use crate::api::validation::metadata::{Naming, object_meta};
use crate::api::validation::selector::label_selector;
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use berth_scheduler::names::{dns_subdomain_errors, path_segment_errors};

/// The group of roles, of users and of groups.
const GROUP: &str = "rbac.authorization.k8s.io";

/// Validates a Role.
pub fn role(role: &Role, errors: &mut Errors) {
    meta(role, errors);
    for (i, rule) in listed(&role.rules).iter().enumerate() {
        policy_rule(&Path::root().child("rules").index(i), rule, true, errors);
    }
}

/// Validates a ClusterRole.
pub fn cluster_role(role: &ClusterRole, errors: &mut Errors) {
    meta(role, errors);
    for (i, rule) in listed(&role.rules).iter().enumerate() {
        policy_rule(&Path::root().child("rules").index(i), rule, false, errors);
    }
    let Some(aggregation) = &role.aggregation_rule else {
        return;
    };
    let path = Path::root()
        .child("aggregationRule")
        .child("clusterRoleSelectors");
    let selectors = listed(&aggregation.cluster_role_selectors);
    if selectors.is_empty() {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(FieldError::required(&path, detail));
    }
    for (i, selector) in selectors.iter().enumerate() {
        label_selector(&path.index(i), Some(selector), errors);
    }
}

/// Validates a RoleBinding.
pub fn role_binding(binding: &RoleBinding, errors: &mut Errors) {
    meta(binding, errors);
    role_ref(&binding.role_ref, &["Role", "ClusterRole"], errors);
    subjects(listed(&binding.subjects), true, errors);
}

/// Validates a ClusterRoleBinding.
pub fn cluster_role_binding(binding: &ClusterRoleBinding, errors: &mut Errors) {
    meta(binding, errors);
    role_ref(&binding.role_ref, &["ClusterRole"], errors);
    subjects(listed(&binding.subjects), false, errors);
}

fn meta<T: Metadata<Ty = ObjectMeta>>(object: &T, errors: &mut Errors) {
    object_meta(object.metadata(), Naming::Segment, errors);
}

fn policy_rule(path: &Path, rule: &PolicyRule, is_namespaced: bool, errors: &mut Errors) {
    if rule.verbs.is_empty() {
        let detail = "verbs must contain at least one value";
        errors.push(FieldError::required(&path.child("verbs"), detail));
    }
    let (groups, resources) = (listed(&rule.api_groups), listed(&rule.resources));
    let urls = listed(&rule.non_resource_urls);
    if !urls.is_empty() {
        let path = path.child("nonResourceURLs");
        let mut refuse =
            |detail| errors.push(FieldError::invalid(&path, json::value(urls), detail));
        if is_namespaced {
            refuse("namespaced rules cannot apply to non-resource URLs");
        }
        let names = listed(&rule.resource_names);
        if !groups.is_empty() || !resources.is_empty() || !names.is_empty() {
            refuse("rules cannot apply to both regular resources and non-resource URLs");
        }
        return;
    }
    if groups.is_empty() {
        let detail = "resource rules must supply at least one api group";
        errors.push(FieldError::required(&path.child("apiGroups"), detail));
    }
    if resources.is_empty() {
        let detail = "resource rules must supply at least one resource";
        errors.push(FieldError::required(&path.child("resources"), detail));
    }
}

fn role_ref(role: &RoleRef, kinds: &[&str], errors: &mut Errors) {
    let path = Path::root().child("roleRef");
    // The default of an empty group is this one.
    if role
        .api_group
        .as_deref()
        .is_some_and(|group| !group.is_empty() && group != GROUP)
    {
        let group = role.api_group.as_deref().unwrap_or_default();
        errors.push(FieldError::not_supported(
            &path.child("apiGroup"),
            group,
            &[GROUP],
        ));
    }
    if !kinds.contains(&role.kind.as_str()) {
        errors.push(FieldError::not_supported(
            &path.child("kind"),
            &role.kind,
            kinds,
        ));
    }
    name_of(&path.child("name"), &role.name, path_segment_errors, errors);
}

fn subjects(subjects: &[Subject], is_namespaced: bool, errors: &mut Errors) {
    for (i, subject) in subjects.iter().enumerate() {
        let path = Path::root().child("subjects").index(i);
        let group = subject.api_group.as_deref().unwrap_or_default();
        let rule: fn(&str) -> Vec<String> = match subject.kind.as_str() {
            "ServiceAccount" => dns_subdomain_errors,
            _ => |_| Vec::new(),
        };
        name_of(&path.child("name"), &subject.name, rule, errors);
        let group_path = path.child("apiGroup");
        match subject.kind.as_str() {
            "ServiceAccount" => {
                if !group.is_empty() {
                    errors.push(FieldError::not_supported(&group_path, group, &[""]));
                }
                let namespace = subject.namespace.as_deref().unwrap_or_default();
                if !is_namespaced && namespace.is_empty() {
                    errors.push(FieldError::required(&path.child("namespace"), ""));
                }
            }
            "User" | "Group" => {
                if !group.is_empty() && group != GROUP {
                    errors.push(FieldError::not_supported(&group_path, group, &[GROUP]));
                }
            }
            kind => {
                let known = ["ServiceAccount", "User", "Group"];
                errors.push(FieldError::not_supported(&path.child("kind"), kind, &known));
            }
        }
    }
}
