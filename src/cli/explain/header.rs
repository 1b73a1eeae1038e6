//! Which attempt, and how it ended.

use std::io::{self, Write};

use crate::cli::table::wrap;
use crate::cli::terminal::{Style, Terminal};
use crate::protocol::cycle::{Code, Cycle};

/// Columns before the text.
const INDENT: usize = 11;

/// Where the attempt stands in its run.
pub struct Place {
    /// From 0.
    pub position: usize,
    pub attempts: usize,
    /// Of this Pod, from 1.
    pub number: usize,
    pub of_pod: usize,
    /// The last one of this Pod.
    pub is_last: bool,
}

/// Writes it, with the message that would be in the event.
pub fn write(
    cycle: &Cycle,
    place: &Place,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = |name: &str, style: Style, text: &str| -> io::Result<()> {
        let mut name = name;
        for text in wrap(text, terminal.width - INDENT) {
            let padding = INDENT.saturating_sub(name.chars().count());
            let (name_painted, text) = (
                terminal.paint(Style::Bold, name),
                terminal.paint(style, &text),
            );
            writeln!(out, "{name_painted}{:padding$}{text}", "")?;
            name = "";
        }
        Ok(())
    };
    line("Pod", Style::Plain, &cycle.pod)?;
    let Place {
        position, attempts, ..
    } = place;
    let round = cycle.round;
    let attempt = if place.of_pod == 1 {
        format!(
            "{} of {attempts} in the run, in round {round}; the only one of this Pod",
            position + 1
        )
    } else {
        let later = if place.is_last { "" } else { ", not its last" };
        format!(
            "{} of {attempts} in the run, in round {round}; {} of {} of this Pod{later}",
            position + 1,
            place.number,
            place.of_pod
        )
    };
    line("Attempt", Style::Plain, &attempt)?;
    let profile = format!("{}, priority {}", cycle.profile, cycle.priority);
    line("Profile", Style::Plain, &profile)?;
    if !cycle.nominated_node.is_empty() {
        line(
            "Nominated",
            Style::Plain,
            &format!("to {} before this attempt", cycle.nominated_node),
        )?;
    }
    let (style, outcome) = outcome(cycle);
    line("Outcome", style, &outcome)?;
    if let Some(message) = &cycle.message {
        line("Message", Style::Plain, message)?;
    }
    let rejection = &cycle.pre_filter;
    if rejection.code != Code::Success {
        let by = if rejection.plugin.is_empty() {
            "the Pod is rejected"
        } else {
            &format!("{} rejects the Pod", rejection.plugin)
        };
        let text = format!("{by} before any node is examined: {}", rejection.message);
        line("PreFilter", Style::Bad, &text)?;
    } else if let Some(nodes) = &rejection.nodes {
        let text = format!("only these nodes are searched: {}", nodes.join(", "));
        line("PreFilter", Style::Plain, &text)?;
    }
    let search = &cycle.search;
    if search.nominated_only {
        line(
            "Search",
            Style::Plain,
            "only the nominated node, because the Pod fits there",
        )?;
    } else if search.examined < search.nodes && search.examined > 0 {
        let text = format!(
            "{} of {} nodes examined, from position {} of the node list; {} feasible nodes are enough",
            search.examined, search.nodes, search.start, search.wanted
        );
        line("Search", Style::Plain, &text)?;
    }
    Ok(())
}

fn outcome(cycle: &Cycle) -> (Style, String) {
    match (&cycle.selected, &cycle.preemption) {
        _ if cycle.error => (Style::Bad, "the attempt ended with an error".to_owned()),
        (Some(node), _) => (Style::Good, format!("bound to {node}")),
        (None, Some(preemption)) => {
            let victims = preemption.victims.join(", ");
            let text = format!(
                "fits nowhere; preempts {victims} and is nominated to {}",
                preemption.nominated
            );
            (Style::Warn, text)
        }
        (None, None) => (Style::Bad, "fits nowhere: stays Pending".to_owned()),
    }
}
