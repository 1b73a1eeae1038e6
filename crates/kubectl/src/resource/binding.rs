//! Bindings: objects that are created and never kept, as `kubectl create -f` sends a scheduler's decision.

use serde_json::Value;

use crate::errors::{self, ErrorContext};
use crate::kinds::KindInfo;
use crate::printers::fields::Fields;
use berth_sim::server::ApiServer;
use berth_sim::store::Key;

/// `v1`, `Binding`.
pub(crate) const BINDING: KindInfo = KindInfo {
    kind: "Binding",
    plural: "bindings",
    singular: "binding",
    short: &[],
    api_version: "v1",
    namespaced: true,
    has_status: false,
    in_all: false,
    scales: false,
    template: None,
};

/// Binds the Pod of the binding's name to its target (`BindingREST`, `ValidatePodBinding`, v1.36).
///
/// # Errors
/// kubectl's message about the API server's error.
pub(crate) fn create(
    binding: &Value,
    namespace: &str,
    context: ErrorContext<'_>,
    api: &mut ApiServer,
) -> Result<Value, String> {
    let (kind, node) = (binding.text("target.kind"), binding.text("target.name"));
    let plain = |why: String| match context {
        ErrorContext::File(context) => format!("Error from server: {context}: {why}"),
        _ => format!("Error from server: {why}"),
    };
    if !matches!(kind, "" | "Node") {
        return Err(plain(format!(
            "target.kind: Unsupported value: {kind:?}: supported values: \"Node\", \"<empty>\""
        )));
    }
    if node.is_empty() {
        return Err(plain("target.name: Required value".to_owned()));
    }
    let key = Key::new(namespace, binding.text("metadata.name"));
    let bound = api.bind_as_asked(&key, node);
    bound.map_err(|error| String::from(errors::server_while(&error, context)))?;
    Ok(binding.clone())
}
