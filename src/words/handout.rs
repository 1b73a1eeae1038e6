//! Lessons on paper, and the dialog that prints them.

use berth_words::{say, text};

use super::Text;
use berth_protocol::lesson::{Ask, QuestionFrame};

pub const HANDOUTS: Text = text!("Handouts | handout");
pub const SOLUTION_SHEETS: Text = text!("Solution sheets");
pub const SOLUTION_SHEET: Text = text!("Solution sheet · for the trainer");
pub const HANDOUT_NAME: Text = text!("Name: | handout");
pub const HANDOUT_TASK: Text = text!("Task | handout");
pub const HANDOUT_NOTES: Text = text!("What I tried, and what happened");
pub const HANDOUT_WHY: Text = text!("Because | handout");
pub const HANDOUT_QUESTIONS: Text = text!("Questions | handout");
pub const WRONG_ANSWERS: Text = text!("Wrong answers, and what to say");
pub const HINTS: Text = text!("Hints | handout");
pub const OPEN_LESSON: Text = text!("This lesson in the browser:");
pub const PRINT_HANDOUT: Text = text!("Print handout");
pub const PRINT_SOLUTION: Text = text!("Print solution sheet");
pub const PRINT_HANDOUTS: Text = text!("Print handouts");
pub const PRINT_SOLUTIONS: Text = text!("Print solution sheets");
pub const HANDOUT_MEANS: Text = text!(
    "One A4 page a lesson for each learner: the cluster at the start, the task, and room to write."
);
pub const SOLUTION_MEANS: Text = text!(
    "One A4 page a lesson for the trainer: the answers, the solution, wrong answers with what to say, and the hints."
);

/// `Lesson 5`.
pub fn lesson_number(number: usize) -> String {
    say!("Lesson {number}")
}

/// How many lessons of those to print are ready.
pub fn handouts_ready(ready: usize, lessons: usize) -> String {
    say!("{ready} of {lessons} lessons are ready")
}

/// A lesson's question.
pub fn asked(question: &QuestionFrame) -> String {
    let pod = super::short(&question.pod);
    match question.ask {
        Ask::Node => super::which_node(pod),
        Ask::Victims => super::which_victims(pod),
        Ask::Why => super::which_plugin(pod),
    }
}
