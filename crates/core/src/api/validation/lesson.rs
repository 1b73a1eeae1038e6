//! The parts of a Scenario that make it a lesson, and the expectations that only lessons have.

use berth_protocol::remark::Remark;
use serde_json::Value;

use crate::api::decode::Finding;
use crate::api::kinds::Kind;
use crate::api::load::is_document;
use crate::api::scenario::{ASKED, duration_ms};
use crate::api::scenario::{Action, Expectation, Lesson, Lock, Predict, Scenario, Step, Wrong};

use super::Errors;
use super::non_negative;
use super::scenario::expectation;
use berth_scheduler::field::{ErrorKind, FieldError, Path};
use berth_scheduler::names::label_key;

/// The values of `mode`.
const MODES: [&str; 2] = ["schedule", "live"];
/// The values of `exam`.
const EXAMS: [&str; 4] = ["CKA", "CKAD", "KCNA", "CKS"];

/// The words with few values.
pub(super) fn texts(scenario: &Scenario, errors: &mut Errors) {
    if let Some(mode) = &scenario.mode
        && !MODES.contains(&mode.as_str())
    {
        let path = Path::root().child("mode");
        errors.push(FieldError::not_supported(&path, mode, &MODES));
    }
    let path = Path::root().child("exam");
    for (index, exam) in scenario.exam.iter().flatten().enumerate() {
        if !EXAMS.contains(&exam.as_str()) {
            errors.push(FieldError::not_supported(&path.index(index), exam, &EXAMS));
        }
    }
}

/// Reports what is wrong with a part that was read apart from its Scenario.
pub(super) fn report(findings: Vec<Finding>, errors: &mut Errors) {
    errors.extend(findings.into_iter().map(|finding| FieldError {
        path: finding.path,
        kind: ErrorKind::Invalid,
        message: finding.message.to_string(),
        help: finding.help,
    }));
}

/// Locks, solution, wrong answers and questions.
#[inline(never)]
pub(super) fn lesson(scenario: &Scenario, errors: &mut Errors) {
    let (lesson, findings) = scenario.lesson();
    report(findings, errors);
    let Lesson {
        locked,
        solution,
        wrong,
        predict,
    } = &lesson;
    locks(locked, errors);
    let root = Path::root();
    let path = root.child("solution");
    if solution.is_empty() && errors.is_empty() {
        let detail = "a lesson has one";
        errors.push(FieldError::required(&path, detail).help(Remark::list_solution()));
    }
    for (index, step) in solution.iter().enumerate() {
        say(&path.index(index), "note", step.note.as_deref(), errors);
    }
    configured_after_before(scenario, solution, errors);
    let path = root.child("wrong");
    for (index, answer) in wrong.iter().enumerate() {
        wrong_answer(&path.index(index), answer, errors);
    }
    let path = root.child("predict");
    for (index, question) in predict.iter().enumerate() {
        prediction(&path.index(index), question, errors);
    }
    for (name, text) in [
        ("task", &scenario.task),
        ("description", &scenario.description),
    ] {
        if text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            errors.push(FieldError::required(&root.child(name), "a lesson has one"));
        }
    }
    if scenario.expectations.as_ref().is_none_or(Vec::is_empty) {
        let detail = "a lesson has goals";
        errors.push(FieldError::required(&root.child("expectations"), detail));
    }
}

fn locks(locked: &[Lock], errors: &mut Errors) {
    let path = Path::root().child("locked");
    for (index, lock) in locked.iter().enumerate() {
        if Kind::of_name(&lock.kind).is_none() && !is_document(&lock.kind) {
            let detail = "must begin with a kind that Berth knows";
            errors.push(FieldError::invalid(
                &path.index(index),
                lock.to_string(),
                detail,
            ));
        }
    }
}

/// Another configuration starts the run again, without the commands of `before`.
fn configured_after_before(scenario: &Scenario, solution: &[Step], errors: &mut Errors) {
    let configures = |step: &Step| match &step.action {
        Action::Apply(text) => text.contains("kind: KubeSchedulerConfiguration"),
        Action::Run(_) => false,
    };
    let has_before = scenario
        .before
        .as_ref()
        .is_some_and(|lines| !lines.is_empty());
    if has_before && solution.iter().any(configures) {
        let path = Path::root().child("before");
        let detail =
            "may not be specified when the solution changes the KubeSchedulerConfiguration";
        errors.push(FieldError::forbidden(&path, detail).help(Remark::before_starts_again()));
    }
}

fn wrong_answer(path: &Path, answer: &Wrong, errors: &mut Errors) {
    say(path, "say", Some(&answer.say), errors);
    if answer.steps.is_empty() {
        errors.push(FieldError::required(
            &path.child("steps"),
            "how one comes to it",
        ));
    }
    let path = path.child("when");
    if answer.when.is_empty() {
        let detail = "the expectations that recognise it";
        errors.push(FieldError::required(&path, detail));
    }
    for (index, expected) in answer.when.iter().enumerate() {
        expectation(&path.index(index), expected, errors);
    }
}

fn prediction(path: &Path, question: &Predict, errors: &mut Errors) {
    if question.pod.is_empty() {
        errors.push(FieldError::required(
            &path.child("pod"),
            "the Pod in question",
        ));
    }
    if !ASKED.contains(&question.ask.as_str()) {
        let path = path.child("ask");
        errors.push(FieldError::not_supported(&path, &question.ask, &ASKED));
    }
    say(path, "say", Some(&question.say), errors);
    let path = path.child("wrong");
    for (index, answer) in question.wrong.iter().enumerate() {
        let path = path.index(index);
        if answer.answer.is_empty() {
            errors.push(FieldError::required(
                &path.child("answer"),
                "the answer that is meant",
            ));
        }
        say(&path, "say", Some(&answer.say), errors);
    }
}

/// A text that must not be empty if it is given.
fn say(path: &Path, name: &str, text: Option<&str>, errors: &mut Errors) {
    if text.is_some_and(|text| text.trim().is_empty()) {
        errors.push(FieldError::required(&path.child(name), "must be a text"));
    }
}

/// Whether an expectation is one of nodes, of an object, of the configuration or of others.
pub(super) fn concerns_no_pods(expected: &Expectation) -> bool {
    expected.is_of_nodes()
        || expected.object.is_some()
        || !expected.config.is_null()
        || expected.one_of.is_some()
}

/// Whether it asks about the past of Pods.
pub(super) fn looks_back(expected: &Expectation) -> bool {
    expected.evicted.is_some() || expected.never_below.is_some()
}

/// An expectation that does not concern Pods.
#[inline(never)]
pub(super) fn other(path: &Path, expected: &Expectation, errors: &mut Errors) {
    let of_pods = [
        ("pod", expected.pod.is_some()),
        ("selector", expected.selector.is_some()),
        ("namespace", expected.namespace.is_some()),
        ("state", expected.state.is_some()),
        ("message", expected.message.is_some()),
        ("maxPer", expected.max_per.is_some()),
        ("skew", expected.skew.is_some()),
        ("evicted", expected.evicted.is_some()),
        ("neverBelow", expected.never_below.is_some()),
    ];
    for (name, _) in of_pods.into_iter().filter(|(_, is_given)| *is_given) {
        let detail = "may only be specified for Pods";
        errors.push(FieldError::forbidden(&path.child(name), detail));
    }
    let subjects = [
        ("empty", expected.is_of_nodes()),
        ("object", expected.object.is_some()),
        ("config", !expected.config.is_null()),
        ("oneOf", expected.one_of.is_some()),
    ];
    let mut given = subjects.into_iter().filter(|(_, is_given)| *is_given);
    if let (Some((first, _)), Some((second, _))) = (given.next(), given.next()) {
        let detail = format!("may not be specified together with `{first}`");
        errors.push(FieldError::forbidden(&path.child(second), &detail));
    }
    durations(path, expected, errors);
    if expected.is_of_nodes() {
        range(&path.child("count"), expected, errors);
    } else {
        let of_nodes = [
            ("node", expected.node.is_some()),
            ("nodes", expected.nodes.is_some()),
            ("count", !expected.count.is_null()),
        ];
        for (name, _) in of_nodes.into_iter().filter(|(_, is_given)| *is_given) {
            let detail = "may only be specified for Pods or nodes";
            errors.push(FieldError::forbidden(&path.child(name), detail));
        }
    }
    condition(path, expected, errors);
    if let Some(others) = &expected.one_of {
        let path = path.child("oneOf");
        if others.is_empty() {
            errors.push(FieldError::required(
                &path,
                "must have at least one expectation",
            ));
        }
        for (index, other) in others.iter().enumerate() {
            expectation(&path.index(index), other, errors);
        }
    }
}

/// A field of an object, or of the configuration.
fn condition(path: &Path, expected: &Expectation, errors: &mut Errors) {
    if let Some(object) = &expected.object {
        let is_object = Lock::parse(object).is_some_and(|lock| {
            let is_kind = Kind::of_name(&lock.kind).is_some();
            lock.path.is_none()
                && (is_kind || is_document(&lock.kind))
                && (lock.name.is_some() || !is_kind)
        });
        if !is_object {
            let detail = "must be Kind/name or Kind/namespace/name";
            errors.push(FieldError::invalid(
                &path.child("object"),
                object.as_str(),
                detail,
            ));
        }
    }
    let own = [
        ("path", expected.path.is_some()),
        ("equals", !expected.equals.is_null()),
        ("contains", !expected.contains.is_null()),
        ("exists", expected.exists.is_some()),
    ];
    if expected.object.is_none() {
        for (name, _) in own.into_iter().filter(|(_, is_given)| *is_given) {
            let detail = "may only be specified with `object`";
            errors.push(FieldError::forbidden(&path.child(name), detail));
        }
    }
    let path = match expected.config {
        Value::Null => path.clone(),
        Value::Object(_) => path.child("config"),
        _ => {
            let detail = "must be a map of `path` and `equals`, `contains` or `exists`";
            errors.push(FieldError::invalid(
                &path.child("config"),
                expected.config.clone(),
                detail,
            ));
            return;
        }
    };
    let known = ["path", "equals", "contains", "exists"];
    for name in expected
        .config
        .as_object()
        .into_iter()
        .flat_map(|map| map.keys())
    {
        if !known.contains(&name.as_str()) {
            errors.push(FieldError::not_supported(&path, name, &known));
        }
    }
    let Some(condition) = expected.condition() else {
        return;
    };
    let asks = !condition.equals.is_null() || !condition.contains.is_null();
    if !asks && condition.exists.is_none() && expected.object.is_none() {
        let detail = "must specify `equals`, `contains` or `exists`";
        errors.push(FieldError::required(&path, detail));
    }
    if asks && condition.exists == Some(false) {
        let detail = "may not be false together with `equals` or `contains`";
        errors.push(FieldError::forbidden(&path.child("exists"), detail));
    }
}

/// The fields of Pods that only lessons ask for.
#[inline(never)]
pub(super) fn of_pods(path: &Path, expected: &Expectation, errors: &mut Errors) {
    durations(path, expected, errors);
    condition(path, expected, errors);
    non_negative(&path.child("neverBelow"), expected.never_below, errors);
    let path = path.child("skew");
    if expected.skew.as_ref().is_some_and(|keys| keys.is_empty()) {
        errors.push(FieldError::required(
            &path,
            "must have at least one topology key",
        ));
    }
    for (key, most) in expected.skew.iter().flatten() {
        errors.extend(label_key(&path, key));
        non_negative(&path.key(key), Some(*most), errors);
    }
}

fn durations(path: &Path, expected: &Expectation, errors: &mut Errors) {
    for (name, text) in [
        ("within", &expected.within),
        ("notBefore", &expected.not_before),
    ] {
        if let Some(text) = text
            && duration_ms(text).is_none()
        {
            let detail = "must be a duration like 60s";
            errors.push(FieldError::invalid(
                &path.child(name),
                text.as_str(),
                detail,
            ));
        }
    }
}

/// A count that is not a plain number of Pods.
pub(super) fn range(path: &Path, expected: &Expectation, errors: &mut Errors) {
    if expected.count.is_null() {
        return;
    }
    let is_known = expected.count.as_object().is_none_or(|range| {
        !range.is_empty() && range.keys().all(|name| name == "min" || name == "max")
    });
    if !is_known || expected.count().is_none_or(|(min, max)| min > max) {
        let detail = "must be a number, or a range: {min: 2, max: 3}";
        errors.push(FieldError::invalid(path, expected.count.clone(), detail));
    }
}

#[cfg(test)]
mod tests {
    use super::Errors;
    use crate::api::validation::scenario::scenario;

    fn errors(lesson: &str) -> Vec<String> {
        let head = "description: d\ntask: t\nexpectations: [{pod: a, node: b}]\n";
        let document = serde_yaml::from_str(&format!("{head}{lesson}")).unwrap();
        let mut errors = Errors::new();
        scenario(&document, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_lesson_is_checked_with_the_paths_of_its_fields() {
        for (lesson, expected) in [
            ("solution: [kubectl get pods]", None),
            (
                "solution: [{run: sleep 1, note: n}, {apply: 'kind: Pod'}]",
                None,
            ),
            (
                "solution: [{note: n}]",
                Some("solution[0]: a step is a command line, or a map with `run` or `apply`"),
            ),
            (
                "solution: [{run: a, apply: b}]",
                Some("solution[0]: a step is"),
            ),
            (
                "solution: [a]\nlocked: [Pod/]",
                Some("locked[0]: \"Pod/\" is not a valid lock"),
            ),
            (
                "solution: [a]\nlocked: [Nodes]",
                Some("locked[0]: Invalid value: \"Nodes\": must begin with a kind"),
            ),
            (
                "locked: [Node]",
                Some("solution: Required value: a lesson has one"),
            ),
            (
                "solution: [a]\nwrong: [{steps: [b], say: s}]",
                Some("wrong[0].when: Required value"),
            ),
            (
                "solution: [a]\nwrong: [{steps: [b], when: [{pod: a}], say: s}]",
                Some("wrong[0].when[0]: Required value"),
            ),
            (
                "solution: [a]\npredict: [{pod: a, ask: where, say: s}]",
                Some("predict[0].ask: Unsupported value: \"where\""),
            ),
            (
                "solution: [a]\nmode: alive",
                Some("mode: Unsupported value: \"alive\""),
            ),
            (
                "solution: [a]\nexam: [CKX]",
                Some("exam[0]: Unsupported value: \"CKX\""),
            ),
            (
                "solution: [{apply: 'kind: KubeSchedulerConfiguration'}]\nbefore: [b]",
                Some("before: Forbidden"),
            ),
        ] {
            let found = errors(lesson);
            match expected {
                None => assert_eq!(found, [""; 0], "{lesson}"),
                Some(expected) => assert!(
                    found.iter().any(|it| it.starts_with(expected)),
                    "{lesson}: {found:#?}"
                ),
            }
        }
    }
}
