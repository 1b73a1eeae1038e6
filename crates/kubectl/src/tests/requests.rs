//! Accounts, kept kinds, and requests beyond plain updates: server-side apply, resizes, bindings.

use crate::Output;
use crate::shell::Shell;
use crate::tests::cluster::TestCluster;

pub(super) struct Terminal {
    shell: Shell,
    pub(super) cluster: TestCluster,
}

impl Terminal {
    pub(super) fn new() -> Self {
        Terminal {
            shell: Shell::default(),
            cluster: TestCluster::with_nodes(&["n1"]),
        }
    }

    pub(super) fn file(mut self, name: &str, text: &str) -> Self {
        self.cluster.files.insert(name.to_owned(), text.to_owned());
        self
    }

    pub(super) fn run(&mut self, line: &str) -> Output {
        self.shell.run(line, &mut self.cluster)
    }

    /// What a line prints; it succeeds.
    #[track_caller]
    pub(super) fn good(&mut self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.code, 0, "{line}: {}", output.stderr);
        output.stdout
    }

    /// What a line says; it fails.
    #[track_caller]
    pub(super) fn bad(&mut self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.code, 1, "{line}: {}", output.stdout);
        output.stderr
    }
}

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]}}";

#[test]
fn every_namespace_has_an_account_and_every_pod_a_token() {
    let mut t = Terminal::new().file("p.yaml", POD);
    t.good("kubectl create -f p.yaml");
    assert_eq!(t.good("kubectl get sa -o name"), "serviceaccount/default\n");
    assert_eq!(
        t.good("kubectl get cm -n kube-system -o name"),
        "configmap/kube-root-ca.crt\n"
    );
    let shown = t.good("kubectl get pod p -o jsonpath='{.spec.serviceAccountName} {.spec.volumes[0].projected.sources[0].serviceAccountToken.path} {.spec.containers[0].volumeMounts[0].mountPath}'");
    assert_eq!(
        shown,
        "default token /var/run/secrets/kubernetes.io/serviceaccount"
    );
    // What was shown can be written back, and changes nothing.
    t.good("kubectl get pod p -o yaml > shown.yaml; kubectl replace -f shown.yaml");
    t.good("kubectl patch sa default -p '{\"automountServiceAccountToken\": false}'");
    let volumes = t.good("kubectl get pod p -o jsonpath='{.spec.volumes}'");
    assert_eq!(volumes, "");
    // Its controller makes it again.
    t.good("kubectl delete sa default");
    let automount = "kubectl get sa default -o jsonpath='{.automountServiceAccountToken}'";
    assert_eq!(t.good(automount), "");
    let again = t.bad("kubectl create sa default");
    assert!(
        again.contains("serviceaccounts \"default\" already exists"),
        "{again}"
    );
}

#[test]
fn a_pod_needs_its_account_and_its_runtime_class() {
    let pod = POD.replace("spec: {", "spec: {serviceAccountName: robot, ");
    let kata = POD
        .replace("spec: {", "spec: {runtimeClassName: kata, ")
        .replace("name: p", "name: k");
    let class = "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: kata}, handler: kata, overhead: {podFixed: {cpu: 250m}}}";
    let mut t = Terminal::new()
        .file("p.yaml", &pod)
        .file("k.yaml", &kata)
        .file("class.yaml", class);
    assert_eq!(
        t.bad("kubectl create -f p.yaml"),
        "Error from server (Forbidden): error when creating \"p.yaml\": pods \"p\" is forbidden: error looking up service account default/robot: serviceaccount \"robot\" not found\n"
    );
    t.good("kubectl create sa robot && kubectl create -f p.yaml");
    let missing = t.bad("kubectl create -f k.yaml");
    assert!(
        missing.contains("RuntimeClass \"kata\" not found"),
        "{missing}"
    );
    t.good("kubectl create -f class.yaml -f k.yaml");
    assert_eq!(
        t.good("kubectl get pod k -o jsonpath='{.spec.overhead.cpu}'"),
        "250m"
    );
}

#[test]
fn roles_are_kept_and_described() {
    let mut t = Terminal::new();
    t.good("kubectl create role r --verb=get,list --resource=pods,deployments.apps");
    let page = t.good("kubectl describe role r");
    let rows: Vec<&str> = page.lines().skip(6).collect();
    assert_eq!(
        rows,
        [
            "  pods              []                 []              [get list]",
            "  deployments.apps  []                 []              [get list]",
        ]
    );
    let refused = t.bad("kubectl create rolebinding b --role=r --serviceaccount=robot");
    assert_eq!(
        refused,
        "error: serviceaccount must be <namespace>:<name>\n"
    );
}

#[test]
fn fields_have_managers_and_conflicts() {
    let map = |data: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: m}}, data: {data}}}")
    };
    let mut t = Terminal::new()
        .file("a.yaml", &map("{a: one, b: two}"))
        .file("less.yaml", &map("{a: one}"))
        .file("other.yaml", &map("{a: other}"));
    t.good("kubectl apply --server-side --field-manager=first -f a.yaml");
    let conflict = t.bad("kubectl apply --server-side --field-manager=second -f other.yaml");
    assert!(
        conflict.starts_with(
            "error: Apply failed with 1 conflict: conflict with \"first\": .data.a\nPlease review"
        ),
        "{conflict}"
    );
    // What its only manager no longer applies is gone.
    t.good("kubectl apply --server-side --field-manager=first -f less.yaml");
    assert_eq!(
        t.good("kubectl get cm m -o jsonpath='{.data}'"),
        "{\"a\":\"one\"}"
    );
    t.good("kubectl apply --server-side --field-manager=second --force-conflicts -f other.yaml");
    let conflict = t.bad("kubectl apply --server-side --field-manager=first -f less.yaml");
    assert!(
        conflict.contains("conflict with \"second\": .data.a"),
        "{conflict}"
    );
    t.good("kubectl patch cm m --type=merge -p '{\"data\": {\"a\": \"mine\"}}'");
    let conflict = t.bad("kubectl apply --server-side --field-manager=second -f other.yaml");
    assert!(
        conflict.contains("conflict with \"kubectl-patch\" using v1: .data.a"),
        "{conflict}"
    );
}

#[test]
fn a_pod_is_resized_in_place_and_only_there() {
    let mut t = Terminal::new().file("p.yaml", POD);
    t.good("kubectl create -f p.yaml");
    let patch = |amounts: &str| {
        format!(
            "kubectl patch pod p --subresource=resize -p '{{\"spec\": {{\"containers\": [{{\"name\": \"c\", \"resources\": {amounts}}}]}}}}'"
        )
    };
    t.good(&patch("{\"requests\": {\"cpu\": \"200m\"}}"));
    let cpu = "kubectl get pod p -o jsonpath='{.spec.containers[0].resources.requests.cpu}'";
    assert_eq!(t.good(cpu), "200m");
    assert_eq!(
        t.bad(&patch("{\"requests\": {\"cpu\": null}}")),
        "The Pod \"p\" is invalid: \n* spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of resizing\n* spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed\n"
    );
}

#[test]
fn a_stale_version_and_a_binding_of_a_bound_pod_are_conflicts() {
    let binding =
        "{apiVersion: v1, kind: Binding, metadata: {name: p}, target: {kind: Node, name: n1}}";
    let stale = "{apiVersion: v1, kind: ConfigMap, metadata: {name: m, resourceVersion: \"1\"}}";
    let mut t = Terminal::new()
        .file("p.yaml", POD)
        .file("binding.yaml", binding)
        .file("stale.yaml", stale);
    t.good("kubectl create -f p.yaml; kubectl create cm m");
    let again = t.bad("kubectl create -f binding.yaml");
    assert!(
        again.contains("pods/binding \"p\": pod p is already assigned to node \"n1\""),
        "{again}"
    );
    let refused = t.bad("kubectl replace -f stale.yaml");
    assert!(
        refused.starts_with("Error from server (Conflict): error when replacing \"stale.yaml\": Operation cannot be fulfilled on configmaps \"m\""),
        "{refused}"
    );
}
