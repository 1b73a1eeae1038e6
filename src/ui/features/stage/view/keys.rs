//! Keyboard navigation among cards: one tab stop, arrow keys between nodes, Enter into a node's Pods and Esc back. The
//! cards are groups in a group rather than items of a tree: they contain real buttons (Pods, chips), which a tree item
//! would hide from a screen reader's browse mode.

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, HtmlElement, KeyboardEvent, NodeList};
use yew::{Callback, TargetCast};

use crate::scene::chart::Rect;
use crate::scene::nearest;
use crate::ui::features::stage::StageAction;
use crate::ui::store::Action;

const CARD: &str = "[data-node]";

/// Handles the keys that move the focus.
pub(super) fn of_cards() -> Callback<KeyboardEvent> {
    Callback::from(|event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let Some(target) = event.target_dyn_into::<Element>() else {
            return;
        };
        if target
            .closest("input, select, textarea")
            .ok()
            .flatten()
            .is_some()
        {
            return;
        }
        let Some(card) = target.closest(CARD).ok().flatten() else {
            return;
        };
        let goal = if card == target {
            from_card(&card, &event.key())
        } else {
            within_card(&card, &target, &event.key())
        };
        if let Some(goal) = goal {
            event.prevent_default();
            event.stop_propagation();
            let _ = goal.focus();
        }
    })
}

/// Reports the focused node.
pub(super) fn follow(known: Option<&str>, act: &Callback<Action>) -> Callback<FocusEvent> {
    let known = known.map(str::to_owned);
    let act = act.clone();
    Callback::from(move |event: FocusEvent| {
        let target = event.target_dyn_into::<Element>();
        let card = target.and_then(|target| target.closest(CARD).ok().flatten());
        let node = card.and_then(|card| card.get_attribute("data-node"));
        if let Some(node) = node.filter(|node| known.as_ref() != Some(node)) {
            act.emit(Action::Stage(StageAction::Focus(node)));
        }
    })
}

/// The direction that an arrow key points in.
pub(super) fn direction(key: &str) -> Option<(f64, f64)> {
    match key {
        "ArrowLeft" => Some((-1.0, 0.0)),
        "ArrowRight" => Some((1.0, 0.0)),
        "ArrowUp" => Some((0.0, -1.0)),
        "ArrowDown" => Some((0.0, 1.0)),
        _ => None,
    }
}

fn from_card(card: &Element, key: &str) -> Option<HtmlElement> {
    if key == "Enter" {
        let inside = |what: &str| card.query_selector(what).ok().flatten();
        let first = inside("button.pod").or_else(|| inside("button"))?;
        return first.dyn_into().ok();
    }
    let (dx, dy) = direction(key)?;
    let cards_parent = card.closest(".harbour").ok().flatten()?;
    let cards = elements(&cards_parent.query_selector_all(CARD).ok()?);
    let places: Vec<Rect> = cards.iter().map(|card| place(card)).collect();
    let next = nearest(place(card), &places, dx, dy);
    // At the edge an arrow key keeps the focus, and must not step through the run.
    Some(
        next.and_then(|next| cards.get(next))
            .cloned()
            .unwrap_or(card.clone().dyn_into().ok()?),
    )
}

fn within_card(card: &Element, target: &Element, key: &str) -> Option<HtmlElement> {
    if key == "Escape" {
        return card.clone().dyn_into().ok();
    }
    let (dx, dy) = direction(key)?;
    let mut buttons = elements(&card.query_selector_all("button, summary").ok()?);
    // The number of visible labels depends on the card's width.
    buttons.retain(|button| button.offset_parent().is_some());
    let here = buttons.iter().position(|button| {
        let button: &Element = button;
        button == target
    })?;
    let next = if dx + dy > 0.0 {
        here + 1
    } else {
        here.saturating_sub(1)
    };
    buttons.get(next).or(buttons.last()).cloned()
}

fn elements(list: &NodeList) -> Vec<HtmlElement> {
    let items = (0..list.length()).filter_map(|index| list.item(index));
    items.filter_map(|item| item.dyn_into().ok()).collect()
}

fn place(element: &Element) -> Rect {
    let rect = element.get_bounding_client_rect();
    Rect {
        x: rect.x(),
        y: rect.y(),
        width: rect.width(),
        height: rect.height(),
    }
}
