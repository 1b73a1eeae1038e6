//! The JSON Schema of `kind: Scenario`, made from what the editor completes, and held against the types.

use std::collections::BTreeSet;
use std::path::Path;

use berth_core::api::decode::decode;
use berth_core::api::scenario::{
    ASKED, CaseSource, Claim, ClaimReason, ClaimSum, Compare, CompareSide, Counterfactual,
    Expectation, Predict, PredictWrong, STATES, Scenario, TIE_BREAKS, Verified,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The types of the document, which is the first.
const TYPES: [&str; 14] = [
    "Scenario",
    "Claim",
    "ClaimReason",
    "ClaimSum",
    "Counterfactual",
    "CaseSource",
    "Verified",
    "Compare",
    "CompareSide",
    "Expectation",
    "Condition",
    "Wrong",
    "Predict",
    "PredictWrong",
];

fn own() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/editor/own.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The schema of a type in the editor's notation: `[]Expectation`, `{}string`.
fn of_type(name: &str) -> Value {
    if let Some(item) = name.strip_prefix("[]") {
        return json!({"type": "array", "items": of_type(item)});
    }
    if let Some(value) = name.strip_prefix("{}") {
        return json!({"type": "object", "additionalProperties": of_type(value)});
    }
    match name {
        "any" => json!(true),
        "string" | "integer" | "number" | "boolean" | "object" => json!({"type": name}),
        name if TYPES.contains(&name) => json!({"$ref": format!("#/$defs/{name}")}),
        _ => json!({"type": "object"}),
    }
}

/// The definition of a type, by its fields in the editor's notation and the values that some of them have.
fn definition(name: &str, own: &Value) -> Value {
    let fields = own["types"][name].as_object().unwrap();
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let owner = name;
    for (name, described) in fields.iter().filter(|(name, _)| !name.is_empty()) {
        let (kind, description) = described.as_str().unwrap().split_once('|').unwrap();
        if kind.starts_with('!') {
            required.push(name.clone());
        }
        let mut schema = of_type(kind.trim_start_matches('!'));
        match schema.as_object_mut() {
            Some(schema) => drop(schema.insert("description".to_owned(), json!(description))),
            None => schema = json!({"description": description}),
        }
        if let Some(values) = own["values"].get(format!("{owner}.{name}")) {
            schema["enum"] = values.clone();
        }
        properties.insert(name.clone(), schema);
    }
    json!({
        "description": fields[""], "type": "object", "properties": properties,
        "required": required, "additionalProperties": false,
    })
}

#[test]
fn the_schema_is_what_the_editor_completes() {
    let own = own();
    let definitions = TYPES.map(|name| (name.to_owned(), definition(name, &own)));
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario (berth.dev/v1alpha1)",
        "$ref": "#/$defs/Scenario",
        "$defs": Map::from_iter(definitions),
    });
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("www/scenario.schema.json");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    crate::snapshot::assert_snapshot("../../www/scenario.schema.json", &committed, &text);
}

/// The fields of a type, by what its empty value is written as.
fn fields<T: Default + Serialize>() -> BTreeSet<String> {
    let value = serde_json::to_value(T::default()).unwrap();
    value.as_object().unwrap().keys().cloned().collect()
}

#[track_caller]
fn agrees<T: Default + Serialize + DeserializeOwned>(name: &str) {
    let own = own();
    let described = own["types"][name].as_object().unwrap().keys();
    let described: BTreeSet<String> = described
        .filter(|field| !field.is_empty())
        .cloned()
        .collect();
    let missing: Vec<_> = fields::<T>().difference(&described).cloned().collect();
    assert!(
        missing.is_empty(),
        "the editor does not know {name}: {missing:?}"
    );
    for field in &described {
        let (_, findings) = decode::<T>(&json!({field: null}));
        assert!(findings.is_empty(), "{name} has no field {field}");
    }
}

#[test]
fn the_schema_has_the_fields_of_the_types() {
    agrees::<Scenario>("Scenario");
    agrees::<Expectation>("Expectation");
    agrees::<Claim>("Claim");
    agrees::<ClaimReason>("ClaimReason");
    agrees::<ClaimSum>("ClaimSum");
    agrees::<Counterfactual>("Counterfactual");
    agrees::<CaseSource>("CaseSource");
    agrees::<Verified>("Verified");
    agrees::<Compare>("Compare");
    agrees::<CompareSide>("CompareSide");
    agrees::<Predict>("Predict");
    agrees::<PredictWrong>("PredictWrong");
}

#[test]
fn the_schema_has_the_values_of_the_fields() {
    let values = &own()["values"];
    assert_eq!(values["CompareSide.tieBreak"], json!(TIE_BREAKS));
    assert_eq!(values["Expectation.state"], json!(STATES));
    assert_eq!(values["Predict.ask"], json!(ASKED));
}
