//! The page: draws what the engine reports, and sends it what the user does.

mod app;
pub mod engine;
mod examples;
mod keys;
mod lazy_module;
mod panels;
mod parts;
mod persistence;
mod scene;
pub mod store;
pub mod words;

pub use app::App;
