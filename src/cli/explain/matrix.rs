//! Nodes × Filter plugins.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, wrap};
use crate::cli::terminal::{Style, Terminal};
use berth_protocol::cycle::{Code, Cycle, NodeReport};

/// With more nodes than this, nodes with equal rows share one row.
const MAX_ROWS: usize = 40;

/// Minimum width of the column of node names, which are shortened on a narrow terminal.
const MIN_NAME: usize = 16;

/// The verdict of a Filter plugin on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Passes,
    Refuses,
    /// It did not run, because an earlier plugin rejected the node, but would have rejected it too.
    WouldRefuse,
    NotRun,
    NotExamined,
}

impl Mark {
    /// The mark of a plugin in a node's report.
    pub fn of(cycle: &Cycle, report: &NodeReport, plugin: &str) -> Self {
        if cycle
            .pre_filter
            .skipped
            .iter()
            .any(|skipped| skipped == plugin)
        {
            return Mark::NotRun;
        }
        let Some(verdict) = &report.verdict else {
            return Mark::NotExamined;
        };
        if verdict.code == Code::Success {
            return Mark::Passes;
        }
        if verdict.plugin == plugin {
            return Mark::Refuses;
        }
        let order = |name: &str| cycle.filter_plugins.iter().position(|other| other == name);
        if order(plugin) < order(&verdict.plugin) {
            return Mark::Passes;
        }
        let would_refuse = |failure: &berth_protocol::cycle::Verdict| failure.plugin == plugin;
        if report.failures.iter().any(would_refuse) {
            Mark::WouldRefuse
        } else {
            Mark::NotRun
        }
    }

    /// One character.
    pub fn sign(self) -> &'static str {
        match self {
            Mark::Passes => "✓",
            Mark::Refuses => "✗",
            Mark::WouldRefuse => "x",
            Mark::NotRun => "·",
            Mark::NotExamined => "–",
        }
    }

    /// The style in which it is printed.
    pub fn style(self) -> Style {
        match self {
            Mark::Passes => Style::Good,
            Mark::Refuses => Style::Bad,
            Mark::WouldRefuse => Style::Warn,
            Mark::NotRun | Mark::NotExamined => Style::Dim,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Mark::Passes => "passes",
            Mark::Refuses => "refuses",
            Mark::WouldRefuse => "would refuse too",
            Mark::NotRun => "not run",
            Mark::NotExamined => "not examined",
        }
    }
}

/// A row of the matrix, for one node or several with equal marks.
struct Row<'a> {
    first: &'a str,
    others: usize,
    marks: Vec<Mark>,
}

/// Writes the matrix and its legend.
pub fn write(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    if cycle.search.examined == 0 {
        return Ok(());
    }
    let mut plugins: Vec<&str> = cycle.filter_plugins.iter().map(String::as_str).collect();
    let mut left_out = Vec::new();
    let longest = cycle
        .nodes
        .iter()
        .map(|report| report.node.chars().count())
        .max()
        .unwrap_or(0)
        .max("NODE".len());
    if width(longest, &plugins) > terminal.width {
        let is_skipped = |plugin: &&str| cycle.pre_filter.skipped.iter().any(|name| name == plugin);
        (left_out, plugins) = plugins.into_iter().partition(is_skipped);
    }
    let rows = rows(cycle, &plugins);
    let spare = terminal.width.saturating_sub(width(0, &plugins));
    let name_width = spare.max(MIN_NAME);

    writeln!(out, "\n{}", terminal.paint(Style::Bold, "Filter"))?;
    let headings: Vec<String> = plugins.iter().map(|plugin| initials(plugin)).collect();
    let headings = std::iter::once("NODE").chain(headings.iter().map(String::as_str));
    let mut table = Table::new(headings).indented(2).gap(2);
    for row in &rows {
        let more = match row.others {
            0 => String::new(),
            others => format!(" +{others} like it"),
        };
        let room = name_width.saturating_sub(more.chars().count());
        let mut cells = vec![Cell::new(format!("{}{more}", shortened(row.first, room)))];
        let marks = row.marks.iter();
        cells.extend(marks.map(|mark| Cell::styled(mark.sign(), mark.style())));
        table.push(cells);
    }
    table.write(terminal, out)?;
    write_legend(&plugins, &rows, &left_out, terminal, out)
}

/// The width of the matrix in columns.
fn width(name: usize, plugins: &[&str]) -> usize {
    let columns = plugins.iter().map(|plugin| initials(plugin).len() + 2);
    2 + name + columns.sum::<usize>()
}

fn rows<'a>(cycle: &'a Cycle, plugins: &[&str]) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for report in &cycle.nodes {
        let marks = plugins.iter().map(|plugin| Mark::of(cycle, report, plugin));
        let marks: Vec<Mark> = marks.collect();
        let alike = rows
            .iter_mut()
            .find(|row| cycle.nodes.len() > MAX_ROWS && row.marks == marks);
        match alike {
            Some(row) => row.others += 1,
            None => rows.push(Row {
                first: &report.node,
                others: 0,
                marks,
            }),
        }
    }
    rows
}

fn write_legend(
    plugins: &[&str],
    rows: &[Row<'_>],
    left_out: &[&str],
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = [
        Mark::Passes,
        Mark::Refuses,
        Mark::WouldRefuse,
        Mark::NotRun,
        Mark::NotExamined,
    ];
    let used = all
        .iter()
        .filter(|mark| rows.iter().any(|row| row.marks.contains(mark)));
    let signs: Vec<String> = used
        .map(|mark| format!("{} {}", mark.sign(), mark.meaning()))
        .collect();
    let names: Vec<String> = plugins
        .iter()
        .map(|plugin| format!("{}\u{a0}{plugin}", initials(plugin)))
        .collect();
    let mut lines = vec![signs.join("   ")];
    lines.extend(wrap(&names.join(", "), terminal.width - 2));
    if !left_out.is_empty() {
        let text = format!("not run for this Pod: {}", left_out.join(", "));
        lines.extend(wrap(&text, terminal.width - 2));
    }
    for line in lines {
        let line = line.replace('\u{a0}', " ");
        writeln!(out, "  {}", terminal.paint(Style::Dim, &line))?;
    }
    Ok(())
}

/// `PTS` for `PodTopologySpread`. The in-tree plugins' initials are distinct.
pub fn initials(plugin: &str) -> String {
    plugin.chars().filter(char::is_ascii_uppercase).collect()
}

/// The name, with its middle elided if it is too long.
fn shortened(name: &str, room: usize) -> String {
    let length = name.chars().count();
    if length <= room {
        return name.to_owned();
    }
    let tail = room.saturating_sub(1) / 2;
    let head = room.saturating_sub(1 + tail);
    let start: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("node-1", 6), "node-1");
        assert_eq!(shortened("ip-10-0-0-1.internal", 9), "ip-1…rnal");
    }

    #[test]
    fn plugins_have_initials() {
        assert_eq!(initials("NodeResourcesBalancedAllocation"), "NRBA");
    }
}
