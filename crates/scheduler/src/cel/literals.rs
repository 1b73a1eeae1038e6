//! Checks of literals that would fail whenever they are evaluated (cel-go's AST validators): regular
//! expressions, durations, timestamps, and the arguments of `format`.

use super::ast::{Kind, Node, Positions};
use super::check::Checked;
use super::errors::Issue;
use super::strings::{BadPattern, compile};
use super::times::parse_timestamp;
use super::types::Type;
use super::value::Value;
use berth_base::duration::parse_nanos;

struct Validator<'a> {
    checked: &'a Checked,
    positions: &'a Positions,
    issues: Vec<Issue>,
}

/// The errors of all literals.
pub fn validate(root: &Node, checked: &Checked, positions: &Positions) -> Vec<Issue> {
    let mut validator = Validator {
        checked,
        positions,
        issues: Vec::new(),
    };
    validator.node(root);
    validator.issues
}

impl Validator<'_> {
    fn report(&mut self, node: &Node, message: String) {
        self.issues.push(Issue {
            at: self.positions.of(node.id),
            message,
        });
    }

    fn node(&mut self, node: &Node) {
        match &node.kind {
            Kind::Literal(_) | Kind::Ident(_) => {}
            Kind::Select { operand, .. } => self.node(operand),
            Kind::Call {
                target,
                function,
                args,
            } => {
                for node in target.as_deref().into_iter().chain(args) {
                    self.node(node);
                }
                self.call(target.as_deref(), function, args);
            }
            Kind::List { elements, .. } => elements.iter().for_each(|it| self.node(it)),
            Kind::Map(entries) => {
                for entry in entries {
                    self.node(&entry.key);
                    self.node(&entry.value);
                }
            }
            Kind::Comprehension(it) => {
                for node in [&it.range, &it.init, &it.condition, &it.step, &it.result] {
                    self.node(node);
                }
            }
        }
    }

    fn call(&mut self, target: Option<&Node>, function: &str, args: &[Node]) {
        let Some(last) = args.last() else { return };
        let text = match &last.kind {
            Kind::Literal(Value::String(text)) => Some(text),
            _ => None,
        };
        match (function, text) {
            ("matches" | "find" | "findAll", Some(text)) => match compile(text) {
                Ok(_) => {}
                Err(BadPattern::Unsupported(message)) => self.report(last, message),
                Err(BadPattern::Invalid(_)) => {
                    self.report(last, format!("invalid {function} argument"));
                }
            },
            ("duration", Some(text)) if parse_nanos(text).is_none() => {
                self.report(last, "invalid duration argument".to_owned());
            }
            ("timestamp", Some(text)) if parse_timestamp(text).is_none() => {
                self.report(last, "invalid timestamp argument".to_owned());
            }
            ("format", None) => self.format(target, last),
            _ => {}
        }
    }

    fn format(&mut self, target: Option<&Node>, list: &Node) {
        let Some(Kind::Literal(Value::String(text))) = target.map(|target| &target.kind) else {
            return;
        };
        let Kind::List { elements, .. } = &list.kind else {
            return;
        };
        let mut next = elements.iter();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                continue;
            }
            let clause = letters.find(|it| !it.is_ascii_digit() && *it != '.');
            if clause == Some('%') {
                continue;
            }
            let Some(element) = next.next() else { return };
            let found = self.checked.type_of(element.id);
            let problem = match clause {
                Some('s') if !is_printable(found) => Some((
                    "string",
                    "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
                )),
                Some('d') if !matches!(found, Type::Int | Type::Uint | Type::Dyn) => {
                    Some(("decimal", "integers"))
                }
                _ => None,
            };
            if let Some((clause, what)) = problem {
                let message = format!(
                    "error during formatting: {clause} clause can only be used on {what}, was given {}",
                    found.name()
                );
                self.report(element, message);
                return;
            }
        }
    }
}

fn is_printable(it: &Type) -> bool {
    !matches!(
        it,
        Type::Any | Type::Opaque(_) | Type::Optional(_) | Type::Device
    )
}
