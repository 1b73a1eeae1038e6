//! The trainer's window: notes on the moment that is projected, the keys for the next step, and the page in small, to
//! point at. It has no session and stores nothing.

mod pad;
mod text;

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Interval;
use js_sys::Date;
use wasm_bindgen_futures::spawn_local;
use web_sys::KeyboardEvent;
use web_sys::wasm_bindgen::JsCast;
use yew::{Component, Context, Html, MouseEvent, Properties, html};

use self::pad::Pad;
use super::channel::{Channel, ToNotes, ToProjector};
use super::map::Map;
use crate::ui::address::Address;
use crate::ui::features::presenter::{Notes, Upcoming};
use crate::ui::panels::topbar;
use crate::ui::parts::focus;
use crate::ui::parts::icon::icon;
use crate::ui::store::Layout;
use crate::ui::{languages, lazy_module, styles};
use crate::words;
use crate::words::language::Language;

pub use self::text::step_text;

/// The clock's tick, and the interval of keep-alive messages.
const TICK_MS: u32 = 1000;
/// Milliseconds without an answer after which the projected page counts as closed.
const SILENCE_MS: f64 = 5000.0;

/// Shows the notes in this window, in the language of the address. Apart from a first visit's code.
#[inline(never)]
pub fn show(channel: String, address: Address) {
    spawn_local(async move {
        // A first visit does not download this code.
        if lazy_module::fetch().await.is_err() {
            let body = gloo::utils::body();
            body.set_text_content(Some(words::LAZY_MODULE_MISSING.get()));
            return;
        }
        languages::switch_to(languages::wanted(&address)).await;
        gloo::utils::document().set_title(words::NOTES_PAGE.get());
        topbar::apply_theme(&Layout::default(), address.theme.as_deref());
        styles::load(styles::LESSON);
        styles::load(styles::PRESENTER);
        if let Some(root) = gloo::utils::document().get_element_by_id("app") {
            yew::Renderer::<Window>::with_root_and_props(root, Props { channel }).render();
        }
    });
}

#[derive(Clone, PartialEq, Properties)]
struct Props {
    channel: String,
}

enum Message {
    Heard(Option<ToNotes>),
    Tick,
    Send(ToProjector),
    /// The clock starts again.
    Reset,
    /// The language has changed.
    LanguageChanged,
}

struct Window {
    channel: Option<Channel>,
    notes: Option<Rc<Notes>>,
    map: Option<Rc<Map>>,
    /// The other window has another version of Berth.
    is_apart: bool,
    /// When the page answered last; `None`: it has gone.
    heard: Option<f64>,
    began: f64,
    /// The title of the lesson, and when it began.
    lesson: (String, f64),
    _ticks: Interval,
    _keys: EventListener,
}

impl Component for Window {
    type Message = Message;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let heard = ctx.link().callback(Message::Heard);
        let tick = ctx.link().callback(|()| Message::Tick);
        let channel = Channel::open(&ctx.props().channel, move |message| heard.emit(message));
        let window = Self {
            channel,
            notes: None,
            map: None,
            is_apart: false,
            heard: None,
            began: Date::now(),
            lesson: (String::new(), Date::now()),
            _ticks: Interval::new(TICK_MS, move || tick.emit(())),
            _keys: keys(ctx),
        };
        window.greet();
        window
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        match message {
            Message::Heard(message) => return self.hear(ctx, message),
            Message::Tick => self.greet(),
            Message::Send(message) => {
                self.send(&message);
                return false;
            }
            Message::Reset => {
                self.began = Date::now();
                self.lesson.1 = self.began;
            }
            Message::LanguageChanged => {}
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let is_there = self.heard.is_some_and(|at| Date::now() - at < SILENCE_MS);
        let problem = match &self.channel {
            None => Some(words::NOTES_CANNOT),
            Some(_) if self.is_apart => Some(words::NOTES_APART),
            Some(_) => (!is_there).then_some(words::NOTES_WAIT),
        };
        html! {
            <main class="notes" data-notes={if is_there { "there" } else { "waits" }}>
                { self.head(ctx) }
                if let Some(problem) = problem { <p class="notes__problem" role="alert">{ problem }</p> }
                if let Some(notes) = &self.notes {
                    <div class="notes__body">
                        <div class="notes__now">
                            { self.pad(ctx) }
                            { self.steps(ctx, notes) }
                        </div>
                        <div class="notes__text lesson" tabindex="0" lang={notes.language.clone()}>{ text::view(notes) }</div>
                    </div>
                }
            </main>
        }
    }
}

impl Window {
    fn send(&self, message: &ToProjector) {
        if let Some(channel) = &self.channel {
            channel.send(message);
        }
    }

    fn greet(&self) {
        let knows = self.notes.is_some() && self.map.is_some();
        self.send(&ToProjector::Hello { knows });
    }

    fn hear(&mut self, ctx: &Context<Self>, message: Option<ToNotes>) -> bool {
        self.heard = Some(Date::now());
        self.is_apart = message.is_none();
        match message {
            None | Some(ToNotes::Here) => {}
            Some(ToNotes::Gone) => self.heard = None,
            Some(ToNotes::Map(map)) => self.map = Some(Rc::new(map)),
            Some(ToNotes::Notes(notes)) => {
                if self.lesson.0 != notes.title {
                    self.lesson = (notes.title.clone(), Date::now());
                }
                follow_language(ctx, &notes.language);
                self.notes = Some(Rc::from(notes));
            }
        }
        true
    }

    /// The title, and the clocks.
    fn head(&self, ctx: &Context<Self>) -> Html {
        let notes = self.notes.as_deref();
        let place = notes.and_then(|notes| notes.place);
        let minutes = notes.map_or(0, |notes| notes.minutes);
        let in_lesson = notes.is_some_and(|notes| notes.lesson.is_some());
        let reset = ctx.link().callback(|_: MouseEvent| Message::Reset);
        let now = Date::new_0();
        let time = format!("{:02}:{:02}", now.get_hours(), now.get_minutes());
        html! {
            <header class="notes__head">
                <div>
                    <h1 data-notes-title="">{ notes.map_or_else(|| words::NOTES.to_owned(), |notes| notes.title.clone()) }</h1>
                    <p class="muted">{ for place.map(|(number, all)| words::lesson_of(number, all)) }</p>
                </div>
                <dl class="notes__clocks">
                    <div><dt>{ words::TIME }</dt><dd>{ time }</dd></div>
                    <div><dt>{ words::NOTES_ELAPSED }</dt><dd data-clock="elapsed">{ since(self.began) }</dd></div>
                    if in_lesson {
                        <div><dt>{ words::NOTES_IN_LESSON }</dt><dd data-clock="lesson">{ since(self.lesson.1) }
                            if minutes > 0 { <small>{ words::planned(minutes) }</small> }</dd></div>
                    }
                    if let Some(ms) = notes.and_then(|notes| notes.now_ms) {
                        <div><dt>{ words::NOTES_CLUSTER }</dt><dd>{ clock(ms) }</dd></div>
                    }
                </dl>
                <button class="btn btn--line" data-action="reset-clock" onclick={reset}>{ words::NOTES_RESET }</button>
            </header>
        }
    }

    /// The projected page in small.
    fn pad(&self, ctx: &Context<Self>) -> Html {
        let Some(map) = &self.map else {
            return html! {};
        };
        let send = ctx.link().callback(Message::Send);
        html! { <Pad map={Rc::clone(map)} {send} /> }
    }

    /// The keys for the next step and back, and what comes next.
    fn steps(&self, ctx: &Context<Self>, notes: &Notes) -> Html {
        let step = |forwards: bool| {
            ctx.link()
                .callback(move |_: MouseEvent| Message::Send(ToProjector::Step { forwards }))
        };
        let is_end = notes.upcoming == Upcoming::Nothing;
        html! {
            <section class="notes__steps" aria-label={words::NOTES_NEXT}>
                <div class="notes__keys">
                    <button class="btn btn--line" data-action="notes-back" onclick={step(false)}>{ icon("left") }{ words::NOTES_BACK }</button>
                    <button class="btn btn--primary" data-action="notes-next" disabled={is_end} onclick={step(true)}>{ words::NOTES_NEXT }{ icon("right") }</button>
                    <span class="muted">{ words::entries(notes.moment.0, notes.moment.1) }</span>
                </div>
                <div class="notes__next" aria-live="polite" data-upcoming={format!("{:?}", notes.upcoming)}>{ text::upcoming(notes) }</div>
                <p class="note">{ words::NOTES_ROOM_SAYS }</p>
            </section>
        }
    }
}

/// Keys and clickers step from this window, too.
fn keys(ctx: &Context<Window>) -> EventListener {
    let send = ctx.link().callback(Message::Send);
    let options = EventListenerOptions {
        passive: false,
        ..EventListenerOptions::run_in_capture_phase()
    };
    let document = gloo::utils::document();
    EventListener::new_with_options(&document, "keydown", options, move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let target = event.target();
        let target = target.as_ref().and_then(|target| target.dyn_ref());
        let has_modifier =
            event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key();
        let is_pad = target.is_some_and(|it: &web_sys::Element| it.has_attribute("data-pad"));
        let forwards = match event.key().as_str() {
            "PageDown" => true,
            "PageUp" => false,
            "ArrowRight" if !is_pad => true,
            "ArrowLeft" if !is_pad => false,
            _ => return,
        };
        if !has_modifier && !focus::writes(target) {
            event.prevent_default();
            send.emit(ToProjector::Step { forwards });
        }
    })
}

/// The room's language is the trainer's, too.
fn follow_language(ctx: &Context<Window>, tag: &str) {
    let Some(language) = Language::of_tag(tag) else {
        return;
    };
    if language != words::language::current() {
        let link = ctx.link().clone();
        spawn_local(async move {
            languages::switch_to(language).await;
            gloo::utils::document().set_title(words::NOTES_PAGE.get());
            link.send_message(Message::LanguageChanged);
        });
    }
}

/// `4:05` since a time of the wall clock.
fn since(began: f64) -> String {
    clock((Date::now() - began).max(0.0) as i64)
}

fn clock(ms: i64) -> String {
    let seconds = ms / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn a_clock_shows_hours_when_there_are_some() {
        assert_eq!((&*clock(0), &*clock(65_999)), ("0:00", "1:05"));
        assert_eq!(clock(3_600_000 + 61_000), "1:01:01");
    }
}
