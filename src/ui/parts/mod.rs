//! Small pieces that several panels use.

pub mod drawn;
pub mod focus;
pub mod form;
pub mod icon;
pub mod owner;
pub mod pod;
