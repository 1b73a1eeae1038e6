//! The page around the panels: which panel and dialog are open, the layout, and notices.

use super::{Arrange, Effect, Layout, Store};
use crate::ui::engine::Trouble;
use crate::ui::features::case::CaseAction;
use crate::ui::features::compare::Topic;
use crate::ui::features::opening::Opening;
use crate::words::language::Language;
use crate::words::{self, Text};

/// The panels; a small screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    Sources,
    #[default]
    Stage,
    Explain,
}

/// What the page shows if it is embedded in another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmbedView {
    #[default]
    Stage,
    Explain,
    /// The matrix of the explanation.
    Matrix,
    Terminal,
}

/// What the browser keeps of a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// All of it.
    #[default]
    Kept,
    /// The manifests: there are too many changes.
    Manifests,
    /// There is no room for this visit.
    Full,
    /// The browser refuses to store anything.
    Refused,
    /// The page is shown in another, and keeps nothing by design.
    Nothing,
    /// What stores it could not be fetched yet.
    Unfetched,
}

impl Keeping {
    /// As the document names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Manifests => "manifests",
            Self::Full => "full",
            Self::Refused => "refused",
            Self::Nothing => "nothing",
            Self::Unfetched => "unfetched",
        }
    }

    /// As the page says it.
    pub fn sentence(self) -> Text {
        match self {
            Self::Kept => words::STAYS_HERE,
            Self::Manifests => words::MANIFESTS_STAY,
            Self::Full => words::NO_ROOM,
            Self::Refused => words::KEEPING_REFUSED,
            Self::Nothing => words::FRAME_KEEPS_NOTHING,
            Self::Unfetched => words::KEEPING_UNFETCHED,
        }
    }
}

/// A dialog over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    Examples,
    /// The lessons and the progress.
    Course,
    Help,
    /// What the browser keeps, and how it is forgotten.
    Kept,
    /// Finds a node or a Pod by its name.
    Find,
    /// The scenario's description.
    About,
    /// The link to this visit, and how to embed it.
    Share,
    /// The Export dialog.
    Export,
    /// Lessons on paper.
    Handout,
    /// What to compare.
    Compare(Topic),
}

/// An example of the gallery.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Example {
    /// The name of its file.
    pub slug: String,
    /// The question that it answers; the gallery groups by it.
    pub question: String,
    pub title: String,
    pub teaser: String,
    pub topics: Vec<String>,
    /// Drawn by the tests (`tests/it/examples`); `None` if it could not be fetched.
    #[serde(skip)]
    pub picture: Option<Picture>,
}

/// Fewer letters are in any message.
const LEAST_OF_MESSAGE: usize = 4;

impl Example {
    /// Whether its question, title, teaser, topics, releases or plugins have all these words, or one of its messages is
    /// among them.
    pub fn has(&self, words: &str) -> bool {
        if self.message_in(words).is_some() {
            return true;
        }
        let texts = [&self.question, &self.title, &self.teaser].into_iter();
        let found = self.picture.iter();
        let found = found.flat_map(|picture| picture.plugins.iter().chain(&picture.releases));
        let texts: Vec<&str> = texts
            .chain(&self.topics)
            .chain(found)
            .map(String::as_str)
            .collect();
        let text = texts.join(" ").to_lowercase();
        let words = words.to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    }

    /// The message of its run that holds these words as they are written, or that is part of them: an event may be pasted.
    pub fn message_in(&self, words: &str) -> Option<&str> {
        let words = words.trim().to_lowercase();
        let messages = self.picture.iter().flat_map(|picture| &picture.messages);
        let mut messages = messages.filter(|_| words.len() >= LEAST_OF_MESSAGE);
        let found = messages.find(|message| {
            let message = message.to_lowercase();
            message.contains(&words) || words.contains(&message)
        });
        found.map(String::as_str)
    }
}

/// An example at the end of its run.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct Picture {
    /// The name of the example's file.
    pub slug: String,
    pub nodes: usize,
    pub pods: usize,
    /// Pods without a node.
    pub waiting: usize,
    /// Why nodes were refused in the run, in the scheduler's words.
    pub messages: Vec<String>,
    /// The plugins that refused nodes, made room, or decided between nodes.
    pub plugins: Vec<String>,
    /// The releases that it names.
    pub releases: Vec<String>,
    pub svg: String,
}

/// An action on the page around the panels.
#[derive(Clone, Debug, PartialEq)]
pub enum PageAction {
    /// Shows this panel, on screens that show one at a time.
    Panel(Panel),
    /// Folds or resizes a region, or switches presentation size.
    Arrange(Arrange),
    /// Opens or closes the form of the scheduler's configuration.
    Scheduler(bool),
    /// The page is about to be printed, or printing has ended.
    Print(bool),
    /// Opens a dialog, or closes the open one.
    Show(Option<Dialog>),
    /// The list of examples arrived, or could not be fetched.
    Examples(Option<Vec<Example>>),
    /// Shows or hides the field into which a cluster is pasted.
    PasteHere(bool),
    /// Lists the examples with these words only.
    Filter(String),
    OpenExample(String),
    /// Fetches a language and switches to it.
    SetLanguage(Language),
    /// The language has changed: everything is drawn again.
    LanguageChanged,
    /// Shows a notice.
    Say(String),
    /// Closes the notice.
    Dismiss,
    /// A newer version of the page is ready; or that was read.
    Newer(bool),
    /// Loads the page again.
    Reload,
    /// What is wrong with the engine, from now on.
    Trouble(Option<Trouble>),
    /// The visit was stored to this extent.
    Keeps(Keeping),
    /// Removes what the browser keeps of visits.
    Forget,
    /// Begins the opening of a first visit. `still`: without motion.
    Opening {
        still: bool,
    },
    /// A key or a click stops the opening.
    StopOpening,
    /// Closes the dialog or form, else stops the running task, else clears the selection.
    Escape,
    /// Stops the work in progress.
    StopWork,
    /// Turns shortcuts of a single character off or on.
    KeysOff(bool),
}

impl PageAction {
    /// See [`super::Manner`].
    pub fn needs_lazy_module(&self) -> bool {
        matches!(
            self,
            Self::Scheduler(_)
                | Self::Panel(_)
                | Self::Arrange(_)
                | Self::Show(Some(_))
                | Self::PasteHere(_)
                | Self::Filter(_)
                | Self::OpenExample(_)
                | Self::Forget
                | Self::SetLanguage(_)
        )
    }

    /// See [`super::Manner`].
    pub fn takes_over(&self) -> bool {
        !matches!(
            self,
            Self::Opening { .. }
                | Self::StopOpening
                | Self::Print(_)
                | Self::Keeps(_)
                | Self::Newer(_)
                | Self::Trouble(_)
        )
    }

    /// See [`super::Manner`].
    pub fn ends_typing(&self) -> bool {
        match self {
            Self::Print(_)
            | Self::Newer(_)
            | Self::Keeps(_)
            | Self::Trouble(_)
            | Self::Opening { .. }
            | Self::StopOpening
            | Self::SetLanguage(_)
            | Self::LanguageChanged => false,
            Self::Panel(_)
            | Self::Arrange(_)
            | Self::Scheduler(_)
            | Self::Show(_)
            | Self::Examples(_)
            | Self::PasteHere(_)
            | Self::Filter(_)
            | Self::OpenExample(_)
            | Self::Say(_)
            | Self::Dismiss
            | Self::Forget
            | Self::Reload
            | Self::StopWork
            | Self::KeysOff(_)
            | Self::Escape => true,
        }
    }
}

/// The state of the page around the panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub panel: Panel,
    pub layout: Layout,
    pub notice: Option<String>,
    /// The notice that offers Undo, as long as it is the one that is shown.
    pub undoable: Option<String>,
    /// A newer version of the page is ready.
    pub newer: bool,
    /// The name of the file that was opened, with the number of others; empty if the manifests come from elsewhere.
    pub opened: String,
    pub dialog: Option<Dialog>,
    /// The page is embedded in another.
    pub embed: Option<EmbedView>,
    pub keeping: Keeping,
    /// What is wrong with the engine.
    pub trouble: Option<Trouble>,
    /// The page is drawn for print.
    pub prints: bool,
    pub examples: Vec<Example>,
    /// The list of examples could not be fetched.
    pub examples_missing: bool,
    /// The gallery shows the field into which a cluster is pasted.
    pub pastes: bool,
    /// Words that examples of the gallery must have.
    pub filter: String,
    pub opening: Opening,
    /// Shortcuts of a single character are off.
    pub keys_off: bool,
}

impl Store {
    /// The scenario's title; without one, the file that was opened.
    pub fn title(&self) -> String {
        let title = &self.view.head.title;
        match (title.is_empty(), self.page.opened.is_empty()) {
            (true, false) => self.page.opened.clone(),
            _ => words::title(title),
        }
    }

    /// Whether a panel beside the stage is folded.
    pub fn is_folded(&self, panel: Panel) -> bool {
        let has_lesson = self.lesson.frame.is_some();
        self.page.layout.is_folded(panel, has_lesson)
    }

    fn arrange(&mut self, arrange: Arrange) {
        let has_lesson = self.lesson.frame.is_some();
        self.page.layout.arrange(arrange, has_lesson);
        if arrange == Arrange::Presentation && self.page.panel == Panel::Sources {
            // The drawer would cover the stage.
            self.page.panel = Panel::Stage;
        }
    }

    /// Shows a panel: over the stage on small screens, and unfolded on large ones.
    pub(in crate::ui) fn open_panel(&mut self, panel: Panel) {
        self.page.panel = panel;
        if self.is_folded(panel) {
            self.arrange(Arrange::Fold(panel));
        }
    }

    pub(in crate::ui) fn on_page(&mut self, action: PageAction) -> Vec<Effect> {
        match action {
            PageAction::Panel(panel) => self.page.panel = panel,
            PageAction::Arrange(arrange) => self.arrange(arrange),
            PageAction::Scheduler(open) => self.scheduler.open = open,
            PageAction::Print(prints) => self.page.prints = prints,
            PageAction::Show(dialog) => {
                self.page.dialog = dialog;
                self.page.pastes = false;
                self.page.filter.clear();
                let is_gallery = dialog == Some(Dialog::Examples);
                // The gallery names the next lesson.
                let lessons =
                    dialog == Some(Dialog::Course) || (is_gallery && self.lesson.course.is_none());
                let lessons = lessons.then_some(Effect::ListLessons);
                let examples = is_gallery && self.page.examples.is_empty();
                let examples = examples.then_some(Effect::ListExamples);
                return examples.into_iter().chain(lessons).collect();
            }
            PageAction::Examples(examples) => {
                self.page.examples_missing = examples.is_none();
                self.page.examples = examples.unwrap_or_default();
            }
            PageAction::Filter(words) => self.page.filter = words,
            PageAction::PasteHere(pastes) => {
                self.page.pastes = pastes;
                let field = pastes.then(|| Effect::FocusField("cluster".to_owned()));
                return field.into_iter().collect();
            }
            PageAction::OpenExample(slug) => {
                self.page.dialog = None;
                return vec![Effect::OpenExample(slug)];
            }
            PageAction::SetLanguage(language) => return vec![Effect::SetLanguage(language)],
            PageAction::LanguageChanged => {
                // Its examples have other titles.
                self.page.examples = Vec::new();
            }
            PageAction::Say(text) => self.page.notice = Some(text),
            PageAction::Dismiss => self.page.notice = None,
            PageAction::Newer(newer) => self.page.newer = newer,
            PageAction::Trouble(trouble) => self.page.trouble = trouble,
            PageAction::Keeps(keeping) => self.keeps(keeping),
            PageAction::Forget => return vec![Effect::ForgetVisits],
            PageAction::Reload => return vec![Effect::Reload],
            PageAction::Opening { still } => self.page.opening = Opening::Awaits { still },
            PageAction::StopOpening => self.stop_opening(),
            PageAction::Escape => return self.escape(),
            PageAction::StopWork => return self.stop_work(),
            PageAction::KeysOff(off) => {
                self.page.keys_off = off;
                return vec![Effect::KeysOff(off)];
            }
        }
        Vec::new()
    }

    /// Says once that a visit is not kept, when there is something to lose.
    fn keeps(&mut self, keeping: Keeping) {
        self.page.keeping = keeping;
        if keeping != Keeping::Kept {
            self.page.notice = Some(keeping.sentence().to_string());
        }
    }

    /// Shows a notice that offers Undo.
    pub(in crate::ui) fn say_undoable(&mut self, text: String) {
        self.page.undoable = Some(text.clone());
        self.page.notice = Some(text);
    }

    fn escape(&mut self) -> Vec<Effect> {
        let was_open = self.page.dialog.take().is_some()
            | self.page.notice.take().is_some()
            | std::mem::take(&mut self.lesson.card)
            | self.stage.close_forms()
            | std::mem::take(&mut self.board.open);
        if was_open {
            return Vec::new();
        }
        let stopped = self.stop_work();
        if stopped.is_empty() && self.case.is_some() {
            return self.on_case(CaseAction::Close);
        }
        if stopped.is_empty() {
            self.page.panel = Panel::Stage;
            self.explain.deselect();
            self.stage.chosen.clear();
        }
        stopped
    }
}
