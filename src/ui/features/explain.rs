//! Explain: one attempt, from a sentence to the numbers.

mod state;
mod view;

pub use state::{Cell, Explain, ExplainAction, Found, Search, Table};
pub use view::view;
