//! The estimated worst-case cost of an expression, by which the API server refuses expensive ones.
//!
//! Mirrors cel-go's `checker/cost.go`, the estimator of `k8s.io/apiserver/pkg/cel/library`, and the sizes
//! that `dynamic-resource-allocation/cel` declares for a device. Only the upper ends of cel-go's ranges
//! are computed, and the lower ends of sizes where an upper end depends on them.

use std::collections::BTreeMap;

use super::ast::{ACCUMULATOR, Comprehension, Kind, Node, NodeId};
use super::check::Checked;
use super::factors::{STRING_FACTOR, scaled};
use super::types::{CIDR, IP, QUANTITY, SEMVER, Type};
use super::value::Value;

const REGEX_FACTOR: f64 = 0.25;
const LIST_COST: u64 = 10;
const MAP_COST: u64 = 30;
/// The assumed length of the regular expression of a named format.
const FORMAT_REGEX_LENGTH: f64 = 128.0;

/// A range of sizes; the unknown size is `0..=u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    min: u64,
    max: u64,
}

const UNKNOWN: Size = Size {
    min: 0,
    max: u64::MAX,
};

impl Size {
    fn fixed(size: u64) -> Size {
        Size {
            min: size,
            max: size,
        }
    }

    fn plus(self, other: Size) -> Size {
        Size {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    fn union(self, other: Size) -> Size {
        Size {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    fn times(self, factor: f64) -> u64 {
        scaled(self.max, factor)
    }
}

/// The sizes of a container's keys and elements.
#[derive(Clone, Copy, Debug)]
struct Elements {
    is_list: bool,
    key: Size,
    value: Size,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    path: Vec<String>,
    size: Option<Size>,
    elements: Option<Elements>,
}

struct Coster<'a> {
    checked: &'a Checked,
    variables: Vec<Variable>,
    paths: BTreeMap<NodeId, Vec<String>>,
    sizes: BTreeMap<NodeId, Size>,
    elements: BTreeMap<NodeId, Elements>,
}

/// What a call costs besides its arguments, and how large its result may be.
struct CallCost {
    cost: u64,
    size: Option<Size>,
}

impl CallCost {
    fn of(cost: u64) -> Self {
        Self { cost, size: None }
    }

    fn sized(cost: u64, size: Size) -> Self {
        Self {
            cost,
            size: Some(size),
        }
    }
}

/// The estimated cost of a checked tree.
pub fn estimate(root: &Node, checked: &Checked) -> u64 {
    let mut coster = Coster {
        checked,
        variables: Vec::new(),
        paths: BTreeMap::new(),
        sizes: BTreeMap::new(),
        elements: BTreeMap::new(),
    };
    coster.cost(root)
}

impl Coster<'_> {
    fn cost(&mut self, node: &Node) -> u64 {
        match &node.kind {
            Kind::Literal(_) => 0,
            Kind::Ident(name) => {
                let path = match self.variable(name) {
                    Some(variable) => variable.path.clone(),
                    None => vec![name.clone()],
                };
                self.paths.insert(node.id, path);
                1
            }
            Kind::Select {
                operand,
                field,
                test_only,
            } => {
                let cost = self.cost(operand);
                if *test_only {
                    return cost;
                }
                let counts = matches!(
                    self.checked.type_of(operand.id),
                    Type::Map(..) | Type::Device | Type::Dyn | Type::Any
                );
                let mut path = self.path(operand);
                path.push(field.clone());
                self.paths.insert(node.id, path);
                cost.saturating_add(u64::from(counts))
            }
            Kind::Call {
                target,
                function,
                args,
            } => self.call(node, target.as_deref(), function, args),
            Kind::List { elements, .. } => self.list(node.id, elements),
            Kind::Map(entries) => {
                let mut sum = MAP_COST;
                let mut both: Option<(Size, Size)> = None;
                for entry in entries {
                    sum = sum.saturating_add(self.cost(&entry.key));
                    sum = sum.saturating_add(self.cost(&entry.value));
                    let next = (self.size(&entry.key), self.size(&entry.value));
                    both = Some(both.map_or(next, |(key, value)| {
                        (key.union(next.0), value.union(next.1))
                    }));
                }
                let (key, value) = both.unwrap_or((Size::fixed(0), Size::fixed(0)));
                let is_list = false;
                self.elements.insert(
                    node.id,
                    Elements {
                        is_list,
                        key,
                        value,
                    },
                );
                sum
            }
            Kind::Comprehension(it) if it.is_bind() => self.bind(node, it),
            Kind::Comprehension(it) => self.comprehension(node, it),
        }
    }

    fn list(&mut self, id: NodeId, elements: &[Node]) -> u64 {
        let mut sum = LIST_COST;
        let mut joined: Option<Size> = None;
        for element in elements {
            sum = sum.saturating_add(self.cost(element));
            let size = self.size(element);
            joined = Some(joined.map_or(size, |known| known.union(size)));
        }
        self.elements.insert(
            id,
            Elements {
                is_list: true,
                key: Size::fixed(1),
                value: joined.unwrap_or(Size::fixed(0)),
            },
        );
        sum
    }

    fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().rev().find(|it| it.name == name)
    }

    fn bind(&mut self, node: &Node, it: &Comprehension) -> u64 {
        let sum = self.cost(&it.range).saturating_add(self.cost(&it.init));
        self.push_variable(&it.accumulator, &it.init);
        let sum = sum.saturating_add(self.cost(&it.result));
        self.variables.pop();
        self.copy_sizes(node.id, &it.result);
        sum
    }

    fn copy_sizes(&mut self, to: NodeId, from: &Node) {
        if let Some(size) = self.known_size(from) {
            self.sizes.insert(to, size);
        }
        if let Some(elements) = self.elements_of(from) {
            self.elements.insert(to, elements);
        }
    }

    fn push_variable(&mut self, name: &str, value: &Node) {
        let variable = Variable {
            name: name.to_owned(),
            path: self.path(value),
            size: self.known_size(value),
            elements: self.elements_of(value),
        };
        self.variables.push(variable);
    }

    fn push_iterated(&mut self, name: &str, range: &Node, is_value: bool, alone: bool) {
        let elements = self.elements_of(range);
        let is_list = match elements {
            Some(elements) => elements.is_list,
            None => matches!(self.checked.type_of(range.id), Type::List(_)),
        };
        let value = if alone { is_list } else { is_value };
        let size = elements.map(|it| if value { it.value } else { it.key });
        let step = match (value, is_list) {
            (true, true) => "@items",
            (true, false) => "@values",
            (false, true) => "@indices",
            (false, false) => "@keys",
        };
        let mut path = self.path(range);
        path.push(step.to_owned());
        self.variables.push(Variable {
            name: name.to_owned(),
            path,
            size,
            elements: None,
        });
    }

    fn comprehension(&mut self, node: &Node, it: &Comprehension) -> u64 {
        let sum = self.cost(&it.range).saturating_add(self.cost(&it.init));
        let depth = self.variables.len();
        self.push_variable(&it.accumulator, &it.init);
        let accumulated = self.variables.len();
        match &it.var2 {
            Some(var2) => {
                self.push_iterated(&it.var, &it.range, false, false);
                self.push_iterated(var2, &it.range, true, false);
            }
            None => self.push_iterated(&it.var, &it.range, false, true),
        }
        let each = self.cost(&it.condition).saturating_add(self.cost(&it.step));
        self.variables.truncate(accumulated);
        let sum = sum.saturating_add(self.cost(&it.result));
        self.variables.truncate(depth);
        let count = self.size(&it.range);
        match it.init.kind {
            Kind::Literal(_) => {
                if let Some(size) = self.known_size(&it.init) {
                    self.sizes.insert(node.id, size);
                }
            }
            Kind::List { .. } | Kind::Map(_) => {
                self.sizes.insert(node.id, count);
                if let Some(elements) = self.elements_of(&it.step) {
                    self.elements.insert(node.id, elements);
                }
            }
            _ => {}
        }
        sum.saturating_add(count.max.saturating_mul(each))
    }

    fn call(&mut self, node: &Node, target: Option<&Node>, function: &str, args: &[Node]) -> u64 {
        if let ("dyn", [arg]) = (function, args) {
            let cost = self.cost(arg).saturating_add(1);
            self.copy_sizes(node.id, arg);
            return cost;
        }
        let costs: Vec<u64> = args.iter().map(|arg| self.cost(arg)).collect();
        let target_cost = target.map_or(0, |target| self.cost(target));
        let checked = self.checked;
        let mut most = 0;
        let mut size: Option<Size> = None;
        for overload in checked.overloads(node.id) {
            let found = self.overload(node, function, overload, target, args, &costs);
            most = most.max(found.cost);
            if let Some(found) = found.size {
                size = Some(size.map_or(found, |known| known.union(found)));
            }
            let step = match *overload {
                "index_list" => "@items",
                "index_map" => "@values",
                _ => "",
            };
            if let (false, Some(container)) = (step.is_empty(), args.first()) {
                size = self.elements_of(container).map(|it| it.value);
                let mut path = self.path(container);
                path.push(step.to_owned());
                self.paths.insert(node.id, path);
            }
            if size.is_none() {
                size = self.known_size(node);
            }
        }
        if let Some(size) = size {
            self.sizes.insert(node.id, size);
        }
        target_cost.saturating_add(most)
    }

    fn overload(
        &mut self,
        node: &Node,
        function: &str,
        overload: &str,
        target: Option<&Node>,
        args: &[Node],
        costs: &[u64],
    ) -> CallCost {
        let sum = costs
            .iter()
            .fold(0, |sum: u64, cost| sum.saturating_add(*cost));
        let own = self
            .library(function, overload, target, args)
            .or_else(|| self.standard(overload, target, args));
        if let Some(own) = own {
            return CallCost {
                cost: own.cost.saturating_add(sum),
                size: own.size,
            };
        }
        match (overload, args) {
            ("logical_or" | "logical_and", _) => CallCost::of(sum),
            ("conditional", [_, truthy, falsy]) => {
                let size = self.size(truthy).union(self.size(falsy));
                let both = self.elements_of(truthy).zip(self.elements_of(falsy));
                self.join_elements(node.id, both);
                let branch = costs.iter().skip(1).copied().max().unwrap_or(0);
                let cost = costs.first().map_or(0, |cost| cost.saturating_add(branch));
                CallCost::sized(cost, size)
            }
            ("add_string" | "add_bytes" | "add_list", [left, right]) => {
                let size = self.size(left).plus(self.size(right));
                let both = self.elements_of(left).zip(self.elements_of(right));
                self.join_elements(node.id, both);
                let cost = if overload == "add_list" {
                    1
                } else {
                    size.times(STRING_FACTOR)
                };
                CallCost::sized(cost.saturating_add(sum), size)
            }
            _ => CallCost::of(sum.saturating_add(1)),
        }
    }

    fn join_elements(&mut self, id: NodeId, both: Option<(Elements, Elements)>) {
        if let Some((one, other)) = both {
            self.elements.insert(
                id,
                Elements {
                    is_list: one.is_list,
                    key: one.key.union(other.key),
                    value: one.value.union(other.value),
                },
            );
        }
    }

    /// The estimates of Kubernetes' libraries, by function.
    fn library(
        &mut self,
        function: &str,
        overload: &str,
        target: Option<&Node>,
        args: &[Node],
    ) -> Option<CallCost> {
        let first = args.first();
        Some(match function {
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
                let target = target?;
                let size = self.size(target);
                match self.checked.type_of(target.id) {
                    Type::List(element) => {
                        let mut each = 1_u64;
                        if matches!(**element, Type::String | Type::Bytes) {
                            let element = self.size_of_items(target).times(STRING_FACTOR);
                            each = each.saturating_add(element);
                        }
                        CallCost::of(size.max.saturating_mul(each))
                    }
                    _ => CallCost::of(size.times(STRING_FACTOR)),
                }
            }
            "url" | "quantity" | "isQuantity" | "semver" | "isSemver" | "isIP" | "cidr"
            | "isCIDR" => CallCost::of(self.size(first?).times(STRING_FACTOR)),
            "ip" if overload == "cidr_ip" => CallCost::of(1),
            "ip" => CallCost::of(self.size(first?).times(STRING_FACTOR)),
            "ip.isCanonical" => CallCost::of(self.size(first?).times(2.0 * STRING_FACTOR)),
            "lowerAscii" | "upperAscii" | "substring" | "trim" => {
                let size = self.size(target?);
                CallCost::sized(size.times(STRING_FACTOR), size)
            }
            "replace" => self.replace(target?, args)?,
            "split" => {
                let size = self.size(target?);
                let result = Size {
                    min: 0,
                    max: size.max,
                };
                CallCost::sized(size.times(2.0 * STRING_FACTOR), result)
            }
            "join" => self.join(target?, first),
            "find" | "findAll" => {
                let size = self.size(target?);
                let regex = self.size(first?).times(REGEX_FACTOR);
                let text = size.plus(Size::fixed(1)).times(STRING_FACTOR);
                let result = Size {
                    min: 0,
                    max: size.max,
                };
                CallCost::sized(text.saturating_mul(regex), result)
            }
            _ => return self.library_of_pairs(function, overload, args),
        })
    }

    /// The estimates of functions that compare two values.
    fn library_of_pairs(
        &mut self,
        function: &str,
        overload: &str,
        args: &[Node],
    ) -> Option<CallCost> {
        let first = args.first();
        Some(match function {
            "containsIP" | "containsCIDR" => {
                let mut cost = scaled(32, STRING_FACTOR);
                if function == "containsCIDR" {
                    cost += scaled(16, STRING_FACTOR) + 1;
                }
                if overload.ends_with("_string") {
                    cost = cost.saturating_add(self.size(first?).times(STRING_FACTOR));
                }
                CallCost::of(cost)
            }
            "validate" => {
                let text = self.size(first?).times(STRING_FACTOR);
                CallCost::of(scaled(text, FORMAT_REGEX_LENGTH * REGEX_FACTOR))
            }
            "_==_" => {
                let [left, right] = args else { return None };
                let (one, other) = (
                    self.checked.type_of(left.id),
                    self.checked.type_of(right.id),
                );
                match one {
                    Type::Opaque(QUANTITY | SEMVER) if one == other => CallCost::of(1),
                    Type::Opaque(IP | CIDR) if one == other => {
                        CallCost::of(scaled(16, STRING_FACTOR))
                    }
                    _ => return None,
                }
            }
            "sets.contains" | "sets.intersects" | "sets.equivalent" => {
                let [left, right] = args else { return None };
                let factor = if function == "sets.equivalent" { 2 } else { 1 };
                let pairs = self.size(left).max.saturating_mul(self.size(right).max);
                CallCost::of(pairs.saturating_mul(factor).saturating_add(1))
            }
            _ => return None,
        })
    }

    fn replace(&mut self, target: &Node, args: &[Node]) -> Option<CallCost> {
        let (from, to) = (args.first()?, args.get(1)?);
        let (size, from, to) = (self.size(target), self.size(from), self.size(to));
        let (count, retained) = if from.min == 0 {
            (size.max.saturating_add(1), size.max)
        } else if to.max <= from.min {
            (0, size.max)
        } else {
            (size.max.div_ceil(from.min), 0)
        };
        let result = Size {
            min: 0,
            max: count.saturating_mul(to.max).saturating_add(retained),
        };
        Some(CallCost::sized(size.times(2.0 * STRING_FACTOR), result))
    }

    fn join(&mut self, target: &Node, separator: Option<&Node>) -> CallCost {
        let list = self.size(target);
        let mut max = match self.checked.type_of(target.id) {
            Type::List(_) => list.max.saturating_mul(self.size_of_items(target).max),
            _ => 0,
        };
        if let Some(separator) = separator {
            let gaps = list.max.saturating_sub(1);
            max = max.saturating_add(self.size(separator).max.saturating_mul(gaps));
        }
        let size = Size { min: 0, max };
        CallCost::sized(size.times(STRING_FACTOR), size)
    }

    /// The size of a list's elements, if the list's path bounds it.
    fn size_of_items(&self, list: &Node) -> Size {
        let mut path = self.path(list);
        path.push("@items".to_owned());
        size_at(&path).unwrap_or(UNKNOWN)
    }

    /// cel-go's own estimates, by overload, without the arguments.
    fn standard(
        &mut self,
        overload: &str,
        target: Option<&Node>,
        args: &[Node],
    ) -> Option<CallCost> {
        let first = args.first();
        Some(match overload {
            "string_format" => {
                let size = self.size(target?);
                CallCost::sized(size.times(STRING_FACTOR), UNKNOWN)
            }
            "string_to_bytes" => {
                let size = self.size(first?);
                let result = Size {
                    min: size.min,
                    max: size.max.saturating_mul(4),
                };
                CallCost::sized(size.times(STRING_FACTOR), result)
            }
            "bytes_to_string" => {
                let size = self.size(first?);
                let result = Size {
                    min: size.min / 4,
                    max: size.max,
                };
                CallCost::sized(size.times(STRING_FACTOR), result)
            }
            "strings_quote" => {
                let size = self.size(first?);
                let result = Size {
                    min: size.min.saturating_add(2),
                    max: size.max.saturating_mul(2).saturating_add(2),
                };
                CallCost::sized(size.times(STRING_FACTOR), result)
            }
            "starts_with_string" | "ends_with_string" => {
                CallCost::of(self.size(first?).times(STRING_FACTOR))
            }
            "in_list" => CallCost::of(self.size(args.get(1)?).max),
            "matches_string" => {
                let text = self.size(target?).plus(Size::fixed(1));
                let regex = self.size(first?).times(REGEX_FACTOR);
                CallCost::of(text.times(STRING_FACTOR).saturating_mul(regex))
            }
            "contains_string" => {
                let text = self.size(target?).times(STRING_FACTOR);
                CallCost::of(text.saturating_mul(self.size(first?).times(STRING_FACTOR)))
            }
            "compare_string" | "compare_bytes" | "equals" | "not_equals" => {
                let [left, right] = args else { return None };
                let smaller = self.size(left).max.min(self.size(right).max);
                CallCost::of(scaled(smaller, STRING_FACTOR))
            }
            _ => return None,
        })
    }

    fn path(&self, node: &Node) -> Vec<String> {
        if let Kind::Ident(name) = &node.kind
            && let Some(variable) = self.variable(name)
        {
            return variable.path.clone();
        }
        self.paths.get(&node.id).cloned().unwrap_or_default()
    }

    fn size(&mut self, node: &Node) -> Size {
        self.known_size(node).unwrap_or(UNKNOWN)
    }

    fn known_size(&mut self, node: &Node) -> Option<Size> {
        if let Some(size) = self.sizes.get(&node.id) {
            return Some(*size);
        }
        let literal = match &node.kind {
            Kind::Literal(Value::String(text)) => Some(text.chars().count()),
            Kind::Literal(Value::Bytes(bytes)) => Some(bytes.len()),
            Kind::Literal(_) => Some(1),
            Kind::List { elements, .. } => Some(elements.len()),
            Kind::Map(entries) => Some(entries.len()),
            _ => None,
        };
        if let Some(size) = literal {
            return Some(Size::fixed(size as u64));
        }
        let path = self.path(node);
        let is_hidden = path.first().is_some_and(|name| name == ACCUMULATOR);
        if let (false, Some(size)) = (is_hidden, size_at(&path)) {
            self.sizes.insert(node.id, size);
            return Some(size);
        }
        if is_scalar(self.checked.type_of(node.id)) {
            return Some(Size::fixed(1));
        }
        match &node.kind {
            Kind::Ident(name) => self.variable(name)?.size,
            _ => None,
        }
    }

    fn elements_of(&self, node: &Node) -> Option<Elements> {
        if let Some(elements) = self.elements.get(&node.id) {
            return Some(*elements);
        }
        match &node.kind {
            Kind::Ident(name) => self.variable(name)?.elements,
            _ => None,
        }
    }
}

fn is_scalar(it: &Type) -> bool {
    match it {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        Type::Optional(inner) => is_scalar(inner),
        _ => false,
    }
}

/// The declared size of what a path through `device` leads to.
fn size_at(path: &[String]) -> Option<Size> {
    #[derive(Clone, Copy)]
    enum At {
        Device,
        Text(u64),
        Outer { attributes: bool },
        Inner { attributes: bool },
        Attribute,
        Quantity,
    }
    const MAP_SIZE: u64 = 32;
    let (root, rest) = path.split_first()?;
    if root != "device" {
        return None;
    }
    let mut at = At::Device;
    for step in rest {
        at = match (at, step.as_str()) {
            (At::Device, "driver") => At::Text(63),
            (At::Device, "attributes") => At::Outer { attributes: true },
            (At::Device, "capacity") => At::Outer { attributes: false },
            (At::Device, "allowMultipleAllocations") => At::Text(0),
            (At::Outer { attributes }, "@items" | "@values") => At::Inner { attributes },
            (At::Outer { .. }, "@keys") => At::Text(63),
            (At::Inner { attributes: true }, "@keys") => At::Text(32),
            (At::Inner { attributes: true }, _) => At::Attribute,
            (At::Inner { attributes: false }, "@items" | "@values") => At::Quantity,
            (At::Inner { attributes: false }, "@keys") => At::Text(32),
            _ => return None,
        };
    }
    let max = match at {
        At::Device | At::Quantity => 0,
        At::Text(length) => length,
        At::Outer { .. } | At::Inner { .. } => MAP_SIZE,
        At::Attribute => 64,
    };
    Some(Size { min: 0, max })
}
