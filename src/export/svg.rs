//! The stage as SVG: a self-contained picture of one moment. It has no script, no style sheet and no font of its
//! own, and its title and description say in words what it shows.

mod card;
mod cells;
mod icons;
mod measures;
mod node_groups;
mod pen;
mod pods;
mod queue;
mod theme;

pub use pen::escaped;
pub use theme::Theme;

use cells::Cells;
use measures::Measures;
use node_groups::NodeGroups;
use pen::{Colors, Look, Pen, Type, document, number};
use pods::Shade;
use theme::Ink;

use crate::report::sentence;
use crate::scene::CARDS;
use crate::scene::chart::Rect;
use crate::scene::moment::Moment;
use crate::words;
use berth_protocol::frame::PodFrame;

/// Width and height of a small picture.
const SMALL: (f64, f64) = (200.0, 104.0);
/// Height of its strip for Pods that wait, and how many of them it shows.
const STRIP: f64 = 20.0;
const WAITING: usize = 8;
/// Minimum height of a row in a small picture.
const LEAST: f64 = 7.0;
/// Line height of the sentence.
const LINE: f64 = 19.0;

/// The stage at a moment, with its texts.
pub fn stage(moment: &Moment, theme: Theme) -> String {
    drawn(moment, theme, Measures::STAGE)
}

/// The stage in a text on paper, which has the title.
pub fn figure(moment: &Moment) -> String {
    drawn(moment, Theme::Light, Measures::PAPER)
}

fn drawn(moment: &Moment, theme: Theme, measures: Measures) -> String {
    let mut pen = Pen::new(Colors::Theme(theme));
    let room = Rect {
        x: measures.margin,
        y: 0.0,
        width: measures.width - 2.0 * measures.margin,
        height: 0.0,
    };
    let sentence = sentence(moment);
    let mut y = match measures.has_head {
        true => head(moment, &mut pen, room, sentence.as_deref()),
        false => 0.0,
    };
    let lanes = Rect {
        y,
        height: queue::HEIGHT,
        ..room
    };
    queue::draw(moment, &mut pen, lanes);
    y += queue::HEIGHT + measures.gap;
    let (height, nodes) = if moment.view.nodes.len() > CARDS {
        let cells = Cells::new(moment, room.width);
        cells.draw(moment, &mut pen, (room.x, y));
        (cells.height(), cells.in_words(moment))
    } else {
        let groups = NodeGroups::new(moment, measures);
        groups.draw(moment, &mut pen, y);
        (groups.height(), groups.in_words(moment))
    };
    y += height;
    y += key(moment, &mut pen, Rect { y, ..room });
    let size = (measures.width, y + measures.margin);
    let mut sheet = Pen::new(Colors::Theme(theme));
    let whole = Rect {
        x: 0.0,
        y: 0.0,
        width: size.0,
        height: size.1,
    };
    if measures.has_head {
        sheet.rect(whole, Look::filled(sheet.color(Ink::Paper)));
    }
    let shapes = sheet.end() + &pen.end();
    let description = sentence.into_iter().chain([nodes.join("; ")]);
    let description: Vec<String> = description.collect();
    document(size, &shapes, &title(moment), &description.join(" "))
}

/// A small picture without texts, in the classes of the page that it is part of. The node that decides is outlined.
pub fn thumbnail(moment: &Moment, decides: Option<&str>) -> String {
    let mut pen = Pen::new(Colors::Classes);
    waiting(moment, &mut pen);
    let mut groups = NodeGroups::new(moment, Measures::SMALL);
    groups.fit(SMALL.1 - STRIP - groups.measures.margin, LEAST);
    groups.draw(moment, &mut pen, STRIP);
    if let Some(rect) = decides.and_then(|node| groups.card_rect(node, STRIP)) {
        let look = Look::lined(pen.color(Ink::Accent)).class("art-decides");
        pen.rect(rect, look);
    }
    let height = (groups.height() + STRIP + groups.measures.margin).max(SMALL.1);
    format!(
        "<svg viewBox=\"0 0 {} {}\" aria-hidden=\"true\">{}</svg>",
        number(SMALL.0),
        number(height),
        pen.end()
    )
}

/// The scenario's title.
fn title(moment: &Moment) -> String {
    let title = &moment.view.head.title;
    if title.is_empty() {
        words::UNTITLED.to_owned()
    } else {
        title.clone()
    }
}

/// Title, moment and sentence; returns where what follows begins.
fn head(moment: &Moment, pen: &mut Pen, room: Rect, sentence: Option<&str>) -> f64 {
    let head = &moment.view.head;
    let right = room.x + room.width;
    let quiet = Type::new(12.0, pen.color(Ink::Text3)).ending();
    let place = match head.now_ms {
        Some(now_ms) => words::clock(now_ms),
        None => format!("{} / {}", head.position, head.log_length),
    };
    let release = Some(&head.release.minor)
        .filter(|minor| !minor.is_empty())
        .map(|minor| words::kubernetes(minor));
    let about: Vec<String> = release.into_iter().chain([place]).collect();
    let about = about.join(" · ");
    pen.text(right, 26.0, &about, quiet);
    let bold = Type::new(15.0, pen.color(Ink::Text)).bold();
    let title = bold.cut(&title(moment), room.width - quiet.width(&about) - 20.0);
    pen.text(room.x, 26.0, &title, bold);
    let mut y = 34.0;
    let kind = Type::new(13.0, pen.color(Ink::Text2));
    for line in kind.wrapped(sentence.unwrap_or_default(), room.width) {
        pen.text(room.x, y + 14.0, &line, kind);
        y += LINE;
    }
    y + 8.0
}

/// The owners and their colors; returns the height.
fn key(moment: &Moment, pen: &mut Pen, area: Rect) -> f64 {
    let kind = Type::new(11.0, pen.color(Ink::Text2));
    let (mut x, mut y) = (area.x, area.y + 10.0);
    let right = area.x + area.width;
    for (owner, flag) in moment.view.owners.legend() {
        let width = 20.0 + kind.width(owner);
        if x > area.x && x + width > right {
            (x, y) = (area.x, y + 18.0);
        }
        let block = Rect {
            x,
            y: y + 2.0,
            width: 14.0,
            height: 10.0,
        };
        pen.block(block, flag, Shade::Plain, None);
        pen.text(x + 20.0, y + 11.0, owner, kind);
        x += width + 14.0;
    }
    y + 14.0 - area.y
}

/// The Pods that wait, in order, each with the diamond of what waits.
fn waiting(moment: &Moment, pen: &mut Pen) {
    let waiting = moment.view.pods.iter().filter(|pod| pod.node.is_none());
    let waiting: Vec<&PodFrame> = waiting.take(WAITING).map(|pod| &**pod).collect();
    let mut x = 4.0;
    for pod in waiting {
        let block = Rect {
            x: x + 9.0,
            y: 3.0,
            width: 13.0,
            height: 11.0,
        };
        pen.block(block, moment.view.owners.flag(pod), Shade::Plain, None);
        let diamond = format!("M{} 5l3.5 3.5l-3.5 3.5l-3.5-3.5z", number(x + 4.0));
        pen.path(&diamond, Look::filled([0; 3]).class("art-wait"));
        x += 24.0;
    }
}
