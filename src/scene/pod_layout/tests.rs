use std::collections::BTreeMap;

use super::{Place, PodLayout, UNITS, scale};

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Checks that every block's area is its request, that no two overlap, and that all lie inside the node's area if their sum does.
#[track_caller]
fn check(layout: &PodLayout) {
    let mut sum = 0;
    for (key, block) in &layout.blocks {
        let area: i128 = block.places.iter().map(Place::area).sum();
        assert_eq!(
            area,
            i128::from(block.milli_cpu) * UNITS,
            "{key} of {layout:?}"
        );
        sum += block.milli_cpu;
    }
    let places: Vec<&Place> = layout
        .blocks
        .values()
        .flat_map(|block| &block.places)
        .collect();
    for (index, place) in places.iter().enumerate() {
        assert!(
            place.left >= 0 && place.left + place.width <= layout.width(),
            "{place:?}"
        );
        assert!(
            places[..index].iter().all(|other| !place.overlaps(other)),
            "{layout:?}"
        );
    }
    if sum <= layout.milli_cpu {
        let inside = |place: &&&Place| place.row >= 0 && place.row + place.rows <= layout.rows();
        assert_eq!(
            places.iter().filter(inside).count(),
            places.len(),
            "{layout:?}"
        );
        assert_eq!(layout.rows_beyond(), 0);
    }
}

fn set(layout: &mut PodLayout, pods: &BTreeMap<String, i64>) {
    layout.set(
        pods.iter()
            .map(|(key, milli_cpu)| (key.as_str(), *milli_cpu)),
    );
}

#[test]
fn areas_are_exact_for_all_sizes_and_nothing_moves() {
    let mut dice = Dice(7);
    for _ in 0..400 {
        let milli_cpu = 1 + dice.below(40_000);
        let mut layout = PodLayout::new(milli_cpu);
        assert_eq!(
            layout.width() * i128::from(layout.rows()),
            i128::from(milli_cpu) * UNITS
        );
        let mut pods: BTreeMap<String, i64> = BTreeMap::new();
        for number in 0..60 {
            let free = milli_cpu - pods.values().sum::<i64>();
            let before = layout.clone();
            if dice.below(3) == 0 && !pods.is_empty() {
                let index =
                    usize::try_from(dice.below(i64::try_from(pods.len()).unwrap())).unwrap();
                let gone = pods.keys().nth(index).unwrap().clone();
                pods.remove(&gone);
            } else if free > 0 {
                // Now and then exactly what is left.
                let size = if dice.below(4) == 0 {
                    free
                } else {
                    dice.below(free) + 1
                };
                pods.insert(format!("pod-{number}"), size);
            }
            set(&mut layout, &pods);
            check(&layout);
            for (key, block) in &before.blocks {
                let now = layout.blocks.get(key);
                assert!(now.is_none_or(|now| now == block), "{key} moved");
            }
        }
    }
}

#[test]
fn a_step_back_restores_every_place() {
    let mut dice = Dice(11);
    for _ in 0..100 {
        let mut layout = PodLayout::new(2000 + dice.below(9000));
        let mut moments = vec![(BTreeMap::new(), layout.clone())];
        let mut pods: BTreeMap<String, i64> = BTreeMap::new();
        for number in 0..20 {
            if number % 4 == 3 {
                pods.pop_first();
            } else {
                pods.insert(
                    format!("{}-{number}", dice.below(1000)),
                    1 + dice.below(900),
                );
            }
            set(&mut layout, &pods);
            moments.push((pods.clone(), layout.clone()));
        }
        for (pods, then) in moments.iter().rev() {
            set(&mut layout, pods);
            assert_eq!(layout.blocks, then.blocks);
        }
    }
}

#[test]
fn a_block_that_no_row_holds_adds_none() {
    // 2800m on a node of 4 CPU whose rows hold 2 CPU each.
    let mut layout = PodLayout::new(4000);
    layout.set([("a", 2800), ("b", 1200)].into_iter());
    check(&layout);
    let a = layout.places("a");
    assert_eq!((a.len(), a[0].height, a[0].width), (1, 100.0, 70.0));
    assert_eq!(layout.places("b")[0].left, 70.0);
    // An odd node that is full.
    let mut odd = PodLayout::new(3920);
    odd.set([("a", 3850), ("b", 70)].into_iter());
    check(&odd);
    assert!((odd.row_milli_cpu() - 1960.0).abs() < f64::EPSILON);
}

#[test]
fn what_is_to_come_lies_where_it_will_be() {
    let mut layout = PodLayout::new(4000);
    layout.set([("victim", 2500), ("stays", 500)].into_iter());
    let planned = layout.changed(&["victim"], [("new", 3000)].into_iter());
    let place = planned.places("new");
    layout.set([("new", 3000), ("stays", 500)].into_iter());
    assert_eq!(layout.places("new"), place);
    check(&layout);
}

#[test]
fn what_exceeds_the_node_lies_beyond_it() {
    let mut layout = PodLayout::new(1000);
    layout.set([("a", 900), ("b", 600), ("none", 0)].into_iter());
    check(&layout);
    assert_eq!((layout.rows_beyond(), layout.places("none").len()), (1, 0));
    // Absurd sizes neither panic nor take long.
    for (node, pod) in [(0, 5), (1, i64::MAX), (i64::MAX, i64::MAX), (-4, -4)] {
        let mut layout = PodLayout::new(node);
        layout.set([("a", pod), ("b", pod)].into_iter());
        assert!(layout.rows_beyond() < 30);
    }
}

#[test]
fn the_largest_node_of_a_view_sets_its_scale() {
    assert_eq!(scale([4000, 3920].into_iter()), 2000);
    assert_eq!(scale([4000, 96_000].into_iter()), 12_000);
    assert_eq!(scale(std::iter::empty()), 2000);
}
