//! The attempt's place in the run, and its outcome.

use std::io::{self, Write};

use crate::cli::table::wrap;
use crate::cli::terminal::{Style, Terminal};
use berth_protocol::cycle::{Code, Cycle};

/// Columns before the text.
const INDENT: usize = 11;

/// The place of the attempt in its run.
pub struct Place {
    /// From 0.
    pub position: usize,
    pub attempts: usize,
    /// Number among the Pod's attempts, from 1.
    pub number: usize,
    pub of_pod: usize,
    /// Whether it is the Pod's last attempt.
    pub is_last: bool,
}

/// Writes the header, with the message of the Pod's event.
pub fn write(
    cycle: &Cycle,
    place: &Place,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (style, outcome) = outcome(cycle);
    let profile = format!("{}, priority {}", cycle.profile, cycle.priority);
    let mut lines = vec![
        ("Pod", Style::Plain, cycle.pod.clone()),
        ("Attempt", Style::Plain, place.text(cycle.round)),
        ("Profile", Style::Plain, profile),
    ];
    if !cycle.nominated_node.is_empty() {
        let text = format!("to {} before this attempt", cycle.nominated_node);
        lines.push(("Nominated", Style::Plain, text));
    }
    lines.push(("Outcome", style, outcome));
    let message = cycle.message.iter();
    lines.extend(message.map(|message| ("Message", Style::Plain, message.clone())));
    lines.extend(pre_filter(cycle));
    lines.extend(search(cycle).map(|text| ("Search", Style::Plain, text)));
    for (name, style, text) in lines {
        let mut name = name;
        for line in wrap(&text, terminal.width - INDENT) {
            let padding = INDENT.saturating_sub(name.chars().count());
            let (name_shown, line) = (
                terminal.paint(Style::Bold, name),
                terminal.paint(style, &line),
            );
            writeln!(out, "{name_shown}{:padding$}{line}", "")?;
            name = "";
        }
    }
    Ok(())
}

impl Place {
    fn text(&self, round: u32) -> String {
        let in_run = format!("{} of {} in the run", self.position + 1, self.attempts);
        let of_pod = match (self.of_pod, self.is_last) {
            (1, _) => "the only one of this Pod".to_owned(),
            (all, true) => format!("{} of {all} of this Pod", self.number),
            (all, false) => format!("{} of {all} of this Pod, not its last", self.number),
        };
        format!("{in_run}, in round {round}; {of_pod}")
    }
}

fn pre_filter(cycle: &Cycle) -> Option<(&'static str, Style, String)> {
    let report = &cycle.pre_filter;
    if report.code != Code::Success {
        let by = match report.plugin.as_str() {
            "" => "the Pod is rejected".to_owned(),
            plugin => format!("{plugin} rejects the Pod"),
        };
        let text = format!("{by} before any node is examined: {}", report.message);
        return Some(("PreFilter", Style::Bad, text));
    }
    let nodes = report.nodes.as_ref()?;
    let text = match nodes.as_slice() {
        [] => "no node is searched".to_owned(),
        nodes => format!("only these nodes are searched: {}", nodes.join(", ")),
    };
    Some(("PreFilter", Style::Plain, text))
}

fn search(cycle: &Cycle) -> Option<String> {
    let search = &cycle.search;
    if search.nominated_only {
        return Some("only the nominated node, because the Pod fits there".to_owned());
    }
    // `pre_filter` lists the nodes that PreFilter leaves.
    let is_part = search.examined > 0 && search.examined < search.nodes;
    (is_part && cycle.pre_filter.nodes.is_none()).then(|| {
        format!(
            "{} of {} nodes examined, from position {} of the node list; {} feasible nodes are enough",
            search.examined, search.nodes, search.start, search.wanted
        )
    })
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
