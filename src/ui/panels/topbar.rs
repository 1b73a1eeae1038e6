//! The bar at the top: what scenario this is, and what concerns the page as a whole.

use yew::{Callback, Html, MouseEvent, html};

use super::sources::chosen_files;
use super::tabs;
use crate::ui::parts::icon::{action, icon};
use crate::ui::store::{Action, Dialog, Panel, Store};
use crate::ui::{keep, words};

/// What is kept between visits, each an attribute of the page's root.
const THEME: &str = "theme";
const SIZE: &str = "size";
/// The larger size.
const PRESENTATION: &str = "presentation";

/// The bar.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let title = Some(store.view.title.clone()).filter(|title| !title.is_empty());
    let toggle = Callback::from(|_: MouseEvent| toggle_theme());
    let size = {
        let (act, is_open) = (act.clone(), store.panel == Panel::Sources);
        Callback::from(move |_: MouseEvent| {
            toggle_size();
            if is_open {
                // A drawer would lie over what is to be seen.
                act.emit(Action::Panel(Panel::Stage));
            }
        })
    };
    let opens = |dialog: Dialog| {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(Action::Show(Some(dialog))))
    };
    let export = {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(Action::Export))
    };
    let new = {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Action::Open(words::EMPTY_SCENARIO.to_owned()))
        })
    };
    html! {
        <header class="topbar">
            <h1 class="brand">{ icon("logo") }<span class="brand__name">{ words::BRAND }</span></h1><span class="topbar__sep" />
            { tabs::drawers(store, act) }
            <span class="topbar__title clip">{ title.unwrap_or_else(|| words::UNTITLED.to_owned()) }</span>
            <span class="topbar__note clip">{ words::FOLLOWS }</span>
            <span class="push" />
            <button class="btn" data-action="examples" aria-haspopup="dialog" onclick={opens(Dialog::Examples)}>{ words::EXAMPLES }{ icon("caret") }</button>
            <button class="btn" data-action="new" onclick={new}>{ words::NEW }</button>
            { chosen_files(act) }
            <button class="btn" data-action="export" onclick={export}>{ words::EXPORT }</button>
            <span class="topbar__sep" />
            <button class="btn btn--icon" aria-label={words::PRESENTATION} title={words::PRESENTATION} data-action="presentation" onclick={size}>{ icon("screen") }</button>
            <button class="btn btn--icon" aria-label={words::THEME} title={words::THEME} data-action="theme" onclick={toggle}>{ icon("theme") }</button>
            { action("help", words::HELP, "help", false, act, Action::Show(Some(Dialog::Help))) }
        </header>
    }
}

/// The theme and the size that were chosen last.
pub fn dress() {
    let root = gloo::utils::document_element();
    for name in [THEME, SIZE] {
        if let Some(value) = keep::get(name) {
            // Without the attribute the page follows the system.
            let _ = root.set_attribute(&format!("data-{name}"), &value);
        }
    }
}

fn toggle_theme() {
    let root = gloo::utils::document_element();
    let is_dark = match root.get_attribute("data-theme") {
        Some(theme) => theme == "dark",
        None => prefers_dark(),
    };
    let theme = if is_dark { "light" } else { "dark" };
    let _ = root.set_attribute("data-theme", theme);
    keep::set(THEME, theme);
}

fn toggle_size() {
    let root = gloo::utils::document_element();
    if root.has_attribute("data-size") {
        let _ = root.remove_attribute("data-size");
        keep::remove(SIZE);
    } else {
        let _ = root.set_attribute("data-size", PRESENTATION);
        keep::set(SIZE, PRESENTATION);
    }
}

fn prefers_dark() -> bool {
    let query = gloo::utils::window().match_media("(prefers-color-scheme: dark)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
