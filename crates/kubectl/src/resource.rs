//! Finds, reads and writes the objects that a command names (kubectl's `cli-runtime/pkg/resource`).

pub(crate) mod binding;
pub(crate) mod event;
pub(crate) mod files;
pub(crate) mod find;
pub(crate) mod image;
pub(crate) mod kubernetes_service;
pub(crate) mod selector;
pub(crate) mod shown;
pub(crate) mod subresource;
pub(crate) mod targets;
pub(crate) mod validation;
pub(crate) mod write;
