//! Berth.
