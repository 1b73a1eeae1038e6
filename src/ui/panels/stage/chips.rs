//! The chips of a card: taints, then the labels that tell nodes apart. Chips that do not fit are counted.

use std::collections::BTreeSet;

use yew::{Callback, Html, MouseEvent, classes, html};

use super::chip_form;
use super::node_form::CORDON_TAINT;
use crate::ui::parts::icon::icon;
use crate::ui::scene::CARDS;
use crate::ui::store::stage::Chip;
use crate::ui::store::{Action, Store, ZONE};
use crate::ui::words;
use berth_protocol::frame::{NodeFrame, TaintFrame};

/// Labels that a card omits because it shows their information anyway, unless a rule of the Pod reads them.
const UNTOLD: [&str; 3] = [
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
];
const ROLE: &str = "node-role.kubernetes.io/";
/// Room for chips on a wide and on a narrow card, in rem; keep in sync with the style sheet.
const WIDE: f64 = 9.0;
const NARROW: f64 = 5.5;
/// The width of a letter, of a chip's padding and border with the gap, and of the count, in rem.
const LETTER: f64 = 0.42;
const AROUND: f64 = 1.0;
const COUNT: f64 = 1.6;

/// The order of label keys on cards: first those that the explained Pod's rules read, of these first those whose
/// values differ; then the others whose values differ.
pub fn telling(store: &Store) -> Vec<String> {
    let cycle = store.cycle();
    let pod = store.chosen_pod().or(cycle.map(|cycle| cycle.pod.as_str()));
    let pod = pod.and_then(|key| store.view.pod(key));
    let read = pod.map(|pod| pod.node_keys.clone()).unwrap_or_default();
    // A card's chips need no more than this; the far view has none.
    let nodes = store.view.nodes.as_slice();
    let nodes = if nodes.len() <= CARDS { nodes } else { &[] };
    let is_same = |key: &String| {
        nodes.split_first().is_some_and(|(first, others)| {
            let value = first.labels.get(key);
            others.iter().all(|node| node.labels.get(key) == value)
        })
    };
    let mut keys = read;
    keys.sort_by_key(is_same);
    // Keys that each node has with a value of its own group nothing, but tell nodes apart.
    let all = nodes.iter().flat_map(|node| node.labels.keys());
    // Most nodes have the same keys.
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    for key in store.view.topology_keys.iter().chain(all) {
        let is_new = seen.insert(key) && !keys.contains(key);
        if is_new && !UNTOLD.contains(&key.as_str()) && !is_same(key) {
            keys.push(key.clone());
        }
    }
    keys
}

/// The node's labels in that order, the others after them.
fn labels<'n>(node: &'n NodeFrame, telling: &[String]) -> Vec<(&'n str, &'n str)> {
    let place = |key: &str| telling.iter().position(|known| known == key);
    let is_told = |key: &str| {
        let is_known = UNTOLD.contains(&key) || key.starts_with(ROLE);
        key != ZONE && (place(key).is_some() || !is_known)
    };
    let labels = node.labels.iter().filter(|(key, _)| is_told(key));
    let mut labels: Vec<(&str, &str)> = labels
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    labels.sort_by_key(|(key, _)| place(key).unwrap_or(usize::MAX));
    labels
}

/// How many chips of these lengths fit; at least one, which may be cut.
fn fitting(letters: &[usize], room: f64) -> usize {
    #[allow(clippy::cast_precision_loss, reason = "letters of a label")]
    let width = |letters: &usize| *letters as f64 * LETTER + AROUND;
    let all = letters.len();
    let mut used = 0.0;
    let mut fit = 0;
    for (place, letters) in letters.iter().enumerate() {
        used += width(letters);
        let rest = if place + 1 == all { 0.0 } else { COUNT };
        if place > 0 && used + rest > room {
            break;
        }
        fit += 1;
    }
    fit
}

/// The chips; a click opens the chip's form, and the arrow keys move between them. `edits` opens the node's form.
pub fn view(
    node: &NodeFrame,
    telling: &[String],
    edits: &Callback<MouseEvent>,
    act: &Callback<Action>,
) -> Html {
    let labels = labels(node, telling);
    let texts = node.taints.iter().map(taint_text);
    let texts: Vec<String> = texts
        .chain(
            labels
                .iter()
                .map(|(key, value)| joined(words::short_key(key), value)),
        )
        .collect();
    let letters: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
    let (wide, narrow) = (fitting(&letters, WIDE), fitting(&letters, NARROW));
    let class = |place: usize| (place >= narrow).then_some("chip--wide");
    let taints = node.taints.len();
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
                html! { <button class={classes!("chip", class(place))} tabindex="-1" {title} {onclick}><span>{ text }</span></button> }
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

fn joined(key: &str, value: &str) -> String {
    match value {
        "" => key.to_owned(),
        value => format!("{key}={value}"),
    }
}

/// The number of chips that a card of this width does not show; the style sheet selects the width.
fn more(number: usize, class: &'static str, onclick: &Callback<MouseEvent>) -> Html {
    if number == 0 {
        return html! {};
    }
    html! { <button class={classes!("chip", "chip--more", class)} tabindex="-1" aria-label={words::more_labels(number)} onclick={onclick.clone()}>{ format!("+{number}") }</button> }
}

fn taint_text(taint: &TaintFrame) -> String {
    joined(words::short_key(&taint.key), &taint.value)
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
        <button class={classes!("chip", "chip--taint", class, wide)} tabindex="-1" {title} {onclick}>{ icon(mark) }<span>{ text }</span></button>
    }
}

#[cfg(test)]
mod tests {
    use super::{NARROW, WIDE, fitting, labels};
    use berth_protocol::frame::NodeFrame;

    #[test]
    fn labels_that_tell_nodes_apart_come_first() {
        let pairs = [
            ("arch", "amd64"),
            ("kubernetes.io/arch", "arm64"),
            ("pool", "db"),
        ];
        let node = NodeFrame {
            labels: pairs
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
            ..NodeFrame::default()
        };
        assert_eq!(
            labels(&node, &["pool".to_owned()]),
            [("pool", "db"), ("arch", "amd64")]
        );
        let read = ["kubernetes.io/arch".to_owned()];
        assert_eq!(labels(&node, &read)[0], ("kubernetes.io/arch", "arm64"));
    }

    #[test]
    fn a_chip_is_whole_or_counted() {
        assert_eq!(fitting(&[12, 9, 9], WIDE), 1);
        assert_eq!(fitting(&[5, 5], WIDE), 2);
        assert_eq!(fitting(&[40, 3], NARROW), 1);
        assert_eq!(fitting(&[], NARROW), 0);
    }
}
