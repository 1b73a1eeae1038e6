//! Where a fork and its first run lead, tried aside from the run itself.

use std::rc::Rc;

use berth_protocol::frame::{Difference, ForkFrame, WaitingPods};
use berth_scheduler::cluster::Cluster;
use berth_scheduler::cluster::pod::PodInfo;

use crate::compare::{differing, newly_waiting, stays, unfinished};
use crate::history::{History, Now, Past};

/// Maximum number of listed Pods with another node.
const LISTED: usize = 200;

/// How long both runs are tried if the fork begins at the end of the first run: long enough for Pods of a lost node to
/// be evicted after 5 minutes and placed again.
const TRIED_MS: i64 = 600_000;

/// The ends of both runs, as far as they were tried. A copy shares them.
#[derive(Clone, Default)]
pub struct Outcome {
    first: Option<Rc<Continuation>>,
    fork: Option<Rc<Continuation>>,
    /// The time to which both runs of a simulated cluster are tried: the first run's end, or the fork's last change.
    until_ms: Option<i64>,
    /// Terminal commands had changed the cluster this often when the fork was tried.
    change_count: u64,
    compared: Option<Rc<Differences>>,
}

/// A run that was continued.
#[derive(Clone)]
struct Continuation {
    now: Now,
    /// It is at its end.
    done: bool,
}

impl Continuation {
    fn from(now: Option<Now>) -> Self {
        Self {
            now: now.unwrap_or_else(Now::idle),
            done: false,
        }
    }

    /// Makes up to `limit` steps; returns how many are left. A simulated cluster has no end: it runs to `until_ms`.
    fn advance(&mut self, until_ms: i64, mut limit: usize) -> usize {
        while limit > 0 && !self.done {
            let is_there = self
                .now
                .elapsed_ms()
                .is_some_and(|elapsed| elapsed >= until_ms);
            self.done = is_there || self.now.step().is_none();
            limit -= usize::from(!self.done);
        }
        limit
    }
}

/// How the ends differ.
#[derive(Default)]
struct Differences {
    pods: (usize, usize),
    placed: (usize, usize),
    different: usize,
    differences: Vec<Difference>,
    waiting: Vec<WaitingPods>,
    gone: usize,
}

impl Outcome {
    /// The fork has changed.
    pub fn forget_fork(&mut self) {
        self.fork = None;
        self.compared = None;
        self.until_ms = None;
        // The first run of a simulated cluster was tried to the time of this fork.
        self.first.take_if(|first| first.now.elapsed_ms().is_some());
    }

    /// Whether both ends are known.
    pub fn is_known(&self, change_count: u64) -> bool {
        self.compared.is_some() && self.change_count == change_count
    }

    /// Tries up to `limit` more steps; returns whether more remain.
    pub fn advance(
        &mut self,
        first_run: &Past,
        fork: &History,
        change_count: u64,
        fork_at: usize,
        limit: usize,
    ) -> bool {
        if self.change_count != change_count {
            self.change_count = change_count;
            self.forget_fork();
        }
        if self.compared.is_some() {
            return false;
        }
        let first = self.first.get_or_insert_with(|| {
            Rc::new(Continuation::from(first_run.at(first_run.log().len())))
        });
        let now = self
            .fork
            .get_or_insert_with(|| Rc::new(Continuation::from(fork.whole().after_last_edit())));
        let began_ms = first.now.elapsed_ms().max(now.now.elapsed_ms());
        let began_ms = began_ms.unwrap_or_default();
        // A fork from the end of the first run has no time to compare yet.
        let is_past = fork_at < first_run.log().len();
        let more_ms = if is_past { 0 } else { TRIED_MS };
        let until_ms = *self.until_ms.get_or_insert(began_ms + more_ms);
        let (first, now) = (Rc::make_mut(first), Rc::make_mut(now));
        let limit = first.advance(until_ms, limit);
        now.advance(until_ms, limit);
        if !(first.done && now.done) {
            return true;
        }
        self.compared = Some(Rc::new(compare(first, now)));
        false
    }

    /// Writes what is known into a frame.
    pub fn report(&self, frame: &mut ForkFrame) {
        let Some(compared) = &self.compared else {
            return;
        };
        frame.tried = true;
        (frame.pods_first, frame.pods_now) = compared.pods;
        (frame.placed_first, frame.placed_now) = compared.placed;
        frame.different = compared.different;
        frame.differences.clone_from(&compared.differences);
        frame.waiting.clone_from(&compared.waiting);
        frame.gone = compared.gone;
    }
}

fn compare(first: &Continuation, fork: &Continuation) -> Differences {
    let (first, fork) = (
        first.now.snapshot().cluster(),
        fork.now.snapshot().cluster(),
    );
    let node_of = |pod: &PodInfo| pod.object.node_name.as_ref().map(|node| node.to_string());
    let mut compared = Differences::default();
    let (gone, others): (Vec<_>, Vec<_>) =
        differing(first, fork).partition(|(pod, now)| now.is_none() && stays(pod));
    compared.gone = gone.len();
    compared.different = others.len();
    let differences = others.into_iter().map(|(pod, now)| Difference {
        pod: pod.object.key(),
        first: node_of(pod),
        now: now.and_then(node_of),
        exists: now.is_some(),
    });
    compared.differences = differences.collect();
    compared
        .differences
        .sort_by_key(|it| (it.now.is_some() || !it.exists, it.now.is_none()));
    compared.differences.truncate(LISTED);
    compared.waiting = newly_waiting(first, fork);
    (compared.pods.0, compared.placed.0) = counts(first);
    (compared.pods.1, compared.placed.1) = counts(fork);
    compared
}

/// The number of unfinished Pods, and of those that have a node.
fn counts(cluster: &Cluster) -> (usize, usize) {
    let has_node = |pod: &&PodInfo| pod.object.node_name.is_some();
    (
        unfinished(cluster).count(),
        unfinished(cluster).filter(has_node).count(),
    )
}
