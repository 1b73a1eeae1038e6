//! ConfigMaps, Secrets, Endpoints, EndpointSlices and HorizontalPodAutoscalers: from manifests and commands to output.

use crate::shell::Shell;
use crate::tests::cluster::TestCluster;
use crate::tests::commands;
use crate::{Cluster, Output};
use berth_scheduler::release::{Release, Version};

struct Terminal {
    shell: Shell,
    cluster: TestCluster,
}

impl Terminal {
    fn new() -> Self {
        Terminal {
            shell: Shell::default(),
            cluster: TestCluster::with_nodes(&["n1"]),
        }
    }

    fn file(mut self, name: &str, text: &str) -> Self {
        self.cluster.files.insert(name.to_owned(), text.to_owned());
        self
    }

    fn run(&mut self, line: &str) -> Output {
        self.shell.run(line, &mut self.cluster)
    }

    /// Asserts that a line prints exactly this.
    #[track_caller]
    fn prints(&mut self, line: &str, expected: &str) {
        let output = self.run(line);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{line}");
        assert_eq!(output.stdout, expected, "{line}:\n{}", output.stdout);
    }

    /// The same, with this warning of the API server.
    #[track_caller]
    fn warns(&mut self, line: &str, warning: &str, expected: &str) {
        let output = self.run(line);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (0, warning),
            "{line}"
        );
        assert_eq!(output.stdout, expected, "{line}:\n{}", output.stdout);
    }

    /// Asserts that a line fails with exactly this error.
    #[track_caller]
    fn fails(&mut self, line: &str, expected: &str) {
        let output = self.run(line);
        assert_eq!(output.code, 1, "{line}: {output:?}");
        assert_eq!(output.stderr.trim_end(), expected, "{line}");
    }
}

const CONFIG_MAP: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {color: blue, size: large}
binaryData: {logo: AAEC}
";

#[test]
fn config_maps() {
    let mut terminal = Terminal::new().file("map.yaml", CONFIG_MAP);
    terminal.prints("kubectl apply -f map.yaml", "configmap/settings created\n");
    terminal.prints(
        "kubectl get cm",
        "NAME               DATA   AGE\nkube-root-ca.crt   1      0s\nsettings           3      0s\n",
    );
    terminal.prints("kubectl get cm settings -o jsonpath={.data.color}", "blue");
    terminal.prints(
        "kubectl get configmaps -o name -l app=web",
        "configmap/settings\n",
    );
    terminal.prints(
        "kubectl describe cm settings",
        "Name:         settings\nNamespace:    default\nLabels:       app=web\nAnnotations:  <none>\n\nData\n====\ncolor:\n----\nblue\n\nsize:\n----\nlarge\n\n\nBinaryData\n====\nlogo: 3 bytes\n\nEvents:  <none>\n",
    );
    terminal.prints(
        "kubectl patch cm settings -p '{\"data\":{\"color\":\"red\"},\"immutable\":true}'",
        "configmap/settings patched\n",
    );
    terminal.fails(
        "kubectl patch cm settings -p '{\"data\":{\"color\":\"green\"}}'",
        "The ConfigMap \"settings\" is invalid: data: Forbidden: field is immutable when `immutable` is set",
    );
    terminal.prints(
        "kubectl delete cm settings",
        "configmap \"settings\" deleted from default namespace\n",
    );
    terminal.fails(
        "kubectl get cm settings",
        "Error from server (NotFound): configmaps \"settings\" not found",
    );
}

#[test]
fn config_maps_are_made_from_words_and_files() {
    let mut terminal = Terminal::new()
        .file("conf/a.properties", "x=1\n")
        .file("conf/b.properties", "y=2\n")
        .file("all.env", "# comment\nHOST=db\n\nPORT=5432\n");
    terminal.prints(
        "kubectl create configmap one --from-literal=a=1 --from-literal=b=x=y",
        "configmap/one created\n",
    );
    terminal.prints(
        "kubectl get cm one -o jsonpath='{.data}'",
        "{\"a\":\"1\",\"b\":\"x=y\"}",
    );
    terminal.prints(
        "kubectl create cm two --from-file=conf --from-file=other=conf/a.properties --dry-run=client -o yaml",
        "apiVersion: v1\ndata:\n  a.properties: |\n    x=1\n  b.properties: |\n    y=2\n  other: |\n    x=1\nkind: ConfigMap\nmetadata:\n  name: two\n",
    );
    terminal.prints(
        "kubectl create cm three --from-env-file=all.env",
        "configmap/three created\n",
    );
    terminal.prints(
        "kubectl get cm three -o jsonpath='{.data.HOST}:{.data.PORT}'",
        "db:5432",
    );
    for (line, complaint) in [
        (
            "one --from-literal=a=1",
            "error: failed to create configmap: configmaps \"one\" already exists",
        ),
        (
            "x --from-literal=a",
            "error: invalid literal source a, expected key=value",
        ),
        (
            "x --from-file=nowhere",
            "error: error reading nowhere: no such file or directory",
        ),
        (
            "x --from-literal=a=1 --from-literal=a=2",
            "error: cannot add key \"a\", another key by that name already exists in Data for ConfigMap \"x\"",
        ),
        (
            "x --from-env-file=all.env --from-literal=a=2",
            "error: from-env-file cannot be combined with from-file or from-literal",
        ),
    ] {
        terminal.fails(&format!("kubectl create cm {line}"), complaint);
    }
}

#[test]
fn secrets_show_sizes_and_not_values() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: hunter22}\ndata: {user: YWRtaW4=}\n";
    let mut terminal = Terminal::new().file("secret.yaml", secret);
    terminal.prints("kubectl create -f secret.yaml", "secret/login created\n");
    terminal.prints(
        "kubectl get secrets",
        "NAME    TYPE     DATA   AGE\nlogin   Opaque   2      0s\n",
    );
    terminal.prints(
        "kubectl get secret login -o jsonpath='{.data.password} {.stringData}'",
        "aHVudGVyMjI= ",
    );
    terminal.prints(
        "kubectl describe secret login",
        "Name:         login\nNamespace:    default\nLabels:       <none>\nAnnotations:  <none>\n\nType:  Opaque\n\nData\n====\npassword:  8 bytes\nuser:      5 bytes\n",
    );
    terminal.prints(
        "kubectl get secrets --field-selector type=Opaque -o name",
        "secret/login\n",
    );
    terminal.fails(
        "kubectl patch secret login --type=merge -p '{\"data\":{\"user\":\"plain text\"}}'",
        r#"The request is invalid: patch: Invalid value: "{\"apiVersion\":\"v1\",\"data\":{\"password\":\"aHVudGVyMjI=\",\"user\":\"plain text\"},\"kind\":\"Secret\",\"metadata\":{\"creationTimestamp\":\"2025-01-01T00:00:00Z\",\"name\":\"login\",\"namespace\":\"default\",\"resourceVersion\":\"8\",\"uid\":\"uid-000008\"},\"type\":\"Opaque\"}": illegal base64 data at input byte 5"#,
    );
    terminal.fails(
        "kubectl patch secret login -p '{\"type\":\"example.com/own\"}'",
        "The Secret \"login\" is invalid: type: Invalid value: \"example.com/own\": field is immutable",
    );
}

#[test]
fn secrets_are_made_of_each_sort() {
    let mut terminal = Terminal::new()
        .file("a.crt", "-----BEGIN CERTIFICATE-----\n")
        .file("a.key", "-----BEGIN PRIVATE KEY-----\n")
        .file("plain", "text");
    terminal.prints(
        "kubectl create secret generic g --from-literal=a=1 --type=example.com/own",
        "secret/g created\n",
    );
    terminal.prints(
        "kubectl create secret tls t --cert=a.crt --key=a.key",
        "secret/t created\n",
    );
    terminal.prints(
        "kubectl create secret docker-registry r --docker-username=me --docker-password=pass",
        "secret/r created\n",
    );
    terminal.prints(
        "kubectl get secrets -o custom-columns=N:.metadata.name,T:.type --no-headers",
        "g     example.com/own\nr     kubernetes.io/dockerconfigjson\nt     kubernetes.io/tls\n",
    );
    // {"auths":{"https://index.docker.io/v1/":{"username":"me","password":"pass","auth":"bWU6cGFzcw=="}}}
    terminal.prints(
        "kubectl get secret r -o jsonpath='{.data.\\.dockerconfigjson}'",
        "eyJhdXRocyI6eyJodHRwczovL2luZGV4LmRvY2tlci5pby92MS8iOnsidXNlcm5hbWUiOiJtZSIsInBhc3N3b3JkIjoicGFzcyIsImF1dGgiOiJiV1U2Y0dGemN3PT0ifX19",
    );
    terminal.fails(
        "kubectl create secret generic g",
        "error: failed to create secret secrets \"g\" already exists",
    );
    terminal.fails(
        "kubectl create secret tls u --cert=plain --key=a.key",
        "error: tls: failed to find any PEM data in certificate input",
    );
    terminal.fails(
        "kubectl create secret docker-registry u",
        "error: either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
    );
}

const ENDPOINTS: &str = "apiVersion: v1
kind: Endpoints
metadata: {name: db}
subsets:
- addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]
  notReadyAddresses: [{ip: 10.0.0.9}]
  ports: [{name: sql, port: 5432}, {name: admin, port: 80}]
";

const DEPRECATED: &str =
    "Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\n";

#[test]
fn a_service_has_the_endpoints_of_its_ready_pods() {
    let mut terminal = Terminal {
        shell: Shell::default(),
        cluster: commands::web(),
    };
    terminal.prints("kubectl expose rs web --port=80", "service/web exposed\n");
    let ips = ["10.244.0.5", "10.244.0.6"];
    let pods: Vec<_> = terminal
        .cluster
        .api()
        .store()
        .pods
        .iter()
        .cloned()
        .collect();
    for (pod, ip) in pods.iter().zip(ips) {
        let mut pod = (**pod).clone();
        pod.status.get_or_insert_default().pod_ip = Some(ip.to_owned());
        terminal.cluster.api_mut().update_status(&pod).unwrap();
    }
    terminal.cluster.play(1);
    let run = |terminal: &mut Terminal, line: &str| terminal.run(line).stdout;
    let all = format!("{}:80,{}:80", ips[0], ips[1]);
    let endpoints = run(&mut terminal, "kubectl get endpoints web");
    assert!(endpoints.contains(&all), "{endpoints}");
    let slices = run(&mut terminal, "kubectl get endpointslices");
    assert!(slices.contains(" IPv4          80      "), "{slices}");
    let page = run(&mut terminal, "kubectl describe svc web");
    let line = page.lines().find(|line| line.starts_with("Endpoints:"));
    let line = line.unwrap_or_default();
    assert!(
        ips.iter().all(|ip| line.contains(&format!("{ip}:80"))),
        "{page}"
    );
    run(&mut terminal, "kubectl scale rs web --replicas=0");
    terminal.cluster.play(60);
    let page = run(&mut terminal, "kubectl describe svc web");
    assert!(
        page.lines().any(|line| line.trim_end() == "Endpoints:"),
        "{page}"
    );
    run(&mut terminal, "kubectl delete svc web");
    terminal.cluster.play(1);
    let left = terminal.run("kubectl get endpointslices");
    assert_eq!(left.stderr, "No resources found in default namespace.\n");
}

#[test]
fn flags_of_all_commands_have_an_effect_or_say_that_they_have_none() {
    let mut terminal = Terminal::new()
        .file("ep.yaml", ENDPOINTS)
        .file("config", "kind: Config");
    let strict = terminal.run("kubectl create -f ep.yaml --warnings-as-errors");
    assert_eq!(strict.code, 1);
    assert_eq!(strict.stdout, "endpoints/db created\n");
    assert_eq!(
        strict.stderr,
        format!("{DEPRECATED}error: 1 warning received\n")
    );
    terminal.prints(
        "kubectl get ns default -o name --warnings-as-errors --cluster=berth --user kubernetes-admin",
        "namespace/default\n",
    );
    for (flags, error) in [
        ("--cluster other", "error: cluster \"other\" does not exist"),
        ("--user other", "error: auth info \"other\" does not exist"),
        (
            "--kubeconfig=no",
            "error: stat no: no such file or directory",
        ),
        (
            "--as-group=a",
            "error: requesting uid, groups or user-extra without impersonating a user",
        ),
        (
            "--request-timeout=soon",
            "error: Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
        ),
    ] {
        terminal.fails(&format!("kubectl get ns {flags}"), error);
    }
    for (flags, note) in [
        (
            "--kubeconfig config",
            "There is one cluster here: --kubeconfig has no effect\n",
        ),
        (
            "--request-timeout 5s",
            "Requests take no time here: --request-timeout has no effect\n",
        ),
        (
            "--as me --as-group you",
            "Warning: roles are kept here and not enforced: every user may do everything\n",
        ),
    ] {
        let line = format!("kubectl get ns default -o name {flags}");
        terminal.warns(&line, note, "namespace/default\n");
    }
}

#[test]
fn a_release_does_not_know_fields_of_later_ones() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, image: i}]}}";
    let mut terminal = Terminal::new().file("a.yaml", pod);
    let files = std::mem::take(&mut terminal.cluster.files);
    terminal.cluster = TestCluster::of_release(Release::of(Version::V1_34), "");
    terminal.cluster.files = files;
    terminal.fails(
        "kubectl create -f a.yaml",
        "Error from server (BadRequest): error when creating \"a.yaml\": Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field \"spec.schedulingGroup\"",
    );
    terminal.fails(
        "kubectl explain pod.spec.schedulingGroup",
        "error: field \"schedulingGroup\" does not exist",
    );
}

#[test]
fn endpoints() {
    let mut terminal = Terminal::new().file("ep.yaml", ENDPOINTS);
    terminal.warns(
        "kubectl apply -f ep.yaml",
        DEPRECATED,
        "endpoints/db created\n",
    );
    terminal.warns(
        "kubectl get ep",
        DEPRECATED,
        "NAME   ENDPOINTS                                             AGE\ndb     10.0.0.1:5432,10.0.0.2:5432,10.0.0.1:80 + 1 more...   0s\n",
    );
    terminal.warns(
        "kubectl describe ep db",
        DEPRECATED,
        "Name:         db\nNamespace:    default\nLabels:       <none>\nAnnotations:  <none>\nSubsets:\n  Addresses:          10.0.0.1,10.0.0.2\n  NotReadyAddresses:  10.0.0.9\n  Ports:\n    Name   Port  Protocol\n    ----   ----  --------\n    sql    5432  TCP\n    admin  80    TCP\n\nEvents:  <none>\n",
    );
}

const SLICE: &str = "apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: db-1, labels: {kubernetes.io/service-name: db}}
addressType: IPv4
ports: [{name: sql, port: 5432}]
endpoints:
- addresses: [10.0.0.1]
  conditions: {ready: true}
  nodeName: n1
";

#[test]
fn endpoint_slices() {
    let mut terminal = Terminal::new().file("slice.yaml", SLICE);
    terminal.prints(
        "kubectl apply -f slice.yaml",
        "endpointslice.discovery.k8s.io/db-1 created\n",
    );
    terminal.prints(
        "kubectl get endpointslices",
        "NAME   ADDRESSTYPE   PORTS   ENDPOINTS   AGE\ndb-1   IPv4          5432    10.0.0.1    0s\n",
    );
    terminal.prints(
        "kubectl get endpointslice db-1 -o jsonpath='{.metadata.generation} {.ports[0].protocol}'",
        "1 TCP",
    );
    terminal.prints(
        "kubectl label endpointslice db-1 app=db",
        "endpointslice.discovery.k8s.io/db-1 labeled\n",
    );
    terminal.prints(
        "kubectl get endpointslice db-1 -o jsonpath='{.metadata.generation}'",
        "2",
    );
    terminal.prints(
        "kubectl describe endpointslice db-1 --show-events=false",
        "Name:         db-1\nNamespace:    default\nLabels:       app=db\n              kubernetes.io/service-name=db\nAnnotations:  <none>\nAddressType:  IPv4\nPorts:\n  Name  Port  Protocol\n  ----  ----  --------\n  sql   5432  TCP\nEndpoints:\n  - Addresses:  10.0.0.1\n    Conditions:\n      Ready:   true\n    Hostname:  <unset>\n    NodeName:  n1\n    Zone:      <unset>\n",
    );
    terminal.fails(
        "kubectl patch endpointslice db-1 --type=merge -p '{\"addressType\":\"IPv6\"}'",
        "The EndpointSlice \"db-1\" is invalid: \n* endpoints[0].addresses[0]: Invalid value: \"10.0.0.1\": must be an IPv6 address\n* addressType: Invalid value: \"IPv6\": field is immutable",
    );
}

const AUTOSCALER: &str = "apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 5
";

#[test]
fn autoscalers() {
    let mut terminal = Terminal::new().file("hpa.yaml", AUTOSCALER);
    terminal.prints(
        "kubectl apply -f hpa.yaml",
        "horizontalpodautoscaler.autoscaling/web created\n",
    );
    terminal.prints(
        "kubectl get hpa",
        "NAME   REFERENCE        TARGETS              MINPODS   MAXPODS   REPLICAS   AGE\nweb    Deployment/web   cpu: <unknown>/80%   1         5         0          0s\n",
    );
    let all = terminal.run("kubectl get all").stdout;
    assert!(
        all.contains("horizontalpodautoscaler.autoscaling/web   Deployment/web"),
        "{all}"
    );
    let page = terminal.run("kubectl describe hpa web").stdout;
    let page: Vec<&str> = page.lines().filter(|it| !it.starts_with("Cre")).collect();
    assert_eq!(
        page.join("\n"),
        "Name:                                                  web\nNamespace:                                             default\nLabels:                                                <none>\nAnnotations:                                           <none>\nReference:                                             Deployment/web\nMetrics:                                               ( current / target )\n  resource cpu on pods  (as a percentage of request):  <unknown> / 80%\nMin replicas:                                          1\nMax replicas:                                          5\nDeployment pods:                                       0 current / 0 desired\nEvents:                                                <none>"
    );
    terminal.fails(
        "kubectl patch hpa web --type=merge -p '{\"spec\":{\"minReplicas\":7}}'",
        "The HorizontalPodAutoscaler \"web\" is invalid: spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`",
    );
    terminal.prints(
        "kubectl explain hpa.spec.maxReplicas | head -n 3",
        "GROUP:      autoscaling\nKIND:       HorizontalPodAutoscaler\nVERSION:    v2\n",
    );
    terminal.prints(
        "kubectl api-resources --api-group=autoscaling -o wide --no-headers",
        "horizontalpodautoscalers   hpa   autoscaling/v2   true   HorizontalPodAutoscaler   create,delete,deletecollection,get,list,patch,update,watch   all\n",
    );
    terminal.prints(
        "kubectl delete hpa --all",
        "horizontalpodautoscaler.autoscaling \"web\" deleted from default namespace\n",
    );
}

#[test]
fn a_workload_is_autoscaled() {
    let mut terminal = Terminal::new();
    terminal.run("kubectl create deployment web --image=nginx");
    for flags in ["", "--min=3 --max=2", "--max=2 --cpu=lots"] {
        let output = terminal.run(&format!("kubectl autoscale deploy web {flags}"));
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{flags}");
    }
    terminal.prints(
        "kubectl autoscale deployment web --min=2 --max=5 --cpu=70%",
        "horizontalpodautoscaler.autoscaling/web autoscaled\n",
    );
    terminal.prints(
        "kubectl autoscale deployment web --name=more --max=5 --cpu=500 --memory=1Gi",
        "horizontalpodautoscaler.autoscaling/more autoscaled\n",
    );
    terminal.prints(
        "kubectl get hpa web --no-headers",
        "web   Deployment/web   cpu: <unknown>/70%   2     5     0     0s\n",
    );
    terminal.prints(
        "kubectl get hpa more -o jsonpath='{.spec.metrics[*].resource.target.averageValue}'",
        "500m 1Gi",
    );
    terminal.fails(
        "kubectl autoscale deployment web --max=5",
        "Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling \"web\" already exists",
    );
}

#[test]
fn containers_take_variables_from_config_maps() {
    let mut terminal = Terminal::new();
    for line in [
        "kubectl create deployment web --image=nginx",
        "kubectl create cm settings --from-literal=log.level=debug --from-literal=color=blue",
    ] {
        assert_eq!(terminal.run(line).code, 0, "{line}");
    }
    let line =
        "kubectl set env deployment/web --from=configmap/settings --prefix=APP_ --keys=log.level";
    let output = terminal.run(line);
    assert_eq!(output.stdout, "deployment.apps/web env updated\n");
    assert_eq!(
        output.stderr,
        "Warning: key log.level transferred to LOG_LEVEL\n"
    );
    terminal.prints(
        "kubectl get deployment web -o jsonpath='{.spec.template.spec.containers[0].env}'",
        "[{\"name\":\"APP_LOG_LEVEL\",\"valueFrom\":{\"configMapKeyRef\":{\"key\":\"log.level\",\"name\":\"settings\"}}}]",
    );
    terminal.fails(
        "kubectl set env deployment/web --from=secret/none",
        "Error from server (NotFound): secrets \"none\" not found",
    );
}

const DEVICES: &str = "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == 'gpu.example.com'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-gpus}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, capacity: {memory: {value: 80Gi}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: fabric}
spec:
  driver: net.example.com
  allNodes: true
  pool: {name: fabric, generation: 1, resourceSliceCount: 1}
  devices: [{name: nic-0}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
";

#[test]
fn devices_and_claims() {
    let mut terminal = Terminal::new().file("devices.yaml", DEVICES);
    terminal.prints(
        "kubectl apply -f devices.yaml",
        "deviceclass.resource.k8s.io/gpu created\nresourceslice.resource.k8s.io/n1-gpus created\n\
         resourceslice.resource.k8s.io/fabric created\nresourceclaimtemplate.resource.k8s.io/one created\n\
         resourceclaim.resource.k8s.io/shared created\n",
    );
    terminal.prints("kubectl get deviceclasses", "NAME   AGE\ngpu    0s\n");
    terminal.prints(
        "kubectl get resourceslices -o wide",
        "NAME      NODE   DRIVER            POOL     AGE\nfabric           net.example.com   fabric   0s\n\
         n1-gpus   n1     gpu.example.com   n1       0s\n",
    );
    terminal.prints(
        "kubectl get resourceclaimtemplates",
        "NAME   AGE\none    0s\n",
    );
    terminal.prints(
        "kubectl get resourceclaims",
        "NAME     STATE     AGE\nshared   pending   0s\n",
    );
    let allocate = "kubectl patch resourceclaim shared --subresource=status --type=merge -p \
         '{\"status\":{\"allocation\":{\"devices\":{\"results\":[{\"request\":\"gpu\",\
         \"driver\":\"gpu.example.com\",\"pool\":\"n1\",\"device\":\"gpu-0\"}]}}}}'";
    terminal.prints(allocate, "resourceclaim.resource.k8s.io/shared patched\n");
    terminal.prints(
        "kubectl get resourceclaims -o wide",
        "NAME     STATE       AGE\nshared   allocated   0s\n",
    );
    let output = terminal.run("kubectl get resourceclaim shared -o yaml");
    assert!(output.stdout.contains("deviceClassName: gpu"), "{output:?}");
    assert!(
        output.stdout.contains("allocationMode: ExactCount"),
        "{output:?}"
    );
    let output = terminal.run("kubectl describe resourceclaim shared");
    assert!(
        output
            .stdout
            .starts_with("Name:         shared\nNamespace:    default\n"),
        "{output:?}"
    );
    assert!(output.stdout.contains("Device Class Name:"), "{output:?}");
    let output = terminal.run("kubectl describe resourceslice n1-gpus");
    assert!(output.stdout.contains("Node Name:"), "{output:?}");
    terminal.prints(
        "kubectl delete deviceclass gpu",
        "deviceclass.resource.k8s.io \"gpu\" deleted\n",
    );
}

#[test]
fn conditions_of_devices_are_reported_with_patch() {
    let mut terminal = Terminal::new().file("devices.yaml", DEVICES);
    terminal.run("kubectl apply -f devices.yaml");
    let patch = |status: &str| {
        format!(
            "kubectl patch resourceclaim shared --subresource=status --type=merge -p '{{\"status\":{{{status}}}}}'"
        )
    };
    let condition = "{\"type\":\"gpu.example.com/attached\",\"status\":\"True\",\"reason\":\"Done\",\
         \"message\":\"\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}";
    let device = |device: &str, conditions: &str| {
        format!(
            "\"devices\":[{{\"driver\":\"gpu.example.com\",\"pool\":\"n1\",\"device\":\"{device}\",\"conditions\":[{conditions}]}}]"
        )
    };
    terminal.fails(
        &patch(&device("gpu-0", condition)),
        "The ResourceClaim \"shared\" is invalid: status.devices[0]: Invalid value: \"gpu.example.com/n1/gpu-0\": must be an allocated device in the claim",
    );
    let allocation = "\"allocation\":{\"devices\":{\"results\":[{\"request\":\"gpu\",\
         \"driver\":\"gpu.example.com\",\"pool\":\"n1\",\"device\":\"gpu-0\"}]}}";
    terminal.prints(
        &patch(allocation),
        "resourceclaim.resource.k8s.io/shared patched\n",
    );
    let wrong = condition.replace("\"True\"", "\"Yes\"");
    terminal.fails(
        &patch(&device("gpu-0", &wrong)),
        "The ResourceClaim \"shared\" is invalid: status.devices[0].conditions[0].status: Unsupported value: \"Yes\": supported values: \"False\", \"True\", \"Unknown\"",
    );
    terminal.prints(
        &patch(&device("gpu-0", condition)),
        "resourceclaim.resource.k8s.io/shared patched\n",
    );
}
