//! Parts of messages that a first visit does not read.

use std::io;

use borsh::{BorshDeserialize, BorshSerialize};

/// A nested message, read by a function of its own: a first visit reads the outer message, and need not
/// load the code for the inner one.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfLine<T>(pub Box<T>);

impl<T> OutOfLine<T> {
    pub fn new(inner: T) -> Self {
        Self(Box::new(inner))
    }
}

impl<T: BorshSerialize> BorshSerialize for OutOfLine<T> {
    #[inline(never)]
    fn serialize<W: io::Write>(&self, writer: &mut W) -> io::Result<()> {
        self.0.serialize(writer)
    }
}

impl<T: BorshDeserialize> BorshDeserialize for OutOfLine<T> {
    #[inline(never)]
    fn deserialize_reader<R: io::Read>(reader: &mut R) -> io::Result<Self> {
        T::deserialize_reader(reader).map(Self::new)
    }
}
