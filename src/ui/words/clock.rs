//! Text of the simulated cluster's clock and of the terminal.

use berth_words::{say, text};

use super::Text;

pub const TIME: Text = text!("Time");
pub const SCHEDULE_ONLY: Text = text!("Schedule only");
pub const LIVING: Text = text!("Living cluster");
pub const BACKOFF: Text = text!("Backoff");
pub const CLOCK: Text = text!("Time in the cluster");
pub const HAPPENED: Text = text!("What happened");
pub const NOTHING_HAPPENED: Text = text!("Nothing yet: play, or step forwards.");
pub const YAML: &str = "YAML";
pub const TERMINAL: Text = text!("Terminal");
pub const TERMINAL_OUTPUT: Text = text!("Terminal output");
pub const TERMINAL_LINE: Text = text!("Command line");
pub const TERMINAL_HINT: Text = text!(
    "kubectl on this cluster: try kubectl get nodes. Tab completes, ↑ brings back earlier lines."
);
pub const LIVES_NOW: Text = text!(
    "This is now a living cluster: it goes on from what is on the stage. Controllers and kubelets work, and time passes. Undo brings the run back."
);
pub const SCHEDULES_ONLY: Text = text!(
    "Only scheduling again, from where the cluster came alive. Undo brings the cluster back."
);
pub const BEGIN_ANEW: Text = text!("Begin anew");
pub const BEGIN_ANEW_MEANS: Text = text!(
    "Start this cluster again from the manifests, with nothing placed yet. Undo brings this one back."
);
/// Shown below the manifests.
pub const TERMINAL_CHANGED: Text =
    text!("kubectl has changed the cluster since; these manifests are what it started from.");
/// Shown while no event occurs before this time.
pub fn quiet_until(next_ms: i64) -> String {
    say!(
        "Nothing happens until {time}. Play or step to jump there.",
        time = clock(next_ms)
    )
}

/// Shown after files were dropped on the terminal.
pub fn in_reach(files: &str) -> String {
    say!("The terminal can read {files}.")
}

pub const SINCE_THEN: Text = text!("Since then:");
pub const CHOICES: Text = text!("Completions");
pub const SAVE: Text = text!("Save");
pub const CANCEL: Text = text!("Cancel");

/// A time on the clock: `mm:ss`, or `hh:mm:ss` from one hour on.
pub fn clock(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes:02}:{seconds:02}")
    }
}

/// The title of the dialog for a text that a command opened for editing.
pub fn edit_text(title: &str) -> String {
    say!("Edit {title}")
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn clocks_show_hours_only_when_there_are_any() {
        assert_eq!(clock(0), "00:00");
        assert_eq!(clock(61_999), "01:01");
        assert_eq!(clock(3_600_000 + 62_000), "01:01:02");
        assert_eq!(clock(-5), "00:00");
    }
}
