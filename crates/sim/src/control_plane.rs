//! The API server and the controllers: changes are delivered and keys are synced until nothing is left to do.
//!
//! Controllers take turns, one key each, and every write is delivered to all before the next one works, so the
//! same input gives the same result. What binds and runs Pods is behind [`DataPlane`].

use std::cmp::Reverse;

use super::controllers::{Controllers, Options};
use super::garbage;
use super::server::ApiServer;
use super::store::{Change, Key, Store};
use berth_protocol::due::DueKind;

/// Rounds within one instant after which the work counts as a livelock. A round syncs a key of every controller that
/// has one, so even a hundred thousand Pods need fewer.
const MAX_ROUNDS: u32 = 1_000_000;

/// The components besides the controllers: the scheduler, or its replacement, and the kubelets.
pub trait DataPlane {
    /// Handles a change.
    fn observe(&mut self, change: &Change, api: &mut ApiServer);
    /// Does the work that is due; `true` if it has to be called again before the controllers work.
    fn act(&mut self, api: &mut ApiServer) -> bool;
}

/// The control plane does not settle within one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Livelock {
    /// When, in milliseconds of virtual time.
    pub at_ms: i64,
}

/// The API server, the controllers, and the copy of the objects that they read.
#[derive(Clone, Debug)]
pub struct ControlPlane {
    pub api: ApiServer,
    cache: Store,
    controllers: Controllers,
    /// Whether the garbage collector does all of its work, see [`Options::housekeeping`].
    collects_all: bool,
}

impl ControlPlane {
    pub fn new(api: ApiServer, options: Options) -> Self {
        ControlPlane {
            api,
            cache: Store::default(),
            controllers: Controllers::new(options),
            collects_all: options.housekeeping,
        }
    }

    /// When the next delayed key of a controller is due, in milliseconds.
    pub fn next_due(&mut self) -> Option<i64> {
        let all = self.controllers.all();
        all.into_iter()
            .filter_map(|controller| controller.queue().next_due())
            .min()
    }

    /// The same without periodic syncs.
    pub fn next_besides_syncs(&mut self) -> Option<i64> {
        let all = self.controllers.all();
        all.into_iter()
            .filter_map(|controller| controller.queue().next_besides_syncs())
            .min()
    }

    /// A key of a controller whose delay ends at this time, and what for; of several, one for which the clock waits.
    pub fn delayed_until(&mut self, at_ms: i64) -> Option<(DueKind, Key)> {
        let all = self.controllers.all().into_iter();
        let delayed = all.filter_map(|controller| {
            let (kind, key) = controller.queue().delayed_until(at_ms)?;
            Some((kind, key.clone()))
        });
        delayed.min_by_key(|(kind, _)| Reverse(*kind))
    }

    /// Adds the delayed keys that are due to their queues.
    pub fn release(&mut self) {
        let now = self.api.now_ms();
        for controller in self.controllers.all() {
            controller.queue().release(now);
        }
    }

    /// Works until nothing is pending.
    ///
    /// # Errors
    /// If the work does not end within the maximum number of rounds.
    pub fn settle(&mut self, data_plane: &mut dyn DataPlane) -> Result<(), Livelock> {
        for _ in 0..MAX_ROUNDS {
            if !self.pass(data_plane) {
                return Ok(());
            }
        }
        Err(Livelock {
            at_ms: self.api.now_ms(),
        })
    }

    /// Delivers changes and does one round of work. The controllers work only when the data plane has nothing more
    /// to do, so that they see a consistent state. `false` if nothing was left to do.
    pub fn pass(&mut self, data_plane: &mut dyn DataPlane) -> bool {
        self.deliver(data_plane);
        if data_plane.act(&mut self.api) {
            self.deliver(data_plane);
            return true;
        }
        let wrote = !self.api.is_delivered();
        self.deliver(data_plane);
        self.round(data_plane) || wrote
    }

    /// Delivers the pending changes.
    fn deliver(&mut self, data_plane: &mut dyn DataPlane) {
        while let Some(change) = self.api.next_change() {
            self.cache.apply(&change);
            let now = self.api.now_ms();
            for controller in self.controllers.running() {
                controller.observe(&change, &self.cache, now);
            }
            data_plane.observe(&change, &mut self.api);
            garbage::collect(&change, &mut self.api, self.collects_all);
        }
    }

    /// Syncs one key of each controller. `false` if there was none.
    fn round(&mut self, data_plane: &mut dyn DataPlane) -> bool {
        let mut worked = false;
        for index in 0..Controllers::COUNT {
            worked |= self.sync(index, worked);
            self.deliver(data_plane);
        }
        worked
    }

    /// Syncs one key of a controller. `false` if there was none, or if it follows others that have `worked`.
    fn sync(&mut self, index: usize, worked: bool) -> bool {
        let mut all = self.controllers.all();
        let Some(controller) = all.get_mut(index) else {
            return false;
        };
        if worked && controller.follows() {
            return false;
        }
        let Some(key) = controller.queue().take() else {
            return false;
        };
        self.api.set_component(controller.component());
        let outcome = controller.sync(&key, &self.cache, &mut self.api);
        let now = self.api.now_ms();
        match outcome {
            Ok(()) => controller.queue().forget(&key, now),
            Err(_) => controller.queue().add_rate_limited(key, now),
        }
        controller.queue().done();
        true
    }
}
