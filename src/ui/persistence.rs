//! State that survives a reload, in the browser: visits in IndexedDB, settings and the list of visits in the local storage.
//! Nothing leaves the browser.

mod parts;
pub mod session;
pub mod storage;
pub mod tab;
mod visits;

pub use session::{Begun, Saver, begin};
pub use tab::has_visits;
