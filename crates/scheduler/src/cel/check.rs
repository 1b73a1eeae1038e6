//! The type checker (cel-go's checker with the environment of device selectors).

use super::ast::{Comprehension, Entry, Kind, Node, NodeId, Positions};
use super::declare::{of_function, type_named};
use super::errors::Issue;
use super::types::{Bindings, QUANTITY, Type};
use super::value::Value;

/// What the checker finds out about each node.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    types: Vec<Type>,
    overloads: Vec<Vec<&'static str>>,
}

impl Checked {
    /// The type of a node.
    pub fn type_of(&self, id: NodeId) -> &Type {
        self.types.get(id).unwrap_or(&Type::Dyn)
    }

    /// The overloads that a call may come to.
    pub fn overloads(&self, id: NodeId) -> &[&'static str] {
        self.overloads.get(id).map_or(&[], Vec::as_slice)
    }
}

struct Checker<'a> {
    positions: &'a Positions,
    /// Whether the expression is checked as one that was stored before.
    stored: bool,
    /// Whether `device.allowMultipleAllocations` exists for new expressions.
    allow_multiple: bool,
    scopes: Vec<(String, Type)>,
    bindings: Bindings,
    checked: Checked,
    issues: Vec<Issue>,
}

/// The rules by which an expression is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Expressions stored before may use what later versions declare.
    pub stored: bool,
    /// The gate DRAConsumableCapacity adds `device.allowMultipleAllocations`.
    pub allow_multiple: bool,
}

/// Checks a tree. Identifiers of qualified functions are rewritten in place.
///
/// # Errors
/// All type errors.
pub fn check(root: &mut Node, positions: &Positions, rules: Rules) -> Result<Checked, Vec<Issue>> {
    let mut checker = Checker {
        positions,
        stored: rules.stored,
        allow_multiple: rules.allow_multiple,
        scopes: Vec::new(),
        bindings: Bindings::default(),
        checked: Checked {
            types: vec![Type::Dyn; positions.len()],
            overloads: vec![Vec::new(); positions.len()],
        },
        issues: Vec::new(),
    };
    checker.node(root);
    if !checker.issues.is_empty() {
        return Err(checker.issues);
    }
    let bindings = &checker.bindings;
    let mut checked = checker.checked;
    for it in &mut checked.types {
        *it = bindings.resolve(it, true);
    }
    Ok(checked)
}

impl Checker<'_> {
    fn report(&mut self, id: NodeId, message: String) -> Type {
        self.issues.push(Issue {
            at: self.positions.of(id),
            message,
        });
        Type::Error
    }

    fn shown(&self, it: &Type) -> String {
        self.bindings.resolve(it, true).to_string()
    }

    fn node(&mut self, node: &mut Node) -> Type {
        let id = node.id;
        let found = match &mut node.kind {
            Kind::Literal(value) => type_of_literal(value),
            Kind::Ident(name) => {
                let name = name.clone();
                self.ident(id, &name)
            }
            Kind::Select {
                operand,
                field,
                test_only,
            } => {
                let operand = self.node(operand);
                let field = self.select(id, &operand, field);
                if *test_only { Type::Bool } else { field }
            }
            Kind::Call { .. } => self.call(node),
            Kind::List { elements, optional } => self.list(elements, optional, false),
            Kind::Map(entries) => self.map(entries),
            Kind::Comprehension(comprehension) => self.comprehension(comprehension),
        };
        self.checked.types[id] = found.clone();
        found
    }

    fn ident(&mut self, id: NodeId, name: &str) -> Type {
        let local = self.scopes.iter().rev().find(|(known, _)| known == name);
        if let Some((_, it)) = local {
            return it.clone();
        }
        if name == "device" {
            return Type::Device;
        }
        match type_named(name) {
            Some(it) => Type::Meta(Box::new(it)),
            None => self.report(
                id,
                format!("undeclared reference to '{name}' (in container '')"),
            ),
        }
    }

    fn select(&mut self, id: NodeId, operand: &Type, field: &str) -> Type {
        let resolved = self.bindings.resolve(operand, false);
        match &resolved {
            Type::Optional(inner) => {
                let inner = (**inner).clone();
                let found = self.select(id, &inner, field);
                match found {
                    Type::Optional(_) | Type::Error => found,
                    other => Type::Optional(Box::new(other)),
                }
            }
            Type::Map(_, value) => (**value).clone(),
            Type::Device => match field_of_device(field, self.stored || self.allow_multiple) {
                Some(it) => it,
                None => self.report(id, format!("undefined field '{field}'")),
            },
            Type::Param(_) => {
                self.bindings.assign(&resolved, &Type::Dyn);
                Type::Dyn
            }
            Type::Dyn | Type::Any => Type::Dyn,
            Type::Error => Type::Error,
            other => {
                let message = format!("type '{other}' does not support field selection");
                self.report(id, message)
            }
        }
    }

    fn call(&mut self, node: &mut Node) -> Type {
        let id = node.id;
        let Kind::Call {
            target,
            function,
            args,
        } = &mut node.kind
        else {
            return Type::Error;
        };
        if function == "_?._" {
            return self.optional_select(id, args);
        }
        let qualified = target
            .as_deref()
            .and_then(|target| self.qualified(target, function));
        if let Some(qualified) = qualified {
            *function = qualified;
            *target = None;
        }
        if target.is_none() && of_function(function, self.stored).next().is_none() {
            let message = format!("undeclared reference to '{function}' (in container '')");
            for arg in args.iter_mut() {
                self.node(arg);
            }
            return self.report(id, message);
        }
        let mut types: Vec<Type> = Vec::new();
        if let Some(target) = target.as_deref_mut() {
            types.push(self.node(target));
        }
        for arg in args.iter_mut() {
            let it = match (&mut arg.kind, function.as_str()) {
                (Kind::List { elements, optional }, "format") => {
                    let it = self.list(elements, optional, true);
                    self.checked.types[arg.id] = it.clone();
                    it
                }
                _ => self.node(arg),
            };
            types.push(it);
        }
        if matches!(function.as_str(), "_&&_" | "_||_") {
            return self.logical(id, function, args, &types);
        }
        let is_member = target.is_some();
        let function = function.clone();
        if is_member && of_function(&function, self.stored).next().is_none() {
            let message = format!("undeclared reference to '{function}' (in container '')");
            return self.report(id, message);
        }
        self.resolve(id, &function, is_member, &types)
    }

    /// The name of a function like `sets.contains`, if the target is not a variable.
    fn qualified(&self, target: &Node, function: &str) -> Option<String> {
        let mut names = vec![function];
        let mut node = target;
        loop {
            match &node.kind {
                Kind::Ident(name) => {
                    if self.scopes.iter().any(|(known, _)| known == name) {
                        return None;
                    }
                    names.push(name);
                    break;
                }
                Kind::Select {
                    operand,
                    field,
                    test_only: false,
                } => {
                    names.push(field);
                    node = operand;
                }
                _ => return None,
            }
        }
        names.reverse();
        let name = names.join(".");
        let known = of_function(&name, self.stored).next().is_some();
        known.then_some(name)
    }

    fn logical(&mut self, id: NodeId, function: &str, args: &[Node], types: &[Type]) -> Type {
        for (arg, it) in args.iter().zip(types) {
            if !self.bindings.assign(&Type::Bool, it) {
                let message = format!("expected type 'bool' but found '{}'", self.shown(it));
                self.report(arg.id, message);
            }
        }
        self.checked.overloads[id] = vec![if function == "_&&_" {
            "logical_and"
        } else {
            "logical_or"
        }];
        Type::Bool
    }

    fn optional_select(&mut self, id: NodeId, args: &mut [Node]) -> Type {
        let [operand, field] = args else {
            return Type::Error;
        };
        let operand = self.node(operand);
        self.node(field);
        let name = match &field.kind {
            Kind::Literal(Value::String(name)) => name.to_string(),
            _ => String::new(),
        };
        self.checked.overloads[id] = vec!["select_optional_field"];
        let resolved = self.bindings.resolve(&operand, false);
        let inner = match resolved {
            Type::Optional(inner) => *inner,
            other => other,
        };
        match self.select(id, &inner, &name) {
            found @ (Type::Optional(_) | Type::Error) => found,
            found => Type::Optional(Box::new(found)),
        }
    }

    fn resolve(&mut self, id: NodeId, function: &str, is_member: bool, types: &[Type]) -> Type {
        let mut result: Option<Type> = None;
        let mut matched = Vec::new();
        for overload in of_function(function, self.stored) {
            if overload.is_member != is_member {
                continue;
            }
            let instance = self.bindings.instantiate(&overload.types);
            let Some((returned, parameters)) = instance.split_last() else {
                continue;
            };
            if parameters.len() != types.len() {
                continue;
            }
            let before = self.bindings.clone();
            let fits = parameters
                .iter()
                .zip(types)
                .all(|(parameter, it)| self.bindings.assign(parameter, it));
            if !fits {
                self.bindings = before;
                continue;
            }
            matched.push(overload.id);
            let returned = self.bindings.resolve(returned, false);
            result = Some(match result {
                None => returned,
                Some(known) if known == returned => known,
                Some(_) => Type::Dyn,
            });
        }
        match result {
            Some(result) => {
                self.checked.overloads[id] = matched;
                result
            }
            None => {
                if types.contains(&Type::Error) {
                    return Type::Error;
                }
                let shown: Vec<String> = types.iter().map(|it| self.shown(it)).collect();
                let signature = match shown.split_first() {
                    Some((target, args)) if is_member => {
                        format!("{target}.({})", args.join(", "))
                    }
                    _ => format!("({})", shown.join(", ")),
                };
                self.report(
                    id,
                    format!("found no matching overload for '{function}' applied to '{signature}'"),
                )
            }
        }
    }

    /// The type that two elements of a literal have in common; reports a mismatch at `id`.
    fn joined(&mut self, known: Option<Type>, next: Type, id: NodeId, mixed: bool) -> Type {
        let Some(known) = known else { return next };
        if self.bindings.assign(&known, &next) {
            return if next.is_dyn() { next } else { known };
        }
        if !mixed {
            let message = format!(
                "expected type '{}' but found '{}'",
                self.shown(&known),
                self.shown(&next)
            );
            self.report(id, message);
        }
        Type::Dyn
    }

    fn list(&mut self, elements: &mut [Node], optional: &[usize], mixed: bool) -> Type {
        let mut joined: Option<Type> = None;
        for (index, element) in elements.iter_mut().enumerate() {
            let id = element.id;
            let mut it = self.node(element);
            if optional.contains(&index) {
                it = self.unwrapped(id, it);
            }
            joined = Some(self.joined(joined, it, id, mixed));
        }
        let element = joined.unwrap_or_else(|| self.bindings.fresh());
        Type::List(Box::new(element))
    }

    fn unwrapped(&mut self, id: NodeId, it: Type) -> Type {
        match it {
            Type::Optional(inner) => *inner,
            it if it.is_dyn() || it == Type::Error => it,
            other => {
                let message = format!(
                    "expected type 'optional_type({0})' but found '{0}'",
                    self.shown(&other)
                );
                self.report(id, message)
            }
        }
    }

    fn map(&mut self, entries: &mut [Entry]) -> Type {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            let (key_id, value_id) = (entry.key.id, entry.value.id);
            let key = self.node(&mut entry.key);
            keys = Some(self.joined(keys, key, key_id, false));
            let mut value = self.node(&mut entry.value);
            if entry.optional {
                value = self.unwrapped(value_id, value);
            }
            values = Some(self.joined(values, value, value_id, false));
        }
        let (Some(key), Some(value)) = (keys, values) else {
            return Type::map(self.bindings.fresh(), self.bindings.fresh());
        };
        Type::map(key, value)
    }

    fn comprehension(&mut self, it: &mut Comprehension) -> Type {
        let range = self.node(&mut it.range);
        let init = self.node(&mut it.init);
        let (first, second) = match self.bindings.resolve(&range, false) {
            Type::List(element) if it.var2.is_some() => (Type::Int, Some(*element)),
            Type::List(element) => (*element, None),
            Type::Map(key, value) if it.var2.is_some() => (*key, Some(*value)),
            Type::Map(key, _) => (*key, None),
            Type::Error => (Type::Error, Some(Type::Error)),
            found @ (Type::Dyn | Type::Any | Type::Param(_)) => {
                self.bindings.assign(&Type::Dyn, &found);
                (Type::Dyn, Some(Type::Dyn))
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                (self.report(it.range.id, message), Some(Type::Error))
            }
        };
        let depth = self.scopes.len();
        self.scopes.push((it.accumulator.clone(), init.clone()));
        let accumulated = self.scopes.len();
        self.scopes.push((it.var.clone(), first));
        if let Some(var2) = &it.var2 {
            let second = second.unwrap_or(Type::Dyn);
            self.scopes.push((var2.clone(), second));
        }
        let condition = self.node(&mut it.condition);
        self.expect(&Type::Bool, &condition, it.condition.id);
        let step = self.node(&mut it.step);
        self.expect(&init, &step, it.step.id);
        self.scopes.truncate(accumulated);
        let result = self.node(&mut it.result);
        self.scopes.truncate(depth);
        self.bindings.resolve(&result, false)
    }

    fn expect(&mut self, expected: &Type, found: &Type, id: NodeId) {
        if !self.bindings.assign(expected, found) {
            let message = format!(
                "expected type '{}' but found '{}'",
                self.shown(expected),
                self.shown(found)
            );
            self.report(id, message);
        }
    }
}

fn type_of_literal(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Uint(_) => Type::Uint,
        Value::Double(_) => Type::Double,
        Value::String(_) => Type::String,
        Value::Bytes(_) => Type::Bytes,
        _ => Type::Dyn,
    }
}

/// The fields of `device`.
fn field_of_device(field: &str, allow_multiple: bool) -> Option<Type> {
    let of = |value| {
        let inner = Type::map(Type::String, value);
        Type::map(Type::String, inner)
    };
    Some(match field {
        "driver" => Type::String,
        "attributes" => of(Type::Any),
        "capacity" => of(Type::Opaque(QUANTITY)),
        "allowMultipleAllocations" if allow_multiple => Type::Bool,
        _ => return None,
    })
}
