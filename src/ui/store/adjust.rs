//! What concerns the page alone: what is open, chosen, focused, and how the stage is drawn.

use std::collections::BTreeSet;

use super::{Action, Arrange, Layout, Panel, Store};
use crate::ui::scene::CARDS;

impl Store {
    /// The page before anything happened, as its regions were arranged.
    pub fn arranged(layout: Layout) -> Self {
        Self {
            layout,
            ..Self::default()
        }
    }

    /// What concerns the page alone.
    pub(super) fn adjust(&mut self, action: Action) {
        match action {
            Action::Speed(speed) => self.speed = speed,
            Action::StepSize(size) => self.step = size,
            Action::GroupBy(key) => self.group_by = key,
            Action::Zoom(percent) => {
                self.zoom = Some(percent.clamp(1, 400));
                self.open = None;
                self.forget_zoom_if_whole();
            }
            Action::Fits(percent) => {
                self.fits = percent;
                self.forget_zoom_if_whole();
            }
            Action::Focus(node) => self.focus = Some(node),
            Action::OpenCard(card) => self.open = card,
            Action::Light(nodes) => {
                let nodes = nodes.into_iter();
                let names = nodes.filter_map(|node| self.view.name_at(node));
                let nodes = names.map(str::to_owned).collect();
                self.lit = if self.lit == nodes {
                    BTreeSet::new()
                } else {
                    nodes
                };
            }
            Action::Panel(panel) => self.panel = panel,
            Action::Arrange(arrange) => self.arrange(arrange),
            Action::Dismiss => self.notice = None,
            Action::Escape => {
                let was_open = self.dialog.take().is_some()
                    | self.notice.take().is_some()
                    | self.editing.take().is_some()
                    | self.open.take().is_some()
                    | std::mem::take(&mut self.adding);
                if !was_open {
                    self.panel = Panel::Stage;
                    self.cell = None;
                    self.found = None;
                    self.nodes.clear();
                    self.lit.clear();
                }
            }
            Action::EditNode(node) => {
                self.editing = node;
                self.adding = false;
            }
            Action::Adding(adding) => {
                self.adding = adding;
                self.editing = None;
            }
            Action::Scheduler(open) => self.scheduler.open = open,
            Action::Select { node, more } => self.select(node, more),
            Action::Exported => self.export = None,
            Action::Print(prints) => self.prints = prints,
            Action::Show(dialog) => self.dialog = dialog,
            Action::Examples(examples) => self.examples = examples,
            Action::OpenExample(_) => self.dialog = None,
            Action::Say(text) => self.notice = Some(text),
            Action::Cursor(line) => self.cursor = line,
            Action::EditorReady => self.editor_ready = true,
            Action::GoTo(line, column) => {
                self.aim(line, column);
                self.open_panel(Panel::Sources);
            }
            _ => {}
        }
    }

    fn arrange(&mut self, arrange: Arrange) {
        self.layout.arrange(arrange);
        if arrange == Arrange::Presentation && self.panel == Panel::Sources {
            // A drawer would lie over what is to be seen.
            self.panel = Panel::Stage;
        }
    }

    /// Shows a panel: over the stage where it has no room beside it, and unfolded where it has.
    pub(super) fn open_panel(&mut self, panel: Panel) {
        self.panel = panel;
        if self.layout.is_folded(panel) {
            self.layout.arrange(Arrange::Fold(panel));
        }
    }

    /// Who sees all cells goes on to see all of them, however many there are then.
    pub(super) fn forget_zoom_if_whole(&mut self) {
        let has_cells = self.view.nodes.len() > CARDS;
        self.zoom = self.zoom.filter(|zoom| !has_cells || *zoom > self.fits);
    }

    pub(super) fn select(&mut self, node: String, more: bool) {
        let was_chosen = self.nodes.contains(&node);
        let was_only = was_chosen && self.nodes.len() == 1;
        if !more {
            self.nodes.clear();
        }
        if more && was_chosen {
            self.nodes.remove(&node);
        } else if more || !was_only {
            self.nodes.insert(node);
        }
    }
}
