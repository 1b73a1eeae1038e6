//! Which fields take one of a few values, and what each means: `enums.txt`. That the fields exist is checked.

use serde_json::{Map, Value};

const TEXT: &str = include_str!("enums.txt");

/// Values that the API server refuses while an alpha gate is off; the editor does not offer them.
const GATED: [(&str, &str); 2] = [("Toleration.operator", "Gt"), ("Toleration.operator", "Lt")];

/// Values that the reference gives in prose alone, where the editor offers them.
const IN_PROSE: (&str, &str) = (
    "CSIDriverSpec.fsGroupPolicy",
    "File,None,ReadWriteOnceWithFSType",
);

/// The fields and the values of one paragraph of the table.
#[derive(Default)]
struct Enum {
    fields: Vec<&'static str>,
    /// Each value with what it means; that is empty if the reference says nothing.
    values: Vec<(&'static str, &'static str)>,
}

fn table() -> Vec<Enum> {
    let mut all: Vec<Enum> = Vec::new();
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix("  "), all.last_mut()) {
            (Some(value), Some(last)) => {
                let (value, about) = value.split_once('|').unwrap_or((value, ""));
                let value = if value == "\"\"" { "" } else { value };
                last.values.push((value, about));
            }
            _ => all.push(Enum {
                fields: line.split(' ').collect(),
                values: Vec::new(),
            }),
        }
    }
    all
}

/// The values of each field, separated by commas.
///
/// # Errors
///
/// A field that no type has.
pub fn enums(types: &Map<String, Value>, for_editor: bool) -> Result<Map<String, Value>, String> {
    let mut enums = Map::new();
    let mut add = |field: &str, values: String| -> Result<(), String> {
        let (kind, name) = field.split_once('.').unwrap_or((field, ""));
        let (kind, name) = match types.contains_key(kind) {
            true => (kind, name),
            // `discovery.v1.EndpointPort.protocol`
            false => field.rsplit_once('.').unwrap_or((field, "")),
        };
        let fields = types.get(kind);
        if fields.and_then(|fields| fields.get(name)).is_none() {
            return Err(format!("there is no field {field}"));
        }
        enums.insert(field.to_string(), values.into());
        Ok(())
    };
    for Enum { fields, values } in table() {
        for field in fields {
            let is_offered = |value: &&str| !for_editor || !GATED.contains(&(field, *value));
            let values = values.iter().map(|(value, _)| *value);
            let values: Vec<&str> = values.filter(is_offered).collect();
            add(field, values.join(","))?;
        }
    }
    if for_editor {
        add(IN_PROSE.0, IN_PROSE.1.to_string())?;
    }
    enums.sort_keys();
    Ok(enums)
}

/// What the API server's OpenAPI adds to the description of a field that takes one of a few values.
pub fn meanings(kind: &str, field: &str) -> String {
    let name = format!("{kind}.{field}");
    let table = table();
    let Some(own) = table.iter().find(|it| it.fields.contains(&name.as_str())) else {
        return String::new();
    };
    let lines = own.values.iter().map(|(value, about)| {
        let space = if about.is_empty() { "" } else { " " };
        format!("\n - `\"{value}\"`{space}{about}")
    });
    format!("\n\nPossible enum values:{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_that_is_gone_is_an_error() {
        assert!(enums(&Map::new(), true).is_err());
    }

    #[test]
    fn values_are_sorted_and_fields_listed_once() {
        let mut types = Map::new();
        let all = table();
        let fields = all.iter().flat_map(|it| it.fields.iter());
        for field in fields.copied().chain([IN_PROSE.0]) {
            let (kind, name) = field.rsplit_once('.').expect("a field");
            let fields = types.entry(kind).or_insert_with(|| json!({}));
            assert!(fields[name].is_null(), "{field} is listed twice");
            fields[name] = "string|".into();
        }
        let enums = enums(&types, true).expect("all are there");
        for (field, values) in &enums {
            let values: Vec<&str> = values.as_str().expect("text").split(',').collect();
            assert!(values.is_sorted(), "{field}: {values:?}");
        }
        assert_eq!(enums["Toleration.operator"], "Equal,Exists");
    }

    #[test]
    fn what_values_mean_is_told_behind_the_description() {
        assert_eq!(
            meanings("ImageVolumeSource", "reference"),
            "",
            "no few values"
        );
        let told = meanings("CronJobSpec", "concurrencyPolicy");
        assert!(
            told.starts_with("\n\nPossible enum values:\n - `\"Allow\"` allows CronJobs to run concurrently.\n - `\"Forbid\"` "),
            "{told}"
        );
    }
}
