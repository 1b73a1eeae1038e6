//! The projected page in small, for pointing: where its panels, zones, nodes, Pods and lines of text are.

use borsh::{BorshDeserialize, BorshSerialize};
use web_sys::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement};

use crate::ui::parts::focus::found;

/// Maximum number of shapes: more are not distinguished.
const SHAPES: usize = 900;
/// Maximum characters of a shape's text.
const LETTERS: usize = 80;

/// Kinds of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Kind {
    Panel,
    Zone,
    Node,
    Pod,
    Line,
    /// A drawing: its text is the address of the picture.
    Picture,
}

/// A rectangle of the page; `x` and `width` are parts of the window's width, `y` and `height` of its height.
#[derive(Clone, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Shape {
    pub kind: Kind,
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
    pub text: String,
    /// The classes that give a Pod its owner's color and pattern.
    pub class: String,
}

/// The page in small.
#[derive(Clone, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Map {
    /// Width of the window divided by its height.
    pub aspect: f32,
    pub shapes: Vec<Shape>,
}

/// What is measured, by kind, in the order in which it is drawn.
const PARTS: [(Kind, &str); 6] = [
    (Kind::Panel, ".topbar, .panel, .timeline, .played"),
    (Kind::Zone, ".basin"),
    (Kind::Node, ".node"),
    (Kind::Pod, ".node .pod, .queue .pod"),
    (
        Kind::Line,
        ".explain :is(h2, h3, h4, p, th:not(.matrix__head th), .message), .sources :is(h2, li:not(:has(p)), p, .cm-line), .played :is(pre, p)",
    ),
    (Kind::Picture, ".stage canvas"),
];

/// Width and height of the window, in CSS pixels.
pub fn window_size() -> (f64, f64) {
    let window = gloo::utils::window();
    let (width, height) = (window.inner_width(), window.inner_height());
    let length = |value: Option<f64>| value.unwrap_or(1.0).max(1.0);
    (
        length(width.ok().and_then(|it| it.as_f64())),
        length(height.ok().and_then(|it| it.as_f64())),
    )
}

/// What scrolls within its own bounds.
const SCROLLED: &str = ".stage__body, .queue, .panel__body";

/// Measures the page.
pub fn measure() -> Map {
    let (width, height) = window_size();
    let root = gloo::utils::document_element();
    let parts = PARTS.iter().flat_map(|(kind, what)| {
        found(&root, what)
            .into_iter()
            .filter_map(|element| shape(*kind, &element, width, height))
    });
    Map {
        aspect: (width / height) as f32,
        shapes: parts.take(SHAPES).collect(),
    }
}

fn shape(kind: Kind, element: &Element, width: f64, height: f64) -> Option<Shape> {
    // What is folded has a place nevertheless.
    let folded = element.closest("details:not([open]) > :not(summary)");
    if folded.ok().flatten().is_some() {
        return None;
    }
    let place = element.get_bounding_client_rect();
    let (mut left, mut right) = (place.left().max(0.0), place.right().min(width));
    let (mut top, mut bottom) = (place.top().max(0.0), place.bottom().min(height));
    if let Ok(Some(around)) = element.closest(SCROLLED) {
        // Clip to the scroll container.
        let around = around.get_bounding_client_rect();
        (left, right) = (left.max(around.left()), right.min(around.right()));
        (top, bottom) = (top.max(around.top()), bottom.min(around.bottom()));
    }
    if right - left < 1.0 || bottom - top < 1.0 {
        return None;
    }
    let named = |name: &str| element.get_attribute(name).unwrap_or_default();
    let text = match kind {
        Kind::Panel | Kind::Zone => named("aria-label"),
        Kind::Node => named("data-node"),
        Kind::Pod => String::new(),
        Kind::Line => element.text_content().unwrap_or_default(),
        Kind::Picture => {
            let canvas = element.dyn_ref::<HtmlCanvasElement>()?;
            canvas.to_data_url_with_type("image/jpeg").ok()?
        }
    };
    let text = match kind {
        Kind::Picture => text,
        _ => text.chars().take(LETTERS).collect(),
    };
    let classes = element.class_name();
    let of_owner = classes
        .split_whitespace()
        .filter(|class| class.starts_with("o-") || class.starts_with("h-"));
    let of_owner: Vec<&str> = of_owner.collect();
    Some(Shape {
        kind,
        x: (left / width) as f32,
        y: (top / height) as f32,
        width: ((right - left) / width) as f32,
        height: ((bottom - top) / height) as f32,
        text,
        class: of_owner.join(" "),
    })
}
