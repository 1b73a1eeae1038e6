//! The API: reads manifests to typed objects and problems, and prepares them for the scheduler.

pub mod advice;
pub mod compact;
pub mod config;
pub mod controllers;
pub mod cron;
pub mod decode;
pub mod edit;
pub mod infer;
pub mod kinds;
pub mod load;
pub mod manifests;
pub mod meta;
pub mod object;
pub mod pod_security;
pub mod prepare;
pub mod prepared;
pub mod problem;
pub mod redact;
pub mod rules;
pub mod scenario;
pub mod script;
pub mod shapes;
pub mod source;
pub mod validation;
pub mod yaml;
