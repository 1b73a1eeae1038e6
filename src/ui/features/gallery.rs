//! The gallery: the visitor's own cluster, an empty one, or an example.

mod effects;
mod view;

pub use effects::{default_text, fetch_list, fetch_text, fetch_texts, is_default, list, open};
pub use view::view;
