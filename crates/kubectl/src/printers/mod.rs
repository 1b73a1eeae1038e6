//! How objects are printed: tables, JSON, YAML, templates, and what a changing command reports.

pub(crate) mod amounts;
mod columns;
pub(crate) mod fields;
mod format;
pub(crate) mod output;
pub(crate) mod report;
pub(crate) mod rows;
pub(crate) mod table;
pub(crate) mod tabwriter;
pub(crate) mod time;

pub(crate) use format::{Format, label};
