//! What the page knows, and how actions change it. Plain data: no DOM, no engine.

use std::rc::Rc;

use crate::protocol::cycle::Cycle;
use crate::protocol::frame::Frame;

/// An attempt and its record, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Position in the log.
    pub position: usize,
    pub result: Result<Cycle, String>,
}

/// The page's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Store {
    pub frame: Rc<Frame>,
    /// The attempt that Explain shows.
    pub shown: Option<Rc<Shown>>,
    /// The Pod that the user chose; else Explain follows the run.
    pub pod: Option<String>,
    /// The chosen cell of the matrix: node and plugin.
    pub cell: Option<(String, String)>,
    /// What stands in the text area.
    pub text: String,
    pub running: bool,
}

/// What the engine tells after a command.
#[derive(Clone, Debug)]
pub struct Update {
    pub frame: Frame,
    /// The attempt to explain.
    pub shown: Option<Shown>,
}

/// Something that happened on the page.
#[derive(Clone, Debug)]
pub enum Action {
    /// The engine told the state anew.
    Updated(Box<Update>),
    PodChosen(Option<String>),
    CellChosen {
        node: String,
        plugin: String,
    },
    Typed(String),
    Running(bool),
}

impl Store {
    /// The state after an action.
    pub fn after(&self, action: Action) -> Self {
        let mut next = self.clone();
        match action {
            Action::Updated(update) => {
                let Update { frame, shown } = *update;
                let position =
                    |shown: &Option<Rc<Shown>>| shown.as_ref().map(|shown| shown.position);
                let shown = shown.map(Rc::new);
                if position(&next.shown) != position(&shown) {
                    next.cell = None;
                }
                let is_gone = |pod: &String| !frame.pods.iter().any(|known| known.key == *pod);
                if next.pod.as_ref().is_some_and(is_gone) {
                    next.pod = None;
                }
                next.frame = Rc::new(frame);
                next.shown = shown;
            }
            Action::PodChosen(pod) => {
                next.pod = pod;
                next.cell = None;
            }
            Action::CellChosen { node, plugin } => {
                let cell = Some((node, plugin));
                next.cell = if next.cell == cell { None } else { cell };
            }
            Action::Typed(text) => next.text = text,
            Action::Running(running) => next.running = running,
        }
        next
    }

    /// The record that Explain shows.
    pub fn cycle(&self) -> Option<&Cycle> {
        self.shown
            .as_ref()
            .and_then(|shown| shown.result.as_ref().ok())
    }
}

impl yew::Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(self.after(action))
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Shown, Store, Update};
    use crate::protocol::cycle::Cycle;
    use crate::protocol::frame::{Frame, PodFrame};

    fn shown(position: usize) -> Option<Shown> {
        let result = Ok(Cycle::default());
        Some(Shown { position, result })
    }

    fn updated(frame: &Frame, shown: Option<Shown>) -> Action {
        let frame = frame.clone();
        Action::Updated(Box::new(Update { frame, shown }))
    }

    #[test]
    fn a_cell_is_chosen_and_let_go_and_forgotten_with_its_attempt() {
        let choose = || Action::CellChosen {
            node: "a".into(),
            plugin: "NodeName".into(),
        };
        let frame = Frame::default();
        let store = Store::default().after(updated(&frame, shown(0)));
        let chosen = store.after(choose());
        assert!(chosen.cell.is_some());
        assert!(chosen.after(choose()).cell.is_none());
        let same = chosen.after(updated(&frame, shown(0)));
        assert!(same.cell.is_some());
        assert!(same.after(updated(&frame, shown(1))).cell.is_none());
    }

    #[test]
    fn a_chosen_pod_is_let_go_when_it_no_longer_exists() {
        let pod = PodFrame {
            key: "default/web".into(),
            ..PodFrame::default()
        };
        let frame = Frame {
            pods: vec![pod],
            ..Frame::default()
        };
        let store = Store::default().after(updated(&frame, None));
        let store = store.after(Action::PodChosen(Some("default/web".into())));
        assert!(store.after(updated(&frame, None)).pod.is_some());
        assert!(store.after(updated(&Frame::default(), None)).pod.is_none());
    }
}
