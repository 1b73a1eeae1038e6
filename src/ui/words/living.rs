//! Text of the simulated cluster's clock and of the terminal.

pub const TIME: &str = "Time";
pub const SCHEDULE_ONLY: &str = "Schedule only";
pub const LIVING: &str = "Living cluster";
pub const BACKOFF: &str = "Backoff";
pub const CLOCK: &str = "Time in the cluster";
pub const HAPPENED: &str = "What happened";
pub const NOTHING_HAPPENED: &str = "Nothing yet: play, or step forwards.";
pub const YAML: &str = "YAML";
pub const TERMINAL: &str = "Terminal";
pub const TERMINAL_OUTPUT: &str = "Terminal output";
pub const TERMINAL_LINE: &str = "Command line";
pub const TERMINAL_HINT: &str =
    "kubectl on this cluster: try kubectl get nodes. Tab completes, ↑ brings back earlier lines.";
pub const LIVES_NOW: &str = "This is now a living cluster: it goes on from what is on the stage. Controllers and kubelets work, and time passes. Undo brings the run back.";
pub const SCHEDULES_ONLY: &str =
    "Only scheduling again, from where the cluster came alive. Undo brings the cluster back.";
pub const BEGIN_ANEW: &str = "Begin anew";
pub const BEGIN_ANEW_MEANS: &str = "Start this cluster again from the manifests, with nothing placed yet. Undo brings this one back.";
/// Shown below the manifests.
pub const TERMINAL_CHANGED: &str =
    "kubectl has changed the cluster since; these manifests are what it started from.";
/// Shown while no event occurs before this time.
pub fn quiet_until(next_ms: i64) -> String {
    format!(
        "Nothing happens until {}. Play or step to jump there.",
        clock(next_ms)
    )
}

/// Shown after files were dropped on the terminal.
pub fn in_reach(files: &str) -> String {
    format!("The terminal can read {files}.")
}

pub const SINCE_THEN: &str = "Since then:";
pub const CHOICES: &str = "Completions";
pub const SAVE: &str = "Save";
pub const CANCEL: &str = "Cancel";

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
    format!("Edit {title}")
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
