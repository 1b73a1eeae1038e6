//! The page as a whole: panels around one store, and the wires to the engine.

use gloo::events::EventListener;
use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::{Interval, Timeout};
use wasm_bindgen_futures::spawn_local;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::{Callback, Component, Context, Html, MouseEvent, classes, html};

use super::engine::Engine;
use super::keys::Keys;
use super::panels::sources::drop;
use super::panels::{
    Before, dialog, explain, finder, fork, regions, sources, stage, tabs, timeline, topbar,
};
use super::parts::focus;
use super::store::terminal::AtTerminal;
use super::store::{Action, Dialog, Store, documents};
use super::visit::{self, Keeper};
use super::{examples, keep, rest, words};
use crate::protocol::page::{Command, Patch, Update};

/// What the page begins with.
const DEFAULT_SCENARIO: &str = include_str!("../../www/scenarios/default.yaml");
/// Typing rests for so long before a larger text is read.
const LONG_PAUSE_MS: u32 = 250;
/// What is read within a moment: 100 nodes with some hundred Pods.
const SHORT_BYTES: usize = 200_000;
/// The name under which the terminal's lines are kept between visits.
const HISTORY: &str = "history";
/// The same for how the regions share the window.
const LAYOUT: &str = "layout";
/// Descriptions of all fields: the editor's, and `kubectl explain`'s.
const FIELDS: &str = "./fields.json";
/// Typing in the editor rests for so long before the area beneath it gets the text: browsers make
/// two nodes of each of its lines, and the stage is drawn before that.
const COPIED_MS: u32 = 300;
/// What happens within so long is kept for the next visit at once.
const KEPT_MS: u32 = 500;
/// What is typed after so long is undone by itself.
const TYPING_ENDS_MS: u32 = 2000;

/// The page.
pub struct App {
    store: Store,
    engine: Engine,
    act: Callback<Action>,
    /// Reads what was typed, when it rests.
    pause: Option<Timeout>,
    /// Shows what was typed elsewhere than in the editor.
    copy: Option<Timeout>,
    /// Ends the typing that is undone as one.
    typing: Option<Timeout>,
    /// Tells the engine that its update is drawn.
    frame: Option<AnimationFrame>,
    /// Asks for fixes when the stage is drawn.
    search: Option<AnimationFrame>,
    /// Steps while the page plays.
    player: Option<(Interval, u32)>,
    keys: Keys,
    keeper: Keeper,
    /// Keeps what is not kept yet, some time after it happened.
    keeping: Option<Timeout>,
    /// What need not be drawn again.
    before: Before,
    /// The engine went through what typing needs.
    is_warm: bool,
    /// The engine has the descriptions of all fields, or gets them.
    has_fields: bool,
}

impl Component for App {
    type Message = Action;
    type Properties = ();

    fn create(ctx: &Context<Self>) -> Self {
        let act = ctx.link().callback(|action: Action| action);
        let told = act.reform(|update: Update| Action::Told(Box::new(update)));
        hear_window(&act);
        let layout = keep::get_value(LAYOUT).unwrap_or_default();
        topbar::dress(&layout);
        let mut app = Self {
            store: Store::arranged(layout),
            engine: Engine::start(told),
            keys: Keys::listen(act.clone()),
            keeper: Keeper::default(),
            keeping: None,
            act,
            pause: None,
            copy: None,
            typing: None,
            frame: None,
            search: None,
            player: None,
            before: Before::default(),
            is_warm: false,
            has_fields: false,
        };
        match visit::last() {
            Some(visit) if visit.shows_terminal() => {
                ctx.link().send_message(Action::GoOn(Box::new(visit)));
            }
            Some(visit) => app.take(Action::GoOn(Box::new(visit))),
            None => app.take(Action::Open(DEFAULT_SCENARIO.to_owned())),
        }
        app
    }

    fn update(&mut self, ctx: &Context<Self>, action: Action) -> bool {
        if !action.is_at_once() && rest::is_missing() {
            self.take_later(ctx, action);
            return false;
        }
        let shows = self.shows(&action);
        self.take(action);
        shows
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let (store, act, before) = (&self.store, &self.act, &self.before);
        // Wherever they are dropped.
        let ondrop = drop::files(act.reform(|files| Action::Files {
            files,
            dropped: true,
        }));
        html! {
            <div
                ondragover={drop::allow()} {ondrop} style={regions::style(&store.layout)}
                class={classes!("app", tabs::class(store.panel), store.terminal.shown.then_some("app--terminal"), regions::classes(&store.layout))}
            >
                { topbar::view(store, act) }
                { sources::view(store, act, before) }
                { stage::view(store, act, stage::add_button(store, act), before) }
                { if fork::is_news(store) { fork::view(store, act) } else { explain::view(store, act) } }
                { tabs::sentence(store) }
                { timeline::view(store, act, before) }
                { tabs::view(store, act) }
                <div class="over">
                    { toast(store, act) }
                    { dialog::view(store, act) }
                    { sources::editing(store, act) }
                </div>
            </div>
        }
    }
}

impl App {
    /// Takes it when the rest of the program is there; meanwhile the page does what else it is asked.
    fn take_later(&self, ctx: &Context<Self>, action: Action) {
        ctx.link().send_future(async move {
            match rest::fetch().await {
                Ok(()) => action,
                Err(_) => without_rest(action),
            }
        });
    }

    /// Whether there is something to draw after an action.
    fn shows(&self, action: &Action) -> bool {
        match action {
            // When it is read, and a short one when the engine has answered: both are soon.
            Action::Typed(_) | Action::TypedElsewhere(_) => false,
            Action::Read => !self.is_short(),
            Action::Keep | Action::AtText => false,
            Action::Cursor(line) => {
                let documents = &self.store.documents;
                documents::at(documents, *line) != documents::at(documents, self.store.cursor)
            }
            // Pieces of a patch are drawn when the last has come.
            _ => patch(action).is_none_or(|patch| !patch.more),
        }
    }

    /// Whether the text is read within a moment.
    fn is_short(&self) -> bool {
        self.store.text.len() <= SHORT_BYTES
    }

    fn take(&mut self, action: Action) {
        self.set_timers(&action);
        self.reach_out(&action);
        let version = self.store.text_version;
        let layout = self.store.layout.clone();
        let keeps = matches!(action, Action::Read);
        let is_keep = matches!(action, Action::Keep);
        let is_patch = patch(&action).is_some();
        let is_whole = patch(&action).is_some_and(|patch| !patch.more);
        for command in self.store.act(action) {
            self.send(command);
        }
        if is_patch && let Some(position) = self.store.position_to_tell() {
            self.engine.moved_to(position);
        }
        if is_whole && let Some(node) = self.store.arrived() {
            finder::follow(&node);
        }
        if is_whole && self.store.running {
            let engine = self.engine.clone();
            let tell = move |_| engine.send(Command::Drawn);
            self.frame = Some(request_animation_frame(tell));
        }
        if keeps || version != self.store.text_version {
            keep::set(visit::TEXT, &self.store.text);
        }
        if !is_keep && self.keeping.is_none() {
            let act = self.act.clone();
            self.keeping = Some(Timeout::new(KEPT_MS, move || act.emit(Action::Keep)));
        }
        if layout != self.store.layout {
            keep::set_value(LAYOUT, Some(&self.store.layout));
            topbar::enlarge(&self.store.layout);
            regions::follow_focus();
        }
        if let Some(text) = self.store.export.take() {
            download("scenario.yaml", &text);
        }
        self.keys.carry(self.store.carried.is_some());
        self.set_player();
    }

    /// What lies outside of store and engine.
    fn reach_out(&mut self, action: &Action) {
        match action {
            Action::NoFields => self.has_fields = false,
            Action::GoOn(visit) if visit.course.is_some() => {
                self.keeper.restores();
                self.recall(&AtTerminal::Show(visit.shows_terminal()));
            }
            Action::Told(update) if matches!(**update, Update::Restored { .. }) => {
                self.keeper.restored();
            }
            Action::AtText if !std::mem::replace(&mut self.is_warm, true) => self.engine.warm_up(),
            Action::Keep => {
                self.keeping = None;
                self.keeper.keep(&self.engine, &self.store);
            }
            Action::Show(Some(Dialog::Examples)) if self.store.examples.is_empty() => {
                examples::list(self.act.clone());
            }
            Action::Cell(_) => show_sum(),
            Action::OpenExample(slug) => examples::open(slug, self.act.clone()),
            Action::Terminal(act) => self.recall(act),
            // Nothing waits for it here; if it fails, what needs it says so.
            Action::Typed(_) | Action::TypedElsewhere(_) if rest::is_missing() => {
                spawn_local(async { drop(rest::fetch().await) });
            }
            _ => {}
        }
    }

    /// Keeps the terminal's lines, and brings those of earlier visits back.
    #[inline(never)]
    fn recall(&self, act: &AtTerminal) {
        match act {
            AtTerminal::Show(true) if self.store.terminal.history.is_empty() => {
                let kept = keep::get(HISTORY).unwrap_or_default();
                let lines = kept.lines().map(str::to_owned).collect();
                self.act.emit(Action::Terminal(AtTerminal::History(lines)));
            }
            AtTerminal::Run(lines) => {
                let mut all = self.store.terminal.history.join("\n");
                all.push('\n');
                all.push_str(lines);
                keep::set(HISTORY, &all);
            }
            _ => {}
        }
    }

    fn send(&mut self, command: Command) {
        if let Command::Terminal { line } = &command
            && line.contains("explain")
            && !std::mem::replace(&mut self.has_fields, true)
        {
            self.send_with_fields(command);
        } else if matches!(command, Command::Fix { .. }) {
            let engine = self.engine.clone();
            let send = move |_| engine.send(command);
            self.search = Some(request_animation_frame(send));
        } else {
            self.engine.send(command);
        }
    }

    /// `kubectl explain` needs the descriptions that the editor shows too. The terminal waits for its answer:
    /// no other line overtakes this one.
    #[inline(never)]
    fn send_with_fields(&self, line: Command) {
        let (engine, act) = (self.engine.clone(), self.act.clone());
        spawn_local(async move {
            match examples::fetch(FIELDS).await {
                Some(fields) => engine.send(Command::Fields(fields)),
                None => act.emit(Action::NoFields),
            }
            engine.send(line);
        });
    }

    fn set_timers(&mut self, action: &Action) {
        let later = |act: &Callback<Action>, action: Action, ms: u32| {
            let act = act.clone();
            Some(Timeout::new(ms, move || act.emit(action)))
        };
        if matches!(action, Action::Typed(_)) {
            self.copy = later(&self.act, Action::Copy, COPIED_MS);
        }
        match action {
            Action::Typed(_) | Action::TypedElsewhere(_) => {
                self.pause = if !self.is_short() {
                    later(&self.act, Action::Read, LONG_PAUSE_MS)
                } else if self.engine.is_inline() {
                    // What was typed is drawn first.
                    later(&self.act, Action::Read, 0)
                } else {
                    // The worker reads it while the page draws it.
                    self.act.emit(Action::Read);
                    None
                };
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

/// What the window says of itself: that it is left, or printed.
fn hear_window(act: &Callback<Action>) {
    let told = [
        ("pagehide", Action::Keep),
        ("beforeprint", Action::Print(true)),
        ("afterprint", Action::Print(false)),
    ];
    for (event, action) in told {
        let act = act.clone();
        let on = move |_: &Event| act.emit(action.clone());
        EventListener::new(&gloo::utils::window(), event, on).forget();
    }
}

/// The arithmetic of a cell stands below a matrix that may be long: when it is drawn, it is brought into sight.
fn show_sum() {
    focus::when_drawn(|| {
        let sum = gloo::utils::document().query_selector("[data-arithmetic]");
        if let Ok(Some(sum)) = sum {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            sum.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

/// What is done in place of an action that needs the rest of the program, where that cannot be fetched.
fn without_rest(action: Action) -> Action {
    match action {
        Action::GoOn(visit) => Action::GoOn(Box::new(visit.without_terminal())),
        _ => Action::Say(words::REST_MISSING.to_owned()),
    }
}

/// The patch that an action brings.
fn patch(action: &Action) -> Option<&Patch> {
    match action {
        Action::Told(update) => match &**update {
            Update::Patch(patch) => Some(patch),
            _ => None,
        },
        _ => None,
    }
}

/// A short message that goes when it is dismissed or something else is said.
fn toast(store: &Store, act: &Callback<Action>) -> Html {
    let Some(notice) = &store.notice else {
        return html! {};
    };
    let act = act.clone();
    let onclick = Callback::from(move |_: MouseEvent| act.emit(Action::Dismiss));
    html! {
        <div class="toast" role="status" data-notice="">
            <span>{ notice }</span><button class="btn" {onclick}>{ words::CLOSE }</button>
        </div>
    }
}

/// Hands a text to the user as a file.
fn download(name: &str, text: &str) {
    let parts = js_sys::Array::of1(&text.into());
    let Ok(blob) = web_sys::Blob::new_with_str_sequence(&parts) else {
        return;
    };
    let Ok(address) = web_sys::Url::create_object_url_with_blob(&blob) else {
        return;
    };
    let link = gloo::utils::document().create_element("a");
    if let Some(link) = link
        .ok()
        .and_then(|link| link.dyn_into::<HtmlElement>().ok())
    {
        let _ = link.set_attribute("href", &address);
        let _ = link.set_attribute("download", name);
        link.click();
    }
    let _ = web_sys::Url::revoke_object_url(&address);
}
