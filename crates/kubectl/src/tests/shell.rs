//! The shell with kubectl.

use super::cluster::TestCluster;
use crate::shell::Shell;
use berth_base::random::Random;

fn shell() -> (Shell, TestCluster) {
    (Shell::default(), TestCluster::with_nodes(&["n1", "n2"]))
}

#[test]
fn k_is_kubectl() {
    let (mut shell, mut cluster) = shell();
    let output = shell.run(
        "for i in $(k get nodes -o name); do k get $i -o name; done",
        &mut cluster,
    );
    assert_eq!(output.stdout, "node/n1\nnode/n2\n");
    assert_eq!(shell.complete("k cordon n", 10, &cluster), ["n1", "n2"]);
    let output = shell.run(
        "source <(kubectl completion bash); alias k=echo; k a",
        &mut cluster,
    );
    assert_eq!(output.stdout, "a\n");
    let output = shell.run("ssh n1 sudo systemctl status kubelet", &mut cluster);
    assert!(output.stdout.contains("active (running)"), "{output:?}");
}

#[test]
fn commands_that_wait_can_be_suspended() {
    let (mut shell, mut cluster) = shell();
    let line = "echo first; sleep 60; echo $?; time sleep 1; echo end";
    let mut begun = shell.begin(line, &mut cluster);
    assert_eq!(begun.output.stdout, "first\n");
    assert!(begun.suspended.is_some());
    begun = shell.resume(3, &mut cluster);
    // A command under `time` is not suspended.
    assert_eq!(begun.output.stdout, "3\nend\n");
    assert!(begun.suspended.is_none());
    for line in ["sleep 1 | cat", "x=$(kubectl get pods -w)", "sleep 1 > f"] {
        assert!(
            shell.begin(line, &mut cluster).suspended.is_none(),
            "{line}"
        );
    }
    assert!(
        shell
            .begin("kubectl get nodes -w; a", &mut cluster)
            .suspended
            .is_some()
    );
    shell.interrupt();
    assert_eq!(shell.run("echo $?", &mut cluster).stdout, "130\n");
}

#[test]
fn words_are_completed() {
    let (mut shell, mut cluster) = shell();
    shell.run("alias k=kubectl; echo > app.yaml", &mut cluster);
    let complete = |line: &str| shell.complete(line, line.len(), &cluster);
    assert_eq!(complete("kubec"), ["kubectl"]);
    assert_eq!(complete("kubectl rollout u"), ["undo"]);
    assert_eq!(complete("k cordon n"), ["n1", "n2"]);
    assert_eq!(complete("kubectl label nodes n"), ["n1", "n2"]);
    assert_eq!(complete("kubectl delete node/n2"), ["node/n2"]);
    assert_eq!(complete("kubectl apply -f a"), ["app.yaml"]);
    assert_eq!(
        complete("kubectl get po"),
        ["poddisruptionbudgets", "pods", "podtemplates"]
    );
    assert_eq!(complete("kubectl scale --rep"), ["--replicas="]);
    assert_eq!(complete("echo x | gre"), ["grep"]);
}

/// Pieces of lines, separated by `¦`.
const PIECES: &str = "\
kubectl¦get¦apply¦delete¦label¦taint¦nodes¦n1¦-f¦-¦--¦=¦'¦\"¦$¦$(¦)¦(¦${¦}¦{¦{1..3}¦\
`¦\\¦|¦||¦&&¦&¦;¦>¦>>¦<¦<<EOF¦EOF¦<<<¦2>&1¦\n¦ ¦ ¦ ¦ ¦for¦i¦in¦do¦done¦if¦then¦fi¦\
while¦grep¦-v¦awk¦{print $1}¦sed¦s/a/b/¦sort¦head¦-n¦1¦echo¦cat¦sleep¦0¦é¦\t¦*¦\
?¦~¦[¦]¦!¦-o¦jsonpath={.a[?(@.b)]}¦wait¦rollout¦run¦--image=x¦patch¦-p¦\
{\"spec\":null}¦set¦image¦a=b¦k-¦$((¦1/0¦))¦tr¦cut¦-d¦date¦+%Q¦watch¦test¦-eq¦create¦\
deploy";

/// Random lines of meaningful pieces neither panic nor run forever.
#[test]
fn no_line_panics() {
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    let mut random = Random::new(17);
    let (mut shell, cluster) = shell();
    for round in 0..3_000_u64 {
        let mut cluster = cluster.clone();
        let count = random.below(14) + 1;
        let mut line = String::new();
        for _ in 0..count {
            let piece = usize::try_from(random.below(pieces.len() as u64)).unwrap();
            line.push_str(pieces[piece]);
            if random.below(3) > 0 {
                line.push(' ');
            }
        }
        if round % 50 == 0 {
            shell = Shell::default();
        }
        let _ = Shell::needs_more(&line);
        let _ = shell.complete(&line, line.len() / 2, &cluster);
        let _ = shell.run(&line, &mut cluster);
    }
}
