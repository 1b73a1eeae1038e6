//! A simulated cluster as kubectl sees it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::{Clock, Cluster};
use berth_base::time::Time;
use berth_shell::Files;
use berth_sim::server::ApiServer;
use berth_sim::simulated_cluster::SimulatedCluster;

/// A cluster, and the files that commands name. A clone is a checkpoint.
#[derive(Clone)]
pub struct TerminalCluster {
    pub cluster: SimulatedCluster,
    /// Contents by path, as commands spell it.
    pub files: BTreeMap<String, Arc<str>>,
    /// The schemas that [`Cluster::schema`] returns, once loaded.
    pub fields: Option<Arc<str>>,
    /// Whether scheduling attempts are separate steps; then only commands that wait run them.
    pub is_stepped: bool,
    /// Called whenever time advances, for a progress display.
    pub on_advance: Option<OnAdvance>,
}

/// A function of the virtual time since the cluster began, in milliseconds. Copies share it.
#[derive(Clone)]
pub struct OnAdvance(Rc<RefCell<dyn FnMut(i64)>>);

impl OnAdvance {
    pub fn new(call: impl FnMut(i64) + 'static) -> Self {
        OnAdvance(Rc::new(RefCell::new(call)))
    }
}

impl TerminalCluster {
    /// A cluster without files.
    pub fn new(cluster: SimulatedCluster) -> Self {
        TerminalCluster {
            cluster,
            files: BTreeMap::new(),
            fields: None,
            is_stepped: false,
            on_advance: None,
        }
    }
}

impl Cluster for TerminalCluster {
    fn api(&self) -> &ApiServer {
        self.cluster.api()
    }

    fn api_mut(&mut self) -> &mut ApiServer {
        let api = self.cluster.api_mut();
        api.set_user_write(true);
        api
    }

    fn name_writer(&mut self, manager: &str) {
        self.cluster.api_mut().set_user_manager(manager);
    }

    fn schema(&self) -> Option<&str> {
        self.fields.as_deref()
    }
}

impl TerminalCluster {
    /// Ends the writes of a command: components make those from here on.
    pub fn end_user_write(&mut self) {
        self.cluster.api_mut().set_user_write(false);
    }
}

impl Clock for TerminalCluster {
    fn settle(&mut self) {
        self.end_user_write();
        if self.is_stepped {
            self.cluster.prepare();
        } else {
            self.cluster.settle();
        }
    }

    fn work(&mut self) {
        self.end_user_write();
        self.cluster.settle();
    }

    fn advance(&mut self, until_ms: i64) -> bool {
        let until = Time::at_microsecond(until_ms.saturating_mul(1_000));
        // Work that is due now runs before time advances.
        self.end_user_write();
        self.cluster.settle();
        let happened = self.cluster.advance(until);
        if let Some(OnAdvance(call)) = &self.on_advance
            && let Ok(mut call) = call.try_borrow_mut()
        {
            call(self.cluster.elapsed_ms());
        }
        happened
    }
}

impl Files for TerminalCluster {
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
}
