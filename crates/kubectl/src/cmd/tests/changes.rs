//! Objects are patched, edited and replaced.

use super::*;
use crate::OpenRequest;

#[test]
fn a_finalizer_that_cannot_be_is_refused() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml");
    let patch = |name: &str| {
        format!(r#"kubectl patch deploy web -p '{{"metadata":{{"finalizers":["{name}"]}}}}'"#)
    };
    let refusal = t.bad(&patch(&format!("example.com/{}", "x".repeat(64))));
    assert!(
        refusal.starts_with("The Deployment \"web\" is invalid: metadata.finalizers: "),
        "{refusal}"
    );
    assert_eq!(
        t.good(&patch("example.com/hold")),
        "deployment.apps/web patched\n"
    );
    t.good("kubectl delete deploy web --wait=false");
    t.good(r#"kubectl patch deploy web --type merge -p '{"metadata":{"finalizers":null}}'"#);
    assert!(t.bad("kubectl get deploy web").contains("not found"));
}

#[test]
fn patches_of_three_kinds() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml");
    for (line, stdout) in [
        (
            r#"kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:3"}]}}}}'"#,
            "deployment.apps/web patched\n",
        ),
        (
            r#"kubectl patch deploy web --type=json -p='[{"op":"replace","path":"/spec/replicas","value":5}]'"#,
            "deployment.apps/web patched\n",
        ),
        (
            r#"kubectl patch deploy web --type merge -p '{"spec":{"replicas":5}}'"#,
            "deployment.apps/web patched (no change)\n",
        ),
        (
            r#"kubectl patch node n1 -p '{"spec":{"unschedulable":true}}'"#,
            "node/n1 patched\n",
        ),
    ] {
        assert_eq!(t.good(line), stdout, "{line}");
    }
    let spec = t.cluster.json("Deployment", "default", "web")["spec"].clone();
    assert_eq!(
        (
            &spec["replicas"],
            &spec["template"]["spec"]["containers"][0]["image"]
        ),
        (&json!(5), &json!("nginx:3"))
    );
    for (patch, why) in [
        (
            r#"{"spec":{"replicas":"many"}}"#,
            "map[spec:map[replicas:many]]\": unrecognized type: int32\n",
        ),
        (
            r#"{"metadata":{"labels":{"b":1,"a":"x"}}}"#,
            "map[metadata:map[labels:map[a:x b:1]]]\": cannot convert int64 to string\n",
        ),
        (
            r#"{"spec":{"template":{"spec":{"nodeSelector":"n1"}}}}"#,
            "map[spec:map[template:map[spec:map[nodeSelector:n1]]]]\": cannot restore map from string\n",
        ),
        (
            r#"{"spec":{"template":{"spec":3}}}"#,
            "map[spec:map[template:map[spec:3]]]\": cannot restore struct from: int64\n",
        ),
    ] {
        assert_eq!(
            t.bad(&format!("kubectl patch deploy web -p '{patch}'")),
            format!("The request is invalid: patch: Invalid value: \"{why}")
        );
    }
    let output =
        t.bad(r#"kubectl patch deploy web --type=merge -p '{"spec":{"replicas":"many"}}'"#);
    let start = r#"The request is invalid: patch: Invalid value: "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\""#;
    let end = "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32\n";
    assert!(
        output.starts_with(start) && output.ends_with(end),
        "{output}"
    );
    // Unknown fields only cause warnings.
    let output = t.run(
        r#"kubectl patch deploy web -p '{"spec":{"size":3,"template":{"spec":{"host":"a"}}}}'"#,
    );
    assert_eq!(output.stdout, "deployment.apps/web patched (no change)\n");
    assert_eq!(
        output.stderr,
        "Warning: unknown field \"spec.template.spec.host\"\nWarning: unknown field \"spec.size\"\n"
    );
}

#[test]
fn objects_are_edited() {
    let mut t = Terminal::new();
    t.good("kubectl apply -f web.yaml");
    let output = t.run("kubectl edit deployment web");
    let request = output.open.expect("something to edit");
    let OpenRequest::Object { text, .. } = &request else {
        panic!("{request:?}");
    };
    let changed = text.replace("replicas: 2\n", "replicas: 6\n");
    let output = Shell::edited(&request, &changed, &mut t.cluster);
    assert_eq!(output.stdout, "deployment.apps/web edited\n", "{output:?}");
    assert_eq!(
        t.cluster.json("Deployment", "default", "web")["spec"]["replicas"],
        6
    );
    let output = Shell::edited(&request, text, &mut t.cluster);
    assert_eq!(output.stderr, "Edit cancelled, no changes made.\n");
}

#[test]
fn a_status_is_edited_and_replaced_alone() {
    let mut t = Terminal::new();
    let cpu = |t: &Terminal| t.cluster.json("Node", "", "n1")["status"]["capacity"]["cpu"].clone();
    let before = cpu(&t);
    let output = t.run("kubectl edit node n1 --subresource=status");
    let request = output.open.expect("something to edit");
    let OpenRequest::Object { text, .. } = &request else {
        panic!("{request:?}");
    };
    let old = format!("    cpu: {before}\n");
    assert!(text.contains(&old), "{text}");
    let new = text.replace(&old, "    cpu: \"77\"\n") + "spec: {unschedulable: true}\n";
    let output = Shell::edited(&request, &new, &mut t.cluster);
    assert_eq!(output.stdout, "node/n1 edited\n", "{output:?}");
    assert_eq!(cpu(&t), "77");
    let object = t.cluster.json("Node", "", "n1");
    assert!(object.pointer("/spec/unschedulable").is_none(), "{object}");
    let line = "kubectl get node n1 -o yaml | sed 's/cpu: \"77\"/cpu: \"78\"/' | kubectl replace --subresource=status -f -";
    assert_eq!(t.good(line), "node/n1 replaced\n");
    assert_eq!(cpu(&t), "78");
    assert_eq!(
        t.bad("kubectl edit sc standard --subresource=status"),
        "Error from server (NotFound): storageclasses.storage.k8s.io \"standard\" not found\n"
    );
    t.good("kubectl apply -f web.yaml");
    let request = t
        .run("kubectl edit deploy web --subresource=scale")
        .open
        .expect("something");
    let OpenRequest::Object { text, .. } = &request else {
        panic!("{request:?}");
    };
    let changed = text.replace("spec:\n  replicas: 2\n", "spec:\n  replicas: 7\n");
    let output = Shell::edited(&request, &changed, &mut t.cluster);
    assert_eq!(
        output.stdout, "scale.autoscaling/web edited\n",
        "{output:?}"
    );
    assert_eq!(
        t.cluster.json("Deployment", "default", "web")["spec"]["replicas"],
        7
    );
}

#[test]
fn replaced_objects_are_new_or_changed() {
    let mut t = Terminal::new();
    t.good("kubectl create -f web.yaml");
    assert_eq!(
        t.good("sed 's/replicas: 2/replicas: 1/' web.yaml | kubectl replace -f -"),
        "deployment.apps/web replaced\n"
    );
    let before = t.cluster.json("Deployment", "default", "web")["metadata"]["uid"].clone();
    assert_eq!(
        t.good("kubectl replace --force -f web.yaml"),
        "deployment.apps \"web\" deleted from default namespace\ndeployment.apps/web replaced\n"
    );
    let after = t.cluster.json("Deployment", "default", "web")["metadata"]["uid"].clone();
    assert_ne!(before, after);
    assert_eq!(
        t.bad("sed 's/name: web,/name: db,/' web.yaml | kubectl replace -f -"),
        "Error from server (NotFound): error when replacing \"STDIN\": deployments.apps \"db\" not found\n"
    );
}
