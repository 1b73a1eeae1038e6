//! Validation of objects with the API server's wording (Kubernetes v1.34).

pub mod affinity;
pub mod field;
pub mod names;
