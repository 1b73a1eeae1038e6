//! Text about work that lasts longer than a second.

use berth_words::{say, text};

use super::{Text, case, clock, number};
use berth_protocol::work::{Amount, Task};

pub const STOP: Text = text!("Stop");
pub const SEARCH_STOPPED: Text = text!("The search was stopped.");

/// The task in progress.
pub fn what(task: Task, amount: Amount) -> &'static str {
    let text = match (task, amount) {
        (Task::Run, Amount::Time { .. }) => text!("Running the cluster"),
        (Task::Run, _) => text!("Scheduling Pods"),
        (Task::Wait, _) => text!("The command waits for the cluster"),
        (Task::Restore, _) => text!("Restoring your last visit"),
        (Task::Fork, _) => text!("Continuing the fork"),
        (Task::Fixes, _) => text!("Trying fixes for this Pod"),
        (Task::Nearest, _) => text!("Trying fixes for a group of Pods"),
        (Task::WhatIf, _) => text!("Playing the what-if"),
        (Task::Reduce, _) => text!("Looking for the smallest case"),
        (Task::Change, _) => text!("Reading the change"),
    };
    text.get()
}

/// Its progress.
pub fn far(amount: Amount) -> String {
    match amount {
        Amount::Unknown => String::new(),
        Amount::Attempts { done, all } => {
            let (done, all) = (number(done), number(all));
            say!("{done} of {all} attempts")
        }
        Amount::Changes { done, all } => {
            let (done, all) = (number(done), number(all));
            say!("{done} of {all} changes")
        }
        Amount::Plays { done, all } => {
            let (done, all) = (number(done), number(all));
            say!("{done} of {all} plays")
        }
        Amount::Trials { done, left } => case::trial(done, left),
        Amount::Time {
            now_ms, until_ms, ..
        } => match until_ms {
            Some(until_ms) => {
                let (now, end) = (virtual_time(now_ms), virtual_time(until_ms));
                say!("{now} of {end}")
            }
            None => virtual_time(now_ms),
        },
    }
}

/// `3 d 04:00:00`.
fn virtual_time(ms: i64) -> String {
    const DAY_MS: i64 = 86_400_000;
    let (days, rest) = (ms / DAY_MS, clock(ms % DAY_MS));
    if days == 0 {
        return rest;
    }
    say!("{days} d {rest}")
}

/// The same for screen readers, announced at every quarter.
pub fn goes_on(what: &str, quarter: Option<u32>) -> String {
    match quarter {
        Some(percent) => say!("{what}: {percent} %"),
        None => what.to_owned(),
    }
}

/// Its end, for screen readers.
pub fn ended(what: &str, stopped: bool) -> String {
    if stopped {
        say!("{what}: stopped")
    } else {
        say!("{what}: done")
    }
}
