//! The evaluation of a checked expression, with cel-go's run-time costs and their limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{Comprehension, Kind, Node};
use super::functions::{self, bad_overload};
use super::value::{Key, Map, Value};

/// Why an evaluation has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An error of the expression; logical operators may absorb it.
    Error(String),
    /// The limit of the cost is exceeded: nothing absorbs it.
    TooCostly,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Error(message) => f.write_str(message),
            Failure::TooCostly => f.write_str("operation cancelled: actual cost limit exceeded"),
        }
    }
}

/// The value, or why there is none.
pub type Evaluated = Result<Value, Failure>;

/// An error of the expression.
pub fn error(message: impl Into<String>) -> Failure {
    Failure::Error(message.into())
}

enum Slot<'a> {
    Known(Evaluated),
    /// The value of `cel.bind`, evaluated when it is first needed.
    Later(&'a Node),
}

/// The most elements and bytes of a function's arguments together. cel-go has no such limit.
const MAX_WEIGHT: u64 = 1_000_000;
const TOO_LARGE: &str = "Berth does not evaluate functions of more than 1000000 elements or bytes";

/// One evaluation.
pub struct Evaluator<'a> {
    device: &'a Value,
    variables: Vec<(&'a str, Slot<'a>)>,
    cost: u64,
    limit: u64,
}

impl<'a> Evaluator<'a> {
    /// An evaluation on a device, limited in cost.
    pub fn new(device: &'a Value, limit: u64) -> Self {
        Self {
            device,
            variables: Vec::new(),
            cost: 0,
            limit,
        }
    }

    fn charge(&mut self, cost: u64) -> Result<(), Failure> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit {
            return Err(Failure::TooCostly);
        }
        Ok(())
    }

    /// The value of a node.
    ///
    /// # Errors
    /// The expression's error, or that it costs too much.
    pub fn value(&mut self, node: &'a Node) -> Evaluated {
        match &node.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Ident(name) => self.ident(name),
            Kind::Select {
                operand,
                field,
                test_only,
            } => {
                let operand = self.value(operand)?;
                self.charge(1)?;
                if *test_only {
                    return Ok(Value::Bool(has(&operand, field)));
                }
                select(&operand, field)
            }
            Kind::Call {
                target,
                function,
                args,
            } => self.call(target.as_deref(), function, args),
            Kind::List { elements, optional } => {
                let mut values = Vec::with_capacity(elements.len());
                for (index, element) in elements.iter().enumerate() {
                    let value = self.value(element)?;
                    match value {
                        Value::Optional(inner) if optional.contains(&index) => {
                            values.extend(inner.map(|inner| (*inner).clone()));
                        }
                        value => values.push(value),
                    }
                }
                // Lists of literals are folded when the program is planned.
                let folded = elements
                    .iter()
                    .all(|element| matches!(element.kind, Kind::Literal(_)));
                self.charge(if folded { 0 } else { 10 })?;
                Ok(Value::list(values))
            }
            Kind::Map(entries) => {
                let mut known: BTreeMap<Key, Value> = BTreeMap::new();
                for entry in entries {
                    let key = self.value(&entry.key)?;
                    let mut value = Some(self.value(&entry.value)?);
                    if let (true, Some(Value::Optional(inner))) = (entry.optional, &value) {
                        value = inner.as_deref().cloned();
                    }
                    let Some(value) = value else { continue };
                    let name = key.type_name();
                    let key = Key::of(&key)
                        .ok_or_else(|| error(format!("unsupported key type: {name}")))?;
                    if known.insert(key, value).is_some() {
                        return Err(error("Failed with repeated key"));
                    }
                }
                let folded = entries.iter().all(|entry| {
                    matches!(
                        (&entry.key.kind, &entry.value.kind),
                        (Kind::Literal(_), Kind::Literal(_))
                    )
                });
                self.charge(if folded { 0 } else { 30 })?;
                Ok(Value::Map(Arc::new(Map::new(known, None))))
            }
            Kind::Comprehension(it) => self.comprehension(it),
        }
    }

    fn ident(&mut self, name: &str) -> Evaluated {
        let found = self.variables.iter().rposition(|(known, _)| *known == name);
        self.charge(1)?;
        let Some(index) = found else {
            if name == "device" {
                return Ok(self.device.clone());
            }
            return functions::type_value(name)
                .ok_or_else(|| error(format!("no such attribute(s): {name}")));
        };
        match self.variables.get(index) {
            Some((_, Slot::Known(value))) => value.clone(),
            Some((_, Slot::Later(node))) => {
                let node = *node;
                let inner = self.variables.split_off(index + 1);
                let own = self.variables.pop();
                let value = self.value(node);
                if let Some((name, _)) = own {
                    self.variables.push((name, Slot::Known(value.clone())));
                }
                self.variables.extend(inner);
                value
            }
            None => Err(error(format!("no such attribute(s): {name}"))),
        }
    }

    fn call(&mut self, target: Option<&'a Node>, function: &str, args: &'a [Node]) -> Evaluated {
        match (function, args) {
            ("_&&_", [left, right]) => return self.logical(left, right, false),
            ("_||_", [left, right]) => return self.logical(left, right, true),
            ("_?_:_", [condition, truthy, falsy]) => {
                return match self.value(condition)? {
                    Value::Bool(true) => self.value(truthy),
                    Value::Bool(false) => self.value(falsy),
                    _ => Err(error("no such overload")),
                };
            }
            ("@not_strictly_false", [arg]) => {
                let value = self.value(arg);
                self.charge(1)?;
                return match value {
                    Err(Failure::TooCostly) => Err(Failure::TooCostly),
                    Ok(Value::Bool(false)) => Ok(Value::Bool(false)),
                    _ => Ok(Value::Bool(true)),
                };
            }
            ("or" | "orValue", [other]) => {
                if let Some(target) = target {
                    return self.optional_or(target, function, other);
                }
            }
            _ => {}
        }
        let mut values = Vec::with_capacity(args.len() + 1);
        for node in target.into_iter().chain(args) {
            values.push(self.value(node)?);
        }
        if values
            .iter()
            .map(Value::weight)
            .fold(0, u64::saturating_add)
            > MAX_WEIGHT
        {
            return Err(error(TOO_LARGE));
        }
        let result = functions::call(function, target.is_some(), &values);
        let cost = functions::cost(function, &values, &result);
        self.charge(cost)?;
        result
    }

    /// `target.or(other)` and `target.orValue(other)` evaluate `other` only if it is needed.
    fn optional_or(&mut self, target: &'a Node, function: &str, other: &'a Node) -> Evaluated {
        let optional = self.value(target)?;
        let Value::Optional(inner) = &optional else {
            return Err(bad_overload(function, std::slice::from_ref(&optional)));
        };
        match (inner, function) {
            (Some(_), "or") => Ok(optional),
            (Some(inner), _) => Ok((**inner).clone()),
            (None, _) => self.value(other),
        }
    }

    /// `&&` (`absorbing` is false) and `||` (true): one absorbing side decides, even if the other fails.
    fn logical(&mut self, left: &'a Node, right: &'a Node, absorbing: bool) -> Evaluated {
        let left = self.value(left);
        if matches!(left, Ok(Value::Bool(value)) if value == absorbing) {
            return Ok(Value::Bool(absorbing));
        }
        if left == Err(Failure::TooCostly) {
            return left;
        }
        let right = self.value(right);
        match (left, right) {
            (_, Err(Failure::TooCostly)) => Err(Failure::TooCostly),
            (_, Ok(Value::Bool(value))) if value == absorbing => Ok(Value::Bool(absorbing)),
            (Ok(Value::Bool(_)), Ok(Value::Bool(_))) => Ok(Value::Bool(!absorbing)),
            (Err(failure), _) => Err(failure),
            (Ok(Value::Bool(_)), Err(failure)) => Err(failure),
            _ => Err(error("no such overload")),
        }
    }

    fn comprehension(&mut self, it: &'a Comprehension) -> Evaluated {
        let depth = self.variables.len();
        if it.is_bind() {
            self.charge(10)?;
            self.variables
                .push((&it.accumulator, Slot::Later(&it.init)));
            let result = self.value(&it.result);
            self.variables.truncate(depth);
            return result;
        }
        let range = self.value(&it.range)?;
        let init = self.value(&it.init);
        self.variables.push((&it.accumulator, Slot::Known(init)));
        let outcome = self.fold(it, &range, depth);
        let result = match outcome {
            Ok(()) => self.value(&it.result),
            Err(failure) => Err(failure),
        };
        self.variables.truncate(depth);
        result
    }

    fn fold(
        &mut self,
        it: &'a Comprehension,
        range: &Value,
        accumulator: usize,
    ) -> Result<(), Failure> {
        let pairs: Vec<(Value, Value)> = match range {
            Value::List(list) => (0..)
                .zip(list.iter())
                .map(|(index, value)| (Value::Int(index), value.clone()))
                .collect(),
            Value::Map(map) => map
                .entries
                .iter()
                .map(|(key, value)| (key.value(), value.clone()))
                .collect(),
            _ => {
                return Err(error(format!(
                    "got '{}', expected iterable type",
                    range.type_name()
                )));
            }
        };
        let is_list = matches!(range, Value::List(_));
        for (key, value) in pairs {
            match &it.var2 {
                Some(var2) => {
                    self.variables.push((&it.var, Slot::Known(Ok(key))));
                    self.variables.push((var2, Slot::Known(Ok(value))));
                }
                None => {
                    let single = if is_list { value } else { key };
                    self.variables.push((&it.var, Slot::Known(Ok(single))));
                }
            }
            let goes_on = self.value(&it.condition)?;
            let step = match goes_on {
                Value::Bool(false) => None,
                _ => Some(self.value(&it.step)),
            };
            self.variables.truncate(accumulator + 1);
            match step {
                None => break,
                Some(Err(Failure::TooCostly)) => return Err(Failure::TooCostly),
                Some(step) => {
                    if let Some((_, slot)) = self.variables.get_mut(accumulator) {
                        *slot = Slot::Known(step);
                    }
                }
            }
        }
        Ok(())
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.equals(other) == Ok(true)
    }
}

/// Whether `operand.field` exists.
fn has(operand: &Value, field: &str) -> bool {
    match operand {
        Value::Map(map) => {
            map.default.is_some() || map.entries.contains_key(&Key::String(Arc::from(field)))
        }
        Value::Optional(Some(inner)) => has(inner, field),
        _ => false,
    }
}

/// `operand.field`.
fn select(operand: &Value, field: &str) -> Evaluated {
    match operand {
        Value::Map(map) => {
            let found = map.entries.get(&Key::String(Arc::from(field)));
            found
                .or(map.default.as_ref())
                .cloned()
                .ok_or_else(|| error(format!("no such key: {field}")))
        }
        Value::Optional(None) => Ok(Value::Optional(None)),
        Value::Optional(Some(inner)) => Ok(match select(inner, field) {
            Ok(value) => Value::some(value),
            Err(_) => Value::Optional(None),
        }),
        _ => Err(error("no such overload")),
    }
}

/// A map from texts.
pub fn text_map(entries: BTreeMap<Arc<str>, Value>, default: Option<Value>) -> Value {
    let entries = entries
        .into_iter()
        .map(|(key, value)| (Key::String(key), value))
        .collect();
    Value::Map(Arc::new(Map::new(entries, default)))
}
