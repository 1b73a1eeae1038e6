//! Pods as blocks: their area is the request, their color the owner's.

use super::pen::{Colors, Look, Pen, Type, number};
use super::theme::{Color, Ink};
use crate::scene::chart::Rect;
use crate::scene::label;
use crate::scene::owner::Flag;
use berth_protocol::frame::PodFrame;

/// The classes of owners in a picture that is part of the page.
const CLASSES: [&str; 9] = [
    "art-0", "art-1", "art-2", "art-3", "art-4", "art-5", "art-6", "art-7", "art-8",
];
/// Width of a hoist.
const HOIST: f64 = 5.0;
/// Size of a block's label.
const LABEL: f64 = 11.0;
/// Height of a chip.
pub const CHIP: f64 = 18.0;
/// The least width in which a name can be cut.
const LEAST: f64 = 14.0;

/// How a block differs from the others of its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shade {
    #[default]
    Plain,
    /// On a node that rejects the Pod being scheduled.
    Muted,
    /// To be evicted, or evicted.
    Victim,
    /// Kept for a Pod to come.
    Slot,
    /// It left for its node.
    Left,
}

/// A rectangle that is smaller on each side.
pub fn inset(rect: Rect, by: f64) -> Rect {
    Rect {
        x: rect.x + by,
        y: rect.y + by,
        width: (rect.width - 2.0 * by).max(0.0),
        height: (rect.height - 2.0 * by).max(0.0),
    }
}

impl Pen {
    /// A Pod's block. `label`: its text, if it fits.
    pub fn block(&mut self, rect: Rect, flag: Flag, shade: Shade, label: Option<&PodFrame>) {
        if self.colors == Colors::Classes {
            let class = CLASSES.get(flag.color).copied();
            let look = Look::filled([0; 3]).class(class.unwrap_or_default());
            self.rect(rect, look);
            return;
        }
        let text = match shade {
            Shade::Plain => self.owned(rect, flag, false),
            Shade::Muted => self.owned(rect, flag, true),
            Shade::Victim => self.victim(rect),
            Shade::Slot => {
                let accent = self.color(Ink::Accent);
                let look = Look::lined(accent).edge(accent, 1.5).round(2.0);
                self.rect(inset(rect, 0.75), look.dashed(Some("4 3")));
                accent
            }
            Shade::Left => {
                let look = Look::lined(self.color(Ink::RuleStrong)).round(2.0);
                self.rect(inset(rect, 0.5), look.dashed(Some("4 3")));
                self.color(Ink::Text3)
            }
        };
        if let Some(pod) = label {
            let from = if shade == Shade::Victim {
                16.0
            } else {
                HOIST + 3.0
            };
            let plate = (shade == Shade::Slot).then(|| self.color(Ink::Quay));
            self.label(rect, from, pod, text, plate);
        }
    }

    /// A Pod that takes no room, as a chip with its name from that place on, cut to that width; returns its own width.
    pub fn chip(&mut self, [x, y, most]: [f64; 3], flag: Flag, shade: Shade, name: &str) -> f64 {
        let kind = Type::new(LABEL, self.color(Ink::OnOwner));
        let around = HOIST + 7.0;
        let name = kind.cut(name, most - around);
        let rect = Rect {
            x,
            y,
            width: kind.width(&name) + around,
            height: CHIP,
        };
        let color = match shade {
            Shade::Muted => self.color(Ink::Text2),
            Shade::Victim => self.color(Ink::Text),
            _ => self.color(Ink::OnOwner),
        };
        self.block(rect, flag, shade, None);
        let kind = Type::new(LABEL, color);
        self.text(x + HOIST + 3.0, y + CHIP / 2.0 + 3.9, &name, kind);
        rect.width
    }

    /// A ring around a block.
    pub fn ring(&mut self, rect: Rect, by: f64) {
        let accent = self.color(Ink::Accent);
        let look = Look::lined(accent).edge(accent, 2.0).round(3.0);
        self.rect(inset(rect, -by), look);
    }

    fn owned(&mut self, rect: Rect, flag: Flag, is_muted: bool) -> Color {
        let (theme, owner) = (self.theme(), Ink::Owner(flag.color));
        let (fill, edge, text) = if is_muted {
            (
                theme.mixed(owner, 24, Ink::Water),
                theme.mixed(owner, 60, Ink::RuleStrong),
                theme.color(Ink::Text2),
            )
        } else {
            (
                theme.color(owner),
                theme.mixed(owner, 45, Ink::OwnerEdge),
                theme.color(Ink::OnOwner),
            )
        };
        let look = Look::filled(fill).edge(edge, 1.0).round(2.0);
        self.rect(inset(rect, 0.5), look);
        self.hoist(inset(rect, 1.0), flag.hoist, edge);
        text
    }

    /// The pattern at the left end of a block, which repeats the owner for readers who do not see its color.
    fn hoist(&mut self, block: Rect, hoist: usize, edge: Color) {
        let hoist_width = HOIST.min(block.width / 2.0);
        let place = Rect {
            width: hoist_width,
            ..block
        };
        let Rect {
            x,
            y,
            width: w,
            height: h,
        } = place;
        let part = |x: f64, y: f64, w: f64, h: f64| {
            let [x, y, w, h] = [x, y, w, h].map(number);
            format!("M{x} {y}h{w}v{h}h-{w}z")
        };
        let d = match hoist {
            2 => part(x, y, w, h / 2.0),
            3 => {
                let [x, y, w, h] = [x, y, w, h].map(number);
                format!("M{x} {y}h{w}l-{w} {h}z")
            }
            4 => {
                let tops = (0_u8..)
                    .map(|stripe| 5.0 * f64::from(stripe))
                    .take_while(|top| *top < h)
                    .take(200);
                tops.map(|top| part(x, y + top, w, (h - top).min(2.0)))
                    .collect()
            }
            5 => part(x + w * 0.6, y, w * 0.4, h),
            6 => part(x, y + h / 3.0, w, h / 3.0),
            7 => format!(
                "{}{}",
                part(x, y, w * 0.3, h),
                part(x + w * 0.6, y, w * 0.3, h)
            ),
            8 => {
                self.hatch(place, 4.95, Look::lined(edge).edge(edge, 1.25));
                return;
            }
            // DaemonSets have none.
            0 => return,
            _ => part(x, y, w, h),
        };
        self.path(&d, Look::filled(edge));
    }

    fn victim(&mut self, rect: Rect) -> Color {
        let (wash, rejected) = (self.color(Ink::RejectedWash), self.color(Ink::Rejected));
        let look = Look::filled(wash).edge(rejected, 1.5).round(2.0);
        self.rect(inset(rect, 0.75), look);
        self.hatch(inset(rect, 1.5), 8.5, Look::lined(rejected));
        if rect.width > 16.0 {
            let plate = Rect {
                x: rect.x + 3.0,
                y: rect.y + rect.height / 2.0 - 5.5,
                width: 11.0,
                height: 11.0,
            };
            self.rect(plate, Look::filled(wash));
            self.icon("victim", [plate.x, plate.y, 11.0], rejected, wash);
        }
        self.color(Ink::Text)
    }

    /// The name if it fits, else the part of it that differs, cut if need be, else nothing.
    fn label(&mut self, rect: Rect, from: f64, pod: &PodFrame, color: Color, plate: Option<Color>) {
        let kind = Type::new(LABEL, color);
        let room = rect.width - from - 2.0;
        let name = label::name(pod);
        let label = if label::room(&name) * 16.0 <= room {
            Some(name)
        } else {
            (room >= LEAST).then(|| kind.cut(&label::short(pod), room))
        };
        if let Some(label) = &label.filter(|_| rect.height > 11.0) {
            if let Some(plate) = plate {
                // A victim may still be drawn where the Pod will be.
                let plate_rect = Rect {
                    x: rect.x + from - 3.0,
                    y: rect.y + rect.height / 2.0 - 8.0,
                    width: kind.width(label).max(rect.width - from - 2.0) + 3.0,
                    height: 16.0,
                };
                self.rect(plate_rect, Look::filled(plate).round(2.0));
            }
            self.text(rect.x + from, rect.y + rect.height / 2.0 + 3.9, label, kind);
        }
    }
}
