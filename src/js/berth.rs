//! The class `Berth`: a session of its own, or that of the page.

use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use berth_session::{Session, SourceFile, explain, export, fork, frame, sources};

use super::arguments::{self, AttemptArgument};
use super::values::{error, plain, type_error};

/// The name of a trace without one.
const UNNAMED_TRACE: &str = "scenario";

/// A cluster, its pending Pods, and a run that can be stepped forward and backward.
///
/// @example
/// const berth = new Berth({ seed: 7 });
/// const { accepted, problems } = berth.applyYaml(text);
/// while (berth.step()) console.log(berth.frame().timeline.at(-1));
/// console.log(berth.explain("default/web-1").message);
#[wasm_bindgen]
pub struct Berth {
    session: Rc<RefCell<Session>>,
    /// Notified of every use of this object; never while the session is borrowed.
    owner: Rc<dyn Owner>,
}

/// The result of applying sources.
#[derive(serde::Serialize)]
struct Applied<'a> {
    /// False if no document could be read, or if kube-scheduler would not start with the configuration; the
    /// state is then unchanged.
    accepted: bool,
    problems: &'a [berth_protocol::problem::Problem],
}

/// The versions of Berth and of the Kubernetes release that it follows.
#[derive(serde::Serialize)]
struct Version {
    berth: &'static str,
    /// Such as `v1.34.1`.
    kubernetes: &'static str,
}

#[wasm_bindgen]
impl Berth {
    /// An empty session.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "BerthOptions")] options: JsValue,
    ) -> Result<Berth, JsValue> {
        let session = Session::new(arguments::options(&options)?);
        Ok(Self::shared(Rc::new(RefCell::new(session)), Rc::new(Alone)))
    }

    /// Loads manifests (YAML or JSON, any number of documents) and moves to the beginning of their run.
    /// Documents with errors are left out; see `problems`.
    #[wasm_bindgen(js_name = applyYaml, unchecked_return_type = "Applied")]
    pub fn apply_yaml(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sources")] sources: JsValue,
    ) -> Result<JsValue, JsValue> {
        // Done before the session is borrowed, because reading an object may run the caller's getters.
        let files: Vec<SourceFile> = arguments::sources(&sources)?;
        let change = Change::Opened(files.clone());
        self.change(change, |session| {
            let accepted = session.apply(&files);
            plain(&Applied {
                accepted,
                problems: session.problems(),
            })
        })?
    }

    /// Applies edited manifests from this moment of the run on: bound Pods keep their nodes, and pending
    /// Pods are tried again. Editing the past creates a fork; see `frame().fork`.
    #[wasm_bindgen(js_name = editYaml, unchecked_return_type = "Applied")]
    pub fn edit_yaml(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sources")] sources: JsValue,
    ) -> Result<JsValue, JsValue> {
        let files: Vec<SourceFile> = arguments::sources(&sources)?;
        let change = Change::Edited(files.clone());
        self.change(change, |session| {
            let accepted = session.edit(&files, false);
            plain(&Applied {
                accepted,
                problems: session.problems(),
            })
        })?
    }

    /// Undoes the last change of the manifests. Returns `false` if there is none.
    pub fn undo(&self) -> Result<bool, JsValue> {
        self.change(Change::Undone, Session::undo)
    }

    /// Redoes the change that was undone last. Returns `false` if there is none.
    pub fn redo(&self) -> Result<bool, JsValue> {
        self.change(Change::Redone, Session::redo)
    }

    /// Leaves a fork for the run that it branched off from. Returns `false` if there is no fork.
    #[wasm_bindgen(js_name = backToFirstRun)]
    pub fn back_to_first_run(&self) -> Result<bool, JsValue> {
        self.change(Change::LeftFork, sources::back_to_first_run)
    }

    /// Moves one attempt forward. Returns `false` at the end of the run.
    pub fn step(&self) -> Result<bool, JsValue> {
        self.change(Change::Moved, Session::step)
    }

    /// Moves one attempt backward. Returns `false` at the beginning.
    #[wasm_bindgen(js_name = stepBack)]
    pub fn step_back(&self) -> Result<bool, JsValue> {
        self.change(Change::Moved, Session::step_back)
    }

    /// Runs to the end, or at most `limit` attempts forward. Returns the number of attempts.
    pub fn run(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] limit: JsValue,
    ) -> Result<usize, JsValue> {
        let limit = arguments::optional_position("limit", &limit)?;
        self.change(Change::Moved, |session| {
            session.advance(limit.unwrap_or(usize::MAX))
        })
    }

    /// Moves to the beginning. The log is kept.
    pub fn reset(&self) -> Result<(), JsValue> {
        self.change(Change::Moved, Session::reset)
    }

    /// Moves to a position of the log, from 0. If the log is shorter, moves to its end and returns `false`.
    pub fn seek(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] position: JsValue,
    ) -> Result<bool, JsValue> {
        let position = arguments::position("position", &position)?;
        self.change(Change::Moved, |session| session.seek(position))
    }

    /// Entries of the log before this moment: attempts, and edits of the manifests.
    #[wasm_bindgen(getter)]
    pub fn position(&self) -> Result<usize, JsValue> {
        Ok(self.read()?.position())
    }

    /// A snapshot of this moment for views.
    #[wasm_bindgen(unchecked_return_type = "Frame")]
    pub fn frame(&self) -> Result<JsValue, JsValue> {
        self.owner.before();
        let mut session = self.session.try_borrow_mut().map_err(|_| busy())?;
        // A caller that asks for a fork wants to know how it comes out.
        fork::advance(&mut session, usize::MAX);
        plain(&frame::build(&session))
    }

    /// One attempt in full: by Pod, its last attempt before this moment, or else its first after it; or by
    /// position in the log, from 0. The position after the last entry is a forecast of the next attempt.
    #[wasm_bindgen(unchecked_return_type = "Cycle")]
    pub fn explain(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | number", js_name = "podOrAttempt")]
        wanted: JsValue,
    ) -> Result<JsValue, JsValue> {
        let wanted = arguments::wanted(&wanted)?;
        let session = self.read()?;
        let position = match &wanted {
            AttemptArgument::Attempt(position) => *position,
            AttemptArgument::Pod(pod) => {
                attempt_of(&session, pod).map_err(|message| error(&message))?
            }
        };
        let cycle = explain::attempt(&session, position).map_err(|message| {
            let made = session.log().len();
            if position < made {
                return error(&message.to_string());
            }
            error(&format!(
                "{message}: {made} were made so far, numbered from 0; run() makes those that are left"
            ))
        })?;
        plain(&cycle)
    }

    /// The manifests with the placement of every Pod at this moment.
    #[wasm_bindgen(js_name = exportYaml)]
    pub fn export_yaml(&self) -> Result<String, JsValue> {
        let session = self.read()?;
        Ok(export::yaml(&session))
    }

    /// Every attempt of the run, in the format in which the real kube-scheduler's decisions were recorded.
    /// Plays the run to its end and returns to this moment. `name` is the name of the scenario.
    #[wasm_bindgen(unchecked_return_type = "Trace")]
    pub fn trace(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "string")] name: JsValue,
    ) -> Result<JsValue, JsValue> {
        let name = arguments::optional_text("name", &name)?;
        let trace = self.change(Change::Moved, |session| {
            let position = session.position();
            let trace = export::trace(session, name.as_deref().unwrap_or(UNNAMED_TRACE));
            session.seek(position);
            trace
        })?;
        plain(&trace.map_err(|message| error(&message.to_string()))?)
    }

    /// The problems of the sources that were applied last.
    #[wasm_bindgen(unchecked_return_type = "Problem[]")]
    pub fn problems(&self) -> Result<JsValue, JsValue> {
        plain(&self.read()?.problems())
    }

    /// A hash of the state at this moment; equal states have equal digests.
    pub fn digest(&self) -> Result<String, JsValue> {
        Ok(self.read()?.digest())
    }

    /// Berth's version, and the version of Kubernetes that it follows.
    #[wasm_bindgen(getter, unchecked_return_type = "Version")]
    pub fn version(&self) -> Result<JsValue, JsValue> {
        let release = self.read()?.manifests().prepared.release;
        plain(&Version {
            berth: env!("CARGO_PKG_VERSION"),
            kubernetes: release.version().full(),
        })
    }
}

impl Berth {
    /// The API of a session that the page shows.
    pub fn shared(session: Rc<RefCell<Session>>, owner: Rc<dyn Owner>) -> Berth {
        Berth { session, owner }
    }

    fn read(&self) -> Result<Ref<'_, Session>, JsValue> {
        self.owner.before();
        self.session.try_borrow().map_err(|_| busy())
    }

    fn change<T>(&self, change: Change, act: impl FnOnce(&mut Session) -> T) -> Result<T, JsValue> {
        self.owner.before();
        let result = {
            let mut session: RefMut<'_, Session> =
                self.session.try_borrow_mut().map_err(|_| busy())?;
            act(&mut session)
        };
        self.owner.changed(change);
        Ok(result)
    }
}

/// A change of a session through the API.
pub enum Change {
    Opened(Vec<SourceFile>),
    Edited(Vec<SourceFile>),
    Undone,
    Redone,
    LeftFork,
    /// The position in the log changed, or the log grew.
    Moved,
}

/// The owner of the session. Both methods are called while the session is not borrowed.
pub trait Owner {
    /// Called before every use.
    fn before(&self) {}
    /// Called after every change.
    fn changed(&self, _change: Change) {}
}

/// The owner of a session that is used only through the API.
struct Alone;

impl Owner for Alone {}

/// Installs the object as `globalThis.berth`.
///
/// # Errors
/// If `globalThis` is frozen, or its property `berth` cannot be written.
pub fn install(berth: Berth) -> Result<(), JsValue> {
    let name = JsValue::from_str("berth");
    match js_sys::Reflect::set(&js_sys::global(), &name, &JsValue::from(berth))? {
        true => Ok(()),
        false => Err(type_error("globalThis.berth cannot be set")),
    }
}

fn busy() -> JsValue {
    error("the session is busy; call again when the running call has returned")
}

fn attempt_of(session: &Session, pod: &str) -> Result<usize, String> {
    if let Some(position) = session.attempt_of(pod) {
        return Ok(position);
    }
    let run = session.run();
    let is_next = run.next_pod().is_some_and(|next| next.object.key() == pod);
    if is_next && session.position() == session.log().len() {
        return Ok(session.position());
    }
    let mut pods = run.cluster().pods().iter();
    let Some(known) = pods.find(|known| known.object.key() == pod) else {
        return Err(format!(
            "there is no Pod {pod:?}; frame().pods lists them by key (\"namespace/name\")"
        ));
    };
    Err(match (&known.object.node_name, run.gate_of(known)) {
        (Some(node), _) => {
            format!("Pod {pod:?} was on {node} from the beginning: no attempt was made for it")
        }
        (None, Some(gate)) => format!("Pod {pod:?} is not tried at all: {gate}"),
        (None, None) => format!("Pod {pod:?} has not been tried yet: run() tries it"),
    })
}
