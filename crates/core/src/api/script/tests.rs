use serde_json::{Value, json};

use super::{Script, Verb, Verbs, read};
use berth_base::time::Time;

/// The script, and its problems as `path: message`.
fn read_steps(steps: Value) -> (Script, Vec<String>) {
    let script = json!({"apiVersion": "conformance/v1", "kind": "Script", "steps": steps});
    let (script, findings) = read(&script, Verbs::Objects);
    let texts = findings
        .iter()
        .map(|finding| format!("{}: {}", finding.path, finding.message));
    (script, texts.collect())
}

#[test]
fn steps_have_a_time_and_changes() {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}});
    let (script, problems) = read_steps(json!([
        {"at": 5.5, "create": [node]},
        {"at": 53.61, "delete": [{"kind": "Pod", "name": "p"}]},
    ]));
    assert_eq!(problems, [""; 0]);
    assert_eq!((script.until_seconds, script.pop_from_backoff), (400, true));
    let at: Vec<Time> = script.steps.iter().map(|step| step.at).collect();
    assert_eq!(at, [5_500_000, 53_610_000].map(Time::at_microsecond));
    assert!(matches!(script.steps[0].acts[0].verb, Verb::Create(_)));
    assert_eq!(script.steps[1].acts[0].path, "steps[1].delete[0]");
}

#[test]
fn problems_are_located_by_path() {
    let (script, problems) = read_steps(json!([
        {"create": []},
        {"at": 3},
        {"at": 2},
        {"at": -1},
        {"at": 4, "craete": []},
        {"at": 5, "delete": [{"name": "p"}]},
        {"at": 6, "create": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "P"}}]},
    ]));
    assert_eq!(script.steps.len(), 4);
    let starts = [
        "steps[0]: the step does not say when",
        "steps[2].at: 2 s is earlier than the step before, at 3 s",
        "steps[3].at: must be a number of seconds",
        "steps[4].craete: unknown verb",
        "steps[5].delete[0]: `kind` and `name`",
        "steps[6].create[0].metadata.name: ",
    ];
    for (problem, start) in problems.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem}");
    }
}

#[test]
fn only_one_feature_gate_can_be_switched() {
    let gates = json!({"SchedulerPopFromBackoffQ": false, "SchedulerQueueingHints": false});
    let (script, findings) = read(&json!({"featureGates": gates, "until": 60}), Verbs::Objects);
    assert_eq!((script.until_seconds, script.pop_from_backoff), (60, false));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].path, "featureGates.SchedulerQueueingHints");
}

#[test]
fn invalid_operations_are_located_by_path() {
    let document = json!({
        "kubelet": {"readyAfter": "soon", "runSeconds": "x"},
        "steps": [
            {"at": 1, "scale": {"name": "web", "replicas": 2}, "pause": {"name": "web"}},
            {"at": 2, "skale": {}},
            {"at": 3, "scale": {"name": "web", "replicas": "many"}},
            {"at": 4, "delete": {"name": "web"}},
        ],
    });
    let (script, findings) = read(&document, Verbs::Operations);
    let texts: Vec<String> = findings
        .iter()
        .map(|it| format!("{}: {}", it.path, it.help))
        .collect();
    assert_eq!(texts.len(), 4, "{texts:?}");
    assert!(texts[0].starts_with("kubelet.runSeconds"), "{texts:?}");
    assert_eq!(
        texts[1],
        "steps[0]: write one step for each, at the same time"
    );
    assert_eq!(texts[2], "steps[1].skale: did you mean \"scale\"?");
    assert!(texts[3].starts_with("steps[2].scale.replicas"), "{texts:?}");
    let Verb::Operate { text, .. } = &script.steps[3].acts[0].verb else {
        panic!("{script:?}");
    };
    assert_eq!(text, "delete {\"name\":\"web\"}");
}
