//! Lines of the terminal, and the files that they can use.

use berth_core::api::source::SourceFile;

use crate::session::{Options, Session};
use crate::simulated;
use crate::testing::alone;

const NODE: &str = "apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
";

const POD: &str = "apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: nginx}]}
";

fn session(text: &str) -> Session {
    let mut session = Session::new(Options::default());
    let taken = session.apply(&[SourceFile::new("scenario.yaml", text)]);
    assert!(taken, "{:?}", session.problems());
    session
}

fn printed(session: &mut Session, line: &str) -> String {
    let output = simulated::command(session, line);
    output.stdout + &output.stderr
}

#[test]
fn the_manifests_and_files_beside_them_are_found_by_name() {
    let mut session = session(NODE);
    simulated::put_files(&mut session, vec![SourceFile::new("pod.yaml", POD)]);
    assert_eq!(printed(&mut session, "ls"), "pod.yaml\nscenario.yaml\n");
    assert_eq!(printed(&mut session, "cat scenario.yaml"), NODE);
    let applied = printed(&mut session, "kubectl apply -f pod.yaml");
    assert_eq!(applied, "pod/web created\n");
    assert_eq!(
        printed(&mut session, "kubectl apply -f web.yaml"),
        "error: the path \"web.yaml\" does not exist\n(files here: pod.yaml, scenario.yaml; to make it: cat > web.yaml <<'EOF', then its lines, then EOF; on the page, the YAML tab takes manifests as well)\n"
    );
    let words = simulated::complete(&session, "kubectl apply -f p", 18);
    assert_eq!(words, ["pod.yaml"]);
}

#[test]
fn files_follow_the_manifests_unless_the_terminal_wrote_over_them() {
    let mut session = session(NODE);
    printed(&mut session, "ls");
    let two = format!("{NODE}---\n{}", NODE.replace("node-a", "node-b"));
    assert!(session.edit(&[SourceFile::new("scenario.yaml", two.clone())], false));
    assert_eq!(printed(&mut session, "cat scenario.yaml"), two);
    printed(&mut session, "echo mine > scenario.yaml");
    assert_eq!(printed(&mut session, "cat scenario.yaml"), "mine\n");
    // Undo restores the manifests of that moment.
    assert!(session.undo());
    assert_eq!(printed(&mut session, "cat scenario.yaml"), NODE);
}

#[test]
fn a_file_beside_the_manifests_can_be_replaced() {
    let mut session = session(NODE);
    for text in ["one\n", "two\n"] {
        simulated::put_files(&mut session, vec![SourceFile::new("notes.txt", text)]);
        assert_eq!(printed(&mut session, "cat notes.txt"), text);
    }
}

#[test]
fn fields_are_explained_with_the_given_descriptions() {
    let mut session = session(NODE);
    let fields =
        r#"{"kinds":{"v1/Pod":"Pod"},"types":{"Pod":{"":"A Pod.","own":"string|Brought later."}}}"#;
    simulated::describe_fields(&mut session, fields);
    let output = printed(&mut session, "kubectl explain pod.own");
    assert!(output.contains("Brought later."), "{output}");
}

#[test]
fn reads_are_no_change_and_everything_else_is() {
    let mut session = session(NODE);
    // The first line turns the run into a living cluster.
    alone(&mut session, "kubectl get nodes");
    let start = session.position();
    for line in [
        "kubectl describe node node-a",
        "kubectl get events",
        "echo x > file",
        "kubectl label node node-a a-",
        "kubectl apply -f scenario.yaml --dry-run=server",
        "kubectl cordon node-b",
    ] {
        simulated::command(&mut session, line);
        assert_eq!(session.position(), start, "{line}");
    }
    for (number, line) in [
        "kubectl cordon node-a",
        "ssh node-a systemctl stop kubelet",
        "kubectl run web --image=nginx",
        "kubectl delete pod web --force --grace-period=0",
        "sleep 1",
    ]
    .iter()
    .enumerate()
    {
        alone(&mut session, line);
        assert_eq!(session.position(), start + number + 1, "{line}");
    }
}
