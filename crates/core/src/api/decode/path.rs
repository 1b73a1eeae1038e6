//! The path from a document's root to the current node.

use std::fmt::{self, Write};

use crate::api::shapes;

/// One step of the path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'de> {
    /// A field of a struct: `.name`.
    Field(&'de str),
    /// A key of a map: `[name]`.
    Key(&'de str),
    /// An item of a list: `[0]`.
    Index(usize),
}

/// The struct fields only, joined by dots, as Go's JSON decoder names a field.
pub(super) fn go_field(steps: &[Step<'_>]) -> String {
    let mut joined = String::new();
    for step in steps {
        if let Step::Field(name) = step {
            if !joined.is_empty() {
                joined.push('.');
            }
            joined.push_str(name);
        }
    }
    joined
}

/// The step in terms of Go's structures.
pub(super) fn shape<'a>(step: &Step<'a>) -> shapes::Step<'a> {
    match step {
        Step::Field(name) => shapes::Step::Field(name),
        Step::Key(_) | Step::Index(_) => shapes::Step::Item,
    }
}

/// In the API server's notation: `spec.containers[0].image`.
pub(super) fn text(steps: &[Step<'_>]) -> String {
    let mut text = String::new();
    for step in steps {
        // Writing into memory cannot fail.
        let _: fmt::Result = match step {
            Step::Field(name) if text.is_empty() => text.write_str(name),
            Step::Field(name) => write!(text, ".{name}"),
            Step::Key(name) => write!(text, "[{name}]"),
            Step::Index(index) => write!(text, "[{index}]"),
        };
    }
    text
}
