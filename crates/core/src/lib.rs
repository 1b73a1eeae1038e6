//! Reading manifests: text becomes typed objects and problems, which are prepared for the scheduler.

pub mod api;
