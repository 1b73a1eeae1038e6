//! The stage as plain geometry: grouping, layout and hit-testing, without DOM.

pub mod camera;
pub mod chart;
pub mod chips;
pub mod device_matrix;
pub mod docks;
pub mod label;
pub mod marks;
pub mod meter;
pub mod moment;
pub mod node_pods;
pub mod outcomes;
pub mod owner;
pub mod piles;
pub mod pod_layout;
pub mod progress;
pub mod queue;
pub mod rows;
pub mod ruler;
pub mod still;
#[cfg(test)]
pub mod testing;
pub mod turns;
pub mod view;

use std::collections::BTreeMap;
use std::rc::Rc;

use self::chart::Rect;
use berth_protocol::frame::NodeFrame;

/// The topology key by which the stage groups nodes by default.
pub const ZONE: &str = "topology.kubernetes.io/zone";
/// With more nodes than this, nodes are drawn as cells.
pub const CARDS: usize = 120;
/// From this zoom on, in percent, cards are complete.
const WHOLE: u32 = 70;
/// Below this zoom, in percent, nodes are cells.
const CELLS: u32 = 30;
/// Maximum zoom, in percent, of a stage that always draws cells, and of one with cards.
pub const CLOSEST_CELLS: u32 = 70;
pub const CLOSEST_CARDS: u32 = 125;
/// A card's width at 100 %, in CSS pixels; the zoom of cells is their pitch relative to it.
const CARD_WIDTH: f64 = 200.0;

/// The nearest zoom that the stage can have, in percent.
pub fn allowed_zoom(percent: u32) -> u32 {
    percent.clamp(1, 400)
}

/// How much of a node is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Card,
    /// Name, Pods and verdict.
    Compact,
    Cell,
}

/// The detail that a stage with that many nodes shows at a zoom (in percent; `None`: not chosen).
pub fn detail(nodes: usize, zoom: Option<u32>) -> Detail {
    match zoom {
        _ if nodes > CARDS => Detail::Cell,
        Some(zoom) if zoom < CELLS => Detail::Cell,
        Some(zoom) if zoom < WHOLE => Detail::Compact,
        _ => Detail::Card,
    }
}

/// The zoom, in percent, of cells with that pitch.
pub fn percent(pitch: f64) -> u32 {
    (pitch / CARD_WIDTH * 100.0).round().clamp(1.0, 400.0) as u32
}

/// The pitch of cells at a zoom, in CSS pixels.
pub fn pitch(percent: u32) -> f64 {
    f64::from(percent) / 100.0 * CARD_WIDTH
}

/// The zoom after one press of a button: round numbers, in smaller steps for small cells.
pub fn step_zoom(from: u32, closer: bool) -> u32 {
    const STOPS: [u32; 16] = [2, 3, 4, 6, 8, 10, 13, 17, 22, 29, 40, 55, 70, 85, 100, 125];
    let next = if closer {
        STOPS.iter().find(|stop| **stop > from)
    } else {
        STOPS.iter().rev().find(|stop| **stop < from)
    };
    next.copied().unwrap_or(from)
}

/// Nodes that share a value of the topology key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeGroup {
    /// `None`: nodes without the label.
    pub value: Option<String>,
    /// Positions in document order.
    pub nodes: Vec<usize>,
}

/// Groups nodes by the value of a label: values sorted by name, nodes without the label last.
pub fn node_groups(nodes: &[Rc<NodeFrame>], key: &str) -> Vec<NodeGroup> {
    let mut groups: BTreeMap<(bool, &str), Vec<usize>> = BTreeMap::new();
    for (position, node) in nodes.iter().enumerate() {
        let value = node.labels.get(key).map(String::as_str);
        groups
            .entry((value.is_none(), value.unwrap_or_default()))
            .or_default()
            .push(position);
    }
    groups
        .into_iter()
        .map(|((is_missing, value), nodes)| NodeGroup {
            value: (!is_missing).then(|| value.to_owned()),
            nodes,
        })
        .collect()
}

/// The nearest of some places in a direction (`dx`, `dy`: −1, 0 or 1). A place that is beside the start and only
/// extends a little farther does not count as in that direction.
pub fn nearest(from: Rect, places: &[Rect], dx: f64, dy: f64) -> Option<usize> {
    let (x, y) = from.center();
    let mut best: Option<(f64, usize)> = None;
    for (index, place) in places.iter().enumerate() {
        let (other_x, other_y) = place.center();
        let along = (other_x - x) * dx + (other_y - y) * dy;
        let aside = ((other_x - x) * dy).abs() + ((other_y - y) * dx).abs();
        let distance = along + 3.0 * aside;
        let reach = (place.width * dx + place.height * dy).abs() / 2.0;
        if along > reach.max(1.0) && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, index));
        }
    }
    best.map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::chart::Rect;
    use super::{Detail, detail, nearest, node_groups, percent, pitch, step_zoom};
    use berth_protocol::frame::NodeFrame;

    #[test]
    fn nodes_are_grouped_by_any_label_and_those_without_come_last() {
        let node = |rack: Option<&str>| {
            Rc::new(NodeFrame {
                labels: rack
                    .iter()
                    .map(|rack| ("rack".to_owned(), (*rack).to_owned()))
                    .collect(),
                ..NodeFrame::default()
            })
        };
        let nodes = [
            node(None),
            node(Some("r2")),
            node(Some("r1")),
            node(Some("r2")),
        ];
        let found: Vec<_> = node_groups(&nodes, "rack")
            .into_iter()
            .map(|group| (group.value, group.nodes))
            .collect();
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(
            found,
            [
                (named("r1"), vec![2]),
                (named("r2"), vec![1, 3]),
                (None, vec![0])
            ]
        );
        assert_eq!(node_groups(&nodes, "zone").len(), 1);
        assert!(node_groups(&[], "zone").is_empty());
    }

    #[test]
    fn an_empty_value_is_not_a_missing_label() {
        let labels = [("rack".to_owned(), String::new())].into();
        let named = Rc::new(NodeFrame {
            labels,
            ..NodeFrame::default()
        });
        let found = node_groups(&[named, Rc::default()], "rack");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].value.as_deref(), Some(""));
    }

    #[test]
    fn an_arrow_goes_to_the_nearest_card_in_its_direction() {
        let card = |x: f64, y: f64| Rect {
            x,
            y,
            width: 10.0,
            height: 10.0,
        };
        let cards = [
            card(0.0, 0.0),
            card(20.0, 0.0),
            card(0.0, 20.0),
            card(20.0, 25.0),
        ];
        assert_eq!(nearest(cards[0], &cards, 1.0, 0.0), Some(1));
        assert_eq!(nearest(cards[0], &cards, 0.0, 1.0), Some(2));
        assert_eq!(nearest(cards[3], &cards, -1.0, 0.0), Some(2));
        assert_eq!(nearest(cards[0], &cards, -1.0, 0.0), None);
        // A card beside it that is only a little taller is not below it.
        let taller = Rect {
            height: cards[1].height + 30.0,
            ..cards[1]
        };
        assert_eq!(nearest(cards[0], &[cards[0], taller], 0.0, 1.0), None);
    }

    #[test]
    fn the_detail_follows_zoom_and_number() {
        assert_eq!(detail(8, None), Detail::Card);
        assert_eq!(detail(8, Some(70)), Detail::Card);
        assert_eq!(detail(8, Some(69)), Detail::Compact);
        assert_eq!(detail(8, Some(29)), Detail::Cell);
        assert_eq!(detail(121, None), Detail::Cell);
        assert_eq!(detail(121, Some(100)), Detail::Cell);
    }

    #[test]
    fn zoom_steps_go_both_ways_and_end() {
        assert_eq!((step_zoom(100, false), step_zoom(100, true)), (85, 125));
        assert_eq!((step_zoom(9, false), step_zoom(9, true)), (8, 10));
        assert_eq!((step_zoom(2, false), step_zoom(125, true)), (2, 125));
        assert_eq!(percent(pitch(8)), 8);
    }
}
