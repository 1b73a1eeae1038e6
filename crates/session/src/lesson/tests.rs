use std::rc::Rc;

use berth_core::api::scenario::{Action, Step};
use berth_core::api::source::SourceFile;
use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_protocol::gesture::Gesture;
use berth_protocol::lesson::GoalValue;
use berth_protocol::rule::{Broken, Rule};
use berth_scheduler::release::Version;
use serde_json::json;

use super::Lesson;
use crate::edit::Performed;
use crate::session::{Options, Session};
use crate::{edit, lesson, simulated, sources, undo};

const CLUSTER: &str = "
---
apiVersion: v1
kind: Node
metadata: {name: a, labels: {disk: hdd}}
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
  priority: 0
  containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]
";

fn lesson(parts: &str) -> Rc<Lesson> {
    let text = format!(
        "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: t\ndescription: d\ntask: t\n{parts}{CLUSTER}"
    );
    let read = Lesson::read(&SourceFile::new("lesson.yaml", text));
    Rc::new(read.unwrap_or_else(|problems| panic!("{problems:#?}")))
}

/// The node `a` is locked as a whole, and the node selector of `db`.
fn begun(mode: &str) -> Session {
    let lesson = lesson(&format!(
        "mode: {mode}\nlocked: [Node/a, Pod/db.spec.nodeSelector]\nsolution: [kubectl label node b disk=ssd]\n\
         expectations: [{{pod: db, node: b}}]\n"
    ));
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &lesson).unwrap();
    session
}

#[test]
fn trainers_see_all_wrong_answers() {
    let lesson = lesson(
        "solution: [kubectl label node b disk=ssd]\nexpectations: [{pod: db, node: b}]\n\
         wrong: [{steps: [kubectl cordon b], when: [{node: b, drained: true}], say: not so}]\n",
    );
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &lesson).unwrap();
    let frame = lesson::frame(&session).unwrap();
    let [wrong] = &*frame.wrong_answers else {
        panic!("{:?}", frame.wrong_answers);
    };
    assert_eq!(
        (&*wrong.say, &*wrong.steps[0].text),
        ("not so", "kubectl cordon b")
    );
    assert_eq!(frame.taken, 0);
    lesson::perform_solution_step(&mut session, 0).unwrap();
    assert_eq!(lesson::frame(&session).unwrap().taken, 1);
    lesson::begin(&mut session, &lesson).unwrap();
    assert_eq!(lesson::frame(&session).unwrap().taken, 0, "from the start");
}

fn label(node: ObjectRef) -> Edit {
    let path = ["metadata", "labels", "disk"];
    Edit::Set {
        object: node,
        path: path.map(|step| PathStep::Key(step.to_owned())).into(),
        value: json!("ssd"),
    }
}

fn text(session: &Session) -> String {
    session.sources()[0].text.to_string()
}

#[test]
fn the_learner_gets_the_manifests_without_the_answers() {
    let session = begun("schedule");
    let text = text(&session);
    assert!(
        text.contains("kind: Scenario") && text.contains("title: t"),
        "{text}"
    );
    for secret in ["solution", "expectations", "locked", "kubectl"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    assert_eq!(session.undo_depth(), (0, 0), "the start cannot be undone");
}

#[test]
fn locks_refuse_typed_text_edits_and_gestures_in_words() {
    for mode in ["schedule", "live"] {
        let mut session = begun(mode);
        let before = session.digest();
        let typed = text(&session).replace("disk: hdd", "disk: ssd");
        assert!(!session.edit(&[SourceFile::new("lesson.yaml", typed)], false));
        let problem = &session.problems()[0];
        assert_eq!(problem.message, "this lesson locks Node/a");
        assert!(problem.is_error() && problem.line > 1, "{problem:?}");
        assert!(session.undo(), "the text can be taken back");
        for edit in [
            label(ObjectRef::node("a")),
            Edit::Delete {
                object: ObjectRef::node("a"),
            },
        ] {
            let error = edit::make(&mut session, std::slice::from_ref(&edit)).unwrap_err();
            assert!(
                error.message.to_string().contains("locks Node/a"),
                "{mode} {edit:?}: {error}"
            );
        }
        let cordon = |name: &str| Gesture::Cordon {
            nodes: vec![name.to_owned()],
        };
        let error = edit::perform(&mut session, &cordon("a")).unwrap_err();
        assert!(
            error.message.to_string().contains("locks Node/a"),
            "{error}"
        );
        let drained = edit::perform(
            &mut session,
            &Gesture::Drain {
                node: "a".to_owned(),
            },
        );
        let refusal = match drained {
            Err(error) => error.message.to_string(),
            Ok(Performed::Begun { output, .. }) => output.stderr,
            Ok(Performed::Edited(changes)) => panic!("{changes:?}"),
        };
        assert!(refusal.contains("locks Node/a"), "{mode}: {refusal}");
        assert_eq!(session.digest(), before, "{mode}: nothing has changed");
        // What is not locked can be changed.
        edit::perform(&mut session, &cordon("b")).unwrap();
        edit::make(&mut session, &[label(ObjectRef::node("b"))]).unwrap();
    }
}

#[test]
fn locks_refuse_commands_of_the_terminal_in_words() {
    let mut session = begun("schedule");
    for line in [
        "kubectl label node a disk=ssd --overwrite",
        "kubectl delete node a",
        "kubectl cordon a",
        "kubectl drain a --ignore-daemonsets",
    ] {
        let output = simulated::command(&mut session, line);
        assert_ne!(output.code, 0, "{line}");
        assert!(
            output.stderr.contains("this lesson locks Node/a"),
            "{line}: {}",
            output.stderr
        );
    }
    // A locked field keeps its value, also when the object comes back.
    assert_eq!(
        simulated::command(&mut session, "kubectl get pod db -o yaml > db.yaml").code,
        0
    );
    assert_eq!(
        simulated::command(&mut session, "sed -i s/ssd/hdd/ db.yaml").code,
        0
    );
    let replaced = simulated::command(&mut session, "kubectl replace --force -f db.yaml");
    assert!(
        replaced
            .stderr
            .contains("this lesson locks Pod/db.spec.nodeSelector"),
        "{replaced:?}"
    );
    // Components are free: the kubelet and the scheduler write to locked objects.
    assert_eq!(
        simulated::command(&mut session, "kubectl label node b disk=ssd").code,
        0
    );
}

#[test]
fn the_scheduler_writes_to_a_locked_pod() {
    let lesson = lesson(
        "mode: live\nlocked: [Pod]\nsolution: [kubectl label node b disk=ssd]\nexpectations: [{pod: db, node: b}]\n",
    );
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &lesson).unwrap();
    let run = simulated::command(&mut session, "kubectl run other --image=i");
    assert!(run.stderr.contains("this lesson locks Pod"), "{run:?}");
    lesson::perform_solution_step(&mut session, 0).unwrap();
    assert!(lesson::goals(&session, &lesson).iter().all(|goal| goal.met));
    assert!(lesson::perform_solution_step(&mut session, 1).is_err());
}

#[test]
fn another_scenario_has_no_locks() {
    let mut session = begun("schedule");
    let sources = session.sources().to_vec();
    assert!(session.apply(&sources));
    assert!(lesson::of(&session).is_none());
    edit::make(&mut session, &[label(ObjectRef::node("a"))]).unwrap();
    // Back in the lesson, they hold again.
    assert!(session.undo() && session.undo());
    assert!(lesson::of(&session).is_some());
    assert!(edit::make(&mut session, &[label(ObjectRef::node("a"))]).is_err());
}

#[test]
fn written_manifests_replace_their_document_and_others_are_added() {
    let mut session = begun("schedule");
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: db, labels: {app: new}}\nspec:\n  nodeSelector: {disk: ssd}\n  containers: [{name: c, image: i}]\n";
    let other = pod.replace("name: db", "name: other");
    lesson::write_manifests(&mut session, &format!("{pod}---\n{other}")).unwrap();
    let text = text(&session);
    assert_eq!(text.matches("name: db").count(), 1, "{text}");
    assert_eq!(text.matches("app: new").count(), 2, "{text}");
    assert!(lesson::write_manifests(&mut session, "kind: [").is_err());
    // In a simulated cluster the API server is asked.
    let mut session = begun("live");
    let pod = pod.replace("image: i", "image: j, resources: {requests: {cpu: 10m}}");
    let error = lesson::write_manifests(&mut session, &pod)
        .unwrap_err()
        .message;
    assert!(
        error
            .to_string()
            .contains("pod updates may not change fields"),
        "{error}"
    );
}

#[test]
fn a_question_is_asked_before_and_answered_after() {
    let lesson = lesson(
        "solution: [kubectl label node b disk=ssd]\nexpectations: [{pod: db, node: b}]\npredict:\n\
         - {pod: db, ask: why, say: s, wrong: [{answer: NodeResourcesFit, say: w}]}\n- {pod: db, ask: node, say: s}\n",
    );
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &lesson).unwrap();
    assert_eq!(session.position(), 0, "no Pod is tried before the question");
    let answers = |session: &Session| {
        let frame = lesson::frame(session).unwrap();
        let answers = frame.questions.into_iter().map(|question| question.answer);
        answers.collect::<Vec<_>>()
    };
    assert_eq!(answers(&session), [None, None]);
    lesson::settle(&mut session);
    assert!(
        answers(&session)[0]
            .as_ref()
            .is_some_and(|it| it.is("NodeAffinity"))
    );
    assert_eq!(answers(&session)[1], None);
    lesson::perform_solution_step(&mut session, 0).unwrap();
    assert!(answers(&session)[1].as_ref().is_some_and(|it| it.is("b")));
}

#[test]
fn a_step_that_has_to_fail_must_do_so() {
    let mut session = begun("schedule");
    let step = |line: &str| Step {
        action: Action::Run(line.to_owned()),
        note: None,
        fails: true,
    };
    assert!(lesson::perform_step(&mut session, &step("kubectl cordon a")).is_ok());
    assert!(lesson::perform_step(&mut session, &step("kubectl get nodes")).is_err());
}

/// A cluster at whose start a command has already scaled a Deployment.
fn scaled() -> Session {
    let text = format!(
        "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: t\ndescription: d\ntask: t\n\
         before: [kubectl create deployment web --image=i --replicas=2]\n\
         solution: [kubectl scale deployment web --replicas=3]\n\
         expectations: [{{selector: {{app: web}}, state: Bound, count: 3}}, {{selector: {{app: web}}, neverBelow: 2}}]\n{CLUSTER}"
    );
    let lesson = Lesson::read(&SourceFile::new("lesson.yaml", text)).unwrap();
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &Rc::new(lesson)).unwrap();
    session
}

fn met(session: &Session) -> Vec<bool> {
    let goals = lesson::frame(session).unwrap().goals;
    goals.iter().map(|goal| goal.met).collect()
}

#[test]
fn what_starts_the_run_again_begins_the_lesson_again_with_its_commands() {
    type Again = fn(&mut Session) -> Result<(), berth_protocol::remark::Remark>;
    let all: [Again; 3] = [
        |session| lesson::choose_release(session, Some(Version::V1_34)),
        |session| lesson::start_again(session, simulated::restart_mode),
        |session| lesson::start_again(session, |session| sources::set_seed(session, 7)),
    ];
    for again in all {
        let mut session = scaled();
        lesson::perform_solution_step(&mut session, 0).unwrap();
        assert_eq!(met(&session), [true, true]);
        again(&mut session).unwrap();
        assert_eq!(met(&session), [false, true], "at the start");
        assert_eq!(lesson::frame(&session).unwrap().taken, 0);
        lesson::perform_solution_step(&mut session, 0).unwrap();
        assert_eq!(met(&session), [true, true], "and it can be done");
    }
}

#[test]
fn a_lesson_that_is_only_scheduled_keeps_what_was_done_with_another_release() {
    let mut session = begun("schedule");
    edit::make(&mut session, &[label(ObjectRef::node("b"))]).unwrap();
    session.run_to_end();
    lesson::choose_release(&mut session, Some(Version::V1_34)).unwrap();
    assert!(text(&session).contains("disk: ssd}"), "{}", text(&session));
    assert_eq!(met(&session), [true]);
}

#[test]
fn a_lesson_keeps_its_own_release_and_its_cluster() {
    let mut session = begun("live");
    let refusal = lesson::choose_mode(&mut session, false).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "this lesson needs its living cluster; Start over leads back to its start"
    );
    assert!(session.simulated_cluster().is_some());

    let written = lesson(
        "kubernetes: '1.36'\nmode: live\nsolution: [kubectl label node b disk=ssd]\nexpectations: [{pod: db, node: b}]\n",
    );
    lesson::choose_release(&mut session, Some(Version::V1_34)).unwrap();
    lesson::begin(&mut session, &written).unwrap();
    let version = |session: &Session| session.manifests().prepared.release.version();
    assert_eq!(version(&session), Version::V1_36, "over the chosen one");
    let refusal = lesson::choose_release(&mut session, Some(Version::V1_34)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "this lesson is written for Kubernetes 1.36"
    );
    assert_eq!(version(&session), Version::V1_36);
}

#[test]
fn commands_at_the_start_lock_the_configuration_of_the_scheduler() {
    let mut session = scaled();
    let refusal = lesson::write_manifests(&mut session, "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: packing}]\n")
        .unwrap_err();
    assert!(
        refusal
            .message
            .to_string()
            .contains("locks KubeSchedulerConfiguration"),
        "{refusal}"
    );
    assert!(
        lesson::write_manifests(&mut begun("live"), "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: packing}]\n")
            .is_ok()
    );
}

#[test]
fn a_lesson_that_cannot_begin_with_a_release_stays_as_it_is() {
    let lesson = lesson(
        "before: ['kubectl version | grep Server | grep v1.36']\nsolution: [kubectl label node b disk=ssd]\n\
         expectations: [{pod: db, node: b}]\n",
    );
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &lesson).unwrap();
    lesson::perform_solution_step(&mut session, 0).unwrap();
    let (digest, undo) = (session.digest(), session.undo_depth());
    assert!(lesson::choose_release(&mut session, Some(Version::V1_34)).is_err());
    assert_eq!((session.digest(), session.undo_depth()), (digest, undo));
    assert_eq!(lesson::frame(&session).unwrap().taken, 1);
    assert_eq!(session.options().release.kubernetes, None);
}

#[test]
fn a_goal_in_its_own_words_does_not_name_the_field_to_change() {
    let goals = "solution: [kubectl label node b disk=ssd]\nexpectations:\n\
        - {object: Node/b, path: 'metadata.labels[disk]', equals: ssd, words: b has the disk}\n\
        - {object: Node/a, path: 'metadata.labels[disk]', equals: ssd, words: a has it}\n\
        - {object: Node/a, path: 'metadata.labels[disk]', equals: ssd}\n\
        - {oneOf: [{object: Node/a, path: 'metadata.labels[x]', exists: true}, {pod: db, node: b}], words: either}\n";
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &lesson(goals)).unwrap();
    let goals = lesson::frame(&session).unwrap().goals;
    let whys: Vec<String> = goals.iter().map(|goal| goal.why.to_string()).collect();
    assert_eq!(
        whys,
        ["", "now \"hdd\"", "metadata.labels[disk] is \"hdd\"", ""]
    );
}

#[test]
fn a_goal_that_the_past_rules_out_is_lost() {
    let mut session = scaled();
    let lost = |session: &Session| -> Vec<bool> {
        let goals = lesson::frame(session).unwrap().goals;
        goals.iter().map(|goal| goal.is_lost).collect()
    };
    assert_eq!(lost(&session), [false, false], "one is not met yet");
    assert_eq!(
        simulated::command(&mut session, "kubectl scale deployment web --replicas=1").code,
        0
    );
    lesson::settle(&mut session);
    assert_eq!(lost(&session), [false, true]);
    assert!(session.undo());
    assert_eq!(lost(&session), [false, false]);
}

#[test]
fn a_change_before_the_start_is_refused_and_a_look_is_not() {
    let mut session = scaled();
    let start = session.position();
    session.seek(0);
    let before = session.digest();
    let typed = text(&session).replace("priority: 0", "priority: 1");
    assert!(!session.edit(&[SourceFile::new("lesson.yaml", typed)], false));
    let problem = session.problems()[0].to_string();
    assert!(
        problem.contains("the lesson starts after this moment"),
        "{problem}"
    );
    assert!(session.undo(), "the text can be taken back");
    let refused = simulated::command(&mut session, "kubectl label node b disk=ssd");
    assert!(refused.code != 0 && refused.all().contains("starts after this moment"));
    assert_eq!(simulated::command(&mut session, "sleep 60").code, 1);
    assert_eq!(
        simulated::command(&mut session, "kubectl get nodes").code,
        0
    );
    assert_eq!(session.digest(), before);
    lesson::choose_release(&mut session, Some(Version::V1_34)).unwrap();
    assert_eq!(session.position(), start, "another release begins it again");
    session.seek(0);
    session.seek(start);
    assert_eq!(met(&session), [false, true]);
    lesson::perform_solution_step(&mut session, 0).unwrap();
    assert_eq!(met(&session), [true, true]);
}

/// Without a cluster nothing is lost, and goals look at all that follows the change.
#[test]
fn a_lesson_that_only_schedules_can_be_changed_before_its_start() {
    let pod = |name: &str, class: &str, cpu: u32| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, labels: {{app: {name}}}}}\nspec:\n  \
             priorityClassName: {class}\n  containers: [{{name: c, image: i, resources: {{requests: {{cpu: '{cpu}'}}}}}}]\n"
        )
    };
    let large = ["one", "two", "three", "four"].map(|name| pod(name, "''", 9));
    let text = format!(
        "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: t\ndescription: d\ntask: t\nmode: schedule\n\
         solution: [kubectl cordon b]\nexpectations: [{{selector: {{app: small}}, evicted: true}}]\n{CLUSTER}{}{}",
        pod("small", "''", 2),
        large.concat()
    );
    let lesson = Lesson::read(&SourceFile::new("lesson.yaml", text)).unwrap();
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &Rc::new(lesson)).unwrap();
    assert_eq!(met(&session), [false]);
    // `small` has just been placed.
    session.seek(2);
    let sources = session.sources()[0].text.to_string();
    let urgent = ["urgent", "other"]
        .map(|name| pod(name, "system-node-critical", 2))
        .concat();
    assert!(session.edit(&[SourceFile::new("lesson.yaml", sources + &urgent)], false));
    session.run_to_end();
    assert_eq!(met(&session), [true]);
}

#[test]
fn a_met_goal_counts_its_pods() {
    let nodes = ["one", "two", "three"].map(|zone| {
        format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {zone}, labels: {{zone: {zone}}}}}\n\
             status: {{allocatable: {{cpu: '2', memory: 4Gi, pods: '10'}}}}\n"
        )
    });
    let text = format!(
        "apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: t\ndescription: d\ntask: t\nmode: live\n\
         before: [kubectl create deployment web --image=i --replicas=2]\nsolution: [kubectl cordon one]\nexpectations:\n\
         - {{selector: {{app: web}}, state: Bound, count: 2}}\n- {{selector: {{app: web}}, count: {{max: 1}}, node: one}}\n\
         - {{selector: {{app: web}}, maxPer: {{zone: 1}}}}\n- {{selector: {{app: web}}, neverBelow: 0}}\n\
         - {{selector: {{app: web}}, state: Bound, count: 3}}\n{}",
        nodes.concat()
    );
    let lesson = Lesson::read(&SourceFile::new("lesson.yaml", text)).unwrap();
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &Rc::new(lesson)).unwrap();
    let goals = lesson::frame(&session).unwrap().goals;
    let [bound, _, spread, past, unmet] = &*goals else {
        panic!("{goals:?}");
    };
    assert_eq!(bound.value, Some(GoalValue::Share { count: 2, all: 2 }));
    assert_eq!(spread.value, Some(GoalValue::Domains(vec![1, 1, 0])));
    assert_eq!((&past.value, &unmet.value), (&None, &None));
    assert!(past.met && !unmet.met);
}

#[test]
fn a_rule_is_played_with_each_release_and_names_the_one_that_breaks_it() {
    let lesson = lesson(
        "mode: live\nsolution: [kubectl version | grep Server | grep v1.34, kubectl label node b disk=ssd]\n\
         expectations: [{pod: db, node: b}]\nwrong: [{steps: [kubectl cordon b], when: [{pod: db, node: a}], say: not so}]\n",
    );
    assert_eq!(lesson.broken_on(Rule::Start, &[1]), (Vec::new(), None));
    let (broken, release) = lesson.broken_on(Rule::Solution, &[1]);
    assert!(
        matches!(&*broken, [Broken::StepFails { path, .. }] if path == "solution[0]"),
        "{broken:?}"
    );
    assert_eq!(release, Some(Version::V1_35), "the first of them");
    let (broken, release) = lesson.broken_on(Rule::Wrong(0), &[1]);
    assert!(
        matches!(&*broken, [Broken::Unrecognised { .. }]),
        "{broken:?}"
    );
    assert_eq!(release, None, "with all");
}

#[test]
fn back_in_the_first_run_goals_look_at_the_past_since_the_start() {
    let lesson = lesson(
        "mode: schedule\nsolution: [kubectl cordon b]\n\
         expectations: [{selector: {app: web}, neverBelow: 1}]\n---\n\
         apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: web}}\n\
         spec: {containers: [{name: c, image: i}]}\n",
    );
    let mut session = Session::new(Options::default());
    lesson::begin(&mut session, &lesson).unwrap();
    let is_met = |session: &Session| lesson::goals(session, &lesson).iter().all(|goal| goal.met);
    assert!(is_met(&session));
    sources::set_seed(&mut session, 7);
    assert!(sources::back_to_first_run(&mut session));
    assert!(is_met(&session), "{:?}", lesson::goals(&session, &lesson));
}

#[test]
fn a_lesson_says_what_the_learner_did_and_whether_the_solution_does_the_same() {
    let mut session = begun("live");
    let frame = |session: &Session| lesson::frame(session).unwrap();
    assert_eq!(frame(&session).did, []);
    simulated::command(&mut session, "kubectl get nodes");
    assert_eq!(frame(&session).did, [], "a look changes nothing");
    let line = frame(&session).solution[0].text.clone();
    simulated::command(&mut session, &format!(" {line}  "));
    let did = frame(&session);
    assert_eq!((did.did.len(), did.did[0].is_command), (1, true));
    assert!(did.did_as_solved(), "{:?} {:?}", did.did, did.solution);
    simulated::command(&mut session, "kubectl cordon b");
    assert!(!frame(&session).did_as_solved());
    // By another way.
    let mut other = begun("live");
    simulated::command(&mut other, "kubectl cordon b");
    assert!(!frame(&other).did_as_solved());
}

#[test]
fn starting_over_can_be_undone() {
    let mut session = begun("live");
    let lesson = Rc::new(lesson::of(&session).unwrap().clone());
    assert_eq!(session.undo_depth(), (0, 0));
    simulated::command(&mut session, "kubectl cordon b");
    let (digest, depth) = (session.digest(), session.undo_depth().0);
    lesson::begin(&mut session, &lesson).unwrap();
    assert_ne!(session.digest(), digest);
    assert_eq!(lesson::frame(&session).unwrap().did, []);
    assert_eq!(
        lesson::wrong_answer(&session, &lesson),
        None,
        "nothing was done yet"
    );
    assert_eq!(session.undo_depth(), (depth + 1, 0));
    assert!(session.undo());
    assert_eq!((session.digest(), session.undo_depth().0), (digest, depth));
    assert_eq!(lesson::frame(&session).unwrap().did.len(), 1);
    // What undo would take back has words.
    let undoes = undo::undoes(&session).and_then(|it| it.line().map(str::to_owned));
    assert_eq!(undoes.as_deref(), Some("kubectl cordon b"));
    session.undo();
    let redoes = undo::redoes(&session).and_then(|it| it.line().map(str::to_owned));
    assert_eq!(redoes.as_deref(), Some("kubectl cordon b"));
}
