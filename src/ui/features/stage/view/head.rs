//! The stage's head: grouping, size, zoom.

use web_sys::{Event, HtmlSelectElement};
use yew::{Callback, Html, TargetCast, html};

use crate::scene::{CARDS, CLOSEST_CARDS, CLOSEST_CELLS, Detail, step_zoom};
use crate::ui::features::stage::StageAction;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Store};
use crate::words;

pub(super) fn view(store: &Store, detail: Detail, act: &Callback<Action>, tools: Html) -> Html {
    let nodes = store.view.nodes.len();
    let percent = match detail {
        // All nodes are visible, so zooming out further has no effect.
        Detail::Cell => store
            .zoom()
            .map_or(store.stage.fits, |zoom| zoom.max(store.stage.fits)),
        Detail::Card | Detail::Compact => store.zoom().unwrap_or(100),
    };
    let farther = step_zoom(percent, false);
    let is_whole = detail == Detail::Cell && percent <= store.stage.fits;
    let most = if nodes > CARDS {
        CLOSEST_CELLS
    } else {
        CLOSEST_CARDS
    };
    let button = |mark: &str, name: &'static str, to: u32, disabled: bool| {
        let onclick = act.reform(move |_| Action::Stage(StageAction::Zoom(to)));
        html! {
            <button class="btn btn--icon" aria-label={name} title={name} {disabled} {onclick}>{ icon(mark) }</button>
        }
    };
    let (short, full) = words::ended(store.view.head.ended).unzip();
    let size = words::size(nodes, store.view.pods.len());
    let whole = full.unwrap_or_else(|| size.clone());
    html! {
        <header class="panel__head stage__head">
            <h2 class="visually-hidden">{ words::STAGE }</h2>
            <label class="stage__group">
                <span class="muted">{ words::GROUP_BY }</span>
                { group_by(store, act) }
            </label>
            <span class="muted clip" title={whole} data-ended={store.view.head.ended.to_string()}>{ size }{ short }</span>
            { domain(store, detail) }
            <span class="push" />
            { button("minus", words::ZOOM_OUT.get(), farther, is_whole || farther == percent) }
            <span class="muted stage__zoom">{ format!("{percent}%") }</span>
            { button("plus", words::ZOOM_IN.get(), step_zoom(percent, true), percent >= most) }
            { tools }
        </header>
    }
}

/// The end of the nodes' names that cards leave out, said once.
fn domain(store: &Store, detail: Detail) -> Html {
    let domain = store.view.node_domain();
    if domain.is_empty() || detail == Detail::Cell {
        return html! {};
    }
    html! { <code class="muted clip" title={words::names_end(domain)}>{ format!("…{domain}") }</code> }
}

/// The topology key to group by.
fn group_by(store: &Store, act: &Callback<Action>) -> Html {
    let act = act.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
            act.emit(Action::Stage(StageAction::GroupBy(select.value())));
        }
    });
    let (keys, here) = (&store.view.topology_keys, &store.stage.group_by);
    let chosen = Some(here).filter(|chosen| !keys.contains(chosen));
    let options = chosen.into_iter().chain(keys.iter()).map(|key| {
        let name = words::domain_among(key, keys);
        html! {
            <option value={key.clone()} title={key.clone()} selected={key == here}>{ name }</option>
        }
    });
    html! {
        <select class="btn btn--line stage__select" aria-label={words::GROUP_BY} title={here.clone()} {onchange}>{ for options }</select>
    }
}
