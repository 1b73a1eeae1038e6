//! NodeGroups with their cards: the grid of the stage.

use std::rc::Rc;

use super::card::Card;
use super::measures::Measures;
use super::pen::{Look, Pen, Type};
use super::pods::inset;
use super::theme::Ink;
use crate::scene::chart::Rect;
use crate::scene::moment::Moment;
use crate::scene::{self, NodeGroup, pod_layout};
use crate::words;

/// With more groups than this, they are as wide as they need to be.
const ACROSS: usize = 3;

/// The nodes of a moment, laid out.
pub struct NodeGroups<'a> {
    groups: Vec<NodeGroup>,
    /// In document order.
    cards: Vec<Card<'a>>,
    pub measures: Measures,
}

/// A group with its place; cards fill it row by row.
struct Place<'b> {
    group: &'b NodeGroup,
    rect: Rect,
    columns: usize,
    card_width: f64,
}

impl<'a> NodeGroups<'a> {
    pub fn new(moment: &Moment<'a>, measures: Measures) -> Self {
        let nodes = &moment.view.nodes;
        let row = pod_layout::scale(nodes.iter().map(|node| node.milli_cpu()));
        let label_order = moment.label_order();
        let drivers = Rc::new(moment.view.drivers());
        let cards = nodes.iter();
        let cards: Vec<Card> = cards
            .map(|node| Card::new(moment, node, &label_order, &drivers, row))
            .collect();
        let mut measures = measures;
        if !cards.iter().any(Card::has_chips) {
            measures.chips = 0.0;
        }
        if moment.cycle.is_none() {
            measures.verdict = 0.0;
        }
        let most = cards.iter().map(Card::meters).max().unwrap_or(0);
        measures.meters = measures.meter * f64::from(u8::try_from(most).unwrap_or(u8::MAX));
        let mut groups = scene::node_groups(nodes, moment.group_by);
        groups.sort_by_key(|group| group.value.is_none());
        Self {
            groups,
            cards,
            measures,
        }
    }

    /// The height at that width.
    pub fn height(&self) -> f64 {
        let places = self.places(0.0);
        let bottoms = places.iter().map(|place| place.rect.y + place.rect.height);
        bottoms.fold(0.0, f64::max)
    }

    /// Makes rows so high that everything together is at most that high, with narrower cards if they would be lower
    /// than `least`.
    pub fn fit(&mut self, height: f64, least: f64) {
        for card_width in [56.0, 44.0, 32.0, 24.0, 18.0, 12.0] {
            self.measures.card_width = card_width;
            let at = |this: &mut Self, row: f64| {
                this.measures.row = row;
                this.height()
            };
            let (none, one) = (at(self, 0.0), at(self, 1.0));
            let row = (height - none) / (one - none).max(0.001);
            self.measures.row = row.clamp(1.0, 36.0);
            if row >= least {
                break;
            }
        }
    }

    /// Draws all groups from there on.
    pub fn draw(&self, moment: &Moment<'a>, pen: &mut Pen, top: f64) {
        let owners = &moment.view.owners;
        for place in self.places(top) {
            self.node_group(moment, pen, &place);
            for (rect, card) in self.cards_of(&place) {
                card.draw(pen, rect, &self.measures, &|pod| owners.flag(pod));
            }
        }
    }

    /// Where a node's card is.
    pub fn card_rect(&self, node: &str, top: f64) -> Option<Rect> {
        let places = self.places(top);
        let mut cards = places.iter().flat_map(|place| self.cards_of(place));
        cards.find_map(|(rect, card)| (card.name() == node).then_some(rect))
    }

    /// Each group with its nodes in words, for screen readers.
    pub fn in_words(&self, moment: &Moment<'a>) -> Vec<String> {
        let grouped = self.groups.iter().any(|group| group.value.is_some());
        let groups = self.groups.iter().flat_map(|group| {
            let name = group.value.as_deref().filter(|_| grouped);
            group.nodes.iter().map(move |node| (*node, name))
        });
        let cards = groups.filter_map(|(node, name)| Some(self.cards.get(node)?.in_words(name)));
        let waiting = moment.view.pods.iter().filter(|pod| pod.node.is_none());
        let waiting = words::pods_wait(waiting.count());
        cards.chain([waiting]).collect()
    }

    fn places(&self, top: f64) -> Vec<Place<'_>> {
        let Measures {
            width, margin, gap, ..
        } = self.measures;
        let room = width - 2.0 * margin;
        let zones = self
            .groups
            .iter()
            .filter(|group| group.value.is_some())
            .count();
        let across = if zones <= ACROSS {
            zones.max(1)
        } else {
            fitting(room, self.measures.group_width, gap).min(zones)
        };
        let valued = self.groups.get(..zones).unwrap_or_default();
        let rest = self.groups.get(zones..).unwrap_or_default();
        let rows = valued
            .chunks(across)
            .map(|row| (row, across))
            .chain(rest.chunks(1).map(|row| (row, 1)));
        let mut places = Vec::new();
        let mut y = top;
        for (row, across) in rows {
            let width = (room - gap * (count(across) - 1.0)) / count(across);
            let mut x = margin;
            let first = places.len();
            for group in row {
                places.push(self.place(group, [x, y, width]));
                x += width + gap;
            }
            let row = places.get_mut(first..).unwrap_or_default();
            let height = row
                .iter()
                .map(|place| place.rect.height)
                .fold(0.0, f64::max);
            for place in row {
                place.rect.height = height;
            }
            y += height + gap;
        }
        places
    }

    /// A group as high as it needs to be.
    fn place<'b>(&self, group: &'b NodeGroup, [x, y, width]: [f64; 3]) -> Place<'b> {
        let measures = &self.measures;
        let inner = width - 2.0 * measures.group_pad;
        let columns = fitting(inner, measures.card_width, measures.gap);
        let gaps = measures.gap * (count(columns) - 1.0);
        let card_width = (inner - gaps) / count(columns);
        let rows = group
            .nodes
            .chunks(columns)
            .map(|row| self.row(row, card_width));
        let heights: Vec<f64> = rows.collect();
        let cards: f64 = heights.iter().sum();
        let between = measures.gap * (count(heights.len()) - 1.0).max(0.0);
        let height = measures.group_head + cards + between + measures.group_pad;
        let height = if measures.has_text {
            height
        } else {
            height + measures.group_pad
        };
        Place {
            group,
            rect: Rect {
                x,
                y,
                width,
                height,
            },
            columns,
            card_width,
        }
    }

    /// The height of a row of cards of that width.
    fn row(&self, nodes: &[usize], width: f64) -> f64 {
        let cards = nodes.iter().filter_map(|node| self.cards.get(*node));
        let heights = cards.map(|card| card.height(width, &self.measures));
        heights.fold(0.0, f64::max)
    }

    fn cards_of(&self, place: &Place) -> Vec<(Rect, &Card<'a>)> {
        let measures = &self.measures;
        let head = if measures.has_text {
            measures.group_head
        } else {
            measures.group_pad
        };
        let mut y = place.rect.y + head;
        let mut cards = Vec::new();
        for row in place.group.nodes.chunks(place.columns) {
            let height = self.row(row, place.card_width);
            let mut x = place.rect.x + measures.group_pad;
            for node in row {
                let rect = Rect {
                    x,
                    y,
                    width: place.card_width,
                    height,
                };
                cards.extend(self.cards.get(*node).map(|card| (rect, card)));
                x += place.card_width + measures.gap;
            }
            y += height + measures.gap;
        }
        cards
    }

    fn node_group(&self, moment: &Moment<'a>, pen: &mut Pen, place: &Place) {
        let rule = pen.color(Ink::RuleWater);
        let is_open = place.group.value.is_none();
        if !is_open {
            let look = Look::filled(pen.color(Ink::Water)).edge(rule, 1.0);
            pen.rect(inset(place.rect, 0.5), look.round(4.0).class("art-water"));
        }
        if !self.measures.has_text {
            return;
        }
        if is_open {
            let look = Look::lined(rule).round(4.0).dashed(Some("4 3"));
            pen.rect(inset(place.rect, 0.5), look);
        }
        let bold = Type::new(12.0, pen.color(Ink::Text)).bold();
        let small = Type::new(11.0, pen.color(Ink::Text3));
        let (left, base) = (place.rect.x + 8.0, place.rect.y + 17.0);
        let name = place.group.value.clone();
        let name = name.unwrap_or_else(|| words::without(moment.group_by));
        let nodes = words::nodes(place.group.nodes.len());
        let room = place.rect.width - 24.0 - small.width(&nodes);
        let name = bold.cut(&name, room);
        pen.text(left, base, &name, bold);
        pen.text(left + bold.width(&name) + 6.0, base, &nodes, small);
    }
}

/// How many of that width fit, at least one.
fn fitting(room: f64, width: f64, gap: f64) -> usize {
    (((room + gap) / (width + gap)).floor() as usize).max(1)
}

fn count(number: usize) -> f64 {
    number as f64
}
