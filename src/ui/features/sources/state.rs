//! The manifests as text: typing, the editor's cursor, and the list of documents.

use std::rc::Rc;

use super::documents::{self, Document, documents, is_another, last_change};
use crate::ui::store::{Effect, Panel, Store, Timer};
use berth_protocol::command::Mutation;
use berth_protocol::frame::PodFrame;

/// Pause in typing, in milliseconds, before a text longer than `SHORT_BYTES` is read.
const LONG_PAUSE_MS: u32 = 250;
/// Largest text in bytes that is read without a pause: about 100 nodes with some hundred Pods.
const SHORT_BYTES: usize = 200_000;
/// Pause in typing before the text area behind the editor gets the text. Browsers create two DOM nodes per line, and
/// the stage is drawn first.
const COPY_MS: u32 = 300;
/// Pause before a part of the program that could not be fetched is tried again.
const FETCH_AGAIN_MS: u32 = 3000;
/// After this pause, further typing is a separate undo step.
const TYPING_ENDS_MS: u32 = 2000;

/// An event in the editor.
#[derive(Clone, Debug, PartialEq)]
pub enum EditorAction {
    /// The whole text after a keystroke; it is read when the typing pauses.
    Typed(String),
    /// The same, typed in the text area that stands in for the editor.
    TypedElsewhere(String),
    /// The code editor is loaded.
    Ready,
    /// The manifests got the focus, so typing may follow.
    Focused,
    /// The cursor is in this line.
    Cursor(u32),
    /// Puts the cursor at this line and column.
    GoTo(u32, u32),
    /// Typing paused: read the text.
    Read,
    /// Copies the text to the text area.
    Copy,
    /// Further typing is a separate undo step.
    TypingEnds,
    /// Whether the text could not be read, because part of the program is missing.
    Unread(bool),
    /// Tries again to fetch that part.
    FetchAgain,
}

impl EditorAction {
    /// Whether the visitor changes the text.
    pub(in crate::ui) fn is_typing(&self) -> bool {
        match self {
            Self::Typed(_) | Self::TypedElsewhere(_) => true,
            Self::GoTo(..)
            | Self::TypingEnds
            | Self::Ready
            | Self::Focused
            | Self::Cursor(_)
            | Self::Read
            | Self::Copy
            | Self::Unread(_)
            | Self::FetchAgain => false,
        }
    }

    /// See [`crate::ui::store::Manner`].
    pub fn ends_typing(&self) -> bool {
        match self {
            Self::GoTo(..) | Self::TypingEnds => true,
            Self::Typed(_)
            | Self::TypedElsewhere(_)
            | Self::Ready
            | Self::Focused
            | Self::Cursor(_)
            | Self::Read
            | Self::Copy
            | Self::Unread(_)
            | Self::FetchAgain => false,
        }
    }
}

/// The state of the text and its editor.
#[derive(Clone, Debug, PartialEq)]
pub struct Editor {
    /// The manifests as shown in the editor.
    pub text: Rc<str>,
    /// Incremented when the text changes other than by typing.
    pub text_version: u32,
    /// Incremented when the text area is to get the text.
    pub copies: u32,
    /// The text's documents, found by a line scan.
    pub documents: Vec<Document>,
    /// Incremented when `documents` changes.
    pub documents_version: u32,
    /// The code editor is loaded.
    pub ready: bool,
    /// The line of the cursor, from 1.
    pub cursor: u32,
    /// Requested cursor position: line, column (0: do not take the focus), and a request counter.
    pub target: Option<(u32, u32, u32)>,
    /// Incremented when the text is to be stored for the next visit.
    pub(in crate::ui) to_store: u32,
    /// The latest text waits for a part of the program that could not be fetched.
    pub waits: bool,
    /// The engine has not read the latest text.
    unread: bool,
    /// Further typing belongs to the same undo step.
    pub(in crate::ui) typing: bool,
    /// The engine was asked to warm up for typing.
    warmed_up: bool,
    /// Someone typed into the code editor since the page was loaded.
    pub was_typed_in: bool,
    /// Someone was in this text, or edited its objects; until then it follows the explained Pod.
    visited: bool,
}

impl Default for Editor {
    fn default() -> Self {
        Self {
            text: "".into(),
            text_version: 0,
            copies: 0,
            documents: Vec::new(),
            documents_version: 0,
            ready: false,
            cursor: 1,
            target: None,
            to_store: 0,
            waits: false,
            unread: false,
            typing: false,
            warmed_up: false,
            was_typed_in: false,
            visited: false,
        }
    }
}

impl Editor {
    pub(in crate::ui) fn set_text(&mut self, text: &str) {
        self.text = text.into();
        self.text_version += 1;
        self.copies += 1;
        self.visited = false;
        self.to_store += 1;
        self.list_documents();
    }

    fn list_documents(&mut self) {
        let found = documents(&self.text);
        if self.documents != found {
            self.documents = found;
            self.documents_version += 1;
        }
    }

    fn aim(&mut self, line: u32, column: u32) {
        let count = self.target.map_or(0, |(_, _, count)| count);
        self.target = Some((line, column, count + 1));
    }

    /// Takes a text that the engine changed, and moves to the changed line; of another text, to its beginning.
    pub(in crate::ui) fn follow(&mut self, text: &str) {
        match last_change(&self.text, text) {
            Some(_) if is_another(&self.text, text) => self.aim(1, 0),
            Some(line) => self.aim(line, 0),
            None => {}
        }
        self.set_text(text);
        self.visited = true;
    }

    /// Shows the document that a Pod comes from, unless someone was in the text.
    pub(in crate::ui) fn open_at(&mut self, pod: &PodFrame) {
        // The rest of a long text is still being loaded.
        if self.visited || !self.is_short() {
            return;
        }
        let here = |line: &u32| {
            documents::at(&self.documents, *line) == documents::at(&self.documents, self.cursor)
        };
        let line = documents::line_of(&self.documents, pod);
        if let Some(line) = line.filter(|line| !here(line)) {
            self.aim(line, 0);
        }
    }

    fn is_short(&self) -> bool {
        self.text.len() <= SHORT_BYTES
    }

    /// Handles a keystroke: schedules the read.
    fn typed(&mut self) -> Vec<Effect> {
        self.unread = true;
        let read = if self.is_short() {
            Effect::ReadTyped
        } else {
            Effect::Start(Timer::Read, LONG_PAUSE_MS)
        };
        vec![read, Effect::Stop(Timer::EndTyping), Effect::LoadLazyModule]
    }

    /// Whether an action changes what is drawn.
    pub(in crate::ui) fn shows(&self, action: &EditorAction) -> bool {
        match action {
            // They are drawn once the text is read, which is soon.
            EditorAction::Typed(_) | EditorAction::TypedElsewhere(_) | EditorAction::Focused => {
                false
            }
            // A short text is drawn with the engine's answer.
            EditorAction::Read => !self.is_short(),
            EditorAction::Cursor(line) => {
                documents::at(&self.documents, *line) != documents::at(&self.documents, self.cursor)
            }
            EditorAction::Unread(unread) => *unread != self.waits,
            EditorAction::FetchAgain => false,
            EditorAction::Ready
            | EditorAction::GoTo(..)
            | EditorAction::Copy
            | EditorAction::TypingEnds => true,
        }
    }
}

impl Store {
    pub(in crate::ui) fn in_editor(&mut self, action: EditorAction) -> Vec<Effect> {
        let editor = &mut self.editor;
        match action {
            EditorAction::Typed(text) => {
                editor.text = text.into();
                editor.was_typed_in = true;
                editor.visited = true;
                let mut effects = editor.typed();
                effects.push(Effect::Start(Timer::Copy, COPY_MS));
                return effects;
            }
            EditorAction::TypedElsewhere(text) => {
                editor.set_text(&text);
                editor.visited = true;
                return editor.typed();
            }
            EditorAction::Ready => editor.ready = true,
            EditorAction::Focused => {
                editor.visited = true;
                let warms_up = !std::mem::replace(&mut editor.warmed_up, true);
                return warms_up.then_some(Effect::WarmUp).into_iter().collect();
            }
            EditorAction::Cursor(line) => editor.cursor = line,
            EditorAction::GoTo(line, column) => {
                editor.visited = true;
                editor.aim(line, column);
                self.open_panel(Panel::Sources);
            }
            EditorAction::Read => {
                let mut effects = self.read();
                effects.push(Effect::Start(Timer::EndTyping, TYPING_ENDS_MS));
                return effects;
            }
            EditorAction::Copy => editor.copies += 1,
            EditorAction::Unread(unread) => {
                editor.waits = unread;
                let again = unread.then_some(Effect::Start(Timer::FetchAgain, FETCH_AGAIN_MS));
                return again.into_iter().collect();
            }
            EditorAction::FetchAgain => {
                let again = editor.waits.then_some(Effect::FetchForText);
                return again.into_iter().collect();
            }
            // `Store::act` has already ended the typing.
            EditorAction::TypingEnds => {}
        }
        Vec::new()
    }

    /// Sends the text to the engine if it has not read it yet.
    pub(in crate::ui) fn read(&mut self) -> Vec<Effect> {
        if !std::mem::take(&mut self.editor.unread) {
            return Vec::new();
        }
        self.leave();
        self.page.notice = None;
        self.scheduler.settle();
        self.editor.list_documents();
        self.editor.to_store += 1;
        self.view.may_begin_anew();
        let goes_on = std::mem::replace(&mut self.editor.typing, true);
        let text = self.editor.text.to_string();
        vec![self.mutate(Mutation::Type { text, goes_on })]
    }
}

#[cfg(test)]
mod tests {
    use super::EditorAction;
    use crate::ui::store::{Action, EditAction, Store};
    use berth_protocol::cycle::Cycle;
    use berth_protocol::frame::PodFrame;
    use berth_protocol::page::{Changed, Explained, Patch, Rows, Update};

    fn pod(name: &str) -> PodFrame {
        PodFrame {
            key: format!("default/{name}"),
            ..PodFrame::default()
        }
    }

    fn open(store: &mut Store) {
        let text = "kind: Scenario\n---\nkind: Pod\nmetadata: {name: web}\n---\nkind: Pod\nmetadata: {name: db}\n";
        store.act(Action::Edit(EditAction::Open(text.to_owned())));
        let pods = Changed {
            length: 2,
            items: vec![(0, pod("web")), (1, pod("db"))],
        };
        let patch = Patch {
            pods,
            ..Patch::default()
        };
        store.act(Action::Update(Box::new(Update::Patch(Box::new(patch)))));
    }

    /// Explains a Pod; line and column of the cursor that is asked for then.
    fn explain(store: &mut Store, name: &str) -> Option<(u32, u32)> {
        let explained = Explained {
            position: 0,
            made: true,
            at_ms: None,
            result: Ok(Cycle {
                pod: pod(name).key,
                ..Cycle::default()
            }),
            rows: Rows::default(),
        };
        let update = Update::Explained(Box::new(explained));
        store.act(Action::Update(Box::new(update)));
        store.editor.target.map(|(line, column, _)| (line, column))
    }

    #[test]
    fn the_text_follows_the_explained_pod_until_someone_is_in_it() {
        let mut store = Store::default();
        open(&mut store);
        assert_eq!(explain(&mut store, "web"), Some((3, 0)), "no focus");
        assert_eq!(explain(&mut store, "db"), Some((6, 0)));
        store.act(Action::Editor(EditorAction::Cursor(7)));
        let asked = store.editor.target;
        explain(&mut store, "db");
        assert_eq!(store.editor.target, asked, "it is there already");
        store.act(Action::Editor(EditorAction::Focused));
        assert_eq!(explain(&mut store, "web"), Some((6, 0)));
        open(&mut store);
        assert_eq!(explain(&mut store, "web"), Some((3, 0)), "another text");
    }
}
