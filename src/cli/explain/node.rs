//! The verdicts of all plugins on one node.

use std::io::{self, Write};

use crate::cli::table::wrap;
use crate::cli::terminal::{Style, Terminal};
use crate::report::Report;
use crate::report::judgement::Judgement;
use crate::report::reasons::{Field, arithmetic, fields, of_score};
use crate::words::explain::{COUNTING_NOMINATED, FEASIBLE, FILTER, NODE, SCORE};
use crate::words::report as text;
use berth_protocol::cycle::{Code, Cycle, NodeReport, NodeScore, PluginScore, Verdict};

use super::header::write_labelled;
use super::matrix::style;
use super::scores;

/// Writes every plugin's verdict on the report's only node.
pub fn write(report: &Report, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let cycle = report.cycle;
    let Some(node) = cycle.nodes.first() else {
        return Ok(());
    };
    let (style, verdict) = verdict(cycle, node);
    let verdict = crate::words::labelled(&node.node, verdict);
    write_labelled(NODE.get(), (style, &verdict), terminal, out)?;
    if cycle.pre_filter.code == Code::Success {
        writeln!(out, "\n{}", terminal.paint(Style::Bold, FILTER.get()))?;
        for plugin in &cycle.filter_plugins {
            write_plugin(cycle, node, plugin, terminal, out)?;
        }
    }
    let scores = cycle.scores.iter().flatten();
    let own: Vec<&NodeScore> = scores.filter(|score| score.node == node.node).collect();
    if !own.is_empty() {
        let heading = terminal.paint(Style::Bold, SCORE.get());
        writeln!(out, "\n{heading}  {}", text::SCORE_LEGEND)?;
        scores::arithmetic(cycle, &own).write(terminal, out)?;
        for score in own.iter().flat_map(|score| &score.plugins) {
            write_score(score, terminal, out)?;
        }
        scores::write_tie(cycle, terminal, out)?;
    }
    Ok(())
}

fn verdict(cycle: &Cycle, report: &NodeReport) -> (Style, String) {
    let Some(verdict) = &report.verdict else {
        return (Style::Dim, text::NOT_IN_ATTEMPT.to_owned());
    };
    if verdict.code != Code::Success {
        let may_help = verdict.code == Code::Unschedulable;
        return (Style::Bad, text::rejected_by(&verdict.plugin, may_help));
    }
    if cycle.selected.as_ref() == Some(&report.node) {
        return (Style::Good, text::FEASIBLE_AND_SELECTED.to_owned());
    }
    let all = || cycle.scores.iter().flatten();
    let total = all().find(|score| score.node == report.node);
    let ranked = total.map(|own| {
        let better = all().filter(|score| score.total > own.total).count();
        text::ranked(better + 1, all().count())
    });
    (Style::Plain, ranked.unwrap_or_else(|| FEASIBLE.to_owned()))
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
    let judgement = Judgement::by_itself(cycle, report, plugin);
    let sign = terminal.paint(style(judgement), judgement.sign());
    let decided = report.verdict.as_ref().filter(of_plugin);
    let reasons = decided.or(failure).map(|verdict| verdict.reasons.clone());
    let note = match judgement {
        Judgement::AlsoWould(_) => judgement.meaning().get(),
        Judgement::Skipped => text::NOTHING_TO_CHECK.get(),
        _ => "",
    };
    let heading = format!("{plugin:<20} {note}");
    let heading = terminal.paint(heading_style(judgement), heading.trim_end());
    writeln!(out, "  {sign} {heading}")?;
    let mut lines = reasons.unwrap_or_default();
    if matches!(judgement, Judgement::Rejects(_)) && failure.is_none() {
        lines.push(COUNTING_NOMINATED.to_owned());
    }
    lines.extend(verdict.map(arithmetic).unwrap_or_default());
    for line in lines.iter().flat_map(|line| wrap(line, terminal.width - 6)) {
        writeln!(out, "      {line}")?;
    }
    let fields = verdict.map(|verdict| fields(&verdict.facts));
    write_fields(&fields.unwrap_or_default(), terminal, out)
}

/// Writes how a score comes about.
fn write_score(score: &PluginScore, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let Some(arithmetic) = score.arithmetic.as_deref() else {
        return Ok(());
    };
    writeln!(out, "\n  {}", score.plugin)?;
    let lines = of_score(score);
    for line in lines.iter().flat_map(|line| wrap(line, terminal.width - 6)) {
        writeln!(out, "      {line}")?;
    }
    write_fields(&fields(&arithmetic.inputs), terminal, out)
}

fn write_fields(fields: &[Field], terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    for field in fields {
        let field = field.to_string();
        writeln!(out, "      {}", terminal.paint(Style::Dim, &field))?;
    }
    Ok(())
}

fn heading_style(judgement: Judgement) -> Style {
    match judgement {
        Judgement::Skipped => Style::Dim,
        _ => Style::Plain,
    }
}
