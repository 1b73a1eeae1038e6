//! kubectl on a cluster that lives.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::time::Time;
use crate::kubectl::Cluster;
use crate::kubectl::suspended::{Left, Waiting};
use crate::sim::server::ApiServer;
use crate::sim::simulated_cluster::SimulatedCluster;

/// A cluster, and the files that commands name. A copy is a checkpoint.
#[derive(Clone)]
pub struct LiveCluster {
    pub world: SimulatedCluster,
    /// By path, as commands write it.
    pub files: BTreeMap<String, Arc<str>>,
    /// What fields there are, once somebody has brought it: see [`Cluster::schema`].
    pub fields: Option<Arc<str>>,
    /// Attempts of the scheduler are steps of their own: no command makes them unless it waits.
    pub is_stepped: bool,
    /// The command that runs now may leave its waiting to who steps.
    may_leave: bool,
    left: Left,
}

impl LiveCluster {
    /// A cluster without files.
    pub fn new(world: SimulatedCluster) -> Self {
        LiveCluster {
            world,
            files: BTreeMap::new(),
            fields: None,
            is_stepped: false,
            may_leave: false,
            left: Left::default(),
        }
    }

    /// The waiting that a command has left, to be played.
    pub fn take_left(&mut self) -> Option<Box<dyn Waiting>> {
        self.left.take()
    }
}

impl Cluster for LiveCluster {
    fn api(&self) -> &ApiServer {
        self.world.api()
    }

    fn api_mut(&mut self) -> &mut ApiServer {
        self.world.api_mut()
    }

    fn settle(&mut self) {
        if self.is_stepped {
            self.world.prepare();
        } else {
            self.world.settle();
        }
    }

    fn work(&mut self) {
        self.world.settle();
    }

    fn advance(&mut self, until_ms: i64) -> bool {
        let until = Time::at_microsecond(until_ms.saturating_mul(1_000));
        // Not later than its time.
        self.world.settle();
        self.world.advance(until)
    }

    fn file(&self, path: &str) -> Option<String> {
        self.files.get(path).map(|text| text.to_string())
    }

    fn write_file(&mut self, path: &str, text: String) {
        self.files.insert(path.to_owned(), text.into());
    }

    fn files(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn remove_file(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    fn schema(&self) -> Option<&str> {
        self.fields.as_deref()
    }

    fn let_leave(&mut self, may: bool) {
        self.may_leave = may && self.is_stepped;
    }

    fn leave(&mut self, waiting: Box<dyn Waiting>) -> Option<Box<dyn Waiting>> {
        if !std::mem::take(&mut self.may_leave) {
            return Some(waiting);
        }
        self.left.put(waiting);
        None
    }

    fn has_left(&self) -> bool {
        self.left.is_some()
    }
}
