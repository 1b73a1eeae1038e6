use berth_core::api::source::SourceFile;
use berth_protocol::draft::{Draft, DraftGoal, DraftQuestion, DraftStart, DraftStep, DraftWrong};
use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::gesture::Gesture;
use berth_protocol::lesson::Ask;

use super::check;
use crate::lesson::{Lesson, SEEDS, draft};
use crate::session::{Options, Session};
use crate::{edit, lesson, simulated};

const CLUSTER: &str = "apiVersion: berth.dev/v1alpha1
kind: Scenario
title: an example
kubernetes: '1.34'
hints: [says too much]
---
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: db, labels: {app: db}}
spec:
  nodeSelector: {disk: ssd}
  containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]
";

fn opened(text: &str, live: bool) -> Session {
    let mut session = Session::new(Options::default());
    assert!(session.apply(&[SourceFile::new("scenario.yaml", text)]));
    simulated::set_simulated(&mut session, live);
    lesson::settle(&mut session);
    session
}

/// The session at its own state as a start.
fn begun(session: &Session) -> (Session, DraftStart) {
    let start = draft::lesson_start(session);
    let mut begun = Session::new(Options::default());
    draft::begin_start(&mut begun, &start).unwrap();
    (begun, start)
}

fn run(line: &str) -> DraftStep {
    DraftStep {
        text: line.to_owned(),
        is_command: true,
        note: String::new(),
    }
}

/// A whole lesson on the cluster.
fn whole() -> Draft {
    let goal = |text: &str, words: &str| DraftGoal {
        text: text.to_owned(),
        words: words.to_owned(),
    };
    Draft {
        title: "Where is the disk?".to_owned(),
        description: "`db` waits.\n\nIt has waited since yesterday: nobody knows why.".to_owned(),
        task: "Get it running.".to_owned(),
        minutes: 5,
        hints: vec![
            "Look at `kubectl describe pod db`.".to_owned(),
            "A label: value".to_owned(),
        ],
        start: Some(draft::lesson_start(&opened(CLUSTER, true))),
        locked: vec!["Pod/db.spec.nodeSelector".to_owned(), "Node/b".to_owned()],
        goals: vec![
            goal("pod: db\nstate: Bound", "`db` runs"),
            goal("{pod: db, node: a}", ""),
        ],
        solution: vec![DraftStep {
            note: "It has the disk: *only* the label is missing.".to_owned(),
            ..run("kubectl label node a disk=ssd")
        }],
        wrong: vec![DraftWrong {
            steps: vec![run("kubectl label node a disk=fast")],
            when: vec!["object: Node/a\npath: metadata.labels.disk\nequals: fast".to_owned()],
            say: "The value counts, too.".to_owned(),
        }],
        predict: vec![DraftQuestion {
            pod: "db".to_owned(),
            ask: Ask::Why,
            say: "No node has the label.".to_owned(),
        }],
    }
}

#[test]
fn a_start_keeps_what_the_cluster_depends_on_and_no_texts() {
    let (session, start) = begun(&opened(CLUSTER, false));
    assert!(!start.live && start.before.is_empty());
    assert!(
        start.manifests.contains("kubernetes: '1.34'"),
        "{}",
        start.manifests
    );
    assert!(!start.manifests.contains("says too much"));
    assert_eq!(session.undo_depth(), (0, 0));
    assert!(lesson::of(&session).is_none());
    assert!(draft::steps_since(&session, &start).is_empty());
}

#[test]
fn lines_of_the_terminal_lead_to_the_start() {
    let mut session = opened(CLUSTER, true);
    assert_eq!(simulated::command(&mut session, "kubectl cordon b").code, 0);
    lesson::settle(&mut session);
    let (mut begun, start) = begun(&session);
    assert!(start.live);
    assert_eq!(start.before, ["kubectl cordon b"]);
    assert_eq!(
        simulated::command(&mut begun, "kubectl label node a disk=ssd").code,
        0
    );
    assert_eq!(
        draft::steps_since(&begun, &start),
        [run("kubectl label node a disk=ssd")]
    );
}

#[test]
fn pods_that_would_go_elsewhere_are_written_with_their_nodes() {
    let mut session = opened(CLUSTER, false);
    // Placed while b was full; then b is as a was.
    let labelled = CLUSTER.replacen(
        "metadata: {name: b}",
        "metadata: {name: b, labels: {disk: ssd}}",
        1,
    );
    assert!(session.edit(
        &[SourceFile::new("scenario.yaml", labelled.as_str())],
        false
    ));
    lesson::settle(&mut session);
    let moved = labelled
        .replacen(
            "metadata: {name: a}",
            "metadata: {name: a, labels: {disk: ssd}}",
            1,
        )
        .replacen(
            "metadata: {name: b, labels: {disk: ssd}}",
            "metadata: {name: b}",
            1,
        );
    assert!(session.edit(&[SourceFile::new("scenario.yaml", moved)], false));
    lesson::settle(&mut session);
    let (begun, start) = begun(&session);
    assert!(
        start.manifests.contains("nodeName: b"),
        "{}",
        start.manifests
    );
    let db = begun.run().cluster().pods().find("default", "db").unwrap();
    assert_eq!(db.object.node_name.as_deref(), Some("b"));
}

#[test]
fn what_is_done_on_the_page_becomes_steps() {
    for live in [false, true] {
        let (mut session, start) = begun(&opened(CLUSTER, live));
        let typed = start.manifests.replacen(
            "metadata: {name: a}",
            "metadata: {name: a, labels: {disk: ssd}}",
            1,
        );
        assert!(session.edit(&[SourceFile::new("lesson.yaml", typed)], false));
        lesson::settle(&mut session);
        let node = ObjectRef::node("b");
        edit::make(&mut session, &[Edit::Delete { object: node }]).unwrap();
        lesson::settle(&mut session);
        let steps = draft::steps_since(&session, &start);
        assert_eq!(steps.len(), 2, "live {live}: {steps:#?}");
        assert!(!steps[0].is_command && steps[0].text.contains("disk: ssd"));
        assert!(
            !steps[0].text.contains("name: b"),
            "only what changed: {}",
            steps[0].text
        );
        assert_eq!(steps[1], run("kubectl delete node b"));
        // Undone changes are not steps.
        assert!(session.undo());
        assert_eq!(draft::steps_since(&session, &start).len(), 1);
    }
}

#[test]
fn a_drain_and_another_configuration_are_steps_too() {
    let cluster = CLUSTER.replace(
        "nodeSelector: {disk: ssd}",
        "nodeSelector: {kubernetes.io/hostname: a}",
    );
    let (mut session, start) = begun(&opened(
        &cluster.replace(
            "{name: a}",
            "{name: a, labels: {kubernetes.io/hostname: a}}",
        ),
        false,
    ));
    edit::perform(
        &mut session,
        &Gesture::Drain {
            node: "a".to_owned(),
        },
    )
    .unwrap();
    let steps = draft::steps_since(&session, &start);
    assert_eq!(steps.len(), 1, "{steps:#?}");
    assert!(
        steps[0].is_command && steps[0].text.starts_with("kubectl drain a "),
        "{steps:#?}"
    );
    let (mut session, start) = begun(&opened(CLUSTER, false));
    let configured = format!(
        "{}---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 100\n",
        start.manifests
    );
    assert!(session.edit(&[SourceFile::new("lesson.yaml", configured)], false));
    let steps = draft::steps_since(&session, &start);
    assert_eq!(steps.len(), 1, "{steps:#?}");
    assert!(steps[0].text.contains("percentageOfNodesToScore"));
}

#[test]
fn a_draft_is_written_as_a_lesson_that_reads_back_and_keeps_the_rules() {
    let draft = whole();
    let (written, lesson) = check(&draft);
    assert_eq!(written.problems, [], "{}", written.text);
    assert!(written.text.starts_with("apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: Where is the disk?\nkubernetes: '1.34'\n"), "{}", written.text);
    assert_eq!(written.text.matches("kind: Scenario").count(), 1);
    assert_eq!(written.rules.len(), 5);
    assert_eq!(written.goals[1], "Pod db is Bound on a");
    assert!(
        written.objects.contains(&"Node".to_owned())
            && written.objects.contains(&"Pod/db".to_owned())
    );
    assert!(!written.manifests.contains("solution"));
    let read = Lesson::read(&SourceFile::new("lesson.yaml", written.text.as_str())).unwrap();
    assert_eq!(read.scenario.hints.as_ref().unwrap().len(), 2);
    assert_eq!(
        read.parts.solution[0].note.as_deref(),
        Some("It has the disk: *only* the label is missing.")
    );
    assert_eq!(read.parts.locked, lesson.unwrap().parts.locked);
    for seed in SEEDS {
        let options = Options {
            seed,
            ..Options::default()
        };
        for rule in read.rules() {
            assert_eq!(read.broken(rule, &options), [], "{rule:?}");
        }
    }
}

#[test]
fn a_draft_without_texts_can_be_played_and_says_what_is_missing() {
    let mut draft = whole();
    draft.title.clear();
    draft.wrong[0].say.clear();
    let (written, lesson) = check(&draft);
    let paths: Vec<&str> = written.problems.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["title", "wrong[0].say"]);
    assert!(written.problems.iter().all(|it| it.is_missing));
    assert!(lesson.is_some());
    draft.solution.clear();
    assert!(check(&draft).1.is_none());
}

#[test]
fn a_goal_that_cannot_be_read_is_named() {
    let mut draft = whole();
    draft.goals[1].text = "pod: [".to_owned();
    let (written, lesson) = check(&draft);
    assert!(lesson.is_none());
    assert_eq!(written.problems.len(), 1, "{:#?}", written.problems);
    assert_eq!(written.problems[0].path, "expectations[1]");
    draft.goals[1].text = "pod: db\nstates: Bound\nstate: Nowhere".to_owned();
    let (written, _) = check(&draft);
    assert!(
        written
            .problems
            .iter()
            .any(|it| it.path == "expectations[1].state"),
        "{:#?}",
        written.problems
    );
    draft.goals[1].text = String::new();
    let (written, _) = check(&draft);
    assert_eq!(written.problems.len(), 1, "{:#?}", written.problems);
    assert!(written.problems[0].is_missing);
    draft.goals[1].text = "pod: db".to_owned();
    let (written, _) = check(&draft);
    assert_eq!(written.problems[0].path, "expectations[1]");
    assert!(!written.problems[0].is_missing, "it lacks a field only");
    draft.locked[0] = "Pod/db/".to_owned();
    assert_eq!(check(&draft).0.problems[0].path, "locked[0]");
    draft.locked[0] = String::new();
    let (written, _) = check(&draft);
    let mut locks = written.problems.iter().filter(|it| it.path == "locked[0]");
    assert!(locks.next().is_some_and(|it| it.is_missing));
    assert_eq!(locks.next(), None, "it is said once");
}
