//! The lengths of a picture in pixels.

/// The lengths that a kind of picture has.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    pub width: f64,
    /// Between the picture's edge and what it shows.
    pub margin: f64,
    /// Between groups, and between cards.
    pub gap: f64,
    pub group_pad: f64,
    /// Height of a group's name.
    pub group_head: f64,
    /// Minimum width of a group if there are more than three.
    pub group_width: f64,
    pub card_pad: f64,
    /// Minimum width of a card.
    pub card_width: f64,
    /// Between the lines of a card.
    pub line_gap: f64,
    pub head: f64,
    /// Height of the chips; 0 if no node has any.
    pub chips: f64,
    pub meter: f64,
    /// Height of the most meters that a node has.
    pub meters: f64,
    pub verdict: f64,
    /// Height of a row of Pods.
    pub row: f64,
    /// Small pictures have none.
    pub has_text: bool,
    /// Title, moment and sentence above the stage, on paper of its own color.
    pub has_head: bool,
}

impl Measures {
    /// The stage with its texts.
    pub const STAGE: Self = Self {
        width: 960.0,
        margin: 12.0,
        gap: 8.0,
        group_pad: 6.0,
        group_head: 26.0,
        group_width: 208.0,
        card_pad: 8.0,
        card_width: 176.0,
        line_gap: 5.0,
        head: 18.0,
        chips: 18.0,
        meter: 13.0,
        meters: 0.0,
        verdict: 16.0,
        row: 22.0,
        has_text: true,
        has_head: true,
    };

    /// A figure on paper, which is narrower than a screen.
    pub const PAPER: Self = Self {
        width: 760.0,
        margin: 0.0,
        has_head: false,
        ..Self::STAGE
    };

    /// A small picture for the gallery.
    pub const SMALL: Self = Self {
        width: 200.0,
        margin: 2.0,
        gap: 4.0,
        group_pad: 3.0,
        group_head: 0.0,
        group_width: 32.0,
        card_pad: 0.0,
        card_width: 56.0,
        line_gap: 0.0,
        head: 0.0,
        chips: 0.0,
        meter: 0.0,
        meters: 0.0,
        verdict: 0.0,
        row: 12.0,
        has_text: false,
        has_head: false,
    };

    /// Height of a card with that many rows of Pods.
    pub fn card(&self, rows: f64) -> f64 {
        let text = if self.has_text {
            let chips = if self.chips > 0.0 {
                self.chips + self.line_gap
            } else {
                0.0
            };
            // The edge of the Pod area, and what protrudes below it.
            let edge = 4.0;
            self.head + self.meters + self.verdict + 3.0 * self.line_gap + chips + edge
        } else {
            0.0
        };
        2.0 * self.card_pad + text + rows * self.row
    }
}
