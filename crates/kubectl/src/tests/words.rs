//! Texts of single commands, word for word as kubectl's.

use super::requests::Terminal;

const TWO_PORTS: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: dns}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {initContainers: [{name: i, image: i}], containers: [{name: c, image: i, ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}, {containerPort: 53}], env: [{name: A, value: '1'}, {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}, {name: PW, valueFrom: {secretKeyRef: {name: s, key: k}}}, {name: CM, valueFrom: {configMapKeyRef: {name: m, key: k}}}, {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu, containerName: c}}}]}]}}}}";

#[test]
fn names_exclude_all_and_selectors() {
    let mut t = Terminal::new();
    t.good("kubectl run a --image=i");
    let named = "error: name cannot be provided when a selector is specified\n";
    assert_eq!(t.bad("kubectl delete pod a --all"), named);
    assert_eq!(t.bad("kubectl delete pod a -l x=y"), named);
    assert_eq!(
        t.bad("kubectl delete pod/a --all"),
        "error: selectors and the all flag cannot be used when passing resource/name arguments\n"
    );
    assert_eq!(t.good("kubectl get pods -o name"), "pod/a\n");
}

#[test]
fn wait_names_the_resource_without_its_group() {
    let mut t = Terminal::new().file("d.yaml", TWO_PORTS);
    t.good("kubectl create -f d.yaml");
    assert_eq!(
        t.bad("kubectl wait --for=condition=Never deploy/dns --timeout=3s"),
        "error: timed out waiting for the condition on deployments/dns\n"
    );
    assert_eq!(
        t.bad("kubectl wait --for=condition=Never deploy/dns --timeout=0"),
        "error: condition not met for deployments/dns\n"
    );
}

#[test]
fn variables_are_listed_with_their_sources() {
    let mut t = Terminal::new().file("d.yaml", TWO_PORTS);
    t.good("kubectl create -f d.yaml");
    let listed = "# Deployment dns, container c
A=1
# NODE from field path spec.nodeName
# PW from secret s, key k
# CM from configmap m, key k
# CPU from resource field c/limits.cpu
# Deployment dns, container i
";
    assert_eq!(t.good("kubectl set env deploy/dns --list"), listed);
    let changed = listed
        .replace("A=1\n", "")
        .replace("container i\n", "container i\nB=2\n");
    let changed = changed.replace("limits.cpu\n", "limits.cpu\nB=2\n");
    assert_eq!(t.good("kubectl set env deploy/dns A- B=2 --list"), changed);
    assert_eq!(t.good("kubectl set env deploy/dns --list"), listed);
    assert_eq!(
        t.good("kubectl set env deploy/dns --list -c i"),
        "# Deployment dns, container i\n"
    );
}

#[test]
fn exposed_ports_keep_their_protocols() {
    let mut t = Terminal::new().file("d.yaml", TWO_PORTS);
    t.good("kubectl create -f d.yaml");
    t.good("kubectl expose deploy dns");
    let ports = |name: &str| {
        format!(
            "kubectl get svc {name} -o jsonpath='{{range .spec.ports[*]}}{{.name}} {{.port}}/{{.protocol}} {{end}}'"
        )
    };
    assert_eq!(
        t.good(&ports("dns")),
        "port-1 80/TCP port-2-udp 53/UDP port-2-tcp 53/TCP "
    );
    t.good("kubectl expose deploy dns --name=sctp --protocol=SCTP");
    assert_eq!(t.good(&ports("sctp")), "port-1 80/SCTP port-2 53/SCTP ");
    t.good("kubectl expose svc sctp --name=again");
    assert_eq!(t.good(&ports("again")), "port-1 80/SCTP port-2 53/SCTP ");
}

#[test]
fn logs_of_every_container() {
    let mut t = Terminal::new().file(
        "p.yaml",
        "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {a: b}}, spec: {initContainers: [{name: i, image: i, command: [echo, first]}], containers: [{name: c, image: i, command: [sh, -c, 'echo main; sleep 99']}, {name: d, image: i, command: [sh, -c, 'echo other; sleep 99']}]}}",
    );
    t.good("kubectl create -f p.yaml");
    t.cluster.play(30);
    assert_eq!(
        t.bad("kubectl logs p -c i"),
        "Error from server (BadRequest): container \"i\" in pod \"p\" is not available\n"
    );
    t.good("kubectl patch pod p --subresource=status -p '{\"status\":{\"initContainerStatuses\":[{\"name\":\"i\",\"image\":\"i\",\"imageID\":\"\",\"ready\":true,\"restartCount\":0,\"state\":{\"terminated\":{\"exitCode\":0}}}]}}'");
    assert_eq!(t.good("kubectl logs p -c i"), "first\n");
    let output = t.run("kubectl logs p");
    assert_eq!(output.stdout, "main\n");
    assert_eq!(
        output.stderr,
        "Defaulted container \"c\" out of: c, d, i (init)\n"
    );
    assert_eq!(
        t.good("kubectl logs p --all-containers --prefix"),
        "[pod/p/i] first\n[pod/p/c] main\n[pod/p/d] other\n"
    );
    assert_eq!(t.good("kubectl logs -l a=b --limit-bytes=2"), "ma");
    for (line, error) in [
        (
            "kubectl logs p -c x",
            "error: container x is not valid for pod p out of: c, d, i (init)\n",
        ),
        (
            "kubectl logs p c -p",
            "Error from server (BadRequest): previous terminated container \"c\" in pod \"p\" not found\n",
        ),
        (
            "kubectl logs q",
            "error: error from server (NotFound): pods \"q\" not found in namespace \"default\"\n",
        ),
        (
            "kubectl logs p -l a=b",
            "error: only a selector (-l) or a POD name is allowed\nSee 'kubectl logs -h' for help and examples\n",
        ),
        (
            "kubectl logs p -c c --all-containers",
            "error: --all-containers=true should not be specified with container name c\n",
        ),
    ] {
        assert_eq!(t.bad(line), error, "{line}");
    }
    let timed = t.run("kubectl logs p -c c --since=1h");
    assert!(timed.stderr.contains("--since has no effect"), "{timed:?}");
}

#[test]
fn several_refused_objects_are_worded_as_an_aggregate() {
    let pod = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c}}]}}\n"
        )
    };
    let two = pod("a") + &pod("b");
    let mut t = Terminal::new()
        .file("one.yaml", &pod("a"))
        .file("two.yaml", &two);
    let why = "spec.containers[0].image: Required value";
    for verb in ["create", "apply"] {
        assert_eq!(
            t.bad(&format!("kubectl {verb} -f one.yaml")),
            format!("The Pod \"a\" is invalid: {why}\n")
        );
        let line = |name: &str| {
            format!(
                "Error from server (Invalid): error when creating \"two.yaml\": Pod \"{name}\" is invalid: {why}\n"
            )
        };
        let both = line("a") + &line("b");
        assert_eq!(t.bad(&format!("kubectl {verb} -f two.yaml")), both);
    }
}

#[test]
fn a_document_without_a_kind_ends_its_file() {
    let text = "metadata: {name: x}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: w}\n";
    let mut t = Terminal::new().file("x.yaml", text);
    let validating = |lacks: &str| {
        format!(
            "error: error validating \"x.yaml\": error validating data: {lacks}; if you choose to ignore these errors, turn validation off with --validate=false\n"
        )
    };
    let both = validating("[apiVersion not set, kind not set]");
    assert_eq!(t.bad("kubectl apply -f x.yaml"), both);
    assert!(t.bad("kubectl get cm w").contains("not found"));
    assert_eq!(
        t.bad("kubectl delete -f x.yaml --wait=false"),
        "unable to decode \"x.yaml\": Object 'Kind' is missing in '{\"metadata\":{\"name\":\"x\"}}'\nError from server (NotFound): error when deleting \"x.yaml\": configmaps \"w\" not found\n"
    );
}

#[test]
fn a_change_cause_is_always_overwritten() {
    let mut t = Terminal::new();
    t.good("kubectl run a --image=i");
    for cause in ["one", "two"] {
        t.good(&format!(
            "kubectl annotate pod a kubernetes.io/change-cause={cause} x=y"
        ));
    }
    assert!(
        t.bad("kubectl annotate pod a x=z")
            .contains("--overwrite is false")
    );
}

#[test]
fn changes_of_templates_name_what_failed() {
    let mut t = Terminal::new().file("d.yaml", TWO_PORTS);
    t.good("kubectl create -f d.yaml");
    assert_eq!(
        t.bad("kubectl set resources deploy/dns -c c --requests=cpu=2 --limits=cpu=1"),
        "error: failed to patch resources update to pod template Deployment.apps \"dns\" is invalid: spec.template.spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1\n"
    );
}

#[test]
fn two_waits_that_time_out_have_no_prefix() {
    let mut t = Terminal::new();
    t.good("kubectl run a --image=i");
    t.good("kubectl run b --image=i");
    assert_eq!(
        t.bad("kubectl wait pod a b --for=condition=Never --timeout=1s"),
        "timed out waiting for the condition on pods/a\ntimed out waiting for the condition on pods/b\n"
    );
}

#[test]
fn wrong_changes_of_variables_and_labels() {
    let mut t = Terminal::new().file("d.yaml", TWO_PORTS);
    t.good("kubectl create -f d.yaml");
    assert_eq!(t.good("kubectl set env deploy/dns"), "");
    for (line, error) in [
        (
            "kubectl set env deploy/dns A=1 A-",
            "error: can not both modify and remove the same environment variable in the same command\n",
        ),
        (
            "kubectl set env A=1 deploy/dns",
            "error: all resources must be specified before environment changes: A=1 deploy/dns\n",
        ),
        (
            "kubectl set env deploy/dns ..a=1",
            "error: \"..a\" is not a valid key name: must not start with '..'\n",
        ),
        (
            "kubectl set env deploy/dns --list -o yaml",
            "error: --list and --output may not be specified together\n",
        ),
        (
            "kubectl label deploy dns x=y x-",
            "error: can not both modify and remove a label in the same command\n",
        ),
        (
            "kubectl label deploy dns =x",
            "error: at least one label update is required\n",
        ),
    ] {
        assert_eq!(t.bad(line), error, "{line}");
    }
    let key = t.bad("kubectl label deploy dns 'a b=c'");
    let start =
        "The Deployment \"dns\" is invalid: metadata.labels: Invalid value: \"a b\": name part";
    assert!(key.starts_with(start), "{key}");
}

#[test]
fn services_of_every_type_are_created() {
    let mut t = Terminal::new();
    for (line, path, value) in [
        (
            "externalname e --external-name=example.com",
            "externalName",
            "example.com",
        ),
        (
            "nodeport n --tcp=80:http --node-port=30123",
            "ports[0].nodePort",
            "30123",
        ),
        ("clusterip c --tcp=80", "ports[0].name", "80"),
        ("clusterip h --clusterip=None", "clusterIP", "None"),
    ] {
        t.good(&format!("kubectl create service {line}"));
        let name = line.split(' ').nth(1).unwrap_or_default();
        let shown = t.good(&format!(
            "kubectl get svc {name} -o jsonpath='{{.spec.{path}}}'"
        ));
        assert_eq!(shown, value, "{line}");
    }
    for (line, error) in [
        (
            "clusterip x --tcp=x",
            "strconv.ParseUint: parsing \"x\": invalid syntax",
        ),
        (
            "clusterip x --tcp=99999",
            "strconv.ParseUint: parsing \"99999\": value out of range",
        ),
        (
            "nodeport x",
            "at least one tcp port specifier must be provided",
        ),
        (
            "externalname x",
            "required flag(s) \"external-name\" not set",
        ),
        (
            "externalname x --external-name=-",
            "invalid service external name -",
        ),
    ] {
        let said = t.bad(&format!("kubectl create service {line}"));
        assert_eq!(said, format!("error: {error}\n"), "{line}");
    }
}

#[test]
fn run_honours_or_refuses_its_flags() {
    let mut t = Terminal::new();
    let attached = t.bad("kubectl run a --image=i -it --dry-run=client -o yaml -- sh");
    let start = "error: --dry-run=[server|client] can't be used with attached containers options";
    assert!(attached.starts_with(start), "{attached}");
    let path = "-o jsonpath='{.spec.containers[0].securityContext}'";
    let line = format!("kubectl run a --image=i --privileged --dry-run=client {path}");
    assert_eq!(t.good(&line), "{\"privileged\":true}");
    assert_eq!(
        t.bad("kubectl run a --image=i --labels=a"),
        "error: unexpected label spec: a\n"
    );
    assert_eq!(
        t.bad("kubectl run a --image=i --overrides=x"),
        "error: Invalid JSON Patch\n"
    );
}

#[test]
fn a_document_ends_at_three_dots() {
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n...\ndata: {a: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n";
    let mut t = Terminal::new().file("x.yaml", text);
    assert_eq!(
        t.good("kubectl apply -f x.yaml"),
        "configmap/one created\nconfigmap/two created\n"
    );
}

#[test]
fn a_stale_version_is_a_conflict() {
    let mut t = Terminal::new();
    t.good("kubectl run a --image=i");
    assert_eq!(
        t.bad("kubectl label pod a x=y --resource-version=1"),
        "Error from server (Conflict): Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes to the latest version and try again\n"
    );
    let version = t.good("kubectl get pod a -o jsonpath='{.metadata.resourceVersion}'");
    t.good(&format!(
        "kubectl annotate pod a x=y --resource-version={version}"
    ));
    t.good("kubectl run b --image=i");
    assert_eq!(
        t.bad("kubectl label pod a b x=y --resource-version=1"),
        "error: --resource-version may only be used with a single resource\n"
    );
}

#[test]
fn texts_of_rollouts_groups_and_kinds() {
    let mut t = Terminal::new().file("d.yaml", TWO_PORTS);
    t.good("kubectl create -f d.yaml");
    t.good("kubectl rollout pause deploy/dns");
    for (line, error) in [
        (
            "kubectl rollout undo deploy/dns",
            "error: no rollout history found for deployment \"dns\"\n",
        ),
        (
            "kubectl create secret foo s",
            "error: unknown command \"foo s\"\nSee 'kubectl create secret -h' for help and examples\n",
        ),
        (
            "kubectl rollout back deploy/dns",
            "error: unknown command \"back deploy/dns\"\nSee 'kubectl rollout -h' for help and examples\n",
        ),
    ] {
        assert_eq!(t.bad(line), error, "{line}");
    }
    let output = t.run("kubectl get deploy/dns pod/none --no-headers");
    assert!(output.stdout.starts_with("dns "), "{output:?}");
}
