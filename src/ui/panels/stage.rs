//! The stage: zones as basins, nodes as quays, Pods as blocks.

use std::collections::BTreeMap;

use yew::{Callback, Html, classes, html};

use super::queue;
use crate::base::sort;
use crate::protocol::cycle::{Code, Cycle, NodeReport, Verdict};
use crate::protocol::frame::{NodeFrame, PodFrame, ResourceFrame, TaintFrame};
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;
use crate::ui::parts::pod::block;
use crate::ui::store::Store;
use crate::ui::words;

const ZONE: &str = "topology.kubernetes.io/zone";
/// Labels shown on a card; hostname and zone say nothing new.
const CHIPS: usize = 2;
/// Owners named below the stage.
const OWNERS: usize = 8;

struct Scene<'a> {
    store: &'a Store,
    owners: &'a Owners,
    pods: BTreeMap<&'a str, &'a PodFrame>,
    reports: BTreeMap<&'a str, &'a NodeReport>,
    cycle: Option<&'a Cycle>,
    choose: &'a Callback<String>,
}

/// The middle panel.
pub fn view(store: &Store, choose: &Callback<String>) -> Html {
    let owners = Owners::of(&store.frame);
    let cycle = store.cycle();
    let reports = cycle.iter().flat_map(|cycle| &cycle.nodes);
    let scene = Scene {
        store,
        owners: &owners,
        pods: sort::gather(store.frame.pods.iter().map(|pod| (pod.key.as_str(), pod))),
        reports: sort::gather(reports.map(|report| (report.node.as_str(), report))),
        cycle,
        choose,
    };
    let nodes = words::count(store.frame.nodes.len(), "node", "nodes");
    let pods = words::count(store.frame.pods.len(), "Pod", "Pods");
    let legend = owners.legend().take(OWNERS).map(|(name, class)| {
        html! {
            <span><i class={classes!("flag", class)} />{ name }</span>
        }
    });
    html! {
        <main class="panel stage" aria-label={words::STAGE}>
            <header class="panel__head">
                <h2 class="panel__title">{ words::STAGE }</h2>
                <span class="push" />
                <span class="muted">{ format!("{nodes} · {pods}") }</span>
            </header>
            { queue::view(store, &owners, choose) }
            <div class="stage__body">
                <div class="harbour harbour--flow">
                    { for zones(&store.frame.nodes).iter().map(|(zone, nodes)| scene.basin(zone, nodes)) }
                    if store.frame.nodes.is_empty() { <p class="note">{ words::NO_NODES }</p> }
                </div>
            </div>
            <footer class="key"><div class="key__owners">{ for legend }</div>
                <span>{ icon("noschedule") }{ "NoSchedule" }</span>
                <span>{ icon("prefer") }{ "PreferNoSchedule" }</span>
                <span>{ icon("noexecute") }{ "NoExecute" }</span>
            </footer>
        </main>
    }
}

/// Nodes by zone: zones by name, nodes without one last.
fn zones(nodes: &[NodeFrame]) -> Vec<(Option<&str>, Vec<&NodeFrame>)> {
    let mut zones: BTreeMap<(bool, &str), Vec<&NodeFrame>> = BTreeMap::new();
    for node in nodes {
        let zone = node.labels.get(ZONE).map(String::as_str);
        zones
            .entry((zone.is_none(), zone.unwrap_or_default()))
            .or_default()
            .push(node);
    }
    zones
        .into_iter()
        .map(|((missing, zone), nodes)| ((!missing).then_some(zone), nodes))
        .collect()
}

impl Scene<'_> {
    fn basin(&self, zone: &Option<&str>, nodes: &[&NodeFrame]) -> Html {
        let name = zone.unwrap_or(words::NO_ZONE).to_owned();
        html! {
            <section
                class={classes!("basin", zone.is_none().then_some("basin--open"))}
                data-zone={zone.unwrap_or_default().to_owned()}
                aria-label={name.clone()}
            >
                <header class="basin__head">
                    <span class="basin__name">{ name }</span>
                    <span class="basin__count">{ words::count(nodes.len(), "node", "nodes") }</span>
                </header>
                <div class="basin__nodes">{ for nodes.iter().map(|node| self.card(node)) }</div>
            </section>
        }
    }

    fn card(&self, node: &NodeFrame) -> Html {
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
        let is_control_plane = node
            .labels
            .contains_key("node-role.kubernetes.io/control-plane");
        let role = if is_control_plane {
            words::CONTROL_PLANE
        } else {
            words::WORKER
        };
        let pods = node
            .pods
            .iter()
            .filter_map(|key| self.pods.get(key.as_str()));
        let blocks = pods.map(|pod| {
            let selected = self.store.pod.as_ref() == Some(&pod.key);
            block(pod, self.owners, selected, false, self.choose)
        });
        let milli_cpu = node
            .resources
            .first()
            .map_or(1000, |cpu| cpu.allocatable.max(500));
        html! {
            <article
                class={classes!("node", state, node.unschedulable.then_some("node--cordoned"))}
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

#[cfg(test)]
mod tests {
    use super::{ZONE, zones};
    use crate::protocol::frame::NodeFrame;

    #[test]
    fn nodes_without_a_zone_come_last() {
        let node = |name: &str, zone: Option<&str>| NodeFrame {
            name: name.into(),
            labels: zone
                .iter()
                .map(|zone| (ZONE.to_owned(), (*zone).to_owned()))
                .collect(),
            ..NodeFrame::default()
        };
        let nodes = [
            node("edge", None),
            node("b", Some("z2")),
            node("a", Some("z1")),
        ];
        let names: Vec<_> = zones(&nodes).iter().map(|(zone, _)| *zone).collect();
        assert_eq!(names, [Some("z1"), Some("z2"), None]);
    }
}
