//! The page as a whole: panels around one store, and the executor of the store's effects.

#![deny(clippy::wildcard_enum_match_arm)]

mod notices;
mod sharing;

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::{Interval, Timeout};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};
use yew::{Callback, Component, Context, Html, Properties, classes, html};

use super::address::{self, Source};
use super::engine::Engine;
use super::features::class::ClassAction;
use super::features::course::lms;
use super::features::explain::ExplainAction;
use super::features::lesson::LessonAction;
use super::features::share::ShareAction;
use super::features::sources::{EditorAction, drop};
use super::features::stage::StageAction;
use super::features::terminal::TerminalAction;
use super::features::time::TimeAction;
use super::features::{
    board, case, class, compare, course, explain, finder, fork, gallery, lesson, opening,
    presenter, share, sources, stage, time, work,
};
use super::frames::Frames;
use super::keys::Keys;
use super::panels::{DrawCache, dialog, embed, regions, tabs, topbar};
use super::parts::focus;
use super::persistence::{Begun, Saver, storage};
use super::store::{
    Action, Dialog, EditAction, Effect, EmbedView, Keeping, PageAction, Panel, Store, Timer, Visit,
};
use super::{files, languages, lazy_module, prefetch, styles};
use crate::words;
use crate::words::language::Language;
use berth_protocol::command::{Command, Control, Mutation, Query};
use berth_protocol::page::Update;

/// The storage name of the terminal's history.
const HISTORY: &str = "history";
/// The storage name of the note that the opening was played.
const OPENED: &str = "opened";
/// The id of what stands in the page until the program has drawn its own.
const PICTURE: &str = "picture";
/// The storage name of the layout.
const LAYOUT: &str = "layout";
/// The storage name of the note that shortcuts of a single character are off.
const KEYS_OFF: &str = "keys-off";

/// How the page begins, once.
#[derive(Clone, Properties)]
pub struct Props {
    begun: Rc<RefCell<Option<Begun>>>,
}

impl From<Begun> for Props {
    fn from(begun: Begun) -> Self {
        let begun = Rc::new(RefCell::new(Some(begun)));
        Self { begun }
    }
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.begun, &other.begun)
    }
}

/// The page.
pub struct App {
    store: Store,
    engine: Engine,
    act: Callback<Action>,
    timers: Timers,
    frames: Frames,
    /// Takes steps during playback.
    player: Option<Interval>,
    keys: Keys,
    saver: Saver,
    /// Cached parts that need not be redrawn.
    cache: DrawCache,
    /// Typed text that the engine cannot read before the lazy module is loaded.
    held: Option<Command>,
    /// What a visit may need is being fetched.
    prefetches: bool,
    /// Stop the opening of a first visit.
    takeover: Vec<EventListener>,
    /// The picture of a first visit (`index.html`) may still cover the page.
    is_pictured: bool,
}

/// Running timers.
#[derive(Default)]
struct Timers {
    read: Option<Timeout>,
    copy: Option<Timeout>,
    end_typing: Option<Timeout>,
    save: Option<Timeout>,
    fetch_again: Option<Timeout>,
}

impl Timers {
    fn of(&mut self, timer: Timer) -> &mut Option<Timeout> {
        match timer {
            Timer::Read => &mut self.read,
            Timer::Copy => &mut self.copy,
            Timer::EndTyping => &mut self.end_typing,
            Timer::Save => &mut self.save,
            Timer::FetchAgain => &mut self.fetch_again,
        }
    }
}

impl Component for App {
    type Message = Action;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let act = ctx.link().callback(|action: Action| action);
        let on_update = act.reform(|update: Update| Action::Update(Box::new(update)));
        let on_trouble = act.reform(|trouble| Action::Page(PageAction::Trouble(trouble)));
        listen_to_window(&act);
        lazy_module::hold_events(act.reform(|()| lazy_module_missing()));
        let address = address::read();
        let begun = ctx.props().begun.take().unwrap_or_default();
        let (last_visit, mut saver) = (begun.visit, begun.saver);
        saver.tell(act.clone());
        let layout = storage::get_value(LAYOUT).unwrap_or_default();
        topbar::apply_theme(&layout, address.theme.as_deref());
        let mut app = Self {
            store: Store::arranged(layout),
            engine: Engine::start(on_update, on_trouble),
            keys: Keys::listen(act.clone(), storage::get(KEYS_OFF).is_some()),
            saver,
            act,
            timers: Timers::default(),
            frames: Frames::default(),
            player: None,
            cache: DrawCache::default(),
            held: None,
            prefetches: false,
            takeover: Vec::new(),
            is_pictured: true,
        };
        app.store.page.embed = address.embed;
        app.store.page.keys_off = storage::get(KEYS_OFF).is_some();
        app.store.page.keeping = address.keeping();
        app.store.page.panel = address.panel.unwrap_or_default();
        app.store.terminal.shown = address.embed == Some(EmbedView::Terminal);
        let source = address.source;
        let is_here = |source: &Source| last_visit.is_some() && app.saver.is_at(&source.name());
        if source.as_ref().is_some_and(is_here) {
            // A reload: changes since the link was opened stay, and so does the way back.
            app.store.share.before = begun.before.map(Box::new);
        } else if let (Some(Source::Link(hash)), Some(visit)) = (&source, &last_visit)
            && class::is_in(hash)
        {
            let visit = Box::new(visit.clone());
            let resumes = ClassAction::Resumes(hash.clone(), visit);
            ctx.link()
                .send_message(Action::Lesson(LessonAction::Class(resumes)));
            return app;
        } else if let Some(source) = source {
            ctx.link()
                .send_message(Action::Share(ShareAction::Read(source)));
            return app;
        }
        if let Some(slug) = address.lesson {
            let name = address::lesson_name(&slug);
            app.store.share.lesson = Some(slug.clone());
            // A reload continues the lesson.
            if last_visit.is_none() || !app.saver.is_at(&name) || app.store.page.embed.is_some() {
                if app.store.page.embed.is_none() {
                    app.saver.leave_for(&name);
                }
                ctx.link()
                    .send_message(Action::Lesson(LessonAction::Open(slug)));
                return app;
            }
        }
        if address.embed.is_some() {
            app.handle(Action::Edit(EditAction::Open(gallery::default_text())));
            return app;
        }
        if lms::is_course() {
            ctx.link()
                .send_message(Action::Page(PageAction::Show(Some(Dialog::Course))));
        }
        app.begin_with(last_visit);
        app
    }

    fn update(&mut self, ctx: &Context<Self>, action: Action) -> bool {
        if action.manner().needs_lazy_module && lazy_module::is_missing() {
            self.handle_later(ctx, action);
            return false;
        }
        let shows = self.store.shows(&action);
        if matches!(action, Action::Stage(StageAction::DrawMore)) {
            self.cache.frame_came();
        }
        let draws_anew = matches!(action, Action::Page(PageAction::LanguageChanged));
        self.handle(action);
        if draws_anew {
            // Properties with another callback are other properties, so that every component is drawn again.
            self.act = ctx.link().callback(|action: Action| action);
            self.cache = DrawCache::default();
            topbar::show_language();
        }
        shows
    }

    fn rendered(&mut self, _: &Context<Self>, first: bool) {
        let is_shown = !self.store.view.head.digest.is_empty() || self.store.page.notice.is_some();
        if self.is_pictured && is_shown {
            self.is_pictured = false;
            let picture = gloo::utils::document().get_element_by_id(PICTURE);
            picture.into_iter().for_each(|picture| picture.remove());
        }
        if first && self.store.page.embed.is_some() {
            spawn_local(share::talk_to_host());
        }
        let is_whole = !self.cache.has_late_cards();
        self.frames.drawn(is_whole, &self.engine, &self.act);
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let (store, act, cache) = (&self.store, &self.act, &self.cache);
        cache.begin_drawing();
        if store.page.embed.is_some() {
            let over = html! { <div class="over">{ notices::toast(store, act) }{ at_work(store, act) }{ share::arrival(store, act) }</div> };
            return embed::view(store, act, cache, over);
        }
        // Files may be dropped anywhere on the page.
        let ondrop = drop::files(act.reform(|files| {
            Action::Edit(EditAction::Files {
                files,
                dropped: true,
            })
        }));
        html! {
            <div
                ondragover={drop::allow()} {ondrop} style={regions::style(store)}
                class={classes!("app", tabs::class(store.page.panel), (store.terminal.shown || store.editor.was_typed_in).then_some("app--writing"), store.compare.is_some().then_some("app--pair"), regions::classes(store))}
            >
                { topbar::view(store, act) }
                { sources::view(store, act, cache) }
                if let Some(compare) = &store.compare {
                    { compare::view(store, compare, act, cache) }
                } else {
                { stage::view(store, act, stage::add_button(store, act), cache) }
                { if store.board.open { board::view(store, act) } else if let Some(case) = &store.case { case::view(store, case, act) } else if store.shows_fork() { fork::view(store, act) } else { explain::view(store, act) } }
                { tabs::sentence(store) }
                { time::view(store, act, cache) }
                { tabs::view(store, act) }
                }
                <div class="over">
                    { notices::toast(store, act) }
                    { at_work(store, act) }
                    if store.page.layout.presentation { { presenter::view(store, act) } }
                    { opening::view(store, act) }
                    { lesson::card(store, act) }
                    { share::arrival(store, act) }
                    { dialog::view(store, act) }
                    { sources::editing(store, act) }
                </div>
            </div>
        }
    }
}

impl App {
    /// Defers an action until the lazy module is loaded; the page stays usable in the meantime.
    fn handle_later(&self, ctx: &Context<Self>, action: Action) {
        ctx.link().send_future(async move {
            match lazy_module::fetch().await {
                Ok(()) => action,
                Err(_) => lazy_module_missing(),
            }
        });
    }

    fn handle(&mut self, action: Action) {
        if self.held.is_some() && !lazy_module::is_missing() {
            self.held
                .take()
                .into_iter()
                .for_each(|it| self.engine.send(it));
        }
        for effect in self.store.act(action) {
            self.execute(effect);
        }
        if !self.prefetches && !self.store.view.head.digest.is_empty() {
            self.prefetches = true;
            let say = |()| Action::Page(PageAction::Say(words::STYLES_MISSING.to_owned()));
            styles::when_missing(self.act.reform(say));
            prefetch::begin();
        }
        if !self.store.page.opening.is_at_work() {
            self.takeover.clear();
        }
    }

    /// Shows Sources, where the lesson is, if the screen has room for one panel. Elsewhere it would cover the stage.
    #[inline(never)]
    fn show_lesson(&self) {
        let query = gloo::utils::window().match_media("(max-width: 640px)");
        if query.ok().flatten().is_some_and(|query| query.matches()) {
            self.act
                .emit(Action::Page(PageAction::Panel(Panel::Sources)));
        }
    }

    /// Begins the opening, once for each browser. Any key or click takes over.
    fn open_first_visit(&mut self) {
        if storage::get(OPENED).is_some() {
            return;
        }
        storage::set(OPENED, "1");
        let window = gloo::utils::window();
        let query = window.match_media("(prefers-reduced-motion: reduce)");
        let still = query.is_ok_and(|query| query.is_some_and(|query| query.matches()));
        self.takeover = ["pointerdown", "keydown"]
            .map(|event| {
                let act = self.act.clone();
                EventListener::new(&window, event, move |_| {
                    act.emit(Action::Page(PageAction::StopOpening));
                })
            })
            .into();
        self.handle(Action::Page(PageAction::Opening { still }));
    }

    /// Shows the last visit, or the first example.
    fn begin_with(&mut self, last_visit: Option<Visit>) {
        match last_visit {
            Some(visit) => self.handle(Action::Restore(Box::new(visit))),
            None => {
                self.handle(Action::Edit(EditAction::Open(gallery::default_text())));
                self.open_first_visit();
            }
        }
    }

    fn store_history(&self) {
        storage::set(HISTORY, &self.store.terminal.history.join("\n"));
    }

    fn turn_keys_off(&mut self, off: bool) {
        self.keys.turn_off(off);
        if off {
            storage::set(KEYS_OFF, "1");
        } else {
            storage::remove(KEYS_OFF);
        }
    }

    /// Executes an effect of the store. Only this function has side effects outside the store.
    fn execute(&mut self, effect: Effect) {
        match effect {
            Effect::Send(command) => self.send(command),
            Effect::FetchForText => self.fetch_for_text(),
            Effect::SendWithFields(command) => self.send_with_fields(command),
            Effect::FindNumbers(query) => self.find_numbers(query),
            Effect::SearchFixes { position } => self.search_fixes(position),
            Effect::Acknowledge => self.frames.acknowledges = true,
            Effect::FollowRun(position) => self.engine.moved_to(position),
            Effect::WarmUp => self.engine.warm_up(),
            Effect::LoadLazyModule => load_lazy_module(),
            Effect::ReadTyped => self.read_typed(),
            Effect::Start(timer, ms) => self.start(timer, ms),
            Effect::Stop(timer) => *self.timers.of(timer) = None,
            Effect::Play(tick_ms) => self.play(tick_ms),
            Effect::StoreText => self.saver.save_text(&self.store.editor.text),
            Effect::StoreLayout => self.store_layout(),
            Effect::StoreHistory => self.store_history(),
            Effect::LoadHistory => self.load_history(),
            Effect::StoreVisit => self.saver.save(&self.engine, &self.store),
            Effect::KeepVisit(source) => self.keep_visit(&source),
            Effect::ForgetVisits => self.forget_visits(),
            Effect::ForgetBefore => self.saver.forget_before(),
            Effect::LeaveLink => self.leave_link(),
            Effect::VisitRestores => self.saver.restores(),
            Effect::VisitRestored => self.saver.restored(),
            Effect::Download { name, text } => download(&name, &text),
            Effect::DownloadPng { name, svg, scale } => {
                self.say_if_missing(share::save_png(name, svg, scale));
            }
            Effect::PrintExplanation => self.say_if_missing(share::print_explanation()),
            Effect::TellHost(picture) => spawn_local(share::show_host(picture)),
            Effect::FocusNode(node) => finder::follow(&node),
            Effect::ShowNode(node) => bring_into_view(finder::place_of(&node)),
            Effect::ShowArithmetic => bring_into_view("[data-arithmetic]".to_owned()),
            Effect::ShowStep => show_step(),
            Effect::ShowFeedback => bring_into_view("[data-lesson=feedback] > *".to_owned()),
            Effect::ShowLit => stage::show_lit(),
            Effect::DrawMore => self.frames.draw_more(&self.act),
            Effect::MakeLink(parts) => self.make_link(parts),
            Effect::OpenWhole => self.open_whole(),
            Effect::MakeBookmarklet => share::make_bookmarklet(self.act.clone()),
            Effect::ReadSource(source) => self.read_source(source),
            Effect::CopyText(text) => self.copy(text),
            Effect::SetLanguage(language) => self.set_language(language),
            Effect::Reload => drop(gloo::utils::window().location().reload()),
            Effect::ListExamples => gallery::list(self.act.clone()),
            Effect::OpenExample(slug) => gallery::open(slug, self.act.clone()),
            Effect::CarryKeys(carries) => self.keys.carry(carries),
            Effect::KeysOff(off) => self.turn_keys_off(off),
            Effect::ListLessons => course::list(self.act.clone()),
            Effect::OpenLesson(slug) => course::open(slug, self.act.clone()),
            Effect::Style(address) => styles::load(address),
            Effect::ShowLesson => self.show_lesson(),
            Effect::FetchHandouts(slugs) => course::fetch_all(slugs, self.act.clone()),
            Effect::PrintHandouts(handouts, sheet) => course::print(&handouts, sheet),
            Effect::EncodeLink(link, opens) => self.encode_link(*link, opens),
            Effect::Reduce { position } => case::reduce(position, &self.engine),
            Effect::FocusField(path) => focus_field(path),
            Effect::OpenNotes => presenter::open_notes(&self.act),
            Effect::Class(effect) => class::execute(*effect, &self.store, self.act.clone()),
            Effect::StoreProgress => {
                course::store(&self.store.lesson.done, &self.store.lesson.seen);
            }
            Effect::SaveProgress => {
                let lesson = &self.store.lesson;
                let done = course::progress_text(&lesson.done, &lesson.seen);
                download("berth-progress.txt", &done);
            }
        }
    }

    /// Sends a command; typed text waits for the lazy module, without which the engine cannot read it.
    fn send(&mut self, command: Command) {
        match command {
            Command::Mutate(Mutation::Type { text, mut goes_on }) if lazy_module::is_missing() => {
                if let Some(Command::Mutate(Mutation::Type {
                    goes_on: went_on, ..
                })) = self.held
                {
                    goes_on = went_on;
                }
                self.held = Some(Command::Mutate(Mutation::Type { text, goes_on }));
                self.fetch_for_text();
            }
            Command::Mutate(mutation) if mutation.opens() => {
                self.held = None;
                self.engine.send(Command::Mutate(mutation));
            }
            Command::Mutate(_)
            | Command::Travel(_)
            | Command::Run(_)
            | Command::Ask(_)
            | Command::Compare(_)
            | Command::Control(_) => self.engine.send(command),
        }
    }

    /// Runs what may lack a module; it is fetched again with the next attempt.
    #[inline(never)]
    fn say_if_missing(&self, done: impl Future<Output = bool> + 'static) {
        let act = self.act.clone();
        spawn_local(async move {
            if !done.await {
                act.emit(lazy_module_missing());
            }
        });
    }

    fn search_fixes(&mut self, position: usize) {
        let (engine, act) = (self.engine.clone(), self.act.clone());
        self.frames.search_fixes(position, engine, act);
    }

    fn find_numbers(&self, query: Query) {
        let (engine, act) = (self.engine.clone(), self.act.clone());
        spawn_local(engine.ask_when_fetched(query, move || {
            act.emit(Action::Explain(ExplainAction::NumbersUnavailable));
        }));
    }

    fn fetch_for_text(&self) {
        let act = self.act.clone();
        spawn_local(async move {
            let unread = lazy_module::fetch().await.is_err();
            act.emit(Action::Editor(EditorAction::Unread(unread)));
        });
    }

    fn store_layout(&self) {
        let layout = &self.store.page.layout;
        storage::set_value(LAYOUT, Some(layout));
        topbar::enlarge(layout);
        regions::follow_focus();
    }

    /// Removes what the browser keeps of the visits, and begins again.
    #[inline(never)]
    fn forget_visits(&mut self) {
        let (forgotten, act) = (self.saver.forget(), self.act.clone());
        storage::remove(HISTORY);
        spawn_local(async move {
            if forgotten.await {
                address::leave_source();
                act.emit(Action::Page(PageAction::Reload));
            } else {
                act.emit(Action::Page(PageAction::Keeps(Keeping::Refused)));
            }
        });
    }

    /// `kubectl explain` needs the descriptions of fields; only the shell knows which lines run it. No
    /// other command line overtakes this one, because the terminal waits for its answer.
    #[inline(never)]
    fn send_with_fields(&self, line: Command) {
        let (engine, act) = (self.engine.clone(), self.act.clone());
        spawn_local(async move {
            match files::fetch(files::EXPLAIN).await {
                Some(fields) => engine.send(Command::Control(Control::Fields(fields))),
                None => act.emit(Action::Terminal(TerminalAction::FieldsMissing)),
            }
            engine.send(line);
        });
    }

    fn start(&mut self, timer: Timer, ms: u32) {
        let act = self.act.clone();
        let timeout = Timeout::new(ms, move || act.emit(timer.action()));
        *self.timers.of(timer) = Some(timeout);
    }

    fn read_typed(&mut self) {
        if self.engine.is_inline() {
            // The typed text is drawn first.
            self.start(Timer::Read, 0);
        } else {
            // The worker reads the text while the page draws it.
            *self.timers.of(Timer::Read) = None;
            self.act.emit(Timer::Read.action());
        }
    }

    fn play(&mut self, tick_ms: Option<u32>) {
        self.player = tick_ms.map(|ms| {
            let act = self.act.clone();
            Interval::new(ms, move || act.emit(Action::Time(TimeAction::Tick)))
        });
    }

    #[inline(never)]
    fn load_history(&self) {
        let stored = storage::get(HISTORY).unwrap_or_default();
        let lines = stored.lines().map(str::to_owned).collect();
        self.act
            .emit(Action::Terminal(TerminalAction::History(lines)));
    }
}

impl App {
    #[inline(never)]
    fn set_language(&self, language: Language) {
        let act = self.act.clone();
        spawn_local(async move {
            act.emit(Action::Page(if languages::switch_to(language).await {
                PageAction::LanguageChanged
            } else {
                topbar::show_language();
                PageAction::Say(words::LAZY_MODULE_MISSING.to_owned())
            }));
        });
    }

    #[inline(never)]
    fn copy(&self, text: String) {
        let act = self.act.clone();
        let clipboard = gloo::utils::window().navigator().clipboard();
        spawn_local(async move {
            let copied = JsFuture::from(clipboard.write_text(&text)).await.is_ok();
            act.emit(Action::Share(ShareAction::Copied(copied)));
        });
    }
}

/// The work that the engine does; what draws it comes with the lazy module.
fn at_work(store: &Store, act: &Callback<Action>) -> Html {
    match lazy_module::is_missing() {
        true => html! {},
        false => work::view(store, act),
    }
}

/// Loads the lazy module in the background. If that fails, actions that need it report the failure.
fn load_lazy_module() {
    if lazy_module::is_missing() {
        spawn_local(async { drop(lazy_module::fetch().await) });
    }
}

/// Listens for the page being left or printed.
fn listen_to_window(act: &Callback<Action>) {
    let actions = [
        ("pagehide", Action::Save),
        // Sent by www/offline.js.
        ("berth-newer", Action::Page(PageAction::Newer(true))),
        ("beforeprint", Action::Page(PageAction::Print(true))),
        ("afterprint", Action::Page(PageAction::Print(false))),
    ];
    let link = act.clone();
    EventListener::new(&gloo::utils::window(), "hashchange", move |_: &Event| {
        if let Some(hash) = share::in_address() {
            link.emit(Action::Share(ShareAction::Read(Source::Link(hash))));
        }
    })
    .forget();
    for (event, action) in actions {
        let act = act.clone();
        let on = move |_: &Event| act.emit(action.clone());
        EventListener::new(&gloo::utils::window(), event, on).forget();
    }
}

/// Scrolls to the step that was taken last, and to the first line that it changes, in the lesson and in presentation size.
#[inline(never)]
fn show_step() {
    for step in ["div[data-step]:last-of-type", ".played"] {
        bring_into_view(step.to_owned());
        bring_into_view(format!("{step} :is(ins, del)"));
    }
}

/// Scrolls to an element once it is drawn, since what is above it may be long.
fn bring_into_view(selector: String) {
    focus::when_drawn(move || {
        if let Ok(Some(element)) = gloo::utils::document().query_selector(&selector) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            element.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

/// Moves the focus to the field at a place, or to the one around it: in the level builder, a path of the file.
#[inline(never)]
fn focus_field(path: String) {
    focus::when_drawn(move || {
        let document = gloo::utils::document();
        let mut path = path.as_str();
        while !path.is_empty() {
            // The field itself, or else the first one in it.
            let own = format!("[data-place=\"{path}\"]");
            let inner = format!("[data-place^=\"{path}.\"], [data-place^=\"{path}[\"]");
            for selector in [own, inner] {
                if let Ok(Some(field)) = document.query_selector(&selector) {
                    return focus::reveal(&field);
                }
            }
            path = path
                .rfind(['.', '['])
                .and_then(|at| path.get(..at))
                .unwrap_or_default();
        }
    });
}

fn lazy_module_missing() -> Action {
    Action::Page(PageAction::Say(words::LAZY_MODULE_MISSING.to_owned()))
}

/// Downloads a text as a file.
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
