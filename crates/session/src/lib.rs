//! A session and what can be asked about it, for all faces.
//!
//! [`Session`] has the sources, the run made from them, and a position in its log. Everything else is a function of a module:
//! a question takes `&Session`, a change `&mut Session`.

pub mod case;
pub mod cluster_word;
pub mod compare;
mod delivery;
pub mod descheduler;
pub mod drain;
pub mod edit;
pub mod expectations;
pub mod explain;
pub mod export;
pub mod find;
pub mod fixes;
pub mod fork;
pub mod frame;
pub mod gesture;
mod history;
pub mod kubelets;
pub mod lesson;
mod locks;
mod mark;
mod meant;
pub mod pairing;
mod preview;
pub mod reduce;
pub mod replay;
pub mod scheduler;
mod session;
pub mod simulated;
pub mod sources;
mod state;
pub mod sweep;
pub mod terminal;
pub mod trial;
mod unbound;
pub mod undo;
pub mod variant;
pub mod verify;
pub mod what_if;
pub mod why_not;
mod workload;

pub use edit::Performed;
pub use fixes::{FixSearch, GroupSearch};
pub use history::LogEntry;
pub use session::{Clock, Options, Session};

pub use berth_base::shell_word::shell_word;
pub use berth_base::suggest::closest;
pub use berth_core::api::compact::{
    LeaveOut, compact, count_documents, has_comments, strip_status,
};
pub use berth_core::api::kinds::{KindInfo, deciding_kinds, device_dump_command, dump_command};
pub use berth_core::api::load::{is_blank, is_other_yaml};
pub use berth_core::api::problem::Printable;
pub use berth_core::api::redact::{Redacted, redact, redact_object};
pub use berth_core::api::scenario::Expectation;
pub use berth_core::api::source::{Position, SourceFile};
pub use berth_scheduler::release::{Choice, Version, parse_flag};

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
