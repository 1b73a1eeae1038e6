//! JSONPath as kubectl understands it (`client-go/util/jsonpath`, v0.34): text with expressions in braces.
//!
//! `{.items[*].metadata.name}`, `{range .items[*]}{.metadata.name}{"\n"}{end}`, slices, unions, `..`, filters
//! `[?(@.type=="Ready")]`. A field that is absent yields nothing.

mod eval;
mod parse;

use serde_json::Value;

/// A template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq)]
enum Item {
    Text(String),
    /// An expression in braces.
    Path(Vec<Step>),
    /// `{range …}…{end}`.
    Range(Vec<Step>, Vec<Item>),
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// A literal string, number or boolean.
    Literal(Value),
    Field(String),
    Slice(Slice),
    /// `[a,b]`: the results of each path, in order.
    Union(Vec<Vec<Step>>),
    Filter(Box<Filter>),
    Wildcard,
    /// `..`: the value and all its descendants.
    Recursive,
}

/// `[from:to:step]`; `[index]` is a slice of one element.
#[derive(Clone, Debug, Default, PartialEq)]
struct Slice {
    from: i64,
    to: Option<i64>,
    step: Option<i64>,
    /// Whether it is written as an index.
    is_index: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Vec<Step>,
    operator: Operator,
    right: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// client-go's syntax error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let items = parse::template(text)?;
        Ok(Template { items })
    }

    /// The results of each expression; those in a range once per element.
    ///
    /// # Errors
    /// client-go's error: an index out of bounds, a slice of a value that is not a list, or values that cannot be
    /// compared.
    pub fn results(&self, object: &Value) -> Result<Vec<Vec<Value>>, String> {
        let mut results = Vec::new();
        eval::run(&self.items, object, &mut results)?;
        Ok(results)
    }

    /// The printed text.
    ///
    /// # Errors
    /// As [`Template::results`].
    pub fn print(&self, object: &Value) -> Result<String, String> {
        let mut out = String::new();
        for values in self.results(object)? {
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                out.push_str(&text_of(value));
            }
        }
        Ok(out)
    }
}

/// A value as a template prints it: lists and maps as JSON.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => {
            crate::printers::output::escaped(&crate::printers::output::sorted(value).to_string())
        }
    }
}

/// Adds the braces and the leading dot that `custom-columns` and `--sort-by` make optional: `metadata.name`,
/// `.metadata.name`, `{.metadata.name}`.
///
/// # Errors
/// kubectl's error about a path of another form.
pub fn relaxed(path: &str) -> Result<String, String> {
    let unfit = || {
        "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'".to_owned()
    };
    if path.is_empty() {
        return Ok(String::new());
    }
    let inner = match path.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}').ok_or_else(unfit)?,
        None => path,
    };
    if inner.contains(['{', '}']) || inner.is_empty() || inner == "." {
        return Err(unfit());
    }
    let inner = inner.strip_prefix('.').unwrap_or(inner);
    Ok(format!("{{.{inner}}}"))
}

#[cfg(test)]
mod tests;
