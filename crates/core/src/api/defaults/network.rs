//! Defaults of Endpoints and EndpointSlices.

use k8s_openapi::api::core::v1::Endpoints;
use k8s_openapi::api::discovery::v1::EndpointSlice;

const PROTOCOL: &str = "TCP";

/// Completes Endpoints.
pub fn endpoints(endpoints: &mut Endpoints) {
    for subset in endpoints.subsets.iter_mut().flatten() {
        for port in subset.ports.iter_mut().flatten() {
            port.protocol.get_or_insert_with(|| PROTOCOL.to_owned());
        }
    }
}

/// Completes an EndpointSlice.
pub fn endpoint_slice(slice: &mut EndpointSlice) {
    for port in slice.ports.iter_mut().flatten() {
        port.name.get_or_insert_default();
        port.protocol.get_or_insert_with(|| PROTOCOL.to_owned());
    }
}
