//! The best nodes of a cycle without a walk over all nodes.
//!
//! A node's total has a part that only the node decides and a part that it shares with all nodes in the same topology
//! domains. Nodes are kept by both: in a cell with those of the same domains, there in a group with those whose
//! normalized scores come from the same raw ones, and there by the sum of the scores that are not normalized. A changed
//! node moves, and a cycle looks at one node of each cell. See `docs/decisions/fast-path.md`.

mod cells;
mod entry;
mod ties;
mod window;

use std::collections::BTreeMap;

use crate::cluster::class::ShapeIx;
use crate::cluster::node_order::NodeOrder;
use crate::framework::by_domain::Terms;
use crate::framework::plugin::{ByDomain, Context};
use crate::framework::preemption::Skipped;
use crate::framework::runner::Profile;
use crate::framework::state::CycleState;

use super::memo::ShapeMemo;
use super::search::Judge;
use entry::Entry;
pub use ties::Ties;

/// Maximum number of nodes in all entries together, and so of the memory: 28 bytes each, 59 MB. The least recently used
/// entry is evicted.
const CAPACITY: usize = 1 << 21;
/// Entries that are kept even if they have more nodes together.
const MIN_ENTRIES: usize = 8;

/// What a cycle asks for.
#[derive(Clone, Copy)]
pub struct Asked<'a, 'j> {
    pub cx: Context<'a>,
    /// The index of the profile.
    pub profile_ix: usize,
    pub profile: &'j Profile,
    /// Plugins whose PreFilter skipped.
    pub skipped: &'j Skipped,
    /// The order in which nodes are listed; always the same.
    pub order: &'a NodeOrder,
    /// The place at which the search starts, if not all nodes are wanted.
    pub start: u32,
    /// The number of feasible nodes with which it ends.
    pub wanted: usize,
}

/// The best nodes.
pub struct Ranked<'a> {
    /// Their total; `None` if only one node is feasible.
    pub total: Option<i64>,
    /// The nodes that have it, at least one.
    pub ties: Ties<'a>,
    /// Number of nodes that the search would have visited.
    pub visited: usize,
}

/// Entries by profile and shape, one for each set of terms.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    entries: BTreeMap<(usize, ShapeIx), Vec<Entry>>,
    clock: u64,
}

impl Ranking {
    /// The nodes with the highest total, as the walk finds them; `None`: walk. `state` is that after PreFilter, and PreScore
    /// may have added to it.
    pub fn best<'e>(
        &'e mut self,
        asked: Asked<'e, '_>,
        state: &mut CycleState,
        memo: &mut ShapeMemo,
    ) -> Option<Ranked<'e>> {
        let viewers = viewers(asked)?;
        let terms = viewers.iter().map(|plugin| plugin.terms(asked.cx, state));
        let terms = terms.collect::<Option<Vec<Terms>>>()?;
        let entry = self.entry(asked, terms);
        entry.catch_up(asked, &viewers, state, memo)?;
        entry.best(asked, state, memo)
    }

    fn entry(&mut self, asked: Asked<'_, '_>, terms: Vec<Terms>) -> &mut Entry {
        self.clock += 1;
        let key = (asked.profile_ix, asked.cx.spec.shape);
        let known = self.entries.get(&key).and_then(|entries| {
            let mut entries = entries.iter();
            entries.position(|entry| entry.continues_with(&terms))
        });
        if known.is_none() {
            self.make_room(asked.order.nodes().len());
        }
        let entries = self.entries.entry(key).or_default();
        let position = known.unwrap_or_else(|| {
            entries.push(Entry::new());
            entries.len() - 1
        });
        let entry = &mut entries[position];
        entry.terms = terms;
        entry.last_used = self.clock;
        entry
    }

    /// Evicts the least recently used entry if one more would be too much.
    fn make_room(&mut self, nodes: usize) {
        let capacity = (CAPACITY / nodes.max(1)).max(MIN_ENTRIES);
        if self.entries.values().map(Vec::len).sum::<usize>() < capacity {
            return;
        }
        let all = self.entries.values().flatten();
        let Some(oldest) = all.map(|entry| entry.last_used).min() else {
            return;
        };
        self.entries.retain(|_, entries| {
            entries.retain(|entry| entry.last_used != oldest);
            !entries.is_empty()
        });
    }
}

/// The plugins that look at domains, each once; `None` if the verdict of another plugin depends on more than the node.
fn viewers<'j>(asked: Asked<'_, 'j>) -> Option<Vec<&'j dyn ByDomain>> {
    let profile = asked.profile;
    let mut positions = Vec::new();
    for &plugin in &profile.filter {
        let filter = profile.plugins[plugin].as_filter();
        if asked.skipped.contains(plugin) || filter.is_none_or(|filter| filter.is_node_local()) {
            continue;
        }
        profile.plugins[plugin].as_by_domain()?;
        positions.push(plugin);
    }
    for point in &profile.score {
        let plugin = &profile.plugins[point.plugin];
        let score = plugin.as_score();
        if score.is_some_and(|score| !score.is_node_local()) && !positions.contains(&point.plugin) {
            positions.push(point.plugin);
        }
    }
    let plugins = positions.into_iter();
    Some(
        plugins
            .filter_map(|plugin| profile.plugins[plugin].as_by_domain())
            .collect(),
    )
}

impl<'a, 'j> Asked<'a, 'j> {
    fn judge<'s>(self, state: &'s CycleState) -> Judge<'a, 's>
    where
        'j: 's,
    {
        Judge {
            cx: self.cx,
            profile: self.profile,
            state,
            skipped: self.skipped,
        }
    }
}
