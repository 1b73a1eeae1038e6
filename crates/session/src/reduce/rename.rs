//! New names in place of all that are private, by construction: each text that is not known to be everybody's is replaced,
//! the same by the same, so that references stay, and in an order that keeps that of the old ones.

use std::collections::BTreeMap;

use berth_base::quantity::Quantity;
use serde_json::{Map, Value};

use super::names::{holds_amounts, is_free, is_listed, is_well_known};

/// The letters of new names; from the 27th on, numbers.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// Old names with their new ones.
pub(super) type Key = BTreeMap<String, String>;

/// What a text names, in the order in which a text that names several things is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Node(&'static str),
    Namespace,
    Target,
    /// Its name sorts before that of the target.
    Before,
    /// After it.
    After,
    Resource,
    LabelKey,
    Attribute,
    Zone,
    Region,
    Address,
    Driver,
    Value,
    Request,
    Container,
    Image,
    Object(&'static str),
}

impl Role {
    /// The word in its new names.
    fn word(self) -> &'static str {
        match self {
            Self::Node(word) | Self::Object(word) => word,
            Self::Namespace => "team",
            // In the order of the alphabet.
            Self::Before => "running",
            Self::Target => "web",
            Self::After => "worker",
            Self::Resource => "resource",
            Self::LabelKey => "label",
            Self::Attribute => "attribute",
            Self::Zone => "zone",
            Self::Region => "region",
            Self::Address => "address",
            Self::Driver => "driver",
            Self::Value => "value",
            Self::Request => "request",
            Self::Container => "c",
            Self::Image => "app",
        }
    }

    /// Whether a name of its own needs no letter.
    fn is_singular(self) -> bool {
        matches!(self, Self::Target | Self::Container | Self::Image)
    }

    /// Names that are compared with each other: their order stays.
    fn family(self) -> u8 {
        match self {
            Self::Node(_) => 0,
            Self::Target | Self::Before | Self::After => 1,
            Self::Namespace => 2,
            Self::LabelKey => 3,
            Self::Resource => 4,
            Self::Driver => 5,
            Self::Address => 6,
            Self::Zone => 7,
            Self::Region => 8,
            Self::Value => 9,
            Self::Container => 10,
            Self::Image => 11,
            Self::Object(_) => 12,
            Self::Attribute => 13,
            Self::Request => 14,
        }
    }
}

/// Documents under new names. `target`: namespace and name of the Pod of the claim.
pub(super) fn renamed(documents: &[Value], target: (&str, &str)) -> (Vec<Value>, Key) {
    let mut texts = Texts {
        roles: BTreeMap::new(),
        target,
        uses_default: false,
    };
    for document in documents {
        texts.gather(document);
    }
    let key = texts.key();
    let documents = documents
        .iter()
        .map(|document| renamed_document(document, &key));
    (documents.collect(), key)
}

/// The texts that get new names, with what they name.
struct Texts<'t> {
    roles: BTreeMap<String, Role>,
    target: (&'t str, &'t str),
    /// Whether something is in namespace `default`.
    uses_default: bool,
}

impl Texts<'_> {
    fn gather(&mut self, document: &Value) {
        let kind = document.get("kind").and_then(Value::as_str);
        let kind = kind.unwrap_or_default();
        let at = |path: &str| document.pointer(path).and_then(Value::as_str);
        let name = at("/metadata/name").unwrap_or_default();
        let role = match kind {
            "Node" => Role::Node(node_word(document)),
            "Pod" if (at("/metadata/namespace").unwrap_or("default"), name) == self.target => {
                Role::Target
            }
            "Pod" if name < self.target.1 => Role::Before,
            "Pod" => Role::After,
            "Namespace" => Role::Namespace,
            "PersistentVolumeClaim" => Role::Object("data"),
            "PersistentVolume" => Role::Object("volume"),
            "StorageClass" => Role::Object("class"),
            "CSIDriver" => Role::Driver,
            "ResourceClaim" => Role::Object("claim"),
            "DeviceClass" => Role::Object("devices"),
            "PriorityClass" => Role::Object("priority"),
            _ => Role::Object("object"),
        };
        // An object of a node has its name.
        if !matches!(kind, "CSINode") {
            self.add(name, role);
        }
        self.walk(document, "", "", kind);
    }

    /// `field`: the name of the field that holds the value; `of`: that of the map or list around it.
    fn walk(&mut self, value: &Value, field: &str, of: &str, kind: &str) {
        match value {
            Value::Array(items) => {
                for item in items {
                    match item {
                        Value::Object(map) => self.fields(map, field, kind),
                        item => self.walk(item, field, of, kind),
                    }
                }
            }
            Value::Object(map) if has_free_keys(field, map) => {
                for (key, value) in map {
                    self.add_parts(key, key_role(field, kind));
                    if !is_amount(field, value) {
                        self.walk(value, "value", key, kind);
                    }
                }
            }
            Value::Object(map) => self.fields(map, field, kind),
            Value::String(text) if !keeps(field, of, text, kind) => {
                if field == "expression" {
                    literals(text).for_each(|it| self.add(it, Role::Value));
                } else {
                    self.add_parts(text, text_role(field, of));
                }
            }
            _ => {}
        }
    }

    /// The fields of an object that the API server names.
    fn fields(&mut self, map: &Map<String, Value>, of: &str, kind: &str) {
        for (key, value) in map {
            let label = match key.as_str() {
                "values" | "value" => map.get("key").and_then(Value::as_str),
                _ => None,
            };
            self.walk(value, key, label.unwrap_or(of), kind);
        }
    }

    /// `DRIVER/ATTRIBUTE` and `REQUEST/ALTERNATIVE` name two things.
    fn add_parts(&mut self, text: &str, role: Role) {
        match (role, text.split_once('/')) {
            (Role::Attribute, Some((driver, attribute))) => {
                self.add(driver, Role::Driver);
                self.add(attribute, role);
            }
            (Role::Request, Some((request, alternative))) => {
                self.add(request, role);
                self.add(alternative, role);
            }
            _ => self.add(text, role),
        }
    }

    fn add(&mut self, text: &str, role: Role) {
        self.uses_default |= text == "default";
        if is_well_known(text) {
            return;
        }
        let known = self.roles.entry(text.to_owned()).or_insert(role);
        *known = role.min(*known);
    }

    /// New names for all: telling ones if these keep the order, else with the letter of the order in front.
    fn key(&self) -> Key {
        let mut families: BTreeMap<u8, Vec<(&str, Role)>> = BTreeMap::new();
        for (text, role) in &self.roles {
            families
                .entry(role.family())
                .or_default()
                .push((text, *role));
        }
        let named = families.into_values().flat_map(|family| {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
            for (_, role) in &family {
                *totals.entry(role.word()).or_default() += 1;
            }
            // The only namespace need not be named.
            if let ([(text, Role::Namespace)], false) = (family.as_slice(), self.uses_default) {
                return vec![((*text).to_owned(), "default".to_owned())];
            }
            let telling = family.iter().map(|(_, role)| {
                let count = counts.entry(role.word()).or_default();
                let total = totals.get(role.word()).copied().unwrap_or(0);
                let ordinal = ordinal(*count, total);
                *count += 1;
                match total == 1 && role.is_singular() {
                    true => role.word().to_owned(),
                    false => complete(*role, format!("{}-{ordinal}", role.word())),
                }
            });
            let telling: Vec<String> = telling.collect();
            let names = match telling.is_sorted() {
                true => telling,
                false => {
                    let all = family.iter().enumerate();
                    let in_order = all.map(|(index, (_, role))| {
                        let ordinal = ordinal(index, family.len());
                        complete(*role, format!("{ordinal}-{}", role.word()))
                    });
                    in_order.collect()
                }
            };
            let texts = family.iter().map(|(text, _)| (*text).to_owned());
            texts.zip(names).collect::<Vec<(String, String)>>()
        });
        named.collect()
    }
}

/// `a`, `b` …; with more than 26, numbers of one width.
fn ordinal(index: usize, of: usize) -> String {
    match LETTERS.chars().nth(index).filter(|_| of <= LETTERS.len()) {
        Some(letter) => letter.to_string(),
        None => format!("n{index:04}"),
    }
}

/// Some names need a domain, or are addresses.
fn complete(role: Role, name: String) -> String {
    match role {
        Role::Resource => format!("example.com/{name}"),
        Role::Driver => format!("{name}.example.com"),
        // As in expressions.
        Role::Attribute => name.replace('-', "_"),
        // Documentation addresses (RFC 5737); their letters are hexadecimal digits of the last byte.
        Role::Address => {
            let letter = name.chars().rev().find(char::is_ascii_alphabetic);
            let index = letter.and_then(|letter| LETTERS.find(letter)).unwrap_or(0);
            format!("192.0.2.{}", index + 10)
        }
        _ => name,
    }
}

/// What a node is like, in a word.
fn node_word(node: &Value) -> &'static str {
    let has = |path: &str, text: &str| {
        let value = node.pointer(path);
        value.is_some_and(|value| value.to_string().contains(text))
    };
    if has("/metadata/labels", "node-role.kubernetes.io/control-plane")
        || has("/spec/taints", "node-role.kubernetes.io/control-plane")
    {
        "control-plane"
    } else if has("/status/allocatable", "gpu") {
        "gpu"
    } else if has("/spec/unschedulable", "true") {
        "cordoned"
    } else if has("/spec/taints", "key") {
        "tainted"
    } else {
        "general"
    }
}

fn key_role(field: &str, kind: &str) -> Role {
    match field {
        _ if kind == "ResourceSlice" && field != "labels" => Role::Attribute,
        _ if holds_amounts(field) => Role::Resource,
        _ => Role::LabelKey,
    }
}

fn text_role(field: &str, of: &str) -> Role {
    match (field, of) {
        ("value" | "values", key) if key.ends_with("/zone") => Role::Zone,
        ("value" | "values", key) if key.ends_with("/region") => Role::Region,
        ("value" | "values", _) => Role::Value,
        ("key" | "topologyKey" | "matchLabelKeys" | "topologyKeys", _) => Role::LabelKey,
        ("namespace" | "namespaces", _) => Role::Namespace,
        ("hostIP" | "ip", _) => Role::Address,
        ("driver" | "provisioner", _) => Role::Driver,
        ("matchAttribute" | "distinctAttribute", _) => Role::Attribute,
        ("request", _) | ("name", "requests" | "firstAvailable") => Role::Request,
        ("name", "containers" | "initContainers") => Role::Container,
        ("image", _) => Role::Image,
        ("claimName", _) => Role::Object("data"),
        _ => Role::Object("object"),
    }
}

/// Whether a text is one of a list, an amount, or a number to compare with.
fn keeps(field: &str, of: &str, text: &str, kind: &str) -> bool {
    let is_plugin = kind == "KubeSchedulerConfiguration"
        && field == "name"
        && text.chars().next().is_some_and(char::is_uppercase);
    is_listed(field)
        || is_plugin
        || (field == "version" && kind == "ResourceSlice")
        || ((holds_amounts(of) || holds_amounts(field)) && Quantity::parse(text).is_ok())
        // Gt and Lt compare numbers.
        || (matches!(field, "value" | "values") && text.parse::<i64>().is_ok())
}

fn is_amount(field: &str, value: &Value) -> bool {
    holds_amounts(field)
        && value
            .as_str()
            .is_none_or(|text| Quantity::parse(text).is_ok())
}

/// The literals of a CEL expression that are no amounts.
fn literals(expression: &str) -> impl Iterator<Item = &str> {
    let quoted = expression.split(['"', '\'']).skip(1).step_by(2);
    quoted.filter(|text| Quantity::parse(text).is_err())
}

/// Whether the keys of the map in a field are names.
fn has_free_keys(field: &str, map: &Map<String, Value>) -> bool {
    is_free(field) && !map.contains_key("nodeSelectorTerms")
}

/// A document under new names. Its Scenario has none yet.
fn renamed_document(document: &Value, key: &Key) -> Value {
    match document.get("kind").and_then(Value::as_str) {
        Some("Scenario") => document.clone(),
        _ => replaced(document, "", key),
    }
}

/// A value under new names.
fn replaced(value: &Value, field: &str, key: &Key) -> Value {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| match item {
                Value::Object(map) => Value::Object(replaced_fields(map, key)),
                item => replaced(item, field, key),
            });
            Value::Array(items.collect())
        }
        Value::Object(map) if has_free_keys(field, map) => {
            let entries = map.iter();
            let entries =
                entries.map(|(name, value)| (new(name, key), replaced(value, "value", key)));
            Value::Object(entries.collect())
        }
        Value::Object(map) => Value::Object(replaced_fields(map, key)),
        Value::String(text) if field == "expression" => Value::String(in_expression(text, key)),
        Value::String(text) if !is_listed(field) => Value::String(new(text, key)),
        scalar => scalar.clone(),
    }
}

fn replaced_fields(map: &Map<String, Value>, key: &Key) -> Map<String, Value> {
    let entries = map.iter();
    let entries = entries.map(|(name, value)| (name.clone(), replaced(value, name, key)));
    entries.collect()
}

/// The new name of a text, or of the two parts that it is made of.
fn new(text: &str, key: &Key) -> String {
    if let Some(new) = key.get(text) {
        return new.clone();
    }
    let part = |part: &str| key.get(part).cloned().unwrap_or_else(|| part.to_owned());
    match text.split_once('/') {
        Some((first, second)) if !is_well_known(text) => {
            format!("{}/{}", part(first), part(second))
        }
        _ => text.to_owned(),
    }
}

/// An expression with new literals, and new names of attributes.
fn in_expression(expression: &str, key: &Key) -> String {
    let mut out = String::new();
    let mut is_literal = false;
    for part in expression.split_inclusive(['"', '\'']) {
        let text = part.trim_end_matches(['"', '\'']);
        if is_literal {
            out.push_str(&new(text, key));
        } else {
            let words = text.split_inclusive(|letter: char| !is_of_word(letter));
            for word in words {
                let name = word.trim_end_matches(|letter: char| !is_of_word(letter));
                out.push_str(&new(name, key));
                out.push_str(word.get(name.len()..).unwrap_or_default());
            }
        }
        out.push_str(part.get(text.len()..).unwrap_or_default());
        is_literal = !is_literal;
    }
    out
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::renamed;
    use serde_json::json;

    #[test]
    fn names_are_new_and_keep_their_order_and_references() {
        let documents = [
            json!({"kind": "Scenario", "apiVersion": "berth.dev/v1alpha1", "kubernetes": "1.36"}),
            json!({"kind": "Node", "metadata": {"name": "ip-10-0-0-9", "labels": {
                "corp.example.org/pool": "payments", "kubernetes.io/hostname": "ip-10-0-0-9",
                "topology.kubernetes.io/zone": "eu-1a"}},
                "status": {"allocatable": {"cpu": "4", "corp.example.org/fpga": "1"}}}),
            json!({"kind": "Node", "metadata": {"name": "ip-10-0-0-10"},
                "spec": {"taints": [{"key": "corp.example.org/pool", "value": "payments", "effect": "NoSchedule"}]}}),
            json!({"kind": "Pod", "metadata": {"name": "secret-0", "namespace": "shop"}, "spec": {
                "nodeSelector": {"corp.example.org/pool": "payments"},
                "containers": [{"name": "main", "image": "registry.corp/app:1",
                    "resources": {"requests": {"cpu": "500m", "corp.example.org/fpga": "1"}}}]}}),
        ];
        let (new, key) = renamed(&documents, ("shop", "secret-0"));
        assert_eq!(new[0], documents[0]);
        // ip-10-0-0-10 sorts before ip-10-0-0-9: words alone would not.
        assert_eq!(new[1]["metadata"]["name"], "b-general");
        assert_eq!(
            new[1]["metadata"]["labels"]["kubernetes.io/hostname"],
            "b-general"
        );
        assert_eq!(
            new[1]["metadata"]["labels"]["topology.kubernetes.io/zone"],
            "zone-a"
        );
        assert_eq!(new[1]["status"]["allocatable"]["cpu"], "4");
        assert_eq!(
            new[1]["status"]["allocatable"]["example.com/resource-a"],
            "1"
        );
        let [taint] = new[2]["spec"]["taints"].as_array().unwrap().as_slice() else {
            panic!("{new:?}");
        };
        assert_eq!(
            taint,
            &json!({"key": "label-a", "value": "value-a", "effect": "NoSchedule"})
        );
        assert_eq!(
            new[3]["spec"]["nodeSelector"],
            json!({"label-a": "value-a"})
        );
        assert_eq!(
            new[3]["metadata"],
            json!({"name": "web", "namespace": "default"})
        );
        let all = json!(new).to_string();
        for old in [
            "ip-10", "corp", "payments", "secret", "shop", "eu-1a", "registry",
        ] {
            assert!(!all.contains(old), "{old}: {all}");
        }
        let (first, second) = (&key["ip-10-0-0-10"], &key["ip-10-0-0-9"]);
        assert!(first < second, "{first} {second}");
    }
}
