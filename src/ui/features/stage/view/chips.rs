//! The chips of a card: taints, then the labels that distinguish nodes. Chips that do not fit are counted.

use yew::{Callback, Html, MouseEvent, classes, html};

use super::chip_form;
use super::node_form::CORDON_TAINT;
use crate::scene::chips::{Chips, fitting, joined};
use crate::ui::features::stage::Chip;
use crate::ui::parts::icon::icon;
use crate::ui::store::Action;
use crate::words;
use berth_protocol::frame::{NodeFrame, TaintFrame};

/// Room for chips on a wide and on a narrow card, in rem; keep in sync with the style sheet.
const WIDE: f64 = 9.0;
const NARROW: f64 = 5.5;

/// The chips; a click opens the chip's form, and the arrow keys move between them. `edits` opens the node's form.
pub fn view(
    node: &NodeFrame,
    label_order: &[String],
    edits: &Callback<MouseEvent>,
    act: &Callback<Action>,
) -> Html {
    let Chips {
        taints,
        labels,
        texts,
        letters,
    } = Chips::of(node, label_order);
    let (wide, narrow) = (fitting(&letters, WIDE), fitting(&letters, NARROW));
    let class = |place: usize| (place >= narrow).then_some("chip--wide");
    let chips = texts.iter().enumerate().take(wide).map(|(place, text)| {
        match (node.taints.get(place), labels.get(place.wrapping_sub(taints))) {
            (Some(shown), _) => {
                // The taint of a cordon goes with the cordon.
                let onclick = if node.unschedulable && shown.key == CORDON_TAINT {
                    edits.clone()
                } else {
                    chip_form::opens(&node.name, Chip::Taint(place), act)
                };
                taint(shown, text, class(place), onclick)
            }
            (None, Some((key, value))) => {
                let title = joined(key, value);
                let onclick = chip_form::opens(&node.name, Chip::Label((*key).to_owned()), act);
                html! { <button class={classes!("chip", class(place))} tabindex="-1" {title} {onclick}><span translate="no">{ text }</span></button> }
            }
            (None, None) => html! {},
        }
    });
    html! {
        <div class="node__chips">
            { for chips }
            { more(texts.len() - wide, "chip--wide", edits) }
            { more(texts.len() - narrow, "chip--narrow", edits) }
        </div>
    }
}

/// The number of chips that a card of this width does not show; the style sheet selects the width.
fn more(number: usize, class: &'static str, onclick: &Callback<MouseEvent>) -> Html {
    if number == 0 {
        return html! {};
    }
    html! { <button class={classes!("chip", "chip--more", class)} tabindex="-1" aria-label={words::more_labels(number)} onclick={onclick.clone()}>{ format!("+{number}") }</button> }
}

fn taint(
    taint: &TaintFrame,
    text: &str,
    wide: Option<&'static str>,
    onclick: Callback<MouseEvent>,
) -> Html {
    let (class, mark) = match taint.effect.as_str() {
        "PreferNoSchedule" => (Some("chip--prefer"), "prefer"),
        "NoExecute" => (Some("chip--noexecute"), "noexecute"),
        _ => (None, "noschedule"),
    };
    let title = format!("{}={}:{}", taint.key, taint.value, taint.effect);
    html! {
        <button class={classes!("chip", "chip--taint", class, wide)} tabindex="-1" {title} {onclick}>{ icon(mark) }<span translate="no">{ text }</span></button>
    }
}
