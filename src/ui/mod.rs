//! The page: draws the engine's updates, and sends it the user's commands.

mod address;
mod app;
pub mod engine;
mod examples;
mod files;
mod keys;
mod lazy_module;
mod links;
mod load;
mod panels;
mod parts;
mod persistence;
mod prefetch;
mod scene;
pub mod store;
pub mod words;

pub use app::App;
