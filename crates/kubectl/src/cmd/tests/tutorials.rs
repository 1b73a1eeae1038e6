//! Lines of tutorials: what they print, and what they change.

use serde_json::json;

use super::Terminal;

fn apply(t: &mut Terminal, name: &str, manifest: &str) {
    t.cluster.files.insert(name.to_owned(), manifest.to_owned());
    t.good(&format!("kubectl apply -f {name}"));
}

#[test]
fn a_replication_controller_keeps_its_pods() {
    let mut t = Terminal::new();
    let manifest = "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc}\nspec:\n  replicas: 2\n  template:\n    metadata: {labels: {app: a}}\n    spec: {containers: [{name: c, image: nginx}]}\n";
    apply(&mut t, "rc.yaml", manifest);
    t.cluster.play(5);
    let line = "kubectl get rc rc --no-headers";
    assert_eq!(
        t.good(line).split_whitespace().collect::<Vec<_>>(),
        ["rc", "2", "2", "2", "5s"]
    );
    t.good("kubectl scale rc rc --replicas=1");
    t.cluster.play(60);
    assert_eq!(
        t.good("kubectl get pods -l app=a -o name").lines().count(),
        1
    );
    let events = t.good("kubectl describe rc rc");
    for part in [
        "SuccessfulCreate",
        "SuccessfulDelete",
        "replication-controller",
    ] {
        assert!(events.contains(part), "{part}: {events}");
    }
    let owner = "kubectl get pods -o jsonpath='{.items[0].metadata.ownerReferences[0].kind}'";
    assert_eq!(t.good(owner), "ReplicationController");
    t.good("kubectl delete rc rc");
    t.cluster.play(60);
    assert_eq!(t.good("kubectl get pods -o name"), "");
}

#[test]
fn limit_ranges_are_stored_with_their_defaults_and_judge_valid_pods() {
    let mut t = Terminal::new();
    let range = "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, max: {cpu: 500m}, min: {cpu: 100m}}]}\n";
    apply(&mut t, "l.yaml", range);
    let described = t.good("kubectl describe limitranges l");
    let last = described.lines().last().unwrap_or_default();
    let words: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(
        words,
        ["Container", "cpu", "100m", "500m", "500m", "500m", "-"]
    );
    let pod = |resources: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec: {{containers: [{{name: c, image: i, resources: {resources}}}]}}\n"
        )
    };
    t.cluster
        .files
        .insert("x.yaml".to_owned(), pod("{requests: {cpu: 700m}}"));
    assert_eq!(
        t.bad("kubectl apply -f x.yaml"),
        "The Pod \"x\" is invalid: spec.containers[0].resources.requests: Invalid value: \"700m\": must be less than or equal to cpu limit of 500m\n"
    );
    t.cluster
        .files
        .insert("x.yaml".to_owned(), pod("{limits: {cpu: 700m}}"));
    let refused = t.bad("kubectl apply -f x.yaml");
    let why =
        "pods \"x\" is forbidden: maximum cpu usage per Container is 500m, but limit is 700m\n";
    assert!(refused.ends_with(why), "{refused}");
}

#[test]
fn services_get_addresses_and_node_ports() {
    let mut t = Terminal::new();
    t.good("kubectl create -f web.yaml");
    t.good("kubectl expose deployment web --port 80 --type NodePort");
    t.good("kubectl create service clusterip a --tcp=80");
    t.good("kubectl create service clusterip b --tcp=80 --clusterip=None");
    let service =
        |t: &Terminal, name: &str| t.cluster.json("Service", "default", name)["spec"].clone();
    let web = service(&t, "web");
    assert_eq!(web["clusterIPs"], json!([web["clusterIP"]]));
    assert!(web["clusterIP"].as_str().unwrap().starts_with("10.96."));
    let port = web["ports"][0]["nodePort"].as_i64().unwrap();
    assert!((30_000..32_768).contains(&port));
    for (field, value) in [
        ("type", "NodePort"),
        ("sessionAffinity", "None"),
        ("internalTrafficPolicy", "Cluster"),
        ("externalTrafficPolicy", "Cluster"),
        ("ipFamilyPolicy", "SingleStack"),
    ] {
        assert_eq!(web[field], value, "{field}");
    }
    assert!(t.good("kubectl describe svc web").contains("NodePort:  "));
    let a = service(&t, "a");
    assert_ne!(a["clusterIP"], web["clusterIP"]);
    assert_eq!(a["ports"][0].get("nodePort"), None);
    assert_eq!(service(&t, "b")["clusterIP"], "None");
    // A manifest without them keeps the address and the port.
    let manifest = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {type: NodePort, selector: {app: web}, ports: [{port: 80, targetPort: 80}]}\n";
    t.cluster
        .files
        .insert("s.yaml".to_owned(), manifest.to_owned());
    t.good("kubectl replace -f s.yaml");
    let replaced = service(&t, "web");
    assert_eq!(replaced["clusterIP"], web["clusterIP"]);
    assert_eq!(replaced["ports"][0]["nodePort"], port);
}

#[test]
fn defaults_of_pods_and_nodes_are_shown() {
    let mut t = Terminal::new();
    t.good("kubectl run p --image=nginx");
    t.cluster.play(2);
    let pod = t.good("kubectl get pod p -o yaml");
    assert!(pod.contains("  enableServiceLinks: true\n"), "{pod}");
    assert!(pod.contains("  - lastProbeTime: null\n"), "{pod}");
    apply(
        &mut t,
        "n.yaml",
        "apiVersion: v1\nkind: Node\nmetadata: {name: n3}\nstatus: {capacity: {cpu: '2', memory: 1Gi, pods: '9'}}\n",
    );
    let allocatable = t.cluster.json("Node", "", "n3")["status"]["allocatable"].clone();
    assert_eq!(
        allocatable,
        json!({"cpu": "2", "memory": "1Gi", "pods": "9"})
    );
}

#[test]
fn what_the_api_server_warns_of_is_printed() {
    let mut t = Terminal::new();
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeSelector: {beta.kubernetes.io/arch: amd64}, containers: [{name: c, image: i}]}\n";
    t.cluster
        .files
        .insert("p.yaml".to_owned(), manifest.to_owned());
    let output = t.run("kubectl apply -f p.yaml");
    assert_eq!(output.stdout, "pod/p created\n");
    assert_eq!(
        output.stderr,
        "Warning: spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use \"kubernetes.io/arch\" instead\n"
    );
    let edited = super::DEPLOYMENT.replace(
        "labels: {app: web}}\nspec:\n  rep",
        "annotations: {berth.dev/run-for: 5s}}\nspec:\n  rep",
    );
    t.cluster.files.insert("d.yaml".to_owned(), edited);
    let output = t.run("kubectl apply -f d.yaml");
    assert_eq!(
        output.stderr,
        "Warning: the annotation \"berth.dev/run-for\" has no effect here: move it to the annotations of the Pod template\n"
    );
}

#[test]
fn unknown_fields_are_refused_warned_of_or_ignored() {
    let mut t = Terminal::new();
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, foo: 1}], bar: 2}\n";
    t.cluster
        .files
        .insert("p.yaml".to_owned(), manifest.to_owned());
    assert!(
        t.bad("kubectl apply -f p.yaml")
            .contains("strict decoding error")
    );
    let output = t.run("kubectl apply --validate=warn --dry-run=server -f p.yaml");
    assert_eq!(output.code, 0, "{output:?}");
    let mut warnings: Vec<&str> = output.stderr.lines().collect();
    warnings.sort_unstable();
    assert_eq!(
        warnings,
        [
            "Warning: unknown field \"spec.bar\"",
            "Warning: unknown field \"spec.containers[0].foo\""
        ]
    );
    assert_eq!(
        t.good("kubectl apply --validate=false -f p.yaml"),
        "pod/p created\n"
    );
    assert!(
        !t.cluster
            .json("Pod", "default", "p")
            .to_string()
            .contains("foo")
    );
}

#[test]
fn a_manifest_without_a_name_is_described() {
    let mut t = Terminal::new();
    let manifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {}\n";
    t.cluster
        .files
        .insert("d.yaml".to_owned(), manifest.to_owned());
    assert_eq!(
        t.bad("kubectl apply -f d.yaml"),
        "error: error when retrieving current configuration of:\nResource: \"apps/v1, Resource=deployments\", GroupVersionKind: \"apps/v1, Kind=Deployment\"\nName: \"\", Namespace: \"default\"\nfrom server for: \"d.yaml\": resource name may not be empty\n"
    );
}

#[test]
fn kubectl_edit_runs_the_editor_of_the_variables() {
    let mut t = Terminal::new();
    t.good("kubectl create -f web.yaml");
    let line = "KUBE_EDITOR=\"sed -i 's/replicas: 2/replicas: 3/'\" kubectl edit deployment web";
    assert_eq!(t.good(line), "deployment.apps/web edited\n");
    assert_eq!(
        t.cluster.json("Deployment", "default", "web")["spec"]["replicas"],
        3
    );
    let output = t.run("export EDITOR=nothing; kubectl edit deployment web");
    assert_eq!(output.code, 1);
    let complaint = "error: there was a problem with the editor \"nothing\"\n";
    assert!(output.stderr.ends_with(complaint), "{output:?}");
    assert!(
        t.run("EDITOR=vi kubectl edit deployment web")
            .open
            .is_some()
    );
    // The edited file is gone.
    assert!(t.cluster.files.keys().all(|path| !path.starts_with("/tmp")));
}

#[test]
fn attached_pods_are_removed() {
    let mut t = Terminal::new();
    let line = "kubectl run x -i --rm --image=busybox --restart=Never -- echo hi";
    let output = t.run(line);
    assert!(
        output
            .stdout
            .starts_with("pod/x created\nhi\npod \"x\" deleted"),
        "{output:?}"
    );
    t.cluster.play(60);
    assert_eq!(t.good("kubectl get pods -o name"), "");
    let line = "kubectl run x --rm --image=busybox -- echo hi";
    assert_eq!(
        t.bad(line),
        "error: --rm should only be used for attached containers\nSee 'kubectl run -h' for help and examples\n"
    );
    let line = "kubectl run x --image='bad image'";
    assert_eq!(
        t.bad(line),
        "error: Invalid image name \"bad image\": invalid reference format\n"
    );
}

#[test]
fn logs_are_given_or_said_to_be_unknown() {
    let mut t = Terminal::new();
    let note = "kubectl run a --image=nginx --annotations=berth.dev/logs='one\ntwo\nthree'";
    t.good(note);
    t.good("kubectl run b --image=nginx");
    t.cluster.play(3);
    assert_eq!(t.good("kubectl logs a"), "one\ntwo\nthree\n");
    assert_eq!(t.good("kubectl logs a --tail=1"), "three\n");
    for line in ["kubectl logs b", "kubectl logs -l run=b"] {
        let output = t.run(line);
        assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{line}");
        assert!(output.stderr.contains("berth.dev/logs"), "{line}");
    }
}

#[test]
fn forced_replacement_and_the_wait_for_creation_can_be_suspended() {
    let mut t = Terminal::new();
    t.good("kubectl run p --image=nginx");
    t.good("kubectl get pod p -o yaml > p.yaml");
    t.cluster.play(3);
    for line in [
        "kubectl replace --force -f p.yaml",
        "kubectl wait --for=create pod/q --timeout=5s",
    ] {
        let begun = t.shell.begin(line, &mut t.cluster);
        assert!(begun.suspended.is_some(), "{line}");
        t.shell.interrupt();
    }
    assert_eq!(
        t.good("kubectl wait --for=create pod/p"),
        "pod/p condition met\n"
    );
    assert!(
        t.bad("kubectl wait --for=create pod/q --timeout=5s")
            .contains("not found")
    );
    assert_eq!(
        t.bad("kubectl wait --for=create pod -l a=b --timeout=5s"),
        "error: no matching resources found\n"
    );
    let output = t.good("kubectl replace --force -f p.yaml");
    assert_eq!(
        output,
        "pod \"p\" deleted from default namespace\npod/p replaced\n"
    );
}

#[test]
fn a_drain_waits_as_long_as_its_timeout() {
    let mut t = Terminal::new();
    t.good("kubectl create -f web.yaml");
    t.good("kubectl create pdb web --selector app=web --min-available 2");
    t.cluster.play(5);
    let before = crate::Cluster::api(&t.cluster).now_ms();
    let output = t.run("kubectl drain n1 --timeout=30m");
    assert_eq!(output.code, 1);
    assert!(!output.stderr.contains("ten minutes"), "{output:?}");
    let took = crate::Cluster::api(&t.cluster).now_ms() - before;
    assert!((1_795_000..=1_805_000).contains(&took), "{took}");
}

#[test]
fn the_status_of_a_kubelet_may_be_shown_in_full() {
    let mut t = Terminal::new();
    assert!(
        t.good("ssh n1 systemctl status kubelet -l --no-pager")
            .contains("active (running)")
    );
}

#[test]
fn values_of_secrets_are_decoded_and_encoded() {
    let mut t = Terminal::new();
    t.good("kubectl create secret generic db --from-literal=password='S!B\\*d$zDsb='");
    let get = "kubectl get secret db -o jsonpath='{.data.password}'";
    assert_eq!(t.good(get), "UyFCXCpkJHpEc2I9");
    assert_eq!(t.good(&format!("{get} | base64 --decode")), "S!B\\*d$zDsb=");
    assert_eq!(
        t.good(&format!("{get} | base64 -d; echo")),
        "S!B\\*d$zDsb=\n"
    );
    let patch = "kubectl patch secret db -p \"{\\\"data\\\":{\\\"user\\\":\\\"$(echo -n admin | base64 -w0)\\\"}}\"";
    t.good(patch);
    let user = "kubectl get secret db -o jsonpath='{.data.user}' | base64 -d";
    assert_eq!(t.good(user), "admin");
    assert_eq!(t.good("sudo kubectl get secret db -o name"), "secret/db\n");
    assert_eq!(t.good("which kubectl"), "/usr/local/bin/kubectl\n");
}
