//! The lanes of the queue above the stage.

use berth_protocol::frame::QueueFrame;
use berth_protocol::page::{Lane, Lanes};

/// Maximum number of blocks in all lanes together; the rest is counted.
pub const BLOCKS: usize = 8;
/// The same on a stage that is wide, narrower and narrow. The style sheet knows at which widths blocks have room for their
/// labels.
pub const BLOCKS_BY_WIDTH: [usize; 3] = [BLOCKS, 5, 3];
/// The position of the backoff lane, which is absent unless time passes.
pub const BACKOFF: usize = 1;

/// The queue with a maximum number of Pods' keys in each lane.
pub fn lanes_of(queue: &QueueFrame, named: usize) -> Lanes {
    let lane = |keys: &[String]| Lane {
        first: keys.iter().take(named).cloned().collect(),
        count: keys.len(),
    };
    Lanes {
        active: lane(&queue.active),
        backoff: lane(&queue.backoff),
        unschedulable: lane(&queue.unschedulable),
        gated: lane(&queue.gated),
        unmanaged: lane(&queue.unmanaged),
    }
}

/// The lanes in their order: active, backoff, unschedulable, and what is held back.
pub fn lanes(queue: &Lanes) -> [Lane; 4] {
    let held_back = Lane {
        first: [&queue.gated.first[..], &queue.unmanaged.first[..]].concat(),
        count: queue.gated.count + queue.unmanaged.count,
    };
    let [active, backoff, unschedulable] =
        [&queue.active, &queue.backoff, &queue.unschedulable].map(Clone::clone);
    [active, backoff, unschedulable, held_back]
}

/// The number of blocks in each lane. Lanes that need less than an even share leave the rest to the others.
pub fn shares(counts: [usize; 4], blocks: usize) -> [usize; 4] {
    let mut shares = [0; 4];
    for _ in 0..blocks {
        let wanting = (0..4).filter(|&lane| shares[lane] < counts[lane]);
        let Some(lane) = wanting.min_by_key(|&lane| shares[lane]) else {
            break;
        };
        shares[lane] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn lanes_share_the_blocks_by_need() {
        assert_eq!(shares([0, 0, 14, 0], 8), [0, 0, 8, 0]);
        assert_eq!(shares([9, 0, 14, 1], 8), [4, 0, 3, 1]);
        assert_eq!(shares([1, 0, 1, 0], 8), [1, 0, 1, 0]);
    }
}
