//! The level builder: a lesson that is being made.

mod fields;

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::ui::engine::Version;
use crate::ui::features::course::Fetched;
use crate::ui::store::{Effect, LinkFor, Panel, Store};
use crate::ui::styles;
use crate::words;
use berth_protocol::command::{Command, Moment, Mutation, Query, Recorded, Recording, Replay};
use berth_protocol::draft::{Draft, DraftAnswer, DraftQuery, DraftStep, Proposal, Written};
use berth_protocol::lesson::LessonInput;
use berth_protocol::link::Link;
use berth_protocol::out_of_line::OutOfLine;
use berth_protocol::problem::Problem;
use berth_protocol::rule::{Broken, Rule};
use borsh::{BorshDeserialize, BorshSerialize};

pub use fields::{Change, List, Place};

/// What recorded steps are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum RecordingFor {
    Solution,
    Wrong,
}

/// An action of the level builder.
#[derive(Clone, Debug, PartialEq)]
pub enum BuilderAction {
    /// Shows the builder, with the draft so far.
    Show,
    /// Discards the draft.
    Discard,
    /// Makes this moment the start.
    MarkStart,
    /// Opens the start again, and records the steps from there.
    Record(RecordingFor),
    /// The recorded steps are the solution, or a wrong answer.
    Done,
    /// Discards the recorded steps.
    Stop,
    Set(Place, String),
    Change(Change),
    /// A text is complete: the lesson is written and played again.
    Check,
    /// The focus left the field of this place.
    Left(String),
    /// Goes to the field of this path of the file.
    GoTo(String),
    Save,
    MakeLink,
    /// The link was made; `None`: the module that makes links could not be loaded.
    Linked(Option<String>),
    /// Opens the lesson as learners see it.
    Try,
}

/// The level builder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Builder {
    pub draft: Draft,
    /// Its tab is chosen in Sources.
    pub shown: bool,
    pub recording_for: Option<RecordingFor>,
    /// The steps recorded so far; empty unless `recording_for`.
    pub steps: Vec<DraftStep>,
    /// Proposed goals that were not taken over.
    pub offered: Vec<Proposal>,
    /// Proposals are being looked for.
    pub proposing: bool,
    /// Why there are no proposals.
    pub failed: Option<Broken>,
    /// The file; `None` until the engine has written it.
    pub written: Option<Written>,
    /// Rules played so far.
    pub played: Vec<Played>,
    /// *Discard* was clicked once; the second click discards.
    pub discards: bool,
    /// The fragment of the link.
    pub link: Option<String>,
    /// Places of fields that the focus was in and left.
    pub left: BTreeSet<String>,
    /// The draft has changed since it was written.
    stale: bool,
    /// The moment whose steps were asked for.
    asked: Option<(Moment, String)>,
}

/// A rule that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    pub rule: Rule,
    /// How it is broken; empty if it holds.
    pub broken: Vec<Broken>,
    /// The release that breaks it, if only some do.
    pub release: Option<String>,
}

/// What is stored of the builder between visits.
type Stored = (Draft, bool, Option<RecordingFor>, Vec<Proposal>);

impl Builder {
    /// Whether a text is missing from a field that nobody has left: no mistake yet.
    pub fn is_still_to_write(&self, problem: &Problem) -> bool {
        problem.is_missing && !self.left.contains(&problem.path)
    }

    /// The state to store.
    #[inline(never)]
    pub fn stored(&self) -> Option<Vec<u8>> {
        let stored: Stored = (
            self.draft.clone(),
            self.shown,
            self.recording_for,
            self.offered.clone(),
        );
        borsh::to_vec(&stored).ok()
    }

    /// The builder of an earlier visit.
    #[inline(never)]
    pub fn restored(bytes: &[u8]) -> Option<Box<Self>> {
        let (draft, shown, recording_for, offered): Stored = borsh::from_slice(bytes).ok()?;
        Some(Box::new(Self {
            draft,
            shown,
            recording_for,
            offered,
            ..Self::default()
        }))
    }

    /// Number of problems of the file; `None` before it was written.
    fn problem_count(&self) -> Option<usize> {
        let written = self.written.as_ref().filter(|_| !self.stale)?;
        Some(written.problems.len())
    }

    /// Whether the current file can be saved.
    pub fn is_written(&self) -> bool {
        self.problem_count() == Some(0)
    }

    /// Whether all rules were played.
    pub fn is_played(&self) -> bool {
        let rules = self
            .written
            .as_ref()
            .map_or(0, |written| written.rules.len());
        !self.stale && rules > 0 && self.played.len() == rules
    }

    /// How rules are broken, with the release that breaks them, if only some do.
    pub fn broken(&self) -> impl Iterator<Item = (&Broken, Option<&str>)> {
        self.played
            .iter()
            .flat_map(|own| own.broken.iter().map(|it| (it, own.release.as_deref())))
    }

    /// The name of the file, without its ending: the title in letters that every system takes.
    pub fn slug(&self) -> String {
        let title = self.draft.title.to_lowercase();
        let words = title.split(|letter: char| !letter.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(6).collect();
        match words.is_empty() {
            true => "own-lesson".to_owned(),
            false => format!("own-{}", words.join("-")),
        }
    }

    /// The lesson as the page opens it.
    fn fetched(&self) -> Option<Fetched> {
        let written = self.written.as_ref().filter(|_| self.is_written())?;
        Some(Fetched {
            slug: self.slug(),
            text: written.text.clone(),
            translation: None,
        })
    }

    /// The link that opens the lesson.
    pub fn lesson_link(&self) -> Option<Link> {
        let written = self.written.as_ref()?;
        let begin = self.fetched()?.begin();
        let recording = Recording {
            recorded: vec![Recorded::new(Moment::default(), Replay::Mutation(begin))],
            at: written.at,
            waits: false,
        };
        let name = crate::ui::engine::FILE_NAME.to_owned();
        Some(Link::of(
            recording,
            vec![(name, written.manifests.clone())],
            Version::default().minor(),
        ))
    }
}

impl Fetched {
    /// The mutation that opens it.
    pub fn begin(&self) -> Mutation {
        Mutation::Lesson(LessonInput::Begin {
            slug: self.slug.clone(),
            text: self.text.clone(),
            translation: self.translation.clone(),
        })
    }
}

impl Store {
    /// Whether the builder is shown in place of the manifests.
    pub fn builds(&self) -> bool {
        self.builder.as_ref().is_some_and(|builder| builder.shown)
    }

    #[inline(never)]
    pub(in crate::ui) fn on_builder(&mut self, action: BuilderAction) -> Vec<Effect> {
        if matches!(action, BuilderAction::Left(_)) && self.builder.is_none() {
            return Vec::new();
        }
        let builder = &mut **self.builder.get_or_insert_default();
        builder.discards &= action == BuilderAction::Discard;
        match action {
            BuilderAction::Show => return self.show_builder(),
            BuilderAction::Discard if builder.discards => self.builder = None,
            BuilderAction::Discard => builder.discards = true,
            BuilderAction::MarkStart => return vec![ask(DraftQuery::Start)],
            BuilderAction::Record(recording_for) => return self.record_for(recording_for),
            BuilderAction::Done => {
                builder.proposing = true;
                builder.failed = None;
                return vec![ask(DraftQuery::Propose {
                    draft: Box::new(builder.draft.clone()),
                    steps: builder.steps.clone(),
                    wrong: builder.recording_for == Some(RecordingFor::Wrong),
                })];
            }
            BuilderAction::Stop => {
                builder.recording_for = None;
                builder.failed = None;
            }
            BuilderAction::Set(place, text) => builder.set(place, text),
            BuilderAction::Left(place) => drop(builder.left.insert(place)),
            BuilderAction::Check => {
                return match builder.stale {
                    true => self.check_draft(),
                    false => Vec::new(),
                };
            }
            BuilderAction::Change(change) => {
                let field = builder.change(change);
                let mut effects = self.check_draft();
                effects.extend(field.map(Effect::FocusField));
                return effects;
            }
            BuilderAction::GoTo(path) => return vec![Effect::FocusField(path)],
            BuilderAction::Save => {
                let name = format!("{}.yaml", builder.slug());
                let text = builder.fetched().map(|fetched| fetched.text.into());
                return text
                    .map(|text| Effect::Download { name, text })
                    .into_iter()
                    .collect();
            }
            BuilderAction::MakeLink => {
                let link = builder.lesson_link().map(Box::new);
                let link = link.map(|link| Effect::EncodeLink(link, LinkFor::Lesson));
                return link.into_iter().collect();
            }
            BuilderAction::Linked(None) => {
                self.page.notice = Some(words::LAZY_MODULE_MISSING.to_owned());
            }
            BuilderAction::Linked(link) => {
                builder.link = link;
                return vec![Effect::FocusField("link".to_owned())];
            }
            BuilderAction::Try => {
                let Some(fetched) = builder.fetched() else {
                    return Vec::new();
                };
                builder.shown = false;
                self.lesson.fetched = Some(Rc::new(fetched));
                return self.begin_lesson();
            }
        }
        Vec::new()
    }

    fn show_builder(&mut self) -> Vec<Effect> {
        self.builder.get_or_insert_default().shown = true;
        self.lesson.shown = false;
        self.terminal.shown = false;
        self.page.dialog = None;
        self.open_panel(Panel::Sources);
        let mut effects = style_builder();
        effects.extend(self.check_draft());
        effects
    }

    /// Opens the start, and records the steps from there.
    fn record_for(&mut self, recording_for: RecordingFor) -> Vec<Effect> {
        let start = self.builder.as_ref().and_then(|it| it.draft.start.clone());
        let Some(start) = start else {
            return Vec::new();
        };
        let effects = self.another_scenario(Mutation::Lesson(LessonInput::Start(start)));
        if let Some(builder) = &mut self.builder {
            builder.recording_for = Some(recording_for);
            builder.steps = Vec::new();
            builder.failed = None;
            builder.asked = None;
        }
        effects
    }

    /// Writes the draft as a file, and plays it by the rules.
    fn check_draft(&mut self) -> Vec<Effect> {
        let Some(builder) = self.builder.as_mut() else {
            return Vec::new();
        };
        builder.link = None;
        builder.stale = true;
        if builder.draft.start.is_none() {
            return Vec::new();
        }
        vec![ask(DraftQuery::Check(Box::new(builder.draft.clone())))]
    }

    /// The page no longer shows the start of the draft or its steps.
    #[inline(never)]
    pub(in crate::ui) fn leave_draft(&mut self) {
        if let Some(builder) = &mut self.builder {
            builder.recording_for = None;
        }
    }

    /// Shows the tab of something else.
    #[inline(never)]
    pub(in crate::ui) fn hide_builder(&mut self) {
        if let Some(builder) = &mut self.builder {
            builder.shown = false;
        }
    }

    /// Asks for the recorded steps, if the moment has changed.
    #[inline(never)]
    pub(in crate::ui) fn ask_for_steps(&mut self) -> Option<Effect> {
        let now = (self.run_moment(), self.view.head.digest.clone());
        let builder = self.builder.as_mut()?;
        builder.recording_for?;
        if builder.asked.as_ref() == Some(&now) {
            return None;
        }
        builder.asked = Some(now);
        Some(ask(DraftQuery::Steps(builder.draft.start.clone()?)))
    }

    /// Restores the builder of an earlier visit.
    #[inline(never)]
    pub(in crate::ui) fn restore_builder(&mut self, bytes: &[u8]) -> Vec<Effect> {
        self.builder = Builder::restored(bytes);
        let shown = self.builder.as_ref().is_some_and(|it| it.shown);
        let mut effects = if shown { style_builder() } else { Vec::new() };
        effects.extend(self.check_draft());
        effects
    }

    #[inline(never)]
    pub(in crate::ui) fn receive_draft(&mut self, answer: DraftAnswer) -> Vec<Effect> {
        let Some(builder) = self.builder.as_mut() else {
            return Vec::new();
        };
        match answer {
            DraftAnswer::Start(start) => {
                builder.draft.start = Some(start);
                let effects = self.record_for(RecordingFor::Solution);
                return effects.into_iter().chain(self.check_draft()).collect();
            }
            DraftAnswer::Steps(steps) if builder.recording_for.is_some() => builder.steps = steps,
            DraftAnswer::Steps(_) => {}
            DraftAnswer::Proposed {
                steps,
                wrong,
                proposals,
            } => {
                builder.proposing = false;
                match proposals {
                    Err(broken) => builder.failed = Some(broken),
                    Ok(proposals) => {
                        builder.adopt(steps, wrong, proposals);
                        let field = match wrong {
                            true => format!("wrong[{}].say", builder.draft.wrong.len() - 1),
                            false => "expectations[0].words".to_owned(),
                        };
                        let mut effects = self.check_draft();
                        effects.push(Effect::FocusField(field));
                        return effects;
                    }
                }
            }
            DraftAnswer::Written(written) => {
                builder.stale = false;
                builder.played = Vec::new();
                builder.written = Some(written);
            }
            DraftAnswer::Played {
                rule,
                broken,
                release,
                left: _,
            } => builder.played.push(Played {
                rule,
                broken,
                release,
            }),
        }
        Vec::new()
    }
}

fn style_builder() -> Vec<Effect> {
    let needed = [styles::LESSON, styles::BUILDER];
    needed.map(Effect::Style).into()
}

fn ask(query: DraftQuery) -> Effect {
    Effect::Send(Command::Ask(Query::Draft(OutOfLine(Box::new(query)))))
}

/// The lesson that a recording opened last, so that it can be started over: its file may exist nowhere else.
#[inline(never)]
pub fn last_lesson(recording: &Recording) -> Option<Rc<Fetched>> {
    let last = recording
        .recorded
        .iter()
        .rev()
        .find_map(|it| match &it.what {
            Replay::Mutation(mutation) if mutation.opens() => Some(mutation),
            Replay::Mutation(_) | Replay::Interrupt => None,
        });
    let Mutation::Lesson(LessonInput::Begin {
        slug,
        text,
        translation,
    }) = last?
    else {
        return None;
    };
    Some(Rc::new(Fetched {
        slug: slug.clone(),
        text: text.clone(),
        translation: translation.clone(),
    }))
}

#[cfg(test)]
mod tests;
