//! A card's Pod area: its scale, the blocks of the node's Pods, and the places kept for Pods to come.

use super::Card;
use crate::export::svg::measures::Measures;
use crate::export::svg::pen::{Colors, Look, Pen, Type};
use crate::export::svg::pods::{CHIP, Shade, inset};
use crate::export::svg::theme::Ink;
use crate::scene::chart::Rect;
use crate::scene::node_pods::{LOOSE, NodePod, evicted, loose_means, loose_name};
use crate::scene::owner::Flag;
use crate::scene::pod_layout::Percent;
use berth_protocol::frame::PodFrame;

/// Between chips.
const GAP: f64 = 3.0;

impl Card<'_> {
    pub(super) fn pod_area(
        &self,
        pen: &mut Pen,
        area: Rect,
        measures: &Measures,
        flags: &dyn Fn(&PodFrame) -> Flag,
    ) {
        if pen.colors != Colors::Classes && area.width >= 1.0 {
            self.free_area(pen, area, measures);
        }
        let inside = if measures.has_text {
            inset(area, 1.0)
        } else {
            area
        };
        for pod in &self.node_pods.pods {
            self.pod(pen, inside, pod, measures, flags);
        }
        if pen.colors == Colors::Classes {
            return;
        }
        let places = |places: &[Percent]| -> Vec<Rect> {
            places.iter().map(|place| within(inside, place)).collect()
        };
        for (pod, at) in evicted(&self.node_pods.layout, self.node_pods.gone.iter().copied()) {
            self.pieces(pen, &places(&at), flags(pod), Shade::Victim, pod);
        }
        let planned = self.node_pods.planned();
        for pod in &self.node_pods.nominated {
            let at = places(&planned.places(&pod.key));
            self.pieces(pen, &at, flags(pod), Shade::Slot, pod);
        }
        if let Some((pod, is_bound)) = self.node_pods.slot {
            let at = places(&planned.places(&pod.key));
            let shade = if is_bound { Shade::Plain } else { Shade::Slot };
            self.pieces(pen, &at, flags(pod), shade, pod);
        }
    }

    /// The free area with its scale.
    fn free_area(&self, pen: &mut Pen, area: Rect, measures: &Measures) {
        let rule = pen.color(Ink::RuleWater);
        let tick = pen.color(Ink::Tick);
        let look = Look::filled(pen.color(Ink::Berth)).round(2.0);
        if self.is_rejected() {
            pen.rect(
                inset(area, 0.5),
                Look::lined(rule).round(2.0).dashed(Some("4 3")),
            );
        } else {
            pen.rect(inset(area, 0.5), look.edge(rule, 1.0));
            let columns = [0.25, 0.5, 0.75].map(|at| Rect {
                x: area.x + area.width * at - 0.5,
                width: 1.0,
                ..inset(area, 1.0)
            });
            let lines = (1_u8..)
                .map(|row| area.y + measures.row * f64::from(row))
                .take_while(|y| *y < area.y + area.height - 2.0)
                .map(|y| Rect {
                    y: y - 0.5,
                    height: 1.0,
                    ..inset(area, 1.0)
                });
            for line in columns.into_iter().chain(lines) {
                pen.rect(line, Look::filled(tick));
            }
        }
        if self.beyond > 0.0 {
            let edge = Rect {
                y: area.y + area.height - 1.0,
                height: 2.0,
                ..area
            };
            pen.rect(edge, Look::filled(pen.color(Ink::Rejected)));
        }
    }

    fn pod(
        &self,
        pen: &mut Pen,
        area: Rect,
        node_pod: &NodePod,
        measures: &Measures,
        flags: &dyn Fn(&PodFrame) -> Flag,
    ) {
        let shade = self.shade(node_pod);
        let pod = &**node_pod.pod;
        let places = self.node_pods.layout.places(&pod.key);
        let rects: Vec<Rect> = places.iter().map(|place| within(area, place)).collect();
        self.pieces(pen, &rects, flags(pod), shade, pod);
        let ring = match (node_pod.is_chosen, node_pod.is_new) {
            (true, _) => Some(2.0),
            (false, true) => Some(0.0),
            (false, false) => None,
        };
        if let (Some(by), Some(main), true) = (ring, rects.first(), measures.has_text) {
            pen.ring(*main, by);
        }
    }

    fn shade(&self, pod: &NodePod) -> Shade {
        match (pod.is_victim, self.is_rejected()) {
            (true, _) => Shade::Victim,
            (false, true) => Shade::Muted,
            (false, false) => Shade::Plain,
        }
    }

    /// Height of the Pods that take no room.
    pub(super) fn loose_height(&self, width: f64) -> f64 {
        let nowhere = Rect {
            x: 0.0,
            y: 0.0,
            width,
            height: 0.0,
        };
        self.loose(&mut Pen::new(Colors::Classes), nowhere, &|_| {
            Flag::default()
        })
    }

    /// The Pods that take no room, as chips; returns their height.
    pub(super) fn loose(
        &self,
        pen: &mut Pen,
        area: Rect,
        flags: &dyn Fn(&PodFrame) -> Flag,
    ) -> f64 {
        let loose: Vec<&NodePod> = self.node_pods.loose().collect();
        if loose.is_empty() {
            return 0.0;
        }
        let kind = Type::new(11.0, pen.color(Ink::Text3));
        let means = loose_means(loose.iter().map(|pod| &**pod.pod));
        pen.text(area.x, area.y + CHIP / 2.0 + 3.9, means, kind);
        let mut x = area.x + kind.width(means) + GAP;
        let mut y = area.y;
        let end = area.x + area.width;
        for pod in loose.iter().take(LOOSE) {
            let name = loose_name(pod.pod, loose.len());
            let width = (kind.width(&name) + 12.0).min(area.width);
            if x > area.x && x + width > end {
                (x, y) = (area.x, y + CHIP + GAP);
            }
            let flag = flags(pod.pod);
            x += pen.chip([x, y, area.width], flag, self.shade(pod), &name) + GAP;
        }
        if loose.len() > LOOSE {
            let rest = format!("+{}", loose.len() - LOOSE);
            if x + kind.width(&rest) > end {
                (x, y) = (area.x, y + CHIP + GAP);
            }
            pen.text(x, y + CHIP / 2.0 + 3.9, &rest, kind);
        }
        y + CHIP - area.y
    }

    /// The largest rectangle of a block, which has the label, and the others.
    fn pieces(&self, pen: &mut Pen, rects: &[Rect], flag: Flag, shade: Shade, pod: &PodFrame) {
        for (place, rect) in rects.iter().enumerate() {
            pen.block(*rect, flag, shade, (place == 0).then_some(pod));
        }
    }
}

/// A rectangle of the Pod area.
fn within(area: Rect, place: &Percent) -> Rect {
    Rect {
        x: area.x + area.width * place.left / 100.0 + 0.5,
        y: area.y + area.height * place.top / 100.0 + 0.5,
        width: (area.width * place.width / 100.0 - 1.0).max(1.0),
        height: (area.height * place.height / 100.0 - 1.0).max(1.0),
    }
}
