//! The page: draws the engine's updates, and sends it the user's commands.

mod address;
mod app;
pub mod engine;
pub mod features;
mod files;
mod frames;
mod keys;
mod languages;
mod lazy_module;
mod load;
mod panels;
mod parts;
mod persistence;
mod prefetch;
pub mod store;
mod styles;

pub use app::App;
use app::Props;
use store::Keeping;
use wasm_bindgen_futures::spawn_local;

/// Shows the page, once all that it begins with is loaded: only a first visit to a bare address does without the lazy
/// module.
pub fn start() {
    spawn_local(async {
        if (persistence::has_visits() || !address::is_bare())
            && let Err(reason) = lazy_module::fetch().await
        {
            // An unhandled rejection is shown in words (www/fault.js).
            drop(js_sys::Promise::reject(&reason));
            return;
        }
        show().await;
    });
}

async fn show() {
    let address = address::read();
    if let Some(late) = gloo::utils::document().get_element_by_id("late") {
        late.remove();
    }
    if let Some(channel) = address.notes.clone() {
        return features::presenter::show_notes(channel, address);
    }
    let language = languages::wanted(&address);
    // If the catalogue cannot be fetched, the page is in English.
    if !language.is_source() && languages::switch_to(language).await {
        features::gallery::fetch_texts().await;
    }
    let begun = persistence::begin(address.keeping() == Keeping::Kept).await;
    // A separate element, because the icon sprite in `index.html` must stay.
    if let Some(root) = gloo::utils::document().get_element_by_id("app") {
        let props = Props::from(begun);
        yew::Renderer::<App>::with_root_and_props(root, props).render();
    }
}
