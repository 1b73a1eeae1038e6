//! The page: what the engine tells, drawn, and what the user does, told to the engine.

mod app;
pub mod engine;
mod examples;
pub mod keep;
mod keys;
mod panels;
mod parts;
mod rest;
mod scene;
pub mod store;
mod visit;
pub mod words;

pub use app::App;
