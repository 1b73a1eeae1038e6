use super::*;

fn key(name: &str) -> Key {
    Key::new("default", name)
}

#[test]
fn a_key_is_queued_once_and_again_if_added_while_processed() {
    let mut queue = WorkQueue::new(Retry::Exponential);
    queue.add(key("a"));
    queue.add(key("b"));
    queue.add(key("a"));
    assert_eq!(queue.take(), Some(key("a")));
    queue.add(key("a"));
    queue.done();
    assert_eq!(queue.take(), Some(key("b")));
    queue.done();
    assert_eq!(queue.take(), Some(key("a")));
    queue.done();
    assert_eq!(queue.take(), None);
}

#[test]
fn of_several_delays_the_earliest_counts() {
    let mut queue = WorkQueue::new(Retry::Exponential);
    queue.add_after(key("a"), 5_000, 0);
    queue.add_after(key("a"), 6_000, 0);
    queue.add_after(key("b"), 4_000, 3_000);
    queue.add_after(key("b"), 1_000, 3_000);
    assert_eq!(queue.next_due(), Some(4_000));
    queue.release(5_000);
    assert_eq!(queue.take(), Some(key("b")));
    queue.done();
    assert_eq!(queue.take(), Some(key("a")));
    queue.done();
    assert_eq!((queue.next_due(), queue.take()), (None, None));
}

#[test]
fn retries_double_until_forgotten() {
    let mut queue = WorkQueue::new(Retry::Exponential);
    let mut delays = Vec::new();
    for _ in 0..3 {
        queue.add_rate_limited(key("a"), 0);
        delays.push(queue.next_due());
        queue.release(1_000);
        queue.take();
        queue.done();
    }
    assert_eq!(delays, [Some(5), Some(10), Some(20)]);
    queue.forget(&key("a"), 0);
    queue.add_rate_limited(key("a"), 0);
    assert_eq!(queue.next_due(), Some(5));
}

#[test]
fn immediate_retries_end_within_an_instant() {
    let mut queue = WorkQueue::new(Retry::AtOnce(12));
    queue.add(key("a"));
    let mut taken = 0;
    while queue.take().is_some() {
        taken += 1;
        queue.add_rate_limited(key("a"), 7_000);
        queue.forget(&key("a"), 7_000);
        queue.done();
    }
    assert_eq!((taken, queue.next_due()), (13, Some(8_000)));
}
