//! The projected page in small: pointing at it shows a ring on the projected page.

use std::rc::Rc;

use web_sys::{Element, KeyboardEvent, PointerEvent};
use yew::{
    Callback, Html, NodeRef, Properties, classes, function_component, html, use_node_ref, use_state,
};

use super::super::channel::ToProjector;
use super::super::map::{Kind, Map, Shape};
use crate::words;

/// A step of an arrow key, and one with Shift, in parts of the window.
const STEP: f32 = 0.02;
const LARGE_STEP: f32 = 0.1;

#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    pub map: Rc<Map>,
    pub send: Callback<ToProjector>,
}

#[function_component]
pub fn Pad(props: &Props) -> Html {
    let place = use_node_ref();
    // Where the ring is.
    let point = use_state(|| None::<(f32, f32)>);
    let show = {
        let (point, send) = (point.clone(), props.send.clone());
        move |at: Option<(f32, f32)>| {
            point.set(at);
            send.emit(match at {
                Some((x, y)) => ToProjector::Point { x, y },
                None => ToProjector::HidePoint,
            });
        }
    };
    let onpointermove = {
        let (show, place) = (show.clone(), place.clone());
        Callback::from(move |event: PointerEvent| show(within(&place, &event)))
    };
    let onpointerleave = {
        let show = show.clone();
        Callback::from(move |_: PointerEvent| show(None))
    };
    let onkeydown = {
        let at = *point;
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = moved(&event, at) {
                event.prevent_default();
                show(next);
            }
        })
    };
    let ring = point.map(|(x, y)| {
        let style = format!("left:{:.2}%;top:{:.2}%", x * 100.0, y * 100.0);
        html! { <i class="pad__ring" {style} /> }
    });
    html! {
        <figure class="pad">
            <div
                class="pad__page" data-pad="" tabindex="0" role="application" aria-label={words::NOTES_STAGE} aria-describedby="pad-keys"
                style={format!("aspect-ratio:{:.4}", props.map.aspect)} ref={place} {onpointermove} {onpointerleave} {onkeydown}
            >
                <div class="pad__shapes" aria-hidden="true">{ for props.map.shapes.iter().map(shape) }{ for ring }</div>
            </div>
            <figcaption class="note">{ words::NOTES_STAGE }{ " " }<span id="pad-keys">{ words::NOTES_POINT_KEYS }</span></figcaption>
        </figure>
    }
}

/// The place of a pointer, in parts of the pad.
fn within(place: &NodeRef, event: &PointerEvent) -> Option<(f32, f32)> {
    let place = place.cast::<Element>()?.get_bounding_client_rect();
    let part = |at: i32, from: f64, length: f64| {
        ((f64::from(at) - from) / length.max(1.0)).clamp(0.0, 1.0) as f32
    };
    Some((
        part(event.client_x(), place.left(), place.width()),
        part(event.client_y(), place.top(), place.height()),
    ))
}

/// Where a key moves the ring; `None`: the key is none of the pad's.
fn moved(event: &KeyboardEvent, at: Option<(f32, f32)>) -> Option<Option<(f32, f32)>> {
    let step = if event.shift_key() { LARGE_STEP } else { STEP };
    let (dx, dy) = match event.key().as_str() {
        "ArrowLeft" => (-step, 0.0),
        "ArrowRight" => (step, 0.0),
        "ArrowUp" => (0.0, -step),
        "ArrowDown" => (0.0, step),
        "Escape" => return Some(None),
        _ => return None,
    };
    let (x, y) = at.unwrap_or((0.5, 0.5));
    let inside = |value: f32| value.clamp(0.0, 1.0);
    Some(Some((inside(x + dx), inside(y + dy))))
}

fn shape(shape: &Shape) -> Html {
    let percent = |part: f32| part * 100.0;
    let style = format!(
        "left:{:.2}%;top:{:.2}%;width:{:.2}%;height:{:.2}%",
        percent(shape.x),
        percent(shape.y),
        percent(shape.width),
        percent(shape.height)
    );
    let class = match shape.kind {
        Kind::Panel => "pad__panel",
        Kind::Zone => "pad__zone",
        Kind::Node => "pad__node",
        Kind::Pod => "pad__pod pod",
        Kind::Line => "pad__line",
        Kind::Picture => {
            return html! { <img class="pad__shape" alt="" src={shape.text.clone()} {style} /> };
        }
    };
    let text = match shape.kind {
        // A panel's name would be below what is in it.
        Kind::Panel | Kind::Pod | Kind::Picture => "",
        Kind::Zone | Kind::Node | Kind::Line => &shape.text,
    };
    html! { <div class={classes!("pad__shape", class, shape.class.clone())} {style}>{ text }</div> }
}
