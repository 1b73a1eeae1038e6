//! The turns of nodes in the search for feasible ones: cards dim in this order.

use std::rc::Rc;

use berth_protocol::cycle::SearchReport;
use berth_protocol::frame::NodeFrame;
use berth_protocol::node_order::interleaved;

/// The turn of each node, by its position in the document. `None`: only the nominated node was searched.
pub fn of(nodes: &[Rc<NodeFrame>], search: &SearchReport) -> Option<Vec<usize>> {
    if search.nominated_only || nodes.is_empty() {
        return None;
    }
    let order = nodes.iter().enumerate();
    let order = interleaved(order.map(|(position, node)| (&node.labels, position)));
    let start = usize::try_from(search.start).ok()? % nodes.len();
    let mut turns = vec![0; nodes.len()];
    for (turn, position) in order
        .iter()
        .cycle()
        .skip(start)
        .take(nodes.len())
        .enumerate()
    {
        if let Some(own) = turns.get_mut(*position) {
            *own = turn;
        }
    }
    Some(turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_take_turns_zone_by_zone_from_where_the_search_begins() {
        let node = |zone: &str| {
            let labels = [("topology.kubernetes.io/zone".to_owned(), zone.to_owned())];
            Rc::new(NodeFrame {
                labels: labels.into(),
                ..NodeFrame::default()
            })
        };
        // Visited: 0 of a, 2 of b, 1 of a.
        let nodes = [node("a"), node("a"), node("b")];
        let mut search = SearchReport::default();
        assert_eq!(of(&nodes, &search), Some(vec![0, 2, 1]));
        search.start = 2;
        assert_eq!(of(&nodes, &search), Some(vec![1, 0, 2]));
        search.nominated_only = true;
        assert_eq!(of(&nodes, &search), None);
    }
}
