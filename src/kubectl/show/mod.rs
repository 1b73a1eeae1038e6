//! The commands of kubectl that tell: `get`, `describe`, `events`, `top`, `explain`, `api-resources`, ….

mod amounts;
mod columns;
mod describe;
mod event;
mod events;
mod explain;
pub(crate) mod fields;
mod find;
mod format;
mod get;
mod kubernetes_service;
mod layout;
mod order;
pub(crate) mod output;
mod resources;
mod rollout;
mod rows;
mod table;
mod tabwriter;
mod time;
mod top;
mod watch;

pub(crate) use format::Format;

use super::call::Verb;

/// These commands, by name.
pub const VERBS: &[Verb] = &[
    get::GET,
    describe::DESCRIBE,
    events::EVENTS,
    top::TOP_NODE,
    top::TOP_NODES,
    top::TOP_NO,
    top::TOP_POD,
    top::TOP_PODS,
    top::TOP_PO,
    explain::EXPLAIN,
    resources::API_RESOURCES,
    resources::API_VERSIONS,
    rollout::HISTORY,
];

#[cfg(test)]
pub(crate) mod tests;
