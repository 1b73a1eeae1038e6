//! Further commands that tutorials use.

use serde_json::json;

use super::Terminal;

const WARNING: &str = "Flag --record has been deprecated, --record will be removed in the future\n";
const CAUSE: &str = "/metadata/annotations/kubernetes.io~1change-cause";

fn cause(t: &Terminal) -> serde_json::Value {
    let object = t.cluster.json("Deployment", "default", "web");
    object.pointer(CAUSE).cloned().unwrap_or_default()
}

#[test]
fn commands_are_recorded_on_request() {
    let mut t = Terminal::new();
    for (line, recorded) in [
        (
            "kubectl create -f web.yaml --record",
            "kubectl create --filename=web.yaml --record=true",
        ),
        (
            "kubectl set image --record deploy/web nginx=nginx:2 -n default",
            "kubectl set image deploy/web nginx=nginx:2 --record=true --namespace=default",
        ),
        (
            "kubectl scale deploy web --replicas 3 --record",
            "kubectl scale deploy web --replicas=3 --record=true",
        ),
        (
            "kubectl apply -f web.yaml --record=true",
            "kubectl apply --filename=web.yaml --record=true",
        ),
    ] {
        let output = t.run(line);
        // `apply` also warns about the missing last-applied annotation, which `create` does not write.
        assert!(
            output.stderr.starts_with(WARNING),
            "{line}: {}",
            output.stderr
        );
        assert_eq!((output.code, cause(&t)), (0, json!(recorded)), "{line}");
    }
    // Without the flag, the last recorded command stays.
    t.good("kubectl set image deploy/web nginx=nginx:3");
    assert_eq!(cause(&t), "kubectl apply --filename=web.yaml --record=true");
    let output = t.run("kubectl run one --image=nginx --record");
    assert_eq!((output.stderr.as_str(), output.code), (WARNING, 0));
    let pod = t.cluster.json("Pod", "default", "one");
    let cause = pod.pointer(CAUSE).cloned().unwrap_or_default();
    assert_eq!(cause, "kubectl run one --image=nginx --record=true");
}

#[test]
fn generators_report_validation_errors() {
    let mut t = Terminal::new();
    assert_eq!(
        t.bad("kubectl create cronjob a --image=x --schedule='61 * * * *' -- date"),
        "error: failed to create cronjob: CronJob.batch \"a\" is invalid: spec.schedule: Invalid value: \
         \"61 * * * *\": end of range (61) above maximum (59): 61\n"
    );
    for (line, complaint) in [
        (
            "ns a",
            "Error from server (AlreadyExists): namespaces \"a\" already exists\n",
        ),
        (
            "ns A_",
            "The Namespace \"A_\" is invalid: \n* metadata.name: Invalid value: \"A_\": ",
        ),
        (
            "quota a",
            "error: failed to create quota: resourcequotas \"a\" already exists\n",
        ),
        (
            "pdb a --selector=a=b --min-available=1",
            "error: failed to create poddisruptionbudgets: poddisruptionbudgets.policy \"a\" already exists\n",
        ),
        (
            "service clusterip a --tcp=80",
            "error: failed to create ClusterIP service: services \"a\" already exists\n",
        ),
    ] {
        let line = format!("kubectl create {line}");
        t.run(&line);
        let printed = t.bad(&line);
        assert!(printed.starts_with(complaint), "{line}: {printed}");
    }
}

#[test]
fn an_absent_partition_defaults_to_zero() {
    let mut t = Terminal::new();
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  selector: {matchLabels: {app: db}}\n  \
               template:\n    metadata: {labels: {app: db}}\n    spec: {containers: [{name: c, image: 'nginx:1'}]}\n";
    t.cluster.files.insert("db.yaml".to_owned(), set.to_owned());
    t.good("kubectl apply -f db.yaml");
    let error = t.good("kubectl rollout status statefulset/db");
    assert!(
        error.ends_with("partitioned roll out complete: 1 new pods have been updated...\n"),
        "{error}"
    );
}

#[test]
fn kubelets_stop_and_come_back() {
    let mut t = Terminal::new();
    let since = |t: &Terminal| crate::Cluster::api(&t.cluster).silent_since("n1");
    assert_eq!(t.good("ssh root@n1 'sudo systemctl stop kubelet'"), "");
    assert!(since(&t).is_some());
    let output = t.run("ssh n1 systemctl status kubelet");
    assert_eq!(output.code, 3);
    assert!(
        output.stdout.contains("inactive (dead)"),
        "{}",
        output.stdout
    );
    t.good("ssh n1 systemctl start kubelet");
    assert_eq!(since(&t), None);
    let output = t.run("ssh n9 systemctl stop kubelet");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (
            255,
            "ssh: Could not resolve hostname n9: Temporary failure in name resolution\n"
        )
    );
    assert_eq!(t.run("ssh n1 reboot").code, 2);
}

#[test]
fn a_kind_alone_means_all_rollouts() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml; sed 's/web/db/' web.yaml | kubectl apply -f -");
    t.good("kubectl rollout status deployment");
    assert_eq!(
        t.good("kubectl rollout restart deployment"),
        "deployment.apps/db restarted\ndeployment.apps/web restarted\n"
    );
    assert_eq!(
        t.good("kubectl rollout pause deploy"),
        "deployment.apps/db paused\ndeployment.apps/web paused\n"
    );
}

#[test]
fn a_drain_that_a_budget_blocks_gives_up() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml; kubectl rollout status deployment/web");
    t.good("kubectl create pdb web --selector=app=web --min-available=2");
    t.good("kubectl cordon n2");
    let before = t.good("date +%s");
    let output = t.run("kubectl drain n1");
    assert_eq!(output.code, 1);
    let last = "error: still refused after ten minutes of virtual time; interrupted\n";
    assert!(output.stderr.ends_with(last), "{}", output.stderr);
    let took = |since: &str, until: &str| {
        let second = |text: &str| text.trim().parse::<i64>().expect("a second");
        second(until) - second(since)
    };
    let took = took(&before, &t.good("date +%s"));
    assert!((600..660).contains(&took), "{took} s");
}

#[test]
fn deployments_accept_the_largest_replica_count() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml; kubectl cordon n1 n2; kubectl delete deployment web");
    t.good("kubectl create quota few --hard=pods=3");
    t.good("kubectl create deployment all --image=nginx --replicas=2147483647");
    let most = "kubectl get rs -o jsonpath='{.items[0].metadata.annotations.deployment\\.kubernetes\\.io/max-replicas}'";
    assert_eq!(t.good(most), "2147483647");
    assert_eq!(t.good("kubectl get pods -o name | wc -l"), "3\n");
}

#[test]
fn common_mistakes_get_kubectls_errors() {
    let mut t = Terminal::new();
    for (line, stderr) in [
        (
            "kubectl create token robot",
            "error: tokens are not issued here, as nothing would check them\n",
        ),
        (
            "sed 's/replicas: 2/replicas: two/' web.yaml | kubectl apply -f -",
            "Error from server (BadRequest): error when creating \"STDIN\": Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32\n",
        ),
        (
            "grep -v selector web.yaml | kubectl apply -f -",
            "The Deployment \"web\" is invalid: \n* spec.selector: Required value\n* spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template `labels`\n",
        ),
        (
            "kubectl get pods --field-selector=foo=bar",
            "Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label selector \"\", field selector \"foo=bar\": field label not supported: foo\n",
        ),
        (
            "echo | kubectl replace -f -",
            "error: no objects passed to replace\n",
        ),
        (
            "kubectl get pods -l 'app in web'",
            "Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label selector \"app in web\", field selector \"\": unable to parse requirement: found 'web' expected: '('\n",
        ),
        (
            "kubectl delete deploy -l 'app=web db'",
            "Error from server (BadRequest): Unable to find \"apps/v1, Resource=deployments\" that match label selector \"app=web db\", field selector \"\": found 'db', expected: ',' or 'end of string'\n",
        ),
        (
            "kubectl get pods --field-selector=foo",
            "Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label selector \"\", field selector \"foo\": invalid selector: 'foo'; can't understand 'foo'\n",
        ),
        (
            "kubectl drain n1 --pod-selector='a in b'",
            "error: unable to parse requirement: found 'b' expected: '('\n",
        ),
        (
            "kubectl delete pc system-node-critical",
            "Error from server (Forbidden): priorityclasses.scheduling.k8s.io \"system-node-critical\" is forbidden: this is a system priority class and cannot be deleted\n",
        ),
    ] {
        assert_eq!(t.bad(line), stderr, "{line}");
    }
    assert_eq!(
        t.good("kubectl get nodes -o name | egrep 'n1|n9'"),
        "node/n1\n"
    );
    assert_eq!(t.good("echo 'a|b' | fgrep 'a|b'"), "a|b\n");
}

#[test]
fn most_fields_of_a_pod_are_immutable() {
    let mut t = Terminal::new();
    let pod = "cat <<EOF | kubectl create -f -\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: n1, containers: [{name: c, image: a}]}\nEOF";
    t.good(pod);
    t.cluster.play(5);
    // The error is not about tolerations: admission adds the default ones again.
    let error = t.bad(&pod.replace("create", "replace"));
    let changes = "The Pod \"p\" is invalid: spec: Forbidden: pod updates may not change fields";
    assert!(error.starts_with(changes), "{error}");
}

#[test]
fn only_the_status_subresource_changes_the_status() {
    let mut t = Terminal::new();
    let patch = |status: &str| {
        format!(
            r#"kubectl patch node n1 -p '{{"status":{{"allocatable":{{"cpu":"7"}}}}}}'{status}"#
        )
    };
    let cpu = "kubectl get node n1 -o jsonpath='{.status.allocatable.cpu}'";
    let before = t.good(cpu);
    assert_eq!(t.good(&patch("")), "node/n1 patched (no change)\n");
    assert_eq!(t.good(cpu), before);
    assert_eq!(t.good(&patch(" --subresource=status")), "node/n1 patched\n");
    assert_eq!(t.good(cpu), "7");
}

#[test]
fn events_explain_why_claims_are_refused() {
    let mut t = Terminal::new();
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  serviceName: db\n  selector: {matchLabels: {app: db}}\n  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i}]}}\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n";
    t.good("kubectl create quota none --hard=persistentvolumeclaims=0");
    t.good(&format!("cat <<EOF | kubectl apply -f -\n{set}EOF"));
    t.cluster.play(5);
    let described = t.good("kubectl describe sts db | grep FailedCreate | head -n 2");
    let claim = "Create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: persistentvolumeclaims \"data-db-0\" is forbidden: exceeded quota: none";
    assert!(described.contains(claim), "{described}");
    assert!(
        described.contains("Create Pod db-0 in StatefulSet db failed error: "),
        "{described}"
    );
}

#[test]
fn a_group_of_commands_lists_them_and_fails() {
    let mut t = Terminal::new();
    let listed = t.bad("kubectl rollout");
    let expected = "Available Commands:\n  history       View rollout history\n  pause         Mark the provided resource as paused\n";
    assert!(listed.contains(expected), "{listed}");
    assert_eq!(t.good("kubectl rollout --help"), listed);
    let listed = t.bad("kubectl top");
    let expected = "Available Commands:\n  node          Display resource (CPU/memory) usage of nodes\n  pod           Display resource (CPU/memory) usage of pods\n\n";
    assert!(listed.contains(expected), "{listed}");
    for line in [
        "kubectl edit",
        "kubectl set image",
        "kubectl scale --replicas=1",
        "kubectl expose",
    ] {
        let error = t.bad(line);
        assert!(
            error.ends_with("\n   '<resource> <name>'\n   '<resource>'\n"),
            "{line}: {error}"
        );
    }
}

#[test]
fn logs_of_a_pod_without_a_node_are_empty() {
    let mut t = Terminal::new();
    t.good("kubectl run big --image=nginx --overrides='{\"spec\":{\"nodeSelector\":{\"no\":\"such\"}}}'");
    t.cluster.play(5);
    assert_eq!(
        t.good("kubectl get pod big -o jsonpath='{.spec.nodeName}'"),
        ""
    );
    assert_eq!(t.good("kubectl logs big"), "");
}

#[test]
fn missing_arguments_are_reported_first() {
    let mut t = Terminal::new();
    for (line, stderr) in [
        (
            "kubectl describe",
            "error: You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.\n",
        ),
        ("kubectl run", "error: required flag(s) \"image\" not set\n"),
        (
            "kubectl create ns",
            "error: exactly one NAME is required, got 0\nSee 'kubectl create namespace -h' for help and examples\n",
        ),
        (
            "kubectl exec p",
            "error: you must specify at least one command for the container\n",
        ),
        (
            "kubectl port-forward svc/web",
            "error: TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples\n",
        ),
        (
            "kubectl version please",
            "error: extra arguments: [please]\n",
        ),
        (
            "kubectl label node n1 a=b=c",
            "error: invalid label spec: a=b=c\n",
        ),
        (
            "kubectl taint node n1 a=b:Never",
            "error: invalid taint effect: Never, unsupported taint effect\nSee 'kubectl taint -h' for help and examples\n",
        ),
    ] {
        assert_eq!(t.bad(line), stderr, "{line}");
    }
}
