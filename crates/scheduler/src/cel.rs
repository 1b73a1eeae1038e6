//! CEL for device selectors: parser, type checker, cost estimator and evaluator.
//!
//! Mirrors cel-go v0.26 with the environment that Kubernetes v1.34 declares for devices
//! (`dynamic-resource-allocation/cel`): which texts compile and with which errors, what they are
//! estimated to cost, and what they yield on a device. What Berth does not know is an error in words.
//! The reasons for an evaluator of our own are in `docs/decisions/cel.md`.
//!
//! Start at [`compile`], then [`Program::matches`]. The steps, in order: `lex`, `parse` (with
//! `macros`), `check` (with `declare` and `types`), `cost`; then `eval` with `functions`.

mod ast;
mod check;
mod cost;
mod declare;
mod errors;
mod eval;
mod factors;
mod functions;
mod lex;
mod literals;
mod macros;
mod net;
mod parse;
mod semver;
mod strings;
mod times;
mod types;
mod value;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::resource::v1::{Device, DeviceAttribute};

use ast::{Kind, Node};
use berth_base::quantity::Quantity;
use eval::{Evaluator, text_map};
use semver::Version;
use types::Type;
use value::{Map, Value};

pub use check::Rules;

/// The highest estimated cost of a selector, and the limit of an evaluation
/// (`CELSelectorExpressionMaxCost`).
pub const MAX_COST: u64 = 1_000_000;

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Program {
    root: Node,
    /// The estimated cost in the worst case.
    pub max_cost: u64,
}

/// A device as expressions see it.
#[derive(Clone, Debug)]
pub struct DeviceValue(Result<Value, String>);

/// Compiles an expression that yields a bool, or a value whose type is known only at run time.
///
/// # Errors
/// The error of cel-go, with the place in the text.
pub fn compile(text: &str, rules: Rules) -> Result<Program, String> {
    let failed = |issues: Vec<errors::Issue>| {
        format!("compilation failed: {}", errors::render(text, &issues))
    };
    let parse::Parsed {
        mut root,
        positions,
    } = parse::parse(text).map_err(failed)?;
    let checked = check::check(&mut root, &positions, rules).map_err(failed)?;
    let issues = literals::validate(&root, &checked, &positions);
    if !issues.is_empty() {
        return Err(failed(issues));
    }
    let result = checked.type_of(root.id);
    if !matches!(result, Type::Bool | Type::Any) {
        return Err(format!(
            "must evaluate to bool or the unknown type, not {}",
            result.name()
        ));
    }
    let max_cost = cost::estimate(&root, &checked);
    Ok(Program { root, max_cost })
}

impl Program {
    /// Whether the device satisfies the expression.
    ///
    /// # Errors
    /// The error that ends the scheduling cycle, without the prefix `CEL runtime error: `.
    pub fn matches(&self, device: &DeviceValue) -> Result<bool, String> {
        let device = device.0.as_ref().map_err(Clone::clone)?;
        let value = Evaluator::new(device, MAX_COST)
            .value(&self.root)
            .map_err(|failure| failure.to_string())?;
        match &value {
            Value::Bool(value) => Ok(*value),
            other => Err(format!(
                "CEL result of type {} could not be converted to bool: {}",
                other.type_name(),
                not_a_bool(other)
            )),
        }
    }

    /// The attributes and capacities that the expression names, with the device's values: `model` is `h100`.
    pub fn seen(&self, device: &DeviceValue) -> Vec<(String, String)> {
        let mut seen = Vec::new();
        if let Ok(device) = &device.0 {
            collect_seen(&self.root, device, &mut seen);
        }
        seen
    }
}

/// Go's reason why a value is not a bool.
fn not_a_bool(value: &Value) -> String {
    match value {
        Value::Int(_) => "unsupported type conversion from 'int' to bool".to_owned(),
        Value::Semver(_) => "type conversion error from 'Semver' to 'bool'".to_owned(),
        Value::Quantity(_) => "type conversion error from 'Quantity' to 'bool'".to_owned(),
        other => format!(
            "unsupported native conversion from {} to 'bool'",
            other.type_name()
        ),
    }
}

fn collect_seen(node: &Node, device: &Value, seen: &mut Vec<(String, String)>) {
    if let Some((domain, name, map)) = lookup(node) {
        let shown = look_up(device, map, &domain, &name);
        let label = format!("{domain}/{name}");
        if !seen.iter().any(|(known, _)| *known == label) {
            seen.push((label, shown.unwrap_or_else(|| "not set".to_owned())));
        }
        return;
    }
    if let Kind::Select { operand, field, .. } = &node.kind
        && matches!(&operand.kind, Kind::Ident(name) if name == "device")
        && field == "driver"
    {
        let shown = look_up(device, "", "", "driver").unwrap_or_default();
        seen.push(("driver".to_owned(), shown));
        return;
    }
    match &node.kind {
        Kind::Literal(_) | Kind::Ident(_) => {}
        Kind::Select { operand, .. } => collect_seen(operand, device, seen),
        Kind::Call { target, args, .. } => {
            for node in target.as_deref().into_iter().chain(args) {
                collect_seen(node, device, seen);
            }
        }
        Kind::List { elements, .. } => {
            for element in elements {
                collect_seen(element, device, seen);
            }
        }
        Kind::Map(entries) => {
            for entry in entries {
                collect_seen(&entry.key, device, seen);
                collect_seen(&entry.value, device, seen);
            }
        }
        Kind::Comprehension(it) => {
            for node in [&it.range, &it.init, &it.step, &it.result] {
                collect_seen(node, device, seen);
            }
        }
    }
}

/// The key of `container.key`, `container["key"]` and their optional forms, with the container.
fn keyed(node: &Node) -> Option<(&Node, &str)> {
    match &node.kind {
        Kind::Select { operand, field, .. } => Some((operand, field)),
        Kind::Call { function, args, .. } if matches!(&**function, "_[_]" | "_[?_]" | "_?._") => {
            let [container, key] = args.as_slice() else {
                return None;
            };
            match &key.kind {
                Kind::Literal(Value::String(key)) => Some((container, key)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The domain, the name, and the field of `device` of a node like `device.attributes["domain"].name`.
fn lookup(node: &Node) -> Option<(String, String, &str)> {
    let (inner, name) = keyed(node)?;
    let (outer, domain) = keyed(inner)?;
    let (root, map) = keyed(outer)?;
    let is_device = matches!(&root.kind, Kind::Ident(name) if name == "device");
    is_device.then(|| (domain.to_owned(), name.to_owned(), map))
}

fn look_up(device: &Value, map: &str, domain: &str, name: &str) -> Option<String> {
    let get = |value: &Value, key: &str| match value {
        Value::Map(map) => map
            .entries
            .get(&value::Key::String(Arc::from(key)))
            .cloned(),
        _ => None,
    };
    let found = if map.is_empty() {
        get(device, name)?
    } else {
        get(&get(&get(device, map)?, domain)?, name)?
    };
    match &found {
        Value::Quantity(quantity) => Some(quantity.to_string()),
        Value::Semver(version) => Some(version.to_string()),
        other => strings::of(other),
    }
}

impl DeviceValue {
    /// The value of `device` for a device of a driver.
    pub fn new(driver: &str, device: &Device) -> Self {
        Self(device_value(driver, device))
    }
}

/// Domain and name of a qualified name; the driver is the domain of names without one.
fn qualified<'a>(name: &'a str, driver: &'a str) -> (&'a str, &'a str) {
    name.split_once('/').unwrap_or((driver, name))
}

type Domains = BTreeMap<Arc<str>, BTreeMap<Arc<str>, Value>>;

fn device_value(driver: &str, device: &Device) -> Result<Value, String> {
    let mut attributes = Domains::new();
    // Qualified names come last, so that they win over the same name without its domain.
    let by_form = |qualified: bool| {
        device
            .attributes
            .iter()
            .flatten()
            .filter(move |(name, _)| name.contains('/') == qualified)
    };
    for (name, attribute) in by_form(false).chain(by_form(true)) {
        let value = attribute_value(attribute).map_err(|it| format!("attribute {name}: {it}"))?;
        let (domain, id) = qualified(name, driver);
        attributes
            .entry(Arc::from(domain))
            .or_default()
            .insert(Arc::from(id), value);
    }
    let mut capacity = Domains::new();
    for (name, amount) in device.capacity.iter().flatten() {
        let quantity = Quantity::parse(&amount.value.0).map_err(|it| it.to_string())?;
        let (domain, id) = qualified(name, driver);
        capacity
            .entry(Arc::from(domain))
            .or_default()
            .insert(Arc::from(id), Value::Quantity(quantity));
    }
    let shared = device.allow_multiple_allocations.unwrap_or(false);
    let fields = BTreeMap::from([
        (Arc::from("driver"), Value::string(driver)),
        (Arc::from("attributes"), by_domain(attributes)),
        (Arc::from("capacity"), by_domain(capacity)),
        (Arc::from("allowMultipleAllocations"), Value::Bool(shared)),
    ]);
    Ok(text_map(fields, None))
}

fn by_domain(domains: Domains) -> Value {
    let inner = domains
        .into_iter()
        .map(|(domain, values)| (domain, text_map(values, None)));
    let empty = Value::Map(Arc::new(Map::default()));
    text_map(inner.collect(), Some(empty))
}

fn attribute_value(attribute: &DeviceAttribute) -> Result<Value, String> {
    if let Some(number) = attribute.int {
        return Ok(Value::Int(number));
    }
    if let Some(truth) = attribute.bool {
        return Ok(Value::Bool(truth));
    }
    if let Some(text) = &attribute.string {
        return Ok(Value::string(text));
    }
    if let Some(version) = &attribute.version {
        let version =
            Version::parse(version).map_err(|it| format!("parse semantic version: {it}"))?;
        return Ok(Value::Semver(Arc::new(version)));
    }
    Err("unsupported attribute value".to_owned())
}

/// Whether a text is a semantic version.
pub fn is_version(text: &str) -> bool {
    Version::parse(text).is_ok()
}
