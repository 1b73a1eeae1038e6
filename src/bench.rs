//! Measures how fast Berth schedules, natively and in wasm, with a clock that the caller provides.
//!
//! Nodes have 4 CPUs and 32Gi and are in three zones. 500 Pods of 100m and 500Mi are scheduled first, then
//! 2,000 are timed.
//! Every node is filtered and scored (`percentageOfNodesToScore: 100`), without a recorder.

mod cluster;
mod devices;
mod life;

use std::fmt::Write;

use berth_core::api::prepared::Prepared;
use berth_scheduler::TieBreak;
use berth_scheduler::plugins::registry::registry;
use berth_sim::run::{Run, RunOptions};
use cluster::Workload;

/// Pods scheduled before the clock starts.
const WARM_UP: usize = 500;
/// Pods scheduled while the clock runs.
const TIMED: usize = 2_000;
/// Pods of the simulated cluster.
const LIVING: usize = 10_000;
/// Pods in the cluster that is measured for memory and the time of an explanation.
const CROWD: usize = 50_000;

/// Throughput of kube-scheduler v1.34 in Pods per second: 5,000 nodes, all of them scored, in process on
/// two cores, without API writes.
const REAL_AT_5000: [(Workload, f64); 5] = [
    (Workload::Basic, 139.0),
    (Workload::Spread, 118.0),
    (Workload::AntiAffinity, 109.0),
    (Workload::Affinity, 133.0),
    (Workload::Mixed, 113.0),
];

/// The caller's clock and memory gauge, because the library has neither.
pub struct Environment<'a> {
    /// Milliseconds since any fixed moment.
    pub now_ms: &'a dyn Fn() -> f64,
    /// Bytes of memory in use, if known.
    pub memory_bytes: &'a dyn Fn() -> Option<u64>,
}

/// The measurements to make.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    nodes: Vec<usize>,
    workloads: Vec<Workload>,
    crowd: bool,
    life: bool,
    devices: bool,
}

impl Plan {
    /// Parses words: node counts, workload names, `crowd`, `life` and `devices`. An empty text means everything.
    fn parse(args: &str) -> Result<Self, String> {
        let mut plan = Self {
            nodes: Vec::new(),
            workloads: Vec::new(),
            crowd: false,
            life: false,
            devices: false,
        };
        for word in args.split_whitespace() {
            if let Ok(nodes) = word.parse() {
                plan.nodes.push(nodes);
            } else if let Some(workload) =
                Workload::ALL.into_iter().find(|known| known.name() == word)
            {
                plan.workloads.push(workload);
            } else if word == "crowd" {
                plan.crowd = true;
            } else if word == "life" {
                plan.life = true;
            } else if word == "devices" {
                plan.devices = true;
            } else {
                let names = Workload::ALL.map(Workload::name).join(", ");
                return Err(format!(
                    "\"{word}\" is neither a number of nodes, nor crowd, nor life, nor devices, nor one of {names}\n"
                ));
            }
        }
        let nothing_named = plan.nodes.is_empty() && plan.workloads.is_empty();
        if nothing_named && (plan.crowd || plan.life || plan.devices) {
            return Ok(plan);
        }
        plan.crowd |= nothing_named;
        plan.life |= nothing_named;
        plan.devices |= nothing_named;
        if plan.nodes.is_empty() {
            plan.nodes = vec![100, 1_000, 5_000];
        }
        if plan.workloads.is_empty() {
            plan.workloads = Workload::ALL.to_vec();
        }
        Ok(plan)
    }
}

/// Measures and returns a table; `args` are node counts and workload names, empty for all.
pub fn run(args: &str, environment: &Environment<'_>) -> String {
    let plan = match Plan::parse(args) {
        Ok(plan) => plan,
        Err(message) => return message,
    };
    let mut report = String::new();
    if !plan.nodes.is_empty() {
        report.push_str("nodes  workload      pods/s  µs/pod  × kube-scheduler\n");
    }
    for &nodes in &plan.nodes {
        for &workload in &plan.workloads {
            let line = match time(nodes, workload, environment) {
                Ok(pods_per_second) => row(nodes, workload, pods_per_second),
                Err(message) => format!("{nodes:>5}  {:12}  {message}\n", workload.name()),
            };
            report.push_str(&line);
        }
    }
    if plan.devices {
        report.push_str(&of_devices(environment));
    }
    if plan.crowd {
        report.push_str(&crowd(environment));
    }
    if plan.life {
        report.push_str(&life::measure(LIVING, environment));
    }
    report
}

fn row(nodes: usize, workload: Workload, pods_per_second: f64) -> String {
    let real = REAL_AT_5000
        .iter()
        .find(|(known, _)| *known == workload && nodes == 5_000);
    let ratio = real.map_or_else(
        || "-".to_owned(),
        |(_, real)| format!("{:.0}", pods_per_second / real),
    );
    let name = workload.name();
    let micros = 1_000_000.0 / pods_per_second;
    format!("{nodes:>5}  {name:12}  {pods_per_second:>6.0}  {micros:>6.0}  {ratio:>16}\n")
}

fn start(prepared: &Prepared) -> Result<Run, String> {
    let options = RunOptions {
        tie_break: TieBreak::Random,
        seed: 1,
        remakes_victims: false,
    };
    Run::new(prepared, &registry(), options).map_err(|errors| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        texts.join("; ")
    })
}

/// Measures how fast Pods with claims get devices.
fn of_devices(environment: &Environment<'_>) -> String {
    let mut report =
        String::from("\n500 nodes with 8 devices\nscored   pods/s  µs/pod  × kube-scheduler\n");
    for (percentage, real) in devices::REAL {
        let scored = match percentage {
            100 => "all",
            _ => "default",
        };
        let prepared = devices::pending(WARM_UP + TIMED, percentage);
        // Writing to a String cannot fail.
        let _ = match timed(&prepared, environment) {
            Ok(rate) => writeln!(
                report,
                "{scored:7}  {rate:>6.0}  {:>6.0}  {:>16.0}",
                1_000_000.0 / rate,
                rate / real
            ),
            Err(message) => writeln!(report, "{scored:7}  {message}"),
        };
    }
    report
}

fn time(nodes: usize, workload: Workload, environment: &Environment<'_>) -> Result<f64, String> {
    timed(
        &cluster::pending(nodes, workload, WARM_UP + TIMED),
        environment,
    )
}

/// Pods per second.
fn timed(prepared: &Prepared, environment: &Environment<'_>) -> Result<f64, String> {
    let mut run = start(prepared)?;
    let mut place = |count: usize| {
        let placed = (0..count)
            .filter_map(|_| run.step())
            .filter(|attempt| attempt.node().is_some());
        if placed.count() == count {
            Ok(())
        } else {
            Err("not every Pod fits".to_owned())
        }
    };
    place(WARM_UP)?;
    let begin = (environment.now_ms)();
    place(TIMED)?;
    let elapsed_ms = (environment.now_ms)() - begin;
    Ok(TIMED as f64 * 1000.0 / elapsed_ms.max(f64::MIN_POSITIVE))
}

/// Number of times that a measurement of a few milliseconds is repeated.
const TRIES: usize = 10;

/// Measures memory with 50,000 Pods on 5,000 nodes, and the time to explain one attempt there.
fn crowd(environment: &Environment<'_>) -> String {
    let mut report = String::from("\n5,000 nodes, 50,000 Pods\n");
    let before = (environment.memory_bytes)();
    let begin = (environment.now_ms)();
    let run = start(&cluster::crowded(5_000, CROWD));
    let Ok(run) = run else {
        return "the crowded cluster does not start\n".to_owned();
    };
    let loaded = (environment.now_ms)();
    // Writing to a String cannot fail.
    let _ = writeln!(report, "  load        {:>7.0} ms", loaded - begin);
    if let (Some(before), Some(after)) = (before, (environment.memory_bytes)()) {
        let mebibytes = after.saturating_sub(before) >> 20;
        let _ = writeln!(report, "  memory      {mebibytes:>7} MiB");
    }
    let (explained, cycle) = least(environment, TRIES, || run.snapshot().explain_next());
    let rows = cycle.map_or(0, |cycle| cycle.nodes.len());
    let _ = writeln!(report, "  explain     {explained:>7.1} ms ({rows} nodes)");
    let (copied, _) = least(environment, TRIES, || run.checkpoint());
    let _ = writeln!(report, "  checkpoint  {copied:>7.1} ms");
    report
}

/// Calls `measured` a number of times; returns the least time in milliseconds, and the last result. The first calls also
/// grow the memory, and WebAssembly is not optimized until its functions have run for a while.
fn least<T>(environment: &Environment<'_>, tries: usize, measured: impl Fn() -> T) -> (f64, T) {
    let once = || {
        let begin = (environment.now_ms)();
        let result = measured();
        ((environment.now_ms)() - begin, result)
    };
    (1..tries).fold(once(), |(least, last), _| {
        drop(last);
        let (time, result) = once();
        (least.min(time), result)
    })
}

#[cfg(test)]
mod tests {
    use super::cluster::Workload;
    use super::{Environment, Plan, run};

    fn without_clock() -> Environment<'static> {
        Environment {
            now_ms: &|| 0.0,
            memory_bytes: &|| None,
        }
    }

    #[test]
    fn every_workload_fits_on_a_hundred_nodes() {
        let report = run("100", &without_clock());
        assert_eq!(report.lines().count(), 1 + Workload::ALL.len(), "{report}");
        assert!(!report.contains("fits"), "{report}");
    }

    #[test]
    fn all_pods_of_the_simulated_cluster_run() {
        let report = super::life::measure(750, &without_clock());
        assert!(report.contains("  life "), "{report}");
    }

    #[test]
    fn every_pod_gets_a_device() {
        let report = run("devices", &without_clock());
        assert_eq!(report.lines().count(), 5, "{report}");
        assert!(!report.contains("fits"), "{report}");
    }

    #[test]
    fn words_select_the_measurements() {
        let plan = Plan::parse("5000 spread basic").unwrap();
        assert_eq!(plan.nodes, [5000]);
        assert_eq!(plan.workloads, [Workload::Spread, Workload::Basic]);
        assert!(!plan.crowd);
        assert!(Plan::parse("").unwrap().crowd);
        assert!(Plan::parse("crowd").unwrap().nodes.is_empty());
        assert!(Plan::parse("life").unwrap().nodes.is_empty());
        assert!(Plan::parse("devices").unwrap().nodes.is_empty());
        assert!(Plan::parse("spred").is_err());
    }
}
