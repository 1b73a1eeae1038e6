use crate::session::{Options, Session};
use crate::testing::{self, TWO_NODES};
use crate::{edit, fork, frame, simulated, sources, trial};
use berth_core::api::source::SourceFile;
use berth_protocol::command::Mutation;
use berth_protocol::edit::{Edit, ObjectRef};
use berth_protocol::frame::{ForkChange, ForkFrame, MarkKind};
use berth_protocol::gesture::{Gesture, PodForm};
use berth_scheduler::release::Version;

fn pod(name: &str, cpu: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  containers:\n  - name: c\n    image: i\n    \
         resources: {{requests: {{cpu: {cpu}}}}}\n"
    )
}

/// Four Pods fill both nodes.
fn text() -> String {
    let pods = ["one", "two", "three", "four"].map(|name| pod(name, "900m"));
    format!("{TWO_NODES}{}", pods.concat())
}

fn file(text: impl AsRef<str>) -> [SourceFile; 1] {
    [SourceFile::new("test.yaml", text.as_ref())]
}

/// All four Pods are placed; then back to the moment after the second.
fn at_two(options: Options) -> Session {
    let mut session = testing::session_with(&text(), options);
    while frame::build(&session)
        .pods
        .iter()
        .any(|pod| pod.node.is_none())
        && session.step()
    {}
    assert!(session.seek(2));
    session
}

fn tried(session: &mut Session) -> ForkFrame {
    while fork::advance(session, 1) {}
    let fork = fork::frame(session).expect("there is a fork");
    assert!(fork.tried);
    fork
}

fn cordoned(text: &str) -> String {
    text.replacen(
        "metadata: {name: node-a}\n",
        "metadata: {name: node-a}\nspec: {unschedulable: true}\n",
        1,
    )
}

/// (object, path, before, after)
fn fields(fork: &ForkFrame) -> Vec<(String, String, Option<String>, Option<String>)> {
    let listed = fork.changes.iter().map(|change| match change.clone() {
        ForkChange::Field {
            object,
            path,
            before,
            after,
        } => (object.name, path, before, after),
        ForkChange::Created { object } => (object.name, "created".into(), None, None),
        ForkChange::Deleted { object } => (object.name, "deleted".into(), None, None),
        ForkChange::Command { line } => (line, "command".into(), None, None),
        ForkChange::Drained { plan } => (plan.node, "drained".into(), None, None),
        ForkChange::ZoneLost { zone, .. } => (zone.value, "lost".into(), None, None),
        ForkChange::NodesAdded { like, .. } => (like, "added".into(), None, None),
        ForkChange::Seed { before, after } => {
            let seeds = (Some(before.to_string()), Some(after.to_string()));
            (String::new(), "seed".into(), seeds.0, seeds.1)
        }
        ForkChange::Release { before, after } => {
            (String::new(), "release".into(), Some(before), Some(after))
        }
    });
    listed.collect()
}

#[test]
fn what_comes_out_differently_is_known_only_of_what_was_tried() {
    let mut session = at_two(Options::default());
    // A change that has no effect on where Pods go.
    let text = text().replacen(
        "metadata: {name: node-b}",
        "metadata: {name: node-b, labels: {a: b}}",
        1,
    );
    assert!(session.edit(&file(text), false));
    let fork = fork::frame(&session).unwrap();
    assert!(!fork.tried && fork.differences.is_empty());
    assert!(fork::is_untried(&session));
    let position = session.position();
    let fork = tried(&mut session);
    assert_eq!(
        (fork.different, fork.placed_first, fork.placed_now),
        (0, 4, 4)
    );
    assert_eq!(
        session.position(),
        position,
        "the run itself stays where it is"
    );
    assert_eq!(session.log().len(), position);
    assert!(!fork::is_untried(&session));
}

#[test]
fn a_first_run_that_was_left_early_is_compared_by_its_end() {
    let mut session = testing::session(&text());
    session.advance(3);
    assert!(session.seek(2));
    assert!(session.edit(&file(cordoned(&text())), false));
    let fork = tried(&mut session);
    assert_eq!((fork.pods_first, fork.placed_first), (4, 4));
    assert!(fork.placed_now < 4 && fork.different > 0);
    assert_eq!(fork.first_length, 3);
    let first: Vec<_> = fork
        .first
        .iter()
        .map(|mark| (mark.position, mark.kind))
        .collect();
    assert_eq!(first, [(2, MarkKind::Bound)]);
}

#[test]
fn each_change_is_listed_and_taken_back_by_itself() {
    let mut session = at_two(Options::default());
    let first = text();
    let one = cordoned(&first);
    assert!(session.edit(&file(&one), false));
    let two = one.replacen("four}\nspec", "four, labels: {a.b/c: d}}\nspec", 1);
    assert!(session.edit(&file(two.replacen("cpu: 900m", "cpu: 1", 1)), false));
    let five = format!(
        "{}{}",
        two.replacen("cpu: 900m", "cpu: 1", 1),
        pod("five", "1")
    );
    assert!(session.edit(&file(five), false));
    let fork = tried(&mut session);
    let named = |name: &str, path: &str, before: Option<&str>, after: Option<&str>| {
        let value = |value: Option<&str>| value.map(str::to_owned);
        (
            name.to_owned(),
            path.to_owned(),
            value(before),
            value(after),
        )
    };
    let cpu = "spec.containers[0].resources.requests.cpu";
    let expected = [
        named("node-a", "spec.unschedulable", None, Some("true")),
        named("one", cpu, Some("\"900m\""), Some("1")),
        named("four", "metadata.labels", None, Some("{\"a.b/c\":\"d\"}")),
        named("five", "created", None, None),
    ];
    let mut listed = fields(&fork);
    assert_eq!(listed.len(), expected.len(), "{listed:?}");
    for change in &expected {
        assert!(listed.contains(change), "{change:?} in {listed:?}");
    }

    // The second one listed is taken back; the others stay.
    let taken = listed.remove(1);
    fork::undo_change(&mut session, 1).unwrap();
    assert_eq!(
        fields(&fork::frame(&session).unwrap()),
        listed,
        "without {taken:?}"
    );
    assert_eq!(session.position(), 3, "right after the edit");
    assert!(session.undo());
    assert_eq!(fork::frame(&session).unwrap().changes.len(), expected.len());
    assert!(session.redo());
    while fork::frame(&session).is_some() {
        fork::undo_change(&mut session, 0).unwrap();
    }
    assert_eq!(
        &*session.sources()[0].text,
        first,
        "without its changes it is the first run"
    );
    assert!(fork::undo_change(&mut session, 0).is_err());
}

#[test]
fn the_mark_of_an_edit_has_its_change_if_it_is_one() {
    let change = |session: &Session| {
        let timeline = frame::build(session).timeline;
        timeline
            .last()
            .and_then(|mark| mark.change.as_deref().cloned())
    };
    let mut session = at_two(Options::default());
    assert!(session.edit(&file(cordoned(&text())), false));
    let Some(ForkChange::Field { object, path, .. }) = change(&session) else {
        panic!("{:?}", frame::build(&session).timeline);
    };
    assert_eq!(
        (object.name.as_str(), path.as_str()),
        ("node-a", "spec.unschedulable")
    );

    let mut session = at_two(Options::default());
    assert!(session.edit(&file(text() + &pod("five", "100m")), false));
    assert!(
        matches!(change(&session), Some(ForkChange::Created { object }) if object.name == "five")
    );

    let mut session = at_two(Options::default());
    assert!(session.edit(&file(text().replace(&pod("three", "900m"), "")), false));
    assert!(
        matches!(change(&session), Some(ForkChange::Deleted { object }) if object.name == "three")
    );

    let mut session = at_two(Options::default());
    assert!(session.edit(&file(cordoned(&text()) + &pod("five", "100m")), false));
    assert_eq!(change(&session), None, "two changes");
}

#[test]
fn an_uncordon_is_one_change_with_the_taint_that_goes_with_it() {
    let spec = |spec: &str| {
        let metadata = "metadata: {name: node-a}\n";
        text().replacen(metadata, &format!("{metadata}{spec}"), 1)
    };
    // As in a dump of a cluster.
    let cordoned = spec(
        "spec:\n  podCIDR: 10.0.0.0/24\n  taints:\n  - {key: node.kubernetes.io/unschedulable, effect: NoSchedule}\n  unschedulable: true\n",
    );
    let fork_of = |changed: &str| {
        let mut session = testing::session(&cordoned);
        session.advance(2);
        assert!(session.seek(1));
        assert!(session.edit(&file(changed), false));
        session
    };
    let uncordoned = spec("spec:\n  podCIDR: 10.0.0.0/24\n").replacen("cpu: 900m", "cpu: 1", 1);
    let mut session = fork_of(&uncordoned);
    let uncordon = (
        "node-a".into(),
        "spec.unschedulable".into(),
        Some("true".into()),
        None,
    );
    let listed = fields(&fork::frame(&session).unwrap());
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert_eq!(listed[0], uncordon);
    fork::undo_change(&mut session, 0).unwrap();
    assert_eq!(fields(&fork::frame(&session).unwrap()), listed[1..]);
    let text = &session.sources()[0].text;
    let is_back = ["unschedulable: true", "node.kubernetes.io/unschedulable"];
    assert!(is_back.iter().all(|part| text.contains(part)), "{text}");

    let only_the_taint = spec("spec:\n  podCIDR: 10.0.0.0/24\n  unschedulable: true\n");
    let listed = fields(&fork::frame(&fork_of(&only_the_taint)).unwrap());
    assert_eq!((listed.len(), listed[0].1.as_str()), (1, "spec.taints"));
    let more = spec("spec:\n  podCIDR: 10.0.0.0/16\n");
    let listed = fields(&fork::frame(&fork_of(&more)).unwrap());
    assert_eq!(listed.len(), 3, "{listed:?}");
}

#[test]
fn a_change_before_later_edits_is_taken_back_without_them() {
    let mut session = at_two(Options::default());
    assert!(session.edit(&file(cordoned(&text())), false));
    session.step();
    session.step();
    let later = cordoned(&text()).replacen("name: node-b}", "name: node-b, labels: {a: b}}", 1);
    assert!(session.edit(&file(&later), false));
    assert_eq!(fork::frame(&session).unwrap().changes.len(), 2);
    fork::undo_change(&mut session, 0).unwrap();
    let fork = fork::frame(&session).unwrap();
    assert_eq!(
        fields(&fork),
        [(
            "node-b".into(),
            "metadata.labels".into(),
            None,
            Some("{\"a\":\"b\"}".into())
        )]
    );
    assert!(session.position() <= 3);
}

#[test]
fn the_seed_of_the_first_run_comes_back_with_it() {
    let mut session = at_two(Options::default());
    sources::set_seed(&mut session, 7);
    let fork = tried(&mut session);
    let (first, other) = (Some("1".to_owned()), Some("7".to_owned()));
    assert_eq!(
        fields(&fork),
        [(String::new(), "seed".to_owned(), first, other)]
    );
    fork::undo_change(&mut session, 0).unwrap();
    assert_eq!(session.options().seed, 1);
    assert!(fork::frame(&session).is_none());
}

#[test]
fn the_release_of_the_first_run_comes_back_with_it() {
    let mut session = at_two(Options::default());
    sources::set_kubernetes(&mut session, Some(Version::V1_34));
    let (first, other) = (Some("1.36".to_owned()), Some("1.34".to_owned()));
    let change = (String::new(), "release".to_owned(), first, other);
    assert_eq!(fields(&tried(&mut session)), std::slice::from_ref(&change));
    fork::undo_change(&mut session, 0).unwrap();
    assert!(fork::frame(&session).is_none());
    let version = |session: &Session| session.manifests().prepared.release.version();
    assert_eq!(
        (version(&session), session.options().release.kubernetes),
        (Version::V1_36, None)
    );

    // Among several changes, it is undone alone.
    sources::set_kubernetes(&mut session, Some(Version::V1_34));
    sources::set_seed(&mut session, 7);
    let fork = tried(&mut session);
    assert_eq!(fork.changes.len(), 2, "{fork:?}");
    let release = fields(&fork).iter().position(|it| *it == change).unwrap();
    fork::undo_change(&mut session, release).unwrap();
    assert_eq!(version(&session), Version::V1_36);
    assert_eq!(fork::frame(&session).unwrap().changes.len(), 1);
}

#[test]
fn a_scheduler_configuration_is_a_change_that_can_be_taken_back() {
    let configuration = |weight: u32| {
        format!(
            "---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n\
             - plugins: {{multiPoint: {{enabled: [{{name: ImageLocality, weight: {weight}}}]}}}}\n"
        )
    };
    let kinds = |fork: &ForkFrame| -> Vec<(String, String)> {
        let kinds = fork.changes.iter().map(|change| match change {
            ForkChange::Created { object } => (object.kind.clone(), "created".to_owned()),
            ForkChange::Field { object, path, .. } => (object.kind.clone(), path.clone()),
            other => panic!("{other:?}"),
        });
        kinds.collect()
    };
    let kind = || "KubeSchedulerConfiguration".to_owned();
    let mut session = at_two(Options::default());
    assert!(session.edit(&file(text() + &configuration(3)), false));
    assert_eq!(
        kinds(&tried(&mut session)),
        [(kind(), "created".to_owned())]
    );
    fork::undo_change(&mut session, 0).unwrap();
    assert!(fork::frame(&session).is_none());

    // A field of one that was there, beside another change.
    let first = text() + &configuration(3);
    let mut session = testing::session(&first);
    session.run_to_end();
    assert!(session.edit(&file(text() + &configuration(9)), false));
    let path = "profiles[0].plugins.multiPoint.enabled[0].weight".to_owned();
    assert_eq!(kinds(&tried(&mut session)), [(kind(), path)]);
    sources::set_seed(&mut session, 7);
    let fork = tried(&mut session);
    let of_field = |change: &ForkChange| matches!(change, ForkChange::Field { .. });
    let number = fork.changes.iter().position(of_field).unwrap();
    fork::undo_change(&mut session, number).unwrap();
    assert_eq!(session.sources()[0].text.as_ref(), first);
    let left = tried(&mut session).changes;
    assert!(matches!(&*left, [ForkChange::Seed { .. }]), "{left:?}");
}

#[test]
fn a_simulated_cluster_is_compared_at_the_same_time() {
    let mut session = at_two(Options {
        live: true,
        ..Options::default()
    });
    assert!(session.edit(&file(cordoned(&text())), false));
    let fork = tried(&mut session);
    assert_eq!(
        (fork.pods_first, fork.placed_first, fork.pods_now),
        (4, 4, 4)
    );
    assert!(fork.placed_now < 4 && fork.different > 0, "{fork:?}");
}

#[test]
fn undoing_a_change_is_recorded_as_a_mutation() {
    let undo = Mutation::UndoChange { number: 0 };
    assert!(undo.rewrites_log() && !undo.runs_to_end() && undo.text().is_none());
}

#[test]
fn commands_of_the_terminal_are_changes() {
    let mut session = at_two(Options {
        live: true,
        ..Options::default()
    });
    assert_eq!(
        simulated::command(&mut session, "kubectl cordon node-a").code,
        0
    );
    let commands = |session: &Session| -> Vec<String> {
        let changes = fork::frame(session).expect("there is a fork").changes;
        let lines = changes.into_iter().map(|change| match change {
            ForkChange::Command { line } => line,
            other => format!("{other:?}"),
        });
        lines.collect()
    };
    assert_eq!(commands(&session), ["kubectl cordon node-a"]);
    assert_eq!(
        simulated::command(&mut session, "kubectl get nodes").code,
        0
    );
    assert_eq!(commands(&session).len(), 1, "it changes nothing");
    let drain = "kubectl drain node-b --force --ignore-daemonsets";
    assert_eq!(simulated::command(&mut session, drain).code, 0);
    assert_eq!(commands(&session), ["kubectl cordon node-a", drain]);
    assert!(
        fork::undo_change(&mut session, 0).is_err(),
        "the drain builds on it"
    );
    assert!(session.undo());
    fork::undo_change(&mut session, 0).unwrap();
    assert!(fork::frame(&session).is_none());
}

#[test]
fn a_change_on_trial_is_a_fork_even_at_the_end_of_the_run() {
    let mut session = at_two(Options::default());
    session.run_to_end();
    let (digest, end) = (session.run().cluster().digest(), session.position());
    let lost = Gesture::Delete {
        objects: vec![ObjectRef::node("node-b")],
    };
    trial::on_trial(&mut session, |session| edit::perform(session, &lost)).unwrap();
    let fork = tried(&mut session);
    assert_eq!((fork.at, fork.placed_first), (end, 4), "{fork:?}");
    assert!(fork.placed_now < 4 && fork.different > 0, "{fork:?}");
    assert!(sources::back_to_first_run(&mut session));
    assert_eq!(session.run().cluster().digest(), digest);
    // A refused change leaves no fork.
    let gone = Gesture::Drain {
        node: "gone".into(),
    };
    assert!(trial::on_trial(&mut session, |session| edit::perform(session, &gone)).is_err());
    assert!(fork::frame(&session).is_none());
    // Without a trial, the run continues after an edit at its end.
    edit::perform(&mut session, &lost).unwrap();
    assert!(fork::frame(&session).is_none());
}

#[test]
fn the_way_back_from_a_fix_leads_to_the_moment_that_was_shown() {
    let mut session = at_two(Options::default());
    session.run_to_end();
    let end = session.position();
    let object = ObjectRef::node("node-b");
    edit::make_at(&mut session, 1, &[Edit::Delete { object }]).unwrap();
    assert_eq!(fork::frame(&session).map(|fork| fork.at), Some(1));
    assert!(sources::back_to_first_run(&mut session));
    assert_eq!(session.position(), end);
    // A change by hand was made at the moment that was shown.
    session.seek(2);
    let object = ObjectRef::node("node-b");
    edit::make(&mut session, &[Edit::Delete { object }]).unwrap();
    assert!(sources::back_to_first_run(&mut session));
    assert_eq!(session.position(), 2);
}

#[test]
fn in_a_simulated_cluster_a_trial_is_compared_some_time_later() {
    let mut session = at_two(Options {
        live: true,
        ..Options::default()
    });
    while session.position() < session.log().len() && session.step() {}
    let node = "node-b".to_owned();
    let cordon = Gesture::Cordon { nodes: vec![node] };
    let more = Gesture::AddPod {
        name: Some("five".into()),
        namespace: String::new(),
        pod: PodForm::default(),
    };
    trial::on_trial(&mut session, |session| edit::perform(session, &cordon)).unwrap();
    edit::perform(&mut session, &more).unwrap();
    let fork = tried(&mut session);
    assert_eq!((fork.pods_first, fork.pods_now), (4, 5), "{fork:?}");
    assert_eq!(
        fork.placed_now, 5,
        "the fork is tried beyond its beginning: {fork:?}"
    );
}
