//! `--subresource`: the status, the scale or the resources of an object instead of the whole (kubectl v1.34).

use serde_json::{Value, json};

use crate::arguments::Flag;
use crate::call::Call;
use crate::kinds::KindInfo;
use crate::printers::fields;
use crate::printers::output::sorted;

pub const SUBRESOURCE: Flag = Flag::word("subresource");

/// The kind of a scale, as reports name it.
pub const SCALE: KindInfo = KindInfo {
    kind: "Scale",
    plural: "scales",
    singular: "scale",
    short: &[],
    api_version: "autoscaling/v1",
    namespaced: true,
    has_status: false,
    in_all: false,
    scales: false,
    template: None,
};

/// The subresource that a call names.
pub fn asked<'a>(call: &'a Call<'_>) -> Option<&'a str> {
    let word = call.arguments.word("subresource");
    word.filter(|word| !word.is_empty())
}

/// Checks that a kind has a subresource.
///
/// # Errors
/// The API server's error if it does not.
pub fn check(kind: &KindInfo, subresource: Option<&str>) -> Result<(), String> {
    let has = match subresource {
        None => true,
        Some("scale") => kind.scales,
        Some("resize") => kind.kind == "Pod",
        Some("status") => kind.has_status,
        Some(_) => false,
    };
    if has {
        return Ok(());
    }
    Err("Error from server (NotFound): the server could not find the requested resource".to_owned())
}

/// The scale of a workload, as the API server returns it.
pub fn scale_of(object: &Value) -> Value {
    let at = |path: &str| object.pointer(path).cloned();
    let mut meta = json!({});
    for field in [
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    ] {
        if let Some(value) = at(&format!("/metadata/{field}")) {
            meta[field] = value;
        }
    }
    let replicas = at("/spec/replicas").unwrap_or_else(|| 1.into());
    // Zero is left out, as it is the default.
    let spec = match replicas == 0 {
        true => json!({}),
        false => json!({"replicas": replicas}),
    };
    let mut status = json!({"replicas": at("/status/replicas").unwrap_or_else(|| 0.into())});
    if let Some(selector) = selector_of(object) {
        status["selector"] = selector.into();
    }
    json!({
        "apiVersion": SCALE.api_version,
        "kind": SCALE.kind,
        "metadata": meta,
        "spec": spec,
        "status": status,
    })
}

/// Writes the replicas of a changed scale into the workload of this name.
///
/// # Errors
/// The API server's error about a scale that is not valid.
pub fn rescale(object: &mut Value, scale: &Value, name: &str) -> Result<(), String> {
    let replicas = scale.pointer("/spec/replicas").cloned().unwrap_or_default();
    let replicas = if replicas.is_null() {
        0.into()
    } else {
        replicas
    };
    let number = replicas.as_i64().and_then(|it| i32::try_from(it).ok());
    let Some(number) = number else {
        let found = match &replicas {
            Value::String(_) => "string".to_owned(),
            Value::Bool(_) => "bool".to_owned(),
            Value::Array(_) => "array".to_owned(),
            Value::Object(_) => "object".to_owned(),
            number => format!("number {number}"),
        };
        return Err(format!(
            "The request is invalid: patch: Invalid value: {:?}: json: cannot unmarshal {found} into Go struct field ScaleSpec.spec.replicas of type int32",
            sorted(scale).to_string()
        ));
    };
    if number < 0 {
        return Err(format!(
            "The Scale {name:?} is invalid: spec.replicas: Invalid value: {number}: must be greater than or equal to 0"
        ));
    }
    if let Some(Value::Object(spec)) = object.get_mut("spec") {
        spec.insert("replicas".to_owned(), replicas);
    }
    Ok(())
}

/// The selector as text: `app=web,tier in (a,b)`; `None` if there is none. A ReplicationController's selector consists
/// of labels only.
fn selector_of(object: &Value) -> Option<String> {
    let own = object.pointer("/spec/selector")?;
    own.as_object().filter(|it| !it.is_empty())?;
    let is_labels = own.get("matchLabels").is_none() && own.get("matchExpressions").is_none();
    Some(if is_labels {
        fields::selector(&json!({"matchLabels": own}))
    } else {
        fields::selector(own)
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::commands::{fails, run, web};

    #[test]
    fn a_scale_is_an_object_of_its_own() {
        let mut cluster = web();
        let shown = run(&mut cluster, "get rs web --subresource=scale -o yaml").stdout;
        assert!(
            shown.starts_with("apiVersion: autoscaling/v1\nkind: Scale\nmetadata:\n"),
            "{shown}"
        );
        assert!(
            shown
                .ends_with("\nspec:\n  replicas: 2\nstatus:\n  replicas: 2\n  selector: app=web\n"),
            "{shown}"
        );
        let output = run(
            &mut cluster,
            r#"patch rs web --subresource=scale --type=merge -p {"spec":{"replicas":3}}"#,
        );
        assert_eq!(
            output.stdout, "scale.autoscaling/web patched\n",
            "{output:?}"
        );
        let shown = run(
            &mut cluster,
            "get rs web --subresource=status -o jsonpath={.spec.replicas}",
        );
        assert_eq!(shown.stdout, "3");
        let shown = run(&mut cluster, "get rs/web --subresource=scale");
        assert_eq!(
            shown.stdout,
            "NAME   DESIRED   AVAILABLE   AGE\nweb    3         3           5s\n"
        );
    }

    #[test]
    fn unsupported_subresources_are_rejected() {
        let mut cluster = web();
        fails(
            &mut cluster,
            "get rs web --subresource=logs",
            "Error from server (NotFound): the server could not find the requested resource",
        );
        fails(
            &mut cluster,
            "get node n1 --subresource=scale",
            "Error from server (NotFound): the server could not find the requested resource",
        );
        fails(
            &mut cluster,
            "get pods --subresource=status -A",
            "error: subresource cannot be used when bulk resources are specified",
        );
    }
}
