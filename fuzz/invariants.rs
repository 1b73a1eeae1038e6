//! Invariants that hold for any text, shared by the fuzz targets and the seeded smoke test.
#![allow(dead_code)] // Each target uses one of these.

use std::collections::BTreeMap;

use berth_base::quantity::Quantity;
use berth_core::api::decode::decode;
use berth_core::api::load::load as load_files;
use berth_core::api::prepare::{PrepareOptions, prepare};
use berth_core::api::problem::MAX_PROBLEMS;
use berth_core::api::source::SourceFile;
use berth_core::api::yaml::{self, Target};
use berth_scheduler::cel::{DeviceValue, Rules, compile};
use berth_scheduler::release::{Release, Version};
use berth_scheduler::selector;

/// Any text loads and prepares; every problem has a place in the file and is safe to print.
pub fn load(text: &str) {
    let files = [
        SourceFile::new("first", text),
        SourceFile::new(
            "second",
            "apiVersion: v1\nkind: Node\nmetadata: {name: the-good-one}\n",
        ),
    ];
    let loaded = load_files(&files);
    let widths: Vec<usize> = text.split('\n').map(|line| line.chars().count()).collect();
    assert!(
        loaded.problems.len() <= MAX_PROBLEMS + 1,
        "{} problems",
        loaded.problems.len()
    );
    let (_, refused) = prepare(
        &loaded,
        &PrepareOptions {
            expand_workloads: true,
            ..PrepareOptions::default()
        },
    );
    for problem in loaded.problems.iter().chain(&refused) {
        let shown = problem.to_string();
        assert_eq!(problem.file, "first", "{shown}");
        let width = widths.get(problem.line as usize - 1).copied();
        assert!(
            width.is_some_and(|width| problem.column as usize <= width + 1),
            "outside of the file: {shown}"
        );
        assert!(
            problem.column >= 1 && !problem.message.is_empty(),
            "{shown}"
        );
        assert!(
            !shown.chars().any(|c| c.is_control() || c == '\u{202e}'),
            "unsafe to print: {shown:?}"
        );
    }
    for (index, document) in loaded.documents.iter().enumerate() {
        assert_eq!(document.index as usize, index);
        let source = &document.source;
        assert!(
            loaded.files[source.file]
                .text
                .get(source.range.clone())
                .is_some(),
            "{source:?}"
        );
        let start = source.start;
        for target in [Target::Key, Target::Value] {
            if let Some(span) = loaded.locate(source, "metadata.name", target) {
                assert!(
                    span.start.line >= start.line && span.last_line >= span.start.line,
                    "{span:?}"
                );
            }
        }
    }
    let last = loaded
        .documents
        .last()
        .map(|document| document.kind.as_str());
    assert_eq!(last, Some("Node"), "the good document is hidden");
}

/// Any configuration can be read, and every problem has a message.
pub fn config(text: &str) {
    let Ok(parsed) = yaml::parse(text) else {
        return;
    };
    for version in Version::ALL {
        let release = Release::of(version);
        let (_, problems) = berth_core::api::config::read(&parsed.value, &release);
        for problem in problems {
            assert!(!problem.message.is_empty(), "{problem:?}");
        }
    }
}

/// A quantity that parses prints as text that parses to the same quantity.
pub fn quantity(text: &str) {
    let Ok(quantity) = Quantity::parse(text) else {
        return;
    };
    let shown = quantity.to_string();
    assert_eq!(Quantity::parse(&shown), Ok(quantity), "{text} as {shown}");
    let (value, milli) = (quantity.value(), quantity.milli_value());
    assert!(
        value.saturating_mul(1000).unsigned_abs() >= milli.unsigned_abs(),
        "{text}: {value}, {milli}m"
    );
    assert_eq!(quantity.add(Quantity::default()), quantity, "{text}");
}

/// A selector with an unknown operator matches nothing; an empty one matches everything.
pub fn selector(text: &str) {
    let Ok(parsed) = yaml::parse(text) else {
        return;
    };
    let (Some(selector), _) = decode(&parsed.value) else {
        return;
    };
    let labels = BTreeMap::from([
        ("app".to_owned(), "web".to_owned()),
        ("tier".to_owned(), String::new()),
    ]);
    let matched = selector::matches(&selector, &labels);
    let known = ["In", "NotIn", "Exists", "DoesNotExist"];
    let mut requirements = selector.match_expressions.iter().flatten();
    let is_known = requirements.all(|it| known.contains(&it.operator.as_str()));
    assert!(is_known || !matched, "{text} matches");
    if selector::is_empty(&selector) {
        assert!(matched && selector::matches(&selector, &BTreeMap::new()));
    }
}

/// A device with attributes of every type, published as JSON.
const DEVICE: &str = r#"{"name": "g", "attributes": {"model": {"string": "h100"}, "index": {"int": 3}, "healthy": {"bool": true},
    "other.example/driver": {"version": "1.2.3-rc.1"}}, "capacity": {"memory": {"value": "80Gi"}}}"#;

/// Any selector compiles or is refused in words, and then yields a bool or an error, the same each time, without
/// exceeding the cost that every evaluation is allowed.
pub fn cel(text: &str) {
    let rules = |stored| Rules {
        stored,
        allow_multiple: stored,
    };
    let [strict, stored] = [false, true].map(|stored| compile(text, rules(stored)));
    for refused in [&strict, &stored]
        .into_iter()
        .filter_map(|it| it.as_ref().err())
    {
        assert!(!refused.is_empty(), "{text:?} is refused without a word");
    }
    // What may be created may be stored.
    assert!(strict.is_err() || stored.is_ok(), "{text:?}: {stored:?}");
    let Ok(program) = stored else {
        return;
    };
    let device = yaml::parse(DEVICE).ok();
    let Some(device) = device.and_then(|it| decode(&it.value).0) else {
        panic!("the device cannot be read");
    };
    let device = DeviceValue::new("gpu.example.com", &device);
    let result = program.matches(&device);
    if let Err(error) = &result {
        assert!(!error.is_empty(), "{text:?} fails without a word");
    }
    assert_eq!(program.matches(&device), result, "{text:?}");
    // Explain shows what it reads.
    let seen = program.seen(&device);
    assert!(seen.len() <= text.len(), "{text:?}: {seen:?}");
}
