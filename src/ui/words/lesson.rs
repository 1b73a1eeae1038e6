//! Lessons and the course.

use super::count;

pub const LESSON: &str = "Lesson";
pub const COURSE: &str = "Course";
pub const COURSE_TITLE: &str = "See why a Pod lands where it lands";
pub const COURSE_LEAD: &str = "Each lesson starts from a real question and is checked against the cluster, never against what you typed.";
pub const NO_COURSE: &str =
    "The lessons could not be fetched: check the connection, then try again.";
pub const PROGRESS_HERE: &str =
    "Progress stays in this browser. The file or the code carries it to another.";
pub const SAVE_PROGRESS: &str = "Save progress";
pub const TAKE_PROGRESS: &str = "Take over progress";
pub const CODE: &str = "code";
pub const CODE_FIELD: &str = "Code of another browser";
pub const CODE_WRONG: &str = "This is no code of this course: check each character.";
pub const PROGRESS_FILE: &str = "Or a saved file";
pub const TAKE: &str = "Take over";
pub const ALL_EXAMS: &str = "All";
pub const EXAM: &str = "Exam";
pub const ON_THE_EXAM: &str = "on the exam:";
pub const LESSON_DONE: &str = "done";
pub const LESSON_NEXT: &str = "next";
pub const LESSON_TODO: &str = "to do";
pub const MINUTES: &str = "minutes";
pub const GOALS: &str = "Goals";
pub const NEXT_HINT: &str = "Next hint";
pub const FIRST_HINT: &str = "Show a hint";
pub const SHOW_SOLUTION: &str = "Show the solution";
pub const SOLUTION: &str = "Solution";
pub const NEXT_OF_SOLUTION: &str = "Take the next step";
pub const SOLUTION_ENDS: &str = "That was the last step.";
pub const START_OVER: &str = "Start over";
pub const NEXT_LESSON: &str = "Next lesson";
pub const LET_IT_RUN: &str = "Let it run";
pub const LET_IT_RUN_TITLE: &str = "Play until nothing happens for two minutes";
pub const LOCKED: &str = "Locked:";
pub const ALL_MET: &str = "All goals are met.";
pub const NOT_QUITE: &str = "Not yet";
pub const PREDICTED_RIGHT: &str = "Right";
pub const PREDICTED_WRONG: &str = "Not so";
pub const NOT_PREDICTED: &str = "You did not say. Start over to predict it.";
pub const PREDICT_FIRST: &str = "Choose it here or on the stage, then let it run.";
pub const APPLY: &str = "Changed in the manifests:";

/// `Lesson 4 of 30`.
pub fn lesson_of(number: usize, lessons: usize) -> String {
    format!("Lesson {number} of {lessons}")
}

/// `30 lessons`.
pub fn lessons(lessons: usize) -> String {
    count(lessons, "lesson", "lessons")
}

/// The progress bar's text: the numbers of lessons done, and of all.
pub fn lessons_done(done: usize, lessons: usize) -> String {
    format!("{done} of {lessons} done")
}

/// The minutes of the lessons done, and of all.
pub fn minutes_done(done: u32, minutes: u32) -> String {
    format!("{done} of {minutes} min")
}

pub fn minutes(minutes: u32) -> String {
    format!("{minutes} min")
}

/// The first door: begins with a lesson, or goes on with it.
pub fn go_on_with(number: usize) -> String {
    match number {
        1 => "Begin with lesson 1".to_owned(),
        number => format!("Go on with lesson {number}"),
    }
}

/// A question about a Pod.
pub fn which_node(pod: &str) -> String {
    format!("Which node will {pod} go to?")
}

pub fn which_victims(pod: &str) -> String {
    format!("Which Pods will be evicted for {pod}?")
}

pub fn which_plugin(pod: &str) -> String {
    format!("Which plugin keeps {pod} waiting?")
}

/// The learner's prediction.
pub fn you_said(answer: &str) -> String {
    format!("You said {answer}.")
}

/// The scheduler's answer.
pub fn it_was(answer: &str) -> String {
    format!("It was {answer}.")
}
