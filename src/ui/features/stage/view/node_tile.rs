//! A large cell of the far view: the node's name, its requested resources, and the verdict.

use web_sys::CanvasRenderingContext2d as Canvas;

use super::paint::{Palette, inset};
use crate::scene::chart::Rect;
use crate::scene::marks;
use crate::scene::marks::Outcome;
use berth_protocol::frame::NodeFrame;

/// Minimum width of a plate in CSS pixels; narrower cells have only a color.
pub(super) const WIDTH: f64 = 56.0;
/// Width of the band whose color shows how full the node is, like a cell's color.
const BAND: f64 = 4.0;
/// Bars for CPU, memory and Pods.
const BARS: usize = 3;

/// Draws a plate.
pub(super) fn plate(
    canvas: &Canvas,
    palette: &Palette,
    cell: &Rect,
    node: &NodeFrame,
    outcome: Outcome,
) {
    let (edge, line) = match outcome {
        Outcome::Chosen => (&palette.accent, 2.0),
        Outcome::Rejected => (&palette.rejected, 1.0),
        _ => (&palette.rule, 1.0),
    };
    let is_faint = matches!(outcome, Outcome::NotExamined | Outcome::Foreign);
    canvas.set_global_alpha(if is_faint { 0.5 } else { 1.0 });
    canvas.set_fill_style_str(&palette.raised);
    canvas.fill_rect(cell.x, cell.y, cell.width, cell.height);
    if let Some(color) = palette
        .fill_steps
        .get(marks::fill_step(marks::fullness(node)))
    {
        canvas.set_fill_style_str(color);
        canvas.fill_rect(cell.x, cell.y, BAND, cell.height);
    }
    canvas.set_stroke_style_str(edge);
    canvas.set_line_width(line);
    let frame = inset(cell, line / 2.0);
    canvas.stroke_rect(frame.x, frame.y, frame.width, frame.height);
    let left = cell.x + BAND + 5.0;
    let width = cell.x + cell.width - 5.0 - left;
    canvas.set_fill_style_str(&palette.ink);
    canvas.set_font(&palette.small);
    let _ = canvas.fill_text(&shortened(canvas, &node.name, width), left, cell.y + 14.0);
    let mut top = cell.y + 21.0;
    for row in node
        .resources
        .iter()
        .filter(|row| row.name != "ephemeral-storage")
        .take(BARS)
    {
        canvas.set_fill_style_str(&palette.deep);
        canvas.fill_rect(left, top, width, 3.0);
        canvas.set_fill_style_str(&palette.ink_2);
        let share = marks::share(row.requested, row.allocatable);
        canvas.fill_rect(left, top, width * share / 100.0, 3.0);
        top += 6.0;
    }
    verdict(canvas, palette, outcome, cell);
    canvas.set_global_alpha(1.0);
}

/// The end of a name that is too long, since names differ most at their end.
fn shortened(canvas: &Canvas, name: &str, width: f64) -> String {
    let fits = |text: &str| {
        canvas
            .measure_text(text)
            .is_ok_and(|text| text.width() <= width)
    };
    if fits(name) {
        return name.to_owned();
    }
    let mut ends = name
        .char_indices()
        .skip(1)
        .map(|(at, _)| name.get(at..).unwrap_or_default())
        .map(|end| format!("…{end}"));
    ends.find(|end| fits(end)).unwrap_or_default()
}

/// The icon in the lower right corner.
fn verdict(canvas: &Canvas, palette: &Palette, outcome: Outcome, cell: &Rect) {
    let (x, y) = (cell.x + cell.width - 15.0, cell.y + cell.height - 14.0);
    match outcome {
        Outcome::Feasible => {
            canvas.set_fill_style_str(&palette.feasible);
            canvas.begin_path();
            canvas.move_to(x + 5.0, y);
            canvas.line_to(x + 10.0, y + 9.0);
            canvas.line_to(x, y + 9.0);
            canvas.fill();
        }
        Outcome::Rejected => {
            canvas.set_fill_style_str(&palette.rejected);
            canvas.fill_rect(x, y, 9.0, 9.0);
            canvas.set_stroke_style_str(&palette.raised);
            canvas.set_line_width(1.25);
            canvas.begin_path();
            for (from, to) in [((2.0, 2.0), (7.0, 7.0)), ((7.0, 2.0), (2.0, 7.0))] {
                canvas.move_to(x + from.0, y + from.1);
                canvas.line_to(x + to.0, y + to.1);
            }
            canvas.stroke();
        }
        Outcome::Chosen => {
            canvas.set_stroke_style_str(&palette.accent);
            canvas.set_fill_style_str(&palette.accent);
            canvas.set_line_width(1.5);
            for (radius, filled) in [(4.5, false), (1.8, true)] {
                canvas.begin_path();
                let _ = canvas.arc(x + 4.5, y + 4.5, radius, 0.0, std::f64::consts::TAU);
                if filled {
                    canvas.fill();
                } else {
                    canvas.stroke();
                }
            }
        }
        Outcome::Unknown | Outcome::NotExamined | Outcome::Foreign => {}
    }
}
