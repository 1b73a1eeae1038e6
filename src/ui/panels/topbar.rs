//! The bar at the top: the scenario's title, and controls of the whole page.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlSelectElement};
use yew::{Callback, Event, Html, MouseEvent, TargetCast, html};

use super::{release, tabs};
use crate::ui::features::sources::{EditorAction, chosen_files, documents};
use crate::ui::features::time::clock;
use crate::ui::features::{compare, export, presenter, share};
use crate::ui::languages;
use crate::ui::parts::icon::{action, icon};
use crate::ui::persistence::storage;
use crate::ui::store::{Action, Arrange, Dialog, EditAction, Layout, PageAction, Store};
use crate::words;
use crate::words::language::{self, Language};

/// The storage name of the theme.
const THEME: &str = "theme";
/// The root's attribute for the page's size, and the larger size.
const SIZE: &str = "data-size";
const PRESENTATION: &str = "presentation";
/// The id of the controls that are a menu on a phone.
const MENU: &str = "menu";

/// The bar at the top.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let toggle = Callback::from(|_: MouseEvent| toggle_theme());
    let size = act.reform(|_: MouseEvent| Action::Page(PageAction::Arrange(Arrange::Presentation)));
    let opens = |dialog: Dialog| {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| act.emit(Action::Page(PageAction::Show(Some(dialog)))))
    };
    let new = {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| {
            act.emit(Action::Edit(EditAction::Open(words::empty_scenario())))
        })
    };
    html! {
        <header class="topbar">
            <h1 class="brand">{ icon("logo") }<span class="brand__name">{ words::BRAND }</span></h1><span class="topbar__sep" />
            { tabs::drawers(store, act) }
            { about(store, act) }
            if store.compare.is_some() { { compare::bar(act) } } else { { release::view(store, act) }<span class="push" /> }
            <button class="btn btn--icon topbar__menu" popovertarget={MENU} aria-label={words::MENU} title={words::MENU}>{ icon("menu") }</button>
            // On a phone a menu; on wider screens its controls are in the bar.
            <div id={MENU} class="topbar__more" popover="auto" onclick={Callback::from(close_menu)}>
            if store.compare.is_none() { { clock::mode(store, act) }{ compare::button(act) } }
            <button class="btn" data-action="to-course" aria-haspopup="dialog" onclick={opens(Dialog::Course)}>{ words::COURSE }</button>
            <button class="btn" data-action="examples" aria-haspopup="dialog" onclick={opens(Dialog::Examples)}>{ words::EXAMPLES }{ icon("caret") }</button>
            <button class="btn" data-action="new" onclick={new}>{ words::NEW }</button>
            { chosen_files(act) }
            { share::button(act) }
            { export::button(act) }
            <span class="topbar__sep" />
            { language(act) }
            if store.page.layout.presentation { { presenter::button(act) } }
            <button class="btn btn--icon" aria-label={words::PRESENTATION} title={words::PRESENTATION} aria-pressed={store.page.layout.presentation.to_string()} data-action="presentation" onclick={size}>{ icon("screen") }</button>
            <button class="btn btn--icon" aria-label={words::THEME} title={words::THEME} data-action="theme" onclick={toggle}>{ icon("theme") }</button>
            { action("help", words::HELP.get(), "help", false, act, Action::Page(PageAction::Show(Some(Dialog::Help)))) }
            </div>
        </header>
    }
}

/// Closes the menu once one of its buttons is pressed.
fn close_menu(event: MouseEvent) {
    let target = event.target_dyn_into::<Element>();
    let button = target.and_then(|target| target.closest("button, label").ok().flatten());
    let menu = button.and_then(|button| button.closest("[popover]").ok().flatten());
    if let Some(menu) = menu.and_then(|menu| menu.dyn_into::<HtmlElement>().ok()) {
        // On wider screens nothing is open.
        let _ = menu.hide_popover();
    }
}

/// The language of the page.
fn language(act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        let select = event.target_dyn_into::<HtmlSelectElement>();
        let chosen = select.and_then(|select| Language::of_tag(&select.value()));
        if let Some(language) = chosen {
            languages::choose(language);
            act.emit(Action::Page(PageAction::SetLanguage(language)));
        }
    });
    let options = Language::all().map(|language| {
        let selected = language == language::current();
        let name = words::language_name(language.name(), language.percent());
        html! { <option value={language.tag()} lang={language.tag()} {selected}>{ name }</option> }
    });
    html! {
        <select class="btn topbar__language" data-action="language" aria-label={words::LANGUAGE} title={words::LANGUAGE} {onchange}>{ for options }</select>
    }
}

/// Selects the language in use, after a link chose it or another could not be fetched.
pub fn show_language() {
    let select = gloo::utils::document().query_selector("[data-action=language]");
    let select = select.ok().flatten().and_then(|it| it.dyn_into().ok());
    if let Some(select) = select {
        HtmlSelectElement::set_value(&select, language::current().tag());
    }
}

/// The scenario's title; a button if there is a description.
fn about(store: &Store, act: &Callback<Action>) -> Html {
    // A lesson's title is in the reader's language.
    let lesson = store.lesson.frame.as_ref();
    let title = lesson.map_or_else(|| store.title(), |frame| words::title(&frame.title));
    if store.view.about.is_empty() {
        return bare_title(store, title, act);
    }
    let onclick = act.reform(|_: MouseEvent| Action::Page(PageAction::Show(Some(Dialog::About))));
    html! {
        <button class="topbar__title topbar__about" data-action="about" aria-haspopup="dialog" title={words::ABOUT} {onclick}><span class="clip">{ title }</span>{ icon("caret") }</button>
    }
}

/// The title of a scenario without a description; a button that leads to it in the manifests, if it stands there.
/// Cold: kept out of the first download.
#[inline(never)]
fn bare_title(store: &Store, title: String, act: &Callback<Action>) -> Html {
    let line = documents::title_line(&store.editor.text);
    let Some(line) = line.filter(|_| store.lesson.frame.is_none()) else {
        return html! { <span class="topbar__title clip">{ title }</span> };
    };
    let onclick = act.reform(move |_: MouseEvent| {
        Action::Editor(EditorAction::GoTo(line, documents::TITLE_COLUMN))
    });
    html! { <button class="topbar__title topbar__about" data-action="edit-title" title={words::EDIT_TITLE} {onclick}><span class="clip">{ title }</span></button> }
}

/// Applies the theme, the stored one by default, and the stored size.
pub fn apply_theme(layout: &Layout, theme: Option<&str>) {
    if let Some(theme) = theme.map(str::to_owned).or_else(|| storage::get(THEME)) {
        // Without the attribute the page follows the system's color scheme.
        let _ = gloo::utils::document_element().set_attribute("data-theme", &theme);
    }
    enlarge(layout);
}

/// Applies the chosen size to the whole page.
pub fn enlarge(layout: &Layout) {
    let root = gloo::utils::document_element();
    // If the attribute cannot be set, the size stays as it is.
    let _ = if layout.presentation {
        root.set_attribute(SIZE, PRESENTATION)
    } else {
        root.remove_attribute(SIZE)
    };
}

fn toggle_theme() {
    let root = gloo::utils::document_element();
    let is_dark = match root.get_attribute("data-theme") {
        Some(theme) => theme == "dark",
        None => prefers_dark(),
    };
    let theme = if is_dark { "light" } else { "dark" };
    let _ = root.set_attribute("data-theme", theme);
    storage::set(THEME, theme);
}

fn prefers_dark() -> bool {
    let query = gloo::utils::window().match_media("(prefers-color-scheme: dark)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
