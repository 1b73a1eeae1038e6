//! One node as a card: name, labels and taints, bars, its Pods, and the verdict.

use yew::{Html, classes, html};

use super::{Scene, ZONE};
use crate::protocol::cycle::{Code, Verdict};
use crate::protocol::frame::{NodeFrame, ResourceFrame, TaintFrame};
use crate::ui::parts::icon::icon;
use crate::ui::parts::pod::block;
use crate::ui::words;

/// Labels shown on a card; hostname and zone say nothing new.
const CHIPS: usize = 2;

impl Scene<'_> {
    pub(super) fn card(&self, node: &NodeFrame) -> Html {
        let verdict = self
            .reports
            .get(node.name.as_str())
            .and_then(|report| report.verdict.as_ref());
        let chosen = self
            .cycle
            .is_some_and(|cycle| cycle.selected.as_deref() == Some(&node.name));
        let state = match verdict {
            _ if chosen => Some("node--chosen"),
            Some(verdict) if verdict.code == Code::Success => Some("node--feasible"),
            Some(_) => Some("node--rejected"),
            None => None,
        };
        let lit = self.store.lit.contains(&node.name).then_some("node--lit");
        let is_control_plane = node
            .labels
            .contains_key("node-role.kubernetes.io/control-plane");
        let role = if is_control_plane {
            words::CONTROL_PLANE
        } else {
            words::WORKER
        };
        let pods = node.pods.iter().filter_map(|key| self.store.view.pod(key));
        let blocks = pods.map(|pod| {
            let selected = self.store.chosen_pod() == Some(&pod.key);
            block(pod, self.owners, selected, false, self.act)
        });
        let milli_cpu = node
            .resources
            .first()
            .map_or(1000, |cpu| cpu.allocatable.max(500));
        html! {
            <article
                class={classes!("node", state, lit, node.unschedulable.then_some("node--cordoned"))}
                data-node={node.name.clone()}
                aria-label={node.name.clone()}
            >
                <div class="node__head">
                    <span class="node__name clip">{ &node.name }</span>
                    <span class="node__role">{ role }</span>
                    if node.unschedulable { <span class="node__state">{ icon("cordon") }{ words::CORDONED }</span> }
                    if !node.bad_conditions.is_empty() { <span class="node__state">{ icon("warn") }{ node.bad_conditions.join(", ") }</span> }
                </div>
                { chips(node) }
                <div class="meters">{ for node.resources.iter().filter(|row| row.name != "ephemeral-storage").map(meter) }</div>
                <div class="quay" style={format!("--alloc:{milli_cpu}")}>{ for blocks }</div>
                { self.verdict(node, verdict, chosen) }
            </article>
        }
    }

    fn verdict(&self, node: &NodeFrame, verdict: Option<&Verdict>, chosen: bool) -> Html {
        let Some(verdict) = verdict else {
            return html! { <div class="node__verdict" /> };
        };
        if verdict.code != Code::Success {
            let reason = verdict.reasons.join(", ");
            return html! {
                <div class="node__verdict" title={reason.clone()}>{ icon("rejected") }<span class="clip">{ reason }</span></div>
            };
        }
        let scores = self.cycle.and_then(|cycle| cycle.scores.as_ref());
        let total = scores.and_then(|scores| scores.iter().find(|score| score.node == node.name));
        html! {
            <div class="node__verdict">
                { icon(if chosen { "chosen" } else { "feasible" }) }
                if chosen { <span>{ words::CHOSEN }</span> }
                if let Some(score) = total {
                    <span class="push node__total">{ score.total }</span>
                }
            </div>
        }
    }
}

fn chips(node: &NodeFrame) -> Html {
    let labels = node.labels.iter().filter(|(key, _)| {
        *key != ZONE
            && *key != "kubernetes.io/hostname"
            && !key.starts_with("node-role.kubernetes.io/")
    });
    let total = labels.clone().count();
    let shown = labels.take(CHIPS).map(|(key, value)| {
        let text = if value.is_empty() {
            key.clone()
        } else {
            format!("{key}={value}")
        };
        html! { <span class="chip" title={text.clone()}><span>{ text }</span></span> }
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
fn meter(row: &ResourceFrame) -> Html {
    let share = 100.0 * row.requested as f64 / (row.allocatable.max(1)) as f64;
    let name = match row.name.as_str() {
        "memory" => "mem",
        other => other.rsplit('/').next().unwrap_or(other),
    };
    let over = (row.requested > row.allocatable).then_some("bar--over");
    html! {
        <>
            <span>{ name }</span>
            <span class={classes!("bar", over)} style={format!("--v:{:.1}", share.min(100.0))} />
            <span class="v">
                <b>{ words::amount(&row.name, row.requested) }</b>
                { format!(" / {}{}", words::amount(&row.name, row.allocatable), words::unit(&row.name)) }
            </span>
        </>
    }
}
