//! How the page's regions share the window: which are folded, how wide the panels are, and the scale.

use borsh::{BorshDeserialize, BorshSerialize};

use super::Panel;

/// Minimum width of a panel, in CSS pixels: a narrower one is not legible.
pub const NARROWEST: u32 = 200;
/// Maximum width of a panel, in CSS pixels: wider than any screen.
pub const WIDEST: u32 = 4000;
/// Scale of presentation size; keep in sync with `berth.css`.
const LARGER_PERCENT: u32 = 125;

/// The layout chosen by the user. It is stored between visits, independently of the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Layout {
    /// Presentation size: everything is larger, for projection in a room.
    pub presentation: bool,
    sources: Region,
    explain: Region,
    /// The timeline is folded to its bar.
    pub ruler_folded: bool,
}

/// A panel beside the stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
struct Region {
    /// Folded or unfolded by the user: at the usual size, and in presentation size.
    folded: [Option<bool>; 2],
    /// In CSS pixels at the usual size; `None`: the style sheet's width.
    width: Option<u32>,
}

/// A change of the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrange {
    /// Folds or unfolds a panel; the stage does not fold.
    Fold(Panel),
    /// Sets a panel's width in CSS pixels of the current scale; `None`: the default width.
    Widen(Panel, Option<u32>),
    FoldRuler,
    Presentation,
}

impl Layout {
    /// Applies a change. `has_lesson`: a lesson is beside the stage.
    pub fn arrange(&mut self, arrange: Arrange, has_lesson: bool) {
        match arrange {
            Arrange::Fold(panel) => {
                let folded = !self.is_folded(panel, has_lesson);
                let by_default = self.folds_by_default(panel, has_lesson);
                let size = usize::from(self.presentation);
                if let Some(region) = self.region_mut(panel) {
                    region.folded[size] = Some(folded).filter(|folded| *folded != by_default);
                }
            }
            Arrange::Widen(panel, pixels) => {
                let percent = self.percent();
                if let Some(region) = self.region_mut(panel) {
                    let usual = |pixels: u32| pixels.clamp(NARROWEST, WIDEST) * 100 / percent;
                    region.width = pixels.map(usual);
                }
            }
            Arrange::FoldRuler => self.ruler_folded = !self.ruler_folded,
            Arrange::Presentation => self.presentation = !self.presentation,
        }
    }

    /// Whether a panel is folded. `has_lesson`: as in [`Self::arrange`].
    pub fn is_folded(&self, panel: Panel, has_lesson: bool) -> bool {
        let size = usize::from(self.presentation);
        let by_hand = self.region(panel).and_then(|region| region.folded[size]);
        by_hand.unwrap_or_else(|| self.folds_by_default(panel, has_lesson))
    }

    /// Presentation size folds the manifests: the room reads the stage. It also reads the task of a lesson.
    fn folds_by_default(&self, panel: Panel, has_lesson: bool) -> bool {
        self.presentation && panel == Panel::Sources && !has_lesson
    }

    /// The chosen width of a panel, in CSS pixels of the current scale.
    pub fn width(&self, panel: Panel) -> Option<u32> {
        let width = self.region(panel)?.width?;
        Some(width * self.percent() / 100)
    }

    fn percent(&self) -> u32 {
        if self.presentation {
            LARGER_PERCENT
        } else {
            100
        }
    }

    fn region(&self, panel: Panel) -> Option<&Region> {
        match panel {
            Panel::Sources => Some(&self.sources),
            Panel::Stage => None,
            Panel::Explain => Some(&self.explain),
        }
    }

    fn region_mut(&mut self, panel: Panel) -> Option<&mut Region> {
        match panel {
            Panel::Sources => Some(&mut self.sources),
            Panel::Stage => None,
            Panel::Explain => Some(&mut self.explain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presentation_size_folds_the_manifests_by_default() {
        let mut layout = Layout::default();
        let is_folded = |layout: &Layout, panel| layout.is_folded(panel, false);
        assert!(!is_folded(&layout, Panel::Sources) && !is_folded(&layout, Panel::Explain));
        layout.arrange(Arrange::Presentation, false);
        assert!(is_folded(&layout, Panel::Sources) && !is_folded(&layout, Panel::Explain));
        layout.arrange(Arrange::Fold(Panel::Sources), false);
        assert!(!is_folded(&layout, Panel::Sources));
        layout.arrange(Arrange::Presentation, false);
        layout.arrange(Arrange::Fold(Panel::Sources), false);
        assert!(is_folded(&layout, Panel::Sources));
        layout.arrange(Arrange::Presentation, false);
        assert!(
            !is_folded(&layout, Panel::Sources),
            "each size has its own state"
        );
    }

    #[test]
    fn presentation_size_keeps_a_lesson_unfolded() {
        let mut layout = Layout::default();
        layout.arrange(Arrange::Presentation, true);
        assert!(!layout.is_folded(Panel::Sources, true));
        assert!(
            layout.is_folded(Panel::Sources, false),
            "the lesson was left"
        );
        layout.arrange(Arrange::Fold(Panel::Sources), true);
        assert!(layout.is_folded(Panel::Sources, true), "folded by hand");
        layout.arrange(Arrange::Fold(Panel::Sources), true);
        assert!(
            layout.is_folded(Panel::Sources, false),
            "unfolding it again chose nothing"
        );
        // Manifests that were shown to the room and folded again do not hide the next lesson.
        for _ in 0..2 {
            layout.arrange(Arrange::Fold(Panel::Sources), false);
        }
        assert!(!layout.is_folded(Panel::Sources, true));
    }

    #[test]
    fn a_panel_scales_with_the_page() {
        let mut layout = Layout::default();
        layout.arrange(Arrange::Widen(Panel::Explain, Some(400)), false);
        assert_eq!(layout.width(Panel::Explain), Some(400));
        layout.arrange(Arrange::Presentation, false);
        assert_eq!(layout.width(Panel::Explain), Some(500));
        layout.arrange(Arrange::Widen(Panel::Explain, Some(10)), false);
        assert_eq!(layout.width(Panel::Explain), Some(NARROWEST));
        layout.arrange(Arrange::Widen(Panel::Explain, None), false);
        assert_eq!(layout.width(Panel::Explain), None);
    }

    #[test]
    fn the_stage_does_not_fold() {
        let mut layout = Layout::default();
        layout.arrange(Arrange::Fold(Panel::Stage), false);
        layout.arrange(Arrange::Presentation, false);
        assert!(!layout.is_folded(Panel::Stage, false));
    }
}
