//! Replacements for side-by-side panels on small screens: tabs at the bottom, the sentence above them, and buttons for
//! the panels that open over the stage.

use yew::{Callback, Html, MouseEvent, html};

use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::label_of;
use crate::ui::store::{Action, PageAction, Panel, Store};
use crate::words;

const TABS: [(Panel, &str, words::Text, &str); 3] = [
    (Panel::Sources, "sources", words::SOURCES, "edit"),
    (Panel::Stage, "stage", words::STAGE, "zone"),
    (Panel::Explain, "explain", words::EXPLAIN, "chosen"),
];

/// The app's class for the shown panel.
pub fn class(panel: Panel) -> &'static str {
    match panel {
        Panel::Sources => "app--sources",
        Panel::Stage => "app--stage",
        Panel::Explain => "app--explain",
    }
}

/// The tabs at the bottom of a phone's screen.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let tabs = TABS.map(|(panel, name, label, mark)| {
        let onclick = act.reform(move |_: MouseEvent| Action::Page(PageAction::Panel(panel)));
        let current = (store.page.panel == panel).then_some("page");
        let is_lesson = panel == Panel::Sources && store.lesson.shown;
        let label = if is_lesson { words::LESSON } else { label };
        html! { <button data-tab={name} aria-current={current} {onclick}>{ icon(mark) }{ label }</button> }
    });
    html! { <nav class="tabbar" aria-label={words::PANELS}>{ for tabs }</nav> }
}

/// Buttons in the top bar that open a panel over the stage and close it again.
pub fn drawers(store: &Store, act: &Callback<Action>) -> Html {
    let buttons = TABS
        .into_iter()
        .filter(|(panel, ..)| *panel != Panel::Stage);
    let buttons = buttons.map(|(panel, name, label, _)| {
        let is_open = store.page.panel == panel;
        let to = if is_open { Panel::Stage } else { panel };
        let onclick = act.reform(move |_: MouseEvent| Action::Page(PageAction::Panel(to)));
        html! { <button class={format!("btn drawer drawer--{name}")} data-drawer={name} aria-expanded={is_open.to_string()} {onclick}>{ label }</button> }
    });
    html! { <>{ for buttons }</> }
}

/// The explained attempt in a sentence, for screens where Explain is hidden. The element is rendered even if it is
/// empty: adding and removing elements between the panels makes browsers restyle the whole page.
pub fn sentence(store: &Store) -> Html {
    let explained = store.explain.explained.as_ref().zip(store.cycle());
    let text = explained.map(|(explained, cycle)| {
        let pod = label_of(&store.view, &cycle.pod);
        words::sentence::sentence(
            cycle,
            &pod,
            &explained.rows,
            &store.revealed(),
            &|node, key| store.view.label(node, key),
        )
    });
    // Explain exposes the same text to screen readers.
    html! { <p class="verdictbar" aria-hidden="true">{ for text }</p> }
}
