//! The blocks on a card's quay: the node's Pods, the victims of a preemption, and the places kept for Pods to come.

use std::rc::Rc;

use yew::{Callback, Html, classes, html};

use super::Scene;
use super::node_verdict::Standing;
use crate::ui::parts::drawn::Same;
use crate::ui::parts::owner::{Owners, label};
use crate::ui::parts::pod::{VICTIM, block_as};
use crate::ui::scene::quay::{Percent, Quay};
use crate::ui::store::Action;
use crate::ui::words;
use berth_protocol::frame::{NodeFrame, PodFrame};

/// A Pod on the node.
#[derive(PartialEq)]
pub(super) struct Block {
    pub(super) pod: Same<PodFrame>,
    pub(super) is_victim: bool,
    is_chosen: bool,
    is_new: bool,
}

/// The state of a quay.
#[derive(PartialEq)]
pub(super) struct Blocks {
    pub(super) quay: Same<Quay>,
    pub(super) pods: Vec<Block>,
    /// Victims that are gone.
    pub(super) gone: Vec<PodFrame>,
    pub(super) nominated: Vec<Same<PodFrame>>,
    /// The Pod being scheduled once the node is picked, and whether it is bound.
    pub(super) slot: Option<(Same<PodFrame>, bool)>,
}

impl Scene<'_> {
    pub(super) fn blocks(&self, node: &Rc<NodeFrame>, standing: &Standing) -> Blocks {
        let view = &self.store.view;
        let (chosen, placed) = (self.store.chosen_pod(), self.placed);
        let pods = node.pods.iter().filter_map(|key| view.pod(key));
        let pods = pods.map(|pod| Block {
            pod: Same::of(pod),
            is_victim: self.is_victim(&node.name, &pod.key),
            is_chosen: chosen == Some(pod.key.as_str()),
            is_new: placed == Some(pod.key.as_str()),
        });
        let slot = self.slot(standing);
        let is_slot = |key: &String| slot.as_ref().is_some_and(|(pod, _)| pod.0.key == *key);
        let nominated = node.nominated.iter().filter(|key| !is_slot(key));
        let nominated = nominated.filter_map(|key| view.pod(key));
        let victims = view.head.victims.iter();
        let gone = victims.filter(|victim| {
            victim.node.as_deref() == Some(&node.name) && !node.pods.contains(&victim.key)
        });
        Blocks {
            quay: Same(view.quay(node)),
            pods: pods.collect(),
            gone: gone.cloned().collect(),
            nominated: nominated.map(Same::of).collect(),
            slot,
        }
    }
}

impl Blocks {
    pub(super) fn draw(&self, owners: &Owners, act: &Callback<Action>) -> Html {
        let quay = &*self.quay.0;
        let pods = self.pods.iter().enumerate();
        let pods = pods.map(|(position, block)| self.pod(position, block, owners, act));
        let gone = self.evicted().into_iter().map(|(pod, places)| {
            let class = classes!("pod", VICTIM, "pod--gone");
            let name = words::card::evicted(&label(pod));
            pieces(&places, |style| html! { <span class={class.clone()} {style} title={name.clone()} data-victim={pod.key.clone()} /> })
        });
        let planned = self.planned();
        let nominated = self.nominated.iter().map(|pod| {
            let name = words::card::kept_for(&label(&pod.0));
            let class = classes!("pod", "pod--slot", "pod--nominated");
            main_and_pieces(&planned.places(&pod.0.key), &class, |style| html! {
                <span class={class.clone()} {style} title={name.clone()} data-nominated={pod.0.key.clone()}><span class="clip">{ label(&pod.0) }</span></span>
            })
        });
        let slot = self.slot.iter().map(|(pod, is_bound)| {
            let class = if *is_bound {
                classes!("pod", "pod--new", owners.class(&pod.0))
            } else {
                classes!("pod", "pod--slot")
            };
            main_and_pieces(&planned.places(&pod.0.key), &class, |style| html! {
                <span class={class.clone()} {style} data-slot={pod.0.key.clone()}><span class="clip">{ label(&pod.0) }</span></span>
            })
        });
        let beyond = quay.rows_beyond();
        let style = format!(
            "--alloc:{};--row:{:.3};--beyond:{beyond}",
            quay.milli_cpu(),
            quay.row_milli_cpu()
        );
        html! {
            <div class={classes!("quay", (beyond > 0).then_some("quay--over"))} {style}>
                { for pods }{ for gone }{ for nominated }{ for slot }
            </div>
        }
    }

    fn pod(&self, position: usize, block: &Block, owners: &Owners, act: &Callback<Action>) -> Html {
        let pod = &*block.pod.0;
        let places = self.quay.0.places(&pod.key);
        let more = if block.is_victim {
            Some(VICTIM)
        } else {
            block.is_new.then_some("pod--new")
        };
        let Some((main, others)) = places.split_first() else {
            // It takes no room: a sliver across the edge.
            let style = format!("--at:{position}");
            return html! { <span key={pod.key.clone()} class="sliver">{ block_as(pod, owners, block.is_chosen, Some(style), more, act) }</span> };
        };
        let class = classes!("pod", "pod--piece", owners.class(pod), more);
        // A key: else a block becomes another Pod's when one before it leaves.
        html! {
            <key={pod.key.clone()}>
                { block_as(pod, owners, block.is_chosen, Some(style(main)), more, act) }
                { pieces(others, |style| html! { <span class={class.clone()} {style} aria-hidden="true" /> }) }
            </>
        }
    }

    /// The quay without victims and with the Pods that are to come.
    pub(super) fn planned(&self) -> Quay {
        let victims = self.pods.iter().filter(|block| block.is_victim);
        let victims: Vec<&str> = victims.map(|block| block.pod.0.key.as_str()).collect();
        let slot = self.slot.iter().map(|(pod, _)| pod);
        let coming = self.nominated.iter().chain(slot);
        let coming = coming.map(|pod| (pod.0.key.as_str(), pod.0.milli_cpu));
        self.quay.0.changed(&victims, coming)
    }

    /// Victims that are gone, where they were, unless other Pods are there now.
    fn evicted(&self) -> Vec<(&PodFrame, Vec<Percent>)> {
        let gone = self
            .gone
            .iter()
            .map(|pod| (pod.key.as_str(), pod.milli_cpu));
        let then = self.quay.0.changed(&[], gone);
        let places = self.gone.iter().map(|pod| (pod, then.places(&pod.key)));
        let is_inside = |(_, places): &(&PodFrame, Vec<Percent>)| {
            places.iter().all(|place| place.top + place.height <= 100.1)
        };
        places.filter(is_inside).collect()
    }

    /// The nominated Pods, for the card's accessible name.
    pub(super) fn nominated_in_words(&self) -> Option<String> {
        let names: Vec<String> = self.nominated.iter().map(|pod| label(&pod.0)).collect();
        (!names.is_empty()).then(|| words::card::nominated_for(&names.join(", ")))
    }
}

/// The style that places a block on a quay.
fn style(place: &Percent) -> String {
    let Percent {
        left,
        top,
        width,
        height,
    } = place;
    format!("--x:{left:.4};--y:{top:.4};--w:{width:.4};--h:{height:.4}")
}

fn pieces(places: &[Percent], piece: impl Fn(String) -> Html) -> Html {
    places.iter().map(|place| piece(style(place))).collect()
}

/// A block's largest rectangle, which has the label, and the others.
fn main_and_pieces(
    places: &[Percent],
    class: &yew::Classes,
    main: impl Fn(String) -> Html,
) -> Html {
    let Some((first, others)) = places.split_first() else {
        return html! {};
    };
    html! {
        <>
            { main(style(first)) }
            { pieces(others, |style| html! { <span class={class.clone()} {style} aria-hidden="true" /> }) }
        </>
    }
}
