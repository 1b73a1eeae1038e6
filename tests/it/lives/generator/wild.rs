//! Unusual acts: every verb with odd flags, pipes and loops, volumes, namespaces, crashes and probes, schedules, and
//! damaged manifests.

use berth_core::api::kinds::Kind;

use super::{Act, CPU, Generator, IMAGES, damage, heredoc};

/// Names that the table of kinds lacks: of several kinds, of versions, of categories, of kinds that are not stored.
const ODD_KINDS: [&str; 9] = [
    "ev",
    "sa",
    "all",
    "pods,deploy",
    "nodes,pods",
    "pod.v1",
    "Deployments.v1.apps",
    "gateway",
    "",
];
const OUTPUTS: [&str; 20] = [
    "wide",
    "yaml",
    "json",
    "name",
    "jsonpath='{.items[*].metadata.name}'",
    "jsonpath='{range .items[*]}{.metadata.name}{\"\\t\"}{.status.phase}{\"\\n\"}{end}'",
    "jsonpath='{.items[?(@.spec.nodeName==\"n0\")].metadata.name}'",
    "jsonpath='{.items[-1:].spec..image}'",
    "jsonpath='{.items[0'",
    "jsonpath='{..}'",
    "jsonpath=",
    "go-template='{{range .items}}{{.metadata.name}}{{end}}'",
    "custom-columns=N:.metadata.name,P:.status.phase",
    "custom-columns=",
    "custom-columns=X",
    "wide --show-labels",
    "wide --sort-by=.metadata.creationTimestamp",
    "wide --sort-by=.spec.nothing",
    "wide --no-headers",
    "nothing",
];
const SELECTORS: [&str; 12] = [
    "-l app=web0",
    "-l app!=web0",
    "-l 'app in (web0, db0),fate!=crash'",
    "-l '!app'",
    "-l 'app notin ()'",
    "-l ''",
    "-l '=,'",
    "--field-selector=status.phase=Running",
    "--field-selector spec.nodeName=n0,status.phase!=Failed",
    "--field-selector metadata.nothing=x",
    "-A",
    "-n other",
];
/// Words that are inserted at wrong places of a line.
const ODD_WORDS: [&str; 40] = [
    "--all",
    "-A",
    "''",
    "-l",
    "app",
    "--replicas=-1",
    "--replicas=9999999999",
    "=",
    "--dry-run=client",
    "--dry-run=server",
    "|",
    ";",
    "&&",
    "||",
    "-n",
    "$(",
    "\"",
    "nodes",
    "--",
    "kube-system",
    "--force",
    "-o",
    "name",
    ">",
    "<",
    "--timeout=0",
    "--timeout=-1s",
    "--timeout=5",
    "--wait=false",
    "--grace-period=-7",
    "--now",
    "--cascade=x",
    "--selector=app",
    "--ignore-not-found",
    "--\u{fc}ber",
    "\u{1f6a2}",
    "*",
    "`",
    "#",
    "-f -",
];
const DAMAGED_VERBS: [&str; 8] = [
    "apply",
    "apply",
    "apply --server-side",
    "create",
    "create --dry-run=server -o yaml",
    "replace",
    "replace --force --timeout=5s",
    "delete --timeout=3s",
];

impl Generator<'_> {
    pub(super) fn wild_act(&mut self) -> Act {
        match self.below(34) {
            0..4 => Act::Line(self.damage()),
            4..6 => Act::Line(self.kept()),
            6..8 => {
                let (name, seed) = (self.something(), self.below(u64::MAX));
                Act::Edit(format!("kubectl edit {name}"), seed)
            }
            8..10 => Act::Line(self.odd_look()),
            10..12 => Act::Line(self.waiting()),
            12..14 => Act::Line(self.patch()),
            14..16 => Act::Line(self.removal()),
            16..18 => Act::Line(self.node_trouble()),
            18 => self.zone_trouble(),
            19..21 => Act::Line(self.made()),
            21..23 => Act::Line(self.shell_line()),
            23 => Act::Line(self.storage()),
            24 => Act::Line(self.elsewhere()),
            25..27 => Act::Line(self.trouble()),
            27..29 => Act::Line(self.marks()),
            29..31 => Act::Line(self.set()),
            _ => Act::Line(self.odd_words()),
        }
    }

    /// `kind/name` of anything.
    fn something(&mut self) -> String {
        match self.below(10) {
            0..4 => self.workload_name(),
            4 => format!("node/{}", self.node_name()),
            5 => format!("cronjob/{}", self.named("tick")),
            6 => format!("pdb/{}", self.named("web")),
            7 => "pvc/data".to_owned(),
            8 => self.some_pod(),
            _ => self
                .pick(&[
                    "quota/quota",
                    "ns/other",
                    "sc/later",
                    "pc/high",
                    "pod/none",
                    "svc/kubernetes",
                    "/",
                ])
                .to_owned(),
        }
    }

    fn document(&mut self) -> String {
        match self.below(12) {
            0 => {
                let index = self.below(self.size.nodes);
                self.node(index)
            }
            1 => self.budget(),
            2 => self.quota(),
            3 => self.pod(),
            4 => self.claim(),
            5 => self.volume(),
            6 => self.schedule(),
            7 => self.crasher(),
            8 => self.limits(),
            _ => self.workload(),
        }
    }

    /// A manifest with damage, or with rare fields.
    fn damage(&mut self) -> String {
        let document = self.document();
        let document = damage::damaged(&document, self.random);
        let verb = self.pick(&DAMAGED_VERBS);
        heredoc(verb, &document)
    }

    /// Two manifests in a file that two commands use.
    fn kept(&mut self) -> String {
        let (one, other) = (self.document(), self.document());
        let first = self.pick(&["apply", "create", "create --save-config"]);
        let second = self.pick(&[
            "diff",
            "apply",
            "replace",
            "delete --wait=false",
            "get",
            "describe",
            "wait --for=create --timeout=1s",
            "scale --replicas=2",
            "label x=y",
            "annotate x=y",
            "patch -p '{}'",
            "rollout restart",
            "set image c=redis",
        ]);
        format!(
            "cat <<EOF > kept.yaml\n{one}\n---\n{other}\nEOF\nkubectl {first} -f kept.yaml\nkubectl {second} -f kept.yaml"
        )
    }

    /// A name of any kind as users write it, or an odd one.
    fn kind_name(&mut self) -> String {
        let kinds = Kind::ALL.iter().map(|kind| kind.info());
        let names = kinds.flat_map(|info| {
            let short = info.short.iter().map(|name| (*name).to_owned());
            short.chain([
                info.plural.to_owned(),
                info.singular.to_owned(),
                info.resource(),
            ])
        });
        let odd = ODD_KINDS.iter().map(|name| (*name).to_owned());
        let mut names: Vec<String> = names.chain(odd).collect();
        let chosen = usize::try_from(self.below(names.len() as u64)).expect("small");
        names.swap_remove(chosen)
    }

    fn odd_look(&mut self) -> String {
        let (kind, output, selector) =
            (self.kind_name(), self.pick(&OUTPUTS), self.pick(&SELECTORS));
        let name = self.something();
        match self.below(14) {
            0..4 => format!("kubectl get {kind} {selector} -o {output}"),
            4 => format!("kubectl get {name} -o {output}"),
            5 => format!("kubectl describe {kind} {selector}"),
            6 => format!("kubectl describe {name}"),
            7 => {
                let path = self.pick(&[
                    "pod.spec",
                    "deploy.spec.strategy",
                    "nothing",
                    "job --recursive",
                    "pods.spec.x",
                ]);
                format!("kubectl explain {path}")
            }
            8 => {
                format!("kubectl top pods {selector} --containers; kubectl top nodes --sort-by=cpu")
            }
            9 => format!(
                "kubectl events --for {name} --types=Warning; kubectl get events --sort-by=.lastTimestamp"
            ),
            10 => format!("kubectl get {kind} -w --timeout=4s"),
            11 => format!(
                "kubectl rollout history {name} --revision=2; kubectl rollout status {name} --watch=false"
            ),
            12 => format!(
                "kubectl logs {name}; kubectl exec {name} -- ls; kubectl api-resources -o name | wc -l"
            ),
            _ => format!(
                "kubectl auth can-i delete {kind}; kubectl version; kubectl config view; kubectl options"
            ),
        }
    }

    /// Lines that let time pass.
    fn waiting(&mut self) -> String {
        let name = self.something();
        let timeout = self.pick(&[
            "--timeout=1s",
            "--timeout=9s",
            "--timeout=0",
            "--timeout=1m",
            "--timeout=-1s",
        ]);
        let timeout = if timeout == "--timeout=-1s" && !self.one_in(8) {
            "--timeout=3s"
        } else {
            timeout
        };
        match self.below(6) {
            0 => {
                let goal = self.pick(&[
                    "condition=Ready",
                    "condition=Available=false",
                    "delete",
                    "create",
                    "jsonpath='{.status.phase}'=Running",
                    "jsonpath='{.status.readyReplicas}'",
                    "jsonpath='{..}'=x",
                    "condition=",
                    "nothing",
                    "condition=complete",
                ]);
                format!("kubectl wait --for={goal} {name} {timeout}")
            }
            1 => {
                let kind = self.kind_name();
                format!("kubectl wait --for=condition=Ready {kind} --all {timeout}")
            }
            2 => format!("kubectl rollout status {name} {timeout}"),
            3 => {
                let seconds = self.below(90);
                format!("sleep {seconds}; kubectl get {name}")
            }
            4 => format!("watch -n 5 kubectl get {name}"),
            _ => format!("kubectl get {name} -w {timeout}"),
        }
    }

    fn patch(&mut self) -> String {
        let (name, number) = (self.something(), self.below(5));
        let (kind, patch) = match self.below(16) {
            0 => ("json", format!("[{{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":{number}}}]")),
            1 => ("json", "[{\"op\":\"remove\",\"path\":\"/metadata/labels\"}]".to_owned()),
            2 => ("json", "[{\"op\":\"test\",\"path\":\"/kind\",\"value\":\"Pod\"},{\"op\":\"move\",\"from\":\"/spec\",\"path\":\"/status\"}]".to_owned()),
            3 => ("json", "[{\"op\":\"add\",\"path\":\"/spec/template/spec/containers/-\",\"value\":{\"name\":\"d\",\"image\":\"redis\"}}]".to_owned()),
            4 => ("merge", format!("{{\"spec\":{{\"replicas\":{number}}}}}")),
            5 => ("merge", "{\"metadata\":{\"labels\":{\"app\":null},\"finalizers\":[\"example.com/hold\"]}}".to_owned()),
            6 => ("merge", "{\"metadata\":{\"finalizers\":null,\"ownerReferences\":null}}".to_owned()),
            7 => ("merge", "{\"spec\":{\"template\":null}}".to_owned()),
            8 => ("merge", "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"disk\":\"ssd\"},\"containers\":[]}}}}".to_owned()),
            9 => ("strategic", format!("{{\"spec\":{{\"template\":{{\"spec\":{{\"containers\":[{{\"name\":\"c\",\"image\":\"app:v{number}\"}}]}}}}}}}}")),
            10 => ("strategic", "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"$patch\":\"delete\"}]}}}}".to_owned()),
            11 => ("strategic", "{\"spec\":{\"template\":{\"spec\":{\"$patch\":\"replace\",\"containers\":[{\"name\":\"e\",\"image\":\"nginx\"}]}}}}".to_owned()),
            12 => ("strategic", "{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"app\":\"other\"}}}}}".to_owned()),
            13 => ("strategic", "{\"spec\":{\"unschedulable\":true,\"taints\":[{\"key\":\"flaky\",\"effect\":\"NoExecute\"}]}}".to_owned()),
            14 => ("merge", format!("{{\"spec\":{{\"minAvailable\":{number},\"maxUnavailable\":null,\"parallelism\":{number}}}}}")),
            _ => (self.pick(&["json", "merge", "strategic", "odd"]), self.pick(&["[", "{}", "null", "7", "[{}]", "spec: {replicas: 1}"]).to_owned()),
        };
        let status = if self.one_in(8) {
            " --subresource=status"
        } else {
            ""
        };
        format!("kubectl patch {name} --type={kind} -p '{patch}'{status}")
    }

    fn removal(&mut self) -> String {
        let (name, node) = (self.something(), self.node_name());
        let timeout = self.pick(&[
            "--timeout=2s",
            "--timeout=20s",
            "--wait=false",
            "--timeout=45s",
        ]);
        match self.below(12) {
            0 => format!("kubectl drain {node} {timeout}"),
            1 => format!(
                "kubectl drain {node} --force --ignore-daemonsets --disable-eviction --grace-period=0 --timeout=9s"
            ),
            2 => format!(
                "kubectl drain {node} --force --ignore-daemonsets --delete-emptydir-data --skip-wait-for-delete-timeout=3 --timeout=20s"
            ),
            3 => {
                let selector = self.pick(&["disk=ssd", "disk=", "!disk", "x y", ""]);
                format!(
                    "kubectl drain --selector='{selector}' --pod-selector='app' --ignore-daemonsets --force --timeout=20s"
                )
            }
            4 => {
                let dry = self.pick(&["client", "server", "none", "odd"]);
                format!(
                    "kubectl drain {node} n0 --dry-run={dry} --ignore-daemonsets --force --delete-emptydir-data --timeout=4s"
                )
            }
            // Rarely without a timeout: a day may pass.
            5 if self.one_in(6) => {
                format!("kubectl drain {node} --ignore-daemonsets --force --delete-emptydir-data")
            }
            6 if self.one_in(6) => format!("kubectl delete {name}"),
            7 => {
                let cascade = self.pick(&["background", "foreground", "orphan", "odd", "true"]);
                format!("kubectl delete {name} --cascade={cascade} {timeout}")
            }
            8 => {
                let grace = self.pick(&["0", "1", "-1", "3600", "99999999999", "x"]);
                format!("kubectl delete {name} --grace-period={grace} {timeout}")
            }
            9 => {
                let (kind, selector) = (
                    self.pick(&["pods", "rs", "jobs", "pvc", "pdb", "cronjobs"]),
                    self.pick(&SELECTORS),
                );
                let all = if self.one_in(3) { "--all" } else { selector };
                format!("kubectl delete {kind} {all} {timeout}")
            }
            10 => format!(
                "kubectl delete {name} --now --dry-run=server; kubectl delete {name} --ignore-not-found {timeout}"
            ),
            _ => format!("kubectl delete {name} --force {timeout}"),
        }
    }

    fn node_trouble(&mut self) -> String {
        let node = self.node_name();
        match self.below(12) {
            0..4 => {
                let kind = self.pick(&[
                    "DiskPressure",
                    "MemoryPressure",
                    "PIDPressure",
                    "NetworkUnavailable",
                    "Ready",
                ]);
                let status = self.pick(&["True", "False", "Unknown", "odd"]);
                format!(
                    "kubectl patch node {node} --subresource=status -p '{{\"status\":{{\"conditions\":[{{\"type\":\"{kind}\",\"status\":\"{status}\"}}]}}}}'"
                )
            }
            4 | 5 => {
                let (cpu, pods) = (
                    self.pick(&["1", "250m", "64", "0", "-1", "x"]),
                    self.pick(&["2", "20", "0"]),
                );
                format!(
                    "kubectl patch node {node} --subresource=status -p '{{\"status\":{{\"allocatable\":{{\"cpu\":\"{cpu}\",\"pods\":\"{pods}\"}}}}}}'"
                )
            }
            6 => format!(
                "ssh {node} sudo systemctl stop kubelet; sleep 50; ssh {node} sudo systemctl restart kubelet"
            ),
            7 => format!(
                "ssh {node} systemctl stop kubelet; kubectl delete node {node} --timeout=5s"
            ),
            8 => {
                let key = self.pick(&[
                    "node.kubernetes.io/unreachable",
                    "node.kubernetes.io/out-of-service",
                    "node.kubernetes.io/not-ready",
                ]);
                let effect = self.pick(&["NoExecute", "NoSchedule", "PreferNoSchedule"]);
                format!("kubectl taint node {node} {key}=:{effect}")
            }
            9 => {
                let zone = self.below(3);
                format!(
                    "kubectl label node {node} topology.kubernetes.io/zone=z{zone} kubernetes.io/hostname=h{zone} --overwrite"
                )
            }
            10 => format!(
                "kubectl get node {node} -o yaml > node.yaml; kubectl delete node {node}; sleep 7; kubectl create -f node.yaml"
            ),
            _ => "kubectl taint nodes -l disk=ssd flaky=x:NoExecute dedicated:NoSchedule- --overwrite".to_owned(),
        }
    }

    /// All kubelets of a zone stop at once, or start again.
    fn zone_trouble(&mut self) -> Act {
        let (zone, does) = (self.below(3), self.pick(&["stop", "start"]));
        Act::Line(format!(
            "for n in $(kubectl get nodes -l topology.kubernetes.io/zone=z{zone} -o name); do ssh ${{n#node/}} systemctl {does} kubelet; done"
        ))
    }

    /// `kubectl create` and similar commands that build objects from flags.
    fn made(&mut self) -> String {
        let (image, number) = (self.pick(&IMAGES), self.below(4));
        let line = match self.below(14) {
            0 => format!("create deployment made{number} --image={image} --replicas={number}"),
            1 => format!(
                "create job once{number} --image=busybox -- sh -c 'sleep {number}; exit {number}'"
            ),
            2 => {
                let schedule = self.pick(&[
                    "*/2 * * * *",
                    "@hourly",
                    "60 * * * *",
                    "* * *",
                    "0 0 31 2 *",
                    "\u{661} * * * *",
                ]);
                format!(
                    "create cronjob tock{number} --image=busybox --schedule='{schedule}' -- date"
                )
            }
            3 => format!("create job again{number} --from=cronjob/tick0"),
            4 => format!("create ns space{number}"),
            5 => {
                let value = self.pick(&["-5", "1000000000", "2000000000", "x", "--global-default"]);
                format!("create priorityclass class{number} --value={value}")
            }
            6 => format!(
                "create pdb guard{number} --selector=app=web{number} --min-available={number}"
            ),
            7 => format!(
                "create quota q{number} --hard=pods={number},requests.cpu=2,count/jobs.batch={number}"
            ),
            8 => format!(
                "run lone{number} --image={image} --restart=Never --labels=app=web0 -- sleep {number}"
            ),
            9 => format!(
                "run lone{number} --image={image} --requests=cpu=1 --overrides='{{\"spec\":{{\"priorityClassName\":\"high\"}}}}'"
            ),
            10 => format!("expose deployment web{number} --port=80"),
            11 => format!("autoscale deployment web{number} --max={number}"),
            12 => format!("create service clusterip s{number} --tcp=80:80"),
            _ => format!("create -f nowhere{number}.yaml"),
        };
        match self.below(5) {
            0 => format!("kubectl {line} --dry-run=client -o yaml | kubectl apply -f -"),
            1 => format!("kubectl {line} -o name --dry-run=server"),
            2 => format!("kubectl {line} -n other"),
            _ => format!("kubectl {line}"),
        }
    }

    fn shell_line(&mut self) -> String {
        let (name, number, node) = (self.something(), self.below(5), self.node_name());
        match self.below(16) {
            0 => format!("for p in $(kubectl get pods -o name | head -n {number}); do kubectl label $p x=y{number} --overwrite || break; done"),
            1 => format!("kubectl get {name} -o yaml | sed 's/replicas: [0-9]*/replicas: {number}/' | kubectl replace -f -"),
            2 => format!("kubectl get {name} -o json | kubectl apply -f - && echo $? || echo no $?"),
            3 => format!("for i in $(kubectl get pods -o name); do kubectl delete --wait=false $i; done; N={number}; echo \"${{N}}$((N+1))\" 'x' | wc -c"),
            4 => format!("kubectl get pods --no-headers | awk '$3 != \"Running\" {{print $1}}' | sort -r | uniq | tail -n +{number} > bad.txt; cat bad.txt"),
            5 => format!("seq 1 {number} | while read i; do kubectl scale deployment/web$i --replicas=$i; done"),
            6 => format!("if kubectl get {name} > /dev/null 2>&1; then kubectl annotate {name} seen=yes --overwrite; else echo none; fi"),
            7 => format!("kubectl cordon $(kubectl get nodes -o jsonpath='{{.items[*].metadata.name}}' | tr ' ' '\\n' | grep -v {node})"),
            8 => format!("kubectl delete -f - --wait=false <<< \"$(kubectl get {name} -o yaml)\""),
            9 => format!("cat <<A | kubectl apply -f -\n$(kubectl get {name} -o yaml)\nA"),
            10 => format!("kubectl get {name} -o yaml > a.yaml; kubectl delete -f a.yaml --timeout=9s; kubectl create -f a.yaml; rm a.yaml; ls"),
            11 => "export K=kubectl; alias k=kubectl; k get po | grep -c Running; $K get nodes | cut -d' ' -f1".to_owned(),
            12 => format!("while true; do kubectl get {name}; done"),
            13 => format!("kubectl config set-context --current --namespace=other; kubectl scale deployment/web0 --replicas={number}; kubectl config set-context --current --namespace=default"),
            14 => format!("(kubectl get {name}; echo {{a,b}}{{1..{number}}}) | sort -u > x; cat < x; date +%s; set -e; false; echo on"),
            _ => format!("kubectl get {name} -o yaml | kubectl create -f -; kubectl get {name} -o yaml | kubectl replace --force --timeout=9s -f -"),
        }
    }

    fn claim(&mut self) -> String {
        let (number, class) = (
            self.below(3),
            self.pick(&["now", "later", "''", "none", "local"]),
        );
        let size = self.pick(&["1Gi", "5Gi", "1"]);
        format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: claim{number}, namespace: default}}, spec: \
             {{accessModes: [ReadWriteOnce], storageClassName: {class}, resources: {{requests: {{storage: {size}}}}}}}}}"
        )
    }

    fn volume(&mut self) -> String {
        let (number, node, policy) = (
            self.below(4),
            self.node_name(),
            self.pick(&["Retain", "Delete"]),
        );
        let place = match self.below(3) {
            0 => String::new(),
            _ => format!(
                ", nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, \
                 operator: In, values: [{node}]}}]}}]}}}}"
            ),
        };
        let class = self.pick(&["local", "''", "later"]);
        format!(
            "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: disk{number}}}, spec: {{capacity: {{storage: 2Gi}}, accessModes: \
             [ReadWriteOnce], storageClassName: {class}, persistentVolumeReclaimPolicy: {policy}, hostPath: {{path: /d}}{place}}}}}"
        )
    }

    fn storage(&mut self) -> String {
        let number = self.below(4);
        match self.below(8) {
            0 => format!("kubectl delete pv disk{number} --wait=false"),
            1 => format!("kubectl delete pvc claim{number} --wait=false"),
            2 => "kubectl delete pvc data --wait=false".to_owned(),
            3 => format!("kubectl patch pv disk{number} -p '{{\"spec\":{{\"claimRef\":null}}}}'"),
            4 => {
                let document = self.volume();
                heredoc("apply", &document)
            }
            5 => {
                let document = self.claim();
                heredoc("apply", &document)
            }
            6 => "kubectl delete sc later now --wait=false".to_owned(),
            _ => heredoc(
                "apply",
                &format!(
                    "{{apiVersion: v1, kind: Pod, metadata: {{name: user{number}, namespace: default}}, spec: {{volumes: [{{name: v, \
                     persistentVolumeClaim: {{claimName: claim{number}}}}}], containers: [{{name: c, image: redis}}]}}}}"
                ),
            ),
        }
    }

    /// Acts in namespaces that are created and deleted.
    fn elsewhere(&mut self) -> String {
        let document = self
            .document()
            .replace("namespace: default", "namespace: other");
        match self.below(5) {
            0 => "kubectl create ns other".to_owned(),
            1 => "kubectl delete ns other --wait=false".to_owned(),
            2 => "kubectl delete ns other --timeout=30s; kubectl create ns other".to_owned(),
            _ => heredoc("apply -n other", &document),
        }
    }

    fn limits(&mut self) -> String {
        let (cpu, most) = (self.pick(&CPU), self.pick(&CPU));
        format!(
            "{{apiVersion: v1, kind: LimitRange, metadata: {{name: limits, namespace: default}}, spec: {{limits: [{{type: Container, \
             default: {{cpu: '{most}'}}, defaultRequest: {{cpu: '{cpu}'}}, max: {{cpu: '2'}}}}]}}}}"
        )
    }

    /// A CronJob in some time zone.
    fn schedule(&mut self) -> String {
        let (name, app) = (self.named("tick"), self.named("job"));
        let spec = self.job_spec(&app);
        let zone = self.pick(&[
            "Europe/Berlin",
            "America/New_York",
            "Asia/Kathmandu",
            "UTC",
            "Etc/GMT+12",
            "Local",
            "x",
        ]);
        let schedule = self.pick(&[
            "* * * * *",
            "*/3 * * * *",
            "0 1 * * *",
            "30 2 * * SUN",
            "@every 90s",
            "1-59/7 0 1 1 *",
        ]);
        let more = self.pick(&[
            "",
            "startingDeadlineSeconds: 5, ",
            "suspend: true, ",
            "failedJobsHistoryLimit: 0, ",
        ]);
        format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: {name}, namespace: default}}, spec: {{schedule: '{schedule}', \
             timeZone: {zone}, {more}jobTemplate: {{spec: {spec}}}}}}}"
        )
    }

    /// A workload whose processes fail in some way.
    fn crasher(&mut self) -> String {
        let (kind, base) = match self.below(4) {
            0 | 1 => ("Deployment", "web"),
            2 => ("StatefulSet", "db"),
            _ => ("DaemonSet", "agent"),
        };
        let name = self.named(base);
        let replicas = self.below(self.size.replicas + 1);
        let counts = if kind == "DaemonSet" {
            String::new()
        } else {
            format!("replicas: {replicas}, ")
        };
        let (fate, container) = match self.below(10) {
            0 => (
                "berth.dev/memory: '20Mi,300Mi@7s'",
                "resources: {limits: {memory: 100Mi}}",
            ),
            1 => (
                "",
                "command: [stress, --vm, '1', --vm-bytes, 900M], resources: {requests: {memory: 10Mi}}",
            ),
            2 => (
                "",
                "command: [stress, --vm, '1', --vm-bytes, 250M], resources: {limits: {memory: 100Mi}}",
            ),
            3 => (
                "berth.dev/readiness: 'ok,fail@20s,ok@50s'",
                "readinessProbe: {httpGet: {port: 80}, periodSeconds: 5}",
            ),
            4 => (
                "berth.dev/liveness: 'ok,fail@15s'",
                "livenessProbe: {tcpSocket: {port: 80}, periodSeconds: 5, failureThreshold: 1}",
            ),
            5 => (
                "berth.dev/startup: fail",
                "startupProbe: {exec: {command: [x]}, periodSeconds: 2, failureThreshold: 3}",
            ),
            6 => (
                "berth.dev/run-for: 12s, berth.dev/exit-code: '1,0,3'",
                "imagePullPolicy: Always",
            ),
            7 => ("berth.dev/image: missing", "imagePullPolicy: Always"),
            8 => (
                "berth.dev/ready-after: never",
                "lifecycle: {preStop: {sleep: {seconds: 3}}}",
            ),
            _ => (
                "berth.dev/run-for: x, berth.dev/memory: -1",
                "command: [sh, -c, 'sleep 5; exit 2']",
            ),
        };
        format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: {name}, namespace: default}}, spec: {{{counts}selector: {{matchLabels: \
             {{app: {name}}}}}, template: {{metadata: {{labels: {{app: {name}, fate: crash}}, annotations: {{{fate}}}}}, spec: {{containers: \
             [{{name: c, image: 'app:v1', {container}}}]}}}}}}}}"
        )
    }

    fn trouble(&mut self) -> String {
        let document = self.crasher();
        heredoc("apply", &document)
    }

    fn marks(&mut self) -> String {
        let (name, number) = (self.something(), self.below(3));
        match self.below(8) {
            0 => format!(
                "kubectl label {name} app-; kubectl label {name} app=web{number} --overwrite"
            ),
            1 => format!("kubectl label {name} 'a b=c' x=\u{fc} y"),
            2 => format!("kubectl annotate {name} berth.dev/run-for={number}s --overwrite"),
            3 => format!(
                "kubectl annotate {name} note='{{\"a\": [1]}}' other- --resource-version={number}"
            ),
            4 => format!(
                "kubectl label pods --all tier=t{number} --overwrite; kubectl label pods -l tier=t{number} --list"
            ),
            5 => "kubectl label pods -l app=web0 app=db0 --overwrite".to_owned(),
            6 => "kubectl annotate pods --all berth.dev/memory=900Mi --overwrite".to_owned(),
            _ => format!("kubectl label {name} $(seq -s, 1 {number})=x --dry-run=client -o yaml"),
        }
    }

    fn set(&mut self) -> String {
        let (name, image, cpu) = (self.something(), self.pick(&IMAGES), self.pick(&CPU));
        match self.below(10) {
            0 => format!("kubectl set image {name} '*={image}'"),
            1 => format!("kubectl set image {name} x={image} c="),
            2 => format!(
                "kubectl set resources {name} --limits=cpu={cpu},memory=64Mi --requests=memory=1Gi"
            ),
            3 => format!("kubectl set resources {name} -c=c --limits=cpu=0 --requests=cpu={cpu}"),
            4 => format!("kubectl set env {name} A=b C-; kubectl set env {name} --list"),
            5 => format!("kubectl set serviceaccount {name} robot"),
            6 => format!("kubectl set selector {name} app=x"),
            7 => {
                let revision = self.below(4);
                format!("kubectl rollout undo {name} --to-revision={revision}")
            }
            8 => format!(
                "kubectl rollout restart {name} && kubectl rollout pause {name} && kubectl set image {name} c={image}"
            ),
            _ => format!(
                "kubectl scale {name} --current-replicas=2 --replicas=3; kubectl scale --replicas=1 deploy --all"
            ),
        }
    }

    /// A random line with words in wrong places.
    fn odd_words(&mut self) -> String {
        let line = match self.below(10) {
            0 => self.node_line(),
            1 => self.pod_line(),
            2 => self.workload_line(),
            3 => self.removal(),
            4 => self.waiting(),
            5 => self.patch(),
            6 => self.made(),
            7 => self.shell_line(),
            8 => self.set(),
            _ => self.odd_look(),
        };
        let mut words: Vec<&str> = line.split(' ').collect();
        for _ in 0..=self.below(3) {
            let at = usize::try_from(self.below(words.len() as u64 + 1)).expect("small");
            match self.below(4) {
                0 if at < words.len() => drop(words.remove(at)),
                1 if at > 0 && at < words.len() => words.swap(at, at - 1),
                _ => {
                    let word = self.pick(&ODD_WORDS);
                    words.insert(at, word);
                }
            }
        }
        words.join(" ")
    }
}
