//! The stage: zones as basins, nodes as quays, Pods as blocks.

mod card;
mod dropping;
mod node_form;
mod palette;
mod selection;

use std::collections::BTreeMap;
use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, classes, html};

use super::queue;
use crate::protocol::cycle::{Cycle, NodeReport};
use crate::protocol::frame::NodeFrame;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::Owners;
use crate::ui::store::{Action, Store};
use crate::ui::words;

const ZONE: &str = "topology.kubernetes.io/zone";
/// Owners named below the stage.
const OWNERS: usize = 8;

struct Scene<'a> {
    store: &'a Store,
    owners: &'a Owners,
    reports: BTreeMap<&'a str, &'a NodeReport>,
    cycle: Option<&'a Cycle>,
    act: &'a Callback<Action>,
}

/// The middle panel.
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let owners = Owners::of(&store.view.pods);
    let cycle = store.cycle();
    let reports = cycle.iter().flat_map(|cycle| &cycle.nodes);
    let scene = Scene {
        store,
        owners: &owners,
        reports: reports
            .map(|report| (report.node.as_str(), report))
            .collect(),
        cycle,
        act,
    };
    let nodes = words::count(store.view.nodes.len(), "node", "nodes");
    let pods = words::count(store.view.pods.len(), "Pod", "Pods");
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
                { add_button(store, act) }
            </header>
            { queue::view(store, &owners, act) }
            <div class="stage__body">
                <div class="harbour harbour--flow">
                    { for zones(&store.view.nodes).iter().map(|(zone, nodes)| scene.basin(zone, nodes)) }
                    if store.view.nodes.is_empty() { <p class="note">{ words::NO_NODES }</p> }
                </div>
            </div>
            { selection::view(store, act) }
            { palette::view(store, act) }
            { node_form::view(store, act) }
            <footer class="key"><div class="key__owners">{ for legend }</div>
                <span>{ icon("noschedule") }{ "NoSchedule" }</span>
                <span>{ icon("prefer") }{ "PreferNoSchedule" }</span>
                <span>{ icon("noexecute") }{ "NoExecute" }</span>
            </footer>
        </main>
    }
}

/// The button that opens what can be added.
fn add_button(store: &Store, act: &Callback<Action>) -> Html {
    let (act, adding) = (act.clone(), store.adding);
    let onclick = Callback::from(move |_: MouseEvent| act.emit(Action::Adding(!adding)));
    html! {
        <button class="btn btn--line" data-action="add" aria-expanded={adding.to_string()} {onclick}>{ icon("plus") }{ words::ADD }</button>
    }
}

/// Nodes by zone: zones by name, nodes without one last.
fn zones(nodes: &[Rc<NodeFrame>]) -> Vec<(Option<&str>, Vec<&NodeFrame>)> {
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
                ondragover={dropping::allow()}
                ondrop={dropping::drop_on(self.store, *zone, self.act)}
            >
                <header class="basin__head">
                    <span class="basin__name">{ name }</span>
                    <span class="basin__count">{ words::count(nodes.len(), "node", "nodes") }</span>
                </header>
                <div class="basin__nodes">{ for nodes.iter().map(|node| self.card(node)) }</div>
            </section>
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

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
        ]
        .map(Rc::new);
        let names: Vec<_> = zones(&nodes).iter().map(|(zone, _)| *zone).collect();
        assert_eq!(names, [Some("z1"), Some("z2"), None]);
    }
}
