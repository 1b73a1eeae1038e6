//! `column -t`.

use super::{Letters, all_text, usage};
use crate::limits::Bounded;
use crate::run::Run;
use crate::{Failure, Output};

pub(super) fn column(
    run: &mut Run<'_>,
    arguments: &[String],
    stdin: &str,
) -> Result<Output, Failure> {
    let long = [("table", 't'), ("separator", 's')];
    let letters = Letters::read("column", arguments, "t", "s", &long)?;
    if !letters.has('t') {
        return Err(usage("column", "only tables are simulated here: column -t"));
    }
    let text = all_text(run, "column", &letters.words, stdin)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let rows: Vec<Vec<&str>> = lines
        .map(|line| match letters.value('s') {
            Some(separators) => line.split(|letter| separators.contains(letter)).collect(),
            None => line.split_whitespace().collect(),
        })
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut printed = Bounded::default();
    for row in &rows {
        let cells = row.iter().zip(&widths);
        let mut line = Bounded::default();
        for (cell, width) in cells {
            line.push(cell);
            // The padding of `format!` ends at 65,535.
            line.push(&" ".repeat(width - cell.chars().count() + 2));
        }
        let line = line.whole().map_err(|why| usage("column", why))?;
        printed.push(line.trim_end());
        printed.push("\n");
    }
    let printed = printed.whole().map_err(|why| usage("column", why))?;
    Ok(Output::text(printed))
}
