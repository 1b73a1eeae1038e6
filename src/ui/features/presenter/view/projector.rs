//! The projected page's part: the next-step key, the ring, and the messages to the notes.

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent};
use yew::{Callback, Component, Context, Html, NodeRef, Properties, html};

use super::channel::{Channel, ToNotes, ToProjector};
use super::map::{self, Map};
use super::{channel_name, step_action};
use crate::ui::features::presenter::{Notes, PresenterAction};
use crate::ui::parts::focus;
use crate::ui::store::Action;
use crate::ui::styles;

/// Milliseconds without a move after which the ring disappears.
const IDLE_MS: u32 = 2500;
/// Milliseconds after a change until the page is measured, and measured again when all moves have ended.
const DRAWN_MS: u32 = 120;
const STILL_MS: u32 = 800;
/// Elements that have a use of their own for the arrow keys.
const ARROWS: &str = "[role=tree], [role=grid], [role=slider], [role=radiogroup], [role=tablist], \
                      [role=listbox], [role=separator], .matrix, .stage__body";

#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    pub act: Callback<Action>,
    /// `None`: no window has asked for them.
    pub notes: Option<Rc<Notes>>,
    /// The arrow keys play a lesson.
    pub has_lesson: bool,
}

pub enum Message {
    Heard(Option<ToProjector>),
    /// The key for the ring is pressed or released.
    Hold(bool),
    Moved {
        x: f64,
        y: f64,
    },
    /// The pointer has not moved for a while.
    Idle,
    Measure {
        again: bool,
    },
}

pub struct Projector {
    channel: Option<Channel>,
    ring: NodeRef,
    has_lesson: Rc<Cell<bool>>,
    holds: bool,
    idle: Option<Timeout>,
    measuring: Option<Timeout>,
    map: Map,
    _listeners: Vec<EventListener>,
}

impl Component for Projector {
    type Message = Message;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        styles::load(styles::PRESENTER);
        let heard = ctx.link().callback(Message::Heard);
        let has_lesson = Rc::new(Cell::new(ctx.props().has_lesson));
        Self {
            channel: Channel::open(&channel_name(), move |message| heard.emit(message)),
            ring: NodeRef::default(),
            holds: false,
            idle: None,
            measuring: None,
            map: Map::default(),
            _listeners: listeners(ctx, &has_lesson),
            has_lesson,
        }
    }

    fn changed(&mut self, ctx: &Context<Self>, before: &Props) -> bool {
        let props = ctx.props();
        self.has_lesson.set(props.has_lesson);
        if props.notes != before.notes {
            self.send_notes(ctx);
            self.measure_later(ctx, DRAWN_MS, true);
        }
        false
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        match message {
            // Of another version: that window reports it itself.
            Message::Heard(None) => {}
            Message::Heard(Some(message)) => self.heard(ctx, message),
            Message::Hold(holds) => self.holds = holds,
            Message::Moved { x, y } if self.holds => self.point(ctx, x, y),
            Message::Moved { .. } => {}
            Message::Idle => self.show_ring(false),
            Message::Measure { again } => {
                self.send_map();
                if again {
                    self.measure_later(ctx, STILL_MS, false);
                }
            }
        }
        false
    }

    fn view(&self, _: &Context<Self>) -> Html {
        html! { <i class="ring" ref={self.ring.clone()} hidden=true aria-hidden="true" data-ring="" /> }
    }

    fn destroy(&mut self, _: &Context<Self>) {
        self.send(&ToNotes::Gone);
    }
}

impl Projector {
    fn heard(&mut self, ctx: &Context<Self>, message: ToProjector) {
        let act = &ctx.props().act;
        match message {
            ToProjector::Hello { .. } if ctx.props().notes.is_none() => {
                act.emit(Action::Presenter(PresenterAction::Connected));
            }
            ToProjector::Hello { knows: true } => self.send(&ToNotes::Here),
            ToProjector::Hello { knows: false } => {
                self.send_notes(ctx);
                self.map = Map::default();
                self.measure_later(ctx, DRAWN_MS, true);
            }
            ToProjector::Step { forwards } => act.emit(step_action(forwards)),
            ToProjector::Point { x, y } => {
                let (width, height) = map::window_size();
                self.point(ctx, f64::from(x) * width, f64::from(y) * height);
            }
            ToProjector::HidePoint => self.show_ring(false),
        }
    }

    fn send(&self, message: &ToNotes) {
        if let Some(channel) = &self.channel {
            channel.send(message);
        }
    }

    fn send_notes(&self, ctx: &Context<Self>) {
        if let Some(notes) = &ctx.props().notes {
            self.send(&ToNotes::Notes(Box::new(Notes::clone(notes))));
        }
    }

    fn send_map(&mut self) {
        let map = map::measure();
        if map != self.map {
            self.send(&ToNotes::Map(map.clone()));
            self.map = map;
        }
    }

    fn measure_later(&mut self, ctx: &Context<Self>, ms: u32, again: bool) {
        if ctx.props().notes.is_none() {
            return;
        }
        let link = ctx.link().clone();
        let measure = move || link.send_message(Message::Measure { again });
        self.measuring = Some(Timeout::new(ms, measure));
    }

    /// Shows the ring at a place of the window until the pointer rests.
    fn point(&mut self, ctx: &Context<Self>, x: f64, y: f64) {
        if let Some(ring) = self.ring.cast::<HtmlElement>() {
            let _ = ring
                .style()
                .set_property("translate", &format!("{x:.1}px {y:.1}px"));
        }
        self.show_ring(true);
        let link = ctx.link().clone();
        self.idle = Some(Timeout::new(IDLE_MS, move || {
            link.send_message(Message::Idle);
        }));
    }

    fn show_ring(&self, shows: bool) {
        if let Some(ring) = self.ring.cast::<HtmlElement>() {
            ring.set_hidden(!shows);
        }
    }
}

/// What a key of the projected page does.
enum Pressed {
    Step {
        forwards: bool,
    },
    Notes,
    /// The key that shows the ring while it is held.
    Ring,
}

/// What a key means here; `None`: not a key of the presenter. Clickers send PageDown and PageUp.
fn pressed(event: &KeyboardEvent, has_lesson: bool) -> Option<Pressed> {
    if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return None;
    }
    let target = event.target()?.dyn_into::<Element>().ok();
    let is_in = |what: &str| {
        let target = target.as_ref();
        target.is_some_and(|target| matches!(target.closest(what), Ok(Some(_))))
    };
    if focus::writes(target.as_ref()) || is_in("[role=dialog]") {
        return None;
    }
    let arrows = has_lesson && !is_in(ARROWS);
    match event.key().as_str() {
        "PageDown" => Some(Pressed::Step { forwards: true }),
        "PageUp" => Some(Pressed::Step { forwards: false }),
        "ArrowRight" if arrows => Some(Pressed::Step { forwards: true }),
        "ArrowLeft" if arrows => Some(Pressed::Step { forwards: false }),
        "n" => Some(Pressed::Notes),
        "l" => Some(Pressed::Ring),
        _ => None,
    }
}

fn listeners(ctx: &Context<Projector>, has_lesson: &Rc<Cell<bool>>) -> Vec<EventListener> {
    let document = gloo::utils::document();
    let capture = EventListenerOptions {
        passive: false,
        ..EventListenerOptions::run_in_capture_phase()
    };
    let (act, has_lesson) = (ctx.props().act.clone(), Rc::clone(has_lesson));
    let hold = ctx.link().callback(Message::Hold);
    let release = hold.clone();
    let moves = ctx.link().callback(|(x, y)| Message::Moved { x, y });
    let changes = ctx.link().callback(|()| Message::Measure { again: true });
    let resizes = changes.clone();
    let keys = EventListener::new_with_options(&document, "keydown", capture, move |event| {
        let event = event.dyn_ref::<KeyboardEvent>();
        match event.and_then(|event| pressed(event, has_lesson.get())) {
            Some(Pressed::Step { forwards }) => {
                if let Some(event) = event {
                    // Neither the run nor a scrolled panel may handle it, too.
                    event.prevent_default();
                    event.stop_propagation();
                }
                act.emit(step_action(forwards));
            }
            Some(Pressed::Notes) => act.emit(Action::Presenter(PresenterAction::Notes)),
            Some(Pressed::Ring) => hold.emit(true),
            None => {}
        }
    });
    vec![
        keys,
        EventListener::new(&document, "keyup", move |_| release.emit(false)),
        EventListener::new(&document, "pointermove", move |event| {
            if let Some(event) = event.dyn_ref::<PointerEvent>() {
                moves.emit((event.client_x().into(), event.client_y().into()));
            }
        }),
        EventListener::new(&gloo::utils::window(), "resize", move |_| resizes.emit(())),
        EventListener::new_with_options(
            &document,
            "scroll",
            EventListenerOptions::run_in_capture_phase(),
            move |_| changes.emit(()),
        ),
    ]
}
