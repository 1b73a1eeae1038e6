//! The docks on a card: the node's devices, below its Pods. A click shows what a device is and which Pods hold it.

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, classes, html};

use super::Scene;
use crate::scene::docks::{Dock, Docks, Row, Sum, Trial, Trials, sums};
use crate::scene::moment::NodeVerdict;
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::stage::{OpenDevice, StageAction};
use crate::ui::parts::block_label::block_label;
use crate::ui::parts::drawn::Same;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::{Owners, label};
use crate::ui::store::Action;
use crate::ui::styles;
use crate::words;
use crate::words::docks as text;
use berth_protocol::device::{DeviceFrame, DeviceHolder, NodeDevices};
use berth_protocol::frame::{NodeFrame, PodFrame};

/// The state of a card's docks, beside the node's own.
#[derive(PartialEq)]
pub(super) struct CardDocks {
    trials: Trials,
    drivers: Rc<Vec<String>>,
    /// The Pods that have devices.
    pods: Vec<Same<PodFrame>>,
    /// The Pod that is chosen.
    chosen: Option<String>,
    /// The Pod that the last step placed.
    placed: Option<String>,
    /// The name of the Pod whose attempt is explained, while it waits.
    asker: Option<String>,
    /// `DRIVER/POOL/DEVICE` of the device that is described.
    open: Option<String>,
}

impl Scene<'_> {
    /// The docks of a node; `None` if it sees no device.
    pub(super) fn docks(
        &self,
        node: &Rc<NodeFrame>,
        node_verdict: &NodeVerdict,
    ) -> Option<Box<CardDocks>> {
        let devices = node.devices.as_ref()?;
        Some(self.docks_of(node, devices, node_verdict))
    }

    /// Apart from [`Self::docks`], which a first visit runs.
    #[inline(never)]
    fn docks_of(
        &self,
        node: &NodeFrame,
        devices: &NodeDevices,
        node_verdict: &NodeVerdict,
    ) -> Box<CardDocks> {
        let store = self.store;
        let holders = devices.devices.iter().flat_map(|it| &it.holders);
        let keys = holders.flat_map(|it| &it.pods);
        let pods = keys.filter_map(|key| store.view.pod(key));
        let open = store.stage.device.as_ref();
        let open = open.filter(|open| open.node == node.name);
        let drivers = self.drivers.get_or_init(|| Rc::new(store.view.drivers()));
        Box::new(CardDocks {
            trials: self.moment.trials(node, node_verdict),
            drivers: Rc::clone(drivers),
            pods: pods.map(Same::of).collect(),
            chosen: self.moment.chosen.map(str::to_owned),
            placed: self.moment.placed.map(str::to_owned),
            asker: self.moment.waiting.map(|pod| label(pod)),
            open: open.map(|open| open.device.clone()),
        })
    }
}

impl CardDocks {
    #[inline(never)]
    pub(super) fn draw(&self, node: &NodeFrame, owners: &Owners, act: &Callback<Action>) -> Html {
        let Some(devices) = &node.devices else {
            return html! {};
        };
        styles::load(styles::DOCKS);
        let docks = Docks::of(devices, &self.trials, &self.drivers);
        let rows = docks
            .rows
            .iter()
            .map(|row| self.row(node, row, owners, act));
        let shared = docks.shared.iter().map(|pool| {
            html! { <p class="docks__shared">{ text::shared_pool(pool) }</p> }
        });
        let open = self.open.as_ref().and_then(|open| {
            let mut all = docks.rows.iter().flat_map(|row| &row.docks);
            let dock = all.find(|dock| dock.devices.iter().any(|it| it.id() == *open))?;
            Some(self.about(dock, act))
        });
        html! {
            <>
                <p class="docks__sum" aria-hidden="true">{ for sums(node).iter().map(sum) }</p>
                <div class="docks" role="group" aria-label={text::devices_of(&node.name)}>
                    { for rows }
                    { for shared }
                    { for open }
                </div>
            </>
        }
    }

    fn row(&self, node: &NodeFrame, row: &Row, owners: &Owners, act: &Callback<Action>) -> Html {
        let docks = row
            .docks
            .iter()
            .map(|dock| self.dock(node, dock, owners, act));
        let label = row.label.map(|(name, value)| {
            html! {
                <span class="docks__label" title={words::labelled(name, value)}>
                    <span class="clip">{ words::short_key(name) }</span><b class="clip">{ text::last_part(value) }</b>
                </span>
            }
        });
        html! {
            <div class={classes!("docks__root", label.is_none().then_some("docks__root--plain"))}>
                { for label }
                <div class="docks__row">{ for docks }</div>
            </div>
        }
    }

    fn dock(&self, node: &NodeFrame, dock: &Dock, owners: &Owners, act: &Callback<Action>) -> Html {
        let name = text::dock_in_words(dock, self.asker.as_deref());
        let id = dock.devices.first().map(|it| it.id()).unwrap_or_default();
        let is_open = self.open.as_ref().is_some_and(|open| {
            let mut ids = dock.devices.iter().map(|it| it.id());
            ids.any(|id| id == *open)
        });
        let holder = dock.holder().filter(|holder| !holder.admin_access);
        let is_chosen = holder.is_some_and(|holder| {
            let chosen = self.chosen.as_ref();
            chosen.is_some_and(|chosen| holder.pods.contains(chosen))
        });
        let class = classes!(
            "dock",
            (dock.taken() == 0).then_some("dock--free"),
            (dock.driver > 0).then_some("dock--other"),
            (dock.driver > 1).then_some("dock--third"),
            dock.only()
                .is_some_and(|it| it.unavailable.is_some())
                .then_some("dock--unavailable"),
            (dock.trial == Some(&Trial::Wanted)).then_some("dock--wanted"),
            is_open.then_some("dock--open"),
            is_chosen.then_some("dock--chosen"),
        );
        html! {
            <button
                key={id.clone()}
                {class}
                data-device={id.clone()}
                data-state={state(dock)}
                tabindex="-1"
                aria-expanded={is_open.to_string()}
                title={name.clone()}
                onclick={opens((!is_open).then(|| OpenDevice { node: node.name.clone(), device: id }), act)}
            >
                <span class="visually-hidden">{ name }</span>
                <span class="dock__name clip" aria-hidden="true">{ dock.name() }<small class="clip">{ &dock.kind }</small></span>
                <span class="dock__berth" aria-hidden="true">{ self.inside(dock, holder, owners) }</span>
            </button>
        }
    }

    /// The holder of the device, or that it is free, with the mark of the attempt.
    fn inside(&self, dock: &Dock, holder: Option<&DeviceHolder>, owners: &Owners) -> Html {
        if let Some(holder) = holder {
            let pod = holder.pods.iter().find_map(|key| self.pod(key));
            let Some(pod) = pod else {
                return html! { <span class="dock__held clip">{ text::holder_of(holder) }</span> };
            };
            let name = if holder.pods.len() == 1 {
                block_label(pod)
            } else {
                html! { <span class="clip">{ text::holder_of(holder) }</span> }
            };
            return html! {
                <span class={classes!("pod", "dock__pod", owners.class(pod), (self.placed.as_ref() == Some(&pod.key)).then_some("pod--new"))}>{ name }</span>
            };
        }
        let mark = match dock.trial {
            Some(Trial::Rejected(_)) => icon("rejected"),
            Some(Trial::GivenBack) => icon("rejected-more"),
            Some(Trial::Wanted) | None => html! {},
        };
        let text = match (dock.only(), dock.trial) {
            (None, _) => text::free_of(dock),
            (Some(_), Some(Trial::Wanted)) => self.asker.clone().unwrap_or_default(),
            (Some(device), _) if device.unavailable.is_some() => text::UNAVAILABLE.to_owned(),
            (Some(_), _) => text::FREE.to_owned(),
        };
        let part = dock.only().is_none().then(|| {
            let share = 100 * dock.taken() / dock.devices.len().max(1);
            html! { <i class="dock__part" style={format!("width:{share}%")} /> }
        });
        html! { <>{ for part }<span class="dock__free clip">{ mark }{ text }</span></> }
    }

    fn pod(&self, key: &str) -> Option<&PodFrame> {
        let mut pods = self.pods.iter();
        pods.find(|pod| pod.0.key == key).map(|pod| &*pod.0)
    }

    /// The open dock as text.
    fn about(&self, dock: &Dock, act: &Callback<Action>) -> Html {
        let close = opens(None, act);
        let body = match dock.only() {
            Some(device) => self.about_device(device, dock.trial, act),
            None => {
                let items = dock.devices.iter().map(|device| {
                    html! { <li>{ text::device_in_words(device) }</li> }
                });
                html! { <ul>{ for items }</ul> }
            }
        };
        html! {
            <section class="dock__about" aria-label={text::DEVICE}>
                <button class="btn btn--icon btn--small" tabindex="-1" aria-label={text::CLOSE_DEVICE} title={text::CLOSE_DEVICE} onclick={close}>{ icon("close") }</button>
                { body }
            </section>
        }
    }

    fn about_device(
        &self,
        device: &DeviceFrame,
        trial: Option<&Trial>,
        act: &Callback<Action>,
    ) -> Html {
        let row =
            |name: &str, value: Html| html! { <><dt>{ name.to_owned() }</dt><dd>{ value }</dd></> };
        let pairs = |name: &str, pairs: &[(String, String)]| {
            let lines = pairs.iter().map(|(name, value)| {
                html! { <code>{ format!("{name}: {value}") }</code> }
            });
            (!pairs.is_empty()).then(|| row(name, lines.collect()))
        };
        let pods = device.holders.iter().flat_map(|holder| &holder.pods);
        let pods = pods.map(|key| {
            let (act, key) = (act.clone(), key.clone());
            let name = words::short(&key).to_owned();
            let onclick = Callback::from(move |event: MouseEvent| {
                event.stop_propagation();
                act.emit(Action::Explain(ExplainAction::Pod(key.clone())));
            });
            html! { <button class="link" tabindex="-1" {onclick}>{ name }</button> }
        });
        let pods: Vec<Html> = pods.collect();
        let claims = device.holders.iter().map(|holder| {
            html! { <code>{ format!("{} ({})", words::short(&holder.claim), holder.request) }</code> }
        });
        let trial = trial.zip(self.asker.as_deref()).map(|(trial, pod)| {
            let text = match trial {
                Trial::Rejected(outcome) => words::device_step("", "", &device.name, outcome),
                other => text::trial(&device.name, other, pod),
            };
            row(pod, html! { text })
        });
        html! {
            <dl>
                { row(text::DEVICE.get(), html! { <b>{ &device.name }</b> }) }
                { row(text::DRIVER.get(), html! { <code>{ format!("{} / {}", device.driver, device.pool) }</code> }) }
                { for pairs(text::ATTRIBUTES.get(), &device.attributes) }
                { for pairs(text::CAPACITY.get(), &device.capacity) }
                { row(text::STATE.get(), html! { text::device_state(device) }) }
                if !device.holders.is_empty() { { row(text::CLAIM.get(), claims.collect()) } }
                if !pods.is_empty() { { row(text::TAKEN_BY.get(), html! { <>{ for pods }</> }) } }
                { for trial }
            </dl>
        }
    }
}

/// A driver's devices on the node, where the card has no room for more.
fn sum(sum: &Sum) -> Html {
    html! { <span>{ sum.name().to_owned() }{ " " }<b>{ sum.taken }</b>{ format!(" / {}", sum.all) }</span> }
}

/// The state in one word, for style sheets and tests.
fn state(dock: &Dock) -> &'static str {
    match dock.only() {
        Some(device) if device.is_taken() => "taken",
        Some(device) if device.unavailable.is_some() => "unavailable",
        Some(_) => "free",
        None => "several",
    }
}

/// Describes a device, or closes the description, without choosing the node.
fn opens(open: Option<OpenDevice>, act: &Callback<Action>) -> Callback<MouseEvent> {
    let act = act.clone();
    Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        act.emit(Action::Stage(StageAction::ShowDevice(
            open.clone().map(Box::new),
        )));
    })
}
