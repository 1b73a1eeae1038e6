//! The scale subresource of an autoscaler's target.

use std::collections::BTreeMap;

use k8s_openapi::api::autoscaling::v2::CrossVersionObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde_json::Value;

use crate::dynamic::FieldValidation;
use crate::server::{ApiError, ApiServer};
use crate::store::{Key, Store};
use berth_core::api::kinds::{Kind, KindInfo};
use berth_scheduler::selector::compiled::Selector;

/// The scale of a workload.
#[derive(Clone, Debug)]
pub(super) struct Target {
    kind: &'static str,
    key: Key,
    /// `spec.replicas`.
    pub replicas: i32,
    /// `status.replicas`.
    pub found: i32,
    /// The Pods' selector; `None` if it has none.
    pub selector: Option<Selector>,
}

impl Target {
    /// The scale of what an autoscaler in `namespace` refers to.
    ///
    /// # Errors
    /// The API server's message if there is none.
    pub fn of(
        reference: &CrossVersionObjectReference,
        namespace: &str,
        cache: &Store,
    ) -> Result<Self, String> {
        let info = kind_of(reference)?;
        if !info.scales {
            return Err("the server could not find the requested resource".to_owned());
        }
        let (kind, key) = (info.kind, Key::new(namespace, &reference.name));
        let Some(object) = cache.get(kind, &key) else {
            return Err(ApiError::NotFound { kind, key }.to_string());
        };
        let object = object.to_json();
        let number = |path: &str| {
            let number = object.pointer(path)?.as_i64()?;
            i32::try_from(number).ok()
        };
        Ok(Target {
            kind,
            key,
            replicas: number("/spec/replicas").unwrap_or(1),
            found: number("/status/replicas").unwrap_or(0),
            selector: object.pointer("/spec/selector").and_then(selector_of),
        })
    }

    /// Writes `spec.replicas`.
    ///
    /// # Errors
    /// The API server's message if it refuses.
    pub fn rescale(&self, replicas: i32, api: &mut ApiServer) -> Result<(), String> {
        let mut edit = |object: &mut Value| {
            if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                spec.insert("replicas".to_owned(), replicas.into());
            }
            Ok(())
        };
        api.patch_object(self.kind, &self.key, FieldValidation::Ignore, &mut edit)
            .map(drop)
            .map_err(|error| error.to_string())
    }
}

/// The kind that a reference names.
fn kind_of(reference: &CrossVersionObjectReference) -> Result<KindInfo, String> {
    let version = reference.api_version.as_deref().unwrap_or_default();
    let group = match version.split_once('/') {
        Some((_, rest)) if rest.contains('/') => {
            return Err(format!("unexpected GroupVersion string: {version}"));
        }
        Some((group, _)) => group,
        None => "",
    };
    let info = Kind::of_name(&reference.kind).map(Kind::info);
    info.copied()
        .filter(|info| info.group() == group)
        .ok_or_else(|| {
            format!(
                "no matches for kind {:?} in group {group:?}",
                reference.kind
            )
        })
}

/// The selector of a workload: a label selector, or plain labels.
fn selector_of(selector: &Value) -> Option<Selector> {
    let fields = selector.as_object()?;
    let is_label_selector = ["matchLabels", "matchExpressions"]
        .iter()
        .any(|field| fields.contains_key(*field));
    let compiled = if is_label_selector {
        let selector: LabelSelector = serde_json::from_value(selector.clone()).ok()?;
        Selector::new(Some(&selector))
    } else {
        let labels: BTreeMap<String, String> = serde_json::from_value(selector.clone()).ok()?;
        Selector::from_pairs(&labels)
    };
    (!compiled.is_empty()).then_some(compiled)
}
