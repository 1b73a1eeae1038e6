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
use app::Props;
use store::Keeping;
use wasm_bindgen_futures::spawn_local;

/// Shows the page, once its language and the last visit are loaded.
pub fn start() {
    let address = address::read();
    if let Some(late) = gloo::utils::document().get_element_by_id("late") {
        late.remove();
    }
    if let Some(channel) = address.notes.clone() {
        return presenter::show_notes(channel, address);
    }
    spawn_local(async move {
        let language = languages::wanted(&address);
        // If the catalogue cannot be fetched, the page is in English.
        if language != Language::English && languages::switch_to(language).await {
            examples::fetch_texts().await;
        }
        let begun = persistence::begin(address.keeping() == Keeping::Kept).await;
        // A separate element, because the icon sprite in `index.html` must stay.
        if let Some(root) = gloo::utils::document().get_element_by_id("app") {
            let props = Props::from(begun);
            yew::Renderer::<App>::with_root_and_props(root, props).render();
        }
    });
}
