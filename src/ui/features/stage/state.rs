//! The stage: how it is drawn, which nodes are chosen, and the forms over it.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::shortcuts::Carried;
use crate::scene;
use crate::scene::CARDS;
use crate::ui::features::compare::Elsewhere;
use crate::ui::features::time::trip::Trip;
use crate::ui::store::view::View;
use crate::ui::store::{Effect, Store, ZONE};
use berth_protocol::command::{Command, Query};
use berth_protocol::drain::DrainPlan;
use berth_protocol::frame::NodeFrame;
use berth_protocol::gesture::Label;

/// More new nodes than these are drawn in several frames: a browser styles and lays out some thousand elements a frame.
const NEW_AT_ONCE: usize = 20;
/// Cards that become whole in one frame.
const WHOLE_A_FRAME: usize = 4;

/// A node's card beside its cell in the far view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCard {
    pub node: String,
    /// Its position in the stage's body, in CSS pixels.
    pub left: i32,
    pub top: i32,
}

/// A label or a taint of a node, as a chip on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chip {
    /// By its position among the node's taints.
    Taint(usize),
    /// By its key.
    Label(String),
}

/// The form of a chip, beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenChip {
    pub node: String,
    pub chip: Chip,
    /// Its position in the stage, in CSS pixels: from the left, and from the top or, `above` the chip, from the bottom.
    pub left: i32,
    pub from_edge: i32,
    pub above: bool,
}

impl OpenChip {
    /// Its identity among open chips.
    pub fn key(&self) -> String {
        match &self.chip {
            Chip::Taint(index) => format!("{} {index}", self.node),
            Chip::Label(key) => format!("{} {key}", self.node),
        }
    }
}

/// A device that is described on its node's card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenDevice {
    pub node: String,
    /// `DRIVER/POOL/DEVICE`.
    pub device: String,
}

/// An action on the stage.
#[derive(Clone, Debug, PartialEq)]
pub enum StageAction {
    GroupBy(String),
    /// Sets the zoom, in percent.
    Zoom(u32),
    /// The zoom at which the far view shows all nodes, in percent.
    Fits(u32),
    /// The keyboard focus is on this node.
    Focus(String),
    /// Opens the card of a node of the far view, or closes it.
    OpenCard(Option<OpenCard>),
    /// Chooses a node, or deselects it; `more`: keeps the others chosen.
    Select {
        node: String,
        more: bool,
    },
    /// Opens a node's form, or closes it.
    EditNode(Option<String>),
    /// Opens the form of a chip, or closes it.
    EditChip(Option<OpenChip>),
    /// Describes a device, or closes the description.
    ShowDevice(Option<Box<OpenDevice>>),
    /// Opens a node's form with what a drain would do.
    AskDrain(String),
    /// Drains the node as the plan says.
    DrainNow,
    /// Opens or closes the form that adds objects.
    Adding(bool),
    /// Adds a value of the grouping key; empty: the next free one.
    AddZone(String),
    /// The cards so far are drawn: draw more of them whole.
    DrawMore,
}

impl StageAction {
    /// See [`crate::ui::store::Manner`].
    pub fn ends_typing(&self) -> bool {
        match self {
            Self::Fits(_) | Self::DrawMore => false,
            Self::GroupBy(_)
            | Self::Zoom(_)
            | Self::Focus(_)
            | Self::OpenCard(_)
            | Self::Select { .. }
            | Self::EditNode(_)
            | Self::EditChip(_)
            | Self::ShowDevice(_)
            | Self::AskDrain(_)
            | Self::DrainNow
            | Self::Adding(_)
            | Self::AddZone(_) => true,
        }
    }
}

/// The state of the stage, apart from the frame that it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub group_by: String,
    /// The zoom in percent, if the user chose one.
    pub zoom: Option<u32>,
    /// The zoom at which the far view shows all nodes, as reported by the far view.
    pub fits: u32,
    /// The node with the keyboard focus.
    pub focus: Option<String>,
    /// The node of the far view whose card is open.
    pub card: Option<OpenCard>,
    pub chosen: BTreeSet<String>,
    /// Nodes carried by keyboard.
    pub carried: Option<Carried>,
    /// The focused node that was dropped, until the engine has moved it.
    pub(in crate::ui) moved: Option<Carried>,
    /// The node whose form is open.
    pub editing: Option<String>,
    /// The name that it is to get.
    pub(in crate::ui) renames: Option<String>,
    /// The chip whose form is open.
    pub chip: Option<OpenChip>,
    /// The device that is described.
    pub device: Option<Box<OpenDevice>>,
    /// What a drain of that node would do, once it was asked for.
    pub drain: Option<Rc<DrainPlan>>,
    /// The form that adds objects is open.
    pub adding: bool,
    /// Counts of accepted and refused additions; forms wait for a change of either.
    pub answers: (u32, u32),
    /// Why the last change was refused, if a form is open that says it.
    pub refusal: Option<String>,
    /// An addition awaits its answer.
    pub(in crate::ui) adds: bool,
    /// Added values of the grouping key that have no node yet.
    pub zones: Vec<String>,
    /// The last trip of a Pod.
    pub trip: Option<Trip>,
    /// The number of cards of each domain that are drawn whole; of the others, only the name is.
    pub whole: usize,
    /// What lies elsewhere in the other run of a comparison.
    pub elsewhere: Option<Rc<Elsewhere>>,
    /// Nodes that have come since the last whole moment.
    new_nodes: usize,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            group_by: ZONE.to_owned(),
            zoom: None,
            fits: 10,
            focus: None,
            card: None,
            chosen: BTreeSet::new(),
            carried: None,
            moved: None,
            editing: None,
            renames: None,
            chip: None,
            device: None,
            drain: None,
            adding: false,
            answers: (0, 0),
            refusal: None,
            adds: false,
            zones: Vec::new(),
            trip: None,
            whole: usize::MAX,
            elsewhere: None,
            new_nodes: 0,
        }
    }
}

impl Stage {
    /// Resets what belongs to the previous scenario.
    pub(in crate::ui) fn forget_scenario(&mut self) {
        self.zones.clear();
        self.chosen.clear();
        self.zoom = None;
        self.card = None;
    }

    /// Drops references to nodes that no longer exist.
    pub(in crate::ui) fn forget_missing_nodes(&mut self, view: &View) {
        let is_gone = |node: &String| view.node(node).is_none();
        if let Some(renamed) = self.renames.take_if(|name| !is_gone(name)) {
            self.editing = Some(renamed);
        }
        self.chosen.retain(|node| !is_gone(node));
        self.carried
            .take_if(|carried| carried.nodes.iter().any(is_gone));
        self.editing.take_if(|node| is_gone(node));
        self.chip.take_if(|open| is_gone(&open.node));
        self.device.take_if(|open| is_gone(&open.node));
    }

    /// Whether a form is open over the stage.
    pub fn has_form(&self) -> bool {
        self.editing.is_some() || self.chip.is_some() || self.adding
    }

    /// Closes the card and the forms; returns whether one was open.
    pub(in crate::ui) fn close_forms(&mut self) -> bool {
        self.refusal = None;
        self.editing.take().is_some()
            | self.chip.take().is_some()
            | self.card.take().is_some()
            | self.device.take().is_some()
            | std::mem::take(&mut self.adding)
    }

    pub(in crate::ui) fn select(&mut self, node: String, more: bool) {
        let was_chosen = self.chosen.contains(&node);
        let was_only = was_chosen && self.chosen.len() == 1;
        if !more {
            self.chosen.clear();
        }
        if more && was_chosen {
            self.chosen.remove(&node);
        } else if more || !was_only {
            self.chosen.insert(node);
        }
    }

    /// If the whole map is in view, keep it in view as nodes come and go.
    fn forget_zoom_if_whole(&mut self, nodes: usize) {
        let has_cells = nodes > CARDS;
        self.zoom = self.zoom.filter(|zoom| !has_cells || *zoom > self.fits);
    }
}

impl Store {
    pub(in crate::ui) fn on_stage(&mut self, action: StageAction) -> Vec<Effect> {
        let nodes = self.view.nodes.len();
        let stage = &mut self.stage;
        match action {
            StageAction::GroupBy(key) => stage.group_by = key,
            StageAction::Zoom(percent) => {
                stage.zoom = Some(scene::allowed_zoom(percent));
                stage.card = None;
                stage.forget_zoom_if_whole(nodes);
            }
            StageAction::Fits(percent) => {
                stage.fits = percent;
                stage.forget_zoom_if_whole(nodes);
            }
            StageAction::Focus(node) => stage.focus = Some(node),
            StageAction::OpenCard(card) => stage.card = card,
            StageAction::Select { node, more } => {
                stage.select(node.clone(), more);
                if self.lesson.frame.is_some() {
                    self.predict_node(&node);
                }
            }
            StageAction::ShowDevice(device) => stage.device = device,
            StageAction::AskDrain(node) => return self.ask_drain(node),
            StageAction::DrainNow => return self.drain_now(),
            StageAction::EditNode(node) => {
                stage.refusal = None;
                stage.editing = node;
                stage.chip = None;
                stage.drain = None;
                stage.adding = false;
            }
            StageAction::EditChip(chip) => {
                stage.refusal = None;
                if chip.is_some() {
                    stage.editing = None;
                    stage.adding = false;
                }
                stage.chip = chip;
            }
            StageAction::Adding(adding) => {
                stage.refusal = None;
                stage.adding = adding;
                stage.editing = None;
                stage.chip = None;
            }
            StageAction::DrawMore => return self.draw_more().into_iter().collect(),
            StageAction::AddZone(mut value) => {
                if value.is_empty() {
                    value = self.next_domain();
                }
                let key = self.stage.group_by.clone();
                let label = Label { key, value };
                return vec![Effect::Send(Command::Ask(Query::Check(label)))];
            }
        }
        Vec::new()
    }

    /// Groups nodes by another key if none of them has the label that they are grouped by. Call it when labels change.
    pub(in crate::ui) fn group_again(&mut self) {
        let (nodes, key) = (&self.view.nodes, &self.stage.group_by);
        if !nodes.is_empty() && !nodes.iter().any(|node| node.labels.contains_key(key)) {
            self.group_by_place();
        }
    }

    /// A first visit's nodes have zones.
    #[inline(never)]
    fn group_by_place(&mut self) {
        self.stage.group_by = self.view.domain_key().to_owned();
    }

    /// Counts the new nodes of a patch. Call it before the view takes the patch.
    pub(in crate::ui) fn count_new_nodes(&mut self, nodes: &[(usize, NodeFrame)]) {
        let is_new = |(_, node): &&(usize, NodeFrame)| self.view.node(&node.name).is_none();
        self.stage.new_nodes += nodes.iter().filter(is_new).count();
    }

    /// A whole moment is about to be drawn: if it has many new nodes, begins with their names.
    pub(in crate::ui) fn draw_first(&mut self) -> Option<Effect> {
        let new = std::mem::take(&mut self.stage.new_nodes);
        if new <= NEW_AT_ONCE || self.view.nodes.len() > CARDS {
            return None;
        }
        self.stage.whole = 0;
        Some(Effect::DrawMore)
    }

    fn draw_more(&mut self) -> Option<Effect> {
        let sizes = scene::node_groups(&self.view.nodes, &self.stage.group_by);
        let longest = sizes.iter().map(|group| group.nodes.len()).max();
        let more = WHOLE_A_FRAME.div_ceil(sizes.len().max(1));
        self.stage.whole = self.stage.whole.saturating_add(more);
        if self.stage.whole < longest.unwrap_or(0) {
            return Some(Effect::DrawMore);
        }
        self.stage.whole = usize::MAX;
        None
    }

    /// A free value of the grouping key to suggest: `zone-d` after `zone-c`.
    pub fn next_domain(&self) -> String {
        let key = self.stage.group_by.rsplit('/').next().unwrap_or_default();
        let taken = self.domains();
        ('a'..='z')
            .map(|letter| format!("{key}-{letter}"))
            .find(|name| !taken.contains(name))
            .unwrap_or_else(|| format!("{key}-{}", taken.len()))
    }

    /// Values of the grouping key: those of nodes, then the added ones.
    pub fn domains(&self) -> Vec<String> {
        let held: BTreeSet<&String> = self
            .view
            .nodes
            .iter()
            .filter_map(|node| node.labels.get(&self.stage.group_by))
            .collect();
        let added = self.stage.zones.iter().filter(|zone| !held.contains(zone));
        held.iter().copied().chain(added).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{StageAction, WHOLE_A_FRAME};
    use crate::ui::store::{Action, Effect, Store, ZONE};
    use berth_protocol::frame::NodeFrame;
    use berth_protocol::page::{Changed, Patch, Update};

    /// A moment with nodes in three zones.
    fn moment(nodes: usize) -> Action {
        labelled(ZONE, nodes)
    }

    /// A moment with nodes that have three values of a label.
    fn labelled(key: &str, nodes: usize) -> Action {
        let node = |number: usize| NodeFrame {
            name: format!("node-{number}"),
            labels: [(key.to_owned(), format!("value-{}", number % 3))].into(),
            ..NodeFrame::default()
        };
        let patch = Patch {
            nodes: Changed {
                length: nodes,
                items: (0..nodes).map(|number| (number, node(number))).collect(),
            },
            ..Patch::default()
        };
        Action::Update(Box::new(Update::Patch(Box::new(patch))))
    }

    #[test]
    fn nodes_are_grouped_by_a_label_that_they_have() {
        let mut store = Store::default();
        let key = |store: &Store| store.stage.group_by.clone();
        store.act(labelled("example.com/rack", 6));
        assert_eq!(key(&store), "example.com/rack", "no node has a zone");
        store.act(labelled("example.com/rack", 0));
        assert_eq!(key(&store), "example.com/rack", "there is no node");
        store.act(labelled("pool", 6));
        assert_eq!(key(&store), ZONE, "pool is no place");
        store.act(Action::Stage(StageAction::GroupBy("pool".into())));
        store.act(labelled("pool", 7));
        assert_eq!(key(&store), "pool", "as chosen");
        store.act(moment(6));
        assert_eq!(key(&store), ZONE);
    }

    #[test]
    fn many_new_cards_are_drawn_in_several_frames() {
        let mut store = Store::default();
        let more = |effects: &[Effect]| effects.contains(&Effect::DrawMore);
        assert!(!more(&store.act(moment(20))));
        assert_eq!(store.stage.whole, usize::MAX, "few nodes");
        assert!(more(&store.act(moment(100))));
        assert_eq!(store.stage.whole, 0);
        let mut frames = 1;
        while more(&store.act(Action::Stage(StageAction::DrawMore))) {
            frames += 1;
        }
        assert_eq!(store.stage.whole, usize::MAX);
        assert_eq!(frames, 34_usize.div_ceil(WHOLE_A_FRAME.div_ceil(3)));
        assert!(!more(&store.act(moment(100))), "none is new");
    }
}
