//! A card's docks: the node's devices below its Pods.

use super::Card;
use crate::export::svg::measures::Measures;
use crate::export::svg::pen::{Colors, Look, Pen, Type};
use crate::export::svg::pods::{Shade, inset};
use crate::export::svg::theme::Ink;
use crate::scene::chart::Rect;
use crate::scene::docks::{Dock, Docks, Row, Trial};
use crate::scene::owner::Flag;
use crate::words;
use berth_protocol::frame::PodFrame;

/// Widths and heights in pixels.
const LEAST: f64 = 54.0;
const GAP: f64 = 4.0;
const NAME: f64 = 13.0;
const BERTH: f64 = 19.0;
const LABEL: f64 = 28.0;
const LINE: f64 = 14.0;

impl Card<'_> {
    fn devices(&self) -> Option<Docks<'_>> {
        let devices = self.node.devices.as_ref()?;
        Some(Docks::of(devices, &self.trials, &self.drivers))
    }

    /// The height of the docks on a card of that width.
    pub(super) fn docks_height(&self, width: f64) -> f64 {
        let Some(docks) = self.devices() else {
            return 0.0;
        };
        let rows = docks.rows.iter().map(|row| height(row, width));
        GAP + rows.sum::<f64>() + LINE * count(docks.shared.len())
    }

    pub(super) fn docks(
        &self,
        pen: &mut Pen,
        place: Rect,
        measures: &Measures,
        flags: &dyn Fn(&PodFrame) -> Flag,
    ) {
        let Some(docks) = self.devices().filter(|_| pen.colors != Colors::Classes) else {
            return;
        };
        let mut top = place.y + GAP;
        for row in &docks.rows {
            let tall = height(row, place.width);
            let mut left = place.x;
            if let Some((name, value)) = row.label {
                self.label(pen, [left, top, tall - GAP], (name, value));
                left += LABEL;
            }
            let room = place.x + place.width - left;
            let across = columns(room);
            let width = (room + GAP) / count(across) - GAP;
            for (at, dock) in row.docks.iter().enumerate() {
                let rect = Rect {
                    x: left + count(at % across) * (width + GAP),
                    y: top + count(at / across) * (2.0 * NAME + BERTH + GAP),
                    width,
                    height: 2.0 * NAME + BERTH,
                };
                self.dock(pen, rect, dock, flags);
            }
            top += tall;
        }
        let kind = Type::new(11.0, pen.color(Ink::Text3));
        for pool in docks.shared {
            let text = kind.cut(&words::docks::shared_pool(pool), place.width);
            pen.text(place.x, top + measures.meter - 3.0, &text, kind);
            top += LINE;
        }
    }

    /// The value that the devices of a row have in common, beside a rule.
    fn label(&self, pen: &mut Pen, [x, y, height]: [f64; 3], (name, value): (&str, &str)) {
        let rule = Rect {
            x: x + LABEL - 5.0,
            y,
            width: 1.5,
            height,
        };
        pen.rect(rule, Look::filled(pen.color(Ink::RuleStrong)));
        let small = Type::new(11.0, pen.color(Ink::Text3));
        let middle = y + height / 2.0;
        let name = small.cut(words::short_key(name), LABEL - 6.0);
        pen.text(x, middle - 2.0, &name, small);
        let bold = Type::new(11.0, pen.color(Ink::Text2));
        let value = bold.cut(words::docks::last_part(value), LABEL - 6.0);
        pen.text(x, middle + 11.0, &value, bold);
    }

    fn dock(&self, pen: &mut Pen, rect: Rect, dock: &Dock, flags: &dyn Fn(&PodFrame) -> Flag) {
        let (ink_2, ink_3) = (pen.color(Ink::Text2), pen.color(Ink::Text3));
        let name = Type::new(11.0, ink_2);
        pen.text(
            rect.x,
            rect.y + 10.0,
            &name.cut(&dock.name(), rect.width),
            name,
        );
        let kind = Type::new(11.0, ink_3);
        let text = kind.cut(&dock.kind, rect.width);
        pen.text(rect.x, rect.y + NAME + 9.0, &text, kind);
        let berth = Rect {
            y: rect.y + 2.0 * NAME,
            height: BERTH,
            ..rect
        };
        let rule = pen.color(Ink::RuleStrong);
        let holder = dock.holder().filter(|holder| !holder.admin_access);
        let pod = holder.and_then(|holder| holder.pods.iter().find_map(|key| self.view.pod(key)));
        let frame = Look::lined(rule).round(2.0);
        match (pod, holder) {
            (Some(pod), _) => {
                pen.rect(inset(berth, 0.5), frame);
                let shade = if self.is_rejected() {
                    Shade::Muted
                } else {
                    Shade::Plain
                };
                pen.block(inset(berth, 1.5), flags(pod), shade, Some(pod));
            }
            (None, Some(holder)) => {
                pen.rect(inset(berth, 0.5), frame);
                self.inside(pen, berth, &words::docks::holder_of(holder), ink_2);
            }
            (None, None) => self.free(pen, berth, dock),
        }
        if dock.driver > 0 {
            let line = Rect {
                y: berth.y + BERTH - 3.0,
                height: 1.0,
                ..berth
            };
            pen.rect(line, Look::filled(rule));
        }
    }

    /// A dock that no Pod has: dashed, with the word.
    fn free(&self, pen: &mut Pen, berth: Rect, dock: &Dock) {
        let is_wanted = dock.trial == Some(&Trial::Wanted);
        let device = dock.only();
        let unavailable = device.is_some_and(|it| it.unavailable.is_some());
        let color = match (is_wanted, unavailable) {
            (true, _) => pen.color(Ink::Accent),
            (false, true) => pen.color(Ink::Waiting),
            (false, false) => pen.color(Ink::RuleStrong),
        };
        let look = Look::lined(color).round(2.0).dashed(Some("4 3"));
        pen.rect(inset(berth, 0.5), look);
        if unavailable {
            pen.hatch(inset(berth, 1.0), 6.0, Look::lined(color));
        }
        let text = match device {
            Some(_) if is_wanted => {
                let pod = self.asker.map(crate::scene::label::name);
                pod.unwrap_or_else(|| words::docks::FREE.to_owned())
            }
            Some(_) if unavailable => words::docks::UNAVAILABLE.to_owned(),
            Some(_) => words::docks::FREE.to_owned(),
            None => words::docks::free_of(dock),
        };
        let mark = match dock.trial {
            Some(Trial::Rejected(_)) => Some("rejected"),
            Some(Trial::GivenBack) => Some("rejected-more"),
            _ => None,
        };
        let back = self.back(pen);
        let mut inside = berth;
        if let Some(mark) = mark {
            let color = pen.color(Ink::Rejected);
            pen.icon(mark, [berth.x + 4.0, berth.y + 4.5, 10.0], color, back);
            inside.x += 13.0;
            inside.width -= 13.0;
        }
        let ink = if is_wanted {
            pen.color(Ink::Accent)
        } else {
            pen.color(Ink::Text3)
        };
        self.inside(pen, inside, &text, ink);
    }

    fn inside(
        &self,
        pen: &mut Pen,
        berth: Rect,
        text: &str,
        color: crate::export::svg::theme::Color,
    ) {
        let kind = Type::new(11.0, color);
        let text = kind.cut(text, berth.width - 8.0);
        let plate = Rect {
            x: berth.x + 3.0,
            y: berth.y + 2.0,
            width: (kind.width(&text) + 4.0).min(berth.width - 4.0),
            height: BERTH - 4.0,
        };
        pen.rect(plate, Look::filled(self.back(pen)));
        pen.text(berth.x + 5.0, berth.y + 13.0, &text, kind);
    }
}

/// The height of a row of docks with the gap below it.
fn height(row: &Row, width: f64) -> f64 {
    let room = if row.label.is_some() {
        width - LABEL
    } else {
        width
    };
    let lines = row.docks.len().div_ceil(columns(room));
    count(lines) * (2.0 * NAME + BERTH + GAP)
}

fn columns(room: f64) -> usize {
    (((room + GAP) / (LEAST + GAP)).floor() as usize).max(1)
}

fn count(number: usize) -> f64 {
    number as f64
}
