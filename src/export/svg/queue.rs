//! The queue above the stage.

use super::pen::{Look, Pen, Type};
use super::pods::Shade;
use super::theme::Ink;
use crate::scene::chart::Rect;
use crate::scene::moment::Moment;
use crate::scene::queue::{BACKOFF, BLOCKS, lanes, shares};
use crate::words;
use berth_protocol::page::Lane;

/// Height of the row.
pub const HEIGHT: f64 = 52.0;
/// Minimum width of a lane, and of a block.
const LANE: f64 = 92.0;
const BLOCK: f64 = 22.0;
/// Width of a block that requests 500 milli-CPU.
const HALF_CORE: f64 = 46.0;

/// Icons and names of the lanes.
const LANES: [(&str, words::Text); 4] = [
    ("active", words::ACTIVE),
    ("backoff", words::BACKOFF),
    ("waiting", words::UNSCHEDULABLE),
    ("gated", words::GATED),
];

/// Draws the lanes side by side.
pub fn draw(moment: &Moment, pen: &mut Pen, area: Rect) {
    let head = &moment.view.head;
    let lanes = lanes(&head.queue);
    let shares = shares(lanes.each_ref().map(|lane| lane.count), BLOCKS);
    let lives = head.now_ms.is_some();
    let shown: Vec<usize> = (0..LANES.len())
        .filter(|lane| lives || *lane != BACKOFF)
        .collect();
    let part = |share: usize| f64::from(u8::try_from(share * 3 + 2).unwrap_or(u8::MAX));
    let parts: f64 = shown.iter().map(|&lane| part(shares[lane])).sum();
    let least = LANE * f64::from(u8::try_from(shown.len()).unwrap_or(u8::MAX));
    let mut x = area.x;
    for (place, &lane) in shown.iter().enumerate() {
        let width = LANE + (area.width - least) * part(shares[lane]) / parts;
        if place > 0 {
            let rule = Rect {
                x,
                width: 1.0,
                ..area
            };
            pen.rect(rule, Look::filled(pen.color(Ink::Rule)));
        }
        let room = Rect {
            x: x + 10.0,
            width: width - 18.0,
            ..area
        };
        let (mark, mut name) = LANES[lane];
        if mark == "gated" {
            name = words::held_back(head.queue.gated.count, head.queue.unmanaged.count).0;
        }
        draw_lane(
            moment,
            pen,
            room,
            (mark, name.get()),
            (&lanes[lane], shares[lane]),
        );
        x += width;
    }
}

fn draw_lane(
    moment: &Moment,
    pen: &mut Pen,
    room: Rect,
    (mark, name): (&str, &str),
    (lane, most): (&Lane, usize),
) {
    let (ink, ink_3) = (pen.color(Ink::Text), pen.color(Ink::Text3));
    let mark_color = pen.color(match mark {
        "waiting" | "backoff" => Ink::Waiting,
        _ => Ink::Text3,
    });
    let paper = pen.color(Ink::Paper);
    pen.icon(mark, [room.x, room.y + 5.0, 11.0], mark_color, paper);
    let bold = Type::new(11.0, ink).bold();
    pen.text(room.x + 16.0, room.y + 14.0, name, bold);
    let after = room.x + 22.0 + bold.width(name);
    let plain = Type::new(11.0, ink);
    pen.text(after, room.y + 14.0, &words::number(lane.count), plain);
    let quiet = Type::new(11.0, ink_3);
    if lane.count == 0 {
        pen.text(room.x, room.y + 37.0, words::NONE.get(), quiet);
        return;
    }
    let pods: Vec<_> = lane.first.iter().take(most).collect();
    let pods: Vec<_> = pods.iter().filter_map(|key| moment.view.pod(key)).collect();
    let wanted = pods.iter().map(|pod| width_of(pod.milli_cpu));
    let count = f64::from(u8::try_from(pods.len()).unwrap_or(u8::MAX));
    let more = if lane.count > pods.len() { 30.0 } else { 0.0 };
    let gaps = 3.0 * count;
    let shrink = ((room.width - more - gaps) / wanted.sum::<f64>().max(1.0)).min(1.0);
    let mut x = room.x;
    for pod in &pods {
        let is_current = moment
            .waiting
            .is_some_and(|waiting| moment.is_stepping && waiting.key == pod.key);
        let block = Rect {
            x,
            y: room.y + 23.0,
            width: (width_of(pod.milli_cpu) * shrink).max(BLOCK.min(room.width)),
            height: 20.0,
        };
        let has_left = is_current && moment.is_picked();
        let shade = if has_left { Shade::Left } else { Shade::Plain };
        pen.block(block, moment.view.owners.flag(pod), shade, Some(pod));
        if moment.chosen == Some(pod.key.as_str()) || (is_current && !has_left) {
            pen.ring(block, 2.0);
        }
        x += block.width + 3.0;
    }
    if lane.count > pods.len() {
        let rest = format!("+{}", words::number(lane.count - pods.len()));
        pen.text(x + 2.0, room.y + 37.0, &rest, quiet);
    }
}

/// The width of a waiting Pod's block if there is room.
fn width_of(milli_cpu: i64) -> f64 {
    (milli_cpu.clamp(0, 2000) as f64 / 500.0 * HALF_CORE).max(72.0)
}
