//! `kubectl set env --list` (kubectl v1.34 `pkg/cmd/set/set_env.go`, `env/env_resolve.go`).

use serde_json::Value;

use crate::Output;
use crate::printers::fields::Fields;

/// Lists the variables of an object's containers that `is_meant` takes: first those of the main ones.
pub(super) fn list(
    kind: &str,
    name: &str,
    spec: &Value,
    is_meant: &dyn Fn(&Value) -> bool,
    output: &mut Output,
) {
    let containers = spec.items("containers").iter();
    let all = containers.chain(spec.items("initContainers"));
    for container in all.filter(|it| is_meant(it)) {
        let own = container.text("name");
        output.line(format!("# {kind} {name}, container {own}"));
        for variable in container.items("env") {
            let name = variable.text("name");
            match variable.get("valueFrom") {
                None => output.line(format!("{name}={}", variable.text("value"))),
                Some(source) => output.line(format!("# {name} from {}", source_of(source))),
            }
        }
    }
}

/// Where a value comes from (`GetEnvVarRefString`).
fn source_of(source: &Value) -> String {
    let key = |kind: &str, field: &str| {
        let (name, key) = (source.at(field).text("name"), source.at(field).text("key"));
        format!("{kind} {name}, key {key}")
    };
    if source.get("configMapKeyRef").is_some() {
        return key("configmap", "configMapKeyRef");
    }
    if source.get("secretKeyRef").is_some() {
        return key("secret", "secretKeyRef");
    }
    if source.get("fieldRef").is_some() {
        return format!("field path {}", source.text("fieldRef.fieldPath"));
    }
    if source.get("resourceFieldRef").is_some() {
        let resource = source.text("resourceFieldRef.resource");
        let container = source.text("resourceFieldRef.containerName");
        let slash = if container.is_empty() { "" } else { "/" };
        return format!("resource field {container}{slash}{resource}");
    }
    "invalid valueFrom".to_owned()
}
