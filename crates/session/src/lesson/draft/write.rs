//! Writes a draft as a file of manifests that begins with a `Scenario`.

use serde_json::{Map, Value, json};

use berth_core::api::decode::decode;
use berth_core::api::load::load;
use berth_core::api::scenario::{API_VERSION, Expectation, Scenario};
use berth_core::api::source::SourceFile;
use berth_core::api::yaml;
use berth_protocol::draft::{Draft, DraftStart, DraftStep};
use berth_protocol::lesson::Ask;
use berth_protocol::problem::{Problem, Severity};
use berth_protocol::remark::Remark;
use berth_scheduler::field::ErrorKind;

use super::FILE;

/// The order of the fields; others are left out.
const ORDER: [&str; 16] = [
    "apiVersion",
    "kind",
    "title",
    "kubernetes",
    "featureGates",
    "minutes",
    "mode",
    "description",
    "task",
    "before",
    "hints",
    "locked",
    "predict",
    "expectations",
    "solution",
    "wrong",
];

/// The file, and the expectations that cannot be written into it.
pub fn write(draft: &Draft) -> (String, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut value_of = |path: String, text: &str| match value(text) {
        Ok(value) => Some(value),
        Err(Unreadable::Empty) => {
            problems.push(missing(&path));
            None
        }
        Err(Unreadable::Because(message)) => {
            problems.push(problem(&path, message));
            None
        }
    };
    let goals = draft.goals.iter().enumerate().filter_map(|(index, goal)| {
        let mut value = value_of(format!("expectations[{index}]"), &goal.text)?;
        if !goal.words.trim().is_empty() {
            value["words"] = json!(goal.words.trim());
        }
        Some(value)
    });
    let goals: Vec<Value> = goals.collect();
    let wrong = draft.wrong.iter().enumerate().map(|(index, wrong)| {
        let when = wrong.when.iter().enumerate();
        let when: Vec<Value> = when
            .filter_map(|(at, text)| value_of(format!("wrong[{index}].when[{at}]"), text))
            .collect();
        json!({"steps": steps(&wrong.steps), "when": when, "say": paragraph(&wrong.say)})
    });
    let wrong: Vec<Value> = wrong.collect();
    let locked = draft.locked.iter().enumerate();
    let empty = locked.filter(|(_, lock)| lock.trim().is_empty());
    problems.extend(empty.map(|(index, _)| missing(&format!("locked[{index}]"))));
    let start = draft.start.clone().unwrap_or_default();
    let (of_cluster, manifests) = split(&start);
    let mut value = serde_json::to_value(scenario(draft, &start)).unwrap_or_default();
    for name in ["kubernetes", "featureGates"] {
        value[name] = of_cluster.get(name).cloned().unwrap_or_default();
    }
    value["locked"] = json!(draft.locked);
    value["expectations"] = json!(goals);
    value["solution"] = json!(steps(&draft.solution));
    value["wrong"] = json!(wrong);
    value["predict"] = json!(questions(draft));
    let fields = ORDER.iter().filter_map(|name| {
        let value = value.get_mut(*name)?.take();
        let is_given = !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
        is_given.then(|| ((*name).to_owned(), value))
    });
    let fields: Map<String, Value> = fields.collect();
    let mut text = yaml::emit(&Value::Object(fields));
    if !manifests.trim().is_empty() {
        text.push_str("---\n");
        text.push_str(&manifests);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    (text, problems)
}

/// A problem with a field of the draft.
pub fn problem(path: &str, message: impl Into<Remark>) -> Problem {
    Problem {
        severity: Severity::Error,
        file: FILE.to_owned(),
        line: 1,
        column: 1,
        path: path.to_owned(),
        message: message.into(),
        help: Remark::default(),
        is_missing: false,
        unlisted: 0,
    }
}

/// A value that is required at `path`.
pub fn missing(path: &str) -> Problem {
    Problem {
        is_missing: true,
        ..problem(path, Remark::quoted(ErrorKind::Required.as_str()))
    }
}

fn scenario(draft: &Draft, start: &DraftStart) -> Scenario {
    let given = |text: &str| Some(paragraph(text)).filter(|text| !text.is_empty());
    let mode = if start.live { "live" } else { "schedule" };
    let hints: Vec<String> = draft.hints.iter().filter_map(|hint| given(hint)).collect();
    Scenario {
        api_version: API_VERSION.to_owned(),
        kind: "Scenario".to_owned(),
        title: Some(draft.title.trim().to_owned()).filter(|title| !title.is_empty()),
        description: given(&draft.description),
        task: given(&draft.task),
        minutes: i32::try_from(draft.minutes).ok().filter(|it| *it > 0),
        mode: Some(mode.to_owned()),
        before: Some(start.before.clone()),
        hints: Some(hints),
        ..Scenario::default()
    }
}

/// A text as the file has it: several lines end with a line break, so that they are written as a block.
fn paragraph(text: &str) -> String {
    let text: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    match text.len() {
        0 | 1 => text.concat(),
        _ => format!("{}\n", text.join("\n")),
    }
}

fn steps(steps: &[DraftStep]) -> Vec<Value> {
    let written = steps.iter().map(|step| {
        let note = paragraph(&step.note);
        match (step.is_command, note.is_empty()) {
            (true, true) => json!(step.text.trim_end()),
            (true, false) => json!({"run": step.text.trim_end(), "note": note}),
            (false, true) => json!({"apply": step.text}),
            (false, false) => json!({"apply": step.text, "note": note}),
        }
    });
    written.collect()
}

fn questions(draft: &Draft) -> Vec<Value> {
    let written = draft.predict.iter().map(|question| {
        let ask = match question.ask {
            Ask::Node => "node",
            Ask::Victims => "victims",
            Ask::Why => "why",
        };
        json!({"pod": question.pod, "ask": ask, "say": paragraph(&question.say)})
    });
    written.collect()
}

/// The `Scenario` in front of the manifests, and the rest.
fn split(start: &DraftStart) -> (Value, String) {
    let text = start.manifests.as_str();
    let loaded = load(&[SourceFile::new(FILE, text)]);
    let first = loaded.documents.first();
    let Some(first) = first.filter(|first| first.kind == "Scenario") else {
        return (Value::Null, without_marker(text));
    };
    let own = yaml::parse(loaded.text(&first.source)).map(|parsed| parsed.value);
    let rest = text.get(first.source.range.end..).unwrap_or_default();
    (own.unwrap_or_default(), without_marker(rest))
}

fn without_marker(text: &str) -> String {
    let text = text.trim_start_matches('\n');
    let text = text.strip_prefix("---\n").unwrap_or(text);
    text.trim_start_matches('\n').to_owned()
}

/// Why the text of an expectation cannot be read.
enum Unreadable {
    Empty,
    Because(Remark),
}

/// An expectation as JSON.
fn value(text: &str) -> Result<Value, Unreadable> {
    match yaml::parse(text).map(|parsed| parsed.value) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(Value::Null) => Err(Unreadable::Empty),
        Ok(_) => Err(Unreadable::Because(Remark::not_an_object())),
        Err(error) => Err(Unreadable::Because(Remark::at_line(
            error.position.line,
            error.message,
        ))),
    }
}

/// An expectation of a draft; `None` if its text is not one.
pub fn expectation(text: &str) -> Option<Expectation> {
    let (expectation, _) = decode::<Expectation>(&value(text).ok()?);
    expectation.map(|it| *it)
}
