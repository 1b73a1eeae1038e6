//! The embedded page: stage, sentence, a short timeline, and the way to the whole page.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::{DrawCache, tabs};
use crate::export::svg::Theme;
use crate::ui::features::export::ExportAction;
use crate::ui::features::share::{LinkResult, ShareAction};
use crate::ui::features::{explain, sources, stage, time};
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, EmbedView, PageAction, Panel, Store};
use crate::words;

/// The page within another page. `over`: notices.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>, cache: &DrawCache, over: Html) -> Html {
    let part = match store.page.panel {
        Panel::Sources => sources::view(store, act, cache),
        Panel::Stage => stage::view(store, act, html! {}, cache),
        Panel::Explain => explain::view(store, act),
    };
    // A block of a page's documentation rarely has a title.
    let title = Some(&store.view.head.title)
        .filter(|title| !title.is_empty())
        .map_or("Berth", String::as_str)
        .to_owned();
    html! {
        <div class={classes!("app", "app--embed", tabs::class(store.page.panel), (store.page.embed == Some(EmbedView::Matrix)).then_some("app--matrix"))}>
            <header class="topbar">
                <span class="brand">{ icon("logo") }</span>
                <h1 class="topbar__title clip">{ title }</h1>
                <span class="push" />
                { toggle(store, Panel::Sources, "yaml", words::YAML, act) }
                { open_in_berth(store, act) }
            </header>
            { part }
            <div class="why">
                { outcome(store) }
                { tabs::sentence(store) }
                <span class="push" />
                { toggle(store, Panel::Explain, "why", words::WHY.get(), act) }
            </div>
            { time::view(store, act, cache) }
            { freeze("light", Theme::Light, act) }{ freeze("dark", Theme::Dark, act) }
            { over }
        </div>
    }
}

/// The mark of the explained attempt's outcome, once the step shows it.
fn outcome(store: &Store) -> Html {
    let is_over = store.revealed().stop.is_none();
    match store.cycle().filter(|_| is_over) {
        Some(cycle) if cycle.selected.is_some() || cycle.preemption.is_some() => icon("chosen"),
        Some(_) => icon("rejected"),
        None => icon("waiting"),
    }
}

/// A hidden button with which `frame.js` asks for the picture that the host keeps.
fn freeze(name: &'static str, theme: Theme, act: &Callback<Action>) -> Html {
    let onclick = act.reform(move |_: MouseEvent| Action::Export(ExportAction::ForHost(theme)));
    html! { <button hidden=true data-freeze={name} {onclick} /> }
}

/// A button that shows a panel in place of the stage, or the stage again.
fn toggle(
    store: &Store,
    panel: Panel,
    name: &'static str,
    label: &'static str,
    act: &Callback<Action>,
) -> Html {
    let is_open = store.page.panel == panel;
    let to = if is_open { Panel::Stage } else { panel };
    let onclick = act.reform(move |_: MouseEvent| Action::Page(PageAction::Panel(to)));
    html! { <button class="btn" data-embed={name} aria-pressed={is_open.to_string()} {onclick}>{ label }</button> }
}

/// A link to the whole page with the same state. It is made when the pointer or the focus comes near; a click or a tap
/// that comes before it is made opens it as well.
fn open_in_berth(store: &Store, act: &Callback<Action>) -> Html {
    let make = act.reform(|_| Action::Share(ShareAction::Make));
    let focus = act.reform(|_| Action::Share(ShareAction::Make));
    let fragment = match &store.share.made {
        Some(LinkResult::Link { fragment, .. }) => fragment.as_str(),
        Some(LinkResult::Missing) | None => "",
    };
    let (is_made, act) = (!fragment.is_empty(), act.clone());
    let onclick = Callback::from(move |event: MouseEvent| {
        if !is_made {
            event.prevent_default();
            act.emit(Action::Share(ShareAction::OpenWhole));
        }
    });
    html! {
        <a class="btn" data-embed="open" href={format!("./{fragment}")} target="_blank" rel="noopener" onpointerenter={make} onfocus={focus} {onclick}>{ words::OPEN_IN_BERTH }</a>
    }
}
