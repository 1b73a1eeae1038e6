//! Sharing: the link to this visit, and links that were opened.

use std::cmp::Reverse;
use std::rc::Rc;

use crate::ui::address::Source;
use crate::ui::engine::{Redacted, Version};
use crate::ui::features::class::ClassAction;
use crate::ui::features::explain::{Cell, Table};
use crate::ui::store::progress::StepSize;
use crate::ui::store::{Dialog, Effect, EmbedView, Progress, Store, Visit};
use crate::words::language;
use crate::words::language::Language;
use crate::{scene, words};
use berth_protocol::command::{Mutation, Recording, Subject};
use berth_protocol::lesson::LessonInput;
use berth_protocol::link::{Damage, LONGEST, Link, LinkError, View, joined};
use berth_protocol::terminal::Printed;

/// What a link contains besides the manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The changes since the manifests were opened.
    pub changes: bool,
    /// The moment of the run, and what is chosen.
    pub moment: bool,
    pub comments: bool,
    /// The status that a dump has.
    pub status: bool,
}

/// One of [`Parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Changes,
    Moment,
    Comments,
    Status,
}

impl Parts {
    pub const ALL: [Part; 4] = [Part::Changes, Part::Moment, Part::Comments, Part::Status];
    const EVERYTHING: Self = Self {
        changes: true,
        moment: true,
        comments: true,
        status: true,
    };

    /// Whether a part is included.
    pub fn has(mut self, part: Part) -> bool {
        *self.field(part)
    }

    /// The same parts but for one.
    pub fn toggled(mut self, part: Part) -> Self {
        let field = self.field(part);
        *field = !*field;
        self
    }

    fn field(&mut self, part: Part) -> &mut bool {
        match part {
            Part::Changes => &mut self.changes,
            Part::Moment => &mut self.moment,
            Part::Comments => &mut self.comments,
            Part::Status => &mut self.status,
        }
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::EVERYTHING
    }
}

/// Characters that each part of a link takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths([usize; 4]);

impl Lengths {
    pub fn of(self, part: Part) -> usize {
        self.0[part as usize]
    }

    pub fn set(&mut self, part: Part, characters: usize) {
        self.0[part as usize] = characters;
    }

    /// The fewest parts of a link that is too long without which it is not; none if it stays so without all of them.
    pub fn to_leave_out(self, length: usize, parts: Parts) -> Vec<Part> {
        let mut parts: Vec<Part> = Parts::ALL
            .into_iter()
            .filter(|part| parts.has(*part))
            .collect();
        parts.sort_by_key(|part| Reverse(self.of(*part)));
        let mut rest = length;
        let is_needed = |part: &Part| {
            let is_needed = rest > LONGEST;
            rest = rest.saturating_sub(self.of(*part));
            is_needed
        };
        let needed: Vec<Part> = parts.into_iter().take_while(is_needed).collect();
        let left: usize = needed.iter().map(|part| self.of(*part)).sum();
        match length.saturating_sub(left) > LONGEST {
            true => Vec::new(),
            false => needed,
        }
    }
}

/// The ways to share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShareTab {
    #[default]
    Link,
    Embed,
    Bookmark,
}

/// What is pasted into another page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Snippet {
    #[default]
    Html,
    /// A frame alone, where scripts are not allowed.
    Frame,
    /// A code block for the adapters.
    Markdown,
}

/// The result of reading a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Opened {
    Link(Box<Link>),
    Damaged(Damage),
    /// No example has this name.
    NoExample(String),
}

/// Outcome of making a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkResult {
    Link {
        fragment: String,
        /// The number of its documents.
        documents: usize,
        lengths: Lengths,
        /// The manifests, if private text of objects that came from a cluster is left out.
        redacted: Option<Redacted>,
    },
    /// The module that makes links could not be loaded.
    Missing,
}

/// An action of sharing.
#[derive(Clone, Debug, PartialEq)]
pub enum ShareAction {
    /// Opens the dialog.
    Open,
    /// Makes the link.
    Make,
    /// Makes the link, and opens it in a new tab.
    OpenWhole,
    /// The bookmarklet's address; `None`: its module could not be loaded.
    Bookmarklet(Option<String>),
    Tab(ShareTab),
    Snippet(Snippet),
    Toggle(Part),
    Made(LinkResult),
    Copy(String),
    /// The clipboard took the text, or refused it.
    Copied(bool),
    /// Reads the manifests that the address names.
    Read(Source),
    /// A link was read; `None`: the module that reads links could not be loaded. `before`: the visit that it replaces.
    Arrived {
        source: Source,
        opened: Option<Opened>,
        before: Option<Box<Visit>>,
    },
    /// Opens the files that could be read of a damaged link.
    OpenSalvaged,
    /// Returns to the visit that a link replaced.
    Back,
    /// Closes the notice about a link.
    Dismiss,
}

/// The state of sharing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    pub tab: ShareTab,
    pub snippet: Snippet,
    pub parts: Parts,
    /// `None` while the link is being made.
    pub made: Option<LinkResult>,
    pub copied: Option<bool>,
    /// The address of the bookmarklet. `None`: not loaded.
    pub bookmarklet: Option<String>,
    /// The manifests that the address names are being read.
    pub reads: bool,
    /// Number of recorded changes in the link.
    pub changes: usize,
    /// Why the last link could not be opened.
    pub refused: Option<LinkError>,
    /// The files that could be read of it.
    pub salvaged: Vec<(String, String)>,
    /// The visit that a link replaced.
    pub before: Option<Box<Visit>>,
    /// The lesson that the address names.
    pub lesson: Option<String>,
    /// The Pod that a link shows on both sides, until both runs are loaded.
    pub(in crate::ui) compared_pod: Option<String>,
    /// The state that a link asks for, until it is reached.
    expected: Option<ExpectedState>,
}

#[derive(Clone, Debug, PartialEq)]
struct ExpectedState {
    digest: String,
    view: View,
}

impl Store {
    /// Cold: kept out of the first download.
    #[inline(never)]
    pub(in crate::ui) fn share(&mut self, action: ShareAction) -> Vec<Effect> {
        let share = &mut self.share;
        match action {
            // The embedded page has a link to the whole one instead.
            ShareAction::Open if self.page.embed.is_some() => {}
            ShareAction::Open => {
                share.parts = Parts::default();
                share.copied = None;
                self.page.dialog = Some(Dialog::Share);
                return self.make_link();
            }
            ShareAction::Make => return self.make_link(),
            ShareAction::OpenWhole => return vec![Effect::OpenWhole],
            ShareAction::Tab(tab) => {
                share.tab = tab;
                share.copied = None;
                if tab == ShareTab::Bookmark && share.bookmarklet.is_none() {
                    return vec![Effect::MakeBookmarklet];
                }
            }
            ShareAction::Snippet(snippet) => {
                share.snippet = snippet;
                share.copied = None;
            }
            ShareAction::Bookmarklet(None) => {
                self.page.notice = Some(words::LAZY_MODULE_MISSING.to_owned());
            }
            ShareAction::Bookmarklet(address) => share.bookmarklet = address,
            ShareAction::Toggle(part) => {
                share.parts = share.parts.toggled(part);
                share.copied = None;
                return self.make_link();
            }
            ShareAction::Made(made) => share.made = Some(made),
            ShareAction::Copy(text) => return vec![Effect::CopyText(text)],
            ShareAction::Copied(copied)
                if matches!(self.page.dialog, Some(Dialog::Share | Dialog::Course)) =>
            {
                share.copied = Some(copied);
            }
            ShareAction::Copied(copied) => {
                let notice = if copied {
                    words::COPIED
                } else {
                    words::CLIPBOARD_REFUSED
                };
                self.page.notice = Some(notice.to_owned());
            }
            ShareAction::Read(source) => {
                share.reads = true;
                return vec![Effect::ReadSource(source)];
            }
            ShareAction::Arrived {
                source,
                opened,
                before,
            } => return self.link_arrived(source, opened, before),
            ShareAction::OpenSalvaged => {
                let files = std::mem::take(&mut share.salvaged);
                share.refused = None;
                return self.open(joined(&files));
            }
            ShareAction::Dismiss => {
                share.refused = None;
                let before = share.before.take();
                return before.map(|_| Effect::ForgetBefore).into_iter().collect();
            }
            ShareAction::Back => return self.back_to_before(),
        }
        Vec::new()
    }

    fn back_to_before(&mut self) -> Vec<Effect> {
        let Some(visit) = self.share.before.take() else {
            return Vec::new();
        };
        self.leave();
        let mut effects = vec![Effect::LeaveLink];
        effects.extend(self.restore(*visit));
        effects
    }

    #[inline(never)]
    pub(in crate::ui) fn make_link(&mut self) -> Vec<Effect> {
        self.share.made = None;
        vec![Effect::MakeLink(self.share.parts)]
    }

    /// The link to this visit with these changes; `None`: they were too large to record.
    pub fn link(&mut self, recording: Option<Recording>) -> Link {
        let files = vec![(
            crate::ui::engine::FILE_NAME.to_owned(),
            self.editor.text.to_string(),
        )];
        let recording = recording.unwrap_or_default();
        let link = Link {
            digest: self.view.head.digest.clone(),
            view: self.link_view(),
            compare: self
                .compare
                .as_ref()
                .map(|compare| Box::new(compare.pairing.clone())),
            // English readers keep their own language.
            language: match language::current() {
                Language::SOURCE => String::new(),
                other => other.tag().to_owned(),
            },
            ..Link::of(recording, files, Version::default().minor())
        };
        self.share.changes = link.recorded.len();
        link
    }

    fn link_view(&self) -> View {
        let stage = &self.stage;
        let compared = self.compare.as_ref().and_then(|it| it.pod.as_deref());
        View {
            pod: compared.or(self.chosen_pod()).map(str::to_owned),
            attempt: match (&self.explain.query.subject, self.time.progress) {
                (_, Some(progress)) => Some(progress.attempt),
                (Subject::Attempt(position), None) => Some(*position),
                // A cell needs its attempt.
                (Subject::Latest, None) if self.explain.cell.is_some() => self.explain.position(),
                (Subject::Latest | Subject::Pod(_), None) => None,
            },
            cell: self
                .explain
                .cell
                .clone()
                // A link names a cell of the matrix.
                .filter(|cell| cell.table != Table::Scores)
                .map(|cell| (cell.node, cell.plugin)),
            stop: self.time.progress.map(|progress| progress.stop),
            group_by: Some(stage.group_by.clone()).filter(|key| key != crate::ui::store::ZONE),
            zoom: stage.zoom,
            terminal: self.terminal.shown,
        }
    }

    fn link_arrived(
        &mut self,
        source: Source,
        opened: Option<Opened>,
        before: Option<Box<Visit>>,
    ) -> Vec<Effect> {
        self.share.reads = false;
        self.share.refused = None;
        self.share.salvaged = Vec::new();
        match opened {
            None => {
                self.page.notice = Some(words::LAZY_MODULE_MISSING.to_owned());
                Vec::new()
            }
            Some(Opened::NoExample(slug)) => {
                self.page.notice = Some(words::no_example_named(&slug));
                Vec::new()
            }
            Some(Opened::Damaged(Damage { error, salvaged })) => {
                self.share.refused = Some(error);
                self.share.salvaged = salvaged;
                Vec::new()
            }
            Some(Opened::Link(link)) if link.class.is_some() && self.page.embed.is_none() => {
                self.on_class(ClassAction::Arrived(link, before))
            }
            Some(Opened::Link(link)) => {
                self.share.before = before;
                self.page.dialog = None;
                // An example that compares opens so, unless the address asks for a step of it.
                let opens = matches!(&source, Source::Example { step: 0, .. });
                self.awaits_compare = opens.then_some(None);
                let mut effects = vec![Effect::KeepVisit(source)];
                effects.extend(self.open_link(*link));
                effects
            }
        }
    }

    /// Another scenario replaces that of a link: the address must not name the link, nor a reload offer the way back.
    pub(in crate::ui) fn leave_link(&mut self, opens: &Mutation) -> Option<Effect> {
        let begins = if let Mutation::Lesson(LessonInput::Begin { slug, .. }) = opens {
            Some(slug)
        } else {
            None
        };
        let other = self.share.lesson.take_if(|named| begins != Some(named));
        let before = self.share.before.take();
        (before.is_some() || other.is_some()).then_some(Effect::LeaveLink)
    }

    fn open_link(&mut self, link: Link) -> Vec<Effect> {
        self.leave();
        let (digest, view) = (link.digest.clone(), link.view.clone());
        if let Some(key) = &view.group_by {
            self.stage.group_by.clone_from(key);
        }
        self.stage.zoom = view.zoom.map(scene::allowed_zoom).or(self.stage.zoom);
        self.terminal.entries = Rc::default();
        self.terminal.diverged = false;
        self.terminal.shown = view.terminal || self.page.embed == Some(EmbedView::Terminal);
        let language = Language::of_tag(&link.language);
        let language = language.filter(|language| *language != language::current());
        if let Some(pairing) = link.compare.clone() {
            self.awaits_compare = Some(Some(pairing));
            self.share.compared_pod.clone_from(&view.pod);
        }
        let (recording, text) = link.visit();
        self.share.expected = Some(ExpectedState { digest, view });
        let mut effects = self.restore(Visit {
            text,
            recording: Some(recording),
            page: None,
        });
        effects.extend(language.map(Effect::SetLanguage));
        effects
    }

    /// The visit of a link was loaded: shows what the link shows, and compares the states. `printed`: the lines of the
    /// terminal that it ran.
    pub(in crate::ui) fn link_restored(&mut self, printed: Vec<Printed>) -> Vec<Effect> {
        let Some(ExpectedState { digest, view }) = self.share.expected.take() else {
            return Vec::new();
        };
        self.terminal.replay(printed);
        if !digest.is_empty() && digest != self.view.head.digest {
            self.page.notice = Some(words::LINK_DIFFERS.to_owned());
        }
        self.explain.awaited_cell = view.cell.map(|(node, plugin)| Cell {
            node,
            plugin,
            table: Table::Filter,
        });
        match (view.attempt, view.stop, view.pod) {
            (Some(attempt), Some(stop), _) => {
                self.time.step = self.time.step.max(StepSize::Point);
                self.time.progress = Some(Progress { attempt, stop });
                vec![self.ask_about(Subject::Attempt(attempt))]
            }
            (Some(attempt), None, _) => vec![self.ask_about(Subject::Attempt(attempt))],
            (None, _, Some(pod)) => vec![self.ask_about(Subject::Pod(pod))],
            (None, _, None) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Lengths, Part, Parts};
    use crate::ui::store::{Action, Dialog, Effect, PageAction, Store, Visit};
    use berth_protocol::command::Mutation;
    use berth_protocol::lesson::LessonInput;
    use berth_protocol::page::Update;

    #[test]
    fn the_fewest_parts_are_left_out_that_make_a_link_short_enough() {
        let mut lengths = Lengths::default();
        lengths.set(Part::Changes, 3000);
        lengths.set(Part::Status, 700);
        lengths.set(Part::Comments, 60);
        let of = |length| lengths.to_leave_out(length, Parts::default());
        assert_eq!(of(LONGEST + 1600), [Part::Changes]);
        assert_eq!(of(LONGEST + 3100), [Part::Changes, Part::Status]);
        assert_eq!(of(LONGEST + 9000), []);
        let parts = Parts::default().toggled(Part::Changes);
        assert_eq!(lengths.to_leave_out(LONGEST + 100, parts), [Part::Status]);
    }

    #[test]
    fn another_scenario_leaves_the_link_and_a_reload_does_not() {
        let before = Visit {
            text: "mine".to_owned(),
            recording: None,
            page: None,
        };
        let mut store = Store::default();
        store.share.before = Some(Box::new(before.clone()));
        let effects = store.act(Action::Restore(Box::new(before.clone())));
        assert!(!effects.contains(&Effect::LeaveLink), "{effects:?}");
        assert_eq!(store.share.before.as_deref(), Some(&before));
        let lesson = Mutation::Open {
            text: "another".to_owned(),
        };
        assert!(store.another_scenario(lesson).contains(&Effect::LeaveLink));
        assert!(store.share.before.is_none());
    }

    #[test]
    fn another_lesson_leaves_the_address_of_the_first_and_the_same_one_stays() {
        let begin = |slug: &str| {
            Mutation::Lesson(LessonInput::Begin {
                slug: slug.to_owned(),
                text: String::new(),
                translation: None,
            })
        };
        let mut store = Store::default();
        store.share.lesson = Some("01-a".to_owned());
        let effects = store.another_scenario(begin("01-a"));
        assert!(!effects.contains(&Effect::LeaveLink), "{effects:?}");
        let effects = store.another_scenario(begin("02-b"));
        assert!(effects.contains(&Effect::LeaveLink));
    }

    #[test]
    fn a_link_is_made_again_when_the_visit_is_restored() {
        let mut store = Store::default();
        let makes = |effects: &[Effect]| effects.contains(&Effect::MakeLink(Parts::default()));
        let restored = || {
            Action::Update(Box::new(Update::Restored {
                same: true,
                printed: Vec::new(),
            }))
        };
        assert!(!makes(&store.act(restored())));
        store.act(Action::Page(PageAction::Show(Some(Dialog::Share))));
        assert!(makes(&store.act(restored())));
    }
}
