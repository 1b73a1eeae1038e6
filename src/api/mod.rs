//! What users write: manifests in, typed objects and problems out.

pub mod config;
pub mod object;
pub mod prepared;
pub mod quantity;
pub mod scenario;
pub mod validation;
