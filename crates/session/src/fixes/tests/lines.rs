//! The lines of kubectl that make a fix: played on a simulated cluster of the same manifests, they place the Pod.

use super::{deployment, failed, fixes, node, place, pod};
use crate::Choice;
use crate::session::{Options, Session};
use crate::terminal::open;
use berth_core::api::source::SourceFile;
use berth_protocol::fix::Fix;

/// Each fix with its lines.
fn with_lines(yaml: &str, key: &str) -> Vec<(Fix, Vec<String>)> {
    let (session, _) = failed(yaml, key);
    let lines = |fix: Fix| (fixes::terminal_lines(&session, key, &fix), fix);
    let all = fixes(yaml, key).into_iter().map(lines);
    all.map(|(lines, fix)| (fix, lines)).collect()
}

fn lines(yaml: &str, key: &str, sentence: &str) -> Vec<String> {
    let all = with_lines(yaml, key);
    let fixes: Vec<Fix> = all.iter().map(|(fix, _)| fix.clone()).collect();
    all[place(&fixes, sentence)].1.clone()
}

/// Plays the lines of every fix, and checks that no Pod of the name waits then.
fn all_place(yaml: &str, key: &str, selector: &str) -> usize {
    let all = with_lines(yaml, key);
    for (fix, lines) in all.iter().filter(|(_, lines)| !lines.is_empty()) {
        let files = [SourceFile::new("a.yaml", yaml)];
        let options = Options {
            release: Choice::default(),
            ..Options::default()
        };
        let mut terminal = open(&files, None, options).terminal.unwrap();
        terminal.play(60);
        for line in lines {
            let output = terminal.run(line);
            assert_eq!(output.code, 0, "{line}: {:?}", output.printed());
        }
        terminal.play(120);
        let nodes =
            format!("kubectl get pods -l {selector} -o jsonpath='{{.items[*].spec.nodeName}}'");
        let printed = format!("{:?}", terminal.run(&nodes).printed());
        let waiting = "kubectl get pods --field-selector=status.phase=Pending -o name";
        let waits = format!("{:?}", terminal.run(waiting).printed());
        assert!(
            waits == "[]" && printed != "[]",
            "{:?}: {lines:?}: {waits}",
            fix.what
        );
    }
    all.iter().filter(|(_, lines)| !lines.is_empty()).count()
}

#[test]
fn verbs_say_what_they_do() {
    let yaml = node("one", "a", "spec: {unschedulable: true}") + &pod("web", "1", "");
    assert_eq!(
        lines(&yaml, "default/web", "Uncordon one"),
        ["kubectl uncordon one"]
    );
    let tainted = "spec: {taints: [{key: link, value: slow, effect: NoSchedule}]}";
    let yaml = node("edge", "a", tainted) + &pod("web", "1", "");
    assert_eq!(
        lines(
            &yaml,
            "default/web",
            "Remove taint link=slow:NoSchedule from edge"
        ),
        ["kubectl taint node edge link=slow:NoSchedule-"]
    );
    assert_eq!(
        lines(&yaml, "default/web", "Tolerate link=slow:NoSchedule"),
        [
            r#"kubectl patch pod web -n default --type=json -p '[{"op":"add","path":"/spec/tolerations","value":[{"effect":"NoSchedule","key":"link","operator":"Equal","value":"slow"}]}]'"#
        ]
    );
    let selecting = node("one", "a", "") + &pod("web", "1", "nodeSelector: {disk: fast}");
    assert_eq!(
        lines(&selecting, "default/web", "Label one disk=fast"),
        ["kubectl label node one disk=fast --overwrite"]
    );
    assert_eq!(all_place(&selecting, "default/web", "app=web"), 1);
    assert_eq!(all_place(&yaml, "default/web", "app=web"), 2);
}

#[test]
fn what_the_api_server_refuses_has_no_line() {
    let yaml = node("one", "a", "") + &pod("web", "3", "");
    let lower = "Lower the cpu request from 3 to 2 CPU";
    assert_eq!(lines(&yaml, "default/web", lower), Vec::<String>::new());
}

#[test]
fn a_deployment_is_patched_in_its_template() {
    let yaml = node("one", "a", "") + &deployment(1, "3", "");
    let (session, position) = waiting(&yaml);
    let attempt = session
        .attempts()
        .find(|(at, _)| *at == position)
        .unwrap()
        .1;
    let key = attempt.key.clone();
    let lower = lines(&yaml, &key, "Lower the cpu request from 3 to 2 CPU");
    assert_eq!(
        lower,
        [
            r#"kubectl patch deployment web -n default --type=json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/resources/requests/cpu","value":"2"}]'"#
        ]
    );
    assert!(all_place(&yaml, &key, "app=web") >= 1);
}

/// The session with a Pod that waits, and the position of its attempt.
fn waiting(yaml: &str) -> (Session, usize) {
    let session = super::session(yaml);
    let failed = session
        .attempts()
        .find(|(_, attempt)| attempt.node().is_none());
    let (position, _) = failed.unwrap();
    (session, position)
}
