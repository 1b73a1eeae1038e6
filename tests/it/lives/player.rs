//! Plays lives on a simulated cluster: either with a digest of every state, or with checks of the invariants.

use std::collections::VecDeque;

use berth_base::hash::Fnv;
use berth_base::random::Random;
use berth_base::time::Time;
use berth_core::api::manifests::read;
use berth_core::api::prepare::PrepareOptions;
use berth_core::api::script::KubeletRules;
use berth_core::api::source::SourceFile;
use berth_kubectl::shell::Shell;
use berth_kubectl::terminal_cluster::TerminalCluster;
use berth_kubectl::{Clock, Cluster, OpenRequest, Output};
use berth_scheduler::plugins::registry::registry;
use berth_shell::Files;
use berth_sim::history::Entry;
use berth_sim::run::RunOptions;
use berth_sim::scheduling::SchedulingOptions;
use berth_sim::server::ApiServer;
use berth_sim::simulated_cluster::{Rest, SimulatedCluster, SimulationOptions};

use super::generator::{Act, Life, edited};
use super::invariants::Invariants;

/// Maximum number of moments of one act; beyond it, the cluster counts as never quiet.
const MAX_MOMENTS: u32 = 50_000;

/// Maximum number of moments that a checked line may wait; then it is interrupted as by Ctrl+C.
const PATIENCE: u32 = 1_000;

/// Moments between two checks of the whole cluster within an act.
const LOOKS: u32 = 4;

/// Maximum number of passes of one moment; beyond it, the controllers count as never quiet.
const MAX_PASSES: u32 = 200_000;

/// Maximum number of Pods at a time; beyond it, Pods count as replaced without end.
const MAX_PODS: usize = 1_000;

/// Entries of the history that are kept for messages.
const RECENT: usize = 12;

/// A terminal with its cluster. A copy is a checkpoint.
#[derive(Clone)]
pub struct Player {
    shell: Shell,
    pub cluster: Watched,
    /// Hash of the state and the exit code after each act, without printed text. Updated only without checks.
    states: Fnv,
}

/// A cluster whose history is checked entry by entry.
#[derive(Clone)]
pub struct Watched {
    inner: TerminalCluster,
    /// Cycles, writes, events, queue moves and Pod states so far.
    pub entries: u64,
    moments: u32,
    /// Moments that the current line may still wait; `None`: no limit.
    patience: Option<u32>,
    /// When an object was last created or deleted, or a Pod last changed its state.
    wrote_ms: i64,
    /// The latest entries, newest first, for messages of failed checks.
    pub recent: VecDeque<Entry>,
    /// `None`: no checks.
    invariants: Option<Invariants>,
}

impl Player {
    /// The cluster of a life before its first act.
    pub fn new(life: &Life, checks: bool) -> Self {
        let manifests = read(
            &[SourceFile::new("life.yaml", life.manifests.as_str())],
            &PrepareOptions::default(),
        );
        assert!(!manifests.has_errors(), "{:?}", manifests.problems);
        let options = SimulationOptions {
            scheduling: SchedulingOptions {
                run: RunOptions {
                    seed: life.seed,
                    ..RunOptions::default()
                },
                tells_kept: false,
                pop_from_backoff: true,
            },
            kubelet: KubeletRules {
                by_containers: true,
                ..KubeletRules::default()
            },
            ..SimulationOptions::default()
        };
        let cluster = SimulatedCluster::new(&manifests.prepared, &registry(), &options);
        let mut cluster = cluster.expect("the scheduler starts");
        let documents = manifests.loaded.documents.iter();
        // Duplicates and objects over quota are refused.
        let _ = cluster.load(documents.filter_map(|document| document.object.as_deref()));
        let mut player = Player {
            shell: Shell::default(),
            cluster: Watched {
                inner: TerminalCluster::new(cluster),
                entries: 0,
                moments: 0,
                patience: None,
                wrote_ms: 0,
                recent: VecDeque::new(),
                invariants: checks.then(Invariants::default),
            },
            states: Fnv::new(),
        };
        player.cluster.settle();
        player
    }

    pub fn cluster(&self) -> &SimulatedCluster {
        &self.cluster.inner.cluster
    }

    /// The hash of the states after all acts so far.
    pub fn digest(&self) -> u64 {
        self.states.0
    }

    /// Plays one act.
    pub fn play(&mut self, act: &Act) -> Output {
        let cluster = &mut self.cluster;
        let is_line = matches!(act, Act::Line(_) | Act::Edit(..));
        cluster.patience = (is_line && cluster.invariants.is_some()).then_some(PATIENCE);
        let output = match act {
            Act::Line(line) => self.shell.run(line, cluster),
            Act::Edit(line, seed) => {
                let mut output = self.shell.run(line, cluster);
                if let Some(request) = output.open.take() {
                    let (OpenRequest::Object { text, .. } | OpenRequest::File { text, .. }) =
                        &request;
                    let text = edited(text, &mut Random::new(*seed));
                    if std::env::var_os("BERTH_FUZZ_VERBOSE").is_some() {
                        println!("edited: {text}");
                    }
                    output = Shell::edited(&request, &text, cluster);
                }
                output
            }
            Act::Pass(ms) => {
                let until = cluster.api().now_ms() + ms;
                let mut moments = 0;
                while cluster.advance(until) && cluster.api().store().pods.count() <= MAX_PODS {
                    moments += 1;
                    assert!(moments < MAX_MOMENTS, "no end of moments");
                }
                Output::default()
            }
            // An unknown node is ignored.
            Act::Silence(node) => {
                let _ = cluster.inner.cluster.api_mut().silence_node(node);
                Output::default()
            }
            Act::Revive(node) => {
                let _ = cluster.inner.cluster.api_mut().revive_node(node);
                Output::default()
            }
        };
        cluster.patience = None;
        cluster.settle();
        cluster.look();
        let is_stuck = cluster.inner.cluster.livelock().is_some();
        assert!(
            !is_stuck || cluster.inner.cluster.is_spinning(),
            "a livelock"
        );
        if cluster.invariants.is_none() {
            let state = cluster.inner.cluster.digest();
            self.states.number(state.cast_signed());
            self.states.number(i64::from(output.code));
        }
        output
    }

    /// Plays for this many hours, or until nothing is due anymore.
    pub fn rest(&mut self, hours: i64) -> Rest {
        const FOREVER: Time = Time::at_second(1_000_000_000);
        let until_ms = self.cluster.api().now_ms() + hours * 3_600_000;
        // One moment at a time, so that each is checked.
        for _ in 0..MAX_MOMENTS {
            if self.cluster.inner.cluster.next_step(FOREVER).is_none() {
                return Rest::Quiet;
            }
            if !self.cluster.advance(until_ms) || self.is_spinning() {
                return Rest::OutOfTime;
            }
        }
        Rest::Busy
    }

    /// Whether Pods end or are rejected as soon as they start and are replaced without end, as in real clusters.
    pub fn is_spinning(&self) -> bool {
        self.cluster().is_spinning() || self.cluster.api().store().pods.count() > MAX_PODS
    }

    /// Whether nothing has been written for this many hours. The next due time may be far away, such as that of a
    /// CronJob that is suspended by now.
    pub fn is_still(&self, hours: i64) -> bool {
        self.cluster.api().now_ms() - self.cluster.wrote_ms > hours * 3_600_000
    }

    /// The state of the checks.
    pub fn invariants(&self) -> Option<&Invariants> {
        self.cluster.invariants.as_ref()
    }
}

impl Watched {
    /// Checks an entry of the history.
    pub fn happened(&mut self, entry: &Entry) {
        if let Some(invariants) = &mut self.invariants {
            invariants.entry(entry, self.inner.api());
        }
    }

    /// Checks the whole cluster.
    pub fn look(&mut self) {
        if let Some(invariants) = &mut self.invariants {
            invariants.settled(&self.inner.cluster);
        }
    }

    /// Takes the new entries of the history, and checks them.
    fn note(&mut self) {
        let cluster = &mut self.inner.cluster;
        for entry in cluster.take_record() {
            self.entries += 1;
            if matches!(entry, Entry::Wrote { .. } | Entry::Pod { .. }) {
                self.wrote_ms = cluster.api().now_ms();
            }
            let Some(invariants) = &mut self.invariants else {
                continue;
            };
            invariants.entry(&entry, cluster.api());
            self.recent.truncate(RECENT - 1);
            self.recent.push_front(entry);
        }
    }
}

impl Cluster for Watched {
    fn api(&self) -> &ApiServer {
        self.inner.api()
    }

    fn api_mut(&mut self) -> &mut ApiServer {
        self.inner.api_mut()
    }
}

impl Clock for Watched {
    fn settle(&mut self) {
        if let Some(invariants) = &mut self.invariants {
            invariants.evictions(self.inner.cluster.api());
        }
        let mut passes = 0;
        while self.inner.cluster.settle_some() {
            self.note();
            passes += 1;
            assert!(passes < MAX_PASSES, "no end of work: {:?}", self.recent);
        }
        self.note();
    }

    fn advance(&mut self, until_ms: i64) -> bool {
        if self.patience == Some(0) {
            return false;
        }
        let until = Time::at_microsecond(until_ms.saturating_mul(1_000));
        self.patience = self.patience.map(|left| left - 1);
        let began = self.inner.cluster.begin_next(until);
        if began {
            self.settle();
            self.moments += 1;
            if self.moments.is_multiple_of(LOOKS) {
                self.look();
            }
        }
        began
    }
}

impl Files for Watched {
    fn file(&self, path: &str) -> Option<String> {
        self.inner.file(path)
    }

    fn write_file(&mut self, path: &str, text: String) {
        self.inner.write_file(path, text);
    }

    fn files(&self) -> Vec<String> {
        self.inner.files()
    }

    fn remove_file(&mut self, path: &str) -> bool {
        self.inner.remove_file(path)
    }
}
