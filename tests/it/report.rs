//! Every face judges each cell of the filter matrix as the real scheduler did: the command, Markdown, the page, and JSON.

use std::collections::BTreeMap;

use berth::cli::explained;
use berth::export::markdown;
use berth::report::judgement::Judgement;
use berth::report::{Record, Report};
use berth::scene::moment::{Moment, Shown};
use berth::scene::progress::Revealed;
use berth::scene::rows;
use berth::scene::view::View;
use berth_protocol::cycle::Cycle;
use berth_protocol::page::Explained;
use berth_scheduler::release::Version;
use berth_session::{Session, explain, frame};
use serde_json::Value;

use crate::conformance::corpus::cases;
use crate::conformance::{options, session};

/// Columns for all plugins side by side.
const WIDE: usize = 1000;
/// With more nodes than this, the command and Markdown fold rows.
const FOLDED: usize = 40;

/// Judgements by node and plugin.
type Cells = BTreeMap<(String, String), &'static str>;

/// What the real scheduler recorded of a node and a plugin, as a judgement's name.
fn recorded(attempt: &Value, node: &str, plugin: &str) -> &'static str {
    let Some(verdict) = attempt["filters"].get(node) else {
        return "notExamined";
    };
    if verdict["code"] != "Success" && verdict["plugin"] == plugin {
        return "rejects";
    }
    if attempt["failures"][node].get(plugin).is_some() {
        return "wouldAlsoReject";
    }
    let skipped = attempt["prefilter"]["skipped"].as_array();
    match skipped.is_some_and(|skipped| skipped.iter().any(|it| it == plugin)) {
        true => "skipped",
        false => "passes",
    }
}

/// The name of the judgement that has a sign.
fn named(sign: &str) -> &'static str {
    let mut all = Judgement::ALL.into_iter();
    let found = all.find(|judgement| judgement.sign() == sign);
    found
        .unwrap_or_else(|| panic!("no judgement has the sign {sign:?}"))
        .name()
}

/// The matrix that the command printed.
fn printed(text: &str, cycle: &Cycle) -> Cells {
    let lines = text.lines().skip_while(|line| *line != "Filter").skip(2);
    let rows = lines.take_while(|line| line.starts_with("  ") && !line.starts_with("  ✓ passes"));
    let mut cells = Cells::new();
    for row in rows.take(cycle.nodes.len()) {
        let mut words = row.split_whitespace();
        let node = words.next().expect("a node");
        for (plugin, sign) in cycle.filter_plugins.iter().zip(words) {
            cells.insert((node.to_owned(), plugin.clone()), named(sign));
        }
    }
    cells
}

/// The matrix of a Markdown text, without the plugins that were skipped.
fn tabled(text: &str) -> Cells {
    let mut rows = text.lines().skip_while(|line| *line != "### Filter");
    let row = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split(" | ");
        cells.map(|it| it.trim().replace('\\', "")).collect()
    };
    let head = row(rows.by_ref().nth(2).unwrap_or_default());
    let mut cells = Cells::new();
    for line in rows.skip(1).take_while(|line| line.starts_with('|')) {
        let signs = row(line);
        for (plugin, sign) in head.iter().zip(&signs).skip(1) {
            if !plugin.is_empty() {
                cells.insert((signs[0].clone(), plugin.clone()), named(sign));
            }
        }
    }
    cells
}

/// The cells of the page's matrix.
fn drawn(cycle: &Cycle) -> Cells {
    let mut cells = Cells::new();
    for report in &cycle.nodes {
        for (column, plugin) in cycle.filter_plugins.iter().enumerate() {
            let judgement = Judgement::at(cycle, report, column, &Revealed::all());
            cells.insert((report.node.clone(), plugin.clone()), judgement.name());
        }
    }
    cells
}

fn checked(session: &Session, position: usize, attempt: &Value) -> usize {
    let cycle = explain::attempt(session, position).expect("an attempt");
    let wanted: Cells = drawn(&cycle)
        .into_keys()
        .map(|(node, plugin)| {
            let judgement = recorded(attempt, &node, &plugin);
            ((node, plugin), judgement)
        })
        .collect();
    assert_eq!(drawn(&cycle), wanted, "the page");
    let command = explained(session, position, WIDE).expect("an attempt");
    let is_unfolded = cycle.nodes.len() <= FOLDED;
    let is_whole = is_unfolded && cycle.search.examined > 0;
    if is_whole {
        assert_eq!(printed(&command, &cycle), wanted, "the command: {command}");
    }
    let view = View::of(frame::build(session), "1.34");
    let explained = Explained {
        position,
        made: true,
        at_ms: None,
        rows: rows::count(&cycle),
        result: Ok(cycle),
    };
    let moment = Moment::new(
        &view,
        Shown {
            explained: Some(&explained),
            revealed: Revealed::all(),
            is_stepping: false,
            chosen: None,
            placed: None,
            group_by: "",
        },
    );
    let report = Report::of(&moment, &[]).expect("an attempt");
    let shown = |(_, judgement): &(&(String, String), &&str)| **judgement != "skipped";
    let without_skipped: Cells = wanted
        .iter()
        .filter(shown)
        .map(|(k, v)| (k.clone(), *v))
        .collect();
    // Columns are left out as a whole, those of nodes that were not examined included.
    let mut text = tabled(&markdown::of(&report));
    let is_skipped = |plugin: &String| report.cycle.pre_filter.skipped.contains(plugin);
    let kept = without_skipped
        .into_iter()
        .filter(|((_, plugin), _)| !is_skipped(plugin));
    text.retain(|(_, plugin), _| !is_skipped(plugin));
    if is_unfolded {
        assert_eq!(text, kept.collect(), "Markdown");
    }
    let record = serde_json::to_value(Record::of(&report)).expect("JSON");
    for node in record["report"]["nodes"].as_array().expect("nodes") {
        let name = node["node"].as_str().expect("a name");
        for (plugin, judgement) in report
            .cycle
            .filter_plugins
            .iter()
            .zip(node["judgements"].as_array().expect("judgements"))
        {
            let wanted = wanted.get(&(name.to_owned(), plugin.clone()));
            assert_eq!(judgement.as_str(), wanted.copied(), "JSON: {name} {plugin}");
        }
    }
    wanted.len()
}

#[test]
fn every_face_judges_each_recorded_cell_as_the_scheduler_did() {
    let mut cells = 0;
    let part = if crate::all() { 1 } else { 4 };
    for case in cases().iter().step_by(part) {
        let recorded: Value = serde_json::from_str(&case.json).expect("JSON");
        let attempts = recorded["attempts"].as_array().expect("attempts");
        let mut session = session(case, options(Version::V1_34, true, 0));
        session.run_to_end();
        let made: Vec<usize> = session.attempts().map(|(position, _)| position).collect();
        assert_eq!(made.len(), attempts.len(), "{}", case.name);
        for (position, attempt) in made.into_iter().zip(attempts) {
            cells += checked(&session, position, attempt);
        }
    }
    assert!(cells > 100_000 / part, "{cells} cells");
}
