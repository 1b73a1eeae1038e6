//! From JSON Schema to types and fields.

use crate::Detail;
use crate::describe::{LONG, Length, SHORT, brief};
use crate::enums::meanings;
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

/// Types without fields that people know by name; others are called what they are in JSON.
const SCALARS: [&str; 6] = [
    "FieldsV1",
    "IntOrString",
    "MicroTime",
    "Quantity",
    "RawExtension",
    "Time",
];

/// What `kubectl explain` prints of a field that Kubernetes does not describe.
const UNDESCRIBED: &str = "<no description>";

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
pub fn types(
    definitions: &Map<String, Value>,
    detail: Detail,
) -> Result<Map<String, Value>, String> {
    let mut types = Map::new();
    let none = Map::new();
    for (name, schema) in definitions {
        let is_named = detail == Detail::Whole && SCALARS.contains(&short(name));
        let properties = match schema["properties"].as_object() {
            Some(properties) => properties,
            None if is_named => &none,
            None => continue,
        };
        let length = match CLOSE.contains(&short(name)) {
            true => LONG,
            false => SHORT,
        };
        let mut fields = Map::new();
        fields.insert(String::new(), description(schema, length, detail).into());
        let required = |name: &str| {
            let list = schema["required"].as_array();
            list.is_some_and(|list| list.iter().any(|one| one == name))
        };
        for (field, schema) in properties {
            let mark = if required(field) { "!" } else { "" };
            let meaning = match detail {
                Detail::Whole => {
                    description(schema, length, detail) + &meanings(short(name), field)
                }
                Detail::Brief => {
                    let descriptions = [schema, target(schema, definitions)];
                    let mut descriptions = descriptions
                        .map(|it| description(it, length, detail))
                        .into_iter();
                    let meaning = descriptions.find(|it| !it.is_empty());
                    meaning.unwrap_or_else(|| UNDESCRIBED.to_string())
                }
            };
            let line = format!("{mark}{}|{meaning}", type_name(schema, definitions));
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

fn type_name(schema: &Value, definitions: &Map<String, Value>) -> String {
    if let Some(name) = schema["$ref"].as_str().map(short) {
        let target = target(schema, definitions);
        let is_named =
            target.is_null() || target["properties"].is_object() || SCALARS.contains(&name);
        return match target["type"].as_str() {
            _ if is_named => name.to_string(),
            Some(kind) => kind.to_string(),
            None => "any".to_string(),
        };
    }
    match schema["type"].as_str() {
        Some("array") => format!("[]{}", type_name(&schema["items"], definitions)),
        Some("object") if schema["additionalProperties"].is_object() => {
            format!(
                "{{}}{}",
                type_name(&schema["additionalProperties"], definitions)
            )
        }
        Some(name) => name.to_string(),
        None => "any".to_string(),
    }
}

/// The definition that a field's schema refers to; null if it refers to none. In brief, a field
/// without a description has that of its type.
fn target<'d>(schema: &Value, definitions: &'d Map<String, Value>) -> &'d Value {
    let name = schema["$ref"].as_str().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    definitions.get(name).unwrap_or(&Value::Null)
}

fn description(schema: &Value, length: Length, detail: Detail) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    match detail {
        Detail::Brief => brief(text, length),
        Detail::Whole => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_are_named_in_short() {
        let definitions = Map::from_iter([
            ("a.Quantity".to_string(), json!({"type": "string"})),
            ("a.Nothing".to_string(), json!({"type": "object"})),
            ("a.Either".to_string(), json!({})),
        ]);
        let type_name = |schema: &Value| type_name(schema, &definitions);
        assert_eq!(
            type_name(&json!({"$ref": "#/$defs/io.k8s.api.core.v1.Taint"})),
            "Taint"
        );
        let slices = json!({"$ref": "#/$defs/io.k8s.api.discovery.v1.EndpointPort"});
        assert_eq!(type_name(&slices), "discovery.v1.EndpointPort");
        let list = json!({"type": "array", "items": {"type": "string"}});
        assert_eq!(type_name(&list), "[]string");
        let map = json!({"type": "object", "additionalProperties": {"$ref": "a.Quantity"}});
        assert_eq!(type_name(&map), "{}Quantity");
        for (name, shown) in [("a.Nothing", "object"), ("a.Either", "any")] {
            assert_eq!(type_name(&json!({"$ref": name})), shown);
        }
    }

    #[test]
    fn fields_tell_type_need_and_meaning() {
        let schema = json!({
            "description": "A thing.",
            "properties": {"name": {"type": "string", "description": "Its name."}},
            "required": ["name"],
        });
        let definitions = Map::from_iter([("a.Thing".to_string(), schema)]);
        let types = types(&definitions, Detail::Brief).expect("one name");
        assert_eq!(
            types["Thing"],
            json!({"": "A thing.", "name": "!string|Its name."})
        );
    }

    #[test]
    fn a_field_without_a_description_has_that_of_its_type() {
        let whole = json!({"properties": {"part": {"$ref": "#/$defs/a.Part"}}});
        let part = json!({"description": "A part.", "properties": {}});
        let both = [("a.Whole", whole), ("a.Part", part)];
        let definitions = both.map(|(name, schema)| (name.to_string(), schema));
        let types = types(&Map::from_iter(definitions), Detail::Brief).expect("two names");
        assert_eq!(types["Whole"]["part"], "Part|A part.");
    }

    #[test]
    fn equal_short_names_are_an_error() {
        let schema = json!({"properties": {}});
        let both = ["a.Thing", "b.Thing"].map(|name| (name.to_string(), schema.clone()));
        assert!(types(&Map::from_iter(both), Detail::Brief).is_err());
    }
}
