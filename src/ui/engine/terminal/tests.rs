//! Tests the terminal through the host, as the page uses it.

#![allow(clippy::wildcard_enum_match_arm, reason = "tests look for one variant")]

use std::cell::RefCell;
use std::rc::Rc;

use super::{PRINTED_BYTES, shortened};
use crate::ui::engine::host::Host;
use berth_protocol::command::{Command, Control, Input, MatrixQuery, Mutation, Query, Run, Travel};
use berth_protocol::happening::{Ending, Happening, What};
use berth_protocol::page::{Patch, Update};
use berth_protocol::terminal::{OpenRequest, Printed};
use berth_session::terminal::Output;
use berth_session::{Options, Session};

const NODE: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
";

fn opened() -> Host {
    let mut host = Host::new();
    let text = NODE.to_owned();
    host.handle(Command::Mutate(Mutation::Open { text }));
    host
}

/// The output, and the last patch if there was one.
fn run(host: &mut Host, line: &str) -> (Printed, Option<Patch>) {
    let line = line.to_owned();
    answers(host.handle(Command::Mutate(Mutation::Terminal(Input::Line { line }))))
}

fn answers(updates: Vec<Update>) -> (Printed, Option<Patch>) {
    let mut last = None;
    let mut printed = None;
    for update in updates {
        match update {
            Update::Printed(output) => printed = Some(*output),
            Update::Patch(patch) => last = Some(*patch),
            _ => {}
        }
    }
    (printed.expect("every line is answered"), last)
}

fn patched(updates: Vec<Update>) -> Option<Patch> {
    let mut patches = updates.into_iter().filter_map(|update| match update {
        Update::Patch(patch) => Some(*patch),
        _ => None,
    });
    patches.next_back()
}

#[test]
fn a_command_starts_the_simulation_and_reports_its_time() {
    let mut host = opened();
    let (printed, patch) = run(&mut host, "kubectl create deployment web --image=nginx");
    assert_eq!(printed.text(false), "deployment.apps/web created\n");
    assert_eq!(printed.code, 0);
    let patch = patch.expect("the cluster changed");
    assert_eq!((patch.head.position, patch.head.now_ms), (2, Some(0)));
    let mut last = patch;
    for _ in 0..100 {
        if last.head.finished {
            break;
        }
        last = patched(host.handle(Command::Travel(Travel::Step))).expect("a step forwards");
    }
    assert!(
        last.head.finished && last.head.now_ms > Some(0),
        "{:?}",
        last.head.now_ms
    );
    let is_bound = |happening: &Happening| match &happening.what {
        What::Attempt(attempted) => {
            matches!(&attempted.ending, Ending::Bound { node } if node == "node-a")
        }
        _ => false,
    };
    let happened = &last.head.happened;
    assert!(happened.iter().any(is_bound), "{happened:?}");
    // The page shows what happened before this moment.
    let seek = Command::Travel(Travel::Seek { position: 1 });
    let first = patched(host.handle(seek)).expect("another moment");
    let happened = &first.head.happened;
    assert!(!happened.iter().any(is_bound), "{happened:?}");
}

#[test]
fn reading_changes_nothing_and_an_incomplete_line_continues() {
    let mut host = opened();
    host.handle(Command::Mutate(Mutation::Live(true)));
    let (printed, patch) = run(&mut host, "kubectl get nodes");
    assert!(
        printed.text(false).contains("node-a"),
        "{}",
        printed.text(false)
    );
    assert_eq!(patch, None);
    let (printed, patch) = run(&mut host, "for n in 1 2; do");
    assert!(printed.goes_on && patch.is_none());
    let (printed, _) = run(&mut host, "for n in 1 2; do\necho $n; done");
    assert_eq!(printed.text(false), "1\n2\n");
    let (printed, _) = run(&mut host, "kubectl gett pods");
    assert!(printed.text(true).contains("gett") && printed.code != 0);
}

#[test]
fn an_object_is_edited_and_written_back() {
    let mut host = opened();
    run(&mut host, "kubectl create deployment web --image=nginx");
    let (printed, _) = run(&mut host, "kubectl edit deployment web");
    let asked = printed.open.expect("something to edit");
    assert_eq!(asked.title(), "Deployment web");
    let text = asked.text().replace("replicas: 1", "replicas: 3");
    assert_ne!(text, asked.text());
    let (printed, patch) = answers(host.handle(Command::Mutate(Mutation::Terminal(
        Input::Edited { asked, text },
    ))));
    assert_eq!(printed.text(false), "deployment.apps/web edited\n");
    assert!(patch.is_some());
    let (printed, _) = run(&mut host, "vi notes.txt");
    assert!(matches!(printed.open, Some(OpenRequest::File { .. })));
}

#[test]
fn completion_works_before_the_simulation_starts() {
    let mut host = opened();
    let line = "kubectl describe node no".to_owned();
    let cursor = line.len();
    let updates = host.handle(Command::Ask(Query::Complete { line, cursor }));
    let [Update::Completions { words, .. }] = &updates[..] else {
        panic!("{updates:?}");
    };
    assert_eq!(words, &["node-a"]);
}

#[test]
fn long_output_is_cut_at_the_end_of_a_line() {
    let line = "a line of text\n";
    let text = line.repeat(5_000);
    let parts = shortened(&Output::text(text));
    let [short, rest] = parts.as_slice() else {
        panic!("{}", parts.len());
    };
    assert!(short.text.len() <= PRINTED_BYTES);
    let kept = short.text.lines().count();
    assert_eq!(rest.text, format!("… {} more lines\n", 5_000 - kept));
    let [whole] = &shortened(&Output::text(line))[..] else {
        panic!("one part");
    };
    assert_eq!(whole.text, line);
}

/// Runs the host until it is idle; returns the output and the number of patches.
fn work(host: &mut Host) -> (String, usize) {
    let (mut printed, mut patches) = (String::new(), 0);
    while host.is_running() {
        for update in host.work() {
            match update {
                Update::Printed(more) => printed.push_str(&more.text(false)),
                Update::Patch(_) => patches += 1,
                _ => {}
            }
        }
        host.handle(Command::Control(Control::Drawn));
    }
    (printed, patches)
}

#[test]
fn a_waiting_command_reports_every_moment() {
    let mut host = opened();
    run(
        &mut host,
        "kubectl create deployment web --image=nginx --replicas=3",
    );
    let (printed, _) = run(&mut host, "kubectl rollout status deployment/web");
    assert!(printed.waits && host.is_running());
    let (text, patches) = work(&mut host);
    assert!(text.ends_with("successfully rolled out\n"), "{text}");
    assert!(patches > 3, "{patches}");
    let (printed, _) = run(&mut host, "echo $?");
    assert_eq!(printed.text(false), "0\n");
}

#[test]
fn ctrl_c_and_every_change_end_a_waiting_command() {
    let mut host = opened();
    assert!(host.handle(Command::Run(Run::Interrupt)).is_empty());
    for (number, command) in [
        Command::Run(Run::Interrupt),
        Command::Run(Run::Pause),
        Command::Travel(Travel::Step),
        Command::Mutate(Mutation::Undo),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("web-{number}");
        run(
            &mut host,
            &format!("kubectl create deployment {name} --image=nginx"),
        );
        let (printed, _) = run(&mut host, "kubectl get pods -w");
        assert!(printed.waits);
        host.work();
        let (printed, _) = answers(host.handle(command.clone()));
        assert_eq!(
            (printed.text(false).as_str(), printed.code),
            ("^C\n", 130),
            "{command:?}"
        );
        assert!(!printed.waits && !host.is_running());
        let (printed, _) = run(&mut host, "echo next");
        assert_eq!(printed.text(false), "next\n");
    }
}

#[test]
fn queries_do_not_end_a_waiting_command() {
    let mut host = opened();
    run(&mut host, "kubectl create deployment web --image=nginx");
    run(&mut host, "kubectl rollout status deployment/web");
    let line = "kubectl get no".to_owned();
    let cursor = line.len();
    host.handle(Command::Ask(Query::Complete { line, cursor }));
    host.handle(Command::Ask(Query::Matrix(MatrixQuery::default())));
    host.handle(Command::Run(Run::ToEnd));
    assert!(host.is_running());
    assert!(work(&mut host).0.ends_with("successfully rolled out\n"));
}

#[test]
fn a_mirrored_session_waits_to_the_reported_position() {
    let commands = |line: &str| {
        Command::Mutate(Mutation::Terminal(Input::Line {
            line: line.to_owned(),
        }))
    };
    let session = Rc::new(RefCell::new(Session::new(Options::default())));
    let mut follower = Host::of(Rc::clone(&session));
    let mut host = opened();
    follower.carry_out(Command::Mutate(Mutation::Open {
        text: NODE.to_owned(),
    }));
    for line in [
        "kubectl create deployment web --image=nginx --replicas=2",
        "kubectl rollout status deployment/web",
        "kubectl drain node-a --ignore-daemonsets",
    ] {
        host.handle(commands(line));
        follower.carry_out(commands(line));
        let mut last = None;
        // A drain of the only node never ends, so each command gets ten moments.
        for _ in 0..10 {
            last = patched(host.work()).or(last);
            host.handle(Command::Control(Control::Drawn));
        }
        last = patched(host.handle(Command::Run(Run::Pause))).or(last);
        if let Some(patch) = last {
            follower.carry_out(Command::Travel(Travel::Seek {
                position: patch.head.position,
            }));
            assert_eq!(session.borrow().digest(), patch.head.digest, "{line}");
        }
    }
    let (printed, patch) = run(&mut host, "kubectl uncordon node-a");
    assert_eq!(printed.code, 0);
    follower.carry_out(commands("kubectl uncordon node-a"));
    assert_eq!(
        session.borrow().digest(),
        patch.expect("a change").head.digest
    );
}

#[test]
fn standard_error_stays_where_it_was_printed() {
    let mut host = opened();
    let (printed, _) = run(
        &mut host,
        "echo one; kubectl get pod none; echo two; kubectl gett; echo three",
    );
    let parts: Vec<(bool, &str)> = printed
        .parts
        .iter()
        .map(|part| (part.is_error, part.text.lines().next().unwrap_or_default()))
        .collect();
    let [
        (false, "one"),
        (true, missing),
        (false, "two"),
        (true, verb),
        (false, "three"),
    ] = parts.as_slice()
    else {
        panic!("{parts:?}");
    };
    assert!(
        missing.contains("NotFound") && verb.contains("gett"),
        "{parts:?}"
    );
}
