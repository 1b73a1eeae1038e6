//! A node: name, chips, bars, its Pods, and the verdict.

mod docks;
mod pod_area;

use std::rc::Rc;

use super::measures::Measures;
use super::pen::{Colors, Look, Pen, Type};
use super::pods::inset;
use super::theme::{Color, Ink};
use crate::scene::chart::Rect;
use crate::scene::chips::Chips;
use crate::scene::docks::Trials;
use crate::scene::meter::{Meter, meters};
use crate::scene::moment::{Moment, NodeVerdict, Score};
use crate::scene::node_pods::NodePods;
use crate::scene::owner::Flag;
use crate::scene::view::View;
use crate::words;
use berth_protocol::frame::{NodeFrame, PodFrame};

/// What a card shows.
pub struct Card<'a> {
    node: &'a NodeFrame,
    node_verdict: NodeVerdict,
    score: Option<Score>,
    chips: Chips<'a>,
    meters: Vec<Meter>,
    node_pods: NodePods<'a>,
    view: &'a View,
    /// The drivers of the view's devices.
    drivers: Rc<Vec<String>>,
    trials: Trials,
    /// The Pod being scheduled.
    asker: Option<&'a PodFrame>,
    /// Height of the Pod area, and of what exceeds it, in rows of the view.
    rows: f64,
    beyond: f64,
    /// Width of the Pod area, as a share of the card's.
    share: f64,
    /// The node has no value of the label that groups nodes.
    is_outside: bool,
}

impl<'a> Card<'a> {
    /// `row`: milli-CPU of a row of the view.
    pub fn new(
        moment: &Moment<'a>,
        node: &'a Rc<NodeFrame>,
        label_order: &[String],
        drivers: &Rc<Vec<String>>,
        row: i64,
    ) -> Self {
        let node_verdict = moment.node_verdict(node);
        let asker = moment.waiting.filter(|_| node_verdict.may_take());
        // What it requests is counted already where it is nominated.
        let asker = asker.filter(|pod| !node.nominated.contains(&pod.key));
        let node_pods = moment.node_pods(node, &node_verdict);
        let share = node.milli_cpu().max(0) as f64 / row.max(1) as f64;
        let own_row = node_pods.layout.row_milli_cpu() / row.max(1) as f64;
        let line = own_row * (1.0 / share.max(0.001)).max(1.0);
        Self {
            view: moment.view,
            drivers: Rc::clone(drivers),
            trials: node
                .devices
                .as_ref()
                .map(|_| moment.trials(node, &node_verdict))
                .unwrap_or_default(),
            asker: moment.waiting.map(|pod| &**pod),
            score: moment.score(node),
            chips: Chips::of(node, label_order),
            meters: meters(node, asker.map(|pod| &**pod)).collect(),
            rows: share.max(1.0),
            beyond: node_pods.layout.rows_beyond() as f64 * line,
            share: share.min(1.0),
            is_outside: !node.labels.contains_key(moment.group_by),
            node_pods,
            node_verdict,
            node,
        }
    }

    pub fn name(&self) -> &str {
        &self.node.name
    }

    pub fn has_chips(&self) -> bool {
        !self.chips.texts.is_empty()
    }

    pub fn meters(&self) -> usize {
        self.meters.len()
    }

    /// Its height if it is that wide.
    pub fn height(&self, width: f64, measures: &Measures) -> f64 {
        let below = if measures.has_text {
            let width = width - 2.0 * measures.card_pad;
            let loose = self.loose_height(width);
            let gap = if loose > 0.0 { measures.line_gap } else { 0.0 };
            loose + gap + self.docks_height(width)
        } else {
            0.0
        };
        measures.card(self.rows + self.beyond) + below
    }

    /// The card's description for a screen reader.
    pub fn in_words(&self, group: Option<&str>) -> String {
        let total = self.score.as_ref().and_then(|score| score.total);
        let verdict = self.node_verdict.in_words(total);
        words::node_name(self.node, group, verdict.as_deref())
    }

    pub fn draw(
        &self,
        pen: &mut Pen,
        rect: Rect,
        measures: &Measures,
        flags: &dyn Fn(&PodFrame) -> Flag,
    ) {
        self.frame(pen, rect);
        let mut inner = Rect {
            x: rect.x + measures.card_pad,
            y: rect.y + measures.card_pad,
            width: rect.width - 2.0 * measures.card_pad,
            height: 0.0,
        };
        if measures.has_text {
            self.head(pen, rect, inner);
            inner.y += measures.head + measures.line_gap;
            if measures.chips > 0.0 {
                self.draw_chips(pen, inner);
                inner.y += measures.chips + measures.line_gap;
            }
            for (line, meter) in self.meters.iter().enumerate() {
                let top =
                    inner.y + measures.meter * f64::from(u8::try_from(line).unwrap_or(u8::MAX));
                self.draw_meter(pen, Rect { y: top, ..inner }, meter);
            }
            inner.y += measures.meters + measures.line_gap;
        }
        let area = Rect {
            width: inner.width * self.share,
            height: self.rows * measures.row,
            ..inner
        };
        self.pod_area(pen, area, measures, flags);
        if measures.has_text {
            inner.y += (self.rows + self.beyond) * measures.row + measures.line_gap;
            let loose = self.loose(pen, inner, flags);
            if loose > 0.0 {
                inner.y += loose + measures.line_gap;
            }
            let docks = inner;
            self.docks(pen, docks, measures, flags);
            self.verdict(
                pen,
                Rect {
                    y: rect.y + rect.height - measures.card_pad - measures.verdict,
                    ..inner
                },
            );
        }
    }

    fn is_rejected(&self) -> bool {
        matches!(self.node_verdict, NodeVerdict::Rejected { .. })
    }

    fn frame(&self, pen: &mut Pen, rect: Rect) {
        if pen.colors == Colors::Classes {
            let keeps_away = self.node.unschedulable || !self.node.taints.is_empty();
            let dashes = keeps_away.then_some("3 2");
            let look = Look::filled([0; 3]).class("art-quay").dashed(dashes);
            pen.rect(rect, look);
            return;
        }
        let accent = pen.color(Ink::Accent);
        let rule = pen.color(Ink::RuleWater);
        let quay = Look::filled(pen.color(Ink::Quay)).round(4.0);
        let is_marked = matches!(self.node_verdict, NodeVerdict::Chosen)
            || Moment::is_nominated(&self.node_verdict, self.node);
        if is_marked {
            pen.rect(inset(rect, 0.5), quay.edge(accent, 2.0));
        } else if self.is_rejected() {
            let look = Look::lined(rule).round(4.0).dashed(Some("4 3"));
            pen.rect(inset(rect, 0.5), look);
        } else {
            pen.rect(inset(rect, 0.5), quay.edge(rule, 1.0));
        }
    }

    fn head(&self, pen: &mut Pen, rect: Rect, inner: Rect) {
        let back = self.back(pen);
        if self.node.unschedulable {
            let band = Rect {
                height: inner.y - rect.y + 18.0,
                ..rect
            };
            let rule = pen.color(Ink::RuleWater);
            pen.hatch(inset(band, 1.0), 8.5, Look::lined(rule));
        }
        let line = inner.y + 13.0;
        let state = self.state();
        let ink_3 = pen.color(Ink::Text3);
        let small = Type::new(11.0, ink_3);
        let mut right = inner.x + inner.width;
        if let Some((mark, text, color)) = state {
            let color = pen.color(color);
            let kind = Type::new(11.0, color).ending();
            let text = kind.cut(&text, inner.width / 2.0);
            let width = kind.width(&text);
            plate(
                pen,
                [right - width - 18.0, inner.y, width + 20.0],
                self.node.unschedulable,
                back,
            );
            pen.text(right, line, &text, kind);
            pen.icon(
                mark,
                [right - width - 15.0, inner.y + 4.0, 11.0],
                color,
                back,
            );
            right -= width + 22.0;
        }
        let name = Type::new(
            13.0,
            pen.color(if self.is_rejected() {
                Ink::Text2
            } else {
                Ink::Text
            }),
        )
        .bold();
        let text = name.cut(&self.node.name, right - inner.x);
        let end = inner.x + name.width(&text);
        plate(
            pen,
            [inner.x - 3.0, inner.y, end - inner.x + 6.0],
            self.node.unschedulable,
            back,
        );
        pen.text(inner.x, line, &text, name);
        let role = words::role(self.node);
        if end + 8.0 + small.width(&role) <= right {
            plate(
                pen,
                [end + 3.0, inner.y, small.width(&role) + 8.0],
                self.node.unschedulable,
                back,
            );
            pen.text(end + 8.0, line, &role, small);
        }
    }

    /// What sets the node apart: icon, text and color.
    fn state(&self) -> Option<(&'static str, String, Ink)> {
        if Moment::is_nominated(&self.node_verdict, self.node) {
            return Some(("chosen", words::card::NOMINATED.to_owned(), Ink::Accent));
        }
        if self.node.unschedulable {
            return Some(("cordon", words::CORDONED.to_owned(), Ink::Text2));
        }
        let bad = &self.node.bad_conditions;
        (!bad.is_empty()).then(|| ("waiting", bad.join(", "), Ink::Waiting))
    }

    fn draw_chips(&self, pen: &mut Pen, inner: Rect) {
        let mono = Type::new(11.0, pen.color(Ink::Text2)).mono();
        let mut x = inner.x;
        for (place, text) in self.chips.texts.iter().enumerate() {
            let is_taint = place < self.chips.taints;
            let around = if is_taint { 24.0 } else { 10.0 };
            let left = self.chips.texts.len() - place;
            let count = format!("+{left}");
            let room = inner.x + inner.width - x;
            let reserve = if left > 1 { 26.0 } else { 0.0 };
            if place > 0 && mono.width(text) + around + reserve > room {
                pen.text(x + 2.0, inner.y + 13.0, &count, mono);
                return;
            }
            let text = mono.cut(text, room - around - reserve);
            let width = mono.width(&text) + around;
            let chip = Rect {
                x,
                width,
                height: 18.0,
                ..inner
            };
            let effect = self
                .node
                .taints
                .get(place)
                .map(|taint| taint.effect.as_str());
            chip_at(pen, chip, effect, &text);
            x += width + 4.0;
        }
    }

    fn draw_meter(&self, pen: &mut Pen, line: Rect, meter: &Meter) {
        let (ink, ink_2, ink_3) = (
            pen.color(Ink::Text),
            pen.color(Ink::Text2),
            pen.color(Ink::Text3),
        );
        let base = line.y + 10.0;
        let right = line.x + line.width;
        let label = Type::new(11.0, ink_3);
        pen.text(line.x, base, &label.cut(&meter.name, 60.0), label);
        let amounts = [(meter.counted.as_str(), ink), (meter.of.as_str(), ink_2)];
        pen.two_colors(right, base, amounts);
        let left = line.x + label.width(&label.cut(&meter.name, 60.0)).max(30.0) + 6.0;
        // Numbers of all lines end at the same place, and the bars with them.
        let bar = Rect {
            x: left,
            y: line.y + 4.5,
            width: (right - self.numbers(label) - left).max(8.0),
            height: 4.0,
        };
        let part = |from: f64, percent: f64| Rect {
            x: bar.x + bar.width * from / 100.0,
            width: bar.width * percent.min(100.0 - from).max(0.0) / 100.0,
            ..bar
        };
        pen.rect(bar, Look::filled(pen.color(Ink::WaterDeep)).round(1.0));
        let filled = match (meter.is_over, self.is_rejected()) {
            (true, _) => Ink::Rejected,
            (_, true) => Ink::RuleStrong,
            _ => Ink::Text2,
        };
        let filled = pen.color(filled);
        pen.rect(part(0.0, meter.share), Look::filled(filled));
        if let Some(nominated) = &meter.nominated {
            let look = Look::filled(pen.color(Ink::Quay)).edge(ink_2, 1.0);
            pen.rect(inset(part(nominated.from, nominated.width), 0.5), look);
        }
        if meter.plus > 0.0 && !meter.is_over {
            let accent = pen.color(Ink::Accent);
            let rect = part(meter.share, meter.plus);
            pen.hatch(rect, 3.0, Look::lined(accent).edge(accent, 1.5));
        }
    }

    /// The width of the longest line of numbers.
    fn numbers(&self, kind: Type) -> f64 {
        let widths = self
            .meters
            .iter()
            .map(|meter| kind.width(&format!("{}{}", meter.counted, meter.of)));
        widths.fold(0.0, f64::max) + 4.0
    }

    /// The color behind the card, if it is transparent.
    fn back(&self, pen: &Pen) -> Color {
        pen.color(match (self.is_rejected(), self.is_outside) {
            (false, _) => Ink::Quay,
            (true, false) => Ink::Water,
            (true, true) => Ink::Paper,
        })
    }

    fn verdict(&self, pen: &mut Pen, line: Rect) {
        let Some((mark, text)) = self.node_verdict.line() else {
            return;
        };
        let color = pen.color(match &self.node_verdict {
            NodeVerdict::Rejected { .. } => Ink::Rejected,
            NodeVerdict::Feasible | NodeVerdict::FeasibleSoFar => Ink::Feasible,
            NodeVerdict::Chosen => Ink::Accent,
            NodeVerdict::NotExamined | NodeVerdict::Unknown => Ink::Text3,
            NodeVerdict::Candidate { .. } => Ink::Text2,
        });
        let back = self.back(pen);
        let base = line.y + 12.0;
        if mark == "dash" {
            let dash = Rect {
                y: line.y + 7.0,
                width: 10.0,
                height: 1.5,
                ..line
            };
            pen.rect(dash, Look::filled(color));
        } else {
            let mark_color = match mark {
                "victim" => pen.color(Ink::Rejected),
                "chosen" => pen.color(Ink::Accent),
                _ => color,
            };
            pen.icon(mark, [line.x, line.y + 2.0, 12.0], mark_color, back);
        }
        let left = line.x + 17.0;
        let score = self.score.as_ref().filter(|_| self.node_verdict.may_take());
        match score {
            Some(score) => self.bar(
                pen,
                Rect {
                    x: left,
                    width: line.width - 17.0,
                    ..line
                },
                score,
            ),
            None => {
                let kind = Type::new(11.0, color);
                pen.text(left, base, &kind.cut(&text, line.width - 17.0), kind);
            }
        }
    }

    /// The stack of scores.
    fn bar(&self, pen: &mut Pen, line: Rect, score: &Score) {
        let color: Color = pen.color(if self.node_verdict == NodeVerdict::Chosen {
            Ink::Accent
        } else {
            Ink::Text
        });
        let total = Type::new(12.0, color).bold().ending();
        let room = line.width - 38.0;
        let mut x = line.x;
        for (decides, length) in &score.parts {
            let width = room * *length as f64 / score.highest as f64;
            let part = Rect {
                x,
                y: line.y + 4.0,
                width: (width - 1.0).max(0.5),
                height: 8.0,
            };
            pen.rect(
                part,
                Look::filled(pen.color(if *decides { Ink::Decides } else { Ink::Equal })),
            );
            x += width;
        }
        if let Some(sum) = score.total {
            pen.text(line.x + line.width, line.y + 12.5, &sum.to_string(), total);
        }
    }
}

/// The background of a text over a hatched head.
fn plate(pen: &mut Pen, [x, y, width]: [f64; 3], is_hatched: bool, back: Color) {
    if is_hatched {
        let place = Rect {
            x,
            y,
            width,
            height: 18.0,
        };
        pen.rect(place, Look::filled(back));
    }
}

/// A chip; `effect`: a taint's.
fn chip_at(pen: &mut Pen, chip: Rect, effect: Option<&str>, text: &str) {
    let quay = pen.color(Ink::Quay);
    let (waiting, wash) = (pen.color(Ink::Waiting), pen.color(Ink::WaitingWash));
    let (ink, paper) = (pen.color(Ink::Text), pen.color(Ink::Paper));
    let (look, color, icon) = match effect {
        None => {
            let look = Look::filled(quay).edge(pen.color(Ink::RuleStrong), 1.0);
            (look.round(2.0), pen.color(Ink::Text2), None)
        }
        Some("PreferNoSchedule") => {
            let look = Look::lined(waiting).dashed(Some("3 2"));
            (look.round(7.0), ink, Some(("prefer", waiting)))
        }
        Some("NoExecute") => {
            let look = Look::filled(waiting).edge(waiting, 1.0);
            (look.round(7.0), paper, Some(("noexecute", paper)))
        }
        Some(_) => {
            let look = Look::filled(wash).edge(waiting, 1.0);
            (look.round(7.0), ink, Some(("noschedule", waiting)))
        }
    };
    pen.rect(inset(chip, 0.5), look);
    let mut left = chip.x + 5.0;
    if let Some((name, color)) = icon {
        pen.icon(name, [left, chip.y + 3.5, 11.0], color, waiting);
        left += 13.0;
    }
    pen.text(left, chip.y + 13.0, text, Type::new(11.0, color).mono());
}
