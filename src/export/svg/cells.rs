//! Large clusters: a cell for each node, as in the far view.

use super::pen::{Look, Pen, Type, number};
use super::pods::inset;
use super::theme::Ink;
use crate::scene::NodeGroup;
use crate::scene::chart::{Chart, Rect, Tank};
use crate::scene::marks::{Outcome, fill_step, fullness, sums};
use crate::scene::moment::Moment;
use crate::words;

/// The height for all cells, if they fit.
const HEIGHT: f64 = 560.0;

/// The nodes of a moment as cells.
pub struct Cells {
    groups: Vec<NodeGroup>,
    chart: Chart,
    outcomes: Vec<Outcome>,
}

impl Cells {
    pub fn new(moment: &Moment, width: f64) -> Self {
        let groups = crate::scene::node_groups(&moment.view.nodes, moment.group_by);
        Self {
            chart: Chart::new(&groups, width, HEIGHT),
            outcomes: moment.outcomes(),
            groups,
        }
    }

    pub fn height(&self) -> f64 {
        self.chart.height
    }

    pub fn draw(&self, moment: &Moment, pen: &mut Pen, (left, top): (f64, f64)) {
        let moved = |rect: Rect| Rect {
            x: rect.x + left,
            y: rect.y + top,
            ..rect
        };
        for (tank, group) in self.chart.tanks.iter().zip(&self.groups) {
            self.head(moment, pen, moved(tank.rect), group);
            for (place, node) in tank.nodes.iter().enumerate() {
                let cell = moved(self.cell(tank, place));
                let full = moment
                    .view
                    .nodes
                    .get(*node)
                    .map_or(0.0, |node| fullness(node));
                let outcome = self.outcomes.get(*node).copied().unwrap_or_default();
                cell_at(pen, cell, outcome, fill_step(full));
            }
        }
    }

    fn cell(&self, tank: &Tank, place: usize) -> Rect {
        self.chart.cell_in(tank, place)
    }

    fn head(&self, moment: &Moment, pen: &mut Pen, rect: Rect, group: &NodeGroup) {
        let rule = pen.color(Ink::RuleWater);
        let look = Look::filled(pen.color(Ink::Water)).edge(rule, 1.0);
        pen.rect(inset(rect, 0.5), look.round(4.0));
        let bold = Type::new(12.0, pen.color(Ink::Text)).bold();
        let small = Type::new(11.0, pen.color(Ink::Text3));
        let name = group.value.clone();
        let name = name.unwrap_or_else(|| words::without(moment.group_by));
        let name = bold.cut(&name, rect.width - 16.0);
        let lines = self.sums(moment, group);
        pen.text(rect.x + 10.0, rect.y + 17.0, &name, bold);
        for (text, base) in lines.iter().zip([34.0, 48.0, 62.0]) {
            let text = small.cut(text, rect.width - 16.0);
            pen.text(rect.x + 10.0, rect.y + base, &text, small);
        }
    }

    /// A group's counts in words.
    fn sums(&self, moment: &Moment, group: &NodeGroup) -> Vec<String> {
        let sums = sums(group, &moment.view.nodes, &self.outcomes);
        let nodes = words::nodes(group.nodes.len());
        let verdicts = [
            (sums.feasible, words::FEASIBLE),
            (sums.rejected, words::REJECTED),
            (sums.not_examined, words::explain::NOT_EXAMINED),
        ];
        let verdicts = verdicts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, verdict)| format!("{} {verdict}", words::number(count)));
        let verdicts: Vec<String> = verdicts.collect();
        let [cpu, memory, _] = sums.shares;
        [
            nodes,
            format!("cpu {cpu:.0} % · mem {memory:.0} %"),
            verdicts.join(" · "),
        ]
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect()
    }

    /// Each group's counts, for screen readers.
    pub fn in_words(&self, moment: &Moment) -> Vec<String> {
        let group = |group: &NodeGroup| {
            let name = group.value.clone();
            let name = name.unwrap_or_else(|| words::without(moment.group_by));
            format!("{name}: {}", self.sums(moment, group).join(", "))
        };
        self.groups.iter().map(group).collect()
    }
}

fn cell_at(pen: &mut Pen, cell: Rect, outcome: Outcome, sound: usize) {
    let fill = Look::filled(pen.color(Ink::Sound(sound)));
    let (rejected, accent) = (pen.color(Ink::Rejected), pen.color(Ink::Accent));
    let quay = pen.color(Ink::Quay);
    match outcome {
        Outcome::Unknown | Outcome::Feasible => pen.rect(cell, fill),
        Outcome::NotExamined | Outcome::Foreign => pen.rect(inset(cell, cell.width * 0.3), fill),
        Outcome::Rejected => {
            let line = (cell.width / 9.0).clamp(1.0, 2.0);
            let look = Look::filled(quay).edge(rejected, line);
            pen.rect(inset(cell, cell.width * 0.1), look);
            let inner = inset(cell, cell.width * 0.3);
            let (right, bottom) = (inner.x + inner.width, inner.y + inner.height);
            let [left, top, right, bottom] = [inner.x, inner.y, right, bottom].map(number);
            let cross = format!("M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}");
            pen.path(&cross, Look::lined(rejected).edge(rejected, line));
        }
        Outcome::Chosen => {
            pen.rect(cell, fill);
            let size = cell.width.clamp(12.0, 32.0);
            let (x, y) = cell.center();
            let place = [x - size / 2.0, y - size / 2.0, size];
            pen.icon("chosen", place, accent, quay);
        }
    }
}
