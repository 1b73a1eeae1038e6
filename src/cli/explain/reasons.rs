//! Why nodes were refused: one part for each reason, with the arithmetic of each node.

use std::io::{self, Write};

use crate::cli::table::{Cell, Table, count, wrap};
use crate::cli::terminal::{Style, Terminal};
use crate::protocol::cycle::{Code, Cycle, Verdict};

use super::facts;

/// Nodes listed for one reason before the rest is only counted.
const MAX_NODES: usize = 20;

/// Nodes that one plugin refuses with the same words.
struct Group<'a> {
    plugin: &'a str,
    reasons: &'a [String],
    /// Not asked, because another plugin refused before.
    is_extra: bool,
    nodes: Vec<(&'a str, Option<&'a Verdict>)>,
}

/// Writes them, those that decided first.
pub fn write(cycle: &Cycle, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let groups = groups(cycle);
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", terminal.paint(Style::Bold, "Reasons"))?;
    let (extra, deciding): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.is_extra);
    for group in deciding.into_iter().chain(extra) {
        write_group(group, terminal, out)?;
    }
    Ok(())
}

fn groups(cycle: &Cycle) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for report in &cycle.nodes {
        let Some(verdict) = &report.verdict else {
            continue;
        };
        if verdict.code == Code::Success {
            continue;
        }
        // The verdict counts nominated Pods, the failures do not.
        let alone = report
            .failures
            .iter()
            .find(|failure| failure.plugin == verdict.plugin && failure.reasons == verdict.reasons);
        join(&mut groups, &report.node, verdict, alone, false);
        let others = report
            .failures
            .iter()
            .filter(|failure| failure.plugin != verdict.plugin);
        for failure in others {
            join(&mut groups, &report.node, failure, Some(failure), true);
        }
    }
    groups
}

fn join<'a>(
    groups: &mut Vec<Group<'a>>,
    node: &'a str,
    verdict: &'a Verdict,
    told: Option<&'a Verdict>,
    is_extra: bool,
) {
    let same = groups.iter_mut().find(|group| {
        group.plugin == verdict.plugin
            && group.reasons == verdict.reasons
            && group.is_extra == is_extra
    });
    match same {
        Some(group) => group.nodes.push((node, told)),
        None => groups.push(Group {
            plugin: &verdict.plugin,
            reasons: &verdict.reasons,
            is_extra,
            nodes: vec![(node, told)],
        }),
    }
}

fn write_group(group: &Group<'_>, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
    let nodes = count(group.nodes.len(), "node", "nodes");
    let (verb, style) = if group.is_extra {
        ("would refuse", Style::Warn)
    } else {
        ("refuses", Style::Bad)
    };
    let heading = format!(
        "{} {verb} {nodes}: {}",
        group.plugin,
        group.reasons.join(", ")
    );
    for (number, line) in wrap(&heading, terminal.width - 4).iter().enumerate() {
        let indent = if number == 0 { "  " } else { "    " };
        writeln!(out, "{indent}{}", terminal.paint(style, line))?;
    }
    let mut table = Table::default().indented(4).gap(2);
    let mut fields: Vec<String> = Vec::new();
    for (node, verdict) in group.nodes.iter().take(MAX_NODES) {
        let lines = match verdict {
            Some(verdict) => facts::arithmetic(verdict),
            None => vec!["counting the Pods nominated to this node".to_owned()],
        };
        let mut name = *node;
        for line in lines
            .iter()
            .map(String::as_str)
            .chain(lines.is_empty().then_some(""))
        {
            table.push(vec![Cell::new(name), Cell::new(line)]);
            name = "";
        }
        let field = verdict.map(facts::fields).unwrap_or_default();
        if !field.is_empty() && !fields.contains(&field) {
            fields.push(field);
        }
    }
    table.write(terminal, out)?;
    if group.nodes.len() > MAX_NODES {
        let more = group.nodes.len() - MAX_NODES;
        let text = format!("… and {more} more; --node NAME tells about any of them");
        writeln!(out, "    {}", terminal.paint(Style::Dim, &text))?;
    }
    for field in fields {
        for line in wrap(&field, terminal.width - 4) {
            writeln!(out, "    {}", terminal.paint(Style::Dim, &line))?;
        }
    }
    Ok(())
}
