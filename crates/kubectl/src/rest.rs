//! The clock of a line: how long it took, and how far time goes on after it.
//!
//! A line takes the time that its commands wait. If it changed the cluster, time then goes on until controllers and
//! kubelets are still: to the last thing due within ten seconds, and never past an eviction, a deadline, a backoff or
//! the queue's flush. What ends later, someone has to ask for.

use berth_base::time::Time;
use berth_sim::simulated_cluster::SimulatedCluster;

/// The beginning of a line.
#[derive(Clone, Copy, Debug)]
pub struct LineStart {
    began: Time,
    /// The user's writes until then; `None`: the line is the first of a new cluster.
    writes: Option<u64>,
}

/// The time after a line.
#[derive(Clone, Copy, Debug)]
pub struct Rest {
    since: Time,
}

impl LineStart {
    /// A line that begins now. `is_first`: nothing in this cluster has come to rest yet.
    pub fn new(cluster: &SimulatedCluster, is_first: bool) -> Self {
        LineStart {
            began: cluster.now(),
            writes: (!is_first).then(|| cluster.api().user_writes()),
        }
    }

    /// The rest after the line, which ends now; `None` if it changed nothing, so that nothing has to come to rest.
    pub fn rest(&self, cluster: &SimulatedCluster) -> Option<Rest> {
        let changed = self.writes != Some(cluster.api().user_writes());
        let since = cluster.now();
        changed.then_some(Rest { since })
    }

    /// Milliseconds that have passed since the line began.
    pub fn passed_ms(&self, cluster: &SimulatedCluster) -> i64 {
        cluster.now().counted_from(self.began).milliseconds()
    }
}

impl Rest {
    /// Whether the next step of the cluster belongs to it.
    pub fn goes_on(&self, cluster: &mut SimulatedCluster) -> bool {
        cluster.goes_on_since(self.since)
    }
}
