//! What the page says of a cluster that lives, and in the terminal.

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
pub const LIVES_NOW: &str =
    "The cluster lives from now on: controllers and kubelets work, and time passes.";
/// Below the manifests.
pub const TERMINAL_CHANGED: &str =
    "The terminal has changed the cluster, not these manifests: they are what it began with.";
/// Nothing happens for long.
pub fn quiet_until(next_ms: i64) -> String {
    format!("Quiet until {}: play or step goes there.", clock(next_ms))
}

/// Files were dropped on the terminal.
pub fn in_reach(files: &str) -> String {
    format!("In reach of the terminal: {files}.")
}

pub const SINCE_THEN: &str = "Since then:";
pub const CHOICES: &str = "What it may become";
pub const SAVE: &str = "Save";
pub const CANCEL: &str = "Cancel";

/// A moment as a clock shows it: `mm:ss`, from an hour on `hh:mm:ss`.
pub fn clock(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes:02}:{seconds:02}")
    }
}

/// Why the queue looks at a Pod again, in words.
const CAUSES: [(&str, &str); 9] = [
    ("UnschedulableTimeout", "5 minutes had passed"),
    ("BackoffComplete", "its backoff is over"),
    ("AssignedPodAdd", "a Pod got a node"),
    ("AssignedPodDelete", "a Pod left its node"),
    ("NodeAdd", "a node was added"),
    ("NodeDelete", "a node is gone"),
    ("NodeUpdateNodeAllocatable", "a node's room changed"),
    ("NodeUpdateNodeLabel", "a node's labels changed"),
    ("NodeUpdateNodeTaint", "a node's taints changed"),
];

/// A line of what happened: when, by the cluster's clock, and what.
pub fn told(line: &str) -> (String, String) {
    let (at_ms, what) = taken_apart(line);
    (at_ms.map(clock).unwrap_or_default(), moved(what))
}

/// When, in milliseconds since the beginning, and what.
fn taken_apart(line: &str) -> (Option<i64>, &str) {
    let (at, what) = line.split_once(" s  ").unwrap_or(("", line));
    let at_ms = at.trim().parse::<f64>().map(|seconds| {
        #[allow(clippy::cast_possible_truncation, reason = "of a clock")]
        let milliseconds = (seconds * 1000.0).round() as i64;
        milliseconds
    });
    (at_ms.ok(), what)
}

/// When and why the queue looked at a Pod again, or left it where it was, if a line tells that it did so after a
/// time.
pub fn looked_at(line: &str, pod: &str, since_ms: i64) -> Option<(String, String)> {
    let (at_ms, what) = taken_apart(line);
    let at_ms = at_ms.filter(|at_ms| *at_ms >= since_ms)?;
    let is_move = |rest: &str| rest.starts_with(" → ") || rest.starts_with(" stays: ");
    what.strip_prefix(pod).filter(|rest| is_move(rest))?;
    let words = moved(what);
    let words = words.strip_prefix(pod).unwrap_or(&words).trim();
    Some((clock(at_ms), words.to_owned()))
}

/// What the queue does with a Pod, as one would say it.
fn moved(what: &str) -> String {
    let cause = |event: &str| {
        let known = CAUSES.iter().find(|(name, _)| *name == event);
        known.map_or_else(|| event.to_owned(), |(_, words)| (*words).to_owned())
    };
    if let Some((pod, by)) = what.split_once(" → active: ") {
        let (event, why) = by.split_once(", ").unwrap_or((by, ""));
        let comma = if why.is_empty() { "" } else { ", " };
        return format!("{pod} is to be tried again: {}{comma}{why}", cause(event));
    }
    let stays = what.split_once(" stays: ");
    let stays = stays.and_then(|(pod, by)| Some((pod, by.split_once(" does not help with ")?)));
    match stays {
        Some((pod, (event, plugins))) => {
            format!(
                "{pod} goes on waiting: {}, which does not help with {plugins}",
                cause(event)
            )
        }
        None => what.to_owned(),
    }
}

/// The title of the dialog over a text that the terminal asked to edit.
pub fn edit_text(title: &str) -> String {
    format!("Edit {title}")
}

#[cfg(test)]
mod tests {
    use super::{clock, looked_at, told};

    #[test]
    fn clocks_show_hours_only_when_there_are_any() {
        assert_eq!(clock(0), "00:00");
        assert_eq!(clock(61_999), "01:01");
        assert_eq!(clock(3_600_000 + 62_000), "01:01:02");
        assert_eq!(clock(-5), "00:00");
    }

    #[test]
    fn lines_are_told_with_their_time() {
        let line = "     1.50 s  web is ready";
        assert_eq!(told(line), ("00:01".into(), "web is ready".into()));
        assert_eq!(told("odd"), (String::new(), "odd".into()));
        let line = "   330.00 s  a/web → active: UnschedulableTimeout";
        let words = "a/web is to be tried again: 5 minutes had passed";
        assert_eq!(told(line), ("05:30".into(), words.into()));
        let line = "a/web stays: AssignedPodAdd does not help with PodTopologySpread";
        let words =
            "a/web goes on waiting: a Pod got a node, which does not help with PodTopologySpread";
        assert_eq!(told(line).1, words);
    }

    #[test]
    fn the_moves_of_one_pod_are_told_apart_from_others() {
        let line = "    12.25 s  a/web → active: NodeAdd, which may help with NodeResourcesFit";
        let words = "is to be tried again: a node was added, which may help with NodeResourcesFit";
        let told = ("00:12".to_owned(), words.to_owned());
        assert_eq!(looked_at(line, "a/web", 12_250), Some(told));
        assert_eq!(looked_at(line, "a/web", 12_251), None);
        assert_eq!(looked_at(line, "a/we", 0), None);
        let line = "    12.25 s  a/web: attempt 1: 0/1 nodes are available. → backoff until 13 s";
        assert_eq!(looked_at(line, "a/web", 0), None);
    }
}
