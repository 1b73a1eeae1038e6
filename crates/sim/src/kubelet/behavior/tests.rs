use k8s_openapi::api::core::v1::{ExecAction, Lifecycle, LifecycleHandler, VolumeMount};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::*;

fn pod(annotations: &[(&str, &str)]) -> Pod {
    let mut pod = Pod::default();
    let annotations = annotations
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    pod.metadata.annotations = Some(annotations.collect());
    pod
}

fn container(image: &str) -> Container {
    Container {
        name: "web".to_owned(),
        image: Some(image.to_owned()),
        ..Container::default()
    }
}

fn read(annotations: &[(&str, &str)]) -> (Behavior, Vec<String>) {
    let mut problems = Vec::new();
    let behavior = of(
        &pod(annotations),
        &container("nginx"),
        Known::Command,
        &mut problems,
    );
    (behavior, problems)
}

#[test]
fn annotations_count_more_than_the_command_and_those_of_a_container_most() {
    let (behavior, problems) = read(&[
        ("berth.dev/run-for", "1m"),
        ("berth.dev/run-for.web", "10s"),
        ("berth.dev/exit-code", "1,0"),
        ("berth.dev/exit-code.other", "9"),
        ("berth.dev/memory", "50Mi,300Mi@20s"),
        ("berth.dev/ready-after", "5s"),
        ("berth.dev/stop-after", "never"),
    ]);
    assert_eq!(problems, [] as [String; 0]);
    assert_eq!(behavior.runs_ms, Some(10_000));
    assert_eq!([0, 1, 7].map(|start| behavior.exit_code(start)), [1, 0, 0]);
    let memory = behavior.memory.unwrap();
    assert_eq!(
        [0, 20_000].map(|at| *memory.at(at).unwrap()),
        [50 << 20, 300 << 20]
    );
    assert_eq!(
        [0, 5_000].map(|at| *behavior.readiness.at(at).unwrap()),
        [false, true]
    );
    assert_eq!(behavior.stop_ms, None);
}

#[test]
fn a_server_that_has_an_exit_code_ends() {
    let (behavior, _) = read(&[("berth.dev/exit-code", "3")]);
    assert_eq!((behavior.runs_ms, behavior.exit_code(0)), (Some(1_000), 3));
    let (forever, _) = read(&[
        ("berth.dev/exit-code", "3"),
        ("berth.dev/run-for", "forever"),
    ]);
    assert_eq!(forever.runs_ms, None);
}

#[test]
fn invalid_annotations_are_reported_and_ignored() {
    let (behavior, problems) = read(&[
        ("berth.dev/run-for", "soon"),
        ("berth.dev/exit-code", "300"),
        ("berth.dev/readiness", "perhaps"),
        ("berth.dev/image", "lost"),
    ]);
    assert_eq!(behavior, read(&[]).0);
    assert_eq!(
        problems,
        [
            "annotation \"berth.dev/run-for\" is ignored: \"soon\" is not a duration such as \"30s\" or \"1m30s\", nor \"forever\"",
            "annotation \"berth.dev/exit-code\" is ignored: \"300\" is not an exit code from 0 to 255",
            "annotation \"berth.dev/readiness\" is ignored: \"perhaps\" is neither \"ok\" nor \"fail\"",
            "annotation \"berth.dev/image\" is ignored: \"lost\" is neither \"missing\" nor \"present\"",
        ]
    );
}

#[test]
fn the_pods_of_a_job_end_unless_their_command_says_otherwise() {
    let mut job = pod(&[]);
    job.metadata.owner_references = Some(vec![OwnerReference {
        kind: "Job".to_owned(),
        controller: Some(true),
        ..OwnerReference::default()
    }]);
    let mut own = container("registry/worker:v1");
    assert_eq!(
        of(&job, &own, Known::Command, &mut Vec::new()).runs_ms,
        Some(5_000)
    );
    own.command = Some(["sleep", "infinity"].map(str::to_owned).to_vec());
    assert_eq!(
        of(&job, &own, Known::Command, &mut Vec::new()).runs_ms,
        None
    );
}

#[test]
fn a_server_runs_until_it_is_stopped_and_is_ready_by_its_probe_or_after_five_seconds() {
    let job = pod(&[]);
    let mut own = container("busybox");
    own.args = Some(vec!["exit 1".to_owned()]);
    let behavior = of(&job, &own, Known::Serves, &mut Vec::new());
    assert_eq!(behavior.runs_ms, None);
    let seen = [0, 4_999, 5_000].map(|at| *behavior.readiness.at(at).unwrap());
    assert_eq!(seen, [false, false, true]);
    own.readiness_probe = Some(Probe::default());
    let behavior = of(&job, &own, Known::Serves, &mut Vec::new());
    assert_eq!(behavior.readiness, Schedule::always(true));
    let behavior = of(&job, &own, Known::Unready, &mut Vec::new());
    assert_eq!(behavior.readiness, Schedule::always(false));
    let annotated = pod(&[("berth.dev/run-for", "3s")]);
    let behavior = of(&annotated, &own, Known::Serves, &mut Vec::new());
    assert_eq!(behavior.runs_ms, Some(3_000), "an annotation knows better");
}

#[test]
fn probes_that_ask_for_a_file_see_it_come_and_go() {
    let mut own = container("busybox");
    let script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600";
    own.args = Some(["/bin/sh", "-c", script].map(str::to_owned).to_vec());
    let exec = ExecAction {
        command: Some(["cat", "/tmp/healthy"].map(str::to_owned).to_vec()),
    };
    own.liveness_probe = Some(Probe {
        exec: Some(exec),
        ..Probe::default()
    });
    let behavior = of(&pod(&[]), &own, Known::Command, &mut Vec::new());
    let seen = [0, 29_999, 30_000].map(|at| *behavior.liveness.at(at).unwrap());
    assert_eq!(seen, [true, true, false]);
    assert_eq!(behavior.runs_ms, Some(630_000));
}

/// Whether a container is ready at its start if its probe runs this command.
fn is_ready(own: &Container, words: &[&str]) -> bool {
    let mut own = own.clone();
    own.readiness_probe = Some(Probe {
        exec: Some(ExecAction {
            command: Some(words.iter().map(|word| (*word).to_owned()).collect()),
        }),
        ..Probe::default()
    });
    let behavior = of(&pod(&[]), &own, Known::Command, &mut Vec::new());
    *behavior.readiness.at(0).unwrap()
}

#[test]
fn files_below_tmp_exist_only_if_created() {
    let own = container("nginx");
    for words in [
        &["cat", "/tmp/ready"][..],
        &["ls", "/tmp/ready"],
        &["test", "-f", "/tmp/ready"],
        &["/usr/bin/test", "-e", "/tmp/ready"],
        &["[", "-f", "/tmp/ready", "]"],
        &["sh", "-c", "cat /tmp/ready"],
        &["/bin/sh", "-c", "test -f /tmp/ready"],
        &["sh", "-c", "cat \"/tmp/ready\""],
        &["sh", "-c", "test -f '/tmp/ready'"],
        &["sh", "-c", "[ -f '/tmp/'ready ]"],
        &["sh", "-c", "cat /tmp/my\\ file"],
        &["sh", "-c", "\ncat /tmp/ready # created at the end\n"],
        &["sh", "-c", "cat /tmp/ready >/dev/null 2>&1"],
        // A shell does not run a script with a syntax error.
        &["sh", "-c", "cat '/etc/hosts"],
    ] {
        assert!(!is_ready(&own, words), "{words:?}");
    }
    // Probes whose result cannot be determined succeed.
    for words in [
        &["cat", "/usr/share/nginx/html/index.html"][..],
        &["test", "!", "-f", "/tmp/stop"],
        &["sh", "-c", "cat /tmp/a || true"],
        &["sh", "-c", "cat /tmp/a\ntrue"],
        &["sh", "-c", "cat \"/tmp/$NAME\""],
        &["sh", "-c", "cat $(cat /tmp/name)"],
        &["sh", "-c", "cat '/usr/share/my file'"],
        &["ls", "/tmp"],
        &["pg_isready"],
    ] {
        assert!(is_ready(&own, words), "{words:?}");
    }
    let mut mounted = own.clone();
    mounted.volume_mounts = Some(vec![VolumeMount {
        mount_path: "/tmp/".to_owned(),
        ..VolumeMount::default()
    }]);
    assert!(is_ready(&mounted, &["cat", "/tmp/ready"]));
    mounted.volume_mounts = Some(vec![VolumeMount {
        mount_path: "/tmp/data".to_owned(),
        ..VolumeMount::default()
    }]);
    assert!(is_ready(&mounted, &["cat", "/tmp/data/ready"]));
    assert!(!is_ready(&mounted, &["cat", "/tmp/database"]));
    for hook in [
        &["touch", "/tmp/ready"][..],
        &["sh", "-c", "touch /tmp/ready"],
    ] {
        let mut hooked = own.clone();
        hooked.lifecycle = Some(Lifecycle {
            post_start: Some(LifecycleHandler {
                exec: Some(ExecAction {
                    command: Some(hook.iter().map(|word| (*word).to_owned()).collect()),
                }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        });
        assert!(is_ready(&hooked, &["cat", "/tmp/ready"]), "{hook:?}");
    }
}
