//! Random clusters and acts: a seed gives the same life on every machine.

mod damage;
mod devices;
mod wild;

use std::collections::BTreeSet;

use berth_base::random::Random;
pub use damage::edited;

/// Bounds of a life.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub nodes: u64,
    /// Maximum number of workloads of each kind.
    pub workloads: u64,
    pub replicas: u64,
    pub acts: usize,
    /// Maximum time that one act lets pass, in seconds.
    pub seconds: u64,
    /// Whether some lines and manifests are broken, and some lines only read.
    pub is_rough: bool,
    /// Whether half of the acts are unusual ones, see `wild.rs`.
    pub is_wild: bool,
    /// Whether nodes have devices, which Pods claim.
    pub has_devices: bool,
}

/// One act of a user, or one external event.
#[derive(Clone, Debug)]
pub enum Act {
    /// A line, or several, typed into the terminal.
    Line(String),
    /// A line that opens an object in the editor, and the seed of the change to its text.
    Edit(String, u64),
    /// Milliseconds pass.
    Pass(i64),
    /// A node's kubelet stops.
    Silence(String),
    /// The kubelet starts again.
    Revive(String),
}

/// A cluster and its acts.
#[derive(Clone, Debug)]
pub struct Life {
    pub seed: u64,
    /// The initial manifests.
    pub manifests: String,
    pub acts: Vec<Act>,
    /// Acts that remove everything that blocks progress.
    pub peace: Vec<Act>,
}

/// The life of a seed.
pub fn life(seed: u64, size: Size) -> Life {
    let mut random = Random::new(seed);
    let mut generator = Generator {
        random: &mut random,
        size,
    };
    let manifests = generator.manifests();
    let acts = (0..size.acts).map(|_| generator.act()).collect();
    let peace = generator.peace();
    Life {
        seed,
        manifests,
        acts,
        peace,
    }
}

const IMAGES: [&str; 4] = ["app:v1", "app:v2", "nginx:1.27", "redis"];
const CPU: [&str; 5] = ["50m", "100m", "400m", "900m", "2"];
const MEMORY: [&str; 4] = ["32Mi", "128Mi", "1Gi", "6Gi"];

/// Objects that every cluster has once.
pub const COMMON: &str = "\
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: patient}, value: 500, preemptionPolicy: Never}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: now}, provisioner: csi.example.com}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: later}, provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {accessModes: [ReadWriteOnce], storageClassName: later, resources: {requests: {storage: 1Gi}}}}
";

/// The variable parts of a Pod template.
struct Template<'a> {
    app: &'a str,
    policy: &'a str,
    annotations: &'a str,
}

struct Generator<'a> {
    random: &'a mut Random,
    size: Size,
}

impl Generator<'_> {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[usize::try_from(self.below(of.len() as u64)).expect("small")]
    }

    fn node_name(&mut self) -> String {
        format!("n{}", self.below(self.size.nodes))
    }

    fn named(&mut self, base: &str) -> String {
        format!("{base}{}", self.below(self.size.workloads))
    }

    /// `kind/name` of a workload that may exist.
    fn workload_name(&mut self) -> String {
        let (kind, base) = match self.below(6) {
            0 | 1 => ("deployment", "web"),
            2 => ("statefulset", "db"),
            3 => ("daemonset", "agent"),
            4 => ("replicaset", "set"),
            _ => ("job", "job"),
        };
        format!("{kind}/{}", self.named(base))
    }

    /// A shell substitution that yields the name of some Pod.
    fn some_pod(&mut self) -> String {
        let line = self.below(12) + 1;
        format!("$(kubectl get pods -o name | head -n {line} | tail -n 1)")
    }

    fn manifests(&mut self) -> String {
        let mut text = COMMON.to_owned();
        let mut names = BTreeSet::new();
        // Real manifests do not define an object twice.
        let mut add = |document: String| {
            let name = document.split_once("spec: {").map(|it| it.0.to_owned());
            if !names.insert(name) {
                return;
            }
            text.push_str("---\n");
            text.push_str(&document);
            text.push('\n');
        };
        for index in 0..self.size.nodes {
            add(self.node(index));
        }
        let count = self.size.workloads * 2;
        for _ in 0..count {
            add(self.workload());
        }
        if self.one_in(3) {
            add(self.quota());
        }
        for _ in 0..2 {
            add(self.budget());
        }
        add(self.pod());
        if self.size.has_devices {
            self.devices().into_iter().for_each(add);
        }
        text
    }

    fn node(&mut self, index: u64) -> String {
        let cpu = self.below(4) + 1;
        let memory = self.pick(&["2Gi", "4Gi", "16Gi"]);
        let pods = self.pick(&["4", "10", "110"]);
        let disk = self.pick(&["ssd", "hdd"]);
        let taints = match self.below(6) {
            0 => "spec: {taints: [{key: dedicated, value: ops, effect: NoSchedule}]}, ",
            _ => "",
        };
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: n{index}, labels: {{disk: {disk}, \
             kubernetes.io/hostname: n{index}, topology.kubernetes.io/zone: z{}}}}}, {taints}status: {{allocatable: \
             {{cpu: '{cpu}', memory: {memory}, pods: '{pods}'}}}}}}",
            index % 3
        )
    }

    fn budget(&mut self) -> String {
        let app = match self.below(3) {
            0 => self.named("db"),
            _ => self.named("web"),
        };
        let limit = self.pick(&[
            "minAvailable: 1",
            "minAvailable: 2",
            "maxUnavailable: 1",
            "minAvailable: 50%",
            "maxUnavailable: 0",
            "maxUnavailable: 30%, unhealthyPodEvictionPolicy: AlwaysAllow",
        ]);
        format!(
            "{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: {app}, namespace: default}}, spec: {{{limit}, \
             selector: {{matchLabels: {{app: {app}}}}}}}}}"
        )
    }

    /// A quota that the Pods of the manifests do not exceed: such manifests are refused.
    fn quota(&mut self) -> String {
        let claiming = if self.size.has_devices {
            devices::PODS
        } else {
            0
        };
        let pods = self.below(10) + 4 + claiming;
        format!(
            "{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: quota, namespace: default}}, spec: {{hard: {{pods: '{pods}'}}}}}}"
        )
    }

    fn container(&mut self) -> String {
        let (image, cpu, memory) = (self.pick(&IMAGES), self.pick(&CPU), self.pick(&MEMORY));
        let requests = match self.below(4) {
            0 => String::new(),
            1 => format!(", resources: {{requests: {{cpu: {cpu}}}}}"),
            2 => format!(", resources: {{limits: {{cpu: '{cpu}', memory: {memory}}}}}"),
            _ => format!(", resources: {{requests: {{cpu: {cpu}, memory: {memory}}}}}"),
        };
        format!("{{name: c, image: '{image}'{requests}}}")
    }

    fn template(&mut self, of: &Template<'_>) -> String {
        let Template {
            app,
            policy,
            annotations,
        } = of;
        let container = self.container();
        let wish = match self.below(9) {
            0 => "nodeSelector: {disk: ssd}, ".to_owned(),
            1 => "tolerations: [{key: dedicated, operator: Exists}], ".to_owned(),
            2 => format!(
                "affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: \
                 kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: {app}}}}}}}]}}}}, "
            ),
            3 => format!(
                "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, \
                 whenUnsatisfiable: DoNotSchedule, labelSelector: {{matchLabels: {{app: {app}}}}}}}], "
            ),
            4 => "priorityClassName: high, ".to_owned(),
            5 => "priorityClassName: patient, ".to_owned(),
            6 => "tolerations: [{key: flaky, operator: Exists, effect: NoExecute, tolerationSeconds: 20}], "
                .to_owned(),
            _ => String::new(),
        };
        let claim = match self.size.has_devices {
            true => self.device_claim(),
            false => String::new(),
        };
        let grace = self.pick(&["0", "2", "30"]);
        format!(
            "template: {{metadata: {{labels: {{app: {app}}}, annotations: {{{annotations}}}}}, spec: {{{policy}{wish}{claim}\
             terminationGracePeriodSeconds: {grace}, containers: [{container}]}}}}"
        )
    }

    fn fate(&mut self) -> &'static str {
        self.pick(&[
            "",
            "",
            "berth.dev/ready-after: 3s",
            "berth.dev/ready-after: 9s, berth.dev/stop-after: 4s",
            "berth.dev/stop-after: never",
            "berth.dev/memory: 20Mi",
        ])
    }

    fn workload(&mut self) -> String {
        match self.below(8) {
            0..3 => self.deployment(),
            3 => self.stateful_set(),
            4 => self.daemon_set(),
            5 => self.job(),
            6 => self.cron_job(),
            _ => self.replica_set(),
        }
    }

    /// A workload of `apps/v1`.
    fn of_apps(&mut self, kind: &str, name: &str, spec: &str) -> String {
        let annotations = self.fate();
        let template = self.template(&Template {
            app: name,
            policy: "",
            annotations,
        });
        format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: {name}, namespace: default}}, spec: {{{spec}selector: \
             {{matchLabels: {{app: {name}}}}}, {template}}}}}"
        )
    }

    fn deployment(&mut self) -> String {
        let strategy = self.pick(&[
            "",
            "strategy: {type: Recreate}, ",
            "strategy: {rollingUpdate: {maxSurge: 2, maxUnavailable: 0}}, ",
            "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 30%}}, ",
            "minReadySeconds: 4, revisionHistoryLimit: 1, ",
            "progressDeadlineSeconds: 20, ",
        ]);
        let replicas = self.below(self.size.replicas + 1);
        let name = self.named("web");
        self.of_apps(
            "Deployment",
            &name,
            &format!("replicas: {replicas}, {strategy}"),
        )
    }

    fn replica_set(&mut self) -> String {
        let replicas = self.below(self.size.replicas + 1);
        let name = self.named("set");
        self.of_apps("ReplicaSet", &name, &format!("replicas: {replicas}, "))
    }

    fn stateful_set(&mut self) -> String {
        let policy = self.pick(&[
            "",
            "podManagementPolicy: Parallel, ",
            "updateStrategy: {rollingUpdate: {partition: 1}}, ",
            "updateStrategy: {type: OnDelete}, ",
            "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: later, \
             resources: {requests: {storage: 1Gi}}}}], ",
            "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: now, \
             resources: {requests: {storage: 1Gi}}}}], persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Delete}, ",
        ]);
        let replicas = self.below(4);
        let name = self.named("db");
        self.of_apps(
            "StatefulSet",
            &name,
            &format!("serviceName: {name}, replicas: {replicas}, {policy}"),
        )
    }

    fn daemon_set(&mut self) -> String {
        let strategy = self.pick(&[
            "",
            "updateStrategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}, ",
            "updateStrategy: {type: OnDelete}, ",
        ]);
        let name = self.named("agent");
        self.of_apps("DaemonSet", &name, strategy)
    }

    fn job_spec(&mut self, app: &str) -> String {
        let counts = self.pick(&[
            "completions: 3, parallelism: 2, ",
            "completions: 2, parallelism: 2, completionMode: Indexed, ",
            "backoffLimit: 2, ",
            "activeDeadlineSeconds: 30, ",
            "ttlSecondsAfterFinished: 20, ",
        ]);
        let annotations = self.pick(&[
            "berth.dev/run-for: 4s",
            "berth.dev/run-for: 40s",
            "berth.dev/run-for: 2s, berth.dev/exit-code: '1'",
            "berth.dev/run-for: 1s, berth.dev/exit-code: '1,0'",
        ]);
        let policy = self.pick(&["restartPolicy: Never, ", "restartPolicy: OnFailure, "]);
        let template = self.template(&Template {
            app,
            policy,
            annotations,
        });
        format!("{{{counts}{template}}}")
    }

    fn job(&mut self) -> String {
        let name = self.named("job");
        let spec = self.job_spec(&name);
        format!(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: {name}, namespace: default}}, spec: {spec}}}"
        )
    }

    fn cron_job(&mut self) -> String {
        let name = self.named("tick");
        let spec = self.job_spec(&name);
        let policy = self.pick(&["Allow", "Forbid", "Replace"]);
        format!(
            "{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: {name}, namespace: default}}, spec: {{schedule: '* * * * *', \
             concurrencyPolicy: {policy}, successfulJobsHistoryLimit: 1, jobTemplate: {{spec: {spec}}}}}}}"
        )
    }

    fn pod(&mut self) -> String {
        let name = self.below(6);
        let container = self.container();
        let (fate, label, more) = match self.below(6) {
            0 => (
                "berth.dev/run-for: 5s, berth.dev/exit-code: '1'",
                "crash",
                "",
            ),
            1 => (
                "berth.dev/run-for: 15s",
                "end",
                "restartPolicy: OnFailure, ",
            ),
            2 => (
                "",
                "stay",
                "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], ",
            ),
            3 => ("", "stay", "nodeName: n0, "),
            4 => ("", "stay", "priorityClassName: high, "),
            _ => ("", "stay", ""),
        };
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: p{name}, namespace: default, labels: {{fate: {label}}}, annotations: \
             {{{fate}}}}}, spec: {{{more}containers: [{container}]}}}}"
        )
    }

    /// Removes what blocks progress and brings nodes back: quotas, cordons, taints, pauses, schedules, silent kubelets,
    /// crashes.
    fn peace(&mut self) -> Vec<Act> {
        let size = self.size;
        let mut acts = Vec::new();
        for node in 0..size.nodes {
            let document = self.node(node);
            acts.push(Act::Line(heredoc("apply", &document)));
            acts.push(Act::Revive(format!("n{node}")));
        }
        let mut lines = vec![
            "kubectl delete resourcequota --all".to_owned(),
            "kubectl delete pod -l fate=crash --ignore-not-found".to_owned(),
            "kubectl uncordon -l '!none'".to_owned(),
        ];
        for key in ["dedicated", "flaky"] {
            lines.push(format!("kubectl taint nodes --all {key}-"));
        }
        for index in 0..size.workloads {
            lines.push(format!("kubectl rollout resume deployment/web{index}"));
            let suspend = r#"'{"spec":{"suspend":true}}'"#;
            lines.push(format!("kubectl patch cronjob/tick{index} -p {suspend}"));
            let go_on = r#"'{"spec":{"suspend":false}}'"#;
            lines.push(format!("kubectl patch job/job{index} -p {go_on}"));
        }
        acts.extend(lines.into_iter().map(Act::Line));
        if size.has_devices {
            acts.extend(self.device_peace());
        }
        acts
    }

    fn act(&mut self) -> Act {
        if self.size.has_devices && self.one_in(4) {
            return self.device_act();
        }
        if self.size.is_wild && self.one_in(2) {
            return self.wild_act();
        }
        let rough = if self.size.is_rough { 4 } else { 0 };
        match self.below(36 + rough) {
            0..12 => {
                let seconds = self.size.seconds;
                let limit = if self.one_in(4) { seconds } else { 12 };
                let ms = self.below(limit * 1_000) + 1;
                Act::Pass(i64::try_from(ms).expect("small"))
            }
            12 => Act::Silence(self.node_name()),
            13 => Act::Revive(self.node_name()),
            14..17 => Act::Line(self.apply()),
            17..21 => Act::Line(self.node_line()),
            21..24 => Act::Line(self.pod_line()),
            24..36 => Act::Line(self.workload_line()),
            36 => Act::Line(self.broken()),
            37 => Act::Line(self.broken_line()),
            _ => Act::Line(self.look()),
        }
    }

    /// Applies a manifest.
    fn apply(&mut self) -> String {
        let document = match self.below(9) {
            0 => {
                let index = self.below(self.size.nodes);
                self.node(index)
            }
            1 => self.budget(),
            2 => self.quota(),
            3 | 4 => self.pod(),
            _ => self.workload(),
        };
        heredoc("apply", &document)
    }

    fn node_line(&mut self) -> String {
        let node = self.node_name();
        match self.below(10) {
            0 => format!("kubectl cordon {node}"),
            1 => format!("kubectl uncordon {node}"),
            2 => {
                let disk = self.pick(&["disk=ssd --overwrite", "disk=hdd --overwrite", "disk-"]);
                format!("kubectl label nodes {node} {disk}")
            }
            3 => format!("kubectl taint nodes {node} flaky=yes:NoExecute --overwrite"),
            4 => format!("kubectl taint nodes {node} dedicated=ops:NoSchedule --overwrite"),
            5 => {
                let key = self.pick(&["flaky", "dedicated"]);
                format!("kubectl taint nodes {node} {key}-")
            }
            6 => format!("kubectl delete node {node}"),
            7 => {
                let index = self.below(self.size.nodes);
                let document = self.node(index);
                heredoc("apply", &document)
            }
            _ => {
                let timeout = self.pick(&["1s", "20s", "60s"]);
                format!(
                    "kubectl drain {node} --ignore-daemonsets --delete-emptydir-data --force --timeout={timeout}"
                )
            }
        }
    }

    fn pod_line(&mut self) -> String {
        let pod = self.some_pod();
        match self.below(6) {
            0 | 1 => format!("kubectl delete {pod} --wait=false"),
            2 => format!("kubectl delete {pod} --force --grace-period=0"),
            3 => {
                let label = self.pick(&["app-", "app=web0 --overwrite", "pod-template-hash-"]);
                format!("kubectl label {pod} {label}")
            }
            4 => format!(
                "kubectl annotate {pod} controller.kubernetes.io/pod-deletion-cost=-5 --overwrite"
            ),
            _ => {
                let image = self.pick(&IMAGES);
                format!("kubectl set image {pod} c={image}")
            }
        }
    }

    fn workload_line(&mut self) -> String {
        let name = self.workload_name();
        let replicas = self.below(self.size.replicas + 2);
        match self.below(16) {
            0..4 => format!("kubectl scale {name} --replicas={replicas}"),
            4 | 5 => {
                let image = self.pick(&IMAGES);
                format!("kubectl set image {name} c={image}")
            }
            6 => {
                let cpu = self.pick(&CPU);
                format!("kubectl set resources {name} --requests=cpu={cpu}")
            }
            7 => format!("kubectl rollout undo {name}"),
            8 => format!("kubectl rollout pause {name}"),
            9 => format!("kubectl rollout resume {name}"),
            10 => format!("kubectl rollout restart {name}"),
            11 => {
                let cascade = self.pick(&["background", "background", "foreground", "orphan"]);
                format!("kubectl delete {name} --cascade={cascade} --wait=false")
            }
            12 => {
                let seconds = self.below(10);
                format!("kubectl patch {name} -p '{{\"spec\":{{\"minReadySeconds\":{seconds}}}}}'")
            }
            13 => {
                let tick = self.named("tick");
                let paused = self.one_in(2);
                format!("kubectl patch cronjob {tick} -p '{{\"spec\":{{\"suspend\":{paused}}}}}'")
            }
            14 => {
                let job = self.named("job");
                let paused = self.one_in(2);
                format!("kubectl patch job {job} -p '{{\"spec\":{{\"suspend\":{paused}}}}}'")
            }
            _ => {
                let document = self.workload();
                heredoc("replace --force --timeout=20s", &document)
            }
        }
    }

    /// A manifest with damage.
    fn broken(&mut self) -> String {
        let mut document = match self.below(4) {
            0 => {
                let index = self.below(self.size.nodes);
                self.node(index)
            }
            1 => self.budget(),
            _ => self.workload(),
        };
        for _ in 0..=self.below(2) {
            let at = usize::try_from(self.below(document.len() as u64)).expect("small");
            if self.one_in(2) {
                let end = (at + 7).min(document.len());
                document.replace_range(at..end, "");
            } else {
                let piece = self.pick(&[
                    "}",
                    "{",
                    ", ",
                    "-1",
                    ": ",
                    "'",
                    "null",
                    "[]",
                    "99999999999999999999",
                    "1e9",
                    "&a ",
                ]);
                document.insert_str(at, piece);
            }
        }
        let verb = self.pick(&["apply", "create", "replace", "delete --wait=false"]);
        heredoc(verb, &document)
    }

    /// A line with words in wrong places. Lines that may wait stay intact, so that none waits without a limit.
    fn broken_line(&mut self) -> String {
        let line = match self.below(3) {
            0 => self.node_line(),
            1 => self.pod_line(),
            _ => self.workload_line(),
        };
        if ["drain", "delete", "replace"]
            .iter()
            .any(|it| line.contains(it))
        {
            return line;
        }
        let mut words: Vec<&str> = line.split(' ').collect();
        for _ in 0..=self.below(2) {
            let at = usize::try_from(self.below(words.len() as u64)).expect("small");
            if self.one_in(2) {
                words.remove(at);
            } else {
                let word = self.pick(&[
                    "--all",
                    "-A",
                    "''",
                    "-l",
                    "app",
                    "--replicas=-1",
                    "=",
                    "--dry-run=client",
                    "|",
                    ";",
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
                ]);
                words.insert(at, word);
            }
            if words.is_empty() {
                break;
            }
        }
        words.join(" ")
    }

    fn look(&mut self) -> String {
        let name = self.workload_name();
        match self.below(8) {
            0 => "kubectl get all -o wide".to_owned(),
            1 => "kubectl get nodes,pv,pvc,pdb -o wide".to_owned(),
            2 => "kubectl describe nodes".to_owned(),
            3 => "kubectl describe pods".to_owned(),
            4 => format!("kubectl describe {name}"),
            5 => format!("kubectl rollout history {name}"),
            6 => "kubectl get events | tail -n 5; kubectl top nodes; kubectl top pods".to_owned(),
            _ => format!("kubectl get {name} -o yaml"),
        }
    }
}

pub fn heredoc(verb: &str, document: &str) -> String {
    format!("kubectl {verb} -f - <<'EOF'\n{document}\nEOF")
}
