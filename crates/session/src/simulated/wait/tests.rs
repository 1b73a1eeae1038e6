//! Waiting lines, run piece by piece.

use crate::session::{Clock, Options, Session};
use crate::terminal::open;
use crate::testing::{alone, simulated, two_nodes};
use crate::{explain, fork, frame};
use berth_core::api::source::SourceFile;
use berth_kubectl::Output;
use berth_protocol::due::DueKind;

const CLUSTER: &str = concat!(
    two_nodes!(),
    "---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{name: web, image: 'nginx:1.24', resources: {requests: {cpu: 100m}}}]
"
);

fn session() -> Session {
    simulated(CLUSTER)
}

/// Runs a line in pieces of `steps` steps.
fn in_pieces(session: &mut Session, line: &str, steps: usize) -> Output {
    let mut output = crate::simulated::begin(session, line);
    while let Some(more) = crate::simulated::wait_on(session, steps) {
        let code = more.code;
        output = output.and(more);
        output.code = code;
    }
    output
}

const LINES: [&str; 7] = [
    "kubectl rollout status deployment/web",
    "kubectl set image deployment/web web=nginx:1.25",
    "kubectl get pods -w",
    "kubectl drain node-a --ignore-daemonsets && echo drained; kubectl get pods -o wide",
    "kubectl delete pod -l app=web; sleep 3",
    "kubectl wait --for=condition=Available deployment/web --timeout=60s",
    "kubectl wait --for=delete node/node-b deployment/web --timeout=5s || echo failed $?",
];

#[test]
fn pieces_of_any_size_give_the_same_log_and_output() {
    let whole: Vec<(Output, usize, String)> = {
        let mut session = session();
        let all = LINES.iter().map(|line| {
            let output = crate::simulated::command(&mut session, line);
            (output, session.position(), session.digest())
        });
        all.collect()
    };
    for steps in [1, 3] {
        let mut session = session();
        for (line, (output, position, digest)) in LINES.iter().zip(&whole) {
            let seen = in_pieces(&mut session, line, steps);
            assert_eq!(&seen, output, "{line}");
            assert_eq!((session.position(), &session.digest()), (*position, digest));
        }
    }
}

#[test]
fn the_output_equals_that_of_the_command_line() {
    let files = [SourceFile::new("test.yaml", CLUSTER)];
    let opened = open(&files, None, Options::default());
    let mut terminal = opened.terminal.expect("the scheduler starts");
    let mut session = session();
    for line in LINES {
        // The lines of a script follow one another at once.
        let here = session.by_clock(Clock::V0_1, |session| {
            crate::simulated::command(session, line)
        });
        let there = terminal.run(line);
        let now = session.simulated_cluster().map(|it| it.elapsed_ms());
        assert_eq!(now, Some(terminal.elapsed_ms()), "{line}");
        assert_eq!(here.stderr, there.stderr, "{line}");
        if line.contains("-w") || line.contains("-o wide") {
            // The scheduler's attempts are steps, so the first rows show an earlier moment. Names are drawn, and
            // the rows are in their order.
            assert_eq!(columns(&here), columns(&there), "{line}");
        } else {
            assert_eq!(unnamed(&here), unnamed(&there), "{line}");
        }
    }
}

/// The output without the drawn names of Pods.
fn unnamed(output: &Output) -> String {
    let words = output
        .stdout
        .split(' ')
        .map(|word| word.split("web-").next().unwrap_or(word));
    words.collect::<Vec<&str>>().join(" ")
}

/// Readiness and phase of the last three rows, sorted.
fn columns(output: &Output) -> Vec<Vec<&str>> {
    let rows = output.stdout.trim_end().rsplit('\n').take(3);
    let mut rows: Vec<Vec<&str>> = rows
        .map(|row| row.split_whitespace().skip(1).take(2).collect())
        .collect();
    rows.sort();
    rows
}

#[test]
fn every_moment_of_a_wait_is_a_position_to_return_to() {
    let mut session = session();
    let output = crate::simulated::command(&mut session, "kubectl rollout status deployment/web");
    assert!(output.stdout.ends_with("successfully rolled out\n"));
    assert_eq!(session.attempts().count(), 3, "each is seen");
    for (position, attempt) in session.attempts() {
        let cycle = explain::attempt(&session, position).expect("it can be explained");
        assert!(attempt.agrees_with(&cycle));
    }
    crate::simulated::command(&mut session, "sleep 100");
    let end = session.position();
    let mut digests = Vec::new();
    for position in 0..=end {
        session.seek(position);
        digests.push(session.digest());
    }
    session.reset();
    for (position, digest) in digests.iter().enumerate() {
        assert_eq!(&session.digest(), digest, "at {position}");
        session.step();
    }
}

#[test]
fn a_line_is_undone_with_its_whole_wait() {
    let mut session = session();
    session.run_to_end();
    let (before, digest) = (session.position(), session.digest());
    crate::simulated::command(
        &mut session,
        "kubectl delete pod -l app=web && kubectl scale deployment web --replicas=1",
    );
    assert!(session.position() > before + 2);
    assert!(session.undo());
    assert_eq!((session.position(), session.digest()), (before, digest));
}

#[test]
fn a_wait_for_a_condition_that_holds_changes_nothing() {
    let mut session = session();
    session.run_to_end();
    let (end, half) = (session.log().len(), session.position() / 2);
    crate::simulated::command(
        &mut session,
        "kubectl rollout status deployment/web && name=web",
    );
    assert_eq!(session.log().len(), end);
    assert_eq!(
        crate::simulated::command(&mut session, "echo $name").stdout,
        "web\n"
    );
    session.seek(half);
    crate::simulated::command(
        &mut session,
        "kubectl wait --for=jsonpath='{.metadata.name}'=web deployment/web",
    );
    assert_eq!((session.position(), session.log().len()), (half, end));
    assert!(fork::frame(&session).is_none());
}

#[test]
fn ctrl_c_stops_at_once_and_time_continues_from_there() {
    let mut session = session();
    crate::simulated::begin(&mut session, "kubectl get pods -w; echo never");
    let mut seen = String::new();
    for _ in 0..5 {
        seen += &crate::simulated::wait_on(&mut session, 1)
            .expect("it waits")
            .stdout;
    }
    assert!(crate::simulated::waits(&session));
    let position = session.position();
    assert_eq!(position, 5);
    let stopped = crate::simulated::interrupt(&mut session).expect("it waited");
    assert_eq!((stopped.stdout.as_str(), stopped.code), ("^C\n", 130));
    assert!(
        !crate::simulated::waits(&session) && crate::simulated::wait_on(&mut session, 1).is_none()
    );
    assert!(crate::simulated::interrupt(&mut session).is_none());
    assert_eq!(
        crate::simulated::command(&mut session, "echo $?").stdout,
        "130\n"
    );
    assert_eq!(session.position(), position);
    let digest = session.digest();
    session.run_to_end();
    session.seek(position);
    assert_eq!(session.digest(), digest);
    session.run_to_end();
    let pods = crate::simulated::command(&mut session, "kubectl get pods").stdout;
    assert_eq!(pods.matches("Running").count(), 3, "{pods}");
}

#[test]
fn leaving_the_position_ends_a_wait() {
    let mut session = session();
    crate::simulated::begin(&mut session, "sleep 1000");
    crate::simulated::wait_on(&mut session, 3);
    assert!(crate::simulated::waits(&session));
    session.step_back();
    assert!(!crate::simulated::waits(&session));
    assert!(crate::simulated::wait_on(&mut session, 1).is_none());
}

#[test]
fn a_wait_within_a_pipeline_or_a_loop_is_played_at_once() {
    let mut session = session();
    let output = crate::simulated::begin(
        &mut session,
        "kubectl rollout status deployment/web | tail -n 1",
    );
    assert!(!crate::simulated::waits(&session));
    assert!(output.stdout.ends_with("successfully rolled out\n"));
    crate::simulated::begin(&mut session, "for n in 1 2; do sleep 1; done");
    assert!(!crate::simulated::waits(&session));
    crate::simulated::begin(&mut session, "test -n \"$(sleep 1; echo x)\" && sleep 1");
    assert!(crate::simulated::waits(&session));
    let end = crate::simulated::wait_on(&mut session, usize::MAX).expect("it waited");
    assert_eq!(end.code, 0);
}

#[test]
fn a_wait_tells_when_it_began_and_ends() {
    let mut session = session();
    crate::simulated::command(&mut session, "sleep 10");
    assert_eq!(crate::simulated::wait_span_ms(&session), None);
    let began = frame::build(&session).now_ms.expect("time passes");
    crate::simulated::begin(&mut session, "sleep 7200");
    crate::simulated::wait_on(&mut session, 1);
    let (from, until) = crate::simulated::wait_span_ms(&session).expect("it waits");
    assert!(from >= began, "{from} before {began}");
    assert_eq!(until - from, 7_200_000);
    crate::simulated::interrupt(&mut session);
    assert_eq!(crate::simulated::wait_span_ms(&session), None);
}

const REPORT: &str = concat!(
    two_nodes!(),
    "---
apiVersion: v1
kind: Pod
metadata: {name: report}
spec:
  nodeName: node-a
  tolerations: [{key: upgrade, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
  containers: [{name: report, image: nginx}]
---
apiVersion: v1
kind: Pod
metadata: {name: waits}
spec:
  nodeSelector: {disk: ssd}
  containers: [{name: waits, image: nginx}]
"
);

fn now(session: &Session) -> i64 {
    session.simulated_cluster().map_or(0, |it| it.elapsed_ms())
}

/// The kind of what is due next, what it concerns, and in how many seconds.
fn due(session: &Session) -> (DueKind, &str, i64) {
    let due = crate::simulated::due(session).expect("something is due");
    (due.kind, &due.object, (due.at_ms - now(session)) / 1000)
}

#[test]
fn the_clock_waits_for_an_eviction_and_a_sleep_takes_its_time() {
    let mut session = simulated(REPORT);
    crate::simulated::command(
        &mut session,
        "kubectl run other --image=nginx --overrides='{\"spec\":{\"nodeName\":\"node-b\"}}'",
    );
    let started = now(&session);
    assert!(
        (1_000..5_000).contains(&started),
        "{started}: the container has started"
    );
    assert_eq!(due(&session).0, DueKind::Flush);
    crate::simulated::command(
        &mut session,
        "kubectl taint node node-a upgrade=now:NoExecute",
    );
    let tainted = now(&session);
    assert!(tainted <= started + 10_000, "{tainted}");
    let (kind, pod, _) = due(&session);
    assert_eq!((kind, pod), (DueKind::Eviction, "default/report"));
    crate::simulated::command(&mut session, "kubectl get pods");
    assert_eq!(now(&session), tainted, "to look takes no time");
    crate::simulated::command(&mut session, "sleep 30");
    assert_eq!(now(&session), tainted + 30_000);
    let left = crate::simulated::command(&mut session, "kubectl get pods").stdout;
    assert!(left.contains("report"), "{left}");
    let (_, _, seconds) = due(&session);
    crate::simulated::command(&mut session, &format!("sleep {}", seconds + 1));
    let left = crate::simulated::command(&mut session, "kubectl get pods report").stdout;
    assert!(left.is_empty() || left.contains("Terminating"), "{left}");
}

#[test]
fn the_queues_flush_is_due_and_can_be_gone_to() {
    let mut session = simulated(REPORT);
    crate::simulated::command(&mut session, "kubectl run other --image=nginx");
    let tries = |session: &Session| {
        let all = session.attempts();
        all.filter(|(_, attempt)| attempt.key == "default/waits")
            .count()
    };
    assert_eq!(tries(&session), 1);
    let (kind, _, seconds) = due(&session);
    assert_eq!(kind, DueKind::Flush);
    assert_eq!(now(&session) + seconds * 1000, 330_000, "05:30");
    crate::simulated::command(&mut session, &format!("sleep {seconds}"));
    assert_eq!((now(&session), tries(&session)), (330_000, 2));
}

#[test]
fn an_autoscalers_sync_does_not_move_the_clock() {
    let mut session = simulated(CLUSTER);
    crate::simulated::command(&mut session, "kubectl rollout status deployment/web");
    crate::simulated::command(
        &mut session,
        "kubectl autoscale deployment web --cpu=50% --max=5",
    );
    let created = now(&session);
    assert_eq!(
        due(&session),
        (DueKind::Sync, "default/web", 15),
        "at rest since {created}"
    );
    crate::simulated::command(
        &mut session,
        "sleep 8; kubectl annotate pods -l app=web berth.dev/cpu=80m",
    );
    assert_eq!(
        now(&session),
        created + 8_000,
        "a sync is due in seven seconds"
    );
    // Time goes on to what follows from a change, past the sync.
    crate::simulated::command(&mut session, "sleep 6");
    crate::simulated::begin(&mut session, "kubectl scale deployment web --replicas=4");
    let mut kinds = Vec::new();
    loop {
        kinds.extend(crate::simulated::due(&session).map(|due| due.kind));
        if crate::simulated::wait_on(&mut session, 1).is_none() {
            break;
        }
    }
    let (last, before) = kinds.split_last().expect("something is due");
    assert_eq!(*last, DueKind::Sync);
    assert!(
        before.iter().all(|kind| *kind == DueKind::Work),
        "{kinds:?}"
    );
    let passed = now(&session) - created;
    assert!((15_000..17_000).contains(&passed), "{passed}");
    crate::simulated::command(&mut session, "sleep 5");
    let pods = crate::simulated::command(&mut session, "kubectl get hpa --no-headers").stdout;
    assert!(pods.contains("cpu: 80%/50%"), "{pods}");
}

#[test]
fn the_clock_waits_for_a_containers_backoff() {
    let mut session = simulated(two_nodes!());
    crate::simulated::command(
        &mut session,
        "kubectl run crash --image=busybox -- sh -c 'exit 1'",
    );
    let (kind, pod, seconds) = due(&session);
    assert_eq!((kind, pod), (DueKind::Backoff, "default/crash"));
    assert!(seconds >= 5, "{seconds}");
    let pods = crate::simulated::command(&mut session, "kubectl get pods").stdout;
    assert!(pods.contains("CrashLoopBackOff"), "{pods}");
}

#[test]
fn by_the_clock_of_version_0_1_a_line_ends_with_its_commands() {
    let mut session = simulated(two_nodes!());
    alone(&mut session, "kubectl run web --image=nginx");
    assert_eq!((now(&session), session.position()), (0, 1));
    assert!(!crate::simulated::waits(&session));
    let mut again = simulated(two_nodes!());
    crate::simulated::command(&mut again, "kubectl run web --image=nginx");
    // The steps that follow lead to the same state.
    session.advance(again.position() - 1);
    assert_eq!(session.digest(), again.digest());
}

#[test]
fn rest_comes_in_pieces_and_ends_when_something_else_is_done() {
    let mut session = simulated(two_nodes!());
    crate::simulated::begin(&mut session, "kubectl run web --image=nginx");
    assert!(
        crate::simulated::waits(&session),
        "the cluster is not at rest"
    );
    assert_eq!(
        crate::simulated::wait_on(&mut session, 1).map(|it| it.code),
        Some(0)
    );
    let output = crate::simulated::interrupt(&mut session).expect("it was not at rest");
    assert!(output.stdout.is_empty(), "nothing ran");
    assert!(
        !crate::simulated::waits(&session) && crate::simulated::wait_on(&mut session, 1).is_none()
    );
    let failed = crate::simulated::command(
        &mut session,
        "kubectl run db --image=nginx && kubectl get pod nowhere",
    );
    assert_eq!(failed.code, 1, "the code is the line's");
}
