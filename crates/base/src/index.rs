//! Typed indices: the compiler distinguishes a `NodeIx` from a `PodIx`.

use std::marker::PhantomData;

/// A newtype over `u32` that indexes an [`IndexVec`].
pub trait Index: Copy + Ord {
    /// The index at `position`.
    fn from_usize(position: usize) -> Self;
    /// The position of this index.
    fn to_usize(self) -> usize;
}

/// Declares index types.
#[macro_export]
macro_rules! index_types {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $crate::index::Index for $name {
            fn from_usize(position: usize) -> Self {
                // Never saturates: memory is exhausted long before four billion items.
                Self(u32::try_from(position).unwrap_or(u32::MAX))
            }
            fn to_usize(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

/// A vector that is indexed by its own index type only.
#[derive(Clone, Debug)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<I>,
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            index: PhantomData,
        }
    }
}

impl<I: Index, T> IndexVec<I, T> {
    /// Appends an item and returns its index.
    pub fn push(&mut self, item: T) -> I {
        let index = self.next_index();
        self.items.push(item);
        index
    }

    /// The index that the next pushed item gets.
    pub fn next_index(&self) -> I {
        I::from_usize(self.items.len())
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at `index`, if it is in range.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.to_usize())
    }

    /// The item at `index`, for writing, if it is in range.
    pub fn get_mut(&mut self, index: I) -> Option<&mut T> {
        self.items.get_mut(index.to_usize())
    }

    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items in order, with their indices.
    pub fn iter_indexed(&self) -> impl Iterator<Item = (I, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(position, item)| (I::from_usize(position), item))
    }

    /// All items in order, for writing.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// All indices in order.
    pub fn indices(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_usize)
    }
}

impl<I: Index, T> std::ops::Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.to_usize()]
    }
}

impl<I: Index, T> std::ops::IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.to_usize()]
    }
}
