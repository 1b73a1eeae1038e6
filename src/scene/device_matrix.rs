//! Devices × rules: what the search for devices asked about each, and which answer was no.

use crate::words;
use berth_protocol::cycle::{Cycle, NodeReport};
use berth_protocol::fact::{DeviceOutcome, FactKind};

/// The most nodes that are shown.
const NODES: usize = 40;

/// A rule that devices are asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The selectors of the DeviceClass.
    Class,
    /// A selector of the request: its expression, and the attribute or capacity that it reads.
    Selector {
        expression: String,
        reads: String,
    },
    /// The device is on this node.
    Place,
    /// Enough of its capacity, or of the counters that it shares, is left.
    Capacity,
    Taints,
    /// No claim holds it.
    Free,
    /// A constraint of the claim on this attribute.
    Constraint(String),
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Passes,
    Rejects,
    NotAsked,
}

/// A device and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub claim: String,
    pub request: String,
    /// `DRIVER/POOL/DEVICE`; empty: the node has none.
    pub device: String,
    pub outcome: DeviceOutcome,
}

/// The rows of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub node: String,
    pub rows: Vec<Row>,
}

/// The devices of a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceMatrix {
    pub rules: Vec<Rule>,
    pub groups: Vec<Group>,
    /// The number of nodes beyond those shown.
    pub more: usize,
}

impl DeviceMatrix {
    /// The matrix of an attempt; `None` if no search for devices failed.
    pub fn of(cycle: &Cycle) -> Option<Self> {
        let groups = cycle.nodes.iter().filter_map(group);
        let mut groups: Vec<Group> = groups.collect();
        let has_device = |group: &Group| group.rows.iter().any(|row| !row.device.is_empty());
        if !groups.iter().any(has_device) {
            return None;
        }
        let more = groups.len().saturating_sub(NODES);
        groups.truncate(NODES);
        Some(Self {
            rules: rules(&groups),
            groups,
            more,
        })
    }

    /// Whether devices were looked at for several requests.
    pub fn has_requests(&self) -> bool {
        let mut rows = self.groups.iter().flat_map(|group| &group.rows);
        let mut requests = rows.by_ref().map(|row| row.request.as_str());
        let first = requests.find(|request| !request.is_empty());
        first.is_some_and(|first| requests.any(|it| !it.is_empty() && it != first))
    }

    /// Whether a rule lets a device pass.
    pub fn mark(&self, row: &Row, column: usize) -> Mark {
        let Some(rule) = self.rules.get(column) else {
            return Mark::NotAsked;
        };
        let (asked, failed) = match &row.outcome {
            DeviceOutcome::ClaimElsewhere
            | DeviceOutcome::BindingFailed { .. }
            | DeviceOutcome::BindingTimedOut
            | DeviceOutcome::NoDevices => return Mark::NotAsked,
            DeviceOutcome::Taken | DeviceOutcome::GivenBack => return Mark::Passes,
            DeviceOutcome::InUse => (0, Rule::Free),
            DeviceOutcome::NotSelected { class: Some(_), .. } => (1, Rule::Class),
            DeviceOutcome::NotSelected {
                expression, seen, ..
            } => (2, selector(expression, seen)),
            DeviceOutcome::Elsewhere => (3, Rule::Place),
            DeviceOutcome::Exhausted { .. } => (4, Rule::Capacity),
            DeviceOutcome::Tainted => (5, Rule::Taints),
            DeviceOutcome::Constrained { attribute } => (6, Rule::Constraint(attribute.clone())),
        };
        if *rule == failed {
            return Mark::Rejects;
        }
        // The search asks in this order, and stops at the first no.
        let turn = match rule {
            Rule::Free => 0,
            Rule::Class => 1,
            Rule::Selector { .. } => 2,
            Rule::Place => 3,
            Rule::Capacity => 4,
            Rule::Taints => 5,
            Rule::Constraint(_) => 6,
        };
        let is_before = turn < asked || (turn == asked && self.comes_before(column, &failed));
        if is_before {
            Mark::Passes
        } else {
            Mark::NotAsked
        }
    }

    /// Whether a column comes before that of a rule.
    fn comes_before(&self, column: usize, rule: &Rule) -> bool {
        let other = self.rules.iter().position(|it| it == rule);
        other.is_some_and(|other| column < other)
    }
}

fn selector(expression: &str, seen: &[(String, String)]) -> Rule {
    Rule::Selector {
        expression: expression.to_owned(),
        reads: seen
            .first()
            .map_or_else(String::new, |(name, _)| words::short_key(name).to_owned()),
    }
}

fn group(report: &NodeReport) -> Option<Group> {
    let mut rows: Vec<Row> = Vec::new();
    let failures = report.failures.iter().flat_map(|it| &it.facts);
    for fact in failures {
        let FactKind::Device {
            claim,
            request,
            device,
            outcome,
        } = &fact.kind
        else {
            continue;
        };
        // A device in use is listed once, not for every request.
        let in_use = DeviceOutcome::InUse;
        let is_known = |row: &Row| row.device == *device && row.outcome == in_use;
        if *outcome == in_use && rows.iter().any(is_known) {
            continue;
        }
        let is_same = |row: &&mut Row| {
            row.device == *device && row.request == *request && row.claim == *claim
        };
        match rows.iter_mut().find(is_same) {
            Some(row) if row.outcome == DeviceOutcome::GivenBack => {}
            // What this search took itself is in use for its later requests.
            Some(_) if *outcome == DeviceOutcome::InUse => {}
            Some(row) => row.outcome = outcome.clone(),
            None => rows.push(Row {
                claim: claim.clone(),
                request: request.clone(),
                device: device.clone(),
                outcome: outcome.clone(),
            }),
        }
    }
    // If some request could use the device, requests for another class are left out.
    let of_class = |row: &Row| {
        !matches!(
            row.outcome,
            DeviceOutcome::NotSelected { class: Some(_), .. }
        )
    };
    let useful: Vec<String> = rows
        .iter()
        .filter(|row| of_class(row))
        .map(|row| row.device.clone())
        .collect();
    rows.retain(|row| of_class(row) || !useful.contains(&row.device));
    let node = report.node.clone();
    (!rows.is_empty()).then_some(Group { node, rows })
}

/// The rules in the order of the columns.
fn rules(groups: &[Group]) -> Vec<Rule> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let mut rules = vec![Rule::Class];
    let mut add = |rule: Rule| {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    };
    for row in rows() {
        if let DeviceOutcome::NotSelected {
            class: None,
            expression,
            seen,
        } = &row.outcome
        {
            add(selector(expression, seen));
        }
    }
    if rows().any(|row| row.outcome == DeviceOutcome::Elsewhere) {
        add(Rule::Place);
    }
    if rows().any(|row| matches!(row.outcome, DeviceOutcome::Exhausted { .. })) {
        add(Rule::Capacity);
    }
    if rows().any(|row| row.outcome == DeviceOutcome::Tainted) {
        add(Rule::Taints);
    }
    add(Rule::Free);
    for row in rows() {
        if let DeviceOutcome::Constrained { attribute } = &row.outcome {
            add(Rule::Constraint(attribute.clone()));
        }
    }
    rules
}

/// An expression in parts; `true`: what reads the value of that name (`DOMAIN/NAME`).
pub fn read_in<'e>(expression: &'e str, name: &str) -> Vec<(bool, &'e str)> {
    let (domain, id) = name.split_once('/').unwrap_or(("", name));
    let forms = ["\"", "'"].map(|quote| format!("[{quote}{domain}{quote}].{id}"));
    let found = forms.iter().find_map(|form| {
        let at = expression.find(form.as_str())?;
        let start = expression.get(..at)?.rfind("device.")?;
        Some((start, at + form.len()))
    });
    let Some((start, end)) = found else {
        return vec![(false, expression)];
    };
    let part = |range: std::ops::Range<usize>| expression.get(range).unwrap_or_default();
    let parts = [
        (false, part(0..start)),
        (true, part(start..end)),
        (false, part(end..expression.len())),
    ];
    parts
        .into_iter()
        .filter(|(_, part)| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{DeviceMatrix, Mark, Row, Rule, read_in};
    use berth_protocol::cycle::{Cycle, NodeReport, Verdict};
    use berth_protocol::fact::{DeviceOutcome, Fact, FactKind};

    const EXPRESSION: &str = "device.capacity[\"d\"].memory.compareTo(quantity(\"80Gi\")) >= 0";

    fn report(node: &str, steps: &[(&str, &str, DeviceOutcome)]) -> NodeReport {
        let facts = steps.iter().map(|(request, device, outcome)| {
            Fact::new(FactKind::Device {
                claim: "c".to_owned(),
                request: (*request).to_owned(),
                device: (*device).to_owned(),
                outcome: outcome.clone(),
            })
        });
        NodeReport {
            node: node.to_owned(),
            failures: vec![Verdict {
                facts: facts.collect(),
                ..Verdict::default()
            }],
            verdict: None,
            passes: Vec::new(),
        }
    }

    /// A row with its marks.
    fn line(matrix: &DeviceMatrix, row: &Row) -> String {
        let marks = (0..matrix.rules.len()).map(|column| match matrix.mark(row, column) {
            Mark::Passes => '.',
            Mark::Rejects => 'x',
            Mark::NotAsked => '-',
        });
        format!(
            "{} {} {}",
            row.request,
            row.device,
            marks.collect::<String>()
        )
    }

    #[test]
    fn each_device_shows_the_first_rule_that_it_broke() {
        let too_small = DeviceOutcome::NotSelected {
            class: None,
            expression: EXPRESSION.to_owned(),
            seen: vec![("d/memory".to_owned(), "40Gi".to_owned())],
        };
        let no_nic = DeviceOutcome::NotSelected {
            class: Some("nic".to_owned()),
            expression: String::new(),
            seen: Vec::new(),
        };
        let constrained = DeviceOutcome::Constrained {
            attribute: "r.k8s.io/pcieRoot".to_owned(),
        };
        let cycle = Cycle {
            nodes: vec![
                report(
                    "a",
                    &[
                        ("gpu", "d/a/0", DeviceOutcome::InUse),
                        ("gpu", "d/a/1", DeviceOutcome::Taken),
                        ("nic", "d/a/0", no_nic.clone()),
                        ("nic", "d/a/1", DeviceOutcome::InUse),
                        ("nic", "n/a/0", constrained),
                        ("gpu", "d/a/1", DeviceOutcome::GivenBack),
                    ],
                ),
                report("b", &[("gpu", "d/b/0", too_small)]),
                report("c", &[("", "", DeviceOutcome::NoDevices)]),
            ],
            ..Cycle::default()
        };
        let matrix = DeviceMatrix::of(&cycle).expect("a matrix");
        let rules = [
            Rule::Class,
            Rule::Selector {
                expression: EXPRESSION.to_owned(),
                reads: "memory".to_owned(),
            },
            Rule::Free,
            Rule::Constraint("r.k8s.io/pcieRoot".to_owned()),
        ];
        assert_eq!(matrix.rules, rules);
        let rows = matrix.groups.iter().flat_map(|group| &group.rows);
        let shown = rows.map(|row| line(&matrix, row));
        let shown: Vec<String> = shown.collect();
        assert_eq!(
            shown,
            [
                "gpu d/a/0 --x-",
                "gpu d/a/1 ....",
                "nic d/a/1 --x-",
                "nic n/a/0 ...x",
                "gpu d/b/0 .x.-",
                "  ----"
            ]
        );
    }

    #[test]
    fn the_part_that_was_read_is_found() {
        let parts = read_in(EXPRESSION, "d/memory");
        assert_eq!(parts[0], (true, "device.capacity[\"d\"].memory"));
        assert_eq!(parts.len(), 2);
        assert_eq!(read_in("true", "d/memory"), [(false, "true")]);
    }
}
