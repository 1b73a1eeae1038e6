//! The nodes as they are for Pods of one shape with the same terms.

use crate::cluster::NodeIx;
use crate::framework::by_domain::Terms;
use crate::framework::feasible::Feasible;
use crate::framework::plugin::{ByDomain, Score};
use crate::framework::preemption::Skipped;
use crate::framework::state::CycleState;
use berth_protocol::cycle::Code;
use berth_protocol::score::Normalization;

use super::super::memo::{LocalFailure, LocalVerdict, ShapeMemo, UNKNOWN};
use super::super::score::NODE_SCORES;
use super::super::search::Judge;
use super::cells::{Cells, Group};
use super::window::Window;
use super::{Asked, Ranked, Ties};

/// Number of cells that is never too many.
const FEW_CELLS: usize = 64;
/// An entry with more cells than this share of the nodes is not used: looking at each cell would be a walk.
const NODES_PER_CELL: usize = 8;

/// The nodes as they are for Pods of one shape with the same terms.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Of the plugins that look at domains, in the profile's order.
    pub terms: Vec<Terms>,
    /// The versions of nodes and terms that it holds for; `None`: it must begin again.
    versions: Option<(u64, u64)>,
    /// The versions at the last use: an entry begins with its second use, so that a single Pod costs no more than a walk.
    seen: Option<(u64, u64)>,
    /// The position up to which `Cluster::placements` was read.
    read: usize,
    pub last_used: u64,
    cells: Cells,
    /// By Score plugin: whether it is node-local and its PreScore skipped, when nodes were scored.
    skipped: Option<Vec<bool>>,
    /// Whether there were too many cells.
    is_crowded: bool,
}

/// Where a Score plugin's part of the total is.
#[derive(Clone, Copy)]
enum Part<'p> {
    /// It is node-local, and its PreScore skipped.
    Skipped,
    /// Its PreScore skipped.
    Absent,
    /// In the node's level.
    Level(&'p dyn Score),
    /// Normalized from the raw scores of groups.
    Group(&'p dyn Score),
    /// Normalized from the raw scores of cells.
    Cell(&'p dyn Score),
}

/// A cell whose nodes are feasible.
#[derive(Clone, Copy)]
struct Place {
    cell: u32,
    /// The node that stands for all.
    node: NodeIx,
    /// Number of nodes that the search reaches.
    count: usize,
}

impl Entry {
    pub fn new() -> Self {
        Self {
            terms: Vec::new(),
            versions: None,
            seen: None,
            read: 0,
            last_used: 0,
            cells: Cells::default(),
            skipped: None,
            is_crowded: false,
        }
    }

    pub fn continues_with(&self, terms: &[Terms]) -> bool {
        let mut pairs = terms.iter().zip(&self.terms);
        terms.len() == self.terms.len() && pairs.all(|(new, old)| new.continue_from(old))
    }

    /// Moves the nodes that changed since the last cycle; `None`: the entry is of no use.
    pub fn catch_up(
        &mut self,
        asked: Asked<'_, '_>,
        viewers: &[&dyn ByDomain],
        state: &CycleState,
        memo: &mut ShapeMemo,
    ) -> Option<()> {
        let cluster = asked.cx.cluster;
        let versions = (cluster.node_version(), cluster.terms_version());
        if self.seen.replace(versions) != Some(versions) {
            return None;
        }
        let versions = Some(versions);
        let placements = cluster.placements();
        let all = asked.order.nodes();
        let unread = placements.get(self.read..);
        let unread = unread.filter(|it| self.versions == versions && it.len() < all.len());
        self.read = placements.len();
        let judge = asked.judge(state);
        let mut values = Vec::new();
        match unread {
            Some(_) if self.is_crowded => {}
            Some(unread) => {
                let mut last = None;
                for change in unread {
                    if last.replace(change.node) != Some(change.node) {
                        self.place(&judge, asked, viewers, change.node, &mut values, memo);
                    }
                }
            }
            None => {
                self.versions = versions;
                self.is_crowded = false;
                self.skipped = None;
                self.cells = Cells::new(cluster.node_capacity());
                for &node in all {
                    self.place(&judge, asked, viewers, node, &mut values, memo);
                }
            }
        }
        if self.cells.len() > FEW_CELLS.max(all.len() / NODES_PER_CELL) {
            self.is_crowded = true;
            self.cells = Cells::default();
        }
        (!self.is_crowded).then_some(())
    }

    fn place(
        &mut self,
        judge: &Judge<'_, '_>,
        asked: Asked<'_, '_>,
        viewers: &[&dyn ByDomain],
        node: NodeIx,
        values: &mut Vec<i64>,
        memo: &mut ShapeMemo,
    ) {
        judge.learn_one(node, memo);
        let place = asked.order.place(node);
        if memo.verdicts[node.0 as usize] != LocalVerdict::Pass {
            return self.cells.move_to(node, place, None);
        }
        values.clear();
        let info = asked.cx.cluster.node(node);
        for (plugin, terms) in viewers.iter().zip(&self.terms) {
            plugin.values(asked.cx, terms, info, values);
        }
        self.cells.move_to(node, place, Some(values));
    }

    pub fn best<'e>(
        &'e mut self,
        asked: Asked<'e, '_>,
        state: &mut CycleState,
        memo: &mut ShapeMemo,
    ) -> Option<Ranked<'e>> {
        // The walk knows whether an error ends the cycle.
        let is_error = |failure: &LocalFailure| failure.rejection.code == Code::Error;
        if memo.failures.iter().any(is_error) {
            return None;
        }
        let mut places = self.feasible(asked, state)?;
        let window = self.window(asked, &places)?;
        for place in &mut places {
            let inside = window.of(&self.cells.get(place.cell)?.places);
            place.count = inside.iter().map(|places| places.len()).sum();
        }
        places.retain(|place| place.count > 0);
        let counts: Vec<usize> = places.iter().map(|place| place.count).collect();
        let (total, lists) = match counts.iter().sum() {
            0 => return None,
            1 => {
                let only = self.cells.get(places.first()?.cell)?;
                (None, window.of(&only.places).to_vec())
            }
            _ => {
                let nodes: Vec<NodeIx> = places.iter().map(|place| place.node).collect();
                let feasible = Feasible::standing_for(&nodes, &counts);
                let skipped = asked
                    .profile
                    .run_pre_score(asked.cx, state, feasible)
                    .ok()?;
                let parts = parts(asked, &skipped, state)?;
                if self.score_waiting(asked, &parts, state, memo).is_none() {
                    self.versions = None;
                    return None;
                }
                let (total, lists) = self.highest(asked, (&parts, &places, window), state)?;
                (Some(total), lists)
            }
        };
        let nodes = asked.order.nodes().len();
        let visited = match window {
            Window::All => nodes,
            Window::Part(start, end) => (end as usize + nodes - start as usize) % nodes.max(1),
        };
        let order = asked.order;
        Some(Ranked {
            total,
            ties: Ties { order, lists },
            visited,
        })
    }

    /// The part of the order in which the wanted number of feasible nodes is.
    fn window(&self, asked: Asked<'_, '_>, places: &[Place]) -> Option<Window> {
        let lists = places.iter().map(|place| self.cells.get(place.cell));
        let lists = lists.map(|cell| cell.map(|cell| cell.places.as_slice()));
        let feasible = Ties {
            order: asked.order,
            lists: lists.collect::<Option<_>>()?,
        };
        if feasible.len() <= asked.wanted {
            return Some(Window::All);
        }
        // The search ends when it meets one more than wanted.
        let end = feasible.nth_from(asked.start, asked.wanted)?;
        Some(Window::Part(asked.start, asked.order.place(end)))
    }

    /// The cells whose nodes pass the plugins that look at domains; `None`: one failed with an error.
    fn feasible(&self, asked: Asked<'_, '_>, state: &CycleState) -> Option<Vec<Place>> {
        let judge = asked.judge(state);
        let remote = judge.remote_filters();
        let mut places = Vec::with_capacity(self.cells.len());
        'cells: for cell in self.cells.indices() {
            let first = self.cells.get(cell)?.places.first().copied()?;
            let node = asked.order.nodes().get(first as usize).copied()?;
            let info = asked.cx.cluster.node(node);
            for remote in &remote {
                let verdict = asked
                    .profile
                    .run_filter(remote.plugin, asked.cx, state, info);
                match verdict {
                    Ok(()) => {}
                    Err(rejection) if rejection.code == Code::Error => return None,
                    Err(_) => continue 'cells,
                }
            }
            let count = 0;
            places.push(Place { cell, node, count });
        }
        Some(places)
    }

    /// Runs the node-local Score plugins on nodes that moved; `None`: the walk reports an error.
    fn score_waiting(
        &mut self,
        asked: Asked<'_, '_>,
        parts: &[Part<'_>],
        state: &CycleState,
        memo: &mut ShapeMemo,
    ) -> Option<()> {
        let is_absent = |part: &Part<'_>| matches!(part, Part::Skipped);
        let skipped: Vec<bool> = parts.iter().map(is_absent).collect();
        if self.skipped.get_or_insert_with(|| skipped.clone()) != &skipped {
            return None;
        }
        let cluster = asked.cx.cluster;
        let mut raws = Vec::new();
        for node in self.cells.take_unscored() {
            let mut level = 0;
            raws.clear();
            for (position, (part, point)) in parts.iter().zip(&asked.profile.score).enumerate() {
                let (Part::Level(plugin) | Part::Group(plugin)) = part else {
                    continue;
                };
                let known = memo.scores.get_mut(position)?.get_mut(node.0 as usize)?;
                if *known == UNKNOWN {
                    *known = plugin.score(asked.cx, state, cluster.node(node)).ok()?;
                }
                match part {
                    Part::Level(_) if !NODE_SCORES.contains(known) => return None,
                    Part::Level(_) => level += *known * point.weight,
                    _ => raws.push(*known),
                }
            }
            self.cells.add(node, asked.order.place(node), &raws, level);
        }
        Some(())
    }

    /// Normalizes the scores of cells and groups and compares the totals: the highest, and the places that have it.
    fn highest(
        &self,
        asked: Asked<'_, '_>,
        (parts, places, window): (&[Part<'_>], &[Place], Window),
        state: &CycleState,
    ) -> Option<(i64, Vec<&[u32]>)> {
        let mut candidates: Vec<(usize, &Group)> = Vec::new();
        let mut levels: Vec<(i64, [&[u32]; 2])> = Vec::new();
        for (position, place) in places.iter().enumerate() {
            for group in self.cells.get(place.cell)?.groups() {
                if let Some(level) = group.best(window) {
                    candidates.push((position, group));
                    levels.push(level);
                }
            }
        }
        let nodes: Vec<NodeIx> = candidates.iter().map(|(at, _)| places[*at].node).collect();
        let mut totals: Vec<i64> = levels.iter().map(|(level, _)| *level).collect();
        let mut normalized: usize = 0;
        let mut scores: Vec<i64> = Vec::with_capacity(nodes.len());
        for (part, point) in parts.iter().zip(&asked.profile.score) {
            scores.clear();
            let plugin = match part {
                Part::Skipped | Part::Absent | Part::Level(_) => continue,
                Part::Group(plugin) => {
                    for (_, group) in &candidates {
                        scores.push(*group.raws.get(normalized)?);
                    }
                    normalized += 1;
                    plugin
                }
                Part::Cell(plugin) => {
                    let score = |place: &Place| {
                        let node = asked.cx.cluster.node(place.node);
                        plugin.score(asked.cx, state, node).ok()
                    };
                    let raw = places.iter().map(score).collect::<Option<Vec<i64>>>()?;
                    scores.extend(candidates.iter().map(|(at, _)| raw[*at]));
                    plugin
                }
            };
            plugin.normalize(state, &nodes, &mut scores);
            if scores.iter().any(|score| !NODE_SCORES.contains(score)) {
                return None;
            }
            for (total, score) in totals.iter_mut().zip(&scores) {
                *total += score * point.weight;
            }
        }
        let total = totals.iter().copied().max()?;
        let best = totals.iter().zip(&levels);
        let best = best.filter(|(of_group, _)| **of_group == total);
        let lists = best.flat_map(|(_, (_, places))| places.iter().copied());
        Some((total, lists.filter(|list| !list.is_empty()).collect()))
    }
}

/// Where the parts of the total are, by position in the profile's Score list; `None`: a plugin must be asked node by node.
fn parts<'j>(asked: Asked<'_, 'j>, skipped: &Skipped, state: &CycleState) -> Option<Vec<Part<'j>>> {
    let mut parts = Vec::with_capacity(asked.profile.score.len());
    for point in &asked.profile.score {
        let plugin = &asked.profile.plugins[point.plugin];
        let part = match plugin.as_score() {
            None => Part::Absent,
            Some(score) if skipped.contains(point.plugin) => match score.is_node_local() {
                true => Part::Skipped,
                false => Part::Absent,
            },
            Some(score) if !score.is_node_local() => {
                plugin.as_by_domain()?;
                Part::Cell(score)
            }
            Some(score) => match score.normalization(state, &[], &[]) {
                Normalization::Unchanged => Part::Level(score),
                _ => Part::Group(score),
            },
        };
        parts.push(part);
    }
    Some(parts)
}
