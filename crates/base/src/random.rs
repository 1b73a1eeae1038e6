//! Seeded pseudo-random numbers: the same on every machine, natively and in wasm.

/// What each number adds to the state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 (Steele, Lea, Flood 2014): one `u64` of state, good enough to break ties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator determined by `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The number at this place, from 0, of the sequence that `seed` determines.
    pub fn nth(seed: u64, place: u64) -> u64 {
        let skipped = STEP.wrapping_mul(place);
        Self::new(seed.wrapping_add(skipped)).next_u64()
    }

    /// The next number, uniform over all of `u64`.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`, uniform; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // Reject the tail that would favor small remainders.
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let number = self.next_u64();
            if number < limit {
                return number % bound;
            }
        }
    }

    /// Brings the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u64::try_from(last).unwrap_or(u64::MAX).saturating_add(1);
            let other = usize::try_from(self.below(bound)).unwrap_or(last);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn same_seed_same_numbers() {
        let mut one = Random::new(7);
        let mut two = Random::new(7);
        assert!((0..100).all(|_| one.below(10) == two.below(10)));
    }

    #[test]
    fn numbers_are_found_by_their_place() {
        let mut random = Random::new(7);
        assert!((0..100).all(|place| random.next_u64() == Random::nth(7, place)));
    }

    #[test]
    fn every_order_comes_up() {
        let mut random = Random::new(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut items = [0, 1, 2];
            random.shuffle(&mut items);
            seen.insert(items);
        }
        assert_eq!(seen.len(), 6);
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut random = Random::new(1);
        let mut seen = [0u32; 5];
        for _ in 0..1000 {
            seen[random.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }
}
