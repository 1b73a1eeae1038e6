//! Why an attempt did not place its Pod.

use berth_words::text;

use super::{against, reasons};
use crate::words::Text;
use berth_protocol::cycle::{Code, Cycle, NotEligible};
use berth_protocol::page::Rows;

/// Why the Pod of an attempt was not placed: what decides, or what PreFilter says. Empty if it was.
pub fn why(cycle: &Cycle, rows: &Rows) -> String {
    if cycle.selected.is_some() {
        return String::new();
    }
    match cycle.pre_filter.code {
        Code::Success => against(rows, ""),
        _ => reasons(cycle, rows, &|_, _| None),
    }
}

/// Why preemption was not attempted, in a word and in a sentence.
pub fn may_not_preempt(cycle: &Cycle) -> Option<(Text, Text)> {
    Some(match cycle.not_eligible? {
        NotEligible::PolicyNever => (
            text!("never preempts"),
            text!("It evicts no other Pod to make room, as its preemptionPolicy is Never."),
        ),
        NotEligible::VictimTerminating => (
            text!("under way"),
            text!("It evicts no other Pod, as one evicted for it is still terminating."),
        ),
    })
}
