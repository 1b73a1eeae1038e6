//! A card's quay: its scale, the blocks of the node's Pods, and the places kept for Pods to come.

use std::ops::RangeFrom;

use super::Card;
use crate::export::svg::measures::Measures;
use crate::export::svg::pen::{Colors, Look, Pen};
use crate::export::svg::pods::{Shade, inset};
use crate::export::svg::theme::Ink;
use crate::scene::berths::{Berth, evicted};
use crate::scene::chart::Rect;
use crate::scene::owner::Flag;
use crate::scene::quay::Percent;
use berth_protocol::frame::PodFrame;

impl Card<'_> {
    pub(super) fn quay(
        &self,
        pen: &mut Pen,
        quay: Rect,
        measures: &Measures,
        flags: &dyn Fn(&PodFrame) -> Flag,
    ) {
        if pen.colors != Colors::Classes && quay.width >= 1.0 {
            self.basin(pen, quay, measures);
        }
        let inside = if measures.has_text {
            inset(quay, 1.0)
        } else {
            quay
        };
        let mut slivers = 0..;
        for berth in &self.berths.pods {
            self.berth(pen, inside, &mut slivers, berth, measures, flags);
        }
        if pen.colors == Colors::Classes {
            return;
        }
        let places = |places: &[Percent]| -> Vec<Rect> {
            places.iter().map(|place| within(inside, place)).collect()
        };
        for (pod, at) in evicted(&self.berths.quay, self.berths.gone.iter().copied()) {
            self.pieces(pen, &places(&at), flags(pod), Shade::Victim, pod);
        }
        let planned = self.berths.planned();
        for pod in &self.berths.nominated {
            let at = places(&planned.places(&pod.key));
            self.pieces(pen, &at, flags(pod), Shade::Slot, pod);
        }
        if let Some((pod, is_bound)) = self.berths.slot {
            let at = places(&planned.places(&pod.key));
            let shade = if is_bound { Shade::Plain } else { Shade::Slot };
            self.pieces(pen, &at, flags(pod), shade, pod);
        }
    }

    /// The free quay with its scale.
    #[allow(clippy::cast_precision_loss, reason = "a few rows")]
    fn basin(&self, pen: &mut Pen, quay: Rect, measures: &Measures) {
        let rule = pen.color(Ink::RuleWater);
        let tick = pen.color(Ink::Tick);
        let look = Look::filled(pen.color(Ink::Berth)).round(2.0);
        if self.is_rejected() {
            pen.rect(
                inset(quay, 0.5),
                Look::lined(rule).round(2.0).dashed(Some("4 3")),
            );
        } else {
            pen.rect(inset(quay, 0.5), look.edge(rule, 1.0));
            let columns = [0.25, 0.5, 0.75].map(|at| Rect {
                x: quay.x + quay.width * at - 0.5,
                width: 1.0,
                ..inset(quay, 1.0)
            });
            let lines = (1_u8..).map(|row| quay.y + measures.row * f64::from(row));
            let lines = lines
                .take_while(|y| *y < quay.y + quay.height - 2.0)
                .map(|y| Rect {
                    y: y - 0.5,
                    height: 1.0,
                    ..inset(quay, 1.0)
                });
            for line in columns.into_iter().chain(lines) {
                pen.rect(line, Look::filled(tick));
            }
        }
        if self.beyond > 0.0 {
            let edge = Rect {
                y: quay.y + quay.height - 1.0,
                height: 2.0,
                ..quay
            };
            pen.rect(edge, Look::filled(pen.color(Ink::Rejected)));
        }
    }

    fn berth(
        &self,
        pen: &mut Pen,
        quay: Rect,
        slivers: &mut RangeFrom<u16>,
        berth: &Berth,
        measures: &Measures,
        flags: &dyn Fn(&PodFrame) -> Flag,
    ) {
        let shade = match (berth.is_victim, self.is_rejected()) {
            (true, _) => Shade::Victim,
            (false, true) => Shade::Muted,
            (false, false) => Shade::Plain,
        };
        let pod = &**berth.pod;
        let places = self.berths.quay.places(&pod.key);
        if places.is_empty() {
            // It takes no room: as on the page, a sliver at the end of the last row.
            if measures.has_text {
                let at = f64::from(slivers.next().unwrap_or_default());
                let height = (measures.row - 2.0).min(quay.height - 2.0);
                let end = quay.x + quay.width;
                let sliver = Rect {
                    x: (end - 7.0 * (at + 1.0)).max(quay.x + 1.0),
                    y: quay.y + quay.height - 1.0 - height,
                    width: 6.0,
                    height,
                };
                pen.block(sliver, flags(pod), shade, None);
            }
            return;
        }
        let rects: Vec<Rect> = places.iter().map(|place| within(quay, place)).collect();
        self.pieces(pen, &rects, flags(pod), shade, pod);
        let ring = match (berth.is_chosen, berth.is_new) {
            (true, _) => Some(2.0),
            (false, true) => Some(0.0),
            (false, false) => None,
        };
        if let (Some(by), Some(main), true) = (ring, rects.first(), measures.has_text) {
            pen.ring(*main, by);
        }
    }

    /// The largest rectangle of a block, which has the label, and the others.
    fn pieces(&self, pen: &mut Pen, rects: &[Rect], flag: Flag, shade: Shade, pod: &PodFrame) {
        for (place, rect) in rects.iter().enumerate() {
            pen.block(*rect, flag, shade, (place == 0).then_some(pod));
        }
    }
}

/// A rectangle of a quay.
fn within(quay: Rect, place: &Percent) -> Rect {
    Rect {
        x: quay.x + quay.width * place.left / 100.0 + 0.5,
        y: quay.y + quay.height * place.top / 100.0 + 0.5,
        width: (quay.width * place.width / 100.0 - 1.0).max(1.0),
        height: (quay.height * place.height / 100.0 - 1.0).max(1.0),
    }
}
