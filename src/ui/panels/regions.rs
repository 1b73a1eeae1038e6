//! Folds, unfolds and resizes panels.

use std::cell::Cell;

use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent};
use yew::{Callback, Html, MouseEvent, Properties, classes, function_component, html, use_mut_ref};

use crate::ui::parts::focus;
use crate::ui::parts::icon::icon;
use crate::ui::store::{Action, Arrange, NARROWEST, PageAction, Panel, Store, WIDEST};
use crate::words;

/// A panel's approximate initial width in CSS pixels; the style sheet has the exact one.
const AT_FIRST: u32 = 400;
/// Step of an arrow key in CSS pixels.
const STEP: f64 = 16.0;
/// A second press within this time, without a drag between, is a double click.
const DOUBLE_MS: f64 = 500.0;
/// Attribute that names the panel that an element folds or unfolds.
const FOLD: &str = "data-fold";
/// Width of a folded panel.
const RAIL: &str = "var(--rail)";

/// The style sheet's names for a panel: its class, and the property with its width.
fn names(panel: Panel) -> (&'static str, &'static str) {
    match panel {
        Panel::Sources => ("sources", "--own-sources"),
        Panel::Stage => ("stage", "--own-stage"),
        Panel::Explain => ("explain", "--own-explain"),
    }
}

/// The app's classes for folded regions.
pub fn classes(store: &Store) -> yew::Classes {
    classes!(
        store.is_folded(Panel::Sources).then_some("app--no-sources"),
        store.is_folded(Panel::Explain).then_some("app--no-explain"),
        store.page.layout.ruler_folded.then_some("app--no-ruler"),
    )
}

/// The app's style with the chosen widths of panels.
pub fn style(store: &Store) -> String {
    let width = |panel: Panel| {
        let name = names(panel).1;
        if store.is_folded(panel) {
            return format!("{name}:{RAIL};");
        }
        let own = store.page.layout.width(panel);
        own.map_or_else(String::new, |own| format!("{name}:{own}px;"))
    };
    width(Panel::Sources) + &width(Panel::Explain)
}

/// The button in a panel's head that folds it.
pub fn fold(panel: Panel, label: &'static str, act: &Callback<Action>) -> Html {
    let mark = if panel == Panel::Sources {
        "left"
    } else {
        "right"
    };
    let onclick =
        act.reform(move |_: MouseEvent| Action::Page(PageAction::Arrange(Arrange::Fold(panel))));
    let label = words::fold(label);
    html! {
        <button class="btn btn--icon btn--small fold" data-fold={names(panel).0} aria-expanded="true" aria-label={label.clone()} title={label} {onclick}>{ icon(mark) }</button>
    }
}

/// A panel's edge: the rail of a folded panel, or the movable edge.
pub fn edges(panel: Panel, label: &'static str, store: &Store, act: &Callback<Action>) -> Html {
    let mark = if panel == Panel::Sources {
        "right"
    } else {
        "left"
    };
    let onclick =
        act.reform(move |_: MouseEvent| Action::Page(PageAction::Arrange(Arrange::Fold(panel))));
    html! {
        <>
            if store.is_folded(panel) {
                <button class="rail" data-fold={names(panel).0} aria-expanded="false" title={words::unfold(label)} {onclick}>{ icon(mark) }<span>{ label }</span></button>
            } else {
                <Edge {panel} {label} width={store.page.layout.width(panel)} act={act.clone()} />
            }
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct Props {
    panel: Panel,
    label: &'static str,
    width: Option<u32>,
    act: Callback<Action>,
}

/// The edge between a panel and the stage: moved by pointer or arrow keys.
#[function_component]
fn Edge(props: &Props) -> Html {
    let panel = props.panel;
    // The pointer's start position, and the panel's width at that time.
    let dragged = use_mut_ref(|| Cell::new(None::<(f64, f64)>));
    // Time of the last press without a drag: not every browser reports a double tap as `dblclick`.
    let pressed = use_mut_ref(|| Cell::new(f64::NEG_INFINITY));
    let outwards = if panel == Panel::Sources { 1.0 } else { -1.0 };
    let widen = {
        let act = props.act.clone();
        move |width: Option<f64>| {
            act.emit(Action::Page(PageAction::Arrange(Arrange::Widen(
                panel,
                width.map(whole),
            ))))
        }
    };
    let onpointerdown = {
        let dragged = dragged.clone();
        move |event: PointerEvent| {
            let Some((edge, panel)) = at(event.target()) else {
                return;
            };
            // Without capture, the pointer is lost as soon as it leaves these few pixels.
            let _ = edge.set_pointer_capture(event.pointer_id());
            dragged.borrow().set(Some((
                f64::from(event.client_x()),
                panel.get_bounding_client_rect().width(),
            )));
        }
    };
    let reach = {
        let dragged = dragged.clone();
        move |event: &PointerEvent| {
            let (from, width) = dragged.borrow().get()?;
            Some(width + outwards * (f64::from(event.client_x()) - from))
        }
    };
    let onpointermove = {
        let reach = reach.clone();
        move |event: PointerEvent| {
            if let Some((app, width)) = app_of(&event).zip(reach(&event)) {
                // Only the columns change; the store gets the width when the edge is released.
                let width = format!("{}px", whole(width).max(NARROWEST));
                let _ = app.style().set_property(names(panel).1, &width);
            }
        }
    };
    let onpointerup = {
        let (widen, dragged) = (widen.clone(), dragged.clone());
        move |event: PointerEvent| {
            let width = reach(&event);
            let Some((_, was)) = dragged.borrow().take() else {
                return;
            };
            let now = event.time_stamp();
            if let Some(width) = width.filter(|width| (width - was).abs() >= 1.0) {
                pressed.borrow().set(f64::NEG_INFINITY);
                widen(Some(width));
            } else if now - pressed.borrow().replace(now) <= DOUBLE_MS {
                widen(None);
            }
        }
    };
    let onpointercancel = {
        let before = props
            .width
            .map_or_else(String::new, |width| format!("{width}px"));
        move |event: PointerEvent| {
            if dragged.borrow().take().is_some()
                && let Some(app) = app_of(&event)
            {
                let _ = app.style().set_property(names(panel).1, &before);
            }
        }
    };
    let ondblclick = {
        let widen = widen.clone();
        move |_: MouseEvent| widen(None)
    };
    let onkeydown = {
        let act = props.act.clone();
        move |event: KeyboardEvent| {
            let Some((_, element)) = at(event.target()) else {
                return;
            };
            let width = element.get_bounding_client_rect().width();
            match event.key().as_str() {
                "ArrowRight" => widen(Some(width + outwards * STEP)),
                "ArrowLeft" => widen(Some(width - outwards * STEP)),
                "Enter" => act.emit(Action::Page(PageAction::Arrange(Arrange::Fold(panel)))),
                "Home" => widen(Some(0.0)),
                "Escape" => widen(None),
                _ => return,
            }
            // The keys must not step through the run.
            event.prevent_default();
            event.stop_propagation();
        }
    };
    html! {
        <div
            class={classes!("edge", format!("edge--{}", names(panel).0))} data-fold={names(panel).0} role="separator" aria-orientation="vertical" tabindex="0"
            aria-label={words::width_of(props.label)} title={words::EDGE_KEYS}
            aria-valuenow={props.width.unwrap_or(AT_FIRST).to_string()} aria-valuemin={NARROWEST.to_string()} aria-valuemax={WIDEST.to_string()}
            {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {ondblclick} {onkeydown}
        />
    }
}

/// The folding button disappears with its panel. If it has the focus, moves the focus to the rail, and vice versa. Call
/// it before the change is drawn.
pub fn follow_focus() {
    let here = gloo::utils::document().active_element();
    let Some(name) = here.and_then(|here| here.get_attribute(FOLD)) else {
        return;
    };
    focus::when_drawn(move || {
        let root = gloo::utils::document_element();
        let all = focus::found(&root, &format!("[{FOLD}={name}]"));
        let mut seen = all.iter().filter(|it| it.offset_parent().is_some());
        if let Some(first) = seen.next() {
            // If a browser cannot move the focus, it stays where it is.
            let _ = first.focus();
        }
    });
}

/// The edge, and the panel that it belongs to.
fn at(target: Option<web_sys::EventTarget>) -> Option<(Element, Element)> {
    let edge = target?.dyn_into::<Element>().ok()?;
    let panel = edge.parent_element()?;
    Some((edge, panel))
}

/// The element that holds the panels and their widths.
fn app_of(event: &PointerEvent) -> Option<HtmlElement> {
    let (_, panel) = at(event.target())?;
    panel.parent_element()?.dyn_into().ok()
}

fn whole(pixels: f64) -> u32 {
    pixels.max(0.0) as u32
}
