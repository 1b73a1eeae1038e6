//! kubectl on a cluster that lives.

use std::collections::BTreeMap;

use super::Cluster;
use crate::base::time::Time;
use crate::sim::server::ApiServer;
use crate::sim::world::World;

/// A cluster, and the files that commands name. A copy is a checkpoint.
#[derive(Clone)]
pub struct LiveCluster {
    pub world: World,
    /// By path, as commands write it.
    pub files: BTreeMap<String, String>,
    /// Attempts of the scheduler are steps of their own: no command makes them unless it waits.
    pub is_stepped: bool,
}

impl LiveCluster {
    /// A cluster without files.
    pub fn new(world: World) -> Self {
        LiveCluster {
            world,
            files: BTreeMap::new(),
            is_stepped: false,
        }
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
        self.files.get(path).cloned()
    }

    fn write_file(&mut self, path: &str, text: String) {
        self.files.insert(path.to_owned(), text);
    }

    fn files(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn remove_file(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }
}
