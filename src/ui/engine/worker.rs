//! The line between page and worker, and both of its ends.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use super::host::Host;
use crate::protocol::page::{Command, Update};

/// What starts the worker; it is published beside the page.
const SCRIPT: &str = "worker.js";
/// Updates up to this size in all come together, and are drawn at once; larger ones are read in
/// tasks of their own.
const TOGETHER_BYTES: usize = 100_000;
/// Said by the worker once it takes commands.
const READY: &str = "ready";

/// The page's end.
#[derive(Clone)]
pub struct Line {
    shared: Rc<Shared>,
}

struct Shared {
    worker: Worker,
    is_ready: Cell<bool>,
    waiting: RefCell<Vec<String>>,
    told: Callback<Update>,
    listeners: RefCell<Vec<EventListener>>,
}

/// Calls a worker; `None` where the browser refuses.
pub fn call(told: Callback<Update>) -> Option<Line> {
    let wants_inline = gloo::utils::window()
        .location()
        .search()
        .is_ok_and(|query| query.contains("engine=inline"));
    let module = module_address().filter(|_| !wants_inline)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(SCRIPT, &options).ok()?;
    let start = Object::new();
    Reflect::set(&start, &"module".into(), &module.into()).ok()?;
    // Compiled already: the worker need not do it again.
    Reflect::set(&start, &"wasm".into(), &wasm_bindgen::module()).ok()?;
    worker.post_message(&start).ok()?;
    let shared = Rc::new(Shared {
        worker,
        is_ready: Cell::new(false),
        waiting: RefCell::default(),
        told,
        listeners: RefCell::default(),
    });
    let line = Line { shared };
    line.listen();
    Some(line)
}

/// Where the script that goes with this module is: the page's head names it for preloading.
fn module_address() -> Option<String> {
    let document = gloo::utils::document();
    let link = document.query_selector("link[rel=modulepreload]").ok()??;
    let address = link.get_attribute("href")?;
    let base = document.base_uri().ok()??;
    Some(web_sys::Url::new_with_base(&address, &base).ok()?.href())
}

impl Line {
    fn listen(&self) {
        let shared = Rc::downgrade(&self.shared);
        let heard = EventListener::new(&self.shared.worker, "message", move |event| {
            let message = event.dyn_ref::<MessageEvent>();
            let text = message.and_then(|message| message.data().as_string());
            if let (Some(shared), Some(text)) = (shared.upgrade(), text) {
                shared.hear(&text);
            }
        });
        if let Ok(mut listeners) = self.shared.listeners.try_borrow_mut() {
            listeners.push(heard);
        }
    }

    /// To the worker, in the order of the calls; at once, or as soon as it takes commands.
    pub fn send(&self, command: &Command) {
        let Ok(text) = serde_json::to_string(command) else {
            return;
        };
        if self.shared.is_ready.get() {
            // It fails only if the worker is gone, and then there is nobody to tell.
            let _ = self.shared.worker.post_message(&text.into());
        } else if let Ok(mut waiting) = self.shared.waiting.try_borrow_mut() {
            waiting.push(text);
        }
    }
}

impl Shared {
    fn hear(&self, text: &str) {
        if text == READY {
            self.is_ready.set(true);
            for command in self.waiting.take() {
                let _ = self.worker.post_message(&command.into());
            }
            return;
        }
        match serde_json::from_str::<Vec<Update>>(text) {
            Ok(updates) => updates
                .into_iter()
                .for_each(|update| self.told.emit(update)),
            Err(error) => {
                gloo::console::error!("the engine said something odd:", error.to_string())
            }
        }
    }
}

/// The worker's end: takes commands as long as the page is there.
pub fn serve() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    let host = Rc::new(RefCell::new(Host::new()));
    let works = Rc::new(Cell::new(false));
    let target = scope.clone();
    let listener = EventListener::new(&target, "message", move |event| {
        let Some(text) = event
            .dyn_ref::<MessageEvent>()
            .and_then(|message| message.data().as_string())
        else {
            return;
        };
        let updates = match serde_json::from_str::<Command>(&text) {
            Ok(command) => host.borrow_mut().handle(command),
            Err(error) => vec![Update::Refused {
                message: error.to_string(),
            }],
        };
        tell(&updates);
        if host.borrow().is_running() && !works.replace(true) {
            work(Rc::clone(&host), Rc::clone(&works));
        }
    });
    listener.forget();
    let _ = scope.post_message(&JsValue::from_str(READY));
}

/// One slice, then a look at the messages, then the next.
fn work(host: Rc<RefCell<Host>>, works: Rc<Cell<bool>>) {
    Timeout::new(0, move || {
        if !host.borrow().is_running() {
            works.set(false);
            return;
        }
        let updates = host.borrow_mut().work();
        tell(&updates);
        work(host, works);
    })
    .forget();
}

/// Posts updates as lists.
fn tell(updates: &[Update]) {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    let mut told = String::new();
    let post = |told: &mut String| {
        told.push(']');
        let _ = scope.post_message(&std::mem::take(told).into());
    };
    for update in updates {
        let Ok(text) = serde_json::to_string(update) else {
            continue;
        };
        if !told.is_empty() && told.len() + text.len() > TOGETHER_BYTES {
            post(&mut told);
        }
        told.push(if told.is_empty() { '[' } else { ',' });
        told.push_str(&text);
    }
    if !told.is_empty() {
        post(&mut told);
    }
}
