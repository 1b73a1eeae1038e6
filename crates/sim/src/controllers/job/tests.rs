use crate::controllers::Options;
use crate::replay::timeline::tests::fixture::{job, life, life_as};

fn kubelet(rule: &str) -> String {
    format!("kubelet: {{readyAfter: 1, graceSeconds: 2, runSeconds: 5, {rule}}}\n")
}

#[test]
fn an_ignored_failure_does_not_count_but_delays() {
    let policy =
        "podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, values: [42]}}]}";
    let script = kubelet("outcomes: ['fail:42', 'fail:42', succeed]");
    let life = life(&job(policy), &format!("{script}until: 100"));
    assert_eq!(life.actions(15), ["create Pod job-0002"]);
    assert_eq!(life.actions(40), ["create Pod job-0003"]);
    assert_eq!(life.status(46, "job", "failed"), 0);
    assert_eq!(life.events(46), ["Completed: Job completed"]);
}

#[test]
fn each_index_has_its_own_delay_and_limit() {
    let spec = "completions: 3, parallelism: 3, completionMode: Indexed, backoffLimitPerIndex: 1";
    let script = kubelet("indexOutcomes: {'1': [fail], '2': [fail, succeed]}");
    let life = life(&job(spec), &format!("{script}until: 100"));
    // A failed Pod is counted once its replacement exists.
    assert_eq!(life.status(14, "job", "failed"), 0);
    let again = ["create Pod job-1-0002", "create Pod job-2-0002"];
    assert_eq!(life.actions(15), again);
    assert_eq!(life.status(16, "job", "failed"), 2);
    assert_eq!(life.events(21), ["FailedIndexes: Job has failed indexes"]);
    let status = &life.at(21, "job")["status"];
    assert_eq!(
        (&status["completedIndexes"], &status["failedIndexes"]),
        (&"0,2".into(), &"1".into())
    );
}

#[test]
fn a_rule_can_fail_an_index_before_its_limit() {
    let spec = "completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 9, podFailurePolicy: {rules: [{action: FailIndex, onExitCodes: {operator: In, values: [3]}}]}";
    let script = kubelet("indexOutcomes: {'0': ['fail:3']}");
    let life = life(&job(spec), &format!("{script}until: 30"));
    assert_eq!(life.at(6, "job")["status"]["failedIndexes"], "0");
    assert_eq!(life.status(6, "job", "failed"), 1);
    assert_eq!(life.events(6), ["FailedIndexes: Job has failed indexes"]);
}

#[test]
fn a_success_policy_ends_a_job_before_all_indexes_are_done() {
    let spec = "completions: 3, parallelism: 3, completionMode: Indexed, successPolicy: {rules: [{succeededIndexes: '0'}]}";
    let script = kubelet("indexOutcomes: {'1': [run], '2': [run]}");
    let life = life(&job(spec), &format!("{script}until: 30"));
    let gone = ["delete Pod job-1-0001", "delete Pod job-2-0001"];
    assert_eq!(life.actions(6), gone);
    assert_eq!(
        (
            life.status(6, "job", "succeeded"),
            life.status(6, "job", "failed")
        ),
        (1, 0)
    );
    let conditions = [
        "SuccessCriteriaMet=True/SuccessPolicy",
        "Complete=True/SuccessPolicy",
    ];
    assert_eq!(life.conditions(6, "job"), conditions);
}

#[test]
fn pod_replacement_policy_failed_waits_for_deleted_pods() {
    let script = kubelet("outcomes: [run]");
    let steps = "steps:\n- {at: 3, deletePod: {selector: {job-name: job}}}\nuntil: 30";
    let either = life(&job("backoffLimit: 3"), &format!("{script}{steps}"));
    assert_eq!(either.status(4, "job", "failed"), 1);
    let failed = life(
        &job("podReplacementPolicy: Failed"),
        &format!("{script}{steps}"),
    );
    assert_eq!(failed.status(4, "job", "failed"), 0);
    assert_eq!(failed.status(6, "job", "failed"), 1);
}

#[test]
fn a_deleted_job_frees_its_pods() {
    let steps = "steps:\n- {at: 3, delete: {kind: Job, name: job}}\n- {at: 9, deletePod: {selector: {job-name: job}}}\nuntil: 30";
    let script = format!("{}{steps}", kubelet("outcomes: [run]"));
    let (record, problems) =
        crate::replay::timeline::tests::fixture::attempt(&job("parallelism: 2"), &script);
    // At second 9 there is no Pod left to delete.
    assert!(
        record.is_none() && problems[0].message.to_string().contains("selects 0 Pods"),
        "{problems:?}"
    );
}

#[test]
fn jobs_managed_by_others_are_ignored() {
    let life = life(&job("managedBy: example.com/queue"), "until: 30");
    assert_eq!(life.seconds(), [0]);
    assert_eq!(life.pods(0, "job"), [""; 0]);
}

#[test]
fn the_last_deadline_counts() {
    let patch = "patch: {kind: Job, name: job, patch: {spec: {activeDeadlineSeconds: 8}}}";
    let script = format!(
        "{}steps:\n- {{at: 2, {patch}}}\nuntil: 30",
        kubelet("outcomes: [run]")
    );
    let life = life(&job("activeDeadlineSeconds: 20"), &script);
    assert_eq!(
        life.events(8),
        ["DeadlineExceeded: Job was active longer than specified deadline"]
    );
    assert_eq!(life.seconds(), [0, 1, 2, 8, 10]);
}

/// The controllers' options as of v1.34.
fn present() -> Options {
    Options {
        housekeeping: false,
        budgets: false,
        nodes: false,
        ..Options::default()
    }
}

#[test]
fn a_failed_job_waits_for_its_pods_to_end() {
    let spec = "parallelism: 2, completions: 2, activeDeadlineSeconds: 4";
    let script = format!("{}until: 30", kubelet("outcomes: [run]"));
    let life = life_as(&job(spec), &script, present());
    assert_eq!(
        life.conditions(4, "job"),
        ["FailureTarget=True/DeadlineExceeded"]
    );
    let fields = ["failed", "ready", "terminating", "active"];
    assert_eq!(
        fields.map(|field| life.status(4, "job", field)),
        [2, 0, 2, 0]
    );
    // They finish at 6, which the controller observes a second later.
    assert_eq!(life.events(4), [""; 0]);
    assert_eq!(
        life.events(7),
        ["DeadlineExceeded: Job was active longer than specified deadline"]
    );
    let both = [
        "FailureTarget=True/DeadlineExceeded",
        "Failed=True/DeadlineExceeded",
    ];
    assert_eq!(life.conditions(7, "job"), both);
    assert_eq!(life.status(7, "job", "terminating"), 0);
}

#[test]
fn a_finished_job_is_deleted_after_its_ttl() {
    let script = format!("{}until: 90", kubelet("outcomes: [succeed]"));
    let life = life_as(&job("ttlSecondsAfterFinished: 60"), &script, present());
    assert_eq!(life.events(6), ["Completed: Job completed"]);
    assert_eq!(life.actions(66), ["delete Job job", "delete Pod job-0001"]);
    assert_eq!(life.seconds(), [0, 1, 5, 6, 66]);
}

#[test]
fn real_delays_give_the_same_outcome() {
    let spec = "completions: 4, parallelism: 2";
    let script = format!("{}until: 60", kubelet("outcomes: [succeed]"));
    let (then, now) = (
        life(&job(spec), &script),
        life_as(&job(spec), &script, present()),
    );
    assert_eq!(then.seconds(), now.seconds());
    assert_eq!(
        then.status(60, "job", "succeeded"),
        now.status(60, "job", "succeeded")
    );
}
