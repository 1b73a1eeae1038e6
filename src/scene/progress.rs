//! Steps within one attempt, by extension point or by plugin.

use borsh::{BorshDeserialize, BorshSerialize};

use berth_protocol::cycle::{Code, Cycle, NodeReport, Verdict};

/// The size of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[derive(BorshSerialize, BorshDeserialize)]
pub enum StepSize {
    #[default]
    Pod,
    Point,
    Plugin,
}

/// The extension points of a scheduling cycle, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    PreFilter,
    Filter,
    PostFilter,
    PreScore,
    Score,
    Normalize,
    Select,
    Bind,
}

impl Point {
    pub const ALL: [Self; 8] = [
        Self::PreFilter,
        Self::Filter,
        Self::PostFilter,
        Self::PreScore,
        Self::Score,
        Self::Normalize,
        Self::Select,
        Self::Bind,
    ];

    /// The name in Kubernetes.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreFilter => "PreFilter",
            Self::Filter => "Filter",
            Self::PostFilter => "PostFilter",
            Self::PreScore => "PreScore",
            Self::Score => "Score",
            Self::Normalize => "Normalize",
            Self::Select => "Select",
            Self::Bind => "Bind",
        }
    }
}

/// One step within an attempt: an extension point, or one plugin at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub point: Point,
    /// Position among the cycle's Filter or Score plugins.
    pub plugin: Option<usize>,
}

/// Every step of an attempt, in order.
pub fn stops(cycle: &Cycle) -> Vec<Stop> {
    let at = |point| Stop {
        point,
        plugin: None,
    };
    let mut stops = vec![at(Point::PreFilter)];
    if cycle.pre_filter.code == Code::Success {
        let skipped = &cycle.pre_filter.skipped;
        let run = cycle
            .filter_plugins
            .iter()
            .enumerate()
            .filter(|(_, plugin)| !skipped.contains(plugin));
        stops.extend(run.map(|(plugin, _)| Stop {
            point: Point::Filter,
            plugin: Some(plugin),
        }));
    }
    if cycle.selected.is_none() {
        if !cycle.error {
            stops.push(at(Point::PostFilter));
        }
        return stops;
    }
    if cycle.scores.is_some() {
        stops.push(at(Point::PreScore));
        let skipped = &cycle.pre_score_skipped;
        let run = cycle
            .score_plugins
            .iter()
            .enumerate()
            .filter(|(_, scored)| !skipped.contains(&scored.plugin));
        stops.extend(run.map(|(plugin, _)| Stop {
            point: Point::Score,
            plugin: Some(plugin),
        }));
        stops.push(at(Point::Normalize));
        stops.push(at(Point::Select));
    }
    stops.push(at(Point::Bind));
    stops
}

/// The next (or previous) step of that size; `None` past the attempt's end (or start).
pub fn next(stops: &[Stop], from: usize, size: StepSize, forwards: bool) -> Option<usize> {
    let here = stops.get(from)?;
    let step = |index: usize| {
        if forwards {
            Some(index + 1).filter(|next| *next < stops.len())
        } else {
            index.checked_sub(1)
        }
    };
    match size {
        StepSize::Pod => None,
        StepSize::Plugin => step(from),
        StepSize::Point => {
            let mut index = from;
            while stops[index].point == here.point {
                index = step(index)?;
            }
            Some(last_of_point(stops, index))
        }
    }
}

/// The first step of that size.
pub fn first(stops: &[Stop], size: StepSize) -> usize {
    match size {
        StepSize::Plugin => 0,
        StepSize::Pod | StepSize::Point => last_of_point(stops, 0),
    }
}

fn last_of_point(stops: &[Stop], index: usize) -> usize {
    let point = stops.get(index).map(|stop| stop.point);
    let same = stops
        .iter()
        .skip(index)
        .take_while(|stop| Some(stop.point) == point)
        .count();
    index + same.saturating_sub(1)
}

/// How much of a cycle is shown: all of it, or its state after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revealed {
    /// The current step within the attempt; `None` if all of it is shown.
    pub stop: Option<Stop>,
}

impl Revealed {
    /// All of the cycle.
    pub fn all() -> Self {
        Self { stop: None }
    }

    /// Whether this extension point was reached.
    pub fn reached(&self, point: Point) -> bool {
        self.stop.as_ref().is_none_or(|stop| stop.point >= point)
    }

    /// Whether the Filter plugin at this position has run.
    pub fn filtered(&self, plugin: usize) -> bool {
        self.ran(Point::Filter, plugin)
    }

    /// Whether the Score plugin at this position has run.
    pub fn scored(&self, plugin: usize) -> bool {
        self.ran(Point::Score, plugin)
    }

    fn ran(&self, point: Point, plugin: usize) -> bool {
        match &self.stop {
            None => true,
            Some(stop) if stop.point == point => stop.plugin.is_none_or(|at| plugin <= at),
            Some(stop) => stop.point > point,
        }
    }

    /// The node's verdict if it is known at this step: a rejection once its plugin has run, feasible once all have.
    pub fn verdict<'a>(&self, cycle: &Cycle, report: &'a NodeReport) -> Option<&'a Verdict> {
        let verdict = report.verdict.as_ref()?;
        if self.reached(Point::PostFilter) || self.stop.is_none() {
            return Some(verdict);
        }
        let mut plugins = cycle.filter_plugins.iter();
        let column = plugins.position(|plugin| *plugin == verdict.plugin);
        let last = cycle.filter_plugins.len().saturating_sub(1);
        self.filtered(column.unwrap_or(last)).then_some(verdict)
    }
}
