//! The bar at the top: what scenario this is, and what concerns the page as a whole.

use yew::{Callback, Html, MouseEvent, html};

use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::ui::words;

/// The bar.
pub fn view(store: &Store, _act: &Callback<Action>) -> Html {
    let title = Some(store.view.title.clone()).filter(|title| !title.is_empty());
    let toggle = Callback::from(|_: MouseEvent| toggle_theme());
    html! {
        <header class="topbar">
            <h1 class="brand">{ icon("logo") }{ words::BRAND }</h1><span class="topbar__sep" />
            <span class="topbar__title clip">{ title.unwrap_or_else(|| words::UNTITLED.to_owned()) }</span>
            <span class="topbar__note clip">{ words::FOLLOWS }</span>
            <span class="push" />
            <button class="btn btn--icon" aria-label={words::THEME} title={words::THEME} onclick={toggle}>{ icon("theme") }</button>
        </header>
    }
}

fn toggle_theme() {
    let root = gloo::utils::document_element();
    let is_dark = match root.get_attribute("data-theme") {
        Some(theme) => theme == "dark",
        None => prefers_dark(),
    };
    let theme = if is_dark { "light" } else { "dark" };
    // Without the attribute the page keeps following the system.
    let _ = root.set_attribute("data-theme", theme);
}

fn prefers_dark() -> bool {
    let query = gloo::utils::window().match_media("(prefers-color-scheme: dark)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
