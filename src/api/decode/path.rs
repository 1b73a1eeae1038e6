//! Field paths, grown on the stack while a value is decoded.

use std::fmt;

/// The way from a document's top to one of its nodes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'p> {
    Root,
    /// A field of a struct: `.name`.
    Field(&'p Path<'p>, &'p str),
    /// A key of a map: `[name]`.
    Key(&'p Path<'p>, &'p str),
    /// An item of a list: `[0]`.
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// The struct fields only, joined by dots, as Go's JSON decoder names a field.
    pub(super) fn go_field(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Field(parent, name) => {
                let before = parent.go_field();
                if before.is_empty() {
                    (*name).to_owned()
                } else {
                    format!("{before}.{name}")
                }
            }
            Path::Key(parent, _) | Path::Index(parent, _) => parent.go_field(),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Field(Path::Root, name) => f.write_str(name),
            Path::Field(parent, name) => write!(f, "{parent}.{name}"),
            Path::Key(parent, name) => write!(f, "{parent}[{name}]"),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}
