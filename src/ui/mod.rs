//! The page: what the engine tells, drawn, and what the user does, told to the engine.

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
