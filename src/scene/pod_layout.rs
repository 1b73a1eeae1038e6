//! The places of Pods on a node's card. A block's area is the Pod's CPU request and the whole area is what the node can
//! allocate, exactly; what no block covers is free. Placing a Pod never moves the others, and the place of a Pod that
//! leaves stays free until a later Pod takes it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// CPU of a row in milli-CPU, as far as a node has no more than [`MOST_ROWS`].
const ROW_MILLI_CPU: i64 = 2000;
/// Maximum number of rows of a card; the rows of larger nodes hold more.
const MOST_ROWS: i64 = 8;
/// Units in a milli-CPU. Every number up to [`MOST_ROWS`] divides it, so that rows and blocks of several rows have
/// integral widths.
const UNITS: i128 = 840;
/// Maximum number of places kept for Pods that left.
const KEPT: usize = 256;

/// A rectangle in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first row, from the top. Rows beyond the node's area hold what exceeds the node.
    row: i64,
    /// Height in rows.
    rows: i64,
    /// Left edge and width, in units.
    left: i128,
    width: i128,
}

/// A rectangle in percent of the node's area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

/// A Pod's block: one rectangle, or several if no gap is large enough for all of it.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    milli_cpu: i64,
    places: Vec<Place>,
}

/// The blocks of a node's Pods.
#[derive(Clone, Debug, PartialEq)]
pub struct PodLayout {
    milli_cpu: i64,
    /// By the Pod's key.
    blocks: BTreeMap<String, Block>,
    /// The last places of Pods that left: a Pod that returns, as when stepping back, returns there.
    left: BTreeMap<String, Block>,
}

impl PodLayout {
    /// The empty layout of a node with this allocatable CPU.
    pub fn new(milli_cpu: i64) -> Self {
        Self {
            milli_cpu: milli_cpu.max(0),
            blocks: BTreeMap::new(),
            left: BTreeMap::new(),
        }
    }

    /// The node's allocatable CPU.
    pub fn milli_cpu(&self) -> i64 {
        self.milli_cpu
    }

    /// Number of rows.
    fn rows(&self) -> i64 {
        let rows = self.milli_cpu.saturating_add(ROW_MILLI_CPU / 2) / ROW_MILLI_CPU;
        rows.clamp(1, MOST_ROWS)
    }

    /// Width of a row in units.
    fn width(&self) -> i128 {
        i128::from(self.milli_cpu) * UNITS / i128::from(self.rows())
    }

    /// CPU of a row in milli-CPU.
    pub fn row_milli_cpu(&self) -> f64 {
        self.milli_cpu as f64 / self.rows() as f64
    }

    /// Brings the layout to these Pods, by key and requested milli-CPU. Pods that stay keep their places; new ones are
    /// placed where they were before, or else in the first gap, largest first.
    pub fn set<'a>(&mut self, pods: impl Iterator<Item = (&'a str, i64)>) {
        let pods: BTreeMap<&str, i64> = pods.collect();
        let stays = |key: &str, block: &Block| pods.get(key) == Some(&block.milli_cpu);
        let all = std::mem::take(&mut self.blocks).into_iter();
        let (kept, gone): (Vec<_>, Vec<_>) = all.partition(|(key, block)| stays(key, block));
        self.blocks = kept.into_iter().collect();
        if self.left.len() + gone.len() > KEPT {
            self.left.clear();
        }
        self.left.extend(gone);
        let news = pods.into_iter();
        let mut news: Vec<_> = news
            .filter(|(key, _)| !self.blocks.contains_key(*key))
            .collect();
        news.sort_by_key(|(_, milli_cpu)| Reverse(*milli_cpu));
        for (key, milli_cpu) in news {
            self.add(key, milli_cpu);
        }
    }

    /// A copy without some Pods and with others, such as those that are to come.
    pub fn changed<'a>(
        &self,
        without: &[&str],
        with: impl Iterator<Item = (&'a str, i64)>,
    ) -> Self {
        let mut changed = self.clone();
        for key in without {
            if let Some(block) = changed.blocks.remove(*key) {
                changed.left.insert((*key).to_owned(), block);
            }
        }
        for (key, milli_cpu) in with {
            if !changed.blocks.contains_key(key) {
                changed.add(key, milli_cpu);
            }
        }
        changed
    }

    fn add(&mut self, key: &str, milli_cpu: i64) {
        let known = self.left.remove(key);
        let known =
            known.filter(|block| block.milli_cpu == milli_cpu && self.is_free(&block.places));
        let block = known.unwrap_or_else(|| Block {
            milli_cpu,
            places: self.find(milli_cpu),
        });
        self.blocks.insert(key.to_owned(), block);
    }

    fn is_free(&self, places: &[Place]) -> bool {
        let all = self.blocks.values().flat_map(|block| &block.places);
        all.into_iter()
            .all(|taken| places.iter().all(|place| !place.overlaps(taken)))
    }

    /// The places of a new block: a gap in one row, else one over several rows, else the gaps in their order.
    fn find(&self, milli_cpu: i64) -> Vec<Place> {
        let size = i128::from(milli_cpu.max(0)) * UNITS;
        if size == 0 || self.milli_cpu == 0 {
            return Vec::new();
        }
        let gaps: Vec<Vec<(i128, i128)>> = (0..self.rows()).map(|row| self.gaps(row)).collect();
        for rows in 1..=self.rows() {
            let width = size / i128::from(rows);
            for row in 0..=self.rows() - rows {
                let index = |row: i64| usize::try_from(row).unwrap_or(usize::MAX);
                let spanned = gaps.get(index(row)..index(row + rows)).unwrap_or_default();
                let common = spanned.iter().skip(1).fold(
                    spanned.first().cloned().unwrap_or_default(),
                    |common, gaps| intersect(&common, gaps),
                );
                let fits = common.iter().find(|(from, to)| to - from >= width);
                if let Some((left, _)) = fits.copied() {
                    return vec![Place {
                        row,
                        rows,
                        left,
                        width,
                    }];
                }
            }
        }
        self.fill(size)
    }

    /// Fills gaps from the first row on, also beyond the node's area, until the whole size is placed.
    fn fill(&self, size: i128) -> Vec<Place> {
        let mut rest = size;
        let mut places = Vec::new();
        let mut row = 0;
        while rest > 0 {
            for (left, to) in self.gaps(row) {
                let width = (to - left).min(rest);
                if width > 0 {
                    places.push(Place {
                        row,
                        rows: 1,
                        left,
                        width,
                    });
                    rest -= width;
                }
            }
            row += 1;
            if row > MOST_BEYOND {
                // Far more than the node has: the last row holds the rest.
                if let Some(last) = places.last_mut() {
                    last.width += rest;
                }
                break;
            }
        }
        places
    }

    /// The free intervals of a row, in order.
    fn gaps(&self, row: i64) -> Vec<(i128, i128)> {
        let places = self.blocks.values().flat_map(|block| &block.places);
        let in_row = places.filter(|place| (place.row..place.row + place.rows).contains(&row));
        let mut taken: Vec<_> = in_row
            .map(|place| (place.left, place.left + place.width))
            .collect();
        taken.sort_unstable();
        let mut gaps = Vec::new();
        let mut from = 0;
        for (left, right) in taken {
            if left > from {
                gaps.push((from, left));
            }
            from = from.max(right);
        }
        if from < self.width() {
            gaps.push((from, self.width()));
        }
        gaps
    }

    /// A Pod's rectangles in percent of the node's area, the largest first; none if it requests no CPU.
    pub fn places(&self, key: &str) -> Vec<Percent> {
        let block = self.blocks.get(key);
        let mut places: Vec<Place> = block.map_or_else(Vec::new, |block| block.places.clone());
        places.sort_by_key(|place| Reverse(place.area()));
        let (width, rows) = (self.width().max(1) as f64, self.rows() as f64);
        let percent = |place: Place| Percent {
            left: 100.0 * place.left as f64 / width,
            top: 100.0 * place.row as f64 / rows,
            width: 100.0 * place.width as f64 / width,
            height: 100.0 * place.rows as f64 / rows,
        };
        places.into_iter().map(percent).collect()
    }

    /// Number of rows beyond the node's area, which hold what exceeds the node.
    pub fn rows_beyond(&self) -> i64 {
        let places = self.blocks.values().flat_map(|block| &block.places);
        let last = places
            .map(|place| place.row + place.rows)
            .max()
            .unwrap_or(0);
        (last - self.rows()).max(0)
    }
}

/// Maximum number of rows, with those beyond the node's area.
const MOST_BEYOND: i64 = 3 * MOST_ROWS;

impl Place {
    fn area(&self) -> i128 {
        self.width * i128::from(self.rows)
    }

    fn overlaps(&self, other: &Self) -> bool {
        let rows = self.row < other.row + other.rows && other.row < self.row + self.rows;
        rows && self.left < other.left + other.width && other.left < self.left + self.width
    }
}

/// The parts that two ordered lists of intervals share.
fn intersect(one: &[(i128, i128)], two: &[(i128, i128)]) -> Vec<(i128, i128)> {
    let pairs = one.iter().flat_map(|a| two.iter().map(move |b| (a, b)));
    let common = pairs.map(|(a, b)| (a.0.max(b.0), a.1.min(b.1)));
    common.filter(|(from, to)| from < to).collect()
}

/// CPU of a row of the view, in milli-CPU: all cards of a view have one scale, in which the largest fits.
pub fn scale(milli_cpus: impl Iterator<Item = i64>) -> i64 {
    let most = milli_cpus.max().unwrap_or(0);
    ROW_MILLI_CPU.max(most.saturating_add(MOST_ROWS - 1) / MOST_ROWS)
}

#[cfg(test)]
mod tests;
