//! The page as a whole: panels around one store, and the wires to the engine.

use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use web_sys::wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};
use yew::{
    Callback, Html, UseReducerDispatcher, function_component, html, use_effect_with, use_mut_ref,
    use_node_ref, use_reducer, use_state,
};

use super::engine::{Command, Engine};
use super::panels::timeline::Transport;
use super::panels::{explain, sources, stage, timeline};
use super::parts::icon::icon;
use super::store::{Action, Shown, Store, Update};
use super::words;

/// What the page begins with.
const DEFAULT_SCENARIO: &str = include_str!("../../www/scenarios/default.yaml");
/// Typing stops for so long before the text is read.
const TYPING_PAUSE_MS: u32 = 250;

/// The wires between store and engine.
#[derive(Clone)]
struct Wires {
    engine: Engine,
    dispatch: UseReducerDispatcher<Store>,
    /// The chosen Pod, as the last rendering saw it.
    pod: Option<String>,
}

impl Wires {
    fn refresh(&self, pod: Option<&str>) {
        let shown = self.engine.explain(pod).map(|explained| Shown {
            position: explained.position,
            result: explained.result,
        });
        let frame = self.engine.frame();
        let update = Box::new(Update { frame, shown });
        self.dispatch.dispatch(Action::Updated(update));
    }

    fn send(&self, command: Command) {
        self.engine.send(command);
        // Moving in time lets go of the chosen Pod: Explain follows the run.
        self.dispatch.dispatch(Action::PodChosen(None));
        self.refresh(None);
    }

    fn choose(&self, pod: String) {
        let pod = if self.pod.as_ref() == Some(&pod) {
            None
        } else {
            Some(pod)
        };
        self.dispatch.dispatch(Action::PodChosen(pod.clone()));
        self.refresh(pod.as_deref());
    }
}

/// The page.
#[function_component]
pub fn App() -> Html {
    let store = use_reducer(Store::default);
    let area = use_node_ref();
    let pause = use_mut_ref(|| None::<Timeout>);
    let running = use_mut_ref(|| false);
    let dark = use_state(prefers_dark);
    let changed = use_state(|| 0_u32);
    let engine = {
        let changed = changed.setter();
        let dispatch = store.dispatcher();
        let engine = use_state(move || {
            let counter = std::cell::Cell::new(0_u32);
            let engine = Engine::start(Rc::new(move || {
                counter.set(counter.get().wrapping_add(1));
                changed.set(counter.get());
            }));
            engine.send(Command::Apply(DEFAULT_SCENARIO.to_owned()));
            dispatch.dispatch(Action::Typed(DEFAULT_SCENARIO.to_owned()));
            engine
        });
        (*engine).clone()
    };
    let wires = Wires {
        engine,
        dispatch: store.dispatcher(),
        pod: store.pod.clone(),
    };
    {
        // Somebody used globalThis.berth (or the page has just begun).
        let wires = wires.clone();
        use_effect_with(*changed, move |_| wires.refresh(wires.pod.as_deref()));
    }
    let typed = {
        let wires = wires.clone();
        Callback::from(move |text: String| {
            wires.dispatch.dispatch(Action::Typed(text.clone()));
            let wires = wires.clone();
            let apply = move || wires.send(Command::Apply(text));
            *pause.borrow_mut() = Some(Timeout::new(TYPING_PAUSE_MS, apply));
        })
    };
    let transport = Transport {
        send: {
            let wires = wires.clone();
            Callback::from(move |command| wires.send(command))
        },
        run: {
            let (wires, running) = (wires.clone(), Rc::clone(&running));
            Callback::from(move |()| {
                let starts = !*running.borrow();
                *running.borrow_mut() = starts;
                wires.dispatch.dispatch(Action::Running(starts));
                if starts {
                    run_slice(wires.clone(), Rc::clone(&running));
                }
            })
        },
    };
    use_keys(&transport);
    let choose = {
        let wires = wires.clone();
        Callback::from(move |pod| wires.choose(pod))
    };
    let choose_cell = {
        let dispatch = store.dispatcher();
        Callback::from(move |(node, plugin)| dispatch.dispatch(Action::CellChosen { node, plugin }))
    };
    let toggle_theme = {
        let dark = dark.clone();
        Callback::from(move |_| {
            set_theme(!*dark);
            dark.set(!*dark);
        })
    };
    let title = Some(store.frame.title.clone()).filter(|title| !title.is_empty());
    html! {
        <div class="app">
            <header class="topbar">
                <h1 class="brand">{ icon("logo") }{ words::BRAND }</h1><span class="topbar__sep" />
                <span class="topbar__title clip">{ title.unwrap_or_else(|| words::UNTITLED.to_owned()) }</span>
                <span class="topbar__note clip">{ words::FOLLOWS }</span>
                <span class="push" />
                <button class="btn btn--icon" aria-label={words::THEME} title={words::THEME} onclick={toggle_theme}>{ icon("theme") }</button>
            </header>
            { sources::view(&store, &area, &typed) }
            { stage::view(&store, &choose) }
            { explain::view(&store, &choose_cell) }
            { timeline::view(&store, &transport) }
        </div>
    }
}

/// Runs on in slices, so that the page stays alive between them.
fn run_slice(wires: Wires, running: Rc<std::cell::RefCell<bool>>) {
    let more = *running.borrow() && wires.engine.send(Command::RunSlice);
    wires.dispatch.dispatch(Action::PodChosen(None));
    wires.refresh(None);
    if more {
        Timeout::new(0, move || run_slice(wires, running)).forget();
    } else {
        *running.borrow_mut() = false;
        wires.dispatch.dispatch(Action::Running(false));
    }
}

/// Arrows step and space runs, unless the focus is on something that uses them.
#[yew::hook]
fn use_keys(transport: &Transport) {
    let transport = transport.clone();
    use_effect_with((), move |()| {
        let options = EventListenerOptions::enable_prevent_default();
        let document = gloo::utils::document();
        let listener =
            EventListener::new_with_options(&document, "keydown", options, move |event| {
                let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
                    return;
                };
                let focused = event
                    .target()
                    .and_then(|target| target.dyn_into::<HtmlElement>().ok());
                let tag = focused
                    .map(|element| element.tag_name())
                    .unwrap_or_default();
                if matches!(tag.as_str(), "TEXTAREA" | "INPUT" | "SELECT")
                    || event.ctrl_key()
                    || event.meta_key()
                    || event.alt_key()
                {
                    return;
                }
                match event.key().as_str() {
                    "ArrowRight" => transport.send.emit(Command::Step),
                    "ArrowLeft" => transport.send.emit(Command::StepBack),
                    "Home" => transport.send.emit(Command::Reset),
                    " " if tag != "BUTTON" => transport.run.emit(()),
                    _ => return,
                }
                event.prevent_default();
            });
        move || drop(listener)
    });
}

fn prefers_dark() -> bool {
    let query = gloo::utils::window().match_media("(prefers-color-scheme: dark)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

fn set_theme(dark: bool) {
    let theme = if dark { "dark" } else { "light" };
    // Without the attribute the page keeps following the system.
    let _ = gloo::utils::document_element().set_attribute("data-theme", theme);
}
