//! Lessons and the course.

use std::fmt::Display;

use berth_protocol::lesson::GoalValue;
use berth_words::{counted, say, text};

use super::{Text, language};

pub const LESSON: Text = text!("Lesson");
pub const COURSE: Text = text!("Course");
pub const COURSE_TITLE: Text = text!("See why a Pod lands where it lands");
pub const COURSE_LEAD: Text = text!(
    "Each lesson starts from a real question and is checked against the cluster, never against what you typed."
);
pub const NO_COURSE: Text =
    text!("The lessons could not be fetched: check the connection, then try again.");
pub const PROGRESS_HERE: Text =
    text!("Progress stays in this browser. The file or the code carries it to another.");
pub const SAVE_PROGRESS: Text = text!("Save progress");
pub const TAKE_PROGRESS: Text = text!("Load progress");
pub const CODE: Text = text!("code");
pub const CODE_FIELD: Text = text!("Code of another browser");
pub const CODE_WRONG: Text = text!("This code is not from this course: check each character.");
pub const FILE_WRONG: Text = text!(
    "This file has no progress for this course: it lists none of its lessons. Choose one that Save progress saved."
);
pub const PROGRESS_FILE: Text = text!("Or a saved file");
pub const TAKE: Text = text!("Load");
pub const ALL_EXAMS: Text = text!("All");
pub const EXAM: Text = text!("Exam");
pub const ON_THE_EXAM: Text = text!("on the exam:");
pub const LESSON_DONE: Text = text!("done");
pub const LESSON_SEEN: Text = text!("seen");
pub const LESSON_NEXT: Text = text!("next");
pub const LESSON_TODO: Text = text!("to do");
pub const MINUTES: Text = text!("minutes");
pub const GOALS: Text = text!("Goals");
pub const NEXT_HINT: Text = text!("Next hint");
pub const FIRST_HINT: Text = text!("Show a hint");
pub const RUN_HINT: Text = text!("Run");
pub const SHOW_SOLUTION: Text = text!("Show the solution");
pub const SOLUTION: Text = text!("Solution");
/// Below the solution: what seeing it means for the progress.
pub const SOLUTION_IS_SEEN: Text = text!(
    "Nothing was done for you: the lesson now counts as seen. Start over to solve it yourself."
);
pub const NEXT_OF_SOLUTION: Text = text!("Play the next step");
pub const SOLUTION_ENDS: Text = text!("That was the last step.");
pub const STARTED_OVER: Text = text!("The lesson is at its start again.");
pub const YOU_DID: Text = text!("What you did");
/// Above the notes of a solution that the learner's is equal to.
pub const AS_SOLVED: Text = text!("What it shows: you did it as the model solution does");
/// Above a solution that differs from the learner's.
pub const SOLVED_SO: Text = text!("What it shows, and how the model solution does it");
pub const START_OVER: Text = text!("Start lesson over");
pub const LESSON_BEGINS_AGAIN: Text = text!("The lesson began again at its start.");
pub const NEXT_LESSON: Text = text!("Next lesson");
pub const LET_IT_RUN: Text = text!("Let it run");
pub const LET_IT_RUN_TITLE: Text = text!("Play until nothing happens for two minutes");
pub const LOCKED: Text = text!("Locked:");
pub const ALL_MET: Text = text!("All goals are met.");
pub const MISPREDICTED: Text =
    text!("All goals are met, but not as predicted. Start over to predict it again, or go on.");
pub const NOT_QUITE: Text = text!("Not yet");
pub const PREDICTED_RIGHT: Text = text!("Right");
pub const PREDICTED_WRONG: Text = text!("Wrong");
pub const NOT_PREDICTED: Text = text!("You made no prediction. Start over to make one.");
pub const A_PLUGIN: Text = text!("a plugin");
pub const GOAL_IS_LOST: Text = text!("; undo it, or start over");
pub const APPLY: Text = text!("Changed in the manifests:");

/// The title of the card about a solved lesson.
pub fn solved(title: &str) -> String {
    say!("Solved: {title}")
}

/// What a screen reader hears of the goals.
pub fn goals_met(met: usize, all: usize) -> String {
    counted!(
        all,
        "{met} of {all} goal is met.",
        "{met} of {all} goals are met."
    )
}

/// The same of a recognised wrong answer.
pub fn not_yet(wrong: &str) -> String {
    say!("Not yet: {wrong}")
}

/// What a met goal counts.
pub fn goal_value(value: &GoalValue) -> String {
    match value {
        GoalValue::Share { count, all } => say!("{count} of {all}"),
        GoalValue::Domains(counts) => {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            counts.join(language::comma())
        }
    }
}

/// Other names of a term, which older tutorials use.
pub fn also_called(names: &str) -> String {
    say!("Also called: {names}")
}

/// How to predict, and what gives the answer. `is_on_stage`: it may be chosen there; `is_due`: the run has steps left.
pub fn predict_first(is_on_stage: bool, is_due: bool) -> Text {
    match (is_on_stage, is_due) {
        (true, true) => text!("Choose it here or on the stage, then let it run."),
        (true, false) => text!("Choose it here or on the stage, then do the task."),
        (false, true) => text!("Choose it here, then let it run."),
        (false, false) => text!("Choose it here, then do the task."),
    }
}

/// `Lesson 4 of 30`.
pub fn lesson_of(number: usize, lessons: usize) -> String {
    say!("Lesson {number} of {lessons}")
}

/// `30 lessons`.
pub fn lessons(lessons: usize) -> String {
    counted!(lessons, "{lessons} lesson", "{lessons} lessons")
}

/// The progress bar's text: the numbers of lessons done, and of all.
pub fn lessons_done(done: usize, lessons: usize) -> String {
    say!("{done} of {lessons} done")
}

/// The minutes of the lessons done, and of all.
pub fn minutes_done(done: u32, minutes: u32) -> String {
    say!("{done} of {minutes} min")
}

pub fn minutes(minutes: u32) -> String {
    say!("{minutes} min")
}

/// The first button: begins with the first lesson, or continues with one once any is done.
pub fn go_on_with(number: usize, done: usize) -> String {
    match (number, done) {
        (1, 0) => text!("Begin with lesson 1").to_owned(),
        _ => say!("Go on with lesson {number}"),
    }
}

/// What is added to a text, such as a state.
pub fn in_parentheses(text: impl Display) -> String {
    say!(" ({text})")
}

/// A question about a Pod.
pub fn which_node(pod: &str) -> String {
    say!("Which node will {pod} go to?")
}

pub fn which_victims(pod: &str) -> String {
    say!("Which Pods will be evicted for {pod}?")
}

pub fn which_plugin(pod: &str) -> String {
    say!("Which plugin keeps {pod} waiting?")
}

/// The learner's prediction.
pub fn you_said(answer: &str) -> String {
    say!("You said {answer}.")
}

/// The scheduler's answer.
pub fn it_was(answer: &str) -> String {
    say!("It was {answer}.")
}
