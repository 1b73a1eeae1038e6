//! From JSON Schema to types and fields.

use crate::describe::{LONG, Length, SHORT, brief};
use serde_json::{Map, Value};

/// Types whose fields scheduling looks at; their descriptions stay longer.
const CLOSE: [&str; 22] = [
    "LabelSelector",
    "LabelSelectorRequirement",
    "NodeAffinity",
    "NodeSelector",
    "NodeSelectorRequirement",
    "NodeSelectorTerm",
    "NodeSpec",
    "NodeStatus",
    "PodAffinity",
    "PodAffinityTerm",
    "PodAntiAffinity",
    "PodDisruptionBudgetSpec",
    "PodSchedulingGate",
    "PodSpec",
    "PreferredSchedulingTerm",
    "PriorityClass",
    "ResourceRequirements",
    "StorageClass",
    "Taint",
    "Toleration",
    "TopologySpreadConstraint",
    "WeightedPodAffinityTerm",
];

/// Types whose names another group has too; these keep group and version.
const SHARED: [&str; 6] = [
    "apiextensions.v1.ServiceReference",
    "apiextensions.v1.WebhookClientConfig",
    "apiregistration.v1.ServiceReference",
    "discovery.v1.EndpointPort",
    "flowcontrol.v1.Subject",
    "resource.v1.ResourceClaim",
];

/// `io.k8s.api.core.v1.PodSpec` → `PodSpec`.
pub fn short(name: &str) -> &str {
    let mut shared = SHARED.into_iter();
    shared
        .find(|shared| name.ends_with(shared))
        .unwrap_or_else(|| name.rsplit('.').next().unwrap_or(name))
}

/// Every definition that has fields, by its short name.
///
/// # Errors
///
/// Two definitions that share a short name.
pub fn types(definitions: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut types = Map::new();
    for (name, schema) in definitions {
        let Some(properties) = schema["properties"].as_object() else {
            continue;
        };
        let length = match CLOSE.contains(&short(name)) {
            true => LONG,
            false => SHORT,
        };
        let mut fields = Map::new();
        fields.insert(String::new(), description(schema, length).into());
        let required = |name: &str| {
            let list = schema["required"].as_array();
            list.is_some_and(|list| list.iter().any(|one| one == name))
        };
        for (field, schema) in properties {
            let mark = if required(field) { "!" } else { "" };
            let line = format!(
                "{mark}{}|{}",
                type_name(schema),
                description(schema, length)
            );
            fields.insert(field.clone(), line.into());
        }
        if types
            .insert(short(name).to_string(), fields.into())
            .is_some()
        {
            return Err(format!("two types are named {}", short(name)));
        }
    }
    types.sort_keys();
    Ok(types)
}

fn type_name(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        return short(target).to_string();
    }
    match schema["type"].as_str() {
        Some("array") => format!("[]{}", type_name(&schema["items"])),
        Some("object") if schema["additionalProperties"].is_object() => {
            format!("{{}}{}", type_name(&schema["additionalProperties"]))
        }
        Some(name) => name.to_string(),
        None => "any".to_string(),
    }
}

fn description(schema: &Value, length: Length) -> String {
    brief(schema["description"].as_str().unwrap_or_default(), length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_are_named_in_short() {
        assert_eq!(
            type_name(&json!({"$ref": "#/$defs/io.k8s.api.core.v1.Taint"})),
            "Taint"
        );
        let slices = json!({"$ref": "#/$defs/io.k8s.api.discovery.v1.EndpointPort"});
        assert_eq!(type_name(&slices), "discovery.v1.EndpointPort");
        let list = json!({"type": "array", "items": {"type": "string"}});
        assert_eq!(type_name(&list), "[]string");
        let map = json!({"type": "object", "additionalProperties": {"$ref": "a.b.Quantity"}});
        assert_eq!(type_name(&map), "{}Quantity");
    }

    #[test]
    fn fields_tell_type_need_and_meaning() {
        let schema = json!({
            "description": "A thing.",
            "properties": {"name": {"type": "string", "description": "Its name."}},
            "required": ["name"],
        });
        let definitions = Map::from_iter([("a.Thing".to_string(), schema)]);
        let types = types(&definitions).expect("one name");
        assert_eq!(
            types["Thing"],
            json!({"": "A thing.", "name": "!string|Its name."})
        );
    }

    #[test]
    fn equal_short_names_are_an_error() {
        let schema = json!({"properties": {}});
        let both = ["a.Thing", "b.Thing"].map(|name| (name.to_string(), schema.clone()));
        assert!(types(&Map::from_iter(both)).is_err());
    }
}
