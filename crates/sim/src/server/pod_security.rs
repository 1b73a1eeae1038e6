//! Pod Security admission (`plugin/pkg/admission/security/podsecurity`, v1.36): Pods that break the standard of their
//! namespace are refused, templates are warned about, and so are the Pods of a namespace whose standard changes.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::Resource;
use k8s_openapi::api::core::v1::Namespace;
use serde_json::Value;

use super::{ApiError, ApiServer};
use crate::store::{Key, name_of};
use crate::strategy::Served;
use berth_base::{json, sort};
use berth_core::api::kinds::Kind;
use berth_core::api::pod_security::{Level, Policy, Standard, in_detail, violations};
use berth_scheduler::field::quote;

/// The API server checks no more Pods when a standard changes.
const MAX_CHECKED: usize = 3_000;

impl ApiServer {
    /// The warnings of the writes since the last call.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Whether there are warnings.
    pub fn has_warnings(&self) -> bool {
        !self.warnings.is_empty()
    }

    /// Adds warnings of a dry run.
    pub fn add_warnings(&mut self, warnings: Vec<String>) {
        self.warnings.extend(warnings);
    }

    /// Refuses a Pod that breaks the standard of its namespace, and warns the user of what else does.
    pub(super) fn check_security<T: Served>(
        &mut self,
        object: &T,
        before: Option<&T>,
    ) -> Result<(), ApiError> {
        if T::KIND == Namespace::KIND {
            self.warn_of_pods(object, before);
            return Ok(());
        }
        let is_pod = T::KIND == "Pod";
        if !is_pod && !self.user_write {
            return Ok(());
        }
        let Some(template) = Kind::of_name(T::KIND).and_then(|kind| kind.info().template) else {
            return Ok(());
        };
        let namespace = object.metadata().namespace.as_deref().unwrap_or_default();
        let namespace = self.store.namespaces.get(&Key::new("", namespace));
        let policy = Policy::of(namespace.and_then(|it| it.metadata.labels.as_ref()));
        if policy.is_privileged() {
            return Ok(());
        }
        let value = json::value(object);
        if is_pod && before.is_some_and(|before| images(&json::value(before)) == images(&value)) {
            return Ok(());
        }
        let place = format!("/{template}").replace('.', "/");
        let place = if is_pod { "" } else { place.as_str() };
        let part = |name: &str| {
            let part = value.pointer(&format!("{place}/{name}"));
            part.unwrap_or(&Value::Null)
        };
        let release = self.release;
        let broken = |standard: Standard| {
            let broken = violations(standard, part("metadata"), part("spec"), &release);
            (!broken.is_empty()).then(|| {
                format!(
                    "PodSecurity {:?}: {}",
                    standard.to_string(),
                    in_detail(&broken)
                )
            })
        };
        if is_pod && let Some(why) = broken(policy.enforce) {
            return Err(ApiError::Forbidden {
                kind: T::KIND,
                key: Key::of(object.metadata()),
                message: format!("violates {why}"),
            });
        }
        if self.user_write
            && let Some(why) = broken(policy.warn)
        {
            self.warnings.push(format!("would violate {why}"));
        }
        Ok(())
    }

    /// Warns of the Pods that break the new standard of their namespace (`EvaluatePodsInNamespace`).
    fn warn_of_pods<T: Served>(&mut self, object: &T, before: Option<&T>) {
        let Some(before) = before.filter(|_| self.user_write) else {
            return;
        };
        let of = |object: &T| Policy::of(object.metadata().labels.as_ref()).enforce;
        let (new, old) = (of(object), of(before));
        let is_relaxed = new.same_version(old) && new.level <= old.level;
        if new.level == Level::Privileged || is_relaxed {
            return;
        }
        let namespace = name_of(object.metadata());
        let (mut first, mut again, mut owners) = (Vec::new(), Vec::new(), BTreeSet::new());
        for pod in self.store.pods.of_namespace(namespace) {
            let refs = pod.metadata.owner_references.iter().flatten();
            let owner = refs
                .filter(|it| it.controller == Some(true))
                .map(|it| &it.uid)
                .next();
            match owner {
                Some(owner) if owners.contains(&owner) => again.push(pod),
                owner => {
                    owners.extend(owner);
                    first.push(pod);
                }
            }
        }
        let all = first.len() + again.len();
        let mut broken: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for pod in first.into_iter().chain(again).take(MAX_CHECKED) {
            let value = json::value(&**pod);
            let found = violations(new, &value["metadata"], &value["spec"], &self.release);
            let reasons: Vec<String> = found.into_iter().map(|it| it.reason).collect();
            if reasons.is_empty() {
                continue;
            }
            let name = name_of(&pod.metadata).to_owned();
            let (least, count) = broken
                .entry(reasons.join(", "))
                .or_insert((name.clone(), 0));
            *count += 1;
            if name < *least {
                *least = name;
            }
        }
        if all > MAX_CHECKED {
            self.warnings.push(format!("new PodSecurity enforce level only checked against the first {MAX_CHECKED} of {all} existing pods"));
        }
        if broken.is_empty() {
            return;
        }
        let (namespace, level) = (quote(namespace), quote(new.to_string()));
        self.warnings.push(format!("existing pods in namespace {namespace} violate the new PodSecurity enforce level {level}"));
        let lines = broken.into_iter().map(|(why, (name, count))| match count {
            1 => format!("{name}: {why}"),
            2 => format!("{name} (and 1 other pod): {why}"),
            _ => format!("{name} (and {} other pods): {why}", count - 1),
        });
        let mut lines: Vec<String> = lines.collect();
        sort::sort(&mut lines);
        self.warnings.extend(lines);
    }
}

/// The images of a Pod's containers: only a change of these is checked (`isSignificantPodUpdate`).
fn images(pod: &Value) -> Vec<Vec<&Value>> {
    let lists = ["containers", "initContainers", "ephemeralContainers"].into_iter();
    let lists = lists.map(|list| pod["spec"][list].as_array().into_iter().flatten());
    lists
        .map(|list| list.map(|it| &it["image"]).collect())
        .collect()
}
