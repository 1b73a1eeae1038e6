//! The stage: zones as groups of cards, nodes as cards, Pods as blocks; in large clusters nodes are cells.

mod blocks;
mod card;
mod cards;
mod chip_form;
mod chips;
mod docks;
mod dropping;
mod far;
mod head;
mod key;
mod keys;
mod legend;
mod node_form;
mod node_group;
mod node_tile;
mod node_verdict;
mod paint;
mod palette;
mod pod_path;
mod selection;
mod swipe;
mod templates;

use std::cell::OnceCell;
use std::rc::Rc;

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::{Callback, Html, MouseEvent, classes, html};

use super::state::StageAction;
use crate::scene::moment::Moment;
use crate::scene::{CARDS, Detail, NodeGroup, piles};
use crate::ui::features::board::BoardAction;
use crate::ui::features::presenter::presenting::Fit;
use crate::ui::features::queue;
use crate::ui::panels::DrawCache;
use crate::ui::parts::drawn::Same;
use crate::ui::parts::focus;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::{Owners, label};
use crate::ui::store::{Action, Dialog, PageAction, Store, ZONE};
use crate::{scene, words};
use berth_protocol::frame::NodeFrame;

/// With more nodes than this, most cards are scrolled out of view.
const SCROLLED: usize = 40;

/// The nodes of a frame. Compared by pointer: a patch allocates only changed nodes.
#[derive(Clone)]
pub(in crate::ui) struct Fleet(pub Vec<Rc<NodeFrame>>);

impl PartialEq for Fleet {
    fn eq(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs.into_iter().all(|(one, two)| Rc::ptr_eq(one, two))
    }
}

struct Scene<'a> {
    store: &'a Store,
    owners: &'a Rc<Owners>,
    moment: Moment<'a>,
    /// Keys of labels, those that distinguish nodes first.
    label_order: Rc<Vec<String>>,
    /// The drivers of all devices, once a card asks.
    drivers: OnceCell<Rc<Vec<String>>>,
    /// The turn of each node in the search, while the cards dim one after the other.
    turns: Option<Vec<usize>>,
    detail: Detail,
    /// The node that is the tab stop.
    tab_stop: Option<String>,
    /// Groups are below one another.
    is_piled: bool,
    /// Length in bytes of the domain that cards omit from their names.
    domain: usize,
    act: &'a Callback<Action>,
    cache: &'a DrawCache,
}

impl<'a> Scene<'a> {
    fn new(store: &'a Store, act: &'a Callback<Action>, cache: &'a DrawCache) -> Self {
        let moment = store.moment();
        Self {
            store,
            owners: &store.view.owners,
            label_order: Rc::new(moment.label_order()),
            turns: turns(store, &moment),
            moment,
            drivers: OnceCell::new(),
            detail: Detail::Card,
            tab_stop: None,
            is_piled: false,
            domain: 0,
            act,
            cache,
        }
    }
}

pub use cards::Cards;

/// The middle panel; `tools` are shown at the right end of its head.
pub fn view(store: &Store, act: &Callback<Action>, tools: Html, cache: &DrawCache) -> Html {
    let detail = scene::detail(store.view.nodes.len(), store.zoom());
    let mut scene = Scene::new(store, act, cache);
    let is_far = detail == Detail::Cell;
    html! {
        <main class="panel stage" aria-label={words::STAGE}>
            { head::view(store, detail, act, tools) }
            { queue::view(store, &queue::Now { pod: scene.moment.waiting.map(|pod| &**pod), has_left: scene.moment.is_picked() }, act) }
            if is_far { { scene.far() } } else { { scene.near(detail) } }
            { selection::view(store, act) }
            { palette::view(store, act) }
            { node_form::view(store, act) }
            { chip_form::view(store, act) }
            if is_far { { legend::view(&store.view.nodes) } } else { <key::Key owners={Same::of(&store.view.owners)} /> }
        </main>
    }
}

/// The stage of one side of a comparison: its nodes alone.
#[inline(never)]
pub fn of_side(store: &Store, act: &Callback<Action>, cache: &DrawCache) -> Html {
    let detail = scene::detail(store.view.nodes.len(), store.zoom());
    let mut scene = Scene::new(store, act, cache);
    if detail == Detail::Cell {
        scene.far()
    } else {
        html! { <div class="stage__body">{ scene.cards(detail) }</div> }
    }
}

/// Scrolls to the first highlighted card once it is drawn, unless one is in view.
pub fn show_lit() {
    focus::when_drawn(|| {
        let document = gloo::utils::document();
        let body = document.query_selector(".stage__body").ok().flatten();
        let Some(body) = body.map(|body| body.get_bounding_client_rect()) else {
            return;
        };
        let Ok(lit) = document.query_selector_all(".node--lit") else {
            return;
        };
        let cards =
            (0..lit.length()).filter_map(|index| lit.get(index)?.dyn_into::<Element>().ok());
        let cards: Vec<Element> = cards.collect();
        let is_seen = |card: &Element| {
            let rect = card.get_bounding_client_rect();
            rect.top() >= body.top() - 1.0 && rect.bottom() <= body.bottom() + 1.0
        };
        if let Some(first) = cards.first().filter(|_| !cards.iter().any(is_seen)) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            first.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

/// The buttons that open the board of pending Pods, and the form that adds objects.
pub fn add_button(store: &Store, act: &Callback<Action>) -> Html {
    let shown = store.board.open;
    let board = act.reform(move |_: MouseEvent| Action::Board(BoardAction::Show(!shown)));
    let (act, adding) = (act.clone(), store.stage.adding);
    let onclick =
        Callback::from(move |_: MouseEvent| act.emit(Action::Stage(StageAction::Adding(!adding))));
    html! {
        <>
            <button class="btn stage__board" data-action="board" aria-pressed={shown.to_string()} title={words::WHAT_IF_MEANS} onclick={board}>{ words::WHAT_IF }</button>
            <button class="btn btn--line" data-action="add" aria-expanded={adding.to_string()} {onclick}>{ icon("plus") }{ words::ADD }</button>
        </>
    }
}

impl Scene<'_> {
    fn cards(&mut self, detail: Detail) -> Html {
        let store = self.store;
        let nodes = &store.view.nodes;
        if nodes.len() > SCROLLED && nodes.len() <= CARDS {
            self.cache.cards.slice();
        }
        let mut groups = scene::node_groups(nodes, &store.stage.group_by);
        groups.extend(empty_zones(store, &groups));
        groups.sort_by_key(|group| group.value.is_none());
        let known = store
            .stage
            .focus
            .as_ref()
            .filter(|name| store.view.node(name).is_some());
        let first = groups
            .first()
            .and_then(|group| nodes.get(*group.nodes.first()?));
        self.tab_stop = known.or(first.map(|node| &node.name)).cloned();
        self.detail = detail;
        if detail != Detail::Cell {
            self.domain = scene::label::shared_domain(nodes.iter().map(|node| &*node.name));
        }
        let zones = groups.iter().filter(|group| group.value.is_some()).count();
        let zoom = f64::from(store.zoom().unwrap_or(100)) / 100.0;
        // Compact cards save space by omitting parts; their text must stay legible.
        let zoom = if detail == Detail::Compact {
            zoom.clamp(0.9, 1.0)
        } else {
            zoom
        };
        let row = scene::pod_layout::scale(nodes.iter().map(|node| node.milli_cpu()));
        let style = format!(
            "--zones:{};zoom:calc({zoom} * var(--fit, 1));--row-milli:{row};--stagger:{:.1}ms",
            zones.max(1),
            stagger_ms(nodes.len(), store.time.speed)
        );
        self.is_piled = piles::is_piled(&groups);
        let drawn = groups
            .iter()
            .map(|group| self.node_group(group, is_tall(group, &groups), zones));
        let drawn: Html = drawn.collect();
        let busy = self.cache.cards.has_late().then_some("true");
        html! {
            <div
                class={classes!("harbour", "harbour--near", (zones > 3).then_some("harbour--many"),
                    (nodes.len() > SCROLLED).then_some("harbour--long"),
                    self.is_piled.then_some("harbour--piled"),
                    (detail == Detail::Compact).then_some("harbour--compact"))}
                role="group"
                aria-label={words::NODES}
                aria-busy={busy}
                {style}
                onkeydown={keys::of_cards()}
                onfocusin={keys::follow(store.stage.focus.as_deref(), self.act)}
            >
                { drawn }
                if nodes.is_empty() { <p class="note">{ no_nodes(store) }</p>{ doors(store, self.act) } }
            </div>
        }
    }

    fn near(&mut self, detail: Detail) -> Html {
        let cards = self.cards(detail);
        let store = self.store;
        let nodes = &store.view.nodes;
        let picked = self.moment.cycle.filter(|_| self.moment.is_picked());
        let picked = picked.and_then(|cycle| Some((cycle.pod.clone(), cycle.selected.clone()?)));
        html! {
            <div class="stage__body" onpointerdown={swipe::begins()} onpointerup={swipe::ends(self.act)}>
                { cards }
                <pod_path::PodPath {picked} trip={self.trip()} />
                <Fit
                    active={store.page.layout.presentation && detail == Detail::Card && nodes.len() <= SCROLLED}
                    nodes={nodes.len()} labels_version={store.view.labels_version} group_by={store.stage.group_by.clone()}
                />
            </div>
        }
    }

    /// The trip to show, with its Pod's block and the speed at which it moves.
    fn trip(&self) -> Option<pod_path::DrawnTrip> {
        let trip = self.store.stage.trip.clone()?;
        let pod = self.store.view.pod(&trip.pod)?;
        Some(pod_path::DrawnTrip {
            label: label(pod),
            class: self.owners.class(pod),
            speed: self.store.time.speed,
            is_current: self.store.is_current(&trip),
            trip,
        })
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    fn far(&self) -> Html {
        let store = self.store;
        let open = store.stage.card.as_ref();
        let card = open.and_then(|open| {
            let node = store.view.node(&open.node)?;
            let close = self.act.reform(|_| Action::Stage(StageAction::OpenCard(None)));
            let style = format!("left:{}px;top:{}px", open.left, open.top);
            Some(html! {
                <div class="pop hovercard hovercard--open" {style} onkeydown={keys::of_cards()}>
                    <button class="btn btn--icon btn--small hovercard__close" aria-label={words::CLOSE} title={words::CLOSE} onclick={close}>{ "×" }</button>
                    { self.shown(node).draw(self.act) }
                </div>
            })
        });
        html! {
            <div class="stage__body stage__body--far">
                <far::Far
                    fleet={Fleet(store.view.nodes.clone())}
                    labels_version={store.view.labels_version}
                    group_by={store.stage.group_by.clone()}
                    explained={far::Attempt(store.explain.explained.clone().filter(|_| self.moment.explained.is_some()))}
                    revealed={self.moment.revealed.clone()}
                    zoom={store.zoom()}
                    lit={store.explain.lit.clone()}
                    selected={store.stage.chosen.clone()}
                    open={open.map(|open| open.node.clone())}
                    focus={store.stage.focus.clone()}
                    act={self.act.clone()}
                />
                { card.unwrap_or_default() }
            </div>
        }
    }
}

/// Time between two cards that dim, and maximum time of all of them, at speed 1.
const STAGGER_MS: (f64, f64) = (12.0, 240.0);
/// Above this speed all cards dim at once.
const FASTEST: f64 = 8.0;

fn stagger_ms(nodes: usize, speed: f64) -> f64 {
    let (each, all) = STAGGER_MS;
    if speed > FASTEST {
        return 0.0;
    }
    each.min(all / nodes.max(1) as f64) / speed
}

/// The turns of the explained attempt's search. A run draws each card once for several attempts.
fn turns(store: &Store, moment: &Moment<'_>) -> Option<Vec<usize>> {
    let is_near = store.view.nodes.len() <= CARDS && !store.time.is_running();
    let cycle = moment.cycle.filter(|_| is_near)?;
    scene::turns::of(&store.view.nodes, &cycle.search)
}

/// Why there are no nodes: what to do, or that the manifests are still on their way. A frame in another page has no
/// buttons to add them.
fn no_nodes(store: &Store) -> &'static str {
    let is_opened = !store.view.head.digest.is_empty();
    match store.page.embed {
        _ if !is_opened && (store.share.reads || !store.editor.text.is_empty()) => {
            words::LOADING.get()
        }
        // A notice says why nothing was opened.
        _ if !is_opened => "",
        None => words::NO_NODES.get(),
        Some(_) => words::NO_NODES_EMBEDDED.get(),
    }
}

/// The ways out of an empty stage. Cold: kept out of the first download.
#[inline(never)]
fn doors(store: &Store, act: &Callback<Action>) -> Html {
    if store.page.embed.is_some() || store.view.head.digest.is_empty() {
        return html! {};
    }
    let add = act.reform(|_: MouseEvent| Action::Stage(StageAction::Adding(true)));
    let act = act.clone();
    let paste = Callback::from(move |_: MouseEvent| {
        act.emit(Action::Page(PageAction::Show(Some(Dialog::Examples))));
        act.emit(Action::Page(PageAction::PasteHere(true)));
    });
    html! {
        <div class="stage__doors">
            <button class="btn btn--line" data-action="first-nodes" onclick={add}>{ icon("plus") }{ words::ADD_TITLE }</button>
            <button class="btn btn--line" data-action="paste-cluster" onclick={paste}>{ words::PASTE_CLUSTER }</button>
        </div>
    }
}

/// Added zones that have no node yet.
fn empty_zones(store: &Store, groups: &[NodeGroup]) -> Vec<NodeGroup> {
    let is_held = |zone: &&String| {
        let mut held = groups.iter().filter_map(|group| group.value.as_ref());
        held.any(|value| value == *zone)
    };
    let empty = store.stage.zones.iter().filter(|zone| !is_held(zone));
    empty
        .map(|zone| NodeGroup {
            value: Some(zone.clone()),
            nodes: Vec::new(),
        })
        .collect()
}

/// Whether the first of three columns also spans the row of the group below the others: it does if it is the longest.
fn is_tall(group: &NodeGroup, groups: &[NodeGroup]) -> bool {
    let [first, others @ .., last] = groups else {
        return false;
    };
    let longest = others.iter().map(|other| other.nodes.len()).max();
    first == group
        && last.value.is_none()
        && groups.len() == 4
        && longest.is_some_and(|longest| first.nodes.len() > longest)
}

/// A node's domain as announced to screen readers: the value that the stage groups by, or else its zone.
fn group<'n>(node: &'n NodeFrame, group_by: &str) -> Option<&'n str> {
    let value = node.labels.get(group_by).or_else(|| node.labels.get(ZONE));
    value.map(String::as_str)
}

#[cfg(test)]
mod tests;
