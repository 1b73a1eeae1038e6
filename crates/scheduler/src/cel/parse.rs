//! The parser: a text becomes a syntax tree (the grammar of CEL, with cel-go's error texts).

use std::sync::Arc;

use super::ast::{Entry, Kind, Node, Positions};
use super::errors::Issue;
use super::lex::{Token, TokenKind, lex};
use super::macros::{self, Expansion};
use super::value::Value;

/// The number of nested or chained rules after which cel-go gives up.
const MAX_DEPTH: usize = 250;

/// What the parser expects where an expression begins.
const EXPRESSION_START: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// A parsed text.
pub struct Parsed {
    pub root: Node,
    pub positions: Positions,
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    gave_up: bool,
    pub(super) positions: Positions,
    pub(super) issues: Vec<Issue>,
}

/// Parses a text.
///
/// # Errors
/// All syntax errors.
pub fn parse(text: &str) -> Result<Parsed, Vec<Issue>> {
    let (tokens, issues) = lex(text);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        gave_up: false,
        positions: Positions::default(),
        issues,
    };
    let root = parser.expression();
    if parser.gave_up {
        return Err(vec![Issue {
            at: 0,
            message: format!("expression recursion limit exceeded: {MAX_DEPTH}"),
        }]);
    }
    parser.expect_end();
    if parser.issues.is_empty() {
        Ok(Parsed {
            root,
            positions: parser.positions,
        })
    } else {
        Err(parser.issues)
    }
}

impl Parser {
    fn token(&self) -> &Token {
        // The last token is the end and is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn position(&self) -> usize {
        self.token().at
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is(&self, symbol: &str) -> bool {
        let token = self.token();
        token.kind == TokenKind::Symbol && token.text == symbol
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn report(&mut self, at: usize, message: String) {
        self.issues.push(Issue { at, message });
    }

    /// Steps over `symbol`, or reports its absence as ANTLR's recovery does: a token too many, one too
    /// few, or a wrong one.
    fn expect(&mut self, symbol: &str) {
        if self.take(symbol) {
            return;
        }
        let next = self.tokens.get(self.at + 1);
        let (at, text) = (self.position(), self.token().text.clone());
        let is_end = self.token().kind == TokenKind::End;
        if next.is_some_and(|next| next.kind == TokenKind::Symbol && next.text == symbol) {
            self.report(
                at,
                format!("Syntax error: extraneous input '{text}' expecting '{symbol}'"),
            );
            self.advance();
            self.advance();
        } else if is_end || self.token().kind == TokenKind::Symbol {
            self.report(at, format!("Syntax error: missing '{symbol}' at '{text}'"));
        } else {
            self.report(
                at,
                format!("Syntax error: mismatched input '{text}' expecting '{symbol}'"),
            );
        }
    }

    fn expect_end(&mut self) {
        if self.token().kind == TokenKind::End {
            return;
        }
        let (at, text) = (self.position(), self.token().text.clone());
        let last = self
            .tokens
            .get(self.at + 1)
            .is_some_and(|next| next.kind == TokenKind::End);
        let how = if last { "extraneous" } else { "mismatched" };
        self.report(
            at,
            format!("Syntax error: {how} input '{text}' expecting <EOF>"),
        );
    }

    pub(super) fn node(&mut self, at: usize, kind: Kind) -> Node {
        self.positions.node(at, kind)
    }

    pub(super) fn call(&mut self, at: usize, function: &str, args: Vec<Node>) -> Node {
        self.node(
            at,
            Kind::Call {
                target: None,
                function: function.to_owned(),
                args,
            },
        )
    }

    fn broken(&mut self) -> Node {
        let at = self.position();
        self.node(at, Kind::Literal(Value::Null))
    }

    /// Runs a rule one level deeper.
    fn deeper(&mut self, rule: fn(&mut Self) -> Node) -> Node {
        if self.depth >= MAX_DEPTH || self.gave_up {
            self.gave_up = true;
            return self.broken();
        }
        self.depth += 1;
        let node = rule(self);
        self.depth -= 1;
        node
    }

    pub(super) fn expression(&mut self) -> Node {
        self.deeper(Self::conditional)
    }

    fn conditional(&mut self) -> Node {
        let condition = self.disjunction();
        let at = self.position();
        if !self.take("?") {
            return condition;
        }
        let truthy = self.disjunction();
        self.expect(":");
        let falsy = self.expression();
        self.call(at, "_?_:_", vec![condition, truthy, falsy])
    }

    fn disjunction(&mut self) -> Node {
        self.logical("||", "_||_", Self::conjunction)
    }

    fn conjunction(&mut self) -> Node {
        self.logical("&&", "_&&_", Self::relation)
    }

    /// A chain of one logical operator, as a balanced tree.
    fn logical(&mut self, symbol: &str, function: &str, operand: fn(&mut Self) -> Node) -> Node {
        let mut terms = vec![operand(self)];
        let mut places = Vec::new();
        loop {
            let at = self.position();
            if self.gave_up || !self.take(symbol) {
                break;
            }
            places.push(at);
            terms.push(operand(self));
        }
        self.balanced(function, terms, &places)
    }

    fn balanced(&mut self, function: &str, mut terms: Vec<Node>, places: &[usize]) -> Node {
        if terms.len() < 2 {
            return terms.pop().unwrap_or_else(|| self.broken());
        }
        let middle = terms.len().div_ceil(2);
        let right = terms.split_off(middle);
        let at = places.get(middle - 1).copied().unwrap_or(0);
        let left = self.balanced(function, terms, places);
        let right = self.balanced(function, right, places.get(middle..).unwrap_or_default());
        self.call(at, function, vec![left, right])
    }

    /// Operators of one precedence, from left to right. Each of them is a level of depth.
    fn chain(&mut self, operators: &[(&str, &str)], operand: fn(&mut Self) -> Node) -> Node {
        let mut left = operand(self);
        let before = self.depth;
        loop {
            let at = self.position();
            let found = operators.iter().find(|(symbol, _)| self.is(symbol));
            let Some((_, function)) = found else { break };
            if self.depth >= MAX_DEPTH {
                self.gave_up = true;
            }
            if self.gave_up {
                break;
            }
            self.depth += 1;
            self.advance();
            let right = operand(self);
            left = self.call(at, function, vec![left, right]);
        }
        self.depth = before;
        left
    }

    fn relation(&mut self) -> Node {
        const OPERATORS: [(&str, &str); 7] = [
            ("<", "_<_"),
            ("<=", "_<=_"),
            (">=", "_>=_"),
            (">", "_>_"),
            ("==", "_==_"),
            ("!=", "_!=_"),
            ("in", "@in"),
        ];
        self.chain(&OPERATORS, Self::sum)
    }

    fn sum(&mut self) -> Node {
        self.chain(&[("+", "_+_"), ("-", "_-_")], Self::product)
    }

    fn product(&mut self) -> Node {
        const OPERATORS: [(&str, &str); 3] = [("*", "_*_"), ("/", "_/_"), ("%", "_%_")];
        self.chain(&OPERATORS, Self::unary)
    }

    fn unary(&mut self) -> Node {
        let at = self.position();
        for (symbol, function) in [("!", "!_"), ("-", "-_")] {
            if !self.is(symbol) {
                continue;
            }
            let next = self.tokens.get(self.at + 1);
            if symbol == "-"
                && next.is_some_and(|next| matches!(next.kind, TokenKind::Int | TokenKind::Float))
            {
                break;
            }
            let mut count = 0;
            while self.take(symbol) {
                count += 1;
            }
            let operand = self.member();
            // An even number of equal operators cancels out.
            return if count % 2 == 0 {
                operand
            } else {
                self.call(at, function, vec![operand])
            };
        }
        self.member()
    }

    fn member(&mut self) -> Node {
        let mut node = self.primary();
        let before = self.depth;
        loop {
            if self.depth >= MAX_DEPTH {
                self.gave_up = true;
            }
            if self.gave_up {
                break;
            }
            let at = self.position();
            if self.take(".") {
                node = self.field(at, node);
            } else if self.take("[") {
                let function = if self.take("?") { "_[?_]" } else { "_[_]" };
                let index = self.expression();
                self.expect("]");
                node = self.call(at, function, vec![node, index]);
            } else {
                break;
            }
            self.depth += 1;
        }
        self.depth = before;
        node
    }

    fn field(&mut self, dot: usize, operand: Node) -> Node {
        let optional = self.take("?");
        let token = self.token().clone();
        let name = match &token.kind {
            TokenKind::Ident => token.text.clone(),
            TokenKind::Quoted(name) => name.clone(),
            _ => {
                self.report(
                    token.at,
                    format!(
                        "Syntax error: no viable alternative at input '.{}'",
                        token.text.replace("<EOF>", "")
                    ),
                );
                self.advance();
                return operand;
            }
        };
        self.advance();
        if optional {
            let at = dot;
            let name = self.node(token.at, Kind::Literal(Value::string(&name)));
            return self.call(at, "_?._", vec![operand, name]);
        }
        let open = self.position();
        if token.kind == TokenKind::Ident && self.take("(") {
            let args = self.arguments(")");
            self.expect(")");
            return self.member_call(open, operand, name, args);
        }
        self.node(
            dot,
            Kind::Select {
                operand: Box::new(operand),
                field: name,
                test_only: false,
            },
        )
    }

    fn member_call(&mut self, at: usize, target: Node, function: String, args: Vec<Node>) -> Node {
        match macros::expand(self, at, Some(target), &function, args) {
            Expansion::Node(node) => node,
            Expansion::Not { target, args } => self.node(
                at,
                Kind::Call {
                    target: target.map(Box::new),
                    function,
                    args,
                },
            ),
        }
    }

    fn arguments(&mut self, close: &str) -> Vec<Node> {
        let mut args = Vec::new();
        if self.is(close) {
            return args;
        }
        loop {
            args.push(self.expression());
            if self.gave_up || !self.take(",") {
                return args;
            }
        }
    }

    fn primary(&mut self) -> Node {
        let token = self.token().clone();
        let at = token.at;
        match &token.kind {
            TokenKind::String(text) => self.literal(at, Value::string(text)),
            TokenKind::Bytes(bytes) => self.literal(at, Value::Bytes(Arc::from(bytes.as_slice()))),
            TokenKind::Int | TokenKind::Uint | TokenKind::Float => self.number(&token, false),
            TokenKind::Ident => self.identifier(at, token.text.clone()),
            TokenKind::Symbol => match token.text.as_str() {
                "true" => self.literal(at, Value::Bool(true)),
                "false" => self.literal(at, Value::Bool(false)),
                "null" => self.literal(at, Value::Null),
                "-" => {
                    self.advance();
                    let number = self.token().clone();
                    self.number(&number, true)
                }
                "(" => {
                    self.advance();
                    let inner = self.expression();
                    self.expect(")");
                    inner
                }
                "[" => self.list(at),
                "{" => self.map(at),
                "." => {
                    self.advance();
                    self.leading_dot(at)
                }
                _ => self.mismatched(),
            },
            TokenKind::Quoted(_) | TokenKind::End => self.mismatched(),
        }
    }

    fn mismatched(&mut self) -> Node {
        let (at, text) = (self.position(), self.token().text.clone());
        self.report(
            at,
            format!("Syntax error: mismatched input '{text}' expecting {EXPRESSION_START}"),
        );
        self.broken()
    }

    fn leading_dot(&mut self, at: usize) -> Node {
        let token = self.token().clone();
        if token.kind != TokenKind::Ident {
            return self.mismatched();
        }
        self.advance();
        self.node(at, Kind::Ident(token.text))
    }

    fn literal(&mut self, at: usize, value: Value) -> Node {
        self.advance();
        self.node(at, Kind::Literal(value))
    }

    fn number(&mut self, token: &Token, negative: bool) -> Node {
        let sign = if negative { "-" } else { "" };
        let at = token.at - usize::from(negative);
        let text = token.text.trim_end_matches(['u', 'U']);
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let (digits, radix) = hex.map_or((text, 10), |hex| (hex, 16));
        let value = match token.kind {
            TokenKind::Int => i64::from_str_radix(&format!("{sign}{digits}"), radix)
                .ok()
                .map(Value::Int),
            TokenKind::Uint => u64::from_str_radix(digits, radix).ok().map(Value::Uint),
            _ => format!("{sign}{text}")
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map(Value::Double),
        };
        if value.is_none() {
            let kind = match token.kind {
                TokenKind::Int => "int",
                TokenKind::Uint => "uint",
                _ => "double",
            };
            self.report(at, format!("invalid {kind} literal"));
        }
        self.literal(at, value.unwrap_or(Value::Null))
    }

    fn identifier(&mut self, at: usize, name: String) -> Node {
        self.advance();
        if RESERVED.contains(&name.as_str()) {
            self.report(at, format!("reserved identifier: {name}"));
        }
        let open = self.position();
        if !self.take("(") {
            return self.node(at, Kind::Ident(name));
        }
        let args = self.arguments(")");
        self.expect(")");
        match macros::expand(self, open, None, &name, args) {
            Expansion::Node(node) => node,
            Expansion::Not { args, .. } => self.call(open, &name, args),
        }
    }

    fn list(&mut self, at: usize) -> Node {
        self.advance();
        let mut elements = Vec::new();
        let mut optional = Vec::new();
        while !self.is("]") && !self.gave_up {
            if self.take("?") {
                optional.push(elements.len());
            }
            elements.push(self.expression());
            if !self.take(",") {
                break;
            }
        }
        self.expect("]");
        self.node(at, Kind::List { elements, optional })
    }

    fn map(&mut self, at: usize) -> Node {
        self.advance();
        let mut entries = Vec::new();
        while !self.is("}") && !self.gave_up {
            let optional = self.take("?");
            let key = self.expression();
            self.expect(":");
            let value = self.expression();
            entries.push(Entry {
                key,
                value,
                optional,
            });
            if !self.take(",") {
                break;
            }
        }
        self.expect("}");
        self.node(at, Kind::Map(entries))
    }
}
