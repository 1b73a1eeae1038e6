//! The engine behind the page: a session, and long runs in slices. The rest of the page sees only
//! commands and updates, so that a worker can take its place.

use std::cell::RefCell;
use std::rc::Rc;

use crate::js::Berth;
use crate::protocol::cycle::Cycle;
use crate::protocol::frame::Frame;
use crate::session::{Options, Session, SourceFile};

/// The name of the page's one source file, as problems give it.
pub const FILE_NAME: &str = "scenario.yaml";

/// Attempts between two looks at the user: well below 50 ms at the sizes this page is made for.
const SLICE: usize = 16;

/// What the user wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Take these manifests, at the beginning of their run.
    Apply(String),
    Step,
    StepBack,
    /// One slice of a run to the end.
    RunSlice,
    Reset,
    Seek(usize),
}

/// An attempt that is explained.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Position in the log.
    pub position: usize,
    pub result: Result<Cycle, String>,
}

/// The page's session.
#[derive(Clone)]
pub struct Engine {
    session: Rc<RefCell<Session>>,
}

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.session, &other.session)
    }
}

impl Engine {
    /// A new session, also bound to `globalThis.berth`; `on_change` is called when somebody changes
    /// it there.
    pub fn start(on_change: Rc<dyn Fn()>) -> Self {
        let session = Rc::new(RefCell::new(Session::new(Options::default())));
        // The page works without `globalThis.berth` if something keeps it from being set.
        let _ = crate::js::install(Berth::shared(Rc::clone(&session), on_change));
        Self { session }
    }

    /// Does what the user wants. `false`: there is nothing left to do (the end of a run, sources
    /// that cannot be read).
    pub fn send(&self, command: Command) -> bool {
        // Only a call from within a call could find the session in use, and there is none.
        let Ok(mut session) = self.session.try_borrow_mut() else {
            return false;
        };
        match command {
            Command::Apply(text) => session.apply(&[SourceFile::new(FILE_NAME, text)]),
            Command::Step => session.step(),
            Command::StepBack => session.step_back(),
            Command::RunSlice => session.advance(SLICE) == SLICE,
            Command::Reset => {
                session.reset();
                true
            }
            Command::Seek(position) => session.seek(position),
        }
    }

    /// What is to be shown now.
    pub fn frame(&self) -> Frame {
        self.session
            .try_borrow()
            .map(|session| session.frame())
            .unwrap_or_default()
    }

    /// The attempt of a Pod, or else the last one made; `None` before the first.
    pub fn explain(&self, pod: Option<&str>) -> Option<Explained> {
        let session = self.session.try_borrow().ok()?;
        let of_pod = pod.map(|pod| session.attempt_of(pod));
        let position = of_pod.unwrap_or_else(|| session.position().checked_sub(1))?;
        Some(Explained {
            position,
            result: session.explain(position),
        })
    }
}
