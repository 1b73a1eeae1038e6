//! A stable hash of a simulated cluster.

use berth_base::hash::Fnv;

use super::SimulatedCluster;

impl SimulatedCluster {
    /// A hash of the time, of all objects and events, and of the scheduler's cache. Equal runs have equal hashes at
    /// every moment and on every platform.
    pub fn digest(&self) -> u64 {
        let mut hash = Fnv::new();
        hash.number(self.now().microseconds());
        let api = self.api();
        api.store()
            .digests(&mut |digest| hash.number(digest.cast_signed()));
        for event in api.events().iter() {
            hash.text(&event.reason);
            hash.text(&event.message);
            hash.text(&event.uid);
            hash.number(i64::from(event.count()));
            hash.number(event.last_ms());
        }
        for (node, since) in api.silent_nodes() {
            hash.text(node);
            hash.number(since);
        }
        let cache = &self.scheduling().cache;
        hash.number(cache.cluster.digest().cast_signed());
        let waiting = cache.queue.listing();
        for list in [
            waiting.active,
            waiting.backoff,
            waiting.unschedulable,
            waiting.gated,
        ] {
            list.iter().for_each(|key| hash.text(key));
            hash.text("");
        }
        hash.0
    }
}
