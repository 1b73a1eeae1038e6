//! Classes: lists of lessons that a link carries.

use berth_words::{counted, say, text};

use super::{Text, number};
use crate::ui::features::class::Refusal;
use berth_protocol::link::LONGEST;

pub const CLASS: Text = text!("Class");
pub const CLASS_LEAD: Text =
    text!("The lessons of this class, in order. Progress here is kept apart from the course.");
pub const WHOLE_COURSE: Text = text!("The whole course");
pub const MAKE_CLASS: Text = text!("Make a class link");
pub const MAKE_CLASS_LEAD: Text =
    text!("Choose lessons, put them into order, and hand out one link that lists them.");
pub const CLASS_TITLE: Text = text!("Title of the class");
pub const CLASS_CHOOSE: Text = text!("Lessons of the course");
pub const CLASS_ORDER: Text = text!("In this order");
pub const CLASS_EMPTY: Text = text!("No lesson is chosen yet.");
pub const CLASS_FILES: Text = text!("Add lesson files");
pub const CLASS_LINK: Text = text!("Add the lessons of a link");
pub const CLASS_ADD: Text = text!("Add the lessons");
pub const CLASS_LINK_LABEL: Text = text!("Link to the class");
pub const CLASS_NO_LINK: Text = text!("Berth cannot read this link. Copy all of it again.");
pub const CLASS_BACK: Text = text!("Back to the course");
pub const OWN_LESSON: Text = text!("own");
pub const CLASS_FOOT: Text = text!(
    "No server: your own lessons are in the link with their solutions. Anyone with the link can open it."
);

/// Lessons of a class that this version of Berth does not have.
pub fn class_missing(lessons: usize) -> String {
    counted!(
        lessons,
        "{lessons} lesson of this class is not in this version of Berth.",
        "{lessons} lessons of this class are not in this version of Berth."
    )
}

pub fn move_up(title: &str) -> String {
    say!("Move up: {title}")
}

pub fn move_down(title: &str) -> String {
    say!("Move down: {title}")
}

pub fn take_out(title: &str) -> String {
    say!("Take out: {title}")
}

/// What to do with a class link that is too long.
pub fn class_too_long(length: usize) -> String {
    say!(
        "{length} characters, and many programs cut addresses above {longest}. Take out one of your own lessons, or hand out its file.",
        length = number(length),
        longest = number(LONGEST)
    )
}

/// Why a file or a link gives no lesson.
pub fn class_refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Link => CLASS_NO_LINK.to_owned(),
        Refusal::File {
            name,
            line,
            message,
        } => say!(
            "{name} is not a playable lesson. Line {line}: {message}",
            message = super::remark(message)
        ),
    }
}
