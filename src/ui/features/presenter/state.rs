//! Presenting to a room: one key for the next step, the way back, and what the trainer's notes say.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::ui::features::lesson::LessonAction;
use crate::ui::features::time::TimeAction;
use crate::ui::store::{Effect, Store};
use berth_protocol::command::{Command, Travel};
use berth_protocol::frame::AboutFrame;
use berth_protocol::lesson::LessonFrame;

/// What the next-step key does.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Upcoming {
    /// The next step of the run.
    Step,
    /// Lets the cluster of a lesson come to rest: it gives the answer to a question.
    Settle,
    /// Goes from the past to the end of the log.
    Present,
    /// The next step of the lesson's solution.
    Solution,
    /// Opens the next lesson of the course or the class.
    Lesson,
    /// There is nothing more.
    #[default]
    Nothing,
}

/// An action of the presenter.
#[derive(Clone, Debug, PartialEq)]
pub enum PresenterAction {
    Next,
    Back,
    /// Opens the notes in a second window.
    Notes,
    /// The browser refused the second window, which has this address. `None`: that was read.
    Refused(Option<String>),
    /// A window with notes is there.
    Connected,
}

/// The state of presenting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presenter {
    /// The address of the notes, which the browser refused to open.
    pub refused: Option<String>,
    /// A window with notes is there.
    pub connected: bool,
}

/// What the notes of this moment are about.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Notes {
    /// The title of the scenario or the lesson.
    pub title: String,
    /// The lesson's number, and how many there are.
    pub place: Option<(usize, usize)>,
    /// How long it is planned to take.
    pub minutes: u32,
    pub lesson: Option<LessonFrame>,
    /// Of a scenario that is not a lesson.
    pub about: AboutFrame,
    /// Number of steps of the solution that were taken.
    pub steps: usize,
    /// The room's answers, by the number of the question.
    pub answers: Vec<Option<String>>,
    pub upcoming: Upcoming,
    /// The number and the title of the next lesson.
    pub next: Option<(usize, String)>,
    /// Entries of the log before this moment, and all.
    pub moment: (usize, usize),
    /// The simulated time.
    pub now_ms: Option<i64>,
    /// The tag of the page's language.
    pub language: String,
}

impl Store {
    /// What the next-step key does now.
    pub fn upcoming(&self) -> Upcoming {
        let head = &self.view.head;
        let lesson = &self.lesson;
        let Some(frame) = &lesson.frame else {
            return if head.finished && self.time.progress.is_none() {
                Upcoming::Nothing
            } else {
                Upcoming::Step
            };
        };
        let asks = frame.questions.iter().any(|it| it.answer.is_none());
        if asks && !head.finished {
            // A cluster takes many steps until a Pod is scheduled.
            return match head.now_ms {
                None => Upcoming::Step,
                Some(_) => Upcoming::Settle,
            };
        }
        if head.position < head.log_length {
            Upcoming::Present
        } else if lesson.steps < frame.solution.len() {
            Upcoming::Solution
        } else if lesson.next().is_some() {
            Upcoming::Lesson
        } else {
            Upcoming::Nothing
        }
    }

    #[inline(never)]
    pub(in crate::ui) fn on_presenter(&mut self, action: PresenterAction) -> Vec<Effect> {
        match action {
            PresenterAction::Next => return self.present_next(),
            PresenterAction::Back => return self.present_back(),
            PresenterAction::Notes => return vec![Effect::OpenNotes],
            PresenterAction::Refused(address) => self.presenter_mut().refused = address,
            PresenterAction::Connected => {
                let presenter = self.presenter_mut();
                presenter.connected = true;
                presenter.refused = None;
                // The number of the lesson, and what comes after it.
                let is_lesson = self.lesson.frame.is_some() && self.lesson.course.is_none();
                return is_lesson
                    .then_some(Effect::ListLessons)
                    .into_iter()
                    .collect();
            }
        }
        Vec::new()
    }

    fn presenter_mut(&mut self) -> &mut Presenter {
        self.presenter.get_or_insert_default()
    }

    fn present_next(&mut self) -> Vec<Effect> {
        match self.upcoming() {
            Upcoming::Step => self.through_time(TimeAction::Step),
            Upcoming::Settle => self.on_lesson(LessonAction::Settle),
            Upcoming::Present => {
                let position = self.view.head.log_length;
                let seek = Effect::Send(Command::Travel(Travel::Seek { position }));
                self.follow_run(seek)
            }
            Upcoming::Solution => self.on_lesson(LessonAction::Solve),
            Upcoming::Lesson => {
                let next = self.lesson.next().map(|(_, next)| next.slug.clone());
                next.map_or_else(Vec::new, |slug| self.on_lesson(LessonAction::Open(slug)))
            }
            Upcoming::Nothing => Vec::new(),
        }
    }

    /// Plays a lesson again up to the step before the last one: then nothing that was tried in between remains.
    fn present_back(&mut self) -> Vec<Effect> {
        let steps = self.lesson.steps;
        if self.lesson.frame.is_some() && steps > 0 {
            return self.play_again(steps - 1);
        }
        if self.lesson.frame.is_some() && self.view.head.now_ms.is_some() {
            return Vec::new();
        }
        self.through_time(TimeAction::StepBack)
    }

    /// The notes of this moment.
    #[inline(never)]
    pub fn notes(&self) -> Notes {
        let (lesson, head) = (&self.lesson, &self.view.head);
        let listed = lesson.course.as_deref().and_then(|course| {
            let number = course.number(lesson.slug())?;
            Some((
                number,
                course.lessons().count(),
                course.lessons().nth(number - 1)?,
            ))
        });
        let frame = lesson.frame.as_deref().cloned();
        let language = crate::words::language::current().tag();
        Notes {
            title: match &frame {
                Some(frame) => frame.title.clone(),
                None => head.title.clone(),
            },
            place: listed.map(|(number, all, _)| (number, all)),
            minutes: listed.map_or(0, |(_, _, listed)| listed.minutes),
            lesson: frame,
            about: self.view.about.clone(),
            steps: lesson.steps,
            answers: lesson.answers.clone(),
            upcoming: self.upcoming(),
            next: lesson
                .next()
                .map(|(number, next)| (number, next.title.of(language).to_owned())),
            moment: (head.position, head.log_length),
            now_ms: head.now_ms,
            language: language.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{PresenterAction, Upcoming};
    use crate::ui::features::course::{Chapter, Course, Fetched, Listed};
    use crate::ui::store::{Action, Effect, Store};
    use berth_protocol::command::{Command, Mutation, Travel};
    use berth_protocol::lesson::{LessonFrame, LessonInput, QuestionFrame, StepFrame};
    use berth_protocol::page::Update;

    fn sent(effects: &[Effect]) -> Vec<Command> {
        let sent = effects.iter().filter_map(|effect| {
            let Effect::Send(command) = effect else {
                return None;
            };
            Some(command.clone())
        });
        sent.collect()
    }

    fn next(store: &mut Store) -> Vec<Command> {
        sent(&store.act(Action::Presenter(PresenterAction::Next)))
    }

    fn lesson(input: LessonInput) -> Command {
        Command::Mutate(Mutation::Lesson(input))
    }

    /// A lesson of two steps, the first of two lessons.
    fn teaching() -> Store {
        let listed = ["one", "two"].map(|slug| Listed {
            slug: slug.to_owned(),
            ..Listed::default()
        });
        let mut store = Store::default();
        store.view.head.finished = true;
        store.lesson.course = Some(Rc::new(Course {
            chapters: vec![Chapter {
                lessons: listed.into(),
                ..Chapter::default()
            }],
            ..Course::default()
        }));
        store.lesson.frame = Some(Rc::new(LessonFrame {
            slug: "one".to_owned(),
            solution: vec![StepFrame::default(); 2],
            ..LessonFrame::default()
        }));
        store.lesson.fetched = Some(Rc::new(Fetched {
            slug: "one".to_owned(),
            text: "kind: Scenario".to_owned(),
            translation: None,
        }));
        store
    }

    #[test]
    fn a_scenario_is_stepped_through_to_its_end() {
        let mut store = Store::default();
        assert_eq!(next(&mut store), [Command::Travel(Travel::Step)]);
        store.view.head.position = 1;
        let back = store.act(Action::Presenter(PresenterAction::Back));
        assert_eq!(sent(&back), [Command::Travel(Travel::StepBack)]);
        store.view.head.finished = true;
        assert_eq!(store.upcoming(), Upcoming::Nothing);
        assert!(next(&mut store).is_empty());
    }

    #[test]
    fn the_solution_is_played_step_by_step_then_comes_the_next_lesson() {
        let mut store = teaching();
        for number in 0..2 {
            assert_eq!(next(&mut store), [lesson(LessonInput::Step { number })]);
        }
        assert_eq!(store.upcoming(), Upcoming::Lesson);
        let effects = store.act(Action::Presenter(PresenterAction::Next));
        assert!(effects.contains(&Effect::OpenLesson("two".to_owned())));
    }

    #[test]
    fn a_restored_visit_goes_on_after_the_steps_it_has_played() {
        let mut store = teaching();
        let frame = LessonFrame {
            taken: 1,
            ..store.lesson.frame.as_deref().cloned().unwrap_or_default()
        };
        store.act(Action::Update(Box::new(Update::Lesson(Some(Box::new(
            frame,
        ))))));
        store.act(Action::Update(Box::new(Update::Restored {
            same: true,
            printed: Vec::new(),
        })));
        assert_eq!(next(&mut store), [lesson(LessonInput::Step { number: 1 })]);
    }

    #[test]
    fn a_question_is_answered_first_and_the_past_is_left() {
        let mut store = teaching();
        let frame = LessonFrame {
            questions: vec![QuestionFrame::default()],
            ..store.lesson.frame.as_deref().cloned().unwrap_or_default()
        };
        store.lesson.frame = Some(Rc::new(frame));
        store.view.head.finished = false;
        assert_eq!(store.upcoming(), Upcoming::Step);
        store.view.head.now_ms = Some(0);
        assert_eq!(next(&mut store), [lesson(LessonInput::Settle)]);
        let mut store = teaching();
        store.view.head.log_length = 3;
        assert_eq!(
            next(&mut store),
            [Command::Travel(Travel::Seek { position: 3 })]
        );
    }

    #[test]
    fn back_plays_the_lesson_again_up_to_the_step_before() {
        let mut store = teaching();
        store.lesson.answers = vec![Some("node-a".to_owned())];
        next(&mut store);
        next(&mut store);
        let back = sent(&store.act(Action::Presenter(PresenterAction::Back)));
        let [begin, rest @ ..] = &*back else {
            panic!("nothing was sent");
        };
        let begins = |command: &Command| matches!(command, Command::Mutate(Mutation::Lesson(LessonInput::Begin { slug, .. })) if slug == "one");
        assert!(begins(begin), "{begin:?}");
        assert_eq!(
            rest,
            [
                lesson(LessonInput::Settle),
                lesson(LessonInput::Step { number: 0 })
            ]
        );
        assert_eq!(store.lesson.steps, 1);
        assert_eq!(store.lesson.answer(0), Some("node-a"), "the room said it");
        // A reload has forgotten the lesson's file, but not how much was played.
        store.lesson.fetched = None;
        let effects = store.act(Action::Presenter(PresenterAction::Back));
        assert!(
            effects.contains(&Effect::OpenLesson("one".to_owned())),
            "{effects:?}"
        );
        assert_eq!(store.lesson.steps, 1, "until it is there");
    }
}
