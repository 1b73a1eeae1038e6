//! Text of the mode, the simulated cluster's clock and the list of happenings.

use berth_words::{say, text};

use super::{Text, short};
use berth_protocol::due::{Due, DueKind};

pub const TIME: Text = text!("Time");
pub const SCHEDULE_ONLY: Text = text!("Schedule only");
pub const LIVING: Text = text!("Living cluster");
pub const SCHEDULE_ONLY_SHORT: Text = text!("Schedule");
pub const LIVING_SHORT: Text = text!("Living");
pub const BACKOFF: Text = text!("Backoff");
pub const CLOCK: Text = text!("Time in the cluster");
pub const HAPPENED: Text = text!("What happened");
pub const NOTHING_HAPPENED: Text = text!("Nothing yet: play, or step forwards.");
pub const YAML: &str = "YAML";
pub const LIVES_NOW: Text = text!(
    "This is now a living cluster: it continues from what is on the stage. Controllers and kubelets work, and time passes. Undo brings the run back."
);
pub const BEFORE_THE_CLUSTER: Text = text!(
    "This moment is before the living cluster: Pods are only scheduled here. Step forward to enter it again."
);
pub const SCHEDULES_ONLY: Text = text!(
    "Back to scheduling only, at the moment before the living cluster. Undo brings the cluster back."
);
pub const BEGIN_ANEW: Text = text!("Restart cluster");
pub const BEGIN_ANEW_MEANS: Text = text!(
    "Start this cluster again from the manifests, with nothing placed yet. Undo brings this one back."
);

/// Shown while nothing happens before this.
#[inline(never)]
pub fn rests_until(due: &Due) -> String {
    let (time, object) = (clock(due.at_ms), short(&due.object));
    match due.kind {
        DueKind::Eviction if !object.is_empty() => {
            say!("Nothing happens until {time}: then {object} is evicted.")
        }
        DueKind::Deadline if !object.is_empty() => {
            say!("Nothing happens until {time}: then {object} reaches its deadline.")
        }
        DueKind::Backoff if !object.is_empty() => {
            say!("Nothing happens until {time}: then the backoff of {object} ends.")
        }
        DueKind::Backoff => say!("Nothing happens until {time}: then a backoff ends."),
        DueKind::Flush => {
            say!("Nothing happens until {time}: then the queue tries waiting Pods again.")
        }
        DueKind::Sync if !object.is_empty() => {
            say!(
                "Nothing happens until {time}: then {object} compares its metrics with their targets."
            )
        }
        DueKind::Sync | DueKind::Work | DueKind::Eviction | DueKind::Deadline => {
            say!("Nothing happens until {time}.")
        }
    }
}

/// The button that goes to a time.
pub fn go_to(at_ms: i64) -> String {
    say!("Go to {time}", time = clock(at_ms))
}

pub const SINCE_THEN: Text = text!("Since then:");

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
