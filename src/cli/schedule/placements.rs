//! `-o table` and `-o wide`: the Pods as listed by `kubectl get pods -o wide`, then why some are pending.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};

use crate::cli::table::{Cell, Table, count};
use crate::cli::terminal::{Style, Terminal};
use berth_protocol::frame::{Frame, PodFrame, PodState};
use berth_protocol::key::split;
use berth_protocol::quantity;
use berth_session::Printable;

use super::Totals;

const NONE: &str = "<none>";

/// Maximum number of listed names; the rest is only counted.
const MAX_NAMES: usize = 8;

/// The end of a run.
pub struct Placements {
    pub frame: Frame,
    pub totals: Totals,
    pub is_wide: bool,
    pub all_namespaces: bool,
}

impl Placements {
    /// Writes everything.
    pub fn write(&self, terminal: &Terminal, out: &mut dyn Write) -> io::Result<()> {
        if self.frame.pods.is_empty() && self.totals.evictions.is_empty() {
            return writeln!(out, "No Pods to schedule.");
        }
        let named = Named {
            has_namespaces: self.has_namespaces(),
            unmanaged: self
                .frame
                .queue
                .unmanaged
                .iter()
                .map(String::as_str)
                .collect(),
        };
        self.table(&named).write(terminal, out)?;
        self.write_reasons(&named, terminal, out)?;
        self.write_evictions(&named, terminal, out)?;
        writeln!(out, "\n{}", self.summary(&named))
    }

    fn has_namespaces(&self) -> bool {
        let pods = self.frame.pods.iter().map(|pod| pod.key.as_str());
        let victims = self.totals.evictions.iter();
        let keys = pods.chain(victims.map(|eviction| eviction.victim.as_str()));
        let namespaces: BTreeSet<&str> = keys.map(|key| split(key).0).collect();
        self.all_namespaces || namespaces.len() > 1
    }

    fn table(&self, named: &Named) -> Table {
        let has_namespaces = named.has_namespaces;
        let mut headings = vec!["NAME", "STATUS", "NODE", "NOMINATED NODE"];
        if has_namespaces {
            headings.insert(0, "NAMESPACE");
        }
        if self.is_wide {
            headings.extend(["PRIORITY", "CPU", "MEMORY", "SCORE", "CONTROLLED BY"]);
        }
        let mut pods: Vec<&PodFrame> = self.frame.pods.iter().collect();
        pods.sort_by_key(|pod| split(&pod.key));
        let mut table = Table::new(headings);
        for pod in pods {
            let (namespace, name) = split(&pod.key);
            let mut row = Vec::new();
            if has_namespaces {
                row.push(Cell::new(namespace));
            }
            let (status, style) = named.status(pod);
            row.push(Cell::new(name));
            row.push(Cell::styled(status, style));
            row.push(optional(pod.node.as_deref()));
            row.push(optional(pod.nominated_node.as_deref()));
            if self.is_wide {
                row.extend(self.wide_cells(pod));
            }
            table.push(row);
        }
        table
    }

    fn wide_cells(&self, pod: &PodFrame) -> Vec<Cell> {
        let score = self.totals.scores.get(&pod.key).map(i64::to_string);
        let owner = (!pod.owner.is_empty()).then_some(pod.owner.as_str());
        vec![
            Cell::new(pod.priority.to_string()),
            Cell::new(quantity::cpu(pod.milli_cpu)),
            Cell::new(quantity::bytes(pod.memory_bytes)),
            optional(score.as_deref()),
            optional(owner),
        ]
    }

    /// Writes why Pods are pending, grouped by reason.
    fn write_reasons(
        &self,
        named: &Named,
        terminal: &Terminal,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut groups: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for pod in &self.frame.pods {
            if pod.state == PodState::Bound {
                continue;
            }
            let reason = named.reason(pod);
            let name = named.name(&pod.key);
            let known = groups
                .iter_mut()
                .find(|(other, message, _)| (*other, *message) == (reason, &pod.message));
            match known {
                Some((_, _, names)) => names.push(name),
                None => groups.push((reason, &pod.message, vec![name])),
            }
        }
        for (reason, message, names) in groups {
            writeln!(out, "\n{}", terminal.paint(Style::Bold, &listed(&names)))?;
            let reason = format!("{reason}:");
            let message = Printable(message);
            writeln!(out, "  {} {message}", terminal.paint(Style::Warn, &reason))?;
        }
        Ok(())
    }

    fn write_evictions(
        &self,
        named: &Named,
        terminal: &Terminal,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.totals.evictions.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(["PREEMPTED", "NODE", "BY"]);
        for eviction in &self.totals.evictions {
            table.push(vec![
                Cell::styled(named.name(&eviction.victim), Style::Bad),
                Cell::new(&eviction.node),
                Cell::new(named.name(&eviction.by)),
            ]);
        }
        writeln!(out)?;
        table.write(terminal, out)
    }

    fn summary(&self, named: &Named) -> String {
        let pods = &self.frame.pods;
        let number = |wanted: &str| {
            pods.iter()
                .filter(|pod| named.status(pod).0 == wanted)
                .count()
        };
        let parts = [
            (number("Scheduled"), "scheduled"),
            (number("Running"), "running before"),
            (number("Pending"), "pending"),
            (number("SchedulingGated"), "gated"),
            (self.totals.evictions.len(), "preempted"),
        ];
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        let (nodes, attempts) = (self.frame.nodes.len(), self.frame.log_length);
        format!(
            "{}: {}. ({}, {} in {})",
            count(pods.len(), "Pod", "Pods"),
            parts.join(", "),
            count(nodes, "node", "nodes"),
            count(attempts, "attempt", "attempts"),
            count(self.totals.rounds as usize, "round", "rounds"),
        )
    }
}

/// What names and states of Pods depend on, computed once for all of them.
struct Named<'a> {
    has_namespaces: bool,
    /// The keys of the Pods that no scheduler takes.
    unmanaged: HashSet<&'a str>,
}

impl Named<'_> {
    /// The Pod's name, with its namespace if there are several namespaces.
    fn name<'a>(&self, key: &'a str) -> &'a str {
        if self.has_namespaces {
            key
        } else {
            split(key).1
        }
    }

    /// The column `STATUS`. As in kubectl, a Pod that no scheduler takes is pending.
    fn status(&self, pod: &PodFrame) -> (&'static str, Style) {
        match (pod.state, pod.last_attempt) {
            (PodState::Bound, Some(_)) => ("Scheduled", Style::Good),
            (PodState::Bound, None) => ("Running", Style::Plain),
            (PodState::Gated, _) if !self.unmanaged.contains(pod.key.as_str()) => {
                ("SchedulingGated", Style::Warn)
            }
            (PodState::Gated | PodState::Pending, _) => ("Pending", Style::Bad),
        }
    }

    fn reason(&self, pod: &PodFrame) -> &'static str {
        if self.unmanaged.contains(pod.key.as_str()) {
            "NoScheduler"
        } else if pod.state == PodState::Gated {
            "SchedulingGated"
        } else {
            "FailedScheduling"
        }
    }
}

fn optional(text: Option<&str>) -> Cell {
    match text {
        Some(text) => Cell::new(text),
        None => Cell::styled(NONE, Style::Dim),
    }
}

fn listed(names: &[&str]) -> String {
    let shown: Vec<&str> = names.iter().copied().take(MAX_NAMES).collect();
    let mut text = Printable(&shown.join(", ")).to_string();
    if names.len() > MAX_NAMES {
        text.push_str(&format!(" and {} more", names.len() - MAX_NAMES));
    }
    text
}
