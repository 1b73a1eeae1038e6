//! One node as a card: name, labels and taints, bars, its Pods, and the verdict.

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, classes, html};

use super::blocks::Blocks;
use super::docks::CardDocks;
use super::{Scene, chips, dropping, group, node_verdict};
use crate::scene::Detail;
use crate::scene::meter::{Meter, meters};
use crate::scene::moment::{Moment, NodeVerdict, Score};
use crate::ui::features::stage::StageAction;
use crate::ui::parts::drawn::{Drawn, Same};
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;
use crate::ui::store::Action;
use crate::words;
use berth_protocol::frame::{NodeFrame, PodFrame};

/// The state of a card. The card is drawn from this alone, and redrawn only if it changes.
#[derive(PartialEq)]
pub struct Card {
    pub(super) node: Same<NodeFrame>,
    pub(super) blocks: Blocks,
    docks: Option<Box<CardDocks>>,
    pub(super) owners: Same<Owners>,
    /// Its domain, as announced to screen readers.
    group: Option<String>,
    pub(super) node_verdict: NodeVerdict,
    pub(super) score: Option<Score>,
    /// The Pod being scheduled, if the node may take it.
    asker: Option<Same<PodFrame>>,
    /// Keys of labels, those that distinguish nodes first.
    label_order: Rc<Vec<String>>,
    is_stop: bool,
    is_lit: bool,
    /// A cell of the node's row of the matrix is chosen.
    is_compared: bool,
    is_selected: bool,
    is_carried: bool,
    /// More than its name is drawn.
    is_whole: bool,
    pub(super) is_compact: bool,
    /// Length in bytes of the end of its name that is not drawn, as all names share it.
    cut: usize,
    /// Its turn in the search, if it is rejected there.
    turn: Option<usize>,
}

impl Scene<'_> {
    /// The card of the node at a position, cached if its state is unchanged.
    pub(super) fn card(&self, position: usize, is_whole: bool) -> Option<Html> {
        let mut card = Card {
            is_whole,
            ..self.shown(self.store.view.nodes.get(position)?)
        };
        if matches!(card.node_verdict, NodeVerdict::Rejected { .. }) {
            let turns = self.turns.as_ref();
            card.turn = turns.and_then(|turns| turns.get(position).copied());
        }
        let cards = &self.cache.cards;
        let mut before = cards.drawn.borrow_mut();
        while before.len() <= position {
            before.push(Drawn::default());
        }
        let drawn = before.get(position)?;
        let name = card.node.0.name.clone();
        let is_shown = cards.show(position);
        let pods = card.node.0.pods.len();
        let is_late = |shown: &Card| is_shown && shown.node.0.name == name && cards.is_late(pods);
        Some(drawn.unless_late(card, &is_late, &|card| card.draw(self.act)))
    }

    pub(super) fn shown(&self, node: &Rc<NodeFrame>) -> Card {
        let store = self.store;
        let node_verdict = self.moment.node_verdict(node);
        let open = store.stage.card.as_ref().map(|open| &open.node);
        let carried = store.stage.carried.as_ref();
        let asker = self.moment.waiting.filter(|_| node_verdict.may_take());
        // What it requests is counted already where it is nominated.
        let asker = asker.filter(|pod| !node.nominated.contains(&pod.key));
        let compared = store.explain.cell.as_ref();
        Card {
            blocks: self.blocks(node, &node_verdict),
            docks: self.docks(node, &node_verdict),
            owners: Same::of(self.owners),
            group: group(node, &store.stage.group_by).map(str::to_owned),
            score: self.moment.score(node),
            asker: asker.map(Same::of),
            label_order: Rc::clone(&self.label_order),
            is_stop: self.tab_stop.as_ref().or(open) == Some(&node.name),
            is_lit: store.explain.lit.contains(&node.name),
            is_compared: compared.is_some_and(|cell| cell.node == node.name),
            is_selected: store.stage.chosen.contains(&node.name),
            is_carried: carried.is_some_and(|carried| carried.nodes.contains(&node.name)),
            is_whole: true,
            is_compact: self.detail == Detail::Compact,
            cut: self.domain,
            turn: None,
            node_verdict,
            node: Same::of(node),
        }
    }
}

impl Card {
    fn name(&self) -> &str {
        let name = &self.node.0.name;
        let end = name.len().saturating_sub(self.cut);
        name.get(..end).unwrap_or(name)
    }

    pub(super) fn draw(&self, act: &Callback<Action>) -> Html {
        let node = &*self.node.0;
        let spoken = self.verdict_in_words();
        let name = words::node_name(node, self.group.as_deref(), spoken.as_deref());
        let asker = self.asker.as_ref().map(|pod| &*pod.0);
        let is_nominated = Moment::is_nominated(&self.node_verdict, node);
        html! {
            <article
                class={classes!(
                    "node", node_verdict::class(&self.node_verdict),
                    node.unschedulable.then_some("node--cordoned"),
                    self.is_selected.then_some("node--selected"),
                    self.is_lit.then_some("node--lit"),
                    self.is_compared.then_some("node--compared"),
                    is_nominated.then_some("node--nominated"),
                    (!self.is_whole).then_some("node--head"),
                    self.is_carried.then_some("node--gone"),
                )}
                style={self.turn.map(|turn| format!("--turn:{turn}"))}
                data-node={node.name.clone()}
                aria-label={name}
                draggable="true"
                ondragstart={dropping::drag(&node.name)}
                ondragend={dropping::end()}
                onclick={selects(&node.name, act)}
                tabindex={if self.is_stop { "0" } else { "-1" }}
            >
                if self.is_whole {
                    <div class="node__head">
                        <span class="node__name clip" title={(self.cut > 0).then(|| node.name.clone())}>{ self.name() }</span>
                        <span class="node__role"><span>{ words::role(node) }</span></span>
                        { edit_button(&node.name, act) }
                        if is_nominated { <span class="node__state node__state--nominated">{ icon("chosen") }<span class="clip">{ words::card::NOMINATED }</span></span> }
                        if node.unschedulable { <span class="node__state" title={words::CORDONED.get()}>{ icon("cordon") }<span class="clip">{ words::CORDONED }</span></span> }
                        if !node.bad_conditions.is_empty() { <span class="node__state" title={node.bad_conditions.join(", ")}>{ icon("warn") }<span class="clip">{ node.bad_conditions.join(", ") }</span></span> }
                    </div>
                    { chips::view(node, &self.label_order, &edits(&node.name, act), act) }
                    <div class="meters">{ for meters(node, asker).map(|shown| meter(&shown)) }</div>
                    { self.blocks.draw(self.is_compact, &self.owners.0, act) }
                    if !self.is_compact { { self.blocks.loose(&self.owners.0, act) } }
                    if let Some(docks) = &self.docks { { docks.draw(node, &self.owners.0, act) } }
                    { self.blocks.left(&node.name, &self.owners.0, act) }
                    { self.verdict() }
                } else {
                    <div class="node__head"><span class="node__name clip">{ &node.name }</span></div>
                }
            </article>
        }
    }
}

/// A click chooses the node; with Ctrl or Shift, the other chosen nodes are kept.
fn selects(node: &str, act: &Callback<Action>) -> Callback<MouseEvent> {
    let (act, node) = (act.clone(), node.to_owned());
    Callback::from(move |event: MouseEvent| {
        let more = event.ctrl_key() || event.meta_key() || event.shift_key();
        let node = node.clone();
        act.emit(Action::Stage(StageAction::Select { node, more }));
    })
}

fn edit_button(node: &str, act: &Callback<Action>) -> Html {
    let onclick = edits(node, act);
    let label = words::edit_node(node);
    html! {
        <button class="node__edit btn btn--icon btn--small" data-action="edit-node" tabindex="-1" aria-label={label.clone()} title={label} {onclick}>{ icon("edit") }</button>
    }
}

/// Opens a node's form without choosing the node.
fn edits(node: &str, act: &Callback<Action>) -> Callback<MouseEvent> {
    let (act, name) = (act.clone(), node.to_owned());
    Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        act.emit(Action::Stage(StageAction::EditNode(Some(name.clone()))));
    })
}

/// A resource's bar and numbers.
fn meter(meter: &Meter) -> Html {
    let style = format!("--v:{:.1};--plus:{:.1}", meter.share, meter.plus);
    let over = meter.is_over.then_some("bar--over");
    let title = meter
        .nominated
        .as_ref()
        .map(|nominated| words::card::of_nominated(&nominated.amount));
    let part = meter.nominated.as_ref().map(|nominated| {
        let style = format!("left:{:.1}%;width:{:.1}%", nominated.from, nominated.width);
        html! { <i class="bar__nominated" {style} /> }
    });
    html! {
        <>
            <span>{ &meter.name }</span>
            <span class={classes!("bar", over, (meter.plus > 0.0).then_some("bar--plus"))} {style}>{ for part }</span>
            <span class="v" {title}><b>{ &meter.counted }</b>{ &meter.of }</span>
        </>
    }
}
