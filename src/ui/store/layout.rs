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
    /// Applies a change.
    pub fn arrange(&mut self, arrange: Arrange) {
        match arrange {
            Arrange::Fold(panel) => {
                let folded = !self.is_folded(panel);
                let size = usize::from(self.presentation);
                if let Some(region) = self.region_mut(panel) {
                    region.folded[size] = Some(folded);
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

    /// Whether a panel is folded. In presentation size the manifests are folded by default.
    pub fn is_folded(&self, panel: Panel) -> bool {
        let by_itself = self.presentation && panel == Panel::Sources;
        let size = usize::from(self.presentation);
        let by_hand = self.region(panel).and_then(|region| region.folded[size]);
        by_hand.unwrap_or(by_itself && self.region(panel).is_some())
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
        assert!(!layout.is_folded(Panel::Sources) && !layout.is_folded(Panel::Explain));
        layout.arrange(Arrange::Presentation);
        assert!(layout.is_folded(Panel::Sources) && !layout.is_folded(Panel::Explain));
        layout.arrange(Arrange::Fold(Panel::Sources));
        assert!(!layout.is_folded(Panel::Sources));
        layout.arrange(Arrange::Presentation);
        layout.arrange(Arrange::Fold(Panel::Sources));
        assert!(layout.is_folded(Panel::Sources));
        layout.arrange(Arrange::Presentation);
        assert!(!layout.is_folded(Panel::Sources), "each size by itself");
    }

    #[test]
    fn a_panel_scales_with_the_page() {
        let mut layout = Layout::default();
        layout.arrange(Arrange::Widen(Panel::Explain, Some(400)));
        assert_eq!(layout.width(Panel::Explain), Some(400));
        layout.arrange(Arrange::Presentation);
        assert_eq!(layout.width(Panel::Explain), Some(500));
        layout.arrange(Arrange::Widen(Panel::Explain, Some(10)));
        assert_eq!(layout.width(Panel::Explain), Some(NARROWEST));
        layout.arrange(Arrange::Widen(Panel::Explain, None));
        assert_eq!(layout.width(Panel::Explain), None);
    }

    #[test]
    fn the_stage_does_not_fold() {
        let mut layout = Layout::default();
        layout.arrange(Arrange::Fold(Panel::Stage));
        layout.arrange(Arrange::Presentation);
        assert!(!layout.is_folded(Panel::Stage));
    }
}
