//! Topology domains: the value of each topology key on each node, as small numbers.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{NodeInfo, NodeIx};
use berth_base::index::{Index, IndexVec};

berth_base::index_types! {
    /// A topology key that some Pod mentions.
    TopologyKeyIx;
    /// A value of one topology key, numbered per key.
    DomainIx;
}

/// One topology key and the domain of every node.
#[derive(Clone, Debug)]
pub struct TopologyKey {
    pub name: Arc<str>,
    /// By node; `None` if the node lacks the label or is deleted.
    by_node: Vec<Option<DomainIx>>,
    values: IndexVec<DomainIx, Arc<str>>,
    by_value: HashMap<Arc<str>, DomainIx>,
    /// By domain: number of existing nodes.
    populations: Vec<u32>,
    /// Number of existing nodes with the label.
    labelled: usize,
    /// Number of domains with several nodes.
    shared: usize,
}

impl TopologyKey {
    /// The node's domain, `None` if it lacks the label.
    #[inline]
    pub fn domain(&self, node: NodeIx) -> Option<DomainIx> {
        self.by_node.get(node.to_usize()).copied().flatten()
    }

    /// The domains of all nodes, by node index; nodes past the end have none.
    pub fn by_node(&self) -> &[Option<DomainIx>] {
        &self.by_node
    }

    /// Number of values ever seen, which is the size of a table by domain.
    pub fn domain_count(&self) -> usize {
        self.values.len()
    }

    /// The label's value in a domain.
    pub fn value(&self, domain: DomainIx) -> &Arc<str> {
        &self.values[domain]
    }

    /// The domain of a value, if a node ever had it.
    pub fn find(&self, value: &str) -> Option<DomainIx> {
        self.by_value.get(value).copied()
    }

    /// Number of existing nodes in the domain.
    pub fn population(&self, domain: DomainIx) -> u32 {
        self.populations
            .get(domain.to_usize())
            .copied()
            .unwrap_or(0)
    }

    /// Number of existing nodes with the label.
    pub fn labelled(&self) -> usize {
        self.labelled
    }

    /// Whether no two nodes share a domain, as with `kubernetes.io/hostname`: what a domain holds, one node holds.
    pub fn is_by_node(&self) -> bool {
        self.shared == 0
    }

    fn set(&mut self, node: NodeIx, value: Option<&str>) {
        let domain = value.map(|value| match self.by_value.get(value) {
            Some(&domain) => domain,
            None => {
                let value: Arc<str> = value.into();
                let domain = self.values.push(Arc::clone(&value));
                self.by_value.insert(value, domain);
                domain
            }
        });
        let position = node.to_usize();
        if self.by_node.len() <= position {
            self.by_node.resize(position + 1, None);
        }
        let before = std::mem::replace(&mut self.by_node[position], domain);
        self.populations.resize(self.values.len(), 0);
        if let Some(before) = before {
            let population = &mut self.populations[before.to_usize()];
            *population -= 1;
            self.labelled -= 1;
            self.shared -= usize::from(*population == 1);
        }
        if let Some(domain) = domain {
            let population = &mut self.populations[domain.to_usize()];
            *population += 1;
            self.labelled += 1;
            self.shared += usize::from(*population == 2);
        }
    }
}

/// All topology keys that Pods mention.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    keys: IndexVec<TopologyKeyIx, TopologyKey>,
    by_name: BTreeMap<Arc<str>, TopologyKeyIx>,
}

impl Topology {
    /// A key's table.
    pub fn key(&self, key: TopologyKeyIx) -> &TopologyKey {
        &self.keys[key]
    }

    /// The key of that name, if some Pod mentions it.
    pub fn find(&self, name: &str) -> Option<TopologyKeyIx> {
        self.by_name.get(name).copied()
    }

    /// The key of that name; a new one is filled from `nodes`.
    pub(super) fn intern(
        &mut self,
        name: &str,
        nodes: &IndexVec<NodeIx, NodeInfo>,
    ) -> TopologyKeyIx {
        if let Some(known) = self.find(name) {
            return known;
        }
        let name: Arc<str> = name.into();
        let mut key = TopologyKey {
            name: Arc::clone(&name),
            by_node: Vec::new(),
            values: IndexVec::default(),
            by_value: HashMap::new(),
            populations: Vec::new(),
            labelled: 0,
            shared: 0,
        };
        for node in nodes.iter().filter(|node| node.alive) {
            key.set(node.ix, node.labels.get(name.as_ref()).map(String::as_str));
        }
        let index = self.keys.push(key);
        self.by_name.insert(name, index);
        index
    }

    /// Rereads a node's labels; a deleted node has none.
    pub(super) fn refresh(&mut self, node: &NodeInfo) {
        for key in self.keys.iter_mut() {
            let value = node.labels.get(key.name.as_ref()).filter(|_| node.alive);
            key.set(node.ix, value.map(String::as_str));
        }
    }
}
