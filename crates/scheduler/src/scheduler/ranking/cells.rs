//! Nodes in cells and groups. A node moves when it changes; the others stay where they are.

use std::collections::BTreeMap;

use crate::cluster::NodeIx;

use super::window::Window;

/// In place of a cell or a group: there is none.
const NONE: u32 = u32::MAX;
/// In place of a group: the node waits to be scored.
const UNSCORED: u32 = u32::MAX - 1;

/// The nodes that node-local plugins accept, by what distinguishes them for the others.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// By node.
    rows: Vec<Row>,
    cells: Vec<Cell>,
    /// Cells without nodes, to be used again.
    free: Vec<u32>,
    by_values: BTreeMap<Vec<i64>, u32>,
    /// Nodes that wait to be scored, and some that have left since.
    unscored: Vec<NodeIx>,
}

/// Where a node is.
#[derive(Clone, Copy, Debug)]
struct Row {
    cell: u32,
    group: u32,
    level: i64,
}

/// Nodes with equal values of all plugins that look at domains: their verdicts and raw scores are equal.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    values: Vec<i64>,
    /// The places of its nodes in their order, sorted; those that wait to be scored included.
    pub places: Vec<u32>,
    groups: Vec<Group>,
}

/// Nodes of a cell with equal raw scores of the node-local plugins whose scores are normalized.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub raws: Vec<i64>,
    /// By the weighted sum of the other node-local scores: the places of the nodes in their order, sorted.
    levels: BTreeMap<i64, Vec<u32>>,
}

impl Group {
    /// The highest sum in the window, and the places there of the nodes that have it; `None`: the window has no node.
    pub fn best(&self, window: Window) -> Option<(i64, [&[u32]; 2])> {
        let mut levels = self.levels.iter().rev();
        levels.find_map(|(level, places)| {
            let inside = window.of(places);
            let is_empty = inside.iter().all(|places| places.is_empty());
            (!is_empty).then_some((*level, inside))
        })
    }
}

impl Cell {
    /// The groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }
}

impl Cells {
    /// No cells, for this number of node indices.
    pub fn new(capacity: usize) -> Self {
        let row = Row {
            cell: NONE,
            group: NONE,
            level: 0,
        };
        Self {
            rows: vec![row; capacity],
            ..Self::default()
        }
    }

    /// Number of cells with nodes.
    pub fn len(&self) -> usize {
        self.by_values.len()
    }

    /// A cell.
    pub fn get(&self, cell: u32) -> Option<&Cell> {
        self.cells.get(cell as usize)
    }

    /// The cells with nodes.
    pub fn indices(&self) -> impl Iterator<Item = u32> {
        self.by_values.values().copied()
    }

    /// Moves a changed node to the cell with its values, where it waits to be scored; `None`: to no cell.
    pub fn move_to(&mut self, node: NodeIx, place: u32, values: Option<&[i64]>) {
        let cell = values.map_or(NONE, |values| self.cell_with(values));
        let Some(row) = self.rows.get_mut(node.0 as usize) else {
            return;
        };
        if let Some(old) = self.cells.get_mut(row.cell as usize) {
            if let Some(group) = old.groups.get_mut(row.group as usize) {
                group.remove(row.level, place);
                row.group = NONE;
            }
            if row.cell != cell {
                remove(&mut old.places, place);
            }
            if old.places.is_empty() {
                old.groups.clear();
                self.by_values.remove(&old.values);
                self.free.push(row.cell);
            }
        }
        if row.cell != cell
            && let Some(new) = self.cells.get_mut(cell as usize)
        {
            insert(&mut new.places, place);
        }
        row.cell = cell;
        if cell != NONE && row.group == NONE {
            row.group = UNSCORED;
            self.unscored.push(node);
        }
    }

    fn cell_with(&mut self, values: &[i64]) -> u32 {
        if let Some(&known) = self.by_values.get(values) {
            return known;
        }
        let position = self.free.pop().unwrap_or_else(|| {
            self.cells.push(Cell::default());
            u32::try_from(self.cells.len() - 1).unwrap_or(NONE)
        });
        self.cells[position as usize].values = values.to_vec();
        self.by_values.insert(values.to_vec(), position);
        position
    }

    /// The nodes that wait to be scored. Each must be [added](Self::add) afterwards.
    pub fn take_unscored(&mut self) -> Vec<NodeIx> {
        let mut unscored = std::mem::take(&mut self.unscored);
        unscored.retain(|node| {
            let row = &mut self.rows[node.0 as usize];
            if row.cell == NONE {
                row.group = NONE;
            }
            row.cell != NONE
        });
        unscored
    }

    /// Adds a node to the group of its cell that has its scores.
    pub fn add(&mut self, node: NodeIx, place: u32, raws: &[i64], level: i64) {
        let Some(row) = self.rows.get_mut(node.0 as usize) else {
            return;
        };
        let Some(cell) = self.cells.get_mut(row.cell as usize) else {
            return;
        };
        let known = cell.groups.iter().position(|group| group.raws == raws);
        let position = known.unwrap_or_else(|| {
            let raws = raws.to_vec();
            let levels = BTreeMap::new();
            cell.groups.push(Group { raws, levels });
            cell.groups.len() - 1
        });
        let levels = &mut cell.groups[position].levels;
        insert(levels.entry(level).or_default(), place);
        row.group = u32::try_from(position).unwrap_or(NONE);
        row.level = level;
    }
}

impl Group {
    fn remove(&mut self, level: i64, place: u32) {
        let Some(places) = self.levels.get_mut(&level) else {
            return;
        };
        remove(places, place);
        if places.is_empty() {
            self.levels.remove(&level);
        }
    }
}

fn insert(places: &mut Vec<u32>, place: u32) {
    match places.last() {
        Some(&last) if last > place => {
            let position = places.partition_point(|&known| known < place);
            places.insert(position, place);
        }
        _ => places.push(place),
    }
}

fn remove(places: &mut Vec<u32>, place: u32) {
    if let Ok(position) = places.binary_search(&place) {
        places.remove(position);
    }
}
