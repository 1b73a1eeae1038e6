//! The macros of CEL: calls that the parser replaces by loops, tests and bindings.
//!
//! The standard macros, those of two-variable comprehensions, optional values and `cel.bind`, each
//! expanded as cel-go v0.26 does, because costs are estimated on the expansion.

use super::ast::{ACCUMULATOR, Comprehension, Entry, Kind, Node};
use super::parse::Parser;
use super::value::Value;

/// What a call turned out to be.
pub(super) enum Expansion {
    Node(Node),
    /// No macro: a call of a function.
    Not {
        target: Option<Node>,
        args: Vec<Node>,
    },
}

/// Expands a call if it is a macro.
pub(super) fn expand(
    parser: &mut Parser,
    at: usize,
    target: Option<Node>,
    function: &str,
    args: Vec<Node>,
) -> Expansion {
    let mut maker = Maker { parser, at };
    let Some(target) = target else {
        return match <[Node; 1]>::try_from(args) {
            Ok([operand]) if function == "has" => Expansion::Node(maker.has(operand)),
            Ok(args) => not(None, args.into()),
            Err(args) => not(None, args),
        };
    };
    if matches!(&target.kind, Kind::Ident(name) if name == "cel") && function == "bind" {
        return match <[Node; 3]>::try_from(args) {
            Ok([name, value, body]) => Expansion::Node(maker.bind(name, value, body)),
            Err(args) => not(Some(target), args),
        };
    }
    match args.len() {
        2 => maker.with_two(target, function, args),
        3 | 4 => maker.with_more(target, function, args),
        _ => not(Some(target), args),
    }
}

fn not(target: Option<Node>, args: Vec<Node>) -> Expansion {
    Expansion::Not { target, args }
}

struct Maker<'a> {
    parser: &'a mut Parser,
    at: usize,
}

/// The parts of a loop besides its range and variables.
struct Loop {
    init: Node,
    condition: Node,
    step: Node,
    result: Node,
}

impl Maker<'_> {
    fn literal(&mut self, value: Value) -> Node {
        self.parser.node(self.at, Kind::Literal(value))
    }

    fn ident(&mut self, name: &str) -> Node {
        self.parser.node(self.at, Kind::Ident(name.to_owned()))
    }

    fn accumulated(&mut self) -> Node {
        self.ident(ACCUMULATOR)
    }

    fn call(&mut self, function: &str, args: Vec<Node>) -> Node {
        self.parser.call(self.at, function, args)
    }

    fn list(&mut self, elements: Vec<Node>) -> Node {
        let optional = Vec::new();
        self.parser.node(self.at, Kind::List { elements, optional })
    }

    fn map(&mut self, entries: Vec<Entry>) -> Node {
        self.parser.node(self.at, Kind::Map(entries))
    }

    fn has(&mut self, operand: Node) -> Node {
        match operand.kind {
            Kind::Select {
                operand,
                field,
                test_only: false,
            } => self.parser.node(
                self.at,
                Kind::Select {
                    operand,
                    field,
                    test_only: true,
                },
            ),
            _ => {
                let at = self.parser.positions.of(operand.id);
                self.parser
                    .report(at, "invalid argument to has() macro".to_owned());
                operand
            }
        }
    }

    /// The name that a macro's argument declares.
    fn variable(&mut self, node: &Node) -> String {
        match &node.kind {
            Kind::Ident(name) if name != ACCUMULATOR => name.clone(),
            _ => {
                let at = self.parser.positions.of(node.id);
                self.parser
                    .report(at, "argument must be a simple name".to_owned());
                String::new()
            }
        }
    }

    fn bind(&mut self, name: Node, value: Node, body: Node) -> Node {
        let accumulator = match &name.kind {
            Kind::Ident(name) => name.clone(),
            _ => {
                let at = self.parser.positions.of(name.id);
                let message = "cel.bind() variable names must be simple identifiers";
                self.parser.report(at, message.to_owned());
                String::new()
            }
        };
        self.bound(accumulator, value, body)
    }

    /// The body with a value under a name: a comprehension over nothing.
    fn bound(&mut self, accumulator: String, value: Node, body: Node) -> Node {
        let range = self.list(Vec::new());
        let condition = self.literal(Value::Bool(false));
        let step = self.ident(&accumulator);
        let comprehension = Comprehension {
            range,
            var: "#unused".to_owned(),
            var2: None,
            accumulator,
            init: value,
            condition,
            step,
            result: body,
        };
        self.parser
            .node(self.at, Kind::Comprehension(Box::new(comprehension)))
    }

    fn comprehension(&mut self, range: Node, vars: (String, Option<String>), body: Loop) -> Node {
        let comprehension = Comprehension {
            range,
            var: vars.0,
            var2: vars.1,
            accumulator: ACCUMULATOR.to_owned(),
            init: body.init,
            condition: body.condition,
            step: body.step,
            result: body.result,
        };
        self.parser
            .node(self.at, Kind::Comprehension(Box::new(comprehension)))
    }

    fn with_two(&mut self, target: Node, function: &str, args: Vec<Node>) -> Expansion {
        let [var, body] = match <[Node; 2]>::try_from(args) {
            Ok(pair) => pair,
            Err(args) => return not(Some(target), args),
        };
        let body = match function {
            "all" => self.all(body),
            "exists" => self.exists(body),
            "exists_one" | "existsOne" => self.exists_one(body),
            "filter" => {
                let element = self.ident_of(&var);
                self.collect(Some(body), element)
            }
            "map" => self.collect(None, body),
            "optMap" => return Expansion::Node(self.opt_map(target, &var, body, true)),
            "optFlatMap" => return Expansion::Node(self.opt_map(target, &var, body, false)),
            _ => return not(Some(target), vec![var, body]),
        };
        let var = self.variable(&var);
        Expansion::Node(self.comprehension(target, (var, None), body))
    }

    fn ident_of(&mut self, node: &Node) -> Node {
        let kind = node.kind.clone();
        self.parser.node(self.at, kind)
    }

    fn with_more(&mut self, target: Node, function: &str, mut args: Vec<Node>) -> Expansion {
        let known = matches!(
            (function, args.len()),
            ("all" | "exists" | "existsOne" | "exists_one" | "map", 3)
                | (
                    "transformList" | "transformMap" | "transformMapEntry",
                    3 | 4
                )
        );
        if !known {
            return not(Some(target), args);
        }
        let Some(body) = args.pop() else {
            return not(Some(target), args);
        };
        let filter = if args.len() == 3 || function == "map" {
            args.pop()
        } else {
            None
        };
        let body = match function {
            "all" => self.all(body),
            "exists" => self.exists(body),
            "existsOne" | "exists_one" => self.exists_one(body),
            "transformMap" => {
                let key = args
                    .first()
                    .map(|key| key.kind.clone())
                    .unwrap_or(Kind::Literal(Value::Null));
                let key = self.parser.node(self.at, key);
                self.collect_map(filter, vec![key, body])
            }
            "transformMapEntry" => self.collect_map(filter, vec![body]),
            _ => self.collect(filter, body),
        };
        let var = args.first().map(|name| self.variable(name));
        let var2 = args.get(1).map(|name| self.variable(name));
        let vars = (var.unwrap_or_default(), var2);
        Expansion::Node(self.comprehension(target, vars, body))
    }

    fn all(&mut self, body: Node) -> Loop {
        let init = self.literal(Value::Bool(true));
        let accumulated = self.accumulated();
        let condition = self.call("@not_strictly_false", vec![accumulated]);
        let accumulated = self.accumulated();
        let step = self.call("_&&_", vec![accumulated, body]);
        let result = self.accumulated();
        Loop {
            init,
            condition,
            step,
            result,
        }
    }

    fn exists(&mut self, body: Node) -> Loop {
        let init = self.literal(Value::Bool(false));
        let accumulated = self.accumulated();
        let negated = self.call("!_", vec![accumulated]);
        let condition = self.call("@not_strictly_false", vec![negated]);
        let accumulated = self.accumulated();
        let step = self.call("_||_", vec![accumulated, body]);
        let result = self.accumulated();
        Loop {
            init,
            condition,
            step,
            result,
        }
    }

    fn exists_one(&mut self, body: Node) -> Loop {
        let init = self.literal(Value::Int(0));
        let condition = self.literal(Value::Bool(true));
        let (accumulated, one) = (self.accumulated(), self.literal(Value::Int(1)));
        let more = self.call("_+_", vec![accumulated, one]);
        let same = self.accumulated();
        let step = self.call("_?_:_", vec![body, more, same]);
        let (accumulated, one) = (self.accumulated(), self.literal(Value::Int(1)));
        let result = self.call("_==_", vec![accumulated, one]);
        Loop {
            init,
            condition,
            step,
            result,
        }
    }

    /// Collects `element` in a list, where `filter` holds.
    fn collect(&mut self, filter: Option<Node>, element: Node) -> Loop {
        let init = self.list(Vec::new());
        let condition = self.literal(Value::Bool(true));
        let accumulated = self.accumulated();
        let one = self.list(vec![element]);
        let more = self.call("_+_", vec![accumulated, one]);
        let step = self.filtered(filter, more);
        let result = self.accumulated();
        Loop {
            init,
            condition,
            step,
            result,
        }
    }

    fn filtered(&mut self, filter: Option<Node>, step: Node) -> Node {
        match filter {
            None => step,
            Some(filter) => {
                let same = self.accumulated();
                self.call("_?_:_", vec![filter, step, same])
            }
        }
    }

    /// Collects an entry in a map, where `filter` holds: its key and value, or a map with it.
    fn collect_map(&mut self, filter: Option<Node>, entry: Vec<Node>) -> Loop {
        let init = self.map(Vec::new());
        let condition = self.literal(Value::Bool(true));
        let mut arguments = vec![self.accumulated()];
        arguments.extend(entry);
        let more = self.call("cel.@mapInsert", arguments);
        let step = self.filtered(filter, more);
        let result = self.accumulated();
        Loop {
            init,
            condition,
            step,
            result,
        }
    }

    /// `target.optMap(var, body)`: the body with the optional's value, if it has one.
    fn opt_map(&mut self, target: Node, var: &Node, body: Node, wrap: bool) -> Node {
        let name = match &var.kind {
            Kind::Ident(name) => name.clone(),
            _ => {
                let at = self.parser.positions.of(var.id);
                let function = if wrap { "optMap()" } else { "optFlatMap()" };
                let message = format!("{function} variable name must be a simple identifier");
                self.parser.report(at, message);
                String::new()
            }
        };
        // The copy has the same ids: the types and costs are equal.
        let again = target.clone();
        let has_value = self.member("hasValue", target);
        let value = self.member("value", again);
        let mut bound = self.bound(name, value, body);
        if wrap {
            bound = self.call("optional.of", vec![bound]);
        }
        let none = self.call("optional.none", Vec::new());
        self.call("_?_:_", vec![has_value, bound, none])
    }

    fn member(&mut self, function: &str, target: Node) -> Node {
        self.parser.node(
            self.at,
            Kind::Call {
                target: Some(Box::new(target)),
                function: function.to_owned(),
                args: Vec::new(),
            },
        )
    }
}
