//! The far view: a canvas with a cell per node. Panning and zooming only repaint; DOM elements change after an update,
//! or when the pointer enters another node.

mod card;
mod gestures;
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

use gestures::Pointer;

use super::Fleet;
use super::paint::{Heading, Palette, Picture, paint};
use crate::scene;
use crate::scene::camera::Camera;
use crate::scene::chart::Chart;
use crate::scene::marks::Outcome;
use crate::scene::{NodeGroup, marks, node_groups, outcomes};
use crate::ui::features::stage::StageAction;
use crate::ui::store::Action;
use crate::ui::store::progress::Revealed;
use berth_protocol::frame::NodeFrame;
use berth_protocol::page::Explained;

/// The last explanation. Compared by pointer: every update allocates a new `Rc`.
#[derive(Clone)]
pub(super) struct Attempt(pub Option<Rc<Explained>>);

impl PartialEq for Attempt {
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
    pub explained: Attempt,
    pub revealed: Revealed,
    pub zoom: Option<u32>,
    pub lit: BTreeSet<String>,
    pub selected: BTreeSet<String>,
    pub open: Option<String>,
    /// The node with the keyboard focus, as far as the store knows.
    pub focus: Option<String>,
    pub act: Callback<Action>,
}

/// An event on the canvas.
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

/// The far view.
pub(super) struct Far {
    body: NodeRef,
    canvas: NodeRef,
    probe: NodeRef,
    palette: Palette,
    /// The canvas's width and height, in CSS pixels.
    size: (f64, f64),
    groups: Vec<NodeGroup>,
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
    /// The node with the keyboard cursor.
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
            groups: Vec::new(),
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
        if props.lit != old.lit {
            self.show_any(&self.lit.clone());
        }
        if props.focus != old.focus {
            self.follow_focus(props);
        }
        self.ask_for_frame(ctx);
        true
    }

    fn update(&mut self, ctx: &Context<Self>, event: Event) -> bool {
        match event {
            Event::Paint => {
                self.frame = None;
                self.paint(&ctx.props().fleet.0);
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
                ctx.props()
                    .act
                    .emit(Action::Stage(StageAction::Zoom(self.percent())));
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
                if let Some(cell) = self.chart.cell(self.cursor).filter(|_| is_focused) {
                    // Browsers also scroll a focused element into view.
                    self.camera.show(&cell);
                }
                let node = ctx.props().fleet.0.get(self.cursor);
                if let Some(node) = node.filter(|_| !is_focused) {
                    // While the cursor moves, the store is not updated.
                    ctx.props()
                        .act
                        .emit(Action::Stage(StageAction::Focus(node.name.clone())));
                }
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

    /// The zoom reported to the store, in percent.
    fn percent(&self) -> u32 {
        scene::percent(self.chart.pitch * self.camera.scale)
    }

    /// Applies the chosen zoom, or shows all nodes; ignored during a gesture.
    fn follow_zoom(&mut self, zoom: Option<u32>) {
        match zoom {
            _ if self.rest.is_some() => {}
            None => self.camera.zoom_to(1.0),
            Some(zoom) if zoom == self.percent() => {}
            Some(zoom) => {
                let scale = scene::pitch(zoom) / self.chart.pitch.max(1.0);
                let anchor = self.anchor().and_then(|node| self.chart.cell(node));
                match anchor {
                    Some(cell) => self.camera.zoom_around(&cell, scale),
                    None => self.camera.zoom_to(scale),
                }
            }
        }
    }

    /// The node that a zoom keeps in view: the selected one, else the attempt's.
    fn anchor(&self) -> Option<usize> {
        let mut outcomes = self.outcomes.iter();
        let chosen = outcomes.position(|outcome| *outcome == Outcome::Chosen);
        self.selected.first().copied().or(chosen)
    }

    /// Moves the first of some nodes into view, unless one of them is.
    fn show_any(&mut self, nodes: &[usize]) {
        let part = self.camera.part();
        let mut cells = nodes.iter().filter_map(|node| self.chart.cell(*node));
        if cells.clone().any(|cell| cell.meets(&part)) {
            return;
        }
        if let Some(cell) = cells.next() {
            self.camera.center(&cell);
        }
    }

    /// Moves the cursor to the node that the store focused.
    fn follow_focus(&mut self, props: &Props) {
        let mut nodes = props.fleet.0.iter();
        let focus = props.focus.as_ref();
        let node = focus.and_then(|focus| nodes.position(|node| node.name == *focus));
        if let Some(node) = node.filter(|node| *node != self.cursor) {
            self.cursor = node;
            if let Some(cell) = self.chart.cell(node) {
                self.camera.center(&cell);
            }
        }
    }

    /// Measures the canvas, which forces a layout of the page.
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
        let pixels = |length: f64| (length * self.ratio).round() as u32;
        canvas.set_width(pixels(width));
        canvas.set_height(pixels(height));
    }

    /// Recomputes the place of every node.
    fn lay_out(&mut self, ctx: &Context<Self>) {
        let (width, height) = self.size;
        if width < 1.0 {
            return;
        }
        let props = ctx.props();
        let nodes = &props.fleet.0;
        self.groups = node_groups(nodes, &props.group_by);
        self.chart = Chart::new(&self.groups, width, height);
        self.hover = None;
        self.cursor = self.cursor.min(nodes.len().saturating_sub(1));
        let before = self.camera;
        self.camera = Camera {
            width,
            height,
            chart: (self.chart.width, self.chart.height),
            most: scene::pitch(scene::CLOSEST_CELLS) / self.chart.pitch.max(1.0),
            ..before
        };
        self.camera.pan(0.0, 0.0);
        self.follow_zoom(props.zoom);
        let fits = scene::percent(self.chart.pitch);
        if self.fits != Some(fits) {
            self.fits = Some(fits);
            props.act.emit(Action::Stage(StageAction::Fits(fits)));
        }
    }

    /// Updates depths, outcomes and selections from the props.
    fn mark(&mut self, props: &Props) {
        let nodes = &props.fleet.0;
        let depth = |node: &Rc<_>| u8::try_from(marks::fill_step(marks::fullness(node)));
        self.depths = nodes.iter().map(|node| depth(node).unwrap_or(0)).collect();
        self.outcomes = outcomes::outcomes(
            props.explained.0.as_deref(),
            &props.revealed,
            nodes.len(),
            |name| nodes.iter().position(|node| node.name == name),
        );
        self.lit = marks::positions(&props.lit, nodes);
        self.selected = marks::positions(&props.selected, nodes);
        if let Some(open) = &props.open {
            let open = nodes.iter().position(|node| node.name == *open);
            self.selected.extend(open);
        }
        self.headings = self
            .groups
            .iter()
            .map(|group| {
                let sums = marks::sums(group, nodes, &self.outcomes);
                Heading::new(
                    group.value.as_deref(),
                    &props.group_by,
                    group.nodes.len(),
                    &sums,
                )
            })
            .collect();
    }

    fn paint(&self, nodes: &[Rc<NodeFrame>]) -> Option<()> {
        let canvas = self.canvas.cast::<HtmlCanvasElement>()?;
        let context = canvas.get_context("2d").ok()??;
        let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
        let at_cursor = Some(self.cursor).filter(|_| self.is_focused);
        let picture = Picture {
            chart: &self.chart,
            nodes,
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
}
