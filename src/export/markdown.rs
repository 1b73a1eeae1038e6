//! An explanation as Markdown: the sentence, the matrix, the sums, the message and the fixes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::Report;
use crate::report::judgement::Judgement;
use crate::report::matrix::{MAX_ROWS, Matrix};
use crate::scene::moment::Moment;
use crate::words;
use crate::words::explain as text;
use crate::words::report as report_text;
use berth_protocol::cycle::{NodeScore, PluginScore};
use berth_protocol::fix::Fix;

/// Maximum number of nodes that are named in a row of the matrix.
const MAX_NAMED: usize = 3;

/// The explained attempt; `None` if there is none.
pub fn explanation(moment: &Moment, fixes: &[Fix]) -> Option<String> {
    Some(of(&Report::of(moment, fixes)?))
}

/// A report.
pub fn of(report: &Report) -> String {
    let mut out = format!("## {}\n", inline(&report.pod()));
    paragraph(&mut out, &inline(&report.sentence()));
    paragraph(&mut out, &inline(&report.about().join(" · ")));
    matrix(&mut out, report);
    scores(&mut out, report);
    let is_over = report.is_over();
    if let Some(message) = report.cycle.message.as_ref().filter(|_| is_over) {
        let _ = writeln!(
            out,
            "\n### {}\n\n> {}",
            text::FAILED_SCHEDULING,
            inline(message)
        );
    }
    if is_over && !report.fixes.is_empty() {
        let _ = writeln!(out, "\n### {}\n", words::FIXES);
        for fix in report.fixes {
            let goes = words::would_do(fix);
            let _ = writeln!(
                out,
                "- {}. {}",
                inline(&words::remark(&fix.remark())),
                inline(&goes)
            );
        }
    }
    out
}

/// Sentences as a list below a heading; empty if there are none.
pub fn list(title: &str, sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let lines = sentences.iter().map(|it| format!("- {}\n", inline(it)));
    let lines: String = lines.collect();
    format!("\n### {title}\n\n{lines}")
}

/// Lines for a shell as a block; empty if there are none.
pub fn script(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("\n{}", block("sh", &(lines.join("\n") + "\n")))
}

/// A block of code. Its fence is longer than any in the text, which ends with a line break.
pub fn block(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{text}{fence}\n")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|letter| letter != '`');
    runs.map(str::len).max().unwrap_or_default()
}

fn paragraph(out: &mut String, text: &str) {
    let _ = writeln!(out, "\n{text}");
}

/// Nodes × Filter plugins. Plugins that check nothing for this Pod are left out, and named below.
fn matrix(out: &mut String, report: &Report) {
    let Some(matrix) = report.matrix() else {
        return;
    };
    let matrix = matrix.without_skipped(report.cycle);
    let _ = writeln!(out, "\n### {}\n", text::FILTER);
    rows(out, report, &matrix);
    if !matrix.skipped.is_empty() {
        paragraph(out, &text::skipped(&matrix.skipped));
    }
}

/// The verdicts on all nodes as a table, or, of a Pod that lands, the points; empty without either.
pub fn table(report: &Report) -> String {
    let mut out = String::new();
    match (report.matrix(), report.ranked()) {
        (_, Some(ranked)) => points(&mut out, report, &ranked),
        (Some(matrix), None) => rows(&mut out, report, &matrix.without_skipped(report.cycle)),
        (None, None) => {}
    }
    out
}

/// The matrix as a table, with the meaning of its signs.
fn rows(out: &mut String, report: &Report, matrix: &Matrix) {
    let names = matrix.plugins.iter().copied();
    heading(out, words::NODE_COLUMN.get(), names.chain([""]));
    for (nodes, signs, why) in alike(matrix, report) {
        let named = nodes.get(..MAX_NAMED).unwrap_or(&nodes);
        let nodes = report_text::names(named, nodes.len() - named.len());
        let _ = writeln!(out, "| {} | {signs} | {} |", cell(&nodes), cell(&why));
    }
    let legend = matrix.used().filter(|it| *it != Judgement::NotRun);
    let legend: Vec<String> = legend
        .map(|it| format!("{} {}", it.sign(), it.meaning()))
        .collect();
    paragraph(out, &legend.join(" · "));
}

/// The rows of a matrix, in order: of many nodes, those with the same signs and the same reason share one.
fn alike<'a>(matrix: &Matrix<'a>, report: &Report) -> Vec<(Vec<&'a str>, String, String)> {
    let mut rows: Vec<(Vec<&str>, String, String)> = Vec::new();
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    for row in &matrix.rows {
        let signs: Vec<&str> = row.judgements.iter().map(|it| it.sign()).collect();
        let (signs, why) = (signs.join(" | "), report.why(row));
        let node = row.report.node.as_str();
        let next = rows.len();
        let at = match matrix.rows.len() > MAX_ROWS {
            true => *known.entry((signs.clone(), why.clone())).or_insert(next),
            false => next,
        };
        match rows.get_mut(at) {
            Some((nodes, _, _)) => nodes.push(node),
            None => rows.push((vec![node], signs, why)),
        }
    }
    rows
}

/// Nodes × Score plugins with the sums, the best first.
fn scores(out: &mut String, report: &Report) {
    let ranked = report.ranked().unwrap_or_default();
    if !ranked.is_empty() {
        let _ = writeln!(out, "\n### {}\n", text::SCORE);
        points(out, report, &ranked);
    }
}

/// Scored nodes as a table.
fn points(out: &mut String, report: &Report, ranked: &[&NodeScore]) {
    let Some(first) = ranked.first() else {
        return;
    };
    let names = first.plugins.iter().map(|part| part.plugin.as_str());
    heading(
        out,
        words::NODE_COLUMN.get(),
        names.chain([words::TOTAL_COLUMN.get()]),
    );
    for score in ranked {
        let sums: Vec<String> = score.plugins.iter().map(sum).collect();
        let is_chosen = report.cycle.selected.as_deref() == Some(&score.node);
        let bold = if is_chosen { "**" } else { "" };
        let (node, sums) = (cell(&score.node), sums.join(" | "));
        let _ = writeln!(
            out,
            "| {bold}{node}{bold} | {sums} | {bold}{}{bold} |",
            score.total
        );
    }
}

/// `87 × 2 = 174`.
fn sum(part: &PluginScore) -> String {
    format!("{} × {} = {}", part.normalized, part.weight, part.weighted)
}

fn heading<'a>(out: &mut String, first: &str, names: impl Iterator<Item = &'a str>) {
    let names: Vec<String> = names.map(cell).collect();
    let rules = vec![":-:"; names.len()].join(" | ");
    let _ = writeln!(
        out,
        "| {first} | {} |\n| --- | {rules} |",
        names.join(" | ")
    );
}

/// A table's cell.
pub fn cell(text: &str) -> String {
    inline(text).replace('|', "\\|")
}

/// Text without Markdown's marks, mentions and links: names come from manifests.
pub fn inline(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '#' => plain.extend(['\\', letter]),
            // A mention, or the address that GitHub links by itself.
            '@' => plain.push_str("&#64;"),
            ':' if rest.peek() == Some(&'/') => plain.push_str("&#58;"),
            '&' => plain.push_str("&amp;"),
            letter if letter.is_control() => plain.push(' '),
            letter => plain.push(letter),
        }
    }
    plain
}

/// A text of a stranger as a span of code, in which it is no markup, link or mention.
pub fn code(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let fence = "`".repeat(longest_run(&line) + 1);
    let pad = match line.starts_with('`') || line.ends_with('`') || line.trim().is_empty() {
        true => " ",
        false => "",
    };
    format!("{fence}{pad}{line}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::{cell, code};

    #[test]
    fn code_ends_only_at_its_end() {
        assert_eq!(code("@all <b>\n# x"), "`@all <b> # x`");
        assert_eq!(code("a``b`"), "``` a``b` ```");
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(cell("a|b_c\n<img>"), "a\\|b\\_c \\<img>");
        assert_eq!(
            cell("@all https://x.example &lt;"),
            "&#64;all https&#58;//x.example &amp;lt;"
        );
    }
}
