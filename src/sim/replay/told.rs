//! A replay in lines for people, with the reason of every move.

use crate::base::time::Time;
use crate::scheduler::queue::{Answer, Answers, Note, Place, Why};
use crate::sim::audit_log::Event;
use crate::sim::history::{CycleEnding, CycleEntry, Entry, PodState, Record};

/// One line for each thing that happened.
pub fn lines(record: &Record) -> impl Iterator<Item = String> {
    let lines = record.entries.iter();
    lines.filter_map(|entry| entry_line(entry, Time::START))
}

/// One thing that happened, by a clock that went off at the `beginning`; `None` if another line tells it.
pub fn entry_line(entry: &Entry, beginning: Time) -> Option<String> {
    let line = |at: &Time, text: &str| line(at.counted_from(beginning), text);
    match entry {
        Entry::Step { at, does, .. } if does.is_empty() => Some(line(at, "nothing changes")),
        Entry::Step { at, does, .. } => Some(line(at, &does.join(", "))),
        Entry::Cycle(cycle) => Some(line(&cycle.at, &cycle_text(cycle, beginning))),
        Entry::Wrote { at, line: text } => Some(line(at, text)),
        // The cycle tells of these.
        Entry::Event { event, .. } if is_of_scheduler(event) => None,
        Entry::Event { at, event } => Some(line(at, &event_text(event))),
        Entry::Pod { at, pod, now } => Some(line(at, &format!("{pod} is {}", state_text(*now)))),
        Entry::Queue { at, note } => Some(line(at, &note_text(note, beginning)?)),
    }
}

fn line(at: Time, text: &str) -> String {
    format!("{:>9} s  {text}", format!("{:.2}", at.as_seconds()))
}

fn cycle_text(cycle: &CycleEntry, beginning: Time) -> String {
    let CycleEntry {
        pod,
        attempt,
        victims,
        ..
    } = cycle;
    let message = cycle.message.as_deref().unwrap_or_default();
    let mut text = match &cycle.ending {
        CycleEnding::Bound(node) => return format!("{pod}: attempt {attempt}: bound to {node}"),
        CycleEnding::Skipped => {
            return format!("{pod}: attempt {attempt}: skipped, it is being deleted");
        }
        CycleEnding::Unschedulable => format!("{pod}: attempt {attempt}: {message}"),
        CycleEnding::Error => format!("{pod}: attempt {attempt}: error: {message}"),
    };
    if let Some(node) = &cycle.nominated {
        let victims = victims.join(", ");
        text.push_str(&format!(" Preempts {victims} on {node}."));
    }
    if let Some((place, until)) = cycle.queue_after {
        text.push_str(&format!(" → {}", place_text(place, until, beginning)));
    }
    if let Some(event) = cycle.in_flight {
        text.push_str(&format!(" ({event} happened meanwhile)"));
    }
    text
}

fn is_of_scheduler(event: &Event) -> bool {
    matches!(&*event.reason, "Scheduled" | "FailedScheduling")
}

fn event_text(event: &Event) -> String {
    let Event {
        kind,
        key,
        reason,
        message,
        ..
    } = event;
    format!("{kind} {key}: {reason}: {message}")
}

fn state_text(state: PodState) -> &'static str {
    match state {
        PodState::NotReady => "not ready",
        other => other.name(),
    }
}

/// `None` for Pods that are as before and that nobody would expect to move.
fn note_text(note: &Note, beginning: Time) -> Option<String> {
    Some(match note {
        Note::Gated { key, plugin, .. } => format!("{key}: gated by {plugin}"),
        Note::Moved {
            key,
            by,
            to,
            backoff_until,
            why,
            ..
        } => {
            let place = place_text(*to, *backoff_until, beginning);
            format!("{key} → {place}: {by}{}", why_text(why))
        }
        Note::Kept {
            key, by, answers, ..
        } => format!("{key} stays: {by}{}", kept_text(answers)?),
    })
}

fn place_text(place: Place, until: Option<Time>, beginning: Time) -> String {
    match until.map(|until| until.counted_from(beginning)) {
        Some(until) => format!("{} until {} s", place.name(), until.as_seconds()),
        None => place.name().to_owned(),
    }
}

fn why_text(why: &Why) -> String {
    match why {
        Why::TimePassed => String::new(),
        Why::NobodyRejected => ", as no plugin rejected it".to_owned(),
        Why::Answers(answers) => match answers.last() {
            Some((plugin, Answer::Queue)) => format!(", which may help with {plugin}"),
            Some((plugin, _)) => format!(", which always wakes what {plugin} rejected"),
            None => String::new(),
        },
    }
}

fn kept_text(answers: &Answers) -> Option<String> {
    let asked = answers.iter();
    let asked = asked.filter(|(_, answer)| *answer == Answer::Skip);
    let asked: Vec<&str> = asked.map(|(plugin, _)| *plugin).collect();
    if asked.is_empty() {
        return None;
    }
    Some(format!(" does not help with {}", asked.join(", ")))
}
