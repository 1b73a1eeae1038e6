use std::collections::BTreeMap;

use super::{Place, Quay, UNITS, scale};

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

/// Checks that every block's area is its request, that no two overlap, and that all lie on the quay if their sum does.
#[track_caller]
fn check(quay: &Quay) {
    let mut sum = 0;
    for (key, block) in &quay.blocks {
        let area: i128 = block.places.iter().map(Place::area).sum();
        assert_eq!(
            area,
            i128::from(block.milli_cpu) * UNITS,
            "{key} of {quay:?}"
        );
        sum += block.milli_cpu;
    }
    let places: Vec<&Place> = quay
        .blocks
        .values()
        .flat_map(|block| &block.places)
        .collect();
    for (index, place) in places.iter().enumerate() {
        assert!(
            place.left >= 0 && place.left + place.width <= quay.width(),
            "{place:?}"
        );
        assert!(
            places[..index].iter().all(|other| !place.overlaps(other)),
            "{quay:?}"
        );
    }
    if sum <= quay.milli_cpu {
        let inside = |place: &&&Place| place.row >= 0 && place.row + place.rows <= quay.rows();
        assert_eq!(
            places.iter().filter(inside).count(),
            places.len(),
            "{quay:?}"
        );
        assert_eq!(quay.rows_beyond(), 0);
    }
}

fn set(quay: &mut Quay, pods: &BTreeMap<String, i64>) {
    quay.set(
        pods.iter()
            .map(|(key, milli_cpu)| (key.as_str(), *milli_cpu)),
    );
}

#[test]
fn areas_are_exact_for_all_sizes_and_nothing_moves() {
    let mut dice = Dice(7);
    for _ in 0..400 {
        let milli_cpu = 1 + dice.below(40_000);
        let mut quay = Quay::new(milli_cpu);
        assert_eq!(
            quay.width() * i128::from(quay.rows()),
            i128::from(milli_cpu) * UNITS
        );
        let mut pods: BTreeMap<String, i64> = BTreeMap::new();
        for number in 0..60 {
            let free = milli_cpu - pods.values().sum::<i64>();
            let before = quay.clone();
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
            set(&mut quay, &pods);
            check(&quay);
            for (key, block) in &before.blocks {
                let now = quay.blocks.get(key);
                assert!(now.is_none_or(|now| now == block), "{key} moved");
            }
        }
    }
}

#[test]
fn a_step_back_restores_every_place() {
    let mut dice = Dice(11);
    for _ in 0..100 {
        let mut quay = Quay::new(2000 + dice.below(9000));
        let mut moments = vec![(BTreeMap::new(), quay.clone())];
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
            set(&mut quay, &pods);
            moments.push((pods.clone(), quay.clone()));
        }
        for (pods, then) in moments.iter().rev() {
            set(&mut quay, pods);
            assert_eq!(quay.blocks, then.blocks);
        }
    }
}

#[test]
fn a_block_that_no_row_holds_adds_none() {
    // 2800m on a node of 4 CPU whose rows hold 2 CPU each.
    let mut quay = Quay::new(4000);
    quay.set([("a", 2800), ("b", 1200)].into_iter());
    check(&quay);
    let a = quay.places("a");
    assert_eq!((a.len(), a[0].height, a[0].width), (1, 100.0, 70.0));
    assert_eq!(quay.places("b")[0].left, 70.0);
    // An odd node that is full.
    let mut odd = Quay::new(3920);
    odd.set([("a", 3850), ("b", 70)].into_iter());
    check(&odd);
    assert!((odd.row_milli_cpu() - 1960.0).abs() < f64::EPSILON);
}

#[test]
fn what_is_to_come_lies_where_it_will_be() {
    let mut quay = Quay::new(4000);
    quay.set([("victim", 2500), ("stays", 500)].into_iter());
    let planned = quay.changed(&["victim"], [("new", 3000)].into_iter());
    let place = planned.places("new");
    quay.set([("new", 3000), ("stays", 500)].into_iter());
    assert_eq!(quay.places("new"), place);
    check(&quay);
}

#[test]
fn what_exceeds_the_node_lies_beyond_it() {
    let mut quay = Quay::new(1000);
    quay.set([("a", 900), ("b", 600), ("none", 0)].into_iter());
    check(&quay);
    assert_eq!((quay.rows_beyond(), quay.places("none").len()), (1, 0));
    // Absurd sizes neither panic nor take long.
    for (node, pod) in [(0, 5), (1, i64::MAX), (i64::MAX, i64::MAX), (-4, -4)] {
        let mut quay = Quay::new(node);
        quay.set([("a", pod), ("b", pod)].into_iter());
        assert!(quay.rows_beyond() < 30);
    }
}

#[test]
fn the_largest_node_of_a_view_sets_its_scale() {
    assert_eq!(scale([4000, 3920].into_iter()), 2000);
    assert_eq!(scale([4000, 96_000].into_iter()), 12_000);
    assert_eq!(scale(std::iter::empty()), 2000);
}
