//! Lessons: the one that is played, and the progress in the course.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::ui::features::class::{Arrived, ClassAction, ClassForm, OpenClass};
use crate::ui::features::course::{Course, Fetched, Listed};
use crate::ui::features::handout::{HandoutAction, Handouts};
use crate::ui::store::{Dialog, Effect, Store};
use crate::ui::styles;
use crate::words;
use berth_protocol::command::Mutation;
use berth_protocol::lesson::{Ask, LessonFrame, LessonInput, QuestionFrame};

/// What was given as progress, and is not that of this course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProgress {
    Code,
    File,
}

/// An action on lessons.
#[derive(Clone, Debug, PartialEq)]
pub enum LessonAction {
    /// Fetches a lesson, to open it.
    Open(String),
    /// A lesson arrived.
    Opened(Option<Box<Fetched>>, Arrived),
    /// The course arrived.
    Listed(Arrived),
    /// Shows the lesson's tab in Sources.
    Show,
    /// Shows the next hint.
    Hint,
    /// Runs the command of a hint in the terminal.
    Run(String),
    /// Predicts the answer to a question, by its number.
    Answer(usize, String),
    /// Opens the lesson again, at its start.
    StartOver,
    /// Shows the solution, which takes none of its steps.
    ShowSolution,
    /// Closes the card about a solved lesson.
    CloseCard,
    /// Takes the next step of the solution.
    Solve,
    /// Lets the cluster come to rest.
    Settle,
    /// Keeps only the lessons of this exam in the list; empty: all.
    Exam(String),
    /// Shows or hides the field for a code.
    Codes(bool),
    /// Takes over what a code or a file says is done.
    Import(Result<BTreeSet<String>, NoProgress>),
    /// Saves the progress as a file.
    SaveProgress,
    Class(ClassAction),
    /// Prints lessons.
    Handout(HandoutAction),
}

/// The lesson that is played, and the course.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lessons {
    pub course: Option<Rc<Course>>,
    /// The class that `course` lists, if it is not the whole course.
    pub class: Option<Rc<OpenClass>>,
    /// The class that is being made.
    pub form: Option<Box<ClassForm>>,
    /// The course could not be fetched.
    pub missing: bool,
    pub done: BTreeSet<String>,
    /// Lessons of which only the solution was seen.
    pub seen: BTreeSet<String>,
    pub language: String,
    /// Keeps only the lessons of this exam; empty: all.
    pub exam: String,
    /// The fields for a code and a file are shown, with what was wrong with the last one.
    pub codes: Option<Option<NoProgress>>,
    /// The lesson's files, to start it over.
    pub fetched: Option<Rc<Fetched>>,
    /// As the engine reported it; `None`: no lesson is played.
    pub frame: Option<Rc<LessonFrame>>,
    /// The lesson's tab is chosen in Sources.
    pub shown: bool,
    /// Number of hints shown.
    pub hints: usize,
    /// Number of steps of the solution taken.
    pub steps: usize,
    /// The solution is shown.
    pub shows_solution: bool,
    /// The card about the lesson that was just solved is shown.
    pub card: bool,
    /// What the lesson's last start over took away.
    started_over: Option<StartedOver>,
    /// The learner's answers, by the number of the question.
    pub answers: Vec<Option<String>>,
    /// What is to be printed; `None` unless its dialog is open.
    pub handouts: Option<Box<Handouts>>,
    /// Number of steps of the solution to take once the lesson is opened again.
    again: Option<usize>,
    /// What was [`Self::stored`] at the last visit, while that is restored.
    pub stored: Option<Vec<u8>>,
}

/// The lesson's slug, the number of hints shown, the answers, and whether the solution is shown.
type Stored = (String, usize, Vec<Option<String>>, bool);

/// The page's part of a lesson that was started over; Undo returns to it.
#[derive(Clone, Debug, PartialEq)]
struct StartedOver {
    hints: usize,
    answers: Vec<Option<String>>,
    shows_solution: bool,
    /// Number of changes that could be undone before.
    undo: usize,
}

impl Lessons {
    /// The name of the lesson's file; empty if none is played.
    pub fn slug(&self) -> &str {
        self.frame.as_ref().map_or("", |frame| &frame.slug)
    }

    /// Whether the fixes that the engine finds are not shown: they would give the solution away.
    pub fn hides_fixes(&self) -> bool {
        self.frame.is_some() && !self.saw_solution() && !self.is_done()
    }

    /// Whether the solution was shown or played: the lesson is then seen, not done.
    pub fn saw_solution(&self) -> bool {
        self.shows_solution || self.steps > 0
    }

    /// How many goals are met, of all.
    pub fn goals_met(&self) -> (usize, usize) {
        let goals = self.frame.as_ref().map_or(&[][..], |frame| &frame.goals);
        (goals.iter().filter(|goal| goal.met).count(), goals.len())
    }

    /// The number of the question of this kind that the scheduler has not answered: the first without a prediction,
    /// else the last, whose prediction may still be changed.
    fn open_question(&self, ask: Ask) -> Option<usize> {
        let frame = self.frame.as_ref()?;
        let is_open = |question: &QuestionFrame| question.answer.is_none() && question.ask == ask;
        let open = frame
            .questions
            .iter()
            .enumerate()
            .filter(|(_, question)| is_open(question));
        let open: Vec<usize> = open.map(|(number, _)| number).collect();
        let mut fresh = open.iter().filter(|number| self.answer(**number).is_none());
        fresh.next().or(open.last()).copied()
    }

    /// The answer to a question for several Pods, after one of them was added or taken away.
    pub fn toggled(&self, question: usize, pod: &str) -> String {
        let given = self.answer(question).unwrap_or_default();
        let mut all: BTreeSet<&str> = given.split(',').filter(|it| !it.is_empty()).collect();
        if !all.remove(pod) {
            all.insert(pod);
        }
        all.into_iter().collect::<Vec<_>>().join(",")
    }

    /// The learner's answer to a question.
    pub fn answer(&self, question: usize) -> Option<&str> {
        self.answers.get(question)?.as_deref()
    }

    /// Whether a question was answered right; `None` while that is not known.
    pub fn is_right(&self, number: usize) -> Option<bool> {
        let question = self.frame.as_ref()?.questions.get(number)?;
        let answer = question.answer.as_ref()?;
        Some(self.answer(number).is_some_and(|given| answer.is(given)))
    }

    /// Whether all goals are met and all questions answered right.
    pub fn is_done(&self) -> bool {
        let mut questions = 0..self.frame.as_ref().map_or(0, |frame| frame.questions.len());
        self.meets_goals() && questions.all(|number| self.is_right(number) == Some(true))
    }

    /// Whether all goals are met and all questions answered, but not each as predicted.
    pub fn is_mispredicted(&self) -> bool {
        let frame = self.frame.as_ref();
        let mut questions = frame.iter().flat_map(|frame| &frame.questions);
        self.meets_goals() && questions.all(|it| it.answer.is_some()) && !self.is_done()
    }

    /// The feedback on the state: on a recognised wrong answer, or that all goals are met.
    fn feedback(&self) -> (Option<String>, bool) {
        let frame = self.frame.as_ref();
        let wrong = frame.and_then(|frame| frame.wrong.clone());
        (wrong, self.is_done() || self.is_mispredicted())
    }

    fn meets_goals(&self) -> bool {
        let frame = self.frame.as_ref();
        frame.is_some_and(|frame| frame.goals.iter().all(|goal| goal.met))
    }

    /// The hints that were shown and the answers, with the lesson they are of.
    #[inline(never)]
    pub fn stored(&self) -> Option<Vec<u8>> {
        let stored = (self.slug(), self.hints, &self.answers, self.shows_solution);
        borsh::to_vec(&stored).ok()
    }

    /// Takes what was stored, once its lesson is the one that is played.
    #[inline(never)]
    pub(in crate::ui) fn restore(&mut self) {
        let stored = self.stored.take();
        let read = stored.and_then(|bytes| borsh::from_slice::<Stored>(&bytes).ok());
        if let Some((_, hints, answers, shows)) = read.filter(|(slug, ..)| slug == self.slug()) {
            (self.hints, self.answers, self.shows_solution) = (hints, answers, shows);
        }
    }

    /// The slug and the number of the lesson after this one.
    pub fn next(&self) -> Option<(usize, &Listed)> {
        let course = self.course.as_ref()?;
        let number = course.number(self.slug())?;
        let next = course.lessons().nth(number)?;
        Some((number + 1, next))
    }

    pub(in crate::ui) fn arrived(&mut self, arrived: Arrived) {
        self.missing = arrived.course.is_none() && self.course.is_none();
        self.course = arrived.course.or(self.course.take());
        self.class = arrived.class;
        self.done = arrived.done;
        self.seen = arrived.seen;
        self.language = arrived.language;
    }

    fn set_answer(&mut self, question: usize, given: String) {
        if self.answers.len() <= question {
            self.answers.resize(question + 1, None);
        }
        let answer = self.answers.get_mut(question);
        if let Some(answer) = answer {
            *answer = Some(given).filter(|given| !given.is_empty());
        }
    }
}

impl Store {
    #[inline(never)]
    pub(in crate::ui) fn on_lesson(&mut self, action: LessonAction) -> Vec<Effect> {
        let lesson = &mut self.lesson;
        match action {
            LessonAction::Open(slug) => {
                self.page.dialog = None;
                lesson.again = None;
                return vec![Effect::OpenLesson(slug)];
            }
            LessonAction::Opened(fetched, arrived) => {
                lesson.arrived(arrived);
                let Some(fetched) = fetched else {
                    lesson.missing = true;
                    self.page.dialog = Some(Dialog::Course);
                    return Vec::new();
                };
                lesson.fetched = Some(Rc::new(*fetched));
                return self.begin_lesson();
            }
            LessonAction::StartOver if lesson.fetched.is_none() => {
                // A restored visit has not fetched its lesson.
                let slug = lesson.slug().to_owned();
                return vec![Effect::OpenLesson(slug)];
            }
            LessonAction::StartOver => return self.start_over(),
            LessonAction::ShowSolution => {
                lesson.shows_solution = true;
                let slug = lesson.slug().to_owned();
                let is_new = !lesson.done.contains(&slug) && lesson.seen.insert(slug);
                return is_new
                    .then_some(Effect::StoreProgress)
                    .into_iter()
                    .collect();
            }
            LessonAction::CloseCard => lesson.card = false,
            LessonAction::Listed(arrived) => lesson.arrived(arrived),
            LessonAction::Show => {
                lesson.shown = true;
                // Its button is not shown beside a lesson.
                self.scheduler.open = false;
                self.hide_builder();
                self.terminal.shown = false;
            }
            LessonAction::Hint => lesson.hints += 1,
            LessonAction::Run(line) => return self.run_in_terminal(line),
            LessonAction::Answer(question, given) => lesson.set_answer(question, given),
            LessonAction::Solve => return self.play_next_step(),
            LessonAction::Settle => {
                self.leave();
                let settle = self.mutate(Mutation::Lesson(LessonInput::Settle));
                return self.follow_run(settle);
            }
            LessonAction::Exam(exam) => lesson.exam = exam,
            LessonAction::Codes(shown) => lesson.codes = shown.then_some(None),
            LessonAction::Import(Err(what)) => lesson.codes = Some(Some(what)),
            LessonAction::Import(Ok(done)) => {
                lesson.done.extend(done);
                lesson.codes = None;
                return vec![Effect::StoreProgress];
            }
            LessonAction::SaveProgress => return vec![Effect::SaveProgress],
            LessonAction::Class(action) => return self.on_class(action),
            LessonAction::Handout(action) => return self.on_handout(action),
        }
        Vec::new()
    }

    /// Plays the next step of the solution: the lesson then counts as seen.
    fn play_next_step(&mut self) -> Vec<Effect> {
        let lesson = &mut self.lesson;
        let number = lesson.steps;
        lesson.steps += 1;
        let slug = lesson.slug().to_owned();
        let is_new = !lesson.done.contains(&slug) && lesson.seen.insert(slug);
        self.leave();
        let step = self.mutate(Mutation::Lesson(LessonInput::Step { number }));
        let mut effects = self.follow_run(step);
        effects.push(Effect::ShowStep);
        effects.extend(is_new.then_some(Effect::StoreProgress));
        effects
    }

    /// Opens the lesson again and takes the first steps of its solution.
    pub(in crate::ui) fn play_again(&mut self, steps: usize) -> Vec<Effect> {
        self.lesson.again = Some(steps);
        self.on_lesson(LessonAction::StartOver)
    }

    /// Opens the lesson at its start. Undo brings back what was done, and predicted.
    fn start_over(&mut self) -> Vec<Effect> {
        let lesson = &self.lesson;
        if lesson.again.is_some() {
            return self.begin_lesson();
        }
        let before = StartedOver {
            hints: lesson.hints,
            answers: lesson.answers.clone(),
            shows_solution: lesson.shows_solution,
            undo: self.view.head.undo,
        };
        let effects = self.begin_lesson();
        self.lesson.started_over = Some(before);
        self.say_undoable(words::STARTED_OVER.to_owned());
        effects
    }

    /// The engine undid a start over.
    fn restore_answers(&mut self) {
        let (undo, redo) = (self.view.head.undo, self.view.head.redo);
        let is_undone = |it: &mut StartedOver| redo > 0 && undo == it.undo;
        if let Some(before) = self.lesson.started_over.take_if(is_undone) {
            let lesson = &mut self.lesson;
            (lesson.hints, lesson.answers) = (before.hints, before.answers);
            lesson.shows_solution = before.shows_solution;
            lesson.steps = lesson.frame.as_ref().map_or(0, |frame| frame.taken);
        }
    }

    /// Opens the fetched lesson at its start.
    pub(in crate::ui) fn begin_lesson(&mut self) -> Vec<Effect> {
        let Some(fetched) = self.lesson.fetched.clone() else {
            return Vec::new();
        };
        let mut effects = self.another_scenario(fetched.begin());
        self.lesson.card = false;
        self.hide_builder();
        effects.push(Effect::Style(styles::LESSON));
        if let Some(steps) = self.lesson.again.take() {
            // Hints and answers stay: it is the same lesson, some steps earlier.
            self.lesson.steps = steps;
            let steps = (0..steps).map(|number| LessonInput::Step { number });
            for input in std::iter::once(LessonInput::Settle).chain(steps) {
                effects.push(self.mutate(Mutation::Lesson(input)));
            }
            return effects;
        }
        self.lesson = Lessons {
            shown: true,
            hints: 0,
            steps: 0,
            answers: Vec::new(),
            shows_solution: false,
            started_over: None,
            stored: None,
            ..std::mem::take(&mut self.lesson)
        };
        self.terminal.shown = false;
        effects.push(Effect::ShowLesson);
        effects
    }

    /// The run starts again. In a simulated cluster, the engine then begins the lesson again.
    pub(in crate::ui) fn lesson_begins_again(&mut self) {
        if self.lesson.frame.is_none() || self.view.head.now_ms.is_none() {
            return;
        }
        self.lesson.card = false;
        self.lesson.steps = 0;
        self.lesson.answers.clear();
        self.terminal.diverged = false;
        self.page.notice = Some(words::LESSON_BEGINS_AGAIN.to_owned());
    }

    /// The engine reported the lesson at the current moment.
    #[inline(never)]
    pub(in crate::ui) fn receive_lesson(&mut self, frame: Option<LessonFrame>) -> Vec<Effect> {
        let lesson = &mut self.lesson;
        if frame.is_none() {
            lesson.shown = false;
            lesson.card = false;
            lesson.fetched = None;
        }
        let is_new = lesson.frame.is_none() && frame.is_some();
        let (before, was_done) = (lesson.feedback(), lesson.is_done());
        lesson.frame = frame.map(Rc::new);
        self.restore_answers();
        let lesson = &mut self.lesson;
        let mut effects = Vec::new();
        if is_new {
            // A restored visit shows it, too.
            lesson.shown |= !self.terminal.shown;
            effects.push(Effect::Style(styles::LESSON));
            effects.extend(lesson.course.is_none().then_some(Effect::ListLessons));
        }
        // Feedback is shown below the goals. A step of the solution stays in view; its effect is announced.
        let feedback = lesson.feedback();
        let is_new_feedback = feedback != before && feedback != (None, false);
        let shows = is_new_feedback && lesson.shown && !is_new && lesson.steps == 0;
        effects.extend(shows.then_some(Effect::ShowFeedback));
        let slug = lesson.slug().to_owned();
        // Before the course arrives, earlier progress is not known.
        let is_done = lesson.is_done();
        lesson.card = is_done && (lesson.card || !was_done && !is_new && !lesson.saw_solution());
        if lesson.course.is_some() && is_done && !lesson.saw_solution() {
            lesson.seen.remove(&slug);
            effects.extend(lesson.done.insert(slug).then_some(Effect::StoreProgress));
        }
        effects
    }

    /// A node of the stage was chosen: the answer to an open question.
    pub(in crate::ui) fn predict_node(&mut self, node: &str) {
        if let Some(number) = self.lesson.open_question(Ask::Node) {
            self.lesson.set_answer(number, node.to_owned());
        }
    }

    /// A Pod of the stage was chosen: one of those that an open question asks for, or no longer.
    pub(in crate::ui) fn predict_victim(&mut self, pod: &str) {
        let mut pods = self.view.pods.iter();
        let is_placed = pods.any(|it| it.key == pod && it.node.is_some());
        if let Some(number) = self
            .lesson
            .open_question(Ask::Victims)
            .filter(|_| is_placed)
        {
            let answer = self.lesson.toggled(number, words::short(pod));
            self.lesson.set_answer(number, answer);
        }
    }
}

#[cfg(test)]
mod tests;
