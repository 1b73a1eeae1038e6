//! One node as a card: name, labels and taints, bars, its Pods, and the verdict.

use web_sys::DragEvent;
use yew::{Callback, Html, MouseEvent, classes, html};

use super::{Scene, ZONE, group};
use crate::protocol::frame::{NodeFrame, PodFrame, ResourceFrame, TaintFrame};
use crate::ui::parts::icon::icon;
use crate::ui::parts::pod::block_as;
use crate::ui::store::Action;
use crate::ui::words;

/// Labels that say nothing new on a card.
const UNTOLD: [&str; 3] = [
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
];
/// The type under which a dragged node's name travels.
pub const DRAGGED: &str = "text/x-berth-node";
/// Labels shown on a card.
const CHIPS: usize = 2;

impl Scene<'_> {
    pub(super) fn card(&self, node: &NodeFrame) -> Html {
        let standing = self.standing(node);
        let spoken = self.verdict_in_words(node, &standing);
        let group = group(node, &self.store.group_by);
        let name = words::node_name(node, group, spoken.as_deref());
        let open = self.store.open.as_ref().map(|open| &open.node);
        let is_stop = self.tab_stop.as_ref().or(open) == Some(&node.name);
        let is_lit = self.store.lit.contains(&node.name);
        let is_selected = self.store.nodes.contains(&node.name);
        let carried = self.store.carried.as_ref();
        let is_carried = carried.is_some_and(|carried| carried.nodes.contains(&node.name));
        let asker = self.waiting.filter(|_| standing.may_take());
        let pods = node.pods.iter().filter_map(|key| self.store.view.pod(key));
        let blocks = pods.map(|pod| {
            let selected = self.store.chosen_pod() == Some(&pod.key);
            let is_new = self.placed == Some(&pod.key);
            let more = is_new.then_some("pod--new");
            block_as(pod, self.owners, selected, false, more, self.act)
        });
        let milli_cpu = node
            .resources
            .first()
            .map_or(1000, |cpu| cpu.allocatable.max(500));
        html! {
            <article
                class={classes!(
                    "node", standing.class(),
                    node.unschedulable.then_some("node--cordoned"),
                    is_selected.then_some("node--selected"),
                    is_lit.then_some("node--lit"),
                    is_carried.then_some("node--gone"),
                )}
                data-node={node.name.clone()}
                aria-label={name}
                draggable="true"
                ondragstart={drag(&node.name)}
                onclick={self.selects(&node.name)}
                tabindex={if is_stop { "0" } else { "-1" }}
            >
                <div class="node__head">
                    <span class="node__name clip">{ &node.name }</span>
                    <span class="node__role">{ words::role(node) }</span>
                    { self.edit_button(&node.name) }
                    if node.unschedulable { <span class="node__state">{ icon("cordon") }{ words::CORDONED }</span> }
                    if !node.bad_conditions.is_empty() { <span class="node__state">{ icon("warn") }{ node.bad_conditions.join(", ") }</span> }
                </div>
                { chips(node) }
                <div class="meters">{ for node.resources.iter().filter(|row| row.name != "ephemeral-storage").map(|row| meter(row, asker)) }</div>
                <div class="quay" style={format!("--alloc:{milli_cpu}")}>{ for blocks }{ for self.slot(&standing) }</div>
                { self.verdict(node, &standing) }
            </article>
        }
    }

    /// A click chooses the node; with Ctrl or Shift, besides those that are chosen.
    fn selects(&self, node: &str) -> Callback<MouseEvent> {
        let (act, node) = (self.act.clone(), node.to_owned());
        Callback::from(move |event: MouseEvent| {
            let more = event.ctrl_key() || event.meta_key() || event.shift_key();
            let node = node.clone();
            act.emit(Action::Select { node, more });
        })
    }

    fn edit_button(&self, node: &str) -> Html {
        let (act, name) = (self.act.clone(), node.to_owned());
        let onclick = Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            act.emit(Action::EditNode(Some(name.clone())));
        });
        let label = words::edit_node(node);
        html! {
            <button class="node__edit btn btn--icon btn--small" data-action="edit-node" tabindex="-1" aria-label={label.clone()} title={label} {onclick}>{ icon("edit") }</button>
        }
    }
}

fn chips(node: &NodeFrame) -> Html {
    let labels = node.labels.iter().filter(|(key, _)| {
        *key != ZONE
            && !UNTOLD.contains(&key.as_str())
            && !key.starts_with("node-role.kubernetes.io/")
    });
    let total = labels.clone().count();
    let shown = labels.take(CHIPS).map(|(key, value)| {
        let joined = |key: &str| match value.as_str() {
            "" => key.to_owned(),
            value => format!("{key}={value}"),
        };
        let (title, text) = (joined(key), joined(words::short_key(key)));
        html! { <span class="chip" {title}><span>{ text }</span></span> }
    });
    html! {
        <div class="node__chips">
            { for node.taints.iter().map(taint) }
            { for shown }
            if total > CHIPS { <span class="chip chip--more">{ format!("+{}", total - CHIPS) }</span> }
        </div>
    }
}

fn taint(taint: &TaintFrame) -> Html {
    let (class, mark) = match taint.effect.as_str() {
        "PreferNoSchedule" => (Some("chip--prefer"), "prefer"),
        "NoExecute" => (Some("chip--noexecute"), "noexecute"),
        _ => (None, "noschedule"),
    };
    let short = taint.key.rsplit('/').next().unwrap_or(&taint.key);
    let text = if taint.value.is_empty() {
        short.to_owned()
    } else {
        format!("{short}={}", taint.value)
    };
    let title = format!("{}={}:{}", taint.key, taint.value, taint.effect);
    html! {
        <span class={classes!("chip", "chip--taint", class)} {title}>{ icon(mark) }<span>{ text }</span></span>
    }
}

#[allow(clippy::cast_precision_loss, reason = "a bar's width")]
fn meter(row: &ResourceFrame, asker: Option<&PodFrame>) -> Html {
    let of_all = |amount: i64| 100.0 * amount as f64 / (row.allocatable.max(1)) as f64;
    let share = of_all(row.requested);
    let plus = asker.map_or(0, |pod| match row.name.as_str() {
        "cpu" => pod.milli_cpu,
        "memory" => pod.memory_bytes,
        "pods" => 1,
        _ => 0,
    });
    let style = format!("--v:{:.1};--plus:{:.1}", share.min(100.0), of_all(plus));
    let name = match row.name.as_str() {
        "memory" => "mem",
        other => other.rsplit('/').next().unwrap_or(other),
    };
    let over = (row.requested > row.allocatable).then_some("bar--over");
    html! {
        <>
            <span>{ name }</span>
            <span class={classes!("bar", over, (plus > 0).then_some("bar--plus"))} {style} />
            <span class="v">
                <b>{ words::amount(&row.name, row.requested) }</b>
                { format!(" / {}{}", words::amount(&row.name, row.allocatable), words::unit(&row.name)) }
            </span>
        </>
    }
}

/// Takes a node up: its name travels with the mouse.
fn drag(node: &str) -> Callback<DragEvent> {
    let node = node.to_owned();
    Callback::from(move |event: DragEvent| {
        if let Some(data) = event.data_transfer() {
            // A browser that cannot carry text cannot drag.
            let _ = data.set_data(DRAGGED, &node);
        }
    })
}
