//! The page: draws the engine's updates, and sends it the user's commands.

mod address;
mod app;
mod classes;
pub mod engine;
mod examples;
mod files;
mod frames;
mod keys;
mod languages;
mod lazy_module;
mod lessons;
mod links;
mod lms;
mod load;
mod panels;
mod parts;
mod persistence;
mod prefetch;
mod presenter;
pub mod store;
mod styles;

use crate::words::language::Language;
pub use app::App;
use wasm_bindgen_futures::spawn_local;

/// Shows the page, once its language is loaded.
pub fn start() {
    let address = address::read();
    if let Some(channel) = address.notes.clone() {
        return presenter::show_notes(channel, address);
    }
    match languages::wanted(&address) {
        Language::English => show(),
        language => spawn_local(async move {
            // If the catalogue cannot be fetched, the page is in English.
            if languages::switch_to(language).await {
                examples::fetch_texts().await;
            }
            show();
        }),
    }
}

fn show() {
    // A separate element, because the icon sprite in `index.html` must stay.
    if let Some(root) = gloo::utils::document().get_element_by_id("app") {
        yew::Renderer::<App>::with_root(root).render();
    }
}
