//! Evaluates nodes, with the errors of `text/template/exec.go`.

use std::ops::ControlFlow;

use serde_json::Value;

use super::{Branch, Datum, Keyword, Node, Operand, Pipe, Term, functions};

/// Maximum number of evaluated nodes: ranges over numbers may ask for any.
const MAX_STEPS: usize = 2_000_000;

/// Whether a list of nodes ended with `break` or `continue`.
enum Jump {
    Break,
    Continue,
}

type Flow = Result<ControlFlow<Jump>, String>;

pub(super) fn run(nodes: &[Node], source: &str, object: &Value) -> Result<String, String> {
    let mut evaluation = Evaluation {
        source,
        variables: vec![("", Datum::from(object))],
        out: String::new(),
        steps: 0,
    };
    evaluation
        .walk(nodes, &Datum::from(object))
        .map(|_| evaluation.out)
}

pub(super) struct Evaluation<'a> {
    source: &'a str,
    variables: Vec<(&'a str, Datum<'a>)>,
    out: String,
    steps: usize,
}

impl<'a> Evaluation<'a> {
    fn walk(&mut self, nodes: &'a [Node], dot: &Datum<'a>) -> Flow {
        for node in nodes {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err("the template takes too many steps".to_owned());
            }
            match node {
                Node::Text(text) => self.out.push_str(text),
                Node::Break => return Ok(ControlFlow::Break(Jump::Break)),
                Node::Continue => return Ok(ControlFlow::Break(Jump::Continue)),
                Node::Action(pipe) => {
                    let value = self.pipe(pipe, dot)?;
                    if pipe.variables.is_empty() {
                        self.out.push_str(&printed(&value));
                    }
                }
                Node::Branch(branch) => {
                    let scope = self.variables.len();
                    let flow = self.branch(branch, dot);
                    self.variables.truncate(scope);
                    let flow = flow?;
                    if flow.is_break() {
                        return Ok(flow);
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn branch(&mut self, branch: &'a Branch, dot: &Datum<'a>) -> Flow {
        if branch.keyword == Keyword::Range {
            return self.range(branch, dot);
        }
        let value = self.pipe(&branch.pipe, dot)?;
        match (value.is_true(), branch.keyword) {
            (false, _) => self.walk(&branch.otherwise, dot),
            (true, Keyword::With) => self.walk(&branch.then, &value),
            (true, _) => self.walk(&branch.then, dot),
        }
    }

    fn range(&mut self, branch: &'a Branch, dot: &Datum<'a>) -> Flow {
        let value = self.commands(&branch.pipe, dot)?;
        let scope = self.variables.len();
        let mut any = false;
        match value {
            Datum::List(items) => {
                for (index, item) in (0..).zip(items) {
                    any = true;
                    if self.turn(branch, Datum::Int(index), Datum::from(item), scope)? {
                        break;
                    }
                }
            }
            Datum::Map(map) => {
                let mut entries: Vec<(&String, &Value)> = map.iter().collect();
                berth_base::sort::sort_by(&mut entries, |a, b| a.0.cmp(b.0));
                for (key, item) in entries {
                    any = true;
                    let key = Datum::Text(key.as_str().into());
                    if self.turn(branch, key, Datum::from(item), scope)? {
                        break;
                    }
                }
            }
            Datum::Int(count) => {
                for number in 0..count {
                    any = true;
                    if self.turn(branch, Datum::Int(number), Datum::Int(number), scope)? {
                        break;
                    }
                }
            }
            Datum::Nothing => {}
            other => {
                let message = format!("range can't iterate over {}", other.text());
                let first = branch.pipe.commands.first().and_then(|it| it.first());
                return Err(self.fault(first, &message));
            }
        }
        self.variables.truncate(scope);
        if any {
            return Ok(ControlFlow::Continue(()));
        }
        self.walk(&branch.otherwise, dot)
    }

    /// One turn of a range; whether the range ends with it.
    fn turn(
        &mut self,
        branch: &'a Branch,
        key: Datum<'a>,
        item: Datum<'a>,
        scope: usize,
    ) -> Result<bool, String> {
        self.variables.truncate(scope);
        match branch.pipe.variables.as_slice() {
            [] => {}
            [one] => self.set(&branch.pipe, one, item.clone()),
            [first, second, ..] => {
                self.set(&branch.pipe, first, key);
                self.set(&branch.pipe, second, item.clone());
            }
        }
        let flow = self.walk(&branch.then, &item)?;
        Ok(matches!(flow, ControlFlow::Break(Jump::Break)))
    }

    fn set(&mut self, pipe: &Pipe, name: &'a str, value: Datum<'a>) {
        let known = self.variables.iter_mut().rev().find(|it| it.0 == name);
        match known {
            Some(known) if pipe.assigns => known.1 = value,
            _ => self.variables.push((name, value)),
        }
    }

    /// The value of a pipeline, which its variable takes.
    fn pipe(&mut self, pipe: &'a Pipe, dot: &Datum<'a>) -> Result<Datum<'a>, String> {
        let value = self.commands(pipe, dot)?;
        for name in &pipe.variables {
            self.set(pipe, name, value.clone());
        }
        Ok(value)
    }

    fn commands(&mut self, pipe: &'a Pipe, dot: &Datum<'a>) -> Result<Datum<'a>, String> {
        let mut last = None;
        for command in &pipe.commands {
            last = Some(self.command(command, last, dot)?);
        }
        Ok(last.unwrap_or(Datum::Nothing))
    }

    /// A command; `last` is the value of the one before it in the pipeline.
    fn command(
        &mut self,
        operands: &'a [Operand],
        last: Option<Datum<'a>>,
        dot: &Datum<'a>,
    ) -> Result<Datum<'a>, String> {
        let Some((first, rest)) = operands.split_first() else {
            return Ok(Datum::Nothing);
        };
        if let Term::Function(function) = &first.value {
            let value = functions::call(*function, rest, last, &mut |it| self.operand(it, dot));
            let value = value.map_err(|failure| match failure {
                functions::Failure::Told(message) => message,
                functions::Failure::Calling(message) => {
                    let message = format!("error calling {}: {message}", function.name());
                    self.fault(Some(first), &message)
                }
                functions::Failure::Argument(message) => self.fault(Some(first), &message),
            })?;
            return self.fields(first, value);
        }
        if matches!(first.value, Term::Nil) {
            return Err(self.fault(Some(first), "nil is not a command"));
        }
        if !rest.is_empty() || last.is_some() {
            let text = self.text_of(first);
            let message = match (&first.value, first.fields.last()) {
                (Term::Dot | Term::Variable(_), Some(field)) => {
                    format!("{field} is not a method but has arguments")
                }
                _ => format!("can't give argument to non-function {text}"),
            };
            return Err(self.fault(Some(first), &message));
        }
        self.operand(first, dot)
    }

    fn operand(&mut self, operand: &'a Operand, dot: &Datum<'a>) -> Result<Datum<'a>, String> {
        let value = match &operand.value {
            Term::Dot => dot.clone(),
            Term::Nil => Datum::Nothing,
            Term::Constant(constant) => Datum::from(constant),
            Term::Pipe(pipe) => self.commands(pipe, dot)?,
            Term::Function(_) => {
                return self.command(std::slice::from_ref(operand), None, dot);
            }
            Term::Variable(name) => {
                let known = self.variables.iter().rev().find(|it| it.0 == name);
                known.map_or(Datum::Nothing, |it| it.1.clone())
            }
        };
        self.fields(operand, value)
    }

    /// The field of a value that an operand names.
    fn fields(&self, operand: &Operand, value: Datum<'a>) -> Result<Datum<'a>, String> {
        let mut value = value;
        for field in &operand.fields {
            value = match value {
                Datum::Map(map) => map.get(field).map_or(Datum::Nothing, Datum::from),
                Datum::Nothing => Datum::Nothing,
                other => {
                    let kind = match other {
                        Datum::Text(_) | Datum::Bool(_) | Datum::Int(_) | Datum::Float(_)
                            if matches!(operand.value, Term::Constant(_)) =>
                        {
                            other.type_name()
                        }
                        _ => "interface {}",
                    };
                    let message = format!("can't evaluate field {field} in type {kind}");
                    return Err(self.fault(Some(operand), &message));
                }
            };
        }
        Ok(value)
    }

    fn text_of(&self, operand: &Operand) -> &'a str {
        self.source
            .get(operand.start..operand.end)
            .unwrap_or_default()
    }

    /// `template: output:1:2: executing "output" at <.x>: …`.
    fn fault(&self, operand: Option<&Operand>, message: &str) -> String {
        let Some(operand) = operand else {
            return format!("template: output: {message}");
        };
        let before = self.source.get(..operand.start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let text = self.text_of(operand);
        let short: String = text.chars().take(20).collect();
        let text = if short.len() < text.len() {
            short + "..."
        } else {
            short
        };
        format!("template: output:{line}:{column}: executing \"output\" at <{text}>: {message}")
    }
}

/// A value as an action prints it.
fn printed(value: &Datum<'_>) -> String {
    match value {
        Datum::Nothing => "<no value>".to_owned(),
        other => other.text(),
    }
}
