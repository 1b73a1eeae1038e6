//! The far view's geometry: a grid of groups, with a cell per node.

use super::{NodeGroup, nearest};

/// Gap between groups.
const GAP: f64 = 8.0;
/// Padding between a group's edge and its cells.
const PAD: f64 = 10.0;
/// Height of name and count, and of the bars below them in a roomy group.
const HEAD: f64 = 26.0;
const METERS: f64 = 46.0;
/// Height of the sums below the cells.
const FOOT: f64 = 24.0;
/// Minimum width of a group with bars and sums, and of any group.
const ROOMY: f64 = 92.0;
const NARROWEST: f64 = 44.0;
/// Minimum and maximum pitch of cells in CSS pixels when all are visible.
const LEAST: f64 = 5.0;
const MOST: f64 = 58.0;
/// The filled share of a cell's pitch; the rest separates cells.
const FILLED: f64 = 0.86;

/// A rectangle in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// Whether it contains the point.
    pub fn has(&self, x: f64, y: f64) -> bool {
        x >= self.x && y >= self.y && x < self.x + self.width && y < self.y + self.height
    }

    /// Whether they share some area.
    pub fn meets(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    /// The center.
    pub fn center(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// A group and the layout of its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Tank {
    pub rect: Rect,
    /// Position of its first cell.
    pub left: f64,
    pub top: f64,
    pub columns: usize,
    /// Positions of its nodes in document order.
    pub nodes: Vec<usize>,
    /// Whether it has room for bars and sums.
    pub is_roomy: bool,
}

/// The place of every node, at a scale at which all fit if possible.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Distance from one cell to the next.
    pub pitch: f64,
    pub width: f64,
    pub height: f64,
    /// In the order of the groups passed to [`Chart::new`].
    pub tanks: Vec<Tank>,
    /// Tank and place in it, by node position.
    places: Vec<(usize, usize)>,
}

impl Chart {
    /// Lays out the groups in an area of that size, with the largest cells that fit.
    pub fn new(groups: &[NodeGroup], width: f64, height: f64) -> Self {
        let most = most_across(groups.len(), width);
        // Up to four groups are placed in one row, like cards.
        let least = if groups.len() <= 4 { most } else { 1 };
        let mut best: Option<Self> = None;
        for across in least..=most {
            let pitch = largest_pitch(groups, across, width, height);
            if best.as_ref().is_none_or(|best| pitch > best.pitch) {
                best = Some(Self::at(groups, across, (width, height), pitch));
            }
        }
        best.unwrap_or_default()
    }

    fn at(groups: &[NodeGroup], across: usize, (width, room): (f64, f64), pitch: f64) -> Self {
        let plan = Plan::new(across, width, pitch);
        let rows = groups.chunks(across);
        let used: f64 = rows.clone().map(|row| plan.height(row) + GAP).sum();
        // Groups extend to the bottom edge, like columns of water.
        let spare = (room - (used - GAP)).max(0.0) / rows.len().max(1) as f64;
        let mut chart = Self {
            pitch,
            width,
            ..Self::default()
        };
        let count = groups.iter().map(|group| group.nodes.len()).sum();
        chart.places = vec![(0, 0); count];
        let mut y = 0.0;
        for row in rows {
            let height = plan.height(row) + spare;
            let mut x = 0.0;
            for group in row {
                for (place, node) in group.nodes.iter().enumerate() {
                    if let Some(slot) = chart.places.get_mut(*node) {
                        *slot = (chart.tanks.len(), place);
                    }
                }
                chart.tanks.push(plan.tank(group, x, y, height));
                x += plan.width + GAP;
            }
            y += height + GAP;
        }
        chart.height = (y - GAP).max(0.0);
        chart
    }

    /// Number of nodes.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// A node's cell.
    pub fn cell(&self, node: usize) -> Option<Rect> {
        let (tank, place) = *self.places.get(node)?;
        Some(self.cell_in(self.tanks.get(tank)?, place))
    }

    /// The cell at a place of a group.
    pub fn cell_in(&self, tank: &Tank, place: usize) -> Rect {
        let columns = tank.columns.max(1);
        let margin = self.pitch * (1.0 - FILLED) / 2.0;
        Rect {
            x: tank.left + (place % columns) as f64 * self.pitch + margin,
            y: tank.top + (place / columns) as f64 * self.pitch + margin,
            width: self.pitch * FILLED,
            height: self.pitch * FILLED,
        }
    }

    /// The node whose cell is at a point.
    pub fn at_point(&self, x: f64, y: f64) -> Option<usize> {
        let tank = self.tanks.iter().find(|tank| tank.rect.has(x, y))?;
        if x < tank.left || y < tank.top {
            return None;
        }
        let column = ((x - tank.left) / self.pitch) as usize;
        let row = ((y - tank.top) / self.pitch) as usize;
        if column >= tank.columns {
            return None;
        }
        let place = row * tank.columns + column;
        let node = *tank.nodes.get(place)?;
        self.cell_in(tank, place).has(x, y).then_some(node)
    }

    /// The places of a group whose cells may be visible in a part of the chart: whole rows, as a range.
    pub fn seen(&self, tank: &Tank, part: &Rect) -> std::ops::Range<usize> {
        let row = |y: f64| ((y - tank.top) / self.pitch).max(0.0);
        let from = row(part.y) as usize * tank.columns;
        let to = (row(part.y + part.height).ceil() as usize).saturating_mul(tank.columns);
        let to = to.min(tank.nodes.len());
        from.min(to)..to
    }

    /// The adjacent node in a direction (`dx`, `dy`: −1, 0 or 1), or the nearest one across a gap.
    pub fn neighbor(&self, node: usize, dx: f64, dy: f64) -> Option<usize> {
        let (x, y) = self.cell(node)?.center();
        if let Some(next) = self.at_point(x + dx * self.pitch, y + dy * self.pitch) {
            return Some(next);
        }
        let cells: Vec<Rect> = (0..self.count())
            .filter_map(|node| self.cell(node))
            .collect();
        nearest(self.cell(node)?, &cells, dx, dy)
    }
}

/// The dimensions that all groups of a chart share.
struct Plan {
    width: f64,
    pitch: f64,
    columns: usize,
    is_roomy: bool,
}

impl Plan {
    fn new(across: usize, width: f64, pitch: f64) -> Self {
        let gaps = GAP * across.saturating_sub(1) as f64;
        let width = ((width - gaps) / across.max(1) as f64).max(NARROWEST);
        let columns = ((width - 2.0 * PAD) / pitch).floor().max(1.0) as usize;
        Self {
            width,
            pitch,
            columns,
            is_roomy: width >= ROOMY,
        }
    }

    fn head(&self) -> f64 {
        if self.is_roomy { HEAD + METERS } else { HEAD }
    }

    fn height(&self, row: &[NodeGroup]) -> f64 {
        let most = row.iter().map(|group| group.nodes.len()).max();
        let rows = most.unwrap_or_default().div_ceil(self.columns);
        let foot = if self.is_roomy { FOOT } else { 0.0 };
        self.head() + rows as f64 * self.pitch + PAD + foot
    }

    fn tank(&self, group: &NodeGroup, x: f64, y: f64, height: f64) -> Tank {
        let spare = self.width - 2.0 * PAD - self.columns as f64 * self.pitch;
        Tank {
            rect: Rect {
                x,
                y,
                width: self.width,
                height,
            },
            left: x + PAD + spare.max(0.0) / 2.0,
            top: y + self.head(),
            columns: self.columns,
            nodes: group.nodes.clone(),
            is_roomy: self.is_roomy,
        }
    }
}

fn most_across(groups: usize, width: f64) -> usize {
    let fit = ((width + GAP) / (NARROWEST + GAP)).floor().max(1.0) as usize;
    fit.min(groups.max(1))
}

fn largest_pitch(groups: &[NodeGroup], across: usize, width: f64, height: f64) -> f64 {
    let fits = |pitch: f64| {
        let plan = Plan::new(across, width, pitch);
        let rows = groups.chunks(across).map(|row| plan.height(row) + GAP);
        rows.sum::<f64>() - GAP <= height
    };
    let mut pitch = MOST;
    while pitch > LEAST && !fits(pitch) {
        pitch -= 0.5;
    }
    pitch
}

#[cfg(test)]
mod tests {
    use super::{Chart, Rect};
    use crate::scene::NodeGroup;

    fn groups(sizes: &[usize]) -> Vec<NodeGroup> {
        let mut from = 0;
        let group = |size: &usize| {
            let nodes = (from..from + size).collect();
            from += size;
            NodeGroup {
                value: Some(format!("zone-{from}")),
                nodes,
            }
        };
        sizes.iter().map(group).collect()
    }

    #[test]
    fn every_cell_hits_itself_and_the_gaps_hit_nothing() {
        for sizes in [&[334, 333, 333][..], &[5000], &[1; 40], &[3, 0, 200, 7, 90]] {
            let chart = Chart::new(&groups(sizes), 660.0, 560.0);
            assert_eq!(chart.count(), sizes.iter().sum::<usize>());
            for node in 0..chart.count() {
                let cell = chart.cell(node).unwrap();
                let (x, y) = cell.center();
                assert_eq!(chart.at_point(x, y), Some(node));
                let between = chart.pitch * 0.02;
                assert_eq!(chart.at_point(cell.x - between, y), None);
                assert_eq!(chart.at_point(x, cell.y + cell.height + between), None);
            }
            assert_eq!(chart.at_point(1.0, 1.0), None);
            assert_eq!(chart.at_point(-5.0, 1e6), None);
        }
    }

    #[test]
    fn cells_stay_in_their_group_and_groups_apart() {
        let chart = Chart::new(&groups(&[40, 10, 25, 60, 5, 5, 80]), 660.0, 560.0);
        for (index, tank) in chart.tanks.iter().enumerate() {
            let others = chart.tanks.iter().skip(index + 1);
            assert!(
                others
                    .into_iter()
                    .all(|other| !tank.rect.meets(&other.rect))
            );
            for node in &tank.nodes {
                let cell = chart.cell(*node).unwrap();
                assert!(tank.rect.has(cell.x, cell.y));
                assert!(tank.rect.has(cell.x + cell.width, cell.y + cell.height));
            }
        }
    }

    #[test]
    fn up_to_five_thousand_nodes_fit_on_a_usual_stage() {
        for count in [150, 1000, 5000] {
            let chart = Chart::new(&groups(&[count / 3; 3]), 660.0, 560.0);
            assert!(chart.height <= 560.5, "{count}: {}", chart.height);
            assert!(chart.pitch >= 7.0);
        }
    }

    #[test]
    fn arrows_go_along_rows_and_over_to_the_next_group() {
        let chart = Chart::new(&groups(&[30, 30]), 400.0, 300.0);
        let columns = chart.tanks[0].columns;
        assert_eq!(chart.neighbor(0, 1.0, 0.0), Some(1));
        assert_eq!(chart.neighbor(0, 0.0, 1.0), Some(columns));
        assert_eq!(chart.neighbor(columns - 1, 1.0, 0.0), Some(30));
        assert_eq!(chart.neighbor(30, -1.0, 0.0), Some(columns - 1));
        assert_eq!(chart.neighbor(0, -1.0, 0.0), None);
        assert_eq!(chart.neighbor(99, 1.0, 0.0), None);
    }

    #[test]
    fn only_rows_in_the_visible_part_are_returned() {
        let chart = Chart::new(&groups(&[5000]), 660.0, 560.0);
        let tank = &chart.tanks[0];
        let all = Rect {
            x: 0.0,
            y: 0.0,
            width: 660.0,
            height: 560.0,
        };
        assert_eq!(chart.seen(tank, &all), 0..5000);
        let part = Rect {
            y: tank.top + chart.pitch * 10.5,
            height: chart.pitch,
            ..all
        };
        assert_eq!(
            chart.seen(tank, &part),
            10 * tank.columns..12 * tank.columns
        );
        let beyond = Rect { y: 9999.0, ..all };
        assert!(chart.seen(tank, &beyond).is_empty());
    }
}
