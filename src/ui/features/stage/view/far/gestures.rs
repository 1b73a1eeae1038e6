//! Handles wheel, touch, mouse and keys on the canvas.

use gloo::timers::callback::Timeout;
use web_sys::{HtmlCanvasElement, KeyboardEvent, PointerEvent, WheelEvent};
use yew::Context;

use super::{Event, Far, card};
use crate::ui::features::stage::view::keys::direction;
use crate::ui::features::stage::{OpenCard, StageAction};
use crate::ui::store::Action;

/// Pause in milliseconds after which the store gets the zoom.
const REST_MS: u32 = 150;
/// Maximum movement of a click, in CSS pixels; farther is a drag.
const CLICK: f64 = 4.0;
/// Distance by which Shift with an arrow key pans the chart, in CSS pixels.
const PAN: f64 = 60.0;

/// A pressed finger or mouse button.
pub(super) struct Pointer {
    id: i32,
    x: f64,
    y: f64,
    /// Distance moved since it was pressed.
    moved: f64,
}

impl Far {
    fn report_zoom_later(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        self.rest = Some(Timeout::new(REST_MS, move || {
            link.send_message(Event::Rest)
        }));
    }

    pub(super) fn wheel(&mut self, ctx: &Context<Self>, event: &WheelEvent) {
        let before = self.camera;
        // Wheel events count in pixels, lines or pages.
        let unit = match event.delta_mode() {
            0 => 1.0,
            1 => 16.0,
            _ => 400.0,
        };
        if event.ctrl_key() || event.meta_key() {
            let factor = (-event.delta_y() * unit / 200.0).clamp(-1.0, 1.0).exp();
            self.zoom(
                ctx,
                f64::from(event.offset_x()),
                f64::from(event.offset_y()),
                factor,
            );
        } else if event.shift_key() {
            self.camera.pan(-event.delta_y() * unit, 0.0);
        } else {
            self.camera
                .pan(-event.delta_x() * unit, -event.delta_y() * unit);
        }
        // At the chart's edge the page may scroll.
        if event.ctrl_key() || event.meta_key() || self.camera != before {
            event.prevent_default();
        }
        self.hover = None;
    }

    fn zoom(&mut self, ctx: &Context<Self>, x: f64, y: f64, factor: f64) {
        self.camera.zoom_at(x, y, factor);
        self.report_zoom_later(ctx);
    }

    pub(super) fn press(&mut self, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        if let Some(canvas) = self.canvas.cast::<HtmlCanvasElement>() {
            let _ = canvas.set_pointer_capture(event.pointer_id());
        }
        self.pointers.push(Pointer {
            id: event.pointer_id(),
            x: f64::from(event.offset_x()),
            y: f64::from(event.offset_y()),
            moved: 0.0,
        });
    }

    /// Returns whether the elements change, which is only when the pointer enters another node.
    pub(super) fn move_to(&mut self, ctx: &Context<Self>, event: &PointerEvent) -> bool {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let spread = self.spread();
        let count = self.pointers.len();
        let mut pointers = self.pointers.iter_mut();
        if let Some(pointer) = pointers.find(|pointer| pointer.id == event.pointer_id()) {
            let (dx, dy) = (x - pointer.x, y - pointer.y);
            (pointer.x, pointer.y) = (x, y);
            pointer.moved += dx.abs() + dy.abs();
            let is_drag = pointer.moved > CLICK;
            if let (2, Some((before, _))) = (count, spread)
                && let Some((after, (x, y))) = self.spread()
            {
                self.zoom(ctx, x, y, after / before.max(1.0));
            } else if is_drag {
                self.camera.pan(dx, dy);
            }
            self.ask_for_frame(ctx);
            return is_drag && self.hover.take().is_some();
        }
        let (chart_x, chart_y) = self.camera.to_chart(x, y);
        let hover = self.chart.at_point(chart_x, chart_y);
        if hover == self.hover {
            return false;
        }
        self.hover = hover;
        self.ask_for_frame(ctx);
        true
    }

    /// The distance of two fingers, and the point between them.
    fn spread(&self) -> Option<(f64, (f64, f64))> {
        let [one, two] = &self.pointers[..] else {
            return None;
        };
        let apart = (one.x - two.x).hypot(one.y - two.y);
        Some((apart, ((one.x + two.x) / 2.0, (one.y + two.y) / 2.0)))
    }

    pub(super) fn lift(&mut self, ctx: &Context<Self>, event: &PointerEvent) {
        let mut pointers = self.pointers.iter();
        let Some(index) = pointers.position(|pointer| pointer.id == event.pointer_id()) else {
            return;
        };
        let pointer = self.pointers.remove(index);
        if pointer.moved > CLICK || event.type_() == "pointercancel" {
            return;
        }
        let (x, y) = self.camera.to_chart(pointer.x, pointer.y);
        match self.chart.at_point(x, y) {
            Some(node) => {
                self.cursor = node;
                self.hover = None;
                self.open(ctx, node);
            }
            None => ctx
                .props()
                .act
                .emit(Action::Stage(StageAction::OpenCard(None))),
        }
    }

    fn open(&self, ctx: &Context<Self>, node: usize) {
        let props = ctx.props();
        let name = props.fleet.0.get(node).map(|node| node.name.clone());
        if let (Some(node), Some((left, top))) = (name, self.beside(node, card::OPEN)) {
            props
                .act
                .emit(Action::Stage(StageAction::OpenCard(Some(OpenCard {
                    node,
                    left,
                    top,
                }))));
        }
    }

    /// Returns whether the elements change.
    pub(super) fn key(&mut self, ctx: &Context<Self>, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let middle = (self.camera.width / 2.0, self.camera.height / 2.0);
        match event.key().as_str() {
            "+" | "=" => self.zoom(ctx, middle.0, middle.1, 1.25),
            "-" => self.zoom(ctx, middle.0, middle.1, 0.8),
            "Enter" => self.open(ctx, self.cursor),
            "Escape" => ctx
                .props()
                .act
                .emit(Action::Stage(StageAction::OpenCard(None))),
            key => {
                let Some((dx, dy)) = direction(key) else {
                    return false;
                };
                if event.shift_key() {
                    self.camera.pan(-dx * PAN, -dy * PAN);
                } else if let Some(next) = self.chart.neighbor(self.cursor, dx, dy) {
                    self.cursor = next;
                    if let Some(cell) = self.chart.cell(next) {
                        self.camera.show(&cell);
                    }
                }
            }
        }
        event.prevent_default();
        event.stop_propagation();
        self.hover = None;
        self.ask_for_frame(ctx);
        true
    }
}
