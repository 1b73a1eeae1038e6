//! Services (`ValidateServiceCreate`).

use k8s_openapi::api::core::v1::Service;

use super::Errors;
use super::metadata::{Naming, object_meta};
use crate::api::rules;

pub(super) fn service(service: &Service, errors: &mut Errors) {
    object_meta(&service.metadata, Naming::Label, errors);
    rules::object("Service", service, errors);
}
