//! The rules of fields, as one table: defaults, required fields, enums, formats, bounds (in the manner of Kubernetes'
//! declarative validation, KEP-5073).
//!
//! `rules/*.txt` list types and, indented below each, its fields in the order in which the API server (v1.36)
//! checks them:
//!
//! ```text
//! Container
//!   name            required  label
//!   ports[]         ContainerPort
//!   imagePullPolicy default=IfNotPresent  in=Always,IfNotPresent,Never
//! ```
//!
//! A key that ends in `[]` is a list whose items are checked, each at its index; `[~]` at the place of the list
//! itself; `{}` is a map. `.` is the whole value. A rule applies to a value that is there: absent fields are
//! complained about by `required` only. `.?a,b` is the whole value where it has one of these fields. A name with a capital letter is the type of the value, `^` before it the
//! same at the place of the owner. `@name` is a function for what concerns several fields (`rules/calls.rs`),
//! `@@name` one that is called for absent values, too.

mod batch;
mod calls;
mod formats;
mod network;
mod pod;
mod policy;
pub mod read;
mod storage;
mod table;

use serde::Serialize;
use serde_json::Value;

use super::validation::Errors;
use berth_base::json;
use berth_scheduler::field::{FieldError, Path};
use read::is_empty;
use table::{Each, Row, Rule, type_of};

pub use pod::{Owner, pod_spec};

/// A value with its place, as rules see it.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// The structure that has the field.
    pub owner: &'a Value,
    /// The field's value; null if it is absent.
    pub value: &'a Value,
    /// The place of the owner.
    here: &'a Path,
    key: &'static str,
}

impl Site<'_> {
    /// The place of the value.
    pub fn path(&self) -> Path {
        match self.key {
            "." => self.here.clone(),
            key => self.here.child(key),
        }
    }
}

/// One walk through an object.
pub(crate) struct Walk<'a> {
    pub errors: &'a mut Errors,
    /// The Pod whose spec is walked.
    pub pod: Option<&'a pod::Context<'a>>,
}

/// A function for what concerns several fields.
type Call = fn(&mut Walk<'_>, &Site<'_>);

/// Adds the errors of an object of a kind.
pub fn object(kind: &str, object: &impl Serialize, errors: &mut Errors) {
    part(kind, &json::value(object), &Path::root(), errors);
}

/// Adds the errors of a part of an object.
pub fn part(kind: &str, value: &Value, path: &Path, errors: &mut Errors) {
    let mut walk = Walk { errors, pod: None };
    walk.structure(kind, value, path);
}

impl Walk<'_> {
    /// Applies the rules of a type to a value.
    pub fn structure(&mut self, name: &str, value: &Value, here: &Path) {
        for row in type_of(name) {
            let own = match row.key {
                "." => value,
                key => value.get(key).unwrap_or(&Value::Null),
            };
            let site = Site {
                owner: value,
                value: own,
                here,
                key: row.key,
            };
            self.row(row, &site);
        }
    }

    fn row(&mut self, row: &Row, site: &Site<'_>) {
        if is_empty(site.value) && row.has_default {
            return;
        }
        let has = |field: &str| site.owner.get(field).is_some_and(|it| !it.is_null());
        if !row.only.is_empty() && !row.only.split(',').any(has) {
            return;
        }
        for rule in &row.rules {
            match rule {
                Rule::Required(detail) if is_empty(site.value) => {
                    self.errors.push(FieldError::required(&site.path(), detail));
                    return;
                }
                Rule::Required(_) => {}
                Rule::Always(call) => call(self, site),
                _ if site.value.is_null() => {}
                Rule::Call(call) => call(self, site),
                rule => self.each(row.each, rule, site),
            }
        }
    }

    /// Applies a rule to a value, or to each of its items.
    fn each(&mut self, each: Each, rule: &Rule, site: &Site<'_>) {
        match (each, site.value) {
            (Each::Item, Value::Array(items)) => {
                let path = site.path();
                for (place, item) in items.iter().enumerate() {
                    self.leaf(rule, item, &path.index(place), site.here);
                }
            }
            (Each::ItemHere, Value::Array(items)) => {
                let path = site.path();
                for item in items {
                    self.leaf(rule, item, &path, site.here);
                }
            }
            (Each::Entry, Value::Object(entries)) => {
                let path = site.path();
                for (key, entry) in entries {
                    self.leaf(rule, entry, &path.key(key), site.here);
                }
            }
            (Each::Whole, Value::String(text))
                if text.is_empty() && !matches!(rule, Rule::In(_) | Rule::RequiredFormat(_)) => {}
            (Each::Whole, value) => self.leaf(rule, value, &site.path(), site.here),
            _ => {}
        }
    }

    fn leaf(&mut self, rule: &Rule, value: &Value, path: &Path, owner: &Path) {
        match rule {
            Rule::Type(name) => self.structure(name, value, path),
            Rule::TypeHere(name) => self.structure(name, value, owner),
            Rule::In(words) => {
                if let Some(word) = value.as_str().filter(|word| !words.contains(word)) {
                    self.errors
                        .push(FieldError::not_supported(path, word, words));
                }
            }
            Rule::Range(least, most) => {
                let number = value.as_i64().filter(|it| it < least || it > most);
                if let Some(number) = number {
                    let detail = format!("must be between {least} and {most}, inclusive");
                    self.errors.push(FieldError::invalid(path, number, &detail));
                }
            }
            Rule::AtLeast(least, detail) => {
                if let Some(number) = value.as_i64().filter(|it| it < least) {
                    self.errors.push(FieldError::invalid(path, number, detail));
                }
            }
            Rule::Longest(bytes) => {
                if value.as_str().is_some_and(|text| text.len() > *bytes) {
                    self.errors.push(FieldError::too_long(path, *bytes));
                }
            }
            Rule::Format(check) | Rule::RequiredFormat(check) => {
                let text = value.as_str().unwrap_or_default();
                self.invalid_each(path, text, check(text));
            }
            Rule::Mode => {
                const MOST: i64 = 0o777;
                if let Some(mode) = value.as_i64().filter(|it| !(0..=MOST).contains(it)) {
                    let detail = "must be a number between 0 and 0777 (octal), both inclusive";
                    self.errors.push(FieldError::invalid(path, mode, detail));
                }
            }
            Rule::Required(_) | Rule::Always(_) | Rule::Call(_) => {}
        }
    }

    /// Reports each of several things that are wrong with a text.
    pub fn invalid_each(&mut self, path: &Path, text: &str, details: Vec<String>) {
        let errors = details.iter();
        self.errors
            .extend(errors.map(|detail| FieldError::invalid(path, text, detail)));
    }

    pub fn invalid(&mut self, path: &Path, value: impl Into<Value>, detail: &str) {
        self.errors.push(FieldError::invalid(path, value, detail));
    }

    pub fn required(&mut self, path: &Path, detail: &str) {
        self.errors.push(FieldError::required(path, detail));
    }

    pub fn forbidden(&mut self, path: &Path, detail: &str) {
        self.errors.push(FieldError::forbidden(path, detail));
    }
}
