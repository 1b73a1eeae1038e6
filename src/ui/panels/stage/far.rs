//! The far view: a canvas with a cell for every node. Moving and zooming only paint anew; the
//! page's elements change when something is told, or the pointer comes to another node.

mod card;
mod theme;

use std::collections::BTreeSet;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{
    CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, KeyboardEvent, PointerEvent,
    WheelEvent,
};
use yew::{Callback, Component, Context, Html, NodeRef, Properties, html};

use super::Fleet;
use super::keys::direction;
use super::paint::{Heading, Palette, Picture, paint};
use crate::protocol::page::Explained;
use crate::ui::scene::camera::Camera;
use crate::ui::scene::chart::Chart;
use crate::ui::scene::marks::{self, Outcome};
use crate::ui::scene::{self, Basin, basins};
use crate::ui::store::progress::{Point, Revealed};
use crate::ui::store::{Action, OpenCard};

/// The largest cell, in CSS pixels from one to the next.
const LARGEST: f64 = 110.0;
/// The zoom is told when it rests for so long.
const REST_MS: u32 = 150;
/// A press that moves farther than this is a drag, in CSS pixels.
const CLICK: f64 = 4.0;
/// How far Shift with an arrow moves the chart, in CSS pixels.
const PAN: f64 = 60.0;

/// What was told last of an attempt; the same only if it is the very same.
#[derive(Clone)]
pub(super) struct Told(pub Option<Rc<Explained>>);

impl PartialEq for Told {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Rc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub fleet: Fleet,
    /// Changes with the nodes' names and labels.
    pub labels_version: u32,
    pub group_by: String,
    pub explained: Told,
    pub revealed: Revealed,
    pub zoom: Option<u32>,
    pub lit: BTreeSet<String>,
    pub selected: BTreeSet<String>,
    pub open: Option<String>,
    pub act: Callback<Action>,
}

/// Something that happened on the canvas.
pub(super) enum Event {
    Resized,
    Themed,
    Paint,
    Wheel(WheelEvent),
    Down(PointerEvent),
    Move(PointerEvent),
    Up(PointerEvent),
    Leave,
    Key(KeyboardEvent),
    Focus(bool),
    Rest,
}

/// A finger or the mouse, pressed.
struct Pointer {
    id: i32,
    x: f64,
    y: f64,
    /// How far it has moved since it was pressed.
    moved: f64,
}

/// The far view.
pub(super) struct Far {
    body: NodeRef,
    canvas: NodeRef,
    probe: NodeRef,
    palette: Palette,
    /// The canvas' width and height, in CSS pixels.
    size: (f64, f64),
    basins: Vec<Basin>,
    chart: Chart,
    headings: Vec<Heading>,
    depths: Vec<u8>,
    outcomes: Vec<Outcome>,
    lit: Vec<usize>,
    selected: Vec<usize>,
    camera: Camera,
    ratio: f64,
    /// The node below the pointer.
    hover: Option<usize>,
    /// The node that the keyboard is at.
    cursor: usize,
    is_focused: bool,
    pointers: Vec<Pointer>,
    fits: Option<u32>,
    frame: Option<AnimationFrame>,
    rest: Option<Timeout>,
    watch: Option<theme::Watch>,
}

impl Component for Far {
    type Message = Event;
    type Properties = Props;

    fn create(_: &Context<Self>) -> Self {
        Self {
            body: NodeRef::default(),
            canvas: NodeRef::default(),
            probe: NodeRef::default(),
            palette: Palette::default(),
            size: (0.0, 0.0),
            basins: Vec::new(),
            chart: Chart::default(),
            headings: Vec::new(),
            depths: Vec::new(),
            outcomes: Vec::new(),
            lit: Vec::new(),
            selected: Vec::new(),
            camera: Camera::default(),
            ratio: 1.0,
            hover: None,
            cursor: 0,
            is_focused: false,
            pointers: Vec::new(),
            fits: None,
            frame: None,
            rest: None,
            watch: None,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Props) -> bool {
        let props = ctx.props();
        if props.labels_version != old.labels_version || props.group_by != old.group_by {
            self.lay_out(ctx);
        }
        self.mark(props);
        self.follow_zoom(props.zoom);
        self.ask_for_frame(ctx);
        true
    }

    fn update(&mut self, ctx: &Context<Self>, event: Event) -> bool {
        match event {
            Event::Paint => {
                self.frame = None;
                self.paint();
                return false;
            }
            Event::Resized => {
                self.measure();
                self.lay_out(ctx);
                self.mark(ctx.props());
                self.ask_for_frame(ctx);
                return true;
            }
            Event::Themed => {
                let probe = self.probe.cast::<HtmlElement>();
                if let Some(palette) = probe.as_ref().and_then(Palette::read) {
                    self.palette = palette;
                }
            }
            Event::Rest => {
                self.rest = None;
                ctx.props().act.emit(Action::Zoom(self.percent()));
                return false;
            }
            Event::Wheel(event) => self.wheel(ctx, &event),
            Event::Down(event) => self.press(&event),
            Event::Move(event) => return self.move_to(ctx, &event),
            Event::Up(event) => self.lift(ctx, &event),
            Event::Leave => {
                self.ask_for_frame(ctx);
                return self.hover.take().is_some();
            }
            Event::Key(event) => return self.key(ctx, &event),
            Event::Focus(is_focused) => {
                self.is_focused = is_focused;
                self.ask_for_frame(ctx);
                return true;
            }
        }
        self.ask_for_frame(ctx);
        false
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        html! {
            <div class="far__body" ref={self.body.clone()}>
                <canvas
                    class="far__canvas"
                    aria-hidden="true"
                    ref={self.canvas.clone()}
                    onwheel={link.callback(Event::Wheel)}
                    onpointerdown={link.callback(Event::Down)}
                    onpointermove={link.callback(Event::Move)}
                    onpointerup={link.callback(Event::Up)}
                    onpointercancel={link.callback(Event::Up)}
                    onpointerleave={link.callback(|_| Event::Leave)}
                />
                <span class="far__probe" aria-hidden="true" ref={self.probe.clone()} />
                { self.list(ctx) }
                { self.hover_card(ctx.props()) }
            </div>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, is_first: bool) {
        if !is_first {
            return;
        }
        if let Some(body) = self.body.cast() {
            let link = ctx.link();
            let themed = link.callback(|()| Event::Themed);
            self.watch = theme::Watch::new(&body, link.callback(|()| Event::Resized), themed);
        }
        ctx.link().send_message(Event::Themed);
        ctx.link().send_message(Event::Resized);
    }
}

impl Far {
    fn ask_for_frame(&mut self, ctx: &Context<Self>) {
        if self.frame.is_none() {
            let link = ctx.link().clone();
            self.frame = Some(request_animation_frame(move |_| {
                link.send_message(Event::Paint)
            }));
        }
    }

    /// The zoom as it is told, in percent.
    fn percent(&self) -> u32 {
        scene::percent(self.chart.pitch * self.camera.scale)
    }

    /// Draws at the chosen zoom, or all nodes; not while a gesture decides.
    fn follow_zoom(&mut self, zoom: Option<u32>) {
        match zoom {
            _ if self.rest.is_some() => {}
            None => self.camera.zoom_to(1.0),
            Some(zoom) if zoom == self.percent() => {}
            Some(zoom) => {
                let scale = scene::pitch(zoom) / self.chart.pitch.max(1.0);
                self.camera.zoom_to(scale);
            }
        }
    }

    /// Asks how large the canvas is. The browser has to lay out the page for it.
    fn measure(&mut self) {
        let Some(canvas) = self.canvas.cast::<HtmlCanvasElement>() else {
            return;
        };
        let (width, height) = (
            f64::from(canvas.client_width()),
            f64::from(canvas.client_height()),
        );
        if width < 1.0 || height < 1.0 {
            return;
        }
        self.size = (width, height);
        self.ratio = gloo::utils::window().device_pixel_ratio();
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a screen's pixels"
        )]
        let pixels = |length: f64| (length * self.ratio).round() as u32;
        canvas.set_width(pixels(width));
        canvas.set_height(pixels(height));
    }

    /// Places every node anew.
    fn lay_out(&mut self, ctx: &Context<Self>) {
        let (width, height) = self.size;
        if width < 1.0 {
            return;
        }
        let props = ctx.props();
        let nodes = &props.fleet.0;
        self.basins = basins(nodes, &props.group_by);
        self.chart = Chart::new(&self.basins, width, height);
        self.hover = None;
        self.cursor = self.cursor.min(nodes.len().saturating_sub(1));
        let before = self.camera;
        self.camera = Camera {
            width,
            height,
            chart: (self.chart.width, self.chart.height),
            most: LARGEST / self.chart.pitch.max(1.0),
            ..before
        };
        self.camera.pan(0.0, 0.0);
        self.follow_zoom(props.zoom);
        let fits = scene::percent(self.chart.pitch);
        if self.fits != Some(fits) {
            self.fits = Some(fits);
            props.act.emit(Action::Fits(fits));
        }
    }

    /// Takes over what is told of the nodes.
    fn mark(&mut self, props: &Props) {
        let nodes = &props.fleet.0;
        let depth = |node: &Rc<_>| u8::try_from(marks::sounding(marks::fullness(node)));
        self.depths = nodes.iter().map(|node| depth(node).unwrap_or(0)).collect();
        self.outcomes = outcomes(props);
        self.lit = marks::positions(&props.lit, nodes);
        self.selected = marks::positions(&props.selected, nodes);
        if let Some(open) = &props.open {
            let open = nodes.iter().position(|node| node.name == *open);
            self.selected.extend(open);
        }
        self.headings = self
            .basins
            .iter()
            .map(|basin| {
                let sums = marks::sums(basin, nodes, &self.outcomes);
                Heading::new(
                    basin.value.as_deref(),
                    &props.group_by,
                    basin.nodes.len(),
                    &sums,
                )
            })
            .collect();
    }

    fn paint(&self) -> Option<()> {
        let canvas = self.canvas.cast::<HtmlCanvasElement>()?;
        let context = canvas.get_context("2d").ok()??;
        let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
        let at_cursor = Some(self.cursor).filter(|_| self.is_focused);
        let picture = Picture {
            chart: &self.chart,
            headings: &self.headings,
            depths: &self.depths,
            outcomes: &self.outcomes,
            lit: &self.lit,
            selected: &self.selected,
            hovered: self.hover.or(at_cursor),
            camera: &self.camera,
        };
        paint(&context, &self.palette, &picture, self.ratio);
        Some(())
    }

    fn tell_zoom_later(&mut self, ctx: &Context<Self>) {
        let link = ctx.link().clone();
        self.rest = Some(Timeout::new(REST_MS, move || {
            link.send_message(Event::Rest)
        }));
    }

    fn wheel(&mut self, ctx: &Context<Self>, event: &WheelEvent) {
        let before = self.camera;
        // Wheels count in pixels, lines or pages.
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
        // At the chart's end the page may scroll on.
        if event.ctrl_key() || event.meta_key() || self.camera != before {
            event.prevent_default();
        }
        self.hover = None;
    }

    fn zoom(&mut self, ctx: &Context<Self>, x: f64, y: f64, factor: f64) {
        self.camera.zoom_at(x, y, factor);
        self.tell_zoom_later(ctx);
    }

    fn press(&mut self, event: &PointerEvent) {
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

    /// Whether the elements change: only when the pointer comes to another node.
    fn move_to(&mut self, ctx: &Context<Self>, event: &PointerEvent) -> bool {
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

    /// How far two fingers are apart, and the point between them.
    fn spread(&self) -> Option<(f64, (f64, f64))> {
        let [one, two] = &self.pointers[..] else {
            return None;
        };
        let apart = (one.x - two.x).hypot(one.y - two.y);
        Some((apart, ((one.x + two.x) / 2.0, (one.y + two.y) / 2.0)))
    }

    fn lift(&mut self, ctx: &Context<Self>, event: &PointerEvent) {
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
            None => ctx.props().act.emit(Action::OpenCard(None)),
        }
    }

    fn open(&self, ctx: &Context<Self>, node: usize) {
        let props = ctx.props();
        let name = props.fleet.0.get(node).map(|node| node.name.clone());
        if let (Some(node), Some((left, top))) = (name, self.beside(node, card::OPEN)) {
            props
                .act
                .emit(Action::OpenCard(Some(OpenCard { node, left, top })));
        }
    }

    /// Whether the elements change.
    fn key(&mut self, ctx: &Context<Self>, event: &KeyboardEvent) -> bool {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return false;
        }
        let middle = (self.camera.width / 2.0, self.camera.height / 2.0);
        match event.key().as_str() {
            "+" | "=" => self.zoom(ctx, middle.0, middle.1, 1.25),
            "-" => self.zoom(ctx, middle.0, middle.1, 0.8),
            "Enter" => self.open(ctx, self.cursor),
            "Escape" => ctx.props().act.emit(Action::OpenCard(None)),
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

/// What became of every node, as far as the attempt's steps have come.
fn outcomes(props: &Props) -> Vec<Outcome> {
    let nodes = &props.fleet.0;
    let told = props.explained.0.as_ref();
    // Which plugin rejected is told only of some nodes: marks appear when all plugins have run.
    let is_filtered = props.revealed.reached(Point::PostFilter);
    let Some((told, cycle)) = told
        .filter(|_| is_filtered)
        .and_then(|told| Some((told, told.result.as_ref().ok()?)))
    else {
        return vec![Outcome::Unknown; nodes.len()];
    };
    let chosen = cycle
        .selected
        .as_ref()
        .filter(|_| props.revealed.reached(Point::Select));
    let chosen = chosen.and_then(|name| nodes.iter().position(|node| node.name == *name));
    marks::outcomes(&told.rows.verdicts, chosen, nodes.len())
}
