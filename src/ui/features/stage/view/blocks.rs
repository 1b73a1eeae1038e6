//! The blocks on a card: the node's Pods, the victims of a preemption, and the places kept for Pods to come.

use std::ops::RangeFrom;
use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, classes, html};

use super::Scene;
use crate::scene::moment::NodeVerdict;
use crate::scene::node_pods::{LOOSE, NodePod, evicted, loose_means, loose_name};
use crate::scene::pod_layout::{Percent, PodLayout};
use crate::ui::features::compare::Elsewhere;
use crate::ui::features::explain::ExplainAction;
use crate::ui::parts::drawn::Same;
use crate::ui::parts::icon::icon;
use crate::ui::parts::owner::{Owners, label};
use crate::ui::parts::pod::{Kind, VICTIM, block_as};
use crate::ui::store::Action;
use crate::words;
use berth_protocol::compare::Place;
use berth_protocol::frame::{NodeFrame, PodFrame};

/// A Pod on the node.
#[derive(PartialEq)]
pub(super) struct Block {
    pub(super) pod: Same<PodFrame>,
    pub(super) is_victim: bool,
    is_chosen: bool,
    /// The shown arithmetic counts it.
    is_counted: bool,
    is_new: bool,
}

/// The marks of a comparison. Compared by pointer.
#[derive(Clone)]
struct Marks(Option<Rc<Elsewhere>>);

impl PartialEq for Marks {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(two)) => Rc::ptr_eq(one, two),
            _ => false,
        }
    }
}

/// The state of a card's blocks.
#[derive(PartialEq)]
pub(super) struct Blocks {
    pub(super) layout: Same<PodLayout>,
    /// The layout without victims and with the Pods that are to come.
    pub(super) planned: PodLayout,
    pub(super) pods: Vec<Block>,
    /// Victims that are gone.
    pub(super) gone: Vec<PodFrame>,
    pub(super) nominated: Vec<Same<PodFrame>>,
    /// The Pod being scheduled once the node is picked, and whether it is bound.
    pub(super) slot: Option<(Same<PodFrame>, bool)>,
    marks: Marks,
}

impl Scene<'_> {
    pub(super) fn blocks(&self, node: &Rc<NodeFrame>, node_verdict: &NodeVerdict) -> Blocks {
        let node_pods = self.moment.node_pods(node, node_verdict);
        let counted = &self.store.explain.counted;
        let block = |pod: &NodePod| Block {
            pod: Same::of(pod.pod),
            is_counted: counted.contains(&pod.pod.key),
            is_victim: pod.is_victim,
            is_chosen: pod.is_chosen,
            is_new: pod.is_new,
        };
        Blocks {
            planned: node_pods.planned(),
            pods: node_pods.pods.iter().map(block).collect(),
            gone: node_pods.gone.into_iter().cloned().collect(),
            nominated: node_pods.nominated.into_iter().map(Same::of).collect(),
            slot: node_pods
                .slot
                .map(|(pod, is_bound)| (Same::of(pod), is_bound)),
            layout: Same(node_pods.layout),
            marks: Marks(self.store.stage.elsewhere.clone()),
        }
    }
}

impl Blocks {
    /// `is_compact`: Pods without a place are slivers, as a compact card has no room for [`Self::loose`].
    pub(super) fn draw(&self, is_compact: bool, owners: &Owners, act: &Callback<Action>) -> Html {
        let layout = &*self.layout.0;
        let mut slivers = 0..;
        let pods = self
            .pods
            .iter()
            .filter(|block| is_compact || !self.is_loose(block))
            .map(|block| self.pod(&mut slivers, block, owners, act));
        let gone = evicted(layout, self.gone.iter()).into_iter().map(|(pod, places)| {
            let class = classes!("pod", VICTIM, "pod--gone");
            let name = words::card::evicted(&label(pod));
            main_and_pieces(&places, &class, |style| html! {
                <span class={class.clone()} {style} title={name.clone()} data-victim={pod.key.clone()}>{ icon("victim") }<span class="clip">{ label(pod) }</span></span>
            })
        });
        let planned = &self.planned;
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
        let beyond = layout.rows_beyond();
        let style = format!(
            "--alloc:{};--row:{:.3};--beyond:{beyond}",
            layout.milli_cpu(),
            layout.row_milli_cpu()
        );
        html! {
            <div class={classes!("quay", (beyond > 0).then_some("quay--over"))} {style}>
                { for pods }{ for gone }{ for nominated }{ for slot }
            </div>
        }
    }

    /// `slivers` numbers the Pods without a place.
    fn pod(
        &self,
        slivers: &mut RangeFrom<usize>,
        block: &Block,
        owners: &Owners,
        act: &Callback<Action>,
    ) -> Html {
        let pod = &*block.pod.0;
        let places = self.layout.0.places(&pod.key);
        let (more, note) = self.marks_of(block);
        let note = note.as_deref();
        let Some((main, others)) = places.split_first() else {
            // It takes no room: a sliver at the end of the last row.
            let style = format!("--at:{}", slivers.next().unwrap_or_default());
            return html! { <span key={pod.key.clone()} class="sliver">{ block_as(pod, owners, block.is_chosen, Kind::Placed(style), more, note, act) }</span> };
        };
        // Only the main piece has the fold.
        let class = classes!(
            "pod",
            "pod--piece",
            owners.class(pod),
            more.filter(|_| note.is_none())
        );
        // A key: otherwise a block is reused for a different Pod when an earlier one leaves.
        html! {
            <key={pod.key.clone()}>
                { block_as(pod, owners, block.is_chosen, Kind::Placed(style(main)), more, note, act) }
                { pieces(others, |style| html! { <span class={class.clone()} {style} aria-hidden="true" /> }) }
            </>
        }
    }

    fn is_loose(&self, block: &Block) -> bool {
        self.layout.0.places(&block.pod.0.key).is_empty()
    }

    /// The Pods without a place, as chips.
    pub(super) fn loose(&self, owners: &Owners, act: &Callback<Action>) -> Html {
        let loose: Vec<&Block> = self.pods.iter().filter(|it| self.is_loose(it)).collect();
        if loose.is_empty() {
            return html! {};
        }
        self.chips(&loose, owners, act)
    }

    /// Cold: kept out of the first download.
    #[inline(never)]
    fn chips(&self, loose: &[&Block], owners: &Owners, act: &Callback<Action>) -> Html {
        let name = |block: &&Block| loose_name(&block.pod.0, loose.len());
        let chip = |block: &&Block| {
            let (more, note) = self.marks_of(block);
            let kind = Kind::Chip(name(block));
            html! { <span key={block.pod.0.key.clone()}>{ block_as(&block.pod.0, owners, block.is_chosen, kind, more, note.as_deref(), act) }</span> }
        };
        let (shown, rest) = loose.split_at(loose.len().min(LOOSE));
        let names: Vec<String> = rest.iter().map(name).collect();
        let rest = (!rest.is_empty()).then(|| {
            let onclick = Callback::from(|event: MouseEvent| event.stop_propagation());
            html! { <details {onclick}><summary class="link" title={names.join(words::language::comma())}>{ format!("+{}", rest.len()) }</summary>{ for rest.iter().map(chip) }</details> }
        });
        html! {
            <div class="loose">
                <span>{ loose_means(loose.iter().map(|block| &*block.pod.0)) }</span>
                { for shown.iter().map(chip) }{ for rest }
            </div>
        }
    }

    /// The class of a block's mark, and the end of its tooltip.
    fn marks_of(&self, block: &Block) -> (Option<&'static str>, Option<String>) {
        let note = self.elsewhere(&block.pod.0.key);
        let class = if block.is_victim {
            Some(VICTIM)
        } else if block.is_counted {
            Some("pod--counted")
        } else if note.is_some() {
            Some("pod--moved")
        } else {
            block.is_new.then_some("pod--new")
        };
        (class, note)
    }

    /// Where a Pod ends in the other run of a comparison, as text.
    fn elsewhere(&self, key: &str) -> Option<String> {
        let marks = self.marks.0.as_ref()?;
        Some(note_of(marks, marks.places.get(key)?))
    }

    /// The Pods that A has on this node, and B elsewhere.
    pub(super) fn left(&self, node: &str, owners: &Owners, act: &Callback<Action>) -> Html {
        let marks = self.marks.0.as_ref();
        marks.map_or_else(Html::default, |marks| left(marks, node, owners, act))
    }

    /// The nominated Pods, for the card's accessible name.
    pub(super) fn nominated_in_words(&self) -> Option<String> {
        let names: Vec<String> = self.nominated.iter().map(|pod| label(&pod.0)).collect();
        (!names.is_empty()).then(|| words::card::nominated_for(&names.join(", ")))
    }
}

#[inline(never)]
fn note_of(marks: &Elsewhere, place: &Place) -> String {
    words::compare::in_other(marks.other, place)
}

#[inline(never)]
fn left(marks: &Elsewhere, node: &str, owners: &Owners, act: &Callback<Action>) -> Html {
    let Some(pods) = marks.left.get(node) else {
        return html! {};
    };
    let pods = pods.iter().map(|(pod, place)| {
        let key = pod.key.clone();
        let onclick = act.reform(move |event: MouseEvent| {
            event.stop_propagation();
            Action::Explain(ExplainAction::Pod(key.clone()))
        });
        let title = words::compare::left(&label(pod), place);
        html! {
            <button class={classes!("pod", "pod--queued", "pod--left")} tabindex="-1" data-left={pod.key.clone()} title={title.clone()} aria-label={title} {onclick}>
                <i class={classes!("flag", owners.class(pod))} /><span class="clip">{ label(pod) }</span>
            </button>
        }
    });
    html! { <div class="node__left">{ for pods }</div> }
}

/// The style that places a block on its card.
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
