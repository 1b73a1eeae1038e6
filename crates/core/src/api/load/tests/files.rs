//! Files that are not, or not only, objects of a cluster.

use super::{check, kinds, read};
use crate::api::kinds::dump_command;
use crate::api::load::{is_blank, load};
use crate::api::source::SourceFile;

/// The problems of a file of this name.
fn problems(name: &str, text: &str) -> Vec<String> {
    let loaded = load(&[SourceFile::new(name, text)]);
    loaded.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn removed_versions_are_told_from_ignored_kinds() {
    let of = |version: &str, kind: &str| {
        problems(
            "f",
            &format!("{{apiVersion: {version}, kind: {kind}, metadata: {{name: a}}}}\n"),
        )
    };
    for (version, kind, help) in [
        (
            "extensions/v1beta1",
            "Ingress",
            "Kubernetes 1.22 removed it: write `apiVersion: networking.k8s.io/v1`",
        ),
        (
            "rbac.authorization.k8s.io/v1beta1",
            "ClusterRole",
            "Kubernetes 1.22 removed it: write `apiVersion: rbac.authorization.k8s.io/v1`",
        ),
        (
            "policy/v1beta1",
            "PodSecurityPolicy",
            "Kubernetes 1.25 removed it: Pod Security Admission replaces it",
        ),
        (
            "policy/v1beta1",
            "PodDisruptionBudget",
            "Kubernetes 1.25 removed it: write `apiVersion: policy/v1`",
        ),
        ("apps/v2", "Deployment", "write `apiVersion: apps/v1`"),
    ] {
        let expected = format!(
            "f:1:14: error: apiVersion: no matches for kind {kind:?} in version {version:?} ({help})"
        );
        assert_eq!(of(version, kind), [expected]);
    }
    let good = [
        ("networking.k8s.io/v1", "Ingress"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("autoscaling/v1", "HorizontalPodAutoscaler"),
    ];
    for (version, kind) in good {
        assert!(
            !of(version, kind).iter().any(|it| it.contains("no matches")),
            "{kind}"
        );
    }
}

#[test]
fn kinds_of_other_groups_are_no_typing_errors() {
    for (version, kind) in [
        ("autoscaling.k8s.io/v1", "VerticalPodAutoscaler"),
        ("v1", "Event"),
        ("policy/v1", "Eviction"),
        ("resource.k8s.io/v1alpha3", "DeviceTaintRule"),
    ] {
        let text = format!("{{apiVersion: {version}, kind: {kind}, metadata: {{name: a}}}}\n");
        let loaded = read(&text);
        assert_eq!(
            (loaded.problems.as_slice(), loaded.ignored.len()),
            (&[][..], 1),
            "{kind}"
        );
    }
    check(
        "{apiVersion: apps/v1, kind: Deploiment, metadata: {name: a}}\n",
        &[
            "f:1:23: warning: kind: kind \"Deploiment\" is unknown and ignored (did you mean \"Deployment\"?)",
        ],
    );
}

#[test]
fn kinds_that_make_pods_are_told_from_harmless_ones() {
    let rollout = |name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {{name: {name}}}\n\
             spec: {{template: {{spec: {{containers: [{{name: c, image: i}}]}}}}}}\n---\n"
        )
    };
    let job = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\n\
               spec: {tasks: [{template: {spec: {containers: [{name: c, image: i}]}}}]}\n---\n";
    let harmless = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n";
    let text = format!("{}{}{job}{harmless}", rollout("a"), rollout("b"));
    let help = "(its Pods count if they are among the objects; or write its template as a Deployment or a Job)";
    check(
        &text,
        &[
            &format!(
                "f:2:1: warning: kind: 2 × Rollout (argoproj.io/v1alpha1): Pod templates, which Berth does not run {help}"
            ),
            &format!(
                "f:12:1: warning: kind: Job (batch.volcano.sh/v1alpha1) has a Pod template, which Berth does not run {help}"
            ),
        ],
    );
    let loaded = read(&text);
    assert!(loaded.ignored_counts().into_iter().eq([("Widget", 1)]));
    assert!(loaded.has_objects());
}

#[test]
fn input_of_other_tools_is_named() {
    let kustomization = "a Kustomization is for kustomize: Berth does not build it \
                         (build it, and read the output of `kubectl kustomize FOLDER`)";
    let typed =
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n";
    for (name, text) in [
        ("f", typed),
        ("f", "resources: [a.yaml]\nnamePrefix: x-\n"),
        (
            "base/kustomization.yaml",
            "images: [{name: a, newTag: b}]\n",
        ),
    ] {
        assert_eq!(
            problems(name, text),
            [format!("{name}:1:1: warning: {kustomization}")]
        );
        assert!(!read(typed).has_objects() && read(typed).ignored.is_empty());
    }
    let chart = "Object 'Kind' is missing (this looks like a file of a Helm chart: render the chart, \
                 and read the output of `helm template NAME CHART`)";
    for (name, text) in [
        ("f", "replicaCount: 2\nimage: {repository: nginx}\n"),
        ("web/values-prod.yaml", "tier: front\n"),
        (
            "web/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 0.1.0\n",
        ),
    ] {
        assert_eq!(
            problems(name, text),
            [format!("{name}:1:1: error: {chart}")]
        );
    }
    let said = format!(
        "f:1:1: error: this is a kubeconfig, which holds credentials (do not share it; read the output of `{}`)",
        dump_command()
    );
    check(
        "apiVersion: v1\nkind: Config\nclusters: []\ncontexts: []\nusers: [{name: me, user: {token: x}}]\n",
        &[&said],
    );
    check(
        "- {op: replace, path: /spec/replicas, value: 3}\n",
        &[
            "f:1:1: error: the document is not an object: it has no `apiVersion` and `kind` \
           (if this is a patch of a kustomization.yaml, read the output of `kubectl kustomize FOLDER` instead)",
        ],
    );
    assert_eq!(
        problems("f", "\u{1f}\u{fffd}\u{8}\0\0"),
        [
            "f:1:4: error: error converting YAML to JSON: the text holds a NUL character (unpack it first: `gunzip FILE`)"
        ]
    );
}

#[test]
fn messages_of_kubectl_are_named_and_hide_no_object() {
    let forbidden = "Error from server (Forbidden): secrets is forbidden: User \"dev\" cannot list resource \"secrets\"";
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n";
    let said = |line: usize| {
        format!("f:{line}:1: error: {forbidden} (what could not be listed is missing here)")
    };
    check(&format!("{forbidden}\n{node}"), &[&said(1)]);
    check(&format!("{node}{forbidden}\n"), &[&said(4)]);
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n\"}}\n";
    check(&format!("Warning: old\n{json}{forbidden}\n"), &[&said(3)]);
    for text in [
        format!("Warning: old\n{node}"),
        format!("{node}{forbidden}\n"),
    ] {
        assert_eq!(kinds(&read(&text)), ["Node"]);
        assert_eq!(read(&text).documents[0].source.ordinal, 0);
    }
    check(
        "error: You must be logged in to the server (Unauthorized)\n",
        &[
            "f:1:1: error: error: You must be logged in to the server (Unauthorized) (log in to the cluster again)",
        ],
    );
    check(
        "Unable to connect to the server: dial tcp: i/o timeout\n",
        &[
            "f:1:1: error: Unable to connect to the server: dial tcp: i/o timeout (kubectl did not print all that was asked for)",
        ],
    );
    check(
        "error: the server doesn't have a resource type \"resourceslices\"\n",
        &[
            "f:1:1: error: error: the server doesn't have a resource type \"resourceslices\" \
           (kubectl prints nothing if the server lacks one of the types: leave it out)",
        ],
    );
    check(
        "No resources found in default namespace.\n",
        &["f:1:1: warning: No resources found in default namespace. (there were no such objects)"],
    );
    assert!(is_blank("# nothing\n---\n") && !is_blank("No resources found\n") && !is_blank(node));
}

#[test]
fn a_cut_list_is_read_as_far_as_it_is_whole() {
    let items = "- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n\
                 - apiVersion: v1\n  kind: Node\n  metadata: {name: n2}\n";
    let list = format!("apiVersion: v1\nitems:\n{items}- apiVersion: v1\n  kind: Pod\n");
    let said = "error: the list is cut: its first 2 items are whole, and read (the end is missing: write the file again)";
    for end in [
        "",
        "  metadata: {name: \"p",
        "  met",
        "  metadata:\n    labels: {a",
    ] {
        let text = format!("{list}{end}");
        check(&text, &[&format!("f:9:1: {said}")]);
        assert_eq!(kinds(&read(&text)), ["Node", "Node"], "{text}");
        assert!(read(&text).documents.iter().all(|it| it.object.is_some()));
    }
    let node = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}"#;
    let text = format!(
        "{{\"apiVersion\": \"v1\", \"items\": [\n{node},\n{node},\n{{\"apiVersion\": \"v1\", \"ki"
    );
    let problems = super::super::load(&[SourceFile::new("f", text.as_str())]).problems;
    assert_eq!(
        problems[0].to_string(),
        format!("f:3:{}: {said}", node.len() + 1)
    );
    assert_eq!(kinds(&read(&text)), ["Node", "Node"]);
    // A mistake in the middle is no cut.
    let wrong = format!("kind: List\napiVersion: v1\nitems:\n- a: b: c\n{items}");
    assert!(!read(&wrong).problems[0].to_string().contains("cut"));
}
