//! Prints objects as tables, JSON, YAML and by templates, and the reports of commands that change objects.

pub(crate) mod amounts;
mod columns;
pub(crate) mod fields;
mod format;
mod kyaml;
pub(crate) mod output;
pub(crate) mod report;
pub(crate) mod rows;
pub(crate) mod table;
pub(crate) mod tabwriter;
pub(crate) mod time;

pub(crate) use format::{Format, label};
