//! State that survives a reload, in the browser's local storage.

pub mod session;
pub mod storage;
pub mod tab;
