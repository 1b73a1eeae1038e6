//! The syntax tree of an expression, after expansion of its macros.

use super::value::Value;

/// The index of a node in the tables of the checker and the cost estimator.
pub type NodeId = usize;

/// One node of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    pub id: NodeId,
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Kind {
    Literal(Value),
    Ident(String),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        operand: Box<Node>,
        field: String,
        test_only: bool,
    },
    /// A function, or an operator under its internal name (`_==_`).
    Call {
        target: Option<Box<Node>>,
        function: String,
        args: Vec<Node>,
    },
    List {
        elements: Vec<Node>,
        /// Positions of elements written as `?element`.
        optional: Vec<usize>,
    },
    Map(Vec<Entry>),
    Comprehension(Box<Comprehension>),
}

/// An entry of a map literal.
#[derive(Clone, Debug)]
pub struct Entry {
    pub key: Node,
    pub value: Node,
    /// Written as `?key: value`.
    pub optional: bool,
}

/// A loop, made by a macro.
#[derive(Clone, Debug)]
pub struct Comprehension {
    pub range: Node,
    pub var: String,
    /// The second variable of macros over index and value.
    pub var2: Option<String>,
    pub accumulator: String,
    pub init: Node,
    pub condition: Node,
    pub step: Node,
    pub result: Node,
}

impl Comprehension {
    /// Whether this is `cel.bind`: a variable with a value and no loop.
    pub fn is_bind(&self) -> bool {
        let no_range =
            matches!(&self.range.kind, Kind::List { elements, .. } if elements.is_empty());
        no_range
            && matches!(self.condition.kind, Kind::Literal(Value::Bool(false)))
            && self.accumulator != ACCUMULATOR
    }
}

/// The hidden variable in which macros accumulate their result.
pub const ACCUMULATOR: &str = "@result";

/// Hands out node ids and keeps the position of each node in the text.
#[derive(Clone, Debug, Default)]
pub struct Positions(Vec<usize>);

impl Positions {
    /// A new node at a position, in characters.
    pub fn node(&mut self, at: usize, kind: Kind) -> Node {
        self.0.push(at);
        Node {
            id: self.0.len() - 1,
            kind,
        }
    }

    /// The position of a node, in characters.
    pub fn of(&self, id: NodeId) -> usize {
        self.0.get(id).copied().unwrap_or(0)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
