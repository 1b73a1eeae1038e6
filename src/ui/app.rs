//! The page as a whole: panels around one store, and the wires to the engine.

use gloo::timers::callback::{Interval, Timeout};
use yew::{Callback, Component, Context, Html, NodeRef, html};

use super::engine::Engine;
use super::keys::Keys;
use super::panels::{explain, sources, stage, timeline, topbar};
use super::store::{Action, Store};
use crate::protocol::page::{Command, Update};

/// What the page begins with.
const DEFAULT_SCENARIO: &str = include_str!("../../www/scenarios/default.yaml");
/// Typing rests for so long before the text is read.
const TYPING_PAUSE_MS: u32 = 250;
/// What is typed after so long is undone by itself.
const TYPING_ENDS_MS: u32 = 2000;

/// The page.
pub struct App {
    store: Store,
    engine: Engine,
    act: Callback<Action>,
    area: NodeRef,
    /// Reads what was typed, when it rests.
    pause: Option<Timeout>,
    /// Ends the typing that is undone as one.
    typing: Option<Timeout>,
    /// Steps while the page plays.
    player: Option<(Interval, u32)>,
    _keys: Keys,
}

impl Component for App {
    type Message = Action;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let act = ctx.link().callback(|action: Action| action);
        let told = act.reform(|update: Update| Action::Told(Box::new(update)));
        let mut app = Self {
            store: Store::default(),
            engine: Engine::start(told),
            _keys: Keys::listen(act.clone()),
            act,
            area: NodeRef::default(),
            pause: None,
            typing: None,
            player: None,
        };
        app.take(Action::Open(DEFAULT_SCENARIO.to_owned()));
        app
    }

    fn update(&mut self, _: &Context<Self>, action: Action) -> bool {
        self.take(action);
        true
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let (store, act) = (&self.store, &self.act);
        html! {
            <div class="app">
                { topbar::view(store, act) }
                { sources::view(store, &self.area, act) }
                { stage::view(store, act, Html::default()) }
                { explain::view(store, act) }
                { timeline::view(store, act) }
            </div>
        }
    }
}

impl App {
    fn take(&mut self, action: Action) {
        self.set_timers(&action);
        let is_patch =
            matches!(&action, Action::Told(update) if matches!(**update, Update::Patch(_)));
        for command in self.store.act(action) {
            self.send(command);
        }
        if is_patch && let Some(position) = self.store.position_to_tell() {
            self.engine.moved_to(position);
        }
        self.set_player();
    }

    fn send(&self, command: Command) {
        self.engine.send(command);
    }

    fn set_timers(&mut self, action: &Action) {
        let later = |act: &Callback<Action>, action: Action, ms: u32| {
            let act = act.clone();
            Some(Timeout::new(ms, move || act.emit(action)))
        };
        match action {
            Action::Typed(_) => {
                self.pause = later(&self.act, Action::Read, TYPING_PAUSE_MS);
                self.typing = None;
            }
            Action::Read => self.typing = later(&self.act, Action::TypingEnds, TYPING_ENDS_MS),
            _ => {}
        }
    }

    /// Playing steps at the chosen speed.
    fn set_player(&mut self) {
        if !self.store.playing {
            self.player = None;
            return;
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some milliseconds"
        )]
        let pause_ms = (1000.0 / self.store.speed.clamp(0.1, 60.0)) as u32;
        if self
            .player
            .as_ref()
            .is_some_and(|(_, known)| *known == pause_ms)
        {
            return;
        }
        let act = self.act.clone();
        let interval = Interval::new(pause_ms, move || act.emit(Action::Step));
        self.player = Some((interval, pause_ms));
    }
}
