//! Groups of nodes below one another instead of side by side: where columns would be long and uneven, most of them would be
//! empty while one scrolls.

use std::collections::BTreeMap;
use std::rc::Rc;

use berth_protocol::frame::NodeFrame;
use berth_protocol::meant;

use super::NodeGroup;

/// With more nodes than this, columns are scrolled.
const SCROLLED: usize = 40;
/// A column of fewer nodes is never too long.
const LONG: usize = 6;

/// Whether groups are drawn below one another: there are many nodes in few groups, or one has most of them.
pub fn is_piled(groups: &[NodeGroup]) -> bool {
    let groups = groups.iter().filter(|group| group.value.is_some());
    let sizes: Vec<usize> = groups.map(|group| group.nodes.len()).collect();
    let (count, all) = (sizes.len(), sizes.iter().sum::<usize>());
    let longest = sizes.iter().max().copied().unwrap_or(0);
    let is_long = all > SCROLLED && all >= LONG * count;
    let is_uneven = longest > LONG && longest * count >= 2 * all;
    count > 1 && (is_long || is_uneven)
}

/// The positions of a group's nodes by pool, those without one last.
pub fn by_pool<'n>(
    nodes: &'n [Rc<NodeFrame>],
    group: &NodeGroup,
) -> Vec<(Option<&'n str>, Vec<usize>)> {
    let mut pools: BTreeMap<(bool, Option<&str>), Vec<usize>> = BTreeMap::new();
    for position in &group.nodes {
        let labels = nodes.get(*position).map(|node| &node.labels);
        let pool = labels.and_then(meant::pool);
        pools
            .entry((pool.is_none(), pool))
            .or_default()
            .push(*position);
    }
    let pools = pools.into_iter();
    pools.map(|((_, pool), nodes)| (pool, nodes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(sizes: &[usize]) -> Vec<NodeGroup> {
        let group = |size: &usize| NodeGroup {
            value: Some(format!("zone-{size}")),
            nodes: (0..*size).collect(),
        };
        sizes.iter().map(group).collect()
    }

    #[test]
    fn long_or_uneven_columns_are_piled() {
        assert!(!is_piled(&groups(&[2, 2, 2])));
        assert!(!is_piled(&groups(&[6, 1, 1])), "short");
        assert!(!is_piled(&groups(&[9, 6, 3])), "nearly even");
        assert!(is_piled(&groups(&[12, 1, 1])));
        assert!(is_piled(&groups(&[24, 18, 18])));
        assert!(!is_piled(&groups(&[50])), "one column is as wide as all");
        assert!(!is_piled(&groups(&[1; 60])), "racks of one node fill rows");
    }

    #[test]
    fn the_nodes_of_a_pool_are_together() {
        let node = |pool: Option<&str>| {
            let label = |pool: &str| ("pool".to_owned(), pool.to_owned());
            Rc::new(NodeFrame {
                labels: pool.map(label).into_iter().collect(),
                ..NodeFrame::default()
            })
        };
        let nodes = [Some("gpu"), None, Some("arm"), Some("gpu")].map(node);
        let all = &groups(&[4])[0];
        let pools = [
            (Some("arm"), vec![2]),
            (Some("gpu"), vec![0, 3]),
            (None, vec![1]),
        ];
        assert_eq!(by_pool(&nodes, all), pools);
    }
}
