//! The state of plugins between the extension points of one cycle.

use std::any::{Any, TypeId};

/// A value in [`CycleState`]. Cloned for every dry run of preemption.
pub trait Slot: Any {
    /// An independent copy.
    fn boxed_clone(&self) -> Box<dyn Slot>;
}

impl<T: Any + Clone> Slot for T {
    fn boxed_clone(&self) -> Box<dyn Slot> {
        Box::new(self.clone())
    }
}

/// Typed slots, one per type: a plugin's private state type is its key.
#[derive(Default)]
pub struct CycleState {
    slots: Vec<(TypeId, Box<dyn Slot>)>,
}

impl Clone for CycleState {
    fn clone(&self) -> Self {
        let copy = |(key, slot): &(TypeId, Box<dyn Slot>)| (*key, slot.as_ref().boxed_clone());
        Self {
            slots: self.slots.iter().map(copy).collect(),
        }
    }
}

impl CycleState {
    /// Stores a value, replacing a previous one of the same type.
    pub fn write<T: Slot>(&mut self, value: T) {
        let key = TypeId::of::<T>();
        let value: Box<dyn Slot> = Box::new(value);
        match self.slots.iter_mut().find(|(known, _)| *known == key) {
            Some((_, slot)) => *slot = value,
            None => self.slots.push((key, value)),
        }
    }

    /// The value of the type, if one was written.
    #[inline]
    pub fn read<T: Slot>(&self) -> Option<&T> {
        let key = TypeId::of::<T>();
        let (_, slot) = self.slots.iter().find(|(known, _)| *known == key)?;
        let slot: &dyn Any = slot.as_ref();
        slot.downcast_ref()
    }

    /// The value of the type for writing, if one was written.
    pub fn read_mut<T: Slot>(&mut self) -> Option<&mut T> {
        let key = TypeId::of::<T>();
        let (_, slot) = self.slots.iter_mut().find(|(known, _)| *known == key)?;
        let slot: &mut dyn Any = slot.as_mut();
        slot.downcast_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::CycleState;

    #[derive(Clone, Debug, PartialEq)]
    struct Count(i64);

    #[test]
    fn a_copy_changes_on_its_own() {
        let mut state = CycleState::default();
        assert!(state.read::<Count>().is_none());
        state.write(Count(1));
        let mut copy = state.clone();
        if let Some(count) = copy.read_mut::<Count>() {
            count.0 = 2;
        }
        assert_eq!(state.read(), Some(&Count(1)));
        assert_eq!(copy.read(), Some(&Count(2)));
    }
}
