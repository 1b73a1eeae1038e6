//! Pods by topology domain, kept up to date from the log of placements.

use std::collections::BTreeMap;

use super::Cluster;
use super::changes::Placement;
use super::class::ClassIx;
use super::counts::NodeCounts;
use super::matcher::MatcherIx;
use super::topology::{TopologyKey, TopologyKeyIx};

/// Number of tables after which all are dropped and begun again.
const CAPACITY: usize = 4096;

/// The Pods that a table counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counted {
    Matched(MatcherIx),
    OfClass(ClassIx),
}

/// The Pods of one domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DomainCount {
    /// Pods that are not being deleted.
    pub live: i64,
    /// Pods that are being deleted.
    pub terminating: i64,
}

impl DomainCount {
    /// All Pods, terminating or not.
    pub fn all(self) -> i64 {
        self.live + self.terminating
    }
}

/// The tables by domain, each made when it is first read.
#[derive(Clone, Debug, Default)]
pub(super) struct DomainCounts(BTreeMap<(Counted, TopologyKeyIx), Table>);

#[derive(Clone, Debug, Default)]
struct Table {
    /// The versions of nodes and terms that it holds for.
    versions: (u64, u64),
    /// The position up to which placements were read.
    read: usize,
    by_domain: Vec<DomainCount>,
}

impl Cluster {
    /// Reads the counts by domain of a topology key; nodes without the label count nowhere. What changed since the last
    /// reading is added up first. Meant for keys with few domains.
    pub fn in_domains<R>(
        &self,
        counted: Counted,
        key: TopologyKeyIx,
        read: impl FnOnce(&[DomainCount]) -> R,
    ) -> R {
        let mut tables = self.domain_counts.borrow_mut();
        if tables.0.len() >= CAPACITY && !tables.0.contains_key(&(counted, key)) {
            tables.0.clear();
        }
        let table = tables.0.entry((counted, key)).or_default();
        let domains = self.topology.key(key);
        let versions = (self.node_version, self.changes.terms);
        let placements = &self.changes.placements;
        match placements.get(table.read..) {
            Some(unread) if table.versions == versions && !table.by_domain.is_empty() => {
                for placement in unread {
                    if self.counts(counted, placement) {
                        table.change(domains, placement);
                    }
                }
            }
            _ => table.recount(domains, self.pods_by_node(counted)),
        }
        table.versions = versions;
        table.read = placements.len();
        read(&table.by_domain)
    }

    fn counts(&self, counted: Counted, placement: &Placement) -> bool {
        match counted {
            Counted::Matched(matcher) => self.matchers.get(matcher).matches(placement.class),
            Counted::OfClass(class) => class == placement.class,
        }
    }

    /// The counted Pods on each node.
    pub fn pods_by_node(&self, counted: Counted) -> &NodeCounts {
        match counted {
            Counted::Matched(matcher) => self.matchers.get(matcher).counts(),
            Counted::OfClass(class) => &self.placed[class],
        }
    }
}

impl Table {
    fn change(&mut self, domains: &TopologyKey, placement: &Placement) {
        if let Some(domain) = domains.domain(placement.node)
            && let Some(count) = self.by_domain.get_mut(domain.0 as usize)
        {
            count.live += i64::from(placement.live);
            count.terminating += i64::from(placement.terminating);
        }
    }

    fn recount(&mut self, domains: &TopologyKey, counts: &NodeCounts) {
        self.by_domain.clear();
        self.by_domain
            .resize(domains.domain_count(), DomainCount::default());
        for entry in counts.entries() {
            if let Some(domain) = domains.domain(entry.node) {
                let count = &mut self.by_domain[domain.0 as usize];
                count.live += i64::from(entry.live);
                count.terminating += i64::from(entry.terminating);
            }
        }
    }
}
