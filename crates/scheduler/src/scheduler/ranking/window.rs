//! The part of the order of visits that a search reaches.

/// The places from where the search starts to where it ends, wrapping around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    All,
    /// From the first place on, up to the second, which is not reached.
    Part(u32, u32),
}

impl Window {
    /// The places of a sorted list that are in the window: those before the end of the order, and those after its begin.
    pub fn of(self, places: &[u32]) -> [&[u32]; 2] {
        let Self::Part(start, end) = self else {
            return [places, &[]];
        };
        let before = |place: u32| places.partition_point(|&known| known < place);
        let (first, last) = (before(start), before(end));
        match start < end {
            true => [&places[first..last], &[]],
            false => [&places[first..], &places[..last]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn a_window_may_wrap_around() {
        let places = [0, 2, 3, 7, 9];
        let none: &[u32] = &[];
        assert_eq!(Window::All.of(&places), [&places[..], none]);
        assert_eq!(Window::Part(2, 7).of(&places), [&places[1..3], none]);
        assert_eq!(Window::Part(7, 2).of(&places), [&places[3..], &places[..1]]);
        assert_eq!(Window::Part(4, 5).of(&places), [none, none]);
    }
}
