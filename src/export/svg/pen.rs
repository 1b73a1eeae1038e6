//! Writes SVG: shapes and texts with presentation attributes, which need neither a style sheet nor a script.

use std::fmt::Write as _;

use super::icons;
use super::theme::{Color, Ink, Theme, hex};
use crate::scene::chart::Rect;
use crate::scene::label;

/// Font families that every system has.
const SANS: &str = "system-ui, sans-serif";
const MONO: &str = "ui-monospace, monospace";
/// The width of a fixed-pitch letter in em.
const MONO_WIDTH: f64 = 0.61;

/// The colors of a picture: those of a theme, or those of the page that it is part of, by classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    Theme(Theme),
    /// The classes `art-*` of `www/berth.css`.
    Classes,
}

/// The style of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub fill: Option<Color>,
    pub stroke: Option<Color>,
    pub width: f64,
    pub dashes: Option<&'static str>,
    pub radius: f64,
    /// The class in a picture with [`Colors::Classes`].
    pub class: &'static str,
}

impl Look {
    pub fn filled(color: Color) -> Self {
        Self {
            fill: Some(color),
            stroke: None,
            width: 1.0,
            dashes: None,
            radius: 0.0,
            class: "",
        }
    }

    pub fn lined(color: Color) -> Self {
        Self {
            fill: None,
            stroke: Some(color),
            ..Self::filled(color)
        }
    }

    pub fn edge(self, color: Color, width: f64) -> Self {
        Self {
            stroke: Some(color),
            width,
            ..self
        }
    }

    pub fn round(self, radius: f64) -> Self {
        Self { radius, ..self }
    }

    pub fn dashed(self, dashes: Option<&'static str>) -> Self {
        Self { dashes, ..self }
    }

    pub fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }
}

/// The style of a text.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    pub size: f64,
    pub color: Color,
    pub is_bold: bool,
    pub is_mono: bool,
    pub ends: bool,
}

impl Type {
    pub fn new(size: f64, color: Color) -> Self {
        Self {
            size,
            color,
            is_bold: false,
            is_mono: false,
            ends: false,
        }
    }

    pub fn bold(self) -> Self {
        Self {
            is_bold: true,
            ..self
        }
    }

    pub fn mono(self) -> Self {
        Self {
            is_mono: true,
            ..self
        }
    }

    /// The given place is the text's end.
    pub fn ending(self) -> Self {
        Self { ends: true, ..self }
    }

    /// The estimated width of a text in pixels.
    pub fn width(self, text: &str) -> f64 {
        if self.is_mono {
            return text.chars().count() as f64 * MONO_WIDTH * self.size;
        }
        // The estimate is in rem, for letters of 11 pixels.
        let letters = label::width(text) * 16.0 * self.size / 11.0;
        if self.is_bold {
            letters * 1.06
        } else {
            letters
        }
    }

    /// The text, cut with an ellipsis if it is wider than that.
    pub fn cut(self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let ends = text.char_indices().rev().map(|(end, _)| end);
        let mut cuts =
            ends.map(|end| format!("{}…", text.get(..end).unwrap_or_default().trim_end()));
        cuts.find(|cut| self.width(cut) <= width)
            .unwrap_or_default()
    }

    /// The text in lines of at most that width; words that are wider get a line of their own.
    pub fn wrapped(self, text: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let longer = lines.last().map(|line| format!("{line} {word}"));
            match (longer, lines.last_mut()) {
                (Some(longer), Some(last)) if self.width(&longer) <= width => *last = longer,
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }
}

/// The picture as far as it is drawn.
pub struct Pen {
    svg: String,
    pub colors: Colors,
}

impl Pen {
    pub fn new(colors: Colors) -> Self {
        Self {
            svg: String::new(),
            colors,
        }
    }

    /// The shapes.
    pub fn end(self) -> String {
        self.svg
    }

    pub fn theme(&self) -> Theme {
        match self.colors {
            Colors::Theme(theme) => theme,
            Colors::Classes => Theme::default(),
        }
    }

    pub fn color(&self, ink: Ink) -> Color {
        self.theme().color(ink)
    }

    pub fn rect(&mut self, rect: Rect, look: Look) {
        let Rect {
            x,
            y,
            width,
            height,
        } = rect;
        let place = [
            ("x", x),
            ("y", y),
            ("width", width.max(0.0)),
            ("height", height.max(0.0)),
        ];
        self.svg.push_str("<rect");
        for (name, value) in place {
            let _ = write!(self.svg, " {name}=\"{}\"", number(value));
        }
        if look.radius > 0.0 {
            let _ = write!(self.svg, " rx=\"{}\"", number(look.radius));
        }
        self.paint(look);
    }

    /// A path; `d`: its commands.
    pub fn path(&mut self, d: &str, look: Look) {
        let _ = write!(self.svg, "<path d=\"{d}\"");
        self.paint(look);
    }

    fn paint(&mut self, look: Look) {
        if self.colors == Colors::Classes {
            let _ = write!(self.svg, " class=\"{}\"", look.class);
        } else {
            let fill = look.fill.map_or_else(|| "none".to_owned(), hex);
            let _ = write!(self.svg, " fill=\"{fill}\"");
            if let Some(stroke) = look.stroke {
                let _ = write!(self.svg, " stroke=\"{}\"", hex(stroke));
                if look.width != 1.0 {
                    let _ = write!(self.svg, " stroke-width=\"{}\"", number(look.width));
                }
            }
        }
        if let Some(dashes) = look.dashes {
            let _ = write!(self.svg, " stroke-dasharray=\"{dashes}\"");
        }
        self.svg.push_str("/>");
    }

    /// A line of text; `y`: its baseline.
    pub fn text(&mut self, x: f64, y: f64, text: &str, kind: Type) {
        if text.is_empty() {
            return;
        }
        let _ = write!(
            self.svg,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"",
            number(x),
            number(y),
            number(kind.size),
            hex(kind.color)
        );
        if kind.is_bold {
            self.svg.push_str(" font-weight=\"600\"");
        }
        if kind.is_mono {
            let _ = write!(self.svg, " font-family=\"{MONO}\"");
        }
        if kind.ends {
            self.svg.push_str(" text-anchor=\"end\"");
        }
        let _ = write!(self.svg, ">{}</text>", escaped(text));
    }

    /// A small text of two colors that ends at `x`.
    pub fn two_colors(&mut self, x: f64, y: f64, parts: [(&str, Color); 2]) {
        let [x, y] = [x, y].map(number);
        let _ = write!(
            self.svg,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"11\" text-anchor=\"end\" xml:space=\"preserve\">"
        );
        for (text, color) in parts {
            let (color, text) = (hex(color), escaped(text));
            let _ = write!(self.svg, "<tspan fill=\"{color}\">{text}</tspan>");
        }
        self.svg.push_str("</text>");
    }

    /// An icon of that size.
    pub fn icon(&mut self, name: &str, [x, y, size]: [f64; 3], color: Color, knock: Color) {
        let content = icons::content(name, &hex(color), &hex(knock));
        let scale = size / 16.0;
        let _ = write!(
            self.svg,
            "<g transform=\"translate({} {}) scale({})\">{content}</g>",
            number(x),
            number(y),
            number(scale)
        );
    }

    /// Diagonal lines over an area; `gap`: their horizontal distance.
    pub fn hatch(&mut self, rect: Rect, gap: f64, look: Look) {
        let mut d = String::new();
        // Each line leads from the lower edge to the upper right.
        let mut from = rect.x - rect.height + gap;
        while from < rect.x + rect.width {
            let start = from.max(rect.x);
            let end = (from + rect.height).min(rect.x + rect.width);
            let (low, high) = (
                rect.y + rect.height - (start - from),
                rect.y + rect.height - (end - from),
            );
            let [start, low, end, high] = [start, low, end, high].map(number);
            let _ = write!(d, "M{start} {low}L{end} {high}");
            from += gap;
        }
        self.path(&d, look);
    }
}

/// The whole picture, `title` and `description` for screen readers.
pub fn document(size: (f64, f64), shapes: &str, title: &str, description: &str) -> String {
    let (width, height) = (number(size.0), number(size.1));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{SANS}\"><title>{}</title><desc>{}</desc>{shapes}</svg>\n",
        escaped(title),
        escaped(description)
    )
}

/// With at most two decimals.
pub fn number(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    // Not `-0`.
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// Text as XML; characters that XML forbids become a replacement character.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(letter),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Type, escaped, number};

    #[test]
    fn numbers_are_short_and_texts_are_xml() {
        assert_eq!(number(1.0 / 3.0), "0.33");
        assert_eq!(number(-0.001), "0");
        assert_eq!(
            escaped("<a & \"b\">\u{1}"),
            "&lt;a &amp; &quot;b&quot;&gt;\u{fffd}"
        );
    }

    #[test]
    fn a_text_is_cut_and_wrapped_at_its_width() {
        let kind = Type::new(11.0, [0, 0, 0]);
        let whole = "report waits: 5 nodes have too little cpu left";
        assert_eq!(kind.cut(whole, 1000.0), whole);
        let cut = kind.cut(whole, 80.0);
        assert!(cut.ends_with('…') && kind.width(&cut) <= 80.0, "{cut}");
        let lines = kind.wrapped(whole, 120.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| kind.width(line) <= 120.0));
        assert_eq!(lines.join(" "), whole);
    }
}
