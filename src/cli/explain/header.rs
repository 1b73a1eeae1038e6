//! The attempt's place in the run, and its outcome.

use std::io::{self, Write};

use crate::cli::table::{width, wrap};
use crate::cli::terminal::{Style, Terminal};
use crate::report::Report;
use crate::words::report as text;
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
}

/// Writes the header: the sentence, and the message of the Pod's event.
pub fn write(
    report: &Report,
    place: &Place,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    for line in wrap(&report.sentence(), terminal.width) {
        writeln!(out, "{}", terminal.paint(Style::Bold, &line))?;
    }
    writeln!(out)?;
    let cycle = report.cycle;
    let (style, outcome) = outcome(cycle);
    let in_run = text::in_run(place.position + 1, place.attempts, cycle.round);
    let of_pod = text::of_pod(place.number, place.of_pod);
    let profile = text::profile(&cycle.profile, cycle.priority);
    let attempt = format!("{in_run}{}{of_pod}", crate::words::language::semicolon());
    let mut lines = vec![
        (text::POD, Style::Plain, cycle.pod.clone()),
        (text::ATTEMPT.get(), Style::Plain, attempt),
        (text::PROFILE.get(), Style::Plain, profile),
    ];
    if !cycle.nominated_node.is_empty() {
        let before = text::nominated_before(&cycle.nominated_node);
        lines.push((text::NOMINATED.get(), Style::Plain, before));
    }
    lines.push((text::OUTCOME.get(), style, outcome));
    let message = cycle.message.iter();
    lines.extend(message.map(|message| (text::MESSAGE.get(), Style::Plain, message.clone())));
    lines.extend(pre_filter(cycle).map(|(style, text)| (text::PRE_FILTER, style, text)));
    lines.extend(search(cycle).map(|text| (text::SEARCH.get(), Style::Plain, text)));
    for (label, style, text) in lines {
        write_labelled(label, (style, &text), terminal, out)?;
    }
    Ok(())
}

/// Writes a label and a text that may take several lines.
pub fn write_labelled(
    label: &str,
    (style, text): (Style, &str),
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut label = label;
    for line in wrap(text, terminal.width - INDENT) {
        let padding = INDENT.saturating_sub(width(label));
        let (shown, line) = (
            terminal.paint(Style::Bold, label),
            terminal.paint(style, &line),
        );
        writeln!(out, "{shown}{:padding$}{line}", "")?;
        label = "";
    }
    Ok(())
}

fn pre_filter(cycle: &Cycle) -> Option<(Style, String)> {
    let report = &cycle.pre_filter;
    if report.code != Code::Success {
        let text = text::rejected_at_once(&report.plugin, &report.message);
        return Some((Style::Bad, text));
    }
    let nodes = report.nodes.as_ref()?;
    let text = match nodes.as_slice() {
        [] => text::NO_NODE_SEARCHED.to_owned(),
        nodes => text::only_searched(nodes),
    };
    Some((Style::Plain, text))
}

fn search(cycle: &Cycle) -> Option<String> {
    let search = &cycle.search;
    if search.nominated_only {
        return Some(text::NOMINATED_ONLY.to_owned());
    }
    // `pre_filter` lists the nodes that PreFilter leaves.
    let is_part = search.examined > 0 && search.examined < search.nodes;
    (is_part && cycle.pre_filter.nodes.is_none()).then(|| text::partly_searched(search))
}

fn outcome(cycle: &Cycle) -> (Style, String) {
    match (&cycle.selected, &cycle.preemption) {
        _ if cycle.error => (Style::Bad, text::ENDED_WITH_ERROR.to_owned()),
        (Some(node), _) => (Style::Good, text::bound_to(node)),
        (None, Some(preemption)) => {
            let text = text::preempts(&preemption.victims, &preemption.nominated);
            (Style::Warn, text)
        }
        (None, None) => (Style::Bad, text::STAYS_PENDING.to_owned()),
    }
}
