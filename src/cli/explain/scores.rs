//! The scores of the feasible nodes: raw, normalized and weighted.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, width, wrap};
use crate::cli::terminal::{Style, Terminal};
use crate::report::Report;
use crate::report::matrix::initials;
use crate::words;
use crate::words::explain as text;
use berth_protocol::cycle::{Cycle, NodeScore, PluginScore};

use super::matrix::names;

/// Maximum number of nodes in the overview; the rest is only counted.
const MAX_NODES: usize = 20;

/// Maximum number of nodes whose arithmetic is shown, best first.
const MAX_DETAILED: usize = 6;

/// Writes the scores, highest total first, and the selected node before those that tie with it.
pub fn write(report: &Report, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let cycle = report.cycle;
    let heading = terminal.paint(Style::Bold, text::SCORE.get());
    let Some(ranked) = report.ranked() else {
        if let (Some(node), false) = (&cycle.selected, cycle.error) {
            writeln!(out, "\n{heading}  {}", text::not_scored(node))?;
        }
        return Ok(());
    };
    writeln!(out, "\n{heading}")?;
    let detailed = ranked.get(..MAX_DETAILED).unwrap_or(&ranked);
    let chunks = chunks(detailed, terminal.width);
    if chunks.len() > 1 || detailed.len() < ranked.len() {
        write_overview(cycle, &ranked, terminal, out)?;
        writeln!(out)?;
    }
    let legend = words::report::SCORE_LEGEND.get();
    writeln!(out, "  {}", terminal.paint(Style::Dim, legend))?;
    for (number, chunk) in chunks.into_iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        arithmetic(cycle, chunk).write(terminal, out)?;
    }
    if !cycle.pre_score_skipped.is_empty() {
        let skipped = text::not_scoring(&cycle.pre_score_skipped);
        for line in wrap(&skipped, terminal.width - 2) {
            writeln!(out, "  {}", terminal.paint(Style::Dim, &line))?;
        }
    }
    write_tie(cycle, terminal, out)
}

/// Writes how a tie was broken.
pub fn write_tie(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let (Some(tie), Some(node)) = (&cycle.tie_break, &cycle.selected) else {
        return Ok(());
    };
    let mut scores = cycle.scores.iter().flatten();
    let total = scores.find(|score| score.node == *node);
    let tie = text::tie(total.map_or(0, |score| score.total), tie);
    for line in wrap(&tie, terminal.width - 2) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn name_style(cycle: &Cycle, node: &str) -> Style {
    if cycle.selected.as_deref() == Some(node) {
        Style::Good
    } else {
        Style::Bold
    }
}

fn write_overview(
    cycle: &Cycle,
    ranked: &[&NodeScore],
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let plugins = plugins(ranked);
    let headings: Vec<String> = plugins.iter().map(|plugin| initials(plugin)).collect();
    let headings = std::iter::once("NODE").chain(headings.iter().map(String::as_str));
    let mut table = Table::new(headings.chain(["TOTAL", ""])).indented(2).gap(2);
    for score in ranked.iter().take(MAX_NODES) {
        let mut row = vec![Cell::new(&score.node)];
        let numbers = score.plugins.iter().map(|plugin| plugin.weighted);
        row.extend(numbers.map(|number| Cell::new(number.to_string()).right()));
        row.push(Cell::styled(score.total.to_string(), Style::Bold).right());
        row.push(selected_mark(cycle, &score.node));
        table.push(row);
    }
    table.write(terminal, out)?;
    if ranked.len() > MAX_NODES {
        let more = words::report::and_more(ranked.len() - MAX_NODES);
        writeln!(out, "  {}", terminal.paint(Style::Dim, &more))?;
    }
    for line in wrap(&names(&plugins), terminal.width - 2) {
        let line = line.replace('\u{a0}', " ");
        writeln!(out, "  {}", terminal.paint(Style::Dim, &line))?;
    }
    Ok(())
}

fn selected_mark(cycle: &Cycle, node: &str) -> Cell {
    if cycle.selected.as_deref() == Some(node) {
        Cell::styled(words::report::SELECTED.get(), Style::Good)
    } else {
        Cell::new("")
    }
}

fn plugins<'a>(ranked: &[&'a NodeScore]) -> Vec<&'a str> {
    let first = ranked.first();
    let plugins = first.iter().flat_map(|score| &score.plugins);
    plugins.map(|score| score.plugin.as_str()).collect()
}

/// Splits the nodes into groups that fit side by side.
fn chunks<'a, 'b>(ranked: &'b [&'a NodeScore], room: usize) -> Vec<&'b [&'a NodeScore]> {
    let plugins = plugins(ranked);
    let longest = plugins.iter().map(|plugin| plugin.len()).max().unwrap_or(0);
    let spare = room.saturating_sub(2 + longest.max("TOTAL".len()));
    let widths = Widths::of(ranked);
    let calculations = ranked
        .iter()
        .flat_map(|score| &score.plugins)
        .map(|score| width(&widths.calculation(score)));
    let names = ranked.iter().map(|score| width(&score.node));
    let column = 3 + calculations.chain(names).max().unwrap_or(0);
    ranked.chunks((spare / column).max(1)).collect()
}

/// Plugins × nodes.
pub fn arithmetic(cycle: &Cycle, nodes: &[&NodeScore]) -> Table {
    let widths = Widths::of(nodes);
    let mut heading = vec![Cell::styled("PLUGIN", Style::Bold)];
    heading.extend(nodes.iter().map(|score| {
        let style = name_style(cycle, &score.node);
        Cell::styled(&score.node, style).right()
    }));
    let mut table = Table::default().indented(2);
    table.push(heading);
    for (index, plugin) in plugins(nodes).iter().enumerate() {
        let mut row = vec![Cell::new(plugin)];
        row.extend(nodes.iter().map(|score| {
            let score = score.plugins.get(index);
            let text = score.map(|score| widths.calculation(score));
            Cell::new(text.unwrap_or_default()).right()
        }));
        table.push(row);
    }
    let mut totals = vec![Cell::styled("TOTAL", Style::Bold)];
    let sums = nodes.iter().map(|score| score.total.to_string());
    totals.extend(sums.map(|sum| Cell::styled(sum, Style::Bold).right()));
    table.push(totals);
    table
}

/// The numbers' widths in digits, for alignment.
struct Widths {
    raw: usize,
    normalized: usize,
    weight: usize,
    weighted: usize,
}

impl Widths {
    fn of(nodes: &[&NodeScore]) -> Self {
        let digits = |number: fn(&PluginScore) -> i64| {
            let scores = nodes.iter().flat_map(|score| &score.plugins);
            let lengths = scores.map(|score| number(score).to_string().len());
            lengths.max().unwrap_or(0)
        };
        Self {
            raw: digits(|score| score.raw),
            normalized: digits(|score| score.normalized),
            weight: digits(|score| score.weight),
            weighted: digits(|score| score.weighted),
        }
    }

    fn calculation(&self, score: &PluginScore) -> String {
        format!(
            "{:>raw$} → {:>normalized$} × {:>weight$} = {:>weighted$}",
            score.raw,
            score.normalized,
            score.weight,
            score.weighted,
            raw = self.raw,
            normalized = self.normalized,
            weight = self.weight,
            weighted = self.weighted,
        )
    }
}
