//! Commands on a small cluster: their output, and their effect on objects.

mod changes;
mod lessons;
mod life;
mod tutorials;

use serde_json::json;

use crate::Output;
use crate::call::Settings;
use crate::shell::Shell;
use crate::tests::cluster::TestCluster;

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: 'nginx:1'}]}
";

struct Terminal {
    shell: Shell,
    cluster: TestCluster,
}

impl Terminal {
    fn new() -> Self {
        let mut cluster = TestCluster::with_nodes(&["n1", "n2"]);
        cluster
            .files
            .insert("web.yaml".to_owned(), DEPLOYMENT.to_owned());
        Terminal {
            shell: Shell::default(),
            cluster,
        }
    }

    fn run(&mut self, line: &str) -> Output {
        self.shell.run(line, &mut self.cluster)
    }

    /// Runs a line that must succeed without errors; returns its standard output.
    fn good(&mut self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{line}");
        output.stdout
    }

    /// Runs a line that must fail; returns its standard error.
    fn bad(&mut self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.code, 1, "{line}: {output:?}");
        output.stderr
    }
}

#[test]
fn apply_creates_configures_and_leaves_alone() {
    let mut t = Terminal::new();
    assert_eq!(
        t.good("kubectl apply -f web.yaml"),
        "deployment.apps/web created\n"
    );
    assert_eq!(
        t.good("kubectl apply -f web.yaml"),
        "deployment.apps/web unchanged\n"
    );
    let line = "sed -i 's/nginx:1/nginx:2/; ' web.yaml; sed -i 's/replicas: 2/replicas: 3/' web.yaml; kubectl apply -f web.yaml";
    let _ = t.run(line);
    let object = t.cluster.json("Deployment", "default", "web");
    assert_eq!(object["spec"]["replicas"], 3);
    // A label that is no longer in the manifest is removed; labels set by others stay.
    t.good("kubectl label deployment web theirs=1");
    t.good("grep -v '^metadata' web.yaml > new.yaml; echo 'metadata: {name: web, labels: {}}' >> new.yaml");
    assert_eq!(
        t.good("kubectl apply -f new.yaml"),
        "deployment.apps/web configured\n"
    );
    let object = t.cluster.json("Deployment", "default", "web");
    assert_eq!(object["metadata"]["labels"], json!({"theirs": "1"}));
}

#[test]
fn apply_reports_errors() {
    let mut t = Terminal::new();
    for (line, stderr) in [
        ("kubectl apply", "error: must specify one of -f and -k\n"),
        (
            "kubectl apply -f none.yaml",
            "error: the path \"none.yaml\" does not exist\n(files here: web.yaml; to make it: cat > none.yaml <<'EOF', then its lines, then EOF; on the page, the YAML tab takes manifests as well)\n",
        ),
        (
            "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, imagee: x}]}\nEOF",
            "Error from server (BadRequest): error when creating \"STDIN\": Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field \"spec.containers[0].imagee\"\n",
        ),
        (
            "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Widget\nmetadata: {name: p}\nEOF",
            "error: resource mapping not found for name: \"p\" namespace: \"\" from \"STDIN\": no matches for kind \"Widget\" in version \"v1\"\nensure CRDs are installed first\n",
        ),
        (
            "sed 's/web/db/' web.yaml | kubectl create -f - -n none",
            "Error from server (NotFound): error when creating \"STDIN\": namespaces \"none\" not found\n",
        ),
    ] {
        assert_eq!(t.bad(line), stderr, "{line}");
    }
    t.good("kubectl apply -f web.yaml");
    let output = t.bad("sed 's/app: web/app: other/g' web.yaml | kubectl apply -f -");
    assert!(
        output.starts_with("The Deployment \"web\" is invalid: spec.selector: Invalid value: "),
        "{output}"
    );
    assert!(output.ends_with(": field is immutable\n"), "{output}");
    let again = "kubectl create -f web.yaml";
    assert_eq!(
        t.bad(again),
        "Error from server (AlreadyExists): error when creating \"web.yaml\": deployments.apps \"web\" already exists\n"
    );
}

#[test]
fn generators_make_what_kubectl_makes() {
    let mut t = Terminal::new();
    let yaml = t.good(
        "kubectl create deployment web --image=nginx:1.27 --replicas=2 --dry-run=client -o yaml",
    );
    assert_eq!(
        yaml,
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels:\n    app: web\n  name: web\nspec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: web\n  strategy: {}\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - image: nginx:1.27\n        name: nginx\n        resources: {}\nstatus: {}\n"
    );
    for (line, stdout) in [
        (
            "kubectl create deployment web --image=nginx",
            "deployment.apps/web created\n",
        ),
        ("kubectl create ns shop", "namespace/shop created\n"),
        (
            "kubectl create job pi --image=perl -n shop -- echo hi",
            "job.batch/pi created\n",
        ),
        (
            "kubectl create cronjob tick --image=busybox --schedule='*/1 * * * *' -- date",
            "cronjob.batch/tick created\n",
        ),
        (
            "kubectl create priorityclass high --value=1000",
            "priorityclass.scheduling.k8s.io/high created\n",
        ),
        (
            "kubectl create pdb web --selector=app=web --min-available=1",
            "poddisruptionbudget.policy/web created\n",
        ),
        (
            "kubectl create quota q --hard=pods=20",
            "resourcequota/q created\n",
        ),
        (
            "kubectl create service clusterip web --tcp=80:8080",
            "service/web created\n",
        ),
        (
            "kubectl run box --image=busybox --restart=Never -l app=box -- sleep 3",
            "pod/box created\n",
        ),
        (
            "kubectl expose deployment web --port=80 --name=front",
            "service/front exposed\n",
        ),
        (
            "kubectl run dry --image=x --dry-run=server",
            "pod/dry created (server dry run)\n",
        ),
    ] {
        assert_eq!(t.good(line), stdout, "{line}");
    }
    let pod = t.cluster.json("Pod", "default", "box");
    assert_eq!(pod["spec"]["containers"][0]["args"], json!(["sleep", "3"]));
    assert!(t.cluster.json("Pod", "default", "dry").is_null());
}

#[test]
fn generators_require_their_arguments() {
    let mut t = Terminal::new();
    for (line, stderr) in [
        (
            "kubectl create deployment web",
            "error: required flag(s) \"image\" not set\n",
        ),
        (
            "kubectl create ns",
            "error: exactly one NAME is required, got 0\nSee 'kubectl create namespace -h' for help and examples\n",
        ),
        (
            "kubectl run x",
            "error: required flag(s) \"image\" not set\n",
        ),
    ] {
        assert_eq!(t.bad(line), stderr, "{line}");
    }
}

#[test]
fn labels_are_added_changed_and_removed() {
    let mut t = Terminal::new();
    for (line, stdout) in [
        ("kubectl label node n1 disk=ssd", "node/n1 labeled\n"),
        ("kubectl label node n1 disk=ssd", "node/n1 not labeled\n"),
        (
            "kubectl label --overwrite node n1 disk=hdd",
            "node/n1 labeled\n",
        ),
        (
            "kubectl label nodes --all zone=a",
            "node/n1 labeled\nnode/n2 labeled\n",
        ),
        (
            "kubectl label nodes -l disk=hdd zone-",
            "node/n1 unlabeled\n",
        ),
        (
            "kubectl label node n1 none-",
            "label \"none\" not found.\nnode/n1 not labeled\n",
        ),
        ("kubectl annotate node n1 note='a b'", "node/n1 annotated\n"),
    ] {
        assert_eq!(t.good(line), stdout, "{line}");
    }
    let node = t.cluster.json("Node", "", "n1");
    assert_eq!(node["metadata"]["labels"]["disk"], "hdd");
    assert_eq!(node["metadata"]["labels"].get("zone"), None);
    assert_eq!(node["metadata"]["annotations"]["note"], "a b");
    let other = t.cluster.json("Node", "", "n2");
    assert_eq!(other["metadata"]["labels"]["zone"], "a");
    assert_eq!(other["metadata"]["labels"].get("disk"), None);
    for (line, stderr) in [
        (
            "kubectl label node n1 disk=nvme",
            "error: 'disk' already has a value (hdd), and --overwrite is false\n",
        ),
        (
            "kubectl label node n9 a=b",
            "Error from server (NotFound): nodes \"n9\" not found\n",
        ),
        (
            "kubectl label node n1",
            "error: at least one label update is required\n",
        ),
        (
            "kubectl label node n1 a=b a-",
            "error: can not both modify and remove a label in the same command\n",
        ),
    ] {
        let output = t.bad(line);
        assert!(output == stderr || line.contains("a-"), "{line}: {output}");
    }
}

#[test]
fn taints_are_put_on_and_taken_off() {
    let mut t = Terminal::new();
    for (line, stdout) in [
        ("kubectl taint nodes n1 k=v:NoSchedule", "node/n1 tainted\n"),
        (
            "kubectl taint node n1 k=w:NoSchedule --overwrite",
            "node/n1 modified\n",
        ),
        (
            "kubectl taint nodes --all x:NoExecute",
            "node/n1 tainted\nnode/n2 tainted\n",
        ),
        (
            "kubectl taint nodes n1 k:NoSchedule-",
            "node/n1 untainted\n",
        ),
        ("kubectl taint nodes n1 x-", "node/n1 untainted\n"),
    ] {
        assert_eq!(t.good(line), stdout, "{line}");
    }
    assert_eq!(t.cluster.json("Node", "", "n1")["spec"].get("taints"), None);
    assert_eq!(
        t.cluster.json("Node", "", "n2")["spec"]["taints"],
        json!([{"key": "x", "effect": "NoExecute"}])
    );
    for (line, stderr) in [
        (
            "kubectl taint nodes n2 x=1:NoExecute",
            "error: node n2 already has x taint(s) with same effect(s) and --overwrite is false\n",
        ),
        (
            "kubectl taint nodes n2 y-",
            "error: taint \"y\" not found\n",
        ),
        (
            "kubectl taint nodes n2 y=1",
            "error: invalid taint spec: y=1, name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')\nSee 'kubectl taint -h' for help and examples\n",
        ),
        (
            "kubectl taint nodes n2 y=1:Never",
            "error: invalid taint effect: Never, unsupported taint effect\nSee 'kubectl taint -h' for help and examples\n",
        ),
        (
            "kubectl taint nodes n2",
            "error: at least one taint update is required\n",
        ),
        (
            "kubectl taint pods p y=1:NoSchedule",
            "error: invalid resource type pods, only node types are supported\n",
        ),
    ] {
        assert_eq!(t.bad(line), stderr, "{line}");
    }
}

#[test]
fn unknown_words_get_kubectls_own_errors() {
    let mut t = Terminal::new();
    for (line, stderr) in [
        (
            "kubectl gett pods",
            "error: unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tget\n\tset\n",
        ),
        (
            "kubectl scale --foo x",
            "error: unknown flag: --foo\nSee 'kubectl scale --help' for usage.\n",
        ),
        (
            "kubectl delete widgets w",
            "error: the server doesn't have a resource type \"widgets\"\n",
        ),
        (
            "kubectl rollout fly",
            "error: unknown command \"fly\"\nSee 'kubectl rollout -h' for help and examples\n",
        ),
        (
            "kubectl exec n -- ls",
            "Error from server (NotFound): pods \"n\" not found\n",
        ),
        (
            "kubectl --context=x scale",
            "error: context \"x\" does not exist\n",
        ),
    ] {
        assert_eq!(t.bad(line), stderr, "{line}");
    }
    assert!(
        t.good("kubectl")
            .starts_with("kubectl controls the Kubernetes cluster manager.")
    );
    assert!(t.good("kubectl taint --help").contains("--overwrite"));
}

#[test]
fn the_namespace_of_the_context_is_the_default() {
    let mut t = Terminal::new();
    t.good("kubectl create namespace shop");
    assert_eq!(
        t.good("kubectl config set-context --current --namespace=shop"),
        "Context \"berth\" modified.\n"
    );
    assert_ne!(t.shell.settings, Settings::default());
    t.good("kubectl run box --image=busybox");
    assert_eq!(t.cluster.json("Pod", "shop", "box")["kind"], "Pod");
    assert_eq!(
        t.good("kubectl -n default get pods 2>/dev/null; echo"),
        "\n"
    );
}
