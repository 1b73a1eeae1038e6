//! The Go structures behind the API's types: how they encode to JSON, and how Go's decoder names their fields.
//!
//! `shapes/types.txt` has a line for each structure of `k8s.io/api` (v1.36) that a kind contains: `Name: key type,
//! …` in the order of Go's fields. A key without a type is a string; `!` marks a key that is encoded even if it is
//! empty (no `omitempty`), `?` a structure that is left out if it is zero (`omitzero`), `^` an embedded structure.
//! Of types, `@` marks a named string, `~` a named map. `Name@v2` is a root of another version than v1.

mod display;
mod internal;
mod later;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use berth_base::sort;

pub use display::as_served;
pub(crate) use internal::key_of;
pub use internal::{difference, internal};
pub use later::{is_later, take_later};

const TYPES: &str = include_str!("shapes/types.txt");

static SHAPES: LazyLock<BTreeMap<&'static str, Vec<Field>>> = LazyLock::new(|| {
    let lines = TYPES.lines().filter_map(|line| {
        let (name, fields) = line.split_once(": ")?;
        let name = name.split('@').next().unwrap_or(name);
        Some((name, fields.split(", ").map(field).collect()))
    });
    sort::gather(lines)
});

/// When Go encodes a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoded {
    /// Always.
    Always,
    /// Unless it is empty; a structure never is (`omitempty`).
    IfNotEmpty,
    /// Unless it is zero (`omitzero`).
    IfNotZero,
}

/// A field of a structure.
#[derive(Debug)]
struct Field {
    /// Its key in JSON; empty for an embedded structure.
    key: &'static str,
    kind: &'static str,
    encoded: Encoded,
}

fn field(text: &'static str) -> Field {
    if let Some(kind) = text.strip_prefix('^') {
        let (key, encoded) = ("", Encoded::Always);
        return Field { key, kind, encoded };
    }
    let (key, kind) = text.split_once(' ').unwrap_or((text, "string"));
    let (key, encoded) = match key.strip_suffix('!') {
        Some(key) => (key, Encoded::Always),
        None => match key.strip_suffix('?') {
            Some(key) => (key, Encoded::IfNotZero),
            None => (key, Encoded::IfNotEmpty),
        },
    };
    Field { key, kind, encoded }
}

/// The fields of a structure; `None` for any other type.
fn fields(kind: &str) -> Option<&'static [Field]> {
    SHAPES.get(kind).map(Vec::as_slice)
}

/// A field of a structure or of one that it embeds: its type, and the names of the embedded structures around it.
fn find(structure: &str, key: &str) -> Option<(&'static str, Vec<&'static str>)> {
    let fields = fields(structure)?;
    if let Some(field) = fields.iter().find(|it| it.key == key) {
        return Some((field.kind, Vec::new()));
    }
    let embedded = fields.iter().filter(|field| field.key.is_empty());
    for field in embedded {
        if let Some((kind, mut within)) = find(field.kind, key) {
            within.insert(0, field.kind);
            return Some((kind, within));
        }
    }
    None
}

/// A step from a value into a part of it.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// A field of a structure.
    Field(&'a str),
    /// An item of a list, or an entry of a map.
    Item,
}

/// The place that some steps reach from an object of a kind, as Go's decoder names it: the structure that has the
/// field, the way to it from the root, and its type (`Go struct field PodSpec.spec.containers of type
/// []v1.Container`).
pub fn go_field(root: &str, steps: &[Step<'_>]) -> Option<String> {
    let version = if root == "HorizontalPodAutoscaler" {
        "v2."
    } else {
        "v1."
    };
    let mut kind = SHAPES.get_key_value(root).map(|(root, _)| *root)?;
    let mut owner = kind;
    let mut way: Vec<&str> = Vec::new();
    for step in steps {
        match step {
            Step::Field(name) => {
                owner = kind.trim_start_matches('*');
                let (next, within) = find(owner, name)?;
                way.extend(within);
                way.push(name);
                kind = next;
            }
            Step::Item => kind = item_of(kind)?,
        }
    }
    let owner = owner.rsplit('.').next().unwrap_or(owner);
    let (way, kind) = (way.join("."), go_type(kind, version));
    Some(format!("Go struct field {owner}.{way} of type {kind}"))
}

/// The type of a list's items or a map's values.
fn item_of(kind: &'static str) -> Option<&'static str> {
    let kind = kind.trim_start_matches('*');
    if let Some(item) = kind.strip_prefix("[]") {
        return Some(item);
    }
    if let Some((_, value)) = kind
        .strip_prefix("map[")
        .and_then(|rest| rest.split_once(']'))
    {
        return Some(value);
    }
    kind.starts_with('~').then_some("Quantity")
}

/// A type as Go prints it.
fn go_type(kind: &'static str, version: &str) -> String {
    let kind = kind.trim_start_matches('*');
    if let Some(item) = kind.strip_prefix("[]") {
        return format!("[]{}", go_type(item, version));
    }
    let bare = kind.trim_start_matches(['@', '~']);
    match bare {
        "byte" => "uint8".to_owned(),
        // These decode themselves, from a plain value.
        "IntOrString" => "int32".to_owned(),
        "Time" | "MicroTime" => "string".to_owned(),
        "string" | "bool" | "int32" | "int64" | "types.UID" => bare.to_owned(),
        _ if bare.starts_with("map[") => bare.to_owned(),
        "LabelSelector"
        | "ObjectMeta"
        | "OwnerReference"
        | "LabelSelectorRequirement"
        | "ConditionStatus"
        | "ResourceName" => format!("v1.{bare}"),
        _ => {
            let name = bare.rsplit('.').next().unwrap_or(bare);
            format!("{version}{name}")
        }
    }
}

/// A message of Go's decoder without the names of embedded structures, as releases before 1.35 print it.
pub fn without_embedded(message: &str) -> String {
    let Some((opening, rest)) = message.split_once("Go struct field ") else {
        return message.to_owned();
    };
    let (place, closing) = rest.split_once(" of type ").unwrap_or((rest, ""));
    let is_kept = |(place, name): &(usize, &str)| {
        *place == 0 || !name.starts_with(|letter: char| letter.is_ascii_uppercase())
    };
    let names: Vec<&str> = place
        .split('.')
        .enumerate()
        .filter(is_kept)
        .map(|(_, name)| name)
        .collect();
    format!(
        "{opening}Go struct field {} of type {closing}",
        names.join(".")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(root: &str, path: &str) -> Option<String> {
        let steps: Vec<Step<'_>> = path
            .split('.')
            .map(|step| match step {
                "0" => Step::Item,
                field => Step::Field(field),
            })
            .collect();
        go_field(root, &steps)
    }

    #[test]
    fn fields_are_named_as_by_gos_decoder() {
        for (root, path, field) in [
            (
                "Pod",
                "spec.containers",
                "PodSpec.spec.containers of type []v1.Container",
            ),
            (
                "Pod",
                "spec.containers.0",
                "PodSpec.spec.containers of type v1.Container",
            ),
            (
                "Pod",
                "metadata.labels.0",
                "ObjectMeta.metadata.labels of type string",
            ),
            (
                "Pod",
                "spec.volumes.0.hostPath.path",
                "HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of type string",
            ),
            (
                "Pod",
                "spec.volumes.0.emptyDir",
                "Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
            ),
            (
                "HorizontalPodAutoscaler",
                "spec.metrics.0.type",
                "MetricSpec.spec.metrics.type of type v2.MetricSourceType",
            ),
            ("Secret", "data.0", "Secret.data of type []uint8"),
        ] {
            let named = name(root, path);
            assert_eq!(named, Some(format!("Go struct field {field}")), "{path}");
        }
        assert_eq!(name("Pod", "spec.nothing"), None);
        let port = name("Service", "spec.ports.0.targetPort");
        assert_eq!(
            port.as_deref(),
            Some("Go struct field ServicePort.spec.ports.targetPort of type int32")
        );
    }

    #[test]
    fn every_type_that_a_field_names_is_known_or_plain() {
        let plain = [
            "string",
            "bool",
            "int32",
            "int64",
            "Quantity",
            "IntOrString",
            "Time",
        ];
        let rare = ["MicroTime", "Raw", "byte", "RawExtension", "FieldsV1"];
        for (name, fields) in SHAPES.iter() {
            for field in fields {
                let mut kind = field.kind.trim_start_matches('*');
                while let Some(item) = item_of(kind) {
                    kind = item.trim_start_matches('*');
                }
                let known = kind.starts_with('@') || plain.contains(&kind) || rare.contains(&kind);
                assert!(
                    known || SHAPES.contains_key(kind),
                    "{name}.{}: {kind}",
                    field.key
                );
            }
        }
    }

    #[test]
    fn older_releases_do_not_name_embedded_structures() {
        assert_eq!(
            without_embedded("x Go struct field Volume.spec.VolumeSource.csi of type v1.CSI"),
            "x Go struct field Volume.spec.csi of type v1.CSI"
        );
    }
}
