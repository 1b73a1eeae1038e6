//! The message channel between page and worker, with both of its ends. The worker answers commands with updates, and with
//! the number of those that it has handled.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use borsh::{BorshDeserialize, BorshSerialize};
use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use js_sys::WebAssembly::Module;
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    DedicatedWorkerGlobalScope, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType,
};
use yew::Callback;

use super::host::Host;
use super::progress::Reporter;
use super::refused;
use crate::ui::lazy_module;
use crate::ui::load::locate;
use berth_protocol::command::Command;
use berth_protocol::page::Update;

/// The script that starts the worker; it is published beside the page.
const SCRIPT: &str = "worker.js";
/// Updates up to this total size in bytes are posted in one message and drawn at once; larger ones are decoded in
/// separate tasks.
const TOGETHER_BYTES: usize = 100_000;
/// The message of a worker that is ready for commands.
const READY: &str = "ready";
/// A worker that is not ready after this time is given up.
const START_MS: u32 = 20_000;
/// A worker that owes an answer and says nothing for this time is asked with [`ASK`], and reported if it does not answer.
const SILENT_MS: u32 = 20_000;
const ANSWER_MS: u32 = 10_000;
const ASK: &str = "ask";

/// What is wrong with a worker.
pub enum Fault {
    /// It did not start; these commands were for it.
    NotStarted(Vec<Command>),
    /// It has ended, for this reason.
    Stopped(String),
    /// It owes an answer, and says nothing.
    Silent,
    /// It was silent, and is no longer.
    Answers,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Starts,
    Runs,
    /// It was asked whether it still runs.
    Asked,
    Silent,
    Ended,
}

/// The page's end.
#[derive(Clone)]
pub struct Line {
    shared: Rc<Shared>,
}

struct Shared {
    worker: Worker,
    state: Cell<State>,
    /// What is sent once it runs: commands and, in their order, modules.
    waiting: RefCell<Vec<Waiting>>,
    /// Number of commands sent, and of those handled.
    sent: Cell<u32>,
    handled: Cell<u32>,
    /// Looks whether the worker starts, and then whether it answers.
    watch: RefCell<Option<Timeout>>,
    on_update: Callback<Update>,
    on_fault: Callback<Fault>,
    listeners: RefCell<Vec<EventListener>>,
}

enum Waiting {
    Command(Box<Command>),
    Module(JsValue),
}

/// Starts a worker; `None` if the browser refuses.
pub fn call(on_update: Callback<Update>, on_fault: Callback<Fault>) -> Option<Line> {
    let wants_inline = gloo::utils::window()
        .location()
        .search()
        .is_ok_and(|query| query.contains("engine=inline"));
    let module = module_address().filter(|_| !wants_inline)?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let worker = Worker::new_with_options(&locate(SCRIPT), &options).ok()?;
    let start = Object::new();
    Reflect::set(&start, &"module".into(), &module.into()).ok()?;
    // The module is already compiled, so the worker need not compile it again.
    Reflect::set(&start, &"wasm".into(), &wasm_bindgen::module()).ok()?;
    worker.post_message(&start).ok()?;
    let shared = Rc::new(Shared {
        worker,
        state: Cell::new(State::Starts),
        waiting: RefCell::default(),
        sent: Cell::new(0),
        handled: Cell::new(0),
        watch: RefCell::default(),
        on_update,
        on_fault,
        listeners: RefCell::default(),
    });
    let line = Line { shared };
    line.listen();
    Some(line)
}

/// The address of this module's script, from the page's `modulepreload` link. It differs in every build.
pub fn module_address() -> Option<String> {
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
            if let (Some(shared), Some(message)) = (shared.upgrade(), message) {
                shared.hear(&message.data());
            }
        });
        let shared = Rc::downgrade(&self.shared);
        let failed = EventListener::new(&self.shared.worker, "error", move |event| {
            if let Some(shared) = shared.upgrade() {
                let error = event.dyn_ref::<ErrorEvent>();
                shared.fail(error.map(ErrorEvent::message).unwrap_or_default());
            }
        });
        if let Ok(mut listeners) = self.shared.listeners.try_borrow_mut() {
            listeners.extend([heard, failed]);
        }
        self.shared.watch(START_MS);
    }

    /// Sends a command to the worker, in call order; queues it until the worker is ready.
    pub fn send(&self, command: Command) {
        self.shared.sent.set(self.shared.sent.get().wrapping_add(1));
        show_in_step(false);
        self.shared.post(Waiting::Command(Box::new(command)));
    }

    /// Hands the lazy module to the worker.
    pub fn share(&self, module: JsValue) {
        self.shared.post(Waiting::Module(module));
    }
}

impl Shared {
    fn post(self: &Rc<Self>, message: Waiting) {
        if self.state.get() == State::Starts {
            if let Ok(mut waiting) = self.waiting.try_borrow_mut() {
                waiting.push(message);
            }
            return;
        }
        let message = match message {
            Waiting::Command(command) => posted(&written(&command)),
            Waiting::Module(module) => module,
        };
        // It fails only if the worker is gone, which is an error of its own.
        let _ = self.worker.post_message(&message);
        if self.watch.borrow().is_none() {
            self.watch(SILENT_MS);
        }
    }

    /// Looks after this time whether the worker has said anything.
    fn watch(self: &Rc<Self>, ms: u32) {
        let shared = Rc::downgrade(self);
        let watch = Timeout::new(ms, move || {
            if let Some(shared) = shared.upgrade() {
                shared.watch.take();
                shared.missed();
            }
        });
        self.watch.replace(Some(watch));
    }

    /// The worker has said nothing for the time of the watch.
    fn missed(self: &Rc<Self>) {
        match self.state.get() {
            State::Starts => self.fail(String::new()),
            State::Runs if self.handled == self.sent => {}
            // It may be waiting for the user.
            State::Runs => {
                self.state.set(State::Asked);
                let _ = self.worker.post_message(&JsValue::from_str(ASK));
                self.watch(ANSWER_MS);
            }
            State::Asked => {
                self.state.set(State::Silent);
                self.on_fault.emit(Fault::Silent);
            }
            State::Silent | State::Ended => {}
        }
    }

    /// The worker did not start, or it has ended: after an error in it, nothing is certain about its session.
    fn fail(&self, why: String) {
        let before = self.state.replace(State::Ended);
        self.watch.take();
        self.worker.terminate();
        match before {
            State::Ended => {}
            State::Starts => {
                let waiting = self.waiting.take().into_iter();
                let commands = waiting.filter_map(|it| match it {
                    Waiting::Command(command) => Some(*command),
                    Waiting::Module(_) => None,
                });
                // An engine on the page's thread is in step by itself.
                let _ = gloo::utils::document_element().remove_attribute(IN_STEP);
                self.on_fault.emit(Fault::NotStarted(commands.collect()));
            }
            State::Runs | State::Asked | State::Silent => self.on_fault.emit(Fault::Stopped(why)),
        }
    }

    fn hear(self: &Rc<Self>, message: &JsValue) {
        match self.state.get() {
            State::Ended => return,
            State::Silent => {
                self.state.set(State::Runs);
                self.on_fault.emit(Fault::Answers);
            }
            State::Asked => self.state.set(State::Runs),
            State::Starts | State::Runs => {}
        }
        self.watch.take();
        if message.as_string().as_deref() == Some(READY) {
            self.state.set(State::Runs);
            for message in self.waiting.take() {
                self.post(message);
            }
            return;
        }
        if let Some(handled) = message.as_f64() {
            self.handled.set(handled as u32);
            if self.handled == self.sent {
                show_in_step(true);
            } else {
                self.watch(SILENT_MS);
            }
            return;
        }
        self.watch(SILENT_MS);
        match read::<Update>(message) {
            Ok(updates) => updates
                .into_iter()
                .for_each(|update| self.on_update.emit(update)),
            Err(error) => gloo::console::error!("the engine sent an invalid message:", error),
        }
    }
}

/// The document's attribute for [`show_in_step`].
const IN_STEP: &str = "data-in-step";

/// Shows in the document whether the page has received the outcome of all commands that it sent. Tests and other
/// programs that drive the page wait for it.
fn show_in_step(is_in_step: bool) {
    let document = gloo::utils::document_element();
    // It fails only for a wrong name.
    let _ = document.set_attribute(IN_STEP, if is_in_step { "true" } else { "false" });
}

/// Serializes a message; a buffer may hold several in a row.
fn written(message: &impl BorshSerialize) -> Vec<u8> {
    // It fails only for lengths that exceed 32 bits.
    borsh::to_vec(message).unwrap_or_default()
}

fn posted(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}

/// Reads the messages that the other end serialized with [`written`].
fn read<T: BorshDeserialize>(message: &JsValue) -> Result<Vec<T>, String> {
    let bytes = Uint8Array::new(message).to_vec();
    let mut rest = bytes.as_slice();
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let message = T::deserialize(&mut rest);
        messages.push(message.map_err(|error| error.to_string())?);
    }
    Ok(messages)
}

/// The worker's end.
struct Served {
    scope: DedicatedWorkerGlobalScope,
    host: RefCell<Host>,
    /// A slice is already scheduled.
    works: Cell<bool>,
    /// Number of commands handled.
    handled: Cell<u32>,
    /// The same, as last reported to the page.
    reported: Cell<u32>,
}

/// Handles commands for the lifetime of the page.
pub fn serve() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    let served = Rc::new(Served {
        scope: scope.clone(),
        host: RefCell::new(Host::new()),
        works: Cell::new(false),
        handled: Cell::new(0),
        reported: Cell::new(0),
    });
    let listening = Rc::clone(&served);
    let listener = EventListener::new(&scope, "message", move |event| {
        if let Some(message) = event.dyn_ref::<MessageEvent>() {
            listening.hear(&message.data());
        }
    });
    listener.forget();
    served.post(&JsValue::from_str(READY));
}

impl Served {
    fn hear(self: &Rc<Self>, message: &JsValue) {
        if message.is_string() {
            self.post(&JsValue::from_f64(f64::from(self.reported.get())));
            return;
        }
        if message.is_instance_of::<Module>() {
            lazy_module::link(message);
            return;
        }
        match read(message) {
            Ok(commands) => {
                for command in commands {
                    self.post_all(&self.host.borrow_mut().handle(command));
                    self.handled.set(self.handled.get().wrapping_add(1));
                }
            }
            Err(message) => self.post_all(&[refused(message)]),
        }
        self.report_handled();
        if self.host.borrow().is_running() && !self.works.replace(true) {
            Rc::clone(self).work(Reporter::default());
        }
    }

    /// Runs slice by slice; messages are handled in between.
    fn work(self: Rc<Self>, mut reporter: Reporter) {
        Timeout::new(0, move || {
            let under_way = self.host.borrow().under_way();
            self.post_all(reporter.report(under_way, js_sys::Date::now()).as_slice());
            if !self.host.borrow().is_running() {
                self.works.set(false);
                return;
            }
            self.post_all(&self.host.borrow_mut().work());
            self.report_handled();
            self.work(reporter);
        })
        .forget();
    }

    /// Tells the page how many commands are handled, once the last one's outcome is complete.
    fn report_handled(&self) {
        let handled = self.handled.get();
        if !self.host.borrow().is_catching_up() && self.reported.replace(handled) != handled {
            self.post(&JsValue::from_f64(f64::from(handled)));
        }
    }

    /// Posts updates in batches.
    fn post_all(&self, updates: &[Update]) {
        let mut batch = Vec::new();
        for update in updates {
            let bytes = written(update);
            if !batch.is_empty() && batch.len() + bytes.len() > TOGETHER_BYTES {
                self.post(&posted(&std::mem::take(&mut batch)));
            }
            batch.extend(bytes);
        }
        if !batch.is_empty() {
            self.post(&posted(&batch));
        }
    }

    fn post(&self, message: &JsValue) {
        // It fails only for values that cannot be copied.
        let _ = self.scope.post_message(message);
    }
}
