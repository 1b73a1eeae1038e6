//! The comparison as a table and as Markdown.

use std::io::{self, Write};

use berth_protocol::compare::{Cause, Place, PodDifference, Summary};
use berth_protocol::key::short;
use berth_session::Printable;

use super::{ComparisonReport, LISTED};
use crate::cli::table::{Cell, Table};
use crate::cli::terminal::{Style, Terminal};
use crate::export::markdown::{cell, code};
use crate::words;

/// A figure of both sides: its name, A, B, and B minus A.
type Figure = [String; 4];

/// Writes figures and Pods as tables.
pub fn table(
    compared: &ComparisonReport,
    terminal: &Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (side, name) in ["A", "B"].into_iter().zip(&compared.names) {
        let side = format!("{side}:");
        writeln!(
            out,
            "{} {}",
            terminal.paint(Style::Bold, &side),
            Printable(name)
        )?;
    }
    if let Some(answer) = answer(compared) {
        writeln!(out, "\n{}", terminal.paint(Style::Bold, &answer))?;
        let mut rows = Table::default().indented(2);
        for (waiting, reason) in &compared.waiting {
            rows.push(vec![
                Cell::new(waiting.pods.to_string()).right(),
                Cell::new(&waiting.workload),
                Cell::new(reason),
            ]);
        }
        rows.write(terminal, out)?;
    }
    writeln!(out)?;
    let mut figures = Table::new(["", "A", "B", "B - A"]);
    for [name, a, b, change] in figures_of(compared) {
        let numbers = [a, b, change].map(|text| Cell::new(text).right());
        figures.push([vec![Cell::new(name)], numbers.to_vec()].concat());
    }
    figures.write(terminal, out)?;
    let spreads = spreads(compared);
    if !spreads.is_empty() {
        writeln!(out, "\nMost unevenly spread:\n  {}", spreads.join("\n  "))?;
    }
    if let Some(kept) = words::compare::kept(compared.comparison.kept) {
        writeln!(out, "\n{kept}")?;
    }
    let pods = &compared.comparison.pods;
    if pods.is_empty() && compared.folded == 0 {
        return writeln!(out, "\nAll Pods came out the same.");
    }
    if compared.folded > 0 {
        writeln!(out, "\n{}", gone(compared.folded))?;
    }
    if pods.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut rows = Table::new(["POD", "A", "B", "WHY"]);
    for difference in pods.iter().take(LISTED) {
        rows.push(vec![
            Cell::new(short(&difference.pod)),
            Cell::new(place(&difference.a)),
            Cell::new(place(&difference.b)),
            Cell::new(why(difference, &compared.comparison.a)),
        ]);
    }
    rows.write(terminal, out)?;
    if pods.len() > LISTED {
        writeln!(out, "and {} more (-o json lists all)", pods.len() - LISTED)?;
    }
    Ok(())
}

/// Writes the same as Markdown.
pub fn markdown(compared: &ComparisonReport, out: &mut dyn Write) -> io::Result<()> {
    let [a, b] = &compared.names;
    writeln!(out, "A: {}, B: {}\n", code(a), code(b))?;
    if let Some(answer) = answer(compared) {
        writeln!(out, "{}\n", cell(&answer))?;
        for (waiting, reason) in &compared.waiting {
            let workload = code(&waiting.workload);
            writeln!(out, "- {} × {workload}: {}", waiting.pods, cell(reason))?;
        }
        if !compared.waiting.is_empty() {
            writeln!(out)?;
        }
    }
    writeln!(out, "| | A | B | B - A |\n|---|--:|--:|--:|")?;
    for [name, a, b, change] in figures_of(compared) {
        writeln!(
            out,
            "| {} | {a} | {b} | {change} |",
            cell(name.trim_start())
        )?;
    }
    for spread in spreads(compared) {
        writeln!(out, "\n{}", cell(&spread))?;
    }
    if let Some(kept) = words::compare::kept(compared.comparison.kept) {
        writeln!(out, "\n{kept}")?;
    }
    let pods = &compared.comparison.pods;
    if pods.is_empty() && compared.folded == 0 {
        return writeln!(out, "\nAll Pods came out the same.");
    }
    if compared.folded > 0 {
        writeln!(out, "\n{}", gone(compared.folded))?;
    }
    if pods.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n| Pod | A | B | Why |\n|---|---|---|---|")?;
    for difference in pods.iter().take(LISTED) {
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            code(short(&difference.pod)).replace('|', "\\|"),
            cell(&place(&difference.a)),
            cell(&place(&difference.b)),
            cell(&why(difference, &compared.comparison.a))
        )?;
    }
    if pods.len() > LISTED {
        writeln!(out, "\nand {} more", pods.len() - LISTED)?;
    }
    Ok(())
}

/// The first line: how many Pods wait because of what B changes, and which are lost for good. `None` if B changes neither.
fn answer(compared: &ComparisonReport) -> Option<String> {
    let pods: usize = compared
        .waiting
        .iter()
        .map(|(waiting, _)| waiting.pods)
        .sum();
    let wait = match pods {
        0 if compared.lost.is_none() => return None,
        pods => words::compare::more_wait(pods),
    };
    let urgent = compared.urgent.as_ref();
    let urgent = urgent.map(|(class, of_it)| words::what_if::of_priority(class, *of_it, pods));
    let relieved = match pods {
        0 => String::new(),
        _ => words::compare::relieved(compared.relieved),
    };
    let lost = compared.lost.as_ref();
    let lost = lost.map(|lost| format!("; {}", words::what_if::lost(lost)));
    let parts = [
        wait,
        urgent.unwrap_or_default(),
        relieved,
        lost.unwrap_or_default(),
    ];
    let mut sentence = parts.concat();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Some(Printable(&sentence).to_string())
}

fn gone(pods: usize) -> String {
    format!("Pods of DaemonSets and static Pods that only one side has: {pods}")
}

fn figures_of(compared: &ComparisonReport) -> Vec<Figure> {
    let (a, b) = (&compared.comparison.a, &compared.comparison.b);
    let mut figures = vec![
        [
            "Pods placed".to_owned(),
            format!("{} of {}", a.placed, a.pods),
            format!("{} of {}", b.placed, b.pods),
            change(a.placed, b.placed),
        ],
        counted("Pods pending", a.pending, b.pending),
        [
            "Nodes in use".to_owned(),
            format!("{} of {}", a.nodes_in_use, a.nodes),
            format!("{} of {}", b.nodes_in_use, b.nodes),
            change(a.nodes_in_use, b.nodes_in_use),
        ],
        counted(
            "Nodes empty",
            a.nodes - a.nodes_in_use,
            b.nodes - b.nodes_in_use,
        ),
    ];
    for (name, a, b) in [("CPU", a.cpu, b.cpu), ("Memory", a.memory, b.memory)] {
        figures.push(percent(format!("{name} requested, mean"), a.mean, b.mean));
        let deviation = "  standard deviation".to_owned();
        figures.push(percent(deviation, a.deviation, b.deviation));
        figures.push(percent("  highest".to_owned(), a.highest, b.highest));
    }
    figures.push(skew(compared));
    figures.push(counted("Preemptions", a.preemptions, b.preemptions));
    figures
}

fn counted(name: &str, a: usize, b: usize) -> Figure {
    [name.to_owned(), a.to_string(), b.to_string(), change(a, b)]
}

fn change(a: usize, b: usize) -> String {
    match b.cmp(&a) {
        std::cmp::Ordering::Equal => "0".to_owned(),
        std::cmp::Ordering::Greater => format!("+{}", b - a),
        std::cmp::Ordering::Less => format!("-{}", a - b),
    }
}

fn percent(name: String, a: f64, b: f64) -> Figure {
    let change = format!("{:+.1}", b - a);
    let change = match change.as_str() {
        "+0.0" | "-0.0" => "0".to_owned(),
        _ => change,
    };
    [name, format!("{a:.1} %"), format!("{b:.1} %"), change]
}

fn skew(compared: &ComparisonReport) -> Figure {
    let (a, b) = (&compared.comparison.a, &compared.comparison.b);
    let shown = |summary: &Summary| match &summary.spread {
        None => "-".to_owned(),
        Some(spread) => spread.skew().to_string(),
    };
    let change = match (&a.spread, &b.spread) {
        (Some(a), Some(b)) => change(a.skew(), b.skew()),
        _ => String::new(),
    };
    let topology = &compared.topology;
    let key = topology.rsplit('/').next().unwrap_or(topology);
    [
        format!("Widest skew over {key}"),
        shown(a),
        shown(b),
        change,
    ]
}

/// The Pods of the most unevenly spread workload by domain, for each side that has one.
fn spreads(compared: &ComparisonReport) -> Vec<String> {
    let sides = [("A", &compared.comparison.a), ("B", &compared.comparison.b)];
    let lines = sides.into_iter().filter_map(|(side, summary)| {
        let spread = summary.spread.as_ref().filter(|it| it.skew() > 0)?;
        let counts = spread.domains.iter();
        let counts: Vec<String> = counts
            .map(|(domain, count)| format!("{domain} {count}"))
            .collect();
        let workload = Printable(short(&spread.workload)).to_string();
        Some(format!(
            "{side}: {workload} is on {}",
            Printable(&counts.join(", "))
        ))
    });
    lines.collect()
}

/// Where a Pod is on one side.
pub fn place(place: &Place) -> String {
    match place {
        Place::Node(node) => node.clone(),
        Place::Pending => "pending".to_owned(),
        Place::Gated => "gated".to_owned(),
        Place::Evicted { by } => format!("evicted for {}", short(by)),
        Place::Absent => "not there".to_owned(),
    }
}

fn why(difference: &PodDifference, a: &Summary) -> String {
    let Some(cause) = &difference.cause else {
        return String::new();
    };
    match cause {
        Cause::Filter {
            plugin,
            node,
            feasible_in_a,
            feasible: (in_a, in_b),
        } => {
            let side = if *feasible_in_a { "B" } else { "A" };
            let nodes = a.nodes;
            format!(
                "{plugin} rejects {node} in {side}; {in_a} of {nodes} nodes feasible in A, {in_b} in B"
            )
        }
        Cause::Score {
            plugin,
            node,
            against,
            points: (in_a, in_b),
        } => format!("{plugin}: {node} {in_a:+} against {against} in A, {in_b:+} in B"),
        Cause::Tie { among } => format!("{among} nodes tie: the draw differs"),
        Cause::Preempted { by } => format!("evicted for {} in one run", short(by)),
        Cause::NotTried { in_a } => {
            let side = if *in_a { "A" } else { "B" };
            format!("the scheduler never tries it in {side}")
        }
        Cause::NotExamined { node } => format!("the search ended before {node} in one run"),
    }
}
