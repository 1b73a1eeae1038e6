//! Pods: their STATUS sums up their containers in one word.

use serde_json::Value;

use super::{Column, Table, age, columns, name};
use crate::printers::fields::{Fields, condition, or_none};
use crate::printers::time;

const COLUMNS: &[Column] = columns![
    "NAME" "READY" "STATUS" "RESTARTS" "AGE" wide "IP" wide "NODE" wide "NOMINATED NODE"
    wide "READINESS GATES"
];

pub(crate) const TABLE: Table = Table {
    columns: COLUMNS,
    row,
};

fn row(pod: &Value, now_ms: i64) -> Vec<String> {
    let status = status(pod);
    let restarts = match &status.last_restart {
        Some(at) if status.restarts > 0 => {
            format!("{} ({} ago)", status.restarts, time::age(at, now_ms))
        }
        _ => status.restarts.to_string(),
    };
    let ips = pod.items("status.podIPs");
    let ip = ips.first().map_or("", |ip| ip.text("ip"));
    vec![
        name(pod),
        format!("{}/{}", status.ready, status.containers),
        status.word,
        restarts,
        age(pod, now_ms),
        or_none(ip),
        or_none(pod.text("spec.nodeName")),
        or_none(pod.text("status.nominatedNodeName")),
        gates(pod),
    ]
}

/// `1/2`: the number of readiness gates whose condition is true, and of all gates.
fn gates(pod: &Value) -> String {
    let gates = pod.items("spec.readinessGates");
    let open = gates
        .iter()
        .filter(|gate| condition(pod, gate.text("conditionType")).text("status") == "True");
    match gates.len() {
        0 => "<none>".to_owned(),
        count => format!("{}/{count}", open.count()),
    }
}

/// The cells of a row that summarize a Pod's containers.
pub(crate) struct Status {
    /// `Running`, `Init:0/1`, `CrashLoopBackOff`, …
    pub(crate) word: String,
    /// Number of ready containers; `containers` is the total. Both include sidecars.
    pub(crate) ready: usize,
    pub(crate) containers: usize,
    pub(crate) restarts: i64,
    /// When a restarted container last terminated.
    pub(crate) last_restart: Option<String>,
}

/// Restarts of some containers.
#[derive(Default)]
struct Restarts {
    count: i64,
    last: Option<String>,
}

impl Restarts {
    fn add(&mut self, container: &Value) {
        self.count += container.int("restartCount");
        let ended = container.text("lastState.terminated.finishedAt");
        if !ended.is_empty() && self.last.as_deref().is_none_or(|last| last < ended) {
            self.last = Some(ended.to_owned());
        }
    }
}

/// The progress of the init containers.
struct Init {
    /// The status while they run; `None` once they are done.
    word: Option<String>,
    ready: usize,
    all: Restarts,
    sidecars: Restarts,
}

/// STATUS, READY and RESTARTS.
pub(crate) fn status(pod: &Value) -> Status {
    let specs = pod.items("spec.initContainers");
    let sidecars = specs
        .iter()
        .filter(|container| is_sidecar(container))
        .count();
    let phase = pod.text("status.phase");
    let mut word = match pod.text("status.reason") {
        "" => phase.to_owned(),
        reason => reason.to_owned(),
    };
    if condition(pod, "PodScheduled").text("reason") == "SchedulingGated" {
        "SchedulingGated".clone_into(&mut word);
    }
    let init = init(pod, specs);
    let mut ready = init.ready;
    let mut restarts = init.all;
    let is_through = init.word.is_none();
    word = init.word.unwrap_or(word);
    if is_through || condition(pod, "Initialized").text("status") == "True" {
        restarts = init.sidecars;
        let mut running = 0;
        for container in pod.items("status.containerStatuses").iter().rev() {
            restarts.add(container);
            if let Some(reason) = reason(container) {
                word = reason;
            } else if container.is_true("ready") && container.has("state.running") {
                running += 1;
            }
        }
        ready += running;
        if word == "Completed" && running > 0 {
            let is_ready = condition(pod, "Ready").text("status") == "True";
            let again = if is_ready { "Running" } else { "NotReady" };
            again.clone_into(&mut word);
        }
    }
    if pod.has("metadata.deletionTimestamp") {
        if pod.text("status.reason") == "NodeLost" {
            "Unknown".clone_into(&mut word);
        } else if !matches!(phase, "Succeeded" | "Failed") {
            "Terminating".clone_into(&mut word);
        }
    }
    Status {
        word,
        ready,
        containers: pod.items("spec.containers").len() + sidecars,
        restarts: restarts.count,
        last_restart: restarts.last,
    }
}

/// Whether an init container is a sidecar.
fn is_sidecar(container: &Value) -> bool {
    container.text("restartPolicy") == "Always"
}

fn init(pod: &Value, specs: &[Value]) -> Init {
    let mut init = Init {
        word: None,
        ready: 0,
        all: Restarts::default(),
        sidecars: Restarts::default(),
    };
    for (index, container) in pod.items("status.initContainerStatuses").iter().enumerate() {
        let mut spec = specs.iter();
        let spec = spec.find(|spec| spec.text("name") == container.text("name"));
        let is_sidecar = spec.is_some_and(is_sidecar);
        init.all.add(container);
        if is_sidecar {
            init.sidecars.add(container);
        }
        let terminated = container.at("state.terminated");
        if !terminated.is_null() && terminated.int("exitCode") == 0 {
            continue;
        }
        if is_sidecar && container.is_true("started") {
            init.ready += usize::from(container.is_true("ready"));
            continue;
        }
        let waiting = container.text("state.waiting.reason");
        init.word = Some(if !terminated.is_null() {
            format!("Init:{}", ending(terminated))
        } else if !matches!(waiting, "" | "PodInitializing") {
            format!("Init:{waiting}")
        } else {
            format!("Init:{index}/{}", specs.len())
        });
        break;
    }
    init
}

/// Why a container is not running; `None` if it is.
fn reason(container: &Value) -> Option<String> {
    let waiting = container.text("state.waiting.reason");
    if !waiting.is_empty() {
        return Some(waiting.to_owned());
    }
    let terminated = container.at("state.terminated");
    (!terminated.is_null()).then(|| ending(terminated))
}

/// How a container ended.
fn ending(terminated: &Value) -> String {
    match (terminated.text("reason"), terminated.int("signal")) {
        ("", 0) => format!("ExitCode:{}", terminated.int("exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}
