#![allow(clippy::wildcard_enum_match_arm, reason = "tests look for one variant")]

use super::Host;
use crate::ui::engine::FILE_NAME;
use crate::ui::engine::changes::AT_ONCE;
use berth_protocol::command::{
    Command, Control, MatrixQuery, Mutation, Query, Run, Subject, Travel,
};
use berth_protocol::page::Update;
use berth_protocol::what_if::{Answered, Asking};
use berth_protocol::work::{Amount, Task, Work};
use berth_session::{Options, Session, SourceFile, explain};

fn text(nodes: usize, pods: usize) -> String {
    let node = |number: usize| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n-{number}}}\n\
             status: {{allocatable: {{cpu: '8', memory: 64Gi, pods: '110'}}}}\n---\n"
        )
    };
    let pod = |number: usize| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p-{number}}}\n\
             spec: {{containers: [{{name: a, image: a}}]}}\n---\n"
        )
    };
    (0..nodes).map(node).chain((0..pods).map(pod)).collect()
}

fn opened(nodes: usize, pods: usize) -> (Host, Vec<Update>) {
    let mut host = Host::new();
    let text = text(nodes, pods);
    let updates = host.handle(Command::Mutate(Mutation::Open { text }));
    (host, updates)
}

/// The digest of a session that makes the same steps without slices.
fn digest(text: &str, steps: impl FnOnce(&mut Session)) -> String {
    let mut session = Session::new(Options::default());
    session.apply(&[SourceFile::new(FILE_NAME, text)]);
    steps(&mut session);
    session.digest()
}

fn digest_of(updates: &[Update]) -> Option<&str> {
    let mut patches = updates.iter().filter_map(|update| match update {
        Update::Patch(patch) => Some(patch.head.digest.as_str()),
        _ => None,
    });
    patches.next_back()
}

fn work_on(host: &mut Host) -> Vec<Update> {
    let mut last = Vec::new();
    while host.is_running() {
        let updates = host.work();
        if position(&updates).is_some() {
            last = updates;
        }
        host.handle(Command::Control(Control::Drawn));
    }
    last
}

fn position(updates: &[Update]) -> Option<usize> {
    let mut patches = updates.iter().filter_map(|update| match update {
        Update::Patch(patch) => Some(patch.head.position),
        _ => None,
    });
    patches.next_back()
}

#[test]
fn a_text_is_sent_only_to_a_page_that_lacks_it() {
    let (mut host, updates) = opened(1, 1);
    let tells = |updates: &[Update]| {
        let is_text = |update: &Update| matches!(update, Update::Sources { .. });
        updates.iter().any(is_text)
    };
    assert!(position(&updates).is_some() && !tells(&updates));
    let text = text(2, 1);
    let goes_on = false;
    assert!(!tells(
        &host.handle(Command::Mutate(Mutation::Type { text, goes_on }))
    ));
    assert!(tells(&host.handle(Command::Mutate(Mutation::Undo))));
}

#[test]
fn a_run_sends_an_update_once_the_last_is_acknowledged() {
    let pods = 4000;
    let (mut host, _) = opened(100, pods);
    host.handle(Command::Run(Run::ToEnd));
    let mut positions = Vec::new();
    let mut slices = 0;
    while host.is_running() {
        slices += 1;
        let updates = host.work();
        let Some(position) = position(&updates) else {
            continue;
        };
        positions.push(position);
        if positions.len() < 3 {
            host.handle(Command::Control(Control::Drawn));
        }
    }
    // The third update is not acknowledged, so only the final one follows.
    assert_eq!(positions.len(), 4, "{positions:?} in {slices} slices");
    assert_eq!(positions[3], pods);
    assert!(positions[2] < pods / 2, "{positions:?}");
    // The next run sends updates again.
    host.handle(Command::Travel(Travel::Reset));
    host.handle(Command::Run(Run::ToEnd));
    let mut first = Vec::new();
    while host.is_running() && first.is_empty() {
        first = host.work();
    }
    assert!(position(&first).is_some_and(|position| position < pods));
}

/// The manifests with a scheduler configuration.
fn configured(text: &str, weight: u32) -> String {
    format!(
        "{text}apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\
         profiles:\n- plugins: {{score: {{enabled: [{{name: ImageLocality, weight: {weight}}}]}}}}\n"
    )
}

#[test]
fn a_changed_configuration_reruns_in_slices() {
    let (nodes, pods) = (10, 1100);
    let (mut host, _) = opened(nodes, pods);
    host.handle(Command::Run(Run::ToEnd));
    work_on(&mut host);
    let (first, second) = (
        configured(&text(nodes, pods), 5),
        configured(&text(nodes, pods), 6),
    );
    let edited = |text: &str| [SourceFile::new(FILE_NAME, text)];
    let typed = |text: &str| {
        Command::Mutate(Mutation::Type {
            text: text.to_owned(),
            goes_on: false,
        })
    };
    let whole = digest(&text(nodes, pods), |session| {
        session.run_to_end();
        session.edit(&edited(&first), false);
        session.edit(&edited(&second), false);
    });

    let begun = host.handle(typed(&first));
    assert_eq!(position(&begun), Some(AT_ONCE.1));
    assert!(begun.contains(&Update::Running { running: true }));
    // The host answers queries during the rerun, and continues it.
    let explained = host.handle(Command::Ask(Query::Matrix(MatrixQuery::default())));
    assert!(matches!(&explained[..], [Update::Explained(_)]));
    // Another change during the rerun: the target is still the position before both changes.
    host.handle(typed(&second));
    assert!(host.is_running());
    let last = work_on(&mut host);
    assert_eq!(
        (position(&last), digest_of(&last)),
        (Some(pods), Some(&*whole))
    );

    // An edit that needs the whole run completes it first.
    host.handle(typed(&first));
    let grown = second.replace("name: n-0", "name: n-x");
    let updates = host.handle(typed(&grown.replace("weight: 6", "weight: 5")));
    let whole = digest(&text(nodes, pods), |session| {
        session.run_to_end();
        for text in [&first, &second, &first] {
            session.edit(&edited(text), false);
        }
        session.edit(&edited(&grown.replace("weight: 6", "weight: 5")), false);
    });
    assert_eq!(digest_of(&updates), Some(&*whole));

    // A move during the rerun ends it.
    host.handle(typed(&second));
    let updates = host.handle(Command::Travel(Travel::Reset));
    assert_eq!(position(&updates), Some(0));
    assert!(!updates.contains(&Update::Running { running: true }));
    // The fork is tried aside from the run.
    host.work();
    assert_eq!(host.session.borrow().position(), 0);
}

#[test]
fn an_explanation_is_remembered_until_its_attempt_is_another() {
    let (mut host, _) = opened(2, 2);
    let at = 1;
    let nodes_of = |host: &mut Host, filter: &str| {
        let query = MatrixQuery {
            subject: Subject::Attempt(at),
            filter: filter.to_owned(),
            ..MatrixQuery::default()
        };
        let updates = host.handle(Command::Ask(Query::Matrix(query)));
        let Some(Update::Explained(explained)) = updates.into_iter().next() else {
            panic!("a query for the matrix is answered with an explanation");
        };
        let cycle = explained.result.expect("the attempt was made");
        assert_eq!(
            cycle.pod,
            explain::attempt(&host.session.borrow(), at).unwrap().pod
        );
        explained.rows.matching
    };
    host.handle(Command::Run(Run::ToEnd));
    work_on(&mut host);
    assert_eq!(nodes_of(&mut host, ""), 2);
    assert_eq!(nodes_of(&mut host, "n-1"), 1);
    assert_eq!(nodes_of(&mut host, ""), 2);
    host.handle(Command::Travel(Travel::Reset));
    host.handle(Command::Mutate(Mutation::Type {
        text: text(1, 2).replace("p-1", "other"),
        goes_on: false,
    }));
    host.handle(Command::Run(Run::ToEnd));
    work_on(&mut host);
    assert_eq!(nodes_of(&mut host, ""), 1);
}

#[test]
fn without_a_file_the_text_is_empty() {
    let mut host = Host::new();
    let typed = Command::Mutate(Mutation::Type {
        text: text(1, 0),
        goes_on: false,
    });
    host.handle(typed);
    let updates = host.handle(Command::Mutate(Mutation::Undo));
    let is_empty = |update: &Update| matches!(update, Update::Sources { text } if text.is_empty());
    assert!(updates.iter().any(is_empty));
}

#[test]
fn a_comment_can_be_undone() {
    let (mut host, _) = opened(1, 1);
    let text = format!("# A comment\n{}", text(1, 1));
    let goes_on = false;
    let updates = host.handle(Command::Mutate(Mutation::Type { text, goes_on }));
    let patches = updates.iter().filter_map(|update| match update {
        Update::Patch(patch) => Some(patch.head.undo),
        _ => None,
    });
    assert_eq!(patches.collect::<Vec<_>>(), [1]);
}

#[test]
fn a_run_says_how_far_it_is_and_stops() {
    let pods = 400;
    let (mut host, _) = opened(10, pods);
    assert_eq!(host.under_way(), None);
    host.handle(Command::Run(Run::ToEnd));
    host.work();
    let work = host.under_way().expect("a run goes on");
    let Amount::Attempts { done, all } = work.amount else {
        panic!("{work:?}");
    };
    assert_eq!((work.task, all), (Task::Run, pods));
    assert!(done > 0 && done < pods);
    let updates = host.handle(Command::Run(Run::Stop));
    assert_eq!(position(&updates), Some(done));
    assert!(!host.is_running() && host.under_way().is_none());
}

#[test]
fn a_search_and_a_trial_of_the_fork_stop() {
    let (mut host, _) = opened(1, 3);
    let huge = text(1, 3).replace(
        "name: a, image: a",
        "name: a, image: a, resources: {requests: {cpu: '99'}}",
    );
    host.handle(Command::Mutate(Mutation::Open { text: huge.clone() }));
    host.handle(Command::Run(Run::ToEnd));
    work_on(&mut host);
    host.handle(Command::Ask(Query::Fix { position: 0 }));
    let task = |host: &Host| host.under_way().map(|work| work.task);
    assert_eq!(task(&host), Some(Task::Fixes));
    host.handle(Command::Run(Run::Stop));
    assert!(!host.is_running());
    let positions = vec![0, 1, 2];
    host.handle(Command::Ask(Query::Nearest { positions }));
    assert_eq!(task(&host), Some(Task::Nearest));
    host.handle(Command::Run(Run::Stop));
    assert!(!host.is_running());
    // An edit of the past makes a fork.
    host.handle(Command::Travel(Travel::Seek { position: 1 }));
    host.handle(Command::Mutate(Mutation::Type {
        text: huge.replace("'99'", "'98'"),
        goes_on: false,
    }));
    while task(&host) == Some(Task::Run) {
        host.work();
    }
    assert_eq!(task(&host), Some(Task::Fork));
    host.handle(Command::Run(Run::Stop));
    assert!(!host.is_running());
}

#[test]
fn a_what_if_is_answered_at_its_end_or_where_it_is_stopped() {
    let answer = |updates: Vec<Update>| {
        updates.into_iter().find_map(|update| match update {
            Update::Answered(answer) => Some(*answer.0),
            _ => None,
        })
    };
    let (mut host, _) = opened(3, 30);
    work_on(&mut host);
    let asking = Asking::LoseEach { label: None };
    let ask = || Command::Ask(Query::WhatIf(asking.clone()));
    assert_eq!(answer(host.handle(ask())), None, "it is played first");
    assert!(matches!(
        host.under_way(),
        Some(Work {
            task: Task::WhatIf,
            amount: Amount::Plays { done: 0, all: 4 },
        })
    ));
    let mut updates = Vec::new();
    while host.is_running() {
        updates.extend(host.work());
    }
    let answered = answer(updates).expect("is answered");
    assert_eq!(answered.asking, asking);
    assert!(matches!(&answered.answer, Ok(Answered::Losses(all)) if all.losses.len() == 3));
    // Stopped after the first loss, it tells of that one.
    host.handle(ask());
    while let Some(Work {
        amount: Amount::Plays { done: 0 | 1, .. },
        ..
    }) = host.under_way()
    {
        host.work();
    }
    let stopped = answer(host.handle(Command::Run(Run::Stop))).expect("is answered");
    assert!(matches!(&stopped.answer, Ok(Answered::Losses(all)) if all.losses.len() == 1));
    assert!(!host.is_running());
    let asking = Asking::Fit {
        workload: "none".to_owned(),
    };
    let refused = answer(host.handle(Command::Ask(Query::WhatIf(asking)))).expect("is refused");
    assert!(refused.answer.is_err());
}

#[test]
fn drains_are_played_and_answered_like_other_what_ifs() {
    let answered = |asking: Asking| {
        let (mut host, _) = opened(3, 6);
        work_on(&mut host);
        let mut updates = host.handle(Command::Ask(Query::WhatIf(asking)));
        while host.is_running() {
            updates.extend(host.work());
        }
        let mut answers = updates.into_iter().filter_map(|update| match update {
            Update::Answered(answer) => Some(answer.0.answer),
            _ => None,
        });
        answers.next().expect("is answered").expect("is played")
    };
    let drained = |answered: Answered| match answered {
        Answered::Answer(answer) => answer.drains.expect("nodes were drained").nodes.len(),
        Answered::Losses(losses) => losses.losses.iter().flat_map(|it| &it.drains).count(),
        Answered::Need(_) => 0,
    };
    let what = "n-1".to_owned();
    assert_eq!(drained(answered(Asking::Drain { what })), 1);
    assert_eq!(drained(answered(Asking::DrainEach { label: None })), 3);
    let upgrade = Asking::Upgrade {
        pool: "!pool".to_owned(),
        max_unavailable: 0,
        max_surge: 2,
    };
    assert_eq!(drained(answered(upgrade)), 3);
    let pool = String::new();
    // Its Pods have no controllers, so that no node with one may go.
    assert!(drained(answered(Asking::Shrink { pool })) < 3);
}

#[test]
fn a_reduction_ends_at_its_end_or_with_what_it_has_where_it_is_stopped() {
    let reduced = |updates: Vec<Update>| {
        updates.into_iter().find_map(|update| match update {
            Update::Reduced(reduced) => Some(reduced.0.case),
            _ => None,
        })
    };
    let text = text(3, 4)
        + "{apiVersion: v1, kind: Pod, metadata: {name: big}, spec: {containers: [{name: c, image: i, \
         resources: {requests: {cpu: 9}}}]}}\n";
    let mut host = Host::new();
    host.handle(Command::Mutate(Mutation::Open { text }));
    host.handle(Command::Run(Run::ToEnd));
    work_on(&mut host);
    let position = host
        .session
        .borrow()
        .attempt_of("default/big")
        .expect("was tried");
    let date = "2026-11-30".to_owned();
    let reduce = || {
        Command::Ask(Query::Reduce {
            position,
            date: date.clone(),
        })
    };
    assert!(
        reduced(host.handle(reduce())).is_none(),
        "trials come first"
    );
    let mut updates = Vec::new();
    while host.is_running() {
        updates.extend(host.work());
    }
    let case = reduced(updates).expect("it ends").expect("is reduced");
    assert_eq!((case.from.nodes, case.to.nodes), (3, 1), "{}", case.text);
    assert!(
        case.lacks.is_empty() && case.text.contains(&date),
        "{}",
        case.text
    );
    // Once something is left out, it has a case.
    host.handle(reduce());
    while let Some(Work {
        amount: Amount::Trials { left: None, .. },
        ..
    }) = host.under_way()
    {
        host.work();
    }
    let stopped = reduced(host.handle(Command::Run(Run::Stop))).expect("is answered");
    assert_eq!(stopped.expect("has a case").lacks.len(), 1);
    assert!(!host.is_running());
    host.handle(reduce());
    let stopped = reduced(host.handle(Command::Run(Run::Stop))).expect("is answered");
    assert!(stopped.is_err(), "nothing was left out");
}
