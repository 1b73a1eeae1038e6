//! Presenting to a room: the trainer's notes and the next-step key.

use berth_words::{say, text};

use super::Text;

pub const NOTES: Text = text!("Notes");
pub const NOTES_TITLE: Text =
    text!("Open the notes in a second window, which the room does not see");
pub const NOTES_PAGE: Text = text!("Berth · notes");
pub const NOTES_REFUSED: Text = text!(
    "The browser refused a second window. Allow this page to open windows, or open the notes yourself:"
);
pub const NOTES_WAIT: Text =
    text!("Waiting for the page that is projected: open it, and press P for presentation size.");
pub const NOTES_CANNOT: Text =
    text!("This browser does not let two windows of a page communicate. Use a newer one.");
pub const NOTES_APART: Text =
    text!("The two windows have different versions of Berth: reload both.");
pub const NOTES_STAGE: Text = text!("What the room sees. Point here: the room sees a ring.");
pub const NOTES_POINT_KEYS: Text =
    text!("Arrows move the ring, Shift makes larger steps, Esc hides it.");
pub const NOTES_BACK: Text = text!("Back");
pub const NOTES_NEXT: Text = text!("Next");
pub const NOTES_ELAPSED: Text = text!("Since the start");
pub const NOTES_IN_LESSON: Text = text!("In this lesson");
pub const NOTES_RESET: Text = text!("Set the clock to zero");
pub const NOTES_SYMPTOM: Text = text!("What is wrong");
pub const NOTES_TASK: Text = text!("Task");
pub const NOTES_ABOUT: Text = text!("About");
pub const NOTES_HINTS: Text = text!("Hints");
pub const NOTES_QUESTIONS: Text = text!("Questions");
pub const NOTES_WRONG: Text = text!("Wrong answers, and what to say");
pub const NOTES_ROOM_SAYS: Text =
    text!("The room sees no hint and no solution before you play it.");
pub const NOTES_PLAYED: Text = text!("played");
pub const NOTES_COMES: Text = text!("comes next");
pub const NOTES_LATER: Text = text!("later");
pub const NOTES_CLUSTER: Text = text!("Cluster time");
pub const NEXT_STEP: Text = text!("The next step of the run");
pub const NEXT_SETTLE: Text = text!("Let it run: the answer comes");
pub const NEXT_PRESENT: Text = text!("Back to the end of the run");
pub const NEXT_NOTHING: Text = text!("Nothing comes after this.");

/// Opens the next lesson.
pub fn next_lesson(number: usize, title: &str) -> String {
    say!("Lesson {number}: {title}")
}

/// A step of the solution, by its number.
pub fn next_solution(number: usize, all: usize) -> String {
    say!("Step {number} of {all}")
}

/// How long the lesson is planned to take.
pub fn planned(minutes: u32) -> String {
    say!("planned: {minutes} min")
}

/// The moment of the run.
pub fn entries(position: usize, all: usize) -> String {
    say!("step {position} of {all}")
}
