//! Converts objects from other served versions to the version in the table of kinds.

use serde_json::{Map, Value, json};

/// Kinds with another served version.
const SERVED: [(&str, &str); 1] = [("HorizontalPodAutoscaler", "autoscaling/v1")];

/// Whether a kind is also served in this version.
pub(in crate::api) fn is_served(kind: &str, api_version: &str) -> bool {
    SERVED.contains(&(kind, api_version))
}

/// Converts an object in another served version to the version in the table of kinds.
pub fn convert(object: &mut Map<String, Value>) {
    let text = |field: &str| {
        object
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    if is_served(text("kind"), text("apiVersion")) {
        autoscaler(object);
    }
}

/// An object that was made in another served version, as that version shows it.
pub fn convert_back(object: &mut Value, api_version: &str) {
    let kind = object.get("kind").and_then(Value::as_str);
    if !is_served(kind.unwrap_or_default(), api_version) {
        return;
    }
    let percent = object.pointer("/spec/metrics/0/resource/target/averageUtilization");
    let percent = percent.cloned();
    let Some(map) = object.as_object_mut() else {
        return;
    };
    map.insert("apiVersion".to_owned(), api_version.into());
    if let Some(Value::Object(spec)) = map.get_mut("spec") {
        spec.shift_remove("metrics");
        let field = "targetCPUUtilizationPercentage".to_owned();
        spec.extend(percent.map(|percent| (field, percent)));
    }
    let status = map.entry("status").or_insert_with(|| json!({}));
    if let Value::Object(status) = status {
        status.shift_remove("currentMetrics");
        for count in ["currentReplicas", "desiredReplicas"] {
            status.entry(count).or_insert_with(|| 0.into());
        }
    }
}

/// `autoscaling/v1` has one metric: CPU utilization in percent of the request.
fn autoscaler(object: &mut Map<String, Value>) {
    object.insert("apiVersion".to_owned(), "autoscaling/v2".into());
    let resource = |field: &str, value: Value| {
        let mut metric = json!({"type": "Resource", "resource": {"name": "cpu"}});
        metric["resource"][field] = value;
        Value::Array(vec![metric])
    };
    if let Some(Value::Object(spec)) = object.get_mut("spec")
        && let Some(percent) = spec.shift_remove("targetCPUUtilizationPercentage")
    {
        let target = json!({"type": "Utilization", "averageUtilization": percent});
        spec.insert("metrics".to_owned(), resource("target", target));
    }
    if let Some(Value::Object(status)) = object.get_mut("status")
        && let Some(percent) = status.shift_remove("currentCPUUtilizationPercentage")
    {
        let current = json!({"averageUtilization": percent});
        status.insert("currentMetrics".to_owned(), resource("current", current));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_version_of_autoscalers_is_the_second_with_one_metric() {
        let mut object = json!({
            "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler",
            "spec": {"maxReplicas": 3, "targetCPUUtilizationPercentage": 50},
        });
        if let Value::Object(object) = &mut object {
            convert(object);
        }
        let expected = json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "spec": {"maxReplicas": 3, "metrics": [{
                "type": "Resource",
                "resource": {
                    "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50},
                },
            }]},
        });
        assert_eq!(object, expected);
        convert_back(&mut object, "autoscaling/v1");
        let spec = json!({"maxReplicas": 3, "targetCPUUtilizationPercentage": 50});
        assert_eq!(object["apiVersion"], "autoscaling/v1");
        assert_eq!(object["spec"], spec);
        let status = json!({"currentReplicas": 0, "desiredReplicas": 0});
        assert_eq!(object["status"], status);
    }
}
