//! Exports of a run: the stage as a picture, an explanation as Markdown, the timeline as a list. All of it
//! is text that the page and the command make from the same data.

pub mod case;
pub mod events;
pub mod handout;
pub mod markdown;
pub mod prose;
mod qr;
pub mod svg;
#[cfg(any(feature = "cli", feature = "ui"))]
pub mod what_if;

pub use qr::squares;
