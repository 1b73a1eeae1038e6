//! Draws the far view on a canvas: chart and marks, in the theme's colors.

use std::rc::Rc;

use web_sys::{CanvasRenderingContext2d as Canvas, HtmlElement};

use super::node_tile;
use crate::scene::camera::Camera;
use crate::scene::chart::{Chart, Rect, Tank};
use crate::scene::marks::{FILL_STEPS, Outcome, Sums};
use crate::words;
use berth_protocol::frame::NodeFrame;

/// The theme's colors and fonts in canvas syntax.
#[derive(Clone, Debug, Default)]
pub(super) struct Palette {
    pub fill_steps: [String; FILL_STEPS],
    pub raised: String,
    water: String,
    pub deep: String,
    pub rule: String,
    pub ink: String,
    pub ink_2: String,
    ink_3: String,
    pub accent: String,
    pub feasible: String,
    pub rejected: String,
    waiting: String,
    bold: String,
    pub small: String,
}

impl Palette {
    /// Reads the colors through an element, because a canvas cannot resolve `light-dark()`.
    pub(super) fn read(probe: &HtmlElement) -> Option<Self> {
        let style = gloo::utils::window().get_computed_style(probe).ok()??;
        let color = |token: &str| {
            let _ = probe
                .style()
                .set_property("color", &format!("var(--{token})"));
            style.get_property_value("color").unwrap_or_default()
        };
        let family = style.get_property_value("font-family").ok()?;
        let size = style.get_property_value("font-size").ok()?;
        let size: f64 = size.trim_end_matches("px").parse().unwrap_or(13.0);
        Some(Self {
            fill_steps: std::array::from_fn(|depth| color(&format!("sound-{depth}"))),
            raised: color("paper-raised"),
            water: color("water"),
            deep: color("water-deep"),
            rule: color("rule-water"),
            ink: color("ink"),
            ink_2: color("ink-2"),
            ink_3: color("ink-3"),
            accent: color("accent"),
            feasible: color("feasible"),
            rejected: color("rejected"),
            waiting: color("waiting"),
            bold: format!("600 {}px {family}", size * 12.0 / 13.0),
            small: format!("400 {}px {family}", size * 11.0 / 13.0),
        })
    }
}

/// The texts of a group's head and foot, cached across frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Heading {
    name: String,
    count: String,
    /// The count alone, where the group is narrow.
    number: String,
    is_open: bool,
    /// Shares and their texts, for CPU, memory and Pods.
    shares: [(f64, String); 3],
    /// Numbers of nodes that are feasible, rejected and not examined (empty if 0), and the last number as
    /// text (empty if all nodes were examined).
    sums: Option<[String; 4]>,
}

impl Heading {
    pub(super) fn new(name: Option<&str>, key: &str, nodes: usize, sums: &Sums) -> Self {
        let judged = sums.feasible + sums.rejected + sums.not_examined;
        let unseen = match sums.not_examined {
            0 => String::new(),
            unseen => words::number(unseen),
        };
        Self {
            name: name.map_or_else(|| words::without(key), str::to_owned),
            count: words::nodes(nodes),
            number: words::number(nodes),
            is_open: name.is_none(),
            shares: sums.shares.map(|share| (share, format!("{share:.0} %"))),
            sums: (judged > 0).then(|| {
                [
                    words::number(sums.feasible),
                    words::number(sums.rejected),
                    unseen.clone(),
                    words::explain::unseen(&unseen),
                ]
            }),
        }
    }
}

/// The input of a frame.
pub(super) struct Picture<'a> {
    pub chart: &'a Chart,
    pub nodes: &'a [Rc<NodeFrame>],
    pub headings: &'a [Heading],
    /// Fullness per node, 0–5.
    pub depths: &'a [u8],
    pub outcomes: &'a [Outcome],
    pub lit: &'a [usize],
    pub selected: &'a [usize],
    /// The node below the pointer, or else the one with the keyboard focus.
    pub hovered: Option<usize>,
    pub camera: &'a Camera,
}

/// Draws a frame; `ratio`: device pixels per CSS pixel.
pub(super) fn paint(canvas: &Canvas, palette: &Palette, picture: &Picture, ratio: f64) {
    let camera = picture.camera;
    let _ = canvas.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    canvas.clear_rect(0.0, 0.0, camera.width, camera.height);
    let part = camera.part();
    let tanks = picture.chart.tanks.iter().zip(picture.headings);
    let seen: Vec<(&Tank, &Heading)> = tanks.filter(|(tank, _)| tank.rect.meets(&part)).collect();
    for (tank, heading) in &seen {
        group(canvas, palette, &camera.to_view(&tank.rect), heading);
    }
    let cells = Cells::of(picture, &seen);
    for (cells, color) in cells.by_depth.iter().zip(&palette.fill_steps) {
        canvas.set_fill_style_str(color);
        for cell in cells {
            canvas.fill_rect(cell.x, cell.y, cell.width, cell.height);
        }
    }
    for (cell, position) in &cells.plates {
        if let Some(node) = picture.nodes.get(*position) {
            let outcome = picture.outcomes.get(*position).copied().unwrap_or_default();
            node_tile::plate(canvas, palette, cell, node, outcome);
        }
    }
    cans(canvas, palette, &cells.rejected);
    if let Some(cell) = cells.chosen {
        ring(canvas, palette, &cell);
    }
    for (tank, heading) in &seen {
        foot(canvas, palette, &camera.to_view(&tank.rect), tank, heading);
        head(
            canvas,
            palette,
            &camera.to_view(&tank.rect),
            tank,
            heading,
            camera.scale,
        );
    }
    outline(canvas, picture, picture.lit, &palette.waiting, 1.5);
    outline(canvas, picture, picture.selected, &palette.accent, 2.0);
    let hovered = picture.hovered.as_slice();
    outline(canvas, picture, hovered, &palette.ink, 1.5);
}

/// The visible cells of a frame, by how they are drawn.
#[derive(Default)]
struct Cells {
    /// Grouped by color, so that the canvas changes its fill six times per frame instead of once per cell.
    by_depth: [Vec<Rect>; FILL_STEPS],
    rejected: Vec<Rect>,
    chosen: Option<Rect>,
    /// With the node's position.
    plates: Vec<(Rect, usize)>,
}

impl Cells {
    fn of(picture: &Picture, seen: &[(&Tank, &Heading)]) -> Self {
        let part = picture.camera.part();
        let mut cells = Self::default();
        for (tank, _) in seen {
            let places = picture.chart.seen(tank, &part);
            for (place, node) in tank
                .nodes
                .iter()
                .enumerate()
                .take(places.end)
                .skip(places.start)
            {
                let cell = picture.chart.cell_in(tank, place);
                if !cell.meets(&part) {
                    continue;
                }
                let mut cell = picture.camera.to_view(&cell);
                if cell.width >= node_tile::WIDTH {
                    cells.plates.push((cell, *node));
                    continue;
                }
                match picture.outcomes.get(*node) {
                    Some(Outcome::Rejected) => {
                        cells.rejected.push(cell);
                        continue;
                    }
                    Some(Outcome::Chosen) => cells.chosen = Some(cell),
                    Some(Outcome::NotExamined | Outcome::Foreign) => {
                        cell = inset(&cell, cell.width * 0.3)
                    }
                    _ => {}
                }
                let depth = picture.depths.get(*node).copied().unwrap_or_default();
                if let Some(bucket) = cells.by_depth.get_mut(usize::from(depth)) {
                    bucket.push(cell);
                }
            }
        }
        cells
    }
}

fn outline(canvas: &Canvas, picture: &Picture, nodes: &[usize], color: &str, line: f64) {
    canvas.set_stroke_style_str(color);
    canvas.set_line_width(line);
    for cell in nodes.iter().filter_map(|node| picture.chart.cell(*node)) {
        let cell = inset(&picture.camera.to_view(&cell), -line / 2.0);
        canvas.stroke_rect(cell.x, cell.y, cell.width, cell.height);
    }
}

pub(super) fn inset(rect: &Rect, by: f64) -> Rect {
    Rect {
        x: rect.x + by,
        y: rect.y + by,
        width: rect.width - 2.0 * by,
        height: rect.height - 2.0 * by,
    }
}

fn group(canvas: &Canvas, palette: &Palette, rect: &Rect, heading: &Heading) {
    let rect = inset(rect, 0.5);
    canvas.set_line_width(1.0);
    canvas.set_stroke_style_str(&palette.rule);
    if heading.is_open {
        let _ = canvas.set_line_dash(&js_sys::Array::of2(&4.into(), &3.into()));
    } else {
        canvas.set_fill_style_str(&palette.water);
        canvas.fill_rect(rect.x, rect.y, rect.width, rect.height);
    }
    canvas.stroke_rect(rect.x, rect.y, rect.width, rect.height);
    if heading.is_open {
        let _ = canvas.set_line_dash(&js_sys::Array::new());
    }
}

/// Draws rejected cells as red cans: a box with a cross, on a blank background so that the cell's color does not dull
/// them.
fn cans(canvas: &Canvas, palette: &Palette, cells: &[Rect]) {
    let Some(first) = cells.first() else {
        return;
    };
    canvas.set_fill_style_str(&palette.raised);
    for cell in cells {
        canvas.fill_rect(cell.x, cell.y, cell.width, cell.height);
    }
    canvas.set_stroke_style_str(&palette.rejected);
    canvas.set_line_width((first.width / 9.0).clamp(1.0, 2.0));
    canvas.begin_path();
    for cell in cells {
        let outer = inset(cell, cell.width * 0.1);
        canvas.rect(outer.x, outer.y, outer.width, outer.height);
        let inner = inset(cell, cell.width * 0.3);
        canvas.move_to(inner.x, inner.y);
        canvas.line_to(inner.x + inner.width, inner.y + inner.height);
        canvas.move_to(inner.x + inner.width, inner.y);
        canvas.line_to(inner.x, inner.y + inner.height);
    }
    canvas.stroke();
}

/// Draws the chosen node's ring and dot.
fn ring(canvas: &Canvas, palette: &Palette, cell: &Rect) {
    let (x, y) = cell.center();
    let radius = (cell.width / 2.0).clamp(5.0, 16.0);
    let circle = |radius: f64| {
        canvas.begin_path();
        let _ = canvas.arc(x, y, radius, 0.0, std::f64::consts::TAU);
    };
    canvas.set_fill_style_str(&palette.raised);
    circle(radius + 1.5);
    canvas.fill();
    canvas.set_stroke_style_str(&palette.accent);
    canvas.set_line_width(2.0);
    circle(radius);
    canvas.stroke();
    canvas.set_fill_style_str(&palette.accent);
    circle(radius * 0.4);
    canvas.fill();
}

/// Draws name, count and bars; they are not scaled, and stay in view while their group is.
fn head(
    canvas: &Canvas,
    palette: &Palette,
    rect: &Rect,
    tank: &Tank,
    heading: &Heading,
    scale: f64,
) {
    let (x, y) = (rect.x.max(0.0) + 10.0, rect.y.max(0.0));
    let right = rect.x + rect.width - 10.0;
    canvas.save();
    canvas.begin_path();
    canvas.rect(rect.x, rect.y, rect.width, rect.height);
    canvas.clip();
    if rect.y < 0.0 {
        // Cells have scrolled below the name.
        canvas.set_fill_style_str(&palette.water);
        canvas.fill_rect(rect.x + 1.0, 0.0, rect.width - 2.0, 24.0);
    }
    canvas.set_fill_style_str(&palette.ink);
    canvas.set_font(&palette.bold);
    let _ = canvas.fill_text(&heading.name, x, y + 17.0);
    let after = canvas
        .measure_text(&heading.name)
        .map_or(0.0, |text| text.width());
    canvas.set_font(&palette.small);
    if tank.is_roomy {
        canvas.set_fill_style_str(&palette.ink_3);
        let from = x + after + 6.0;
        let width = canvas
            .measure_text(&heading.count)
            .map_or(0.0, |text| text.width());
        let count = if from + width <= right {
            &heading.count
        } else {
            &heading.number
        };
        let _ = canvas.fill_text(count, from, y + 17.0);
        let cells = rect.y + (tank.top - tank.rect.y) * scale;
        if cells >= y + 65.0 {
            bars(canvas, palette, (x, right), y + 26.0, heading);
        }
    }
    canvas.restore();
}

fn bars(
    canvas: &Canvas,
    palette: &Palette,
    (left, right): (f64, f64),
    top: f64,
    heading: &Heading,
) {
    let width = (right - left - 74.0).clamp(10.0, 320.0);
    let names = ["cpu", words::MEMORY.get(), "pods"];
    for (row, (name, (share, text))) in (0_i32..).zip(names.iter().zip(&heading.shares)) {
        let y = top + f64::from(row) * 13.0;
        canvas.set_fill_style_str(&palette.ink_3);
        let _ = canvas.fill_text(name, left, y + 9.0);
        canvas.set_fill_style_str(&palette.deep);
        canvas.fill_rect(left + 32.0, y + 4.0, width, 4.0);
        canvas.set_fill_style_str(&palette.ink_2);
        canvas.fill_rect(left + 32.0, y + 4.0, width * share / 100.0, 4.0);
        canvas.set_fill_style_str(&palette.ink);
        let _ = canvas.fill_text(text, left + 32.0 + width + 8.0, y + 9.0);
    }
}

/// Draws the numbers of nodes that are feasible, rejected and not examined.
fn foot(canvas: &Canvas, palette: &Palette, rect: &Rect, tank: &Tank, heading: &Heading) {
    let sums = heading.sums.as_ref().filter(|_| tank.is_roomy);
    let Some([feasible, rejected, unseen, in_words]) = sums else {
        return;
    };
    let y = rect.y + rect.height - 10.0;
    let mut x = rect.x.max(0.0) + 10.0;
    canvas.save();
    canvas.begin_path();
    canvas.rect(rect.x, rect.y, rect.width, rect.height);
    canvas.clip();
    canvas.set_font(&palette.small);
    let gap = if rect.width < 140.0 { 18.0 } else { 24.0 };
    let width = |text: &str| gap + canvas.measure_text(text).map_or(0.0, |text| text.width());
    let right = x + width(feasible) + width(rejected) + width(in_words);
    let has_room = right <= rect.x + rect.width;
    let mut say = |text: &str, mark: &dyn Fn(f64)| {
        mark(x);
        canvas.set_fill_style_str(&palette.ink_2);
        let _ = canvas.fill_text(text, x + 14.0, y);
        x += width(text);
    };
    say(feasible, &|x| {
        canvas.set_fill_style_str(&palette.feasible);
        canvas.begin_path();
        canvas.move_to(x + 5.0, y - 9.0);
        canvas.line_to(x + 10.0, y);
        canvas.line_to(x, y);
        canvas.fill();
    });
    say(rejected, &|x| {
        canvas.set_stroke_style_str(&palette.rejected);
        canvas.set_line_width(1.25);
        canvas.stroke_rect(x + 1.0, y - 8.5, 8.0, 8.0);
    });
    if !unseen.is_empty() {
        say(if has_room { in_words } else { unseen }, &|x| {
            if let Some(color) = palette.fill_steps.get(3) {
                canvas.set_fill_style_str(color);
            }
            canvas.fill_rect(x + 3.0, y - 6.5, 4.0, 4.0);
        });
    }
    canvas.restore();
}
