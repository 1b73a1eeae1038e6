//! Nodes × Filter plugins.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, width, wrap};
use crate::cli::terminal::{Style, Terminal};
use crate::report::Report;
use crate::report::judgement::Judgement;
use crate::report::matrix::{MAX_ROWS, Matrix, initials};
use crate::words;
use crate::words::explain as text;

/// Minimum width of the column of node names, which are shortened on a narrow terminal.
const MIN_NAME: usize = 16;

/// Columns of a cell: the widest sign.
const SIGN: usize = 3;

/// The style in which a judgement is printed.
pub fn style(judgement: Judgement) -> Style {
    match judgement {
        Judgement::Passes => Style::Good,
        Judgement::Rejects(_) => Style::Bad,
        Judgement::AlsoWould(_) => Style::Warn,
        Judgement::Skipped | Judgement::NotRun | Judgement::NotExamined => Style::Dim,
    }
}

/// Writes the matrix and its legend.
pub fn write(report: &Report, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let Some(mut matrix) = report.matrix() else {
        return Ok(());
    };
    if report.cycle.search.examined == 0 {
        return Ok(());
    }
    let names = matrix.rows.iter().map(|row| width(&row.report.node));
    let longest = names.max().unwrap_or(0).max("NODE".len());
    if columns(longest, &matrix.plugins) > terminal.width {
        matrix = matrix.without_skipped(report.cycle);
    }
    let matrix = matrix.folded(MAX_ROWS);
    let spare = terminal.width.saturating_sub(columns(0, &matrix.plugins));
    let name_width = spare.max(MIN_NAME);

    writeln!(out, "\n{}", terminal.paint(Style::Bold, text::FILTER.get()))?;
    let headings: Vec<String> = matrix.plugins.iter().map(|it| initials(it)).collect();
    let headings = std::iter::once("NODE").chain(headings.iter().map(String::as_str));
    let mut table = Table::new(headings).indented(2).gap(2);
    for row in &matrix.rows {
        let named = |name: &str| match row.others {
            0 => name.to_owned(),
            others => words::report::like_it(name, others),
        };
        let room = name_width.saturating_sub(width(&named("")));
        let mut cells = vec![Cell::new(named(&shortened(&row.report.node, room)))];
        let judgements = row.judgements.iter();
        cells.extend(judgements.map(|it| Cell::styled(it.sign(), style(*it))));
        table.push(cells);
    }
    table.write(terminal, out)?;
    write_legend(&matrix, terminal, out)
}

/// The width of the matrix in columns.
fn columns(name: usize, plugins: &[&str]) -> usize {
    let columns = plugins.iter().map(|it| initials(it).len().max(SIGN) + 2);
    2 + name + columns.sum::<usize>()
}

fn write_legend(matrix: &Matrix, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let signs: Vec<String> = matrix
        .used()
        .map(|judgement| format!("{} {}", judgement.sign(), judgement.meaning()))
        .collect();
    let mut lines = vec![signs.join("   ")];
    lines.extend(wrap(&names(&matrix.plugins), terminal.width - 2));
    if !matrix.skipped.is_empty() {
        lines.extend(wrap(&text::skipped(&matrix.skipped), terminal.width - 2));
    }
    for line in lines {
        let line = line.replace('\u{a0}', " ");
        writeln!(out, "  {}", terminal.paint(Style::Dim, &line))?;
    }
    Ok(())
}

/// `NU NodeUnschedulable, NN NodeName`, with a space that does not break between initials and name.
pub fn names(plugins: &[&str]) -> String {
    let names: Vec<String> = plugins
        .iter()
        .map(|plugin| format!("{}\u{a0}{plugin}", initials(plugin)))
        .collect();
    names.join(", ")
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
    use super::shortened;

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("node-1", 6), "node-1");
        assert_eq!(shortened("ip-10-0-0-1.internal", 9), "ip-1…rnal");
    }
}
