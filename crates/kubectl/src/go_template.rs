//! Go templates as `-o go-template` prints them (Go's `text/template`; cli-runtime v0.36 `printers/template.go`): all
//! actions but `define`, `template` and `block`, and all functions but `call`, `html` and `js`.

mod compare;
mod eval;
mod functions;
mod lex;
mod parse;
mod printf;

use std::borrow::Cow;

use serde_json::{Map, Value};

/// A parsed template.
#[derive(Clone, Debug)]
pub(crate) struct GoTemplate {
    source: String,
    nodes: Vec<Node>,
}

impl GoTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// Go's syntax error, or that an action or a function is not simulated.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let nodes = parse::nodes(source)?;
        let source = source.to_owned();
        Ok(GoTemplate { source, nodes })
    }

    /// The printed text.
    ///
    /// # Errors
    /// Go's error about the value that cannot be evaluated.
    pub(crate) fn print(&self, object: &Value) -> Result<String, String> {
        eval::run(&self.nodes, &self.source, object)
    }
}

#[derive(Clone, Debug)]
enum Node {
    Text(String),
    Action(Pipe),
    Branch(Branch),
    Break,
    Continue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyword {
    If,
    Range,
    With,
}

#[derive(Clone, Debug)]
struct Branch {
    keyword: Keyword,
    pipe: Pipe,
    then: Vec<Node>,
    otherwise: Vec<Node>,
}

/// `$a, $b := x | f`.
#[derive(Clone, Debug, Default)]
struct Pipe {
    variables: Vec<String>,
    /// Whether the variables are assigned (`=`), and not declared.
    assigns: bool,
    commands: Vec<Vec<Operand>>,
}

/// An operand and its place in the source, which errors name.
#[derive(Clone, Debug)]
struct Operand {
    value: Term,
    /// The fields behind it: `$x.a.b`.
    fields: Vec<String>,
    start: usize,
    end: usize,
}

#[derive(Clone, Debug)]
enum Term {
    Dot,
    Variable(String),
    Function(functions::Function),
    Constant(Constant),
    Nil,
    Pipe(Box<Pipe>),
}

#[derive(Clone, Debug)]
enum Constant {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

/// A value during evaluation.
#[derive(Clone, Debug)]
enum Datum<'a> {
    /// A missing field, or null.
    Nothing,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'a, str>),
    List(&'a [Value]),
    Map(&'a Map<String, Value>),
}

impl<'a> From<&'a Value> for Datum<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Datum::Nothing,
            Value::Bool(it) => Datum::Bool(*it),
            Value::Number(it) => match it.as_i64() {
                Some(int) => Datum::Int(int),
                None => Datum::Float(it.as_f64().unwrap_or_default()),
            },
            Value::String(text) => Datum::Text(Cow::Borrowed(text)),
            Value::Array(items) => Datum::List(items),
            Value::Object(map) => Datum::Map(map),
        }
    }
}

impl<'a> From<&'a Constant> for Datum<'a> {
    fn from(constant: &'a Constant) -> Self {
        match constant {
            Constant::Bool(it) => Datum::Bool(*it),
            Constant::Int(it) => Datum::Int(*it),
            Constant::Float(it) => Datum::Float(*it),
            Constant::Text(it) => Datum::Text(Cow::Borrowed(it)),
        }
    }
}

impl Datum<'_> {
    /// Go's truth: neither false, 0, empty nor nil.
    fn is_true(&self) -> bool {
        match self {
            Datum::Nothing => false,
            Datum::Bool(it) => *it,
            Datum::Int(it) => *it != 0,
            Datum::Float(it) => *it != 0.0,
            Datum::Text(it) => !it.is_empty(),
            Datum::List(it) => !it.is_empty(),
            Datum::Map(it) => !it.is_empty(),
        }
    }

    /// The name of its Go type.
    fn type_name(&self) -> &'static str {
        match self {
            Datum::Nothing => "<nil>",
            Datum::Bool(_) => "bool",
            Datum::Int(_) => "int64",
            Datum::Float(_) => "float64",
            Datum::Text(_) => "string",
            Datum::List(_) => "[]interface {}",
            Datum::Map(_) => "map[string]interface {}",
        }
    }

    /// The text of `%v`.
    fn text(&self) -> String {
        match self {
            Datum::Nothing => "<nil>".to_owned(),
            Datum::Bool(it) => it.to_string(),
            Datum::Int(it) => it.to_string(),
            Datum::Float(it) => go_float(*it),
            Datum::Text(it) => it.to_string(),
            Datum::List(items) => {
                let items: Vec<String> = items.iter().map(go_value).collect();
                format!("[{}]", items.join(" "))
            }
            Datum::Map(map) => {
                let mut entries: Vec<(&String, &Value)> = map.iter().collect();
                berth_base::sort::sort_by(&mut entries, |a, b| a.0.cmp(b.0));
                let entries: Vec<String> = entries
                    .into_iter()
                    .map(|(key, value)| format!("{key}:{}", go_value(value)))
                    .collect();
                format!("map[{}]", entries.join(" "))
            }
        }
    }
}

/// A value as Go's `fmt.Sprint` prints it: `map[k:v]`, `[a b]`, `<nil>`.
pub(crate) fn go_value(value: &Value) -> String {
    Datum::from(value).text()
}

/// A float as Go's `%v` prints it: the shortest digits, with an exponent below 1e-4 and from 1e6.
fn go_float(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || (1e-4..1e6).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, power) = match exponent.strip_prefix('-') {
                Some(power) => ('-', power),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{power:0>2}")
        }
        None => text,
    }
}

#[cfg(test)]
mod tests;
