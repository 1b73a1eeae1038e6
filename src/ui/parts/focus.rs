//! Moves the focus: into an overlay when it opens and back when it closes, and between the page's regions.

use gloo::timers::callback::Timeout;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{
    Element, HtmlElement, KeyboardEvent, Node, ScrollIntoViewOptions, ScrollLogicalPosition,
};
use yew::{
    Callback, Children, Html, Properties, function_component, html, use_effect_with, use_node_ref,
};

use crate::ui::store::{Action, PageAction};

/// Delay in milliseconds after which an action's changes are drawn.
const DRAWN_MS: u32 = 60;
/// Delay in milliseconds before the focus moves, and between the checks that it has stayed.
const MOVED_MS: u32 = 30;
/// Number of those checks: a busy page needs a while until it has closed a dialog and drawn what takes the focus.
const CHECKS: u32 = 20;
const FOCUSABLE: &str =
    "button:not([disabled]), [href], input, select, textarea, summary, [tabindex='0']";
/// Modal dialogs, which cover the page.
const DIALOG: &str = "[aria-modal=true]";
/// The page's regions, in order.
const REGIONS: &str = ".topbar, .sources, .queue, .stage__body, .explain, .timeline";

#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    pub children: Children,
    /// Whether Tab stays inside.
    #[prop_or_default]
    pub keeps: bool,
}

/// Takes the focus when it is mounted, on the element marked `data-first` or else on the first focusable one, and
/// restores it when it is unmounted.
#[function_component]
pub fn Focused(props: &Props) -> Html {
    let place = use_node_ref();
    {
        let place = place.clone();
        use_effect_with((), move |()| {
            let before = gloo::utils::document().active_element();
            if let Some(place) = place.cast::<Element>() {
                let wanted = found(&place, "[data-first]");
                if let Some(first) = wanted.first().or(inside(&place).first()) {
                    // If a browser cannot move the focus, it stays where it is.
                    let _ = first.focus();
                }
            }
            move || {
                let before = before.and_then(|element| element.dyn_into::<HtmlElement>().ok());
                if let Some(before) = before {
                    let _ = before.focus();
                }
            }
        });
    }
    let onkeydown = {
        let (place, keeps) = (place.clone(), props.keeps);
        move |event: KeyboardEvent| {
            if keeps
                && event.key() == "Tab"
                && let Some(place) = place.cast::<Element>()
            {
                turn_around(&place, &event);
            }
        }
    };
    html! { <div class="focused" ref={place} {onkeydown}>{ props.children.clone() }</div> }
}

/// Whether a popover is open, which the browser closes on Escape.
#[inline(never)]
pub fn has_popover() -> bool {
    exists(":popover-open")
}

/// Escape closes what covers the page, but a popover before it, which the browser closes.
#[inline(never)]
pub fn closes_on_escape(act: &Callback<Action>) -> Callback<KeyboardEvent> {
    let act = act.clone();
    Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" && !has_popover() {
            act.emit(Action::Page(PageAction::Show(None)));
        }
    })
}

#[inline(never)]
fn exists(selector: &str) -> bool {
    let element = gloo::utils::document().query_selector(selector);
    element.is_ok_and(|element| element.is_some())
}

/// Whether keys that an element gets are its own: it is a field, or editable.
pub fn writes(element: Option<&Element>) -> bool {
    let Some(element) = element else {
        return false;
    };
    let is_field = matches!(element.tag_name().as_str(), "TEXTAREA" | "INPUT" | "SELECT");
    let html = element.dyn_ref::<HtmlElement>();
    is_field || html.is_some_and(HtmlElement::is_content_editable)
}

/// Moves the focus to the terminal's command line if it is nowhere or in the terminal's panel, which has no use for
/// characters of its own. Returns whether the command line has it now.
#[inline(never)]
pub fn to_command_line(focused: Option<&Element>) -> bool {
    let is_near = focused.is_none_or(|element| {
        let is_nowhere = matches!(element.tag_name().as_str(), "BODY" | "HTML");
        is_nowhere || element.closest(".sources").is_ok_and(|it| it.is_some())
    });
    let line = gloo::utils::document().query_selector("[data-field=terminal]");
    let line = line.ok().flatten().filter(|_| is_near);
    let line = line.and_then(|line| line.dyn_into::<HtmlElement>().ok());
    // A folded panel has no place on the page.
    line.filter(|line| line.offset_parent().is_some())
        .is_some_and(|line| line.focus().is_ok())
}

/// Runs a function once an action's changes are drawn.
pub fn when_drawn(act: impl FnOnce() + 'static) {
    Timeout::new(DRAWN_MS, act).forget();
}

/// Runs a function once nothing is pressed: what it draws must not move a button away from under a click.
pub fn when_released<F: FnOnce() + 'static>(act: F) {
    Timeout::new(DRAWN_MS, move || {
        let pressed = gloo::utils::document().query_selector(":active");
        match pressed {
            Ok(Some(_)) => when_released(act),
            Ok(None) | Err(_) => act(),
        }
    })
    .forget();
}

/// Moves the focus to the first element of the first of these selectors that can have it, once the page is drawn, no
/// dialog covers it, and no Pod travels any more; `centered`: scrolls it to the center of the view.
#[inline(never)]
pub fn move_to(places: [String; 2], centered: bool) {
    check_later(places, centered, false, CHECKS);
}

/// `is_moved`: the focus was there already, and moves again only if its element was replaced.
fn check_later(places: [String; 2], centered: bool, is_moved: bool, left: u32) {
    Timeout::new(MOVED_MS, move || {
        let holder = gloo::utils::document().active_element();
        let is_lost = holder.is_none_or(|holder| holder.tag_name().eq_ignore_ascii_case("body"));
        // The place of a moving Pod is empty until it arrives.
        let travels = exists("[data-voyage]");
        let [first, second] = &places;
        let is_moved = if exists(DIALOG) || (is_moved && !is_lost) {
            is_moved
        } else {
            focus_any(first, centered) || (!travels && focus_any(second, centered))
        };
        if let Some(left) = left.checked_sub(u32::from(!travels)) {
            check_later(places, centered, is_moved, left);
        }
    })
    .forget();
}

/// Returns false if none of the elements can have the focus, such as Pods for which the queue has no room.
fn focus_any(selector: &str, centered: bool) -> bool {
    let elements = found(&gloo::utils::document_element(), selector);
    elements
        .into_iter()
        .any(|element| focus_on(element, centered))
}

fn focus_on(element: HtmlElement, centered: bool) -> bool {
    // In the far view nodes are not focusable; their list is.
    let list = element.closest("[role=listbox]").ok().flatten();
    let list = list.and_then(|list| list.dyn_into::<HtmlElement>().ok());
    let is_far = list.is_some();
    let element = list.unwrap_or(element);
    let _ = element.focus();
    let holder = gloo::utils::document().active_element();
    if holder.as_ref() != Some(&*element) {
        return false;
    }
    if centered && !is_far {
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Center);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
    true
}

/// Moves the focus to an element, and opens what hides it.
#[inline(never)]
pub fn reveal(element: &Element) {
    let mut around = element.parent_element();
    while let Some(outer) = around {
        if outer.tag_name().eq_ignore_ascii_case("details") {
            // If a browser cannot open it, it stays closed.
            let _ = outer.set_attribute("open", "");
        }
        around = outer.parent_element();
    }
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
}

/// Moves the focus to the first tab stop of the next or previous visible region, wrapping around. Returns false if
/// there is none, as below a modal dialog.
pub fn to_region(forwards: bool) -> bool {
    if exists(DIALOG) {
        return false;
    }
    let root = gloo::utils::document_element();
    let here = gloo::utils::document().active_element();
    let here = here.as_deref();
    let is_ahead = |region: &HtmlElement| {
        let place = here.map_or(0, |here| here.compare_document_position(region));
        place & Node::DOCUMENT_POSITION_FOLLOWING != 0
    };
    let others = found(&root, REGIONS)
        .into_iter()
        .filter(|region| !region.contains(here));
    let (mut order, before): (Vec<_>, Vec<_>) = others.partition(is_ahead);
    order.extend(before);
    if !forwards {
        order.reverse();
    }
    let goal = order
        .iter()
        .find_map(|region| inside(region).into_iter().next());
    goal.is_some_and(|goal| goal.focus().is_ok())
}

/// The tab stops, in order.
fn inside(place: &Element) -> Vec<HtmlElement> {
    let mut all = found(place, FOCUSABLE);
    all.retain(|element| element.offset_parent().is_some() && element.tab_index() >= 0);
    all
}

/// The elements in a place that match a selector, in order.
pub fn found(place: &Element, what: &str) -> Vec<HtmlElement> {
    let Ok(found) = place.query_selector_all(what) else {
        return Vec::new();
    };
    let all = (0..found.length()).filter_map(|at| found.get(at));
    all.filter_map(|node| node.dyn_into::<HtmlElement>().ok())
        .collect()
}

/// Makes Tab wrap from the last element to the first, and Shift+Tab back.
fn turn_around(place: &Element, event: &KeyboardEvent) {
    let all = inside(place);
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return;
    };
    let here = gloo::utils::document().active_element();
    let is_here = |element: &HtmlElement| here.as_ref() == Some(element.as_ref());
    let target = match event.shift_key() {
        true if is_here(first) => last,
        false if is_here(last) => first,
        _ => return,
    };
    event.prevent_default();
    let _ = target.focus();
}
