//! The verdicts of all plugins on one node.

use std::io::{self, Write};

use crate::cli::table::wrap;
use crate::cli::terminal::{Style, Terminal};
use berth_protocol::cycle::{Code, Cycle, NodeReport, NodeScore, Verdict};

use super::facts;
use super::matrix::Mark;
use super::scores;

/// Writes every plugin's verdict on the cycle's only node.
pub fn write(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let Some(report) = cycle.nodes.first() else {
        return Ok(());
    };
    let (style, verdict) = verdict(cycle, report);
    let name = terminal.paint(Style::Bold, "Node");
    let text = format!("{}: {verdict}", report.node);
    writeln!(out, "{name}       {}", terminal.paint(style, &text))?;
    if cycle.pre_filter.code == Code::Success {
        writeln!(out, "\n{}", terminal.paint(Style::Bold, "Filter"))?;
        for plugin in &cycle.filter_plugins {
            write_plugin(cycle, report, plugin, terminal, out)?;
        }
    }
    let scores = cycle.scores.iter().flatten();
    let own: Vec<&NodeScore> = scores.filter(|score| score.node == report.node).collect();
    if !own.is_empty() {
        let heading = terminal.paint(Style::Bold, "Score");
        writeln!(out, "\n{heading}  raw → normalized × weight = weighted")?;
        scores::arithmetic(cycle, &own).write(terminal, out)?;
        if let Some(choice) = scores::choice(cycle) {
            writeln!(out, "  {choice}")?;
        }
    }
    Ok(())
}

fn verdict(cycle: &Cycle, report: &NodeReport) -> (Style, String) {
    let Some(verdict) = &report.verdict else {
        return (Style::Dim, "not examined in this attempt".to_owned());
    };
    if verdict.code != Code::Success {
        let plugin = &verdict.plugin;
        let hope = match verdict.code {
            Code::Unschedulable => "preemption might help",
            _ => "preemption cannot help",
        };
        return (Style::Bad, format!("refused by {plugin}; {hope}"));
    }
    if cycle.selected.as_ref() == Some(&report.node) {
        return (Style::Good, "feasible, and selected".to_owned());
    }
    let all = || cycle.scores.iter().flatten();
    let total = all().find(|score| score.node == report.node);
    let text = total.map(|own| {
        let better = all().filter(|score| score.total > own.total).count();
        format!(
            "feasible, rank {} of {} by score",
            better + 1,
            all().count()
        )
    });
    (Style::Plain, text.unwrap_or_else(|| "feasible".to_owned()))
}

fn write_plugin(
    cycle: &Cycle,
    report: &NodeReport,
    plugin: &str,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let of_plugin = |verdict: &&Verdict| verdict.plugin == plugin;
    let failure = report.failures.iter().find(of_plugin);
    let verdict = failure.or_else(|| report.passes.iter().find(of_plugin));
    let mark = match Mark::of(cycle, report, plugin) {
        Mark::NotExamined if failure.is_some() => Mark::WouldRefuse,
        mark => mark,
    };
    let sign = terminal.paint(mark.style(), mark.sign());
    let decided = report.verdict.as_ref().filter(of_plugin);
    let reasons = decided.or(failure).map(|verdict| verdict.reasons.clone());
    let note = match mark {
        Mark::WouldRefuse => "would refuse too",
        Mark::NotRun if verdict.is_none() => "nothing to check for this Pod",
        Mark::NotRun => "not run; it would pass",
        _ => "",
    };
    let heading = format!("{plugin:<20} {note}");
    let heading = terminal.paint(mark_style(mark), heading.trim_end());
    writeln!(out, "  {sign} {heading}")?;
    let mut lines = reasons.unwrap_or_default();
    if mark == Mark::Refuses && failure.is_none() {
        lines.push("counting the Pods nominated to this node".to_owned());
    }
    lines.extend(verdict.map(facts::arithmetic).unwrap_or_default());
    for line in lines.iter().flat_map(|line| wrap(line, terminal.width - 6)) {
        writeln!(out, "      {line}")?;
    }
    for field in verdict.map(facts::fields).unwrap_or_default() {
        writeln!(
            out,
            "      {}",
            terminal.paint(Style::Dim, &field.to_string())
        )?;
    }
    Ok(())
}

fn mark_style(mark: Mark) -> Style {
    match mark {
        Mark::NotRun => Style::Dim,
        _ => Style::Plain,
    }
}
