//! An explanation as Markdown: the sentence, the matrix, the sums, the message and the fixes.

use std::fmt::Write as _;

use super::svg::sentence;
use crate::scene::judgement::{Judgement, brief, refusal};
use crate::scene::moment::Moment;
use crate::scene::owner::label_of;
use crate::scene::progress::Point;
use crate::words;
use crate::words::explain as text;
use berth_protocol::cycle::{Cycle, NodeReport, PluginScore};
use berth_protocol::fix::Fix;

/// The explained attempt; `None` if there is none.
pub fn explanation(moment: &Moment, fixes: &[Fix]) -> Option<String> {
    let cycle = moment.cycle?;
    let mut out = format!("## {}\n", inline(&label_of(moment.view, &cycle.pod)));
    paragraph(&mut out, &inline(&sentence(moment)?));
    paragraph(&mut out, &inline(&about(moment, cycle)));
    if moment.revealed.reached(Point::Filter) && !cycle.nodes.is_empty() {
        matrix(&mut out, moment, cycle);
    }
    if moment.revealed.reached(Point::Normalize) {
        scores(&mut out, cycle);
    }
    let is_over = moment.revealed.reached(Point::PostFilter);
    if let Some(message) = cycle.message.as_ref().filter(|_| is_over) {
        let _ = writeln!(
            out,
            "\n### {}\n\n> {}",
            text::FAILED_SCHEDULING,
            inline(message)
        );
    }
    if is_over && !fixes.is_empty() {
        let _ = writeln!(out, "\n### {}\n", words::FIXES);
        for fix in fixes {
            let goes = words::would_go_to(&fix.node);
            let _ = writeln!(
                out,
                "- {}. {}",
                inline(&words::remark(&fix.remark())),
                inline(&goes)
            );
        }
    }
    Some(out)
}

fn paragraph(out: &mut String, text: &str) {
    let _ = writeln!(out, "\n{text}");
}

/// Priority, profile, requests and release.
fn about(moment: &Moment, cycle: &Cycle) -> String {
    let pod = moment.view.pod(&cycle.pod);
    let asks = pod.map(|pod| text::asks(&text::requests(pod)));
    let nominated = Some(&cycle.nominated_node).filter(|node| !node.is_empty());
    let release = Some(&moment.view.head.release.minor).filter(|minor| !minor.is_empty());
    let parts = [
        Some(text::priority(cycle.priority)),
        Some(text::profile(&cycle.profile)),
        asks,
        nominated.map(|node| text::nominated_to(node)),
        release.map(|minor| words::kubernetes(minor)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(" · ")
}

/// Nodes × Filter plugins. Plugins that check nothing for this Pod are left out, and named below.
fn matrix(out: &mut String, moment: &Moment, cycle: &Cycle) {
    let skipped = &cycle.pre_filter.skipped;
    let columns = cycle.filter_plugins.iter().enumerate();
    let columns: Vec<(usize, &String)> = columns
        .filter(|(_, plugin)| !skipped.contains(plugin))
        .collect();
    let names = columns.iter().map(|(_, plugin)| plugin.as_str());
    let _ = writeln!(out, "\n### {}\n", text::FILTER);
    heading(out, words::NODE_COLUMN.get(), names.chain([""]));
    for report in &cycle.nodes {
        let judgement = |column| Judgement::of(cycle, report, column, &moment.revealed);
        let marks = columns.iter().map(|(column, _)| mark(judgement(*column)));
        let cells: Vec<&str> = marks.collect();
        let why = why(moment, report);
        let node = cell(&report.node);
        let _ = writeln!(out, "| {node} | {} | {} |", cells.join(" | "), cell(&why));
    }
    let legend = [
        ("✓", text::PASSES),
        ("✗", text::REJECTS),
        ("(✗)", text::WOULD_ALSO_REJECT),
        ("–", text::NOT_EXAMINED),
    ];
    let legend = legend.map(|(mark, meaning)| format!("{mark} {meaning}"));
    paragraph(out, &legend.join(" · "));
    if !skipped.is_empty() {
        paragraph(out, &format!("{}: {}", text::SKIPPED, skipped.join(", ")));
    }
}

fn mark(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Passes => "✓",
        Judgement::Skipped | Judgement::NotRun => "",
        Judgement::NotExamined => "–",
        Judgement::Rejects(_) => "✗",
        Judgement::AlsoWould(_) => "(✗)",
    }
}

/// The rejection of a node in a few words.
fn why(moment: &Moment, report: &NodeReport) -> String {
    let verdict = moment
        .cycle
        .and_then(|cycle| moment.revealed.verdict(cycle, report));
    let refused = verdict.and_then(|verdict| refusal(report, &verdict.plugin));
    refused.map(brief).unwrap_or_default()
}

/// Nodes × Score plugins with the sums, the best first.
fn scores(out: &mut String, cycle: &Cycle) {
    let Some(scores) = &cycle.scores else {
        return;
    };
    let mut best_first: Vec<_> = scores.iter().collect();
    best_first.sort_by_key(|score| std::cmp::Reverse(score.total));
    let Some(first) = best_first.first() else {
        return;
    };
    let names = first.plugins.iter().map(|part| part.plugin.as_str());
    let _ = writeln!(out, "\n### {}\n", text::SCORE);
    heading(
        out,
        words::NODE_COLUMN.get(),
        names.chain([words::TOTAL_COLUMN.get()]),
    );
    for score in best_first {
        let sums: Vec<String> = score.plugins.iter().map(sum).collect();
        let is_chosen = cycle.selected.as_deref() == Some(&score.node);
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
fn cell(text: &str) -> String {
    inline(text).replace('|', "\\|")
}

/// Text without Markdown's marks: names come from manifests.
fn inline(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '#' => plain.extend(['\\', letter]),
            letter if letter.is_control() => plain.push(' '),
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(cell("a|b_c\n<img>"), "a\\|b\\_c \\<img>");
    }
}
