//! The scores of the feasible nodes, with the way from raw to weighted.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, wrap};
use crate::cli::terminal::{Style, Terminal};
use crate::protocol::cycle::{Cycle, NodeScore};

use super::matrix::initials;

/// Nodes in the overview before the rest is only counted.
const MAX_NODES: usize = 40;

/// Nodes whose arithmetic is shown, the best first.
const MAX_DETAILED: usize = 8;

/// Writes them, the highest total first.
pub fn write(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let Some(scores) = &cycle.scores else {
        if let (Some(node), false) = (&cycle.selected, cycle.error) {
            let text = format!("{node} is the only feasible node: nothing is scored");
            writeln!(out, "\n{}  {text}", terminal.paint(Style::Bold, "Score"))?;
        }
        return Ok(());
    };
    let mut ranked: Vec<&NodeScore> = scores.iter().collect();
    ranked.sort_by(|one, other| {
        other
            .total
            .cmp(&one.total)
            .then_with(|| one.node.cmp(&other.node))
    });
    writeln!(out, "\n{}", terminal.paint(Style::Bold, "Score"))?;
    let detailed = ranked.get(..MAX_DETAILED).unwrap_or(&ranked);
    let chunks = chunks(detailed, terminal.width);
    if chunks.len() > 1 || detailed.len() < ranked.len() {
        write_overview(cycle, &ranked, terminal, out)?;
        writeln!(out)?;
    }
    let legend = "raw → normalized × weight = weighted";
    writeln!(out, "  {}", terminal.paint(Style::Dim, legend))?;
    for chunk in chunks {
        arithmetic(cycle, chunk).write(terminal, out)?;
    }
    if !cycle.pre_score_skipped.is_empty() {
        let text = format!(
            "not run for this Pod: {}",
            cycle.pre_score_skipped.join(", ")
        );
        for line in wrap(&text, terminal.width - 2) {
            writeln!(out, "  {}", terminal.paint(Style::Dim, &line))?;
        }
    }
    if let Some(choice) = choice(cycle) {
        for line in wrap(&choice, terminal.width - 2) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// How a tie was broken.
pub fn choice(cycle: &Cycle) -> Option<String> {
    let (tie, node) = (cycle.tie_break.as_ref()?, cycle.selected.as_ref()?);
    let how = match tie.seed {
        Some(seed) => format!("seed {seed} picks {node}"),
        None => format!("{node} is the first by name"),
    };
    Some(format!(
        "{} nodes tie for the highest total; {how}",
        tie.among
    ))
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
        let text = format!("… and {} more with lower totals", ranked.len() - MAX_NODES);
        writeln!(out, "  {}", terminal.paint(Style::Dim, &text))?;
    }
    let names: Vec<String> = plugins
        .iter()
        .map(|plugin| format!("{}\u{a0}{plugin}", initials(plugin)))
        .collect();
    for line in wrap(&names.join(", "), terminal.width - 2) {
        let line = line.replace('\u{a0}', " ");
        writeln!(out, "  {}", terminal.paint(Style::Dim, &line))?;
    }
    Ok(())
}

fn selected_mark(cycle: &Cycle, node: &str) -> Cell {
    if cycle.selected.as_deref() == Some(node) {
        Cell::styled("← selected", Style::Good)
    } else {
        Cell::new("")
    }
}

fn plugins<'a>(ranked: &[&'a NodeScore]) -> Vec<&'a str> {
    let first = ranked.first();
    let plugins = first.iter().flat_map(|score| &score.plugins);
    plugins.map(|score| score.plugin.as_str()).collect()
}

/// As many nodes beside each other as fit.
fn chunks<'a, 'b>(ranked: &'b [&'a NodeScore], width: usize) -> Vec<&'b [&'a NodeScore]> {
    let plugins = plugins(ranked);
    let longest = plugins.iter().map(|plugin| plugin.len()).max().unwrap_or(0);
    let spare = width.saturating_sub(2 + longest.max("TOTAL".len()));
    let columns = ranked.iter().map(|score| {
        let calculations = score
            .plugins
            .iter()
            .map(|plugin| calculation(plugin).chars().count());
        let name = score.node.chars().count();
        calculations.chain([name]).max().unwrap_or(0) + 3
    });
    let per_chunk = spare / columns.max().unwrap_or(1).max(1);
    ranked.chunks(per_chunk.max(1)).collect()
}

fn calculation(score: &crate::protocol::cycle::PluginScore) -> String {
    format!(
        "{} → {} × {} = {:>3}",
        score.raw, score.normalized, score.weight, score.weighted
    )
}

/// Plugins × nodes.
pub fn arithmetic(cycle: &Cycle, nodes: &[&NodeScore]) -> Table {
    let mut heading = vec![Cell::styled("PLUGIN", Style::Bold)];
    let names = nodes.iter();
    heading.extend(
        names.map(|score| Cell::styled(&score.node, name_style(cycle, &score.node)).right()),
    );
    let mut table = Table::default().indented(2).gap(3);
    table.push(heading);
    for (index, plugin) in plugins(nodes).iter().enumerate() {
        let mut row = vec![Cell::new(plugin)];
        let scores = nodes.iter().map(|score| score.plugins.get(index));
        row.extend(
            scores.map(|score| Cell::new(score.map(calculation).unwrap_or_default()).right()),
        );
        table.push(row);
    }
    let mut totals = vec![Cell::styled("TOTAL", Style::Bold)];
    let sums = nodes.iter().map(|score| score.total.to_string());
    totals.extend(sums.map(|sum| Cell::styled(sum, Style::Bold).right()));
    table.push(totals);
    table
}
