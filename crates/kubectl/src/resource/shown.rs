//! Objects as the API server answers them.

use serde_json::Value;

use berth_sim::server::ApiServer;
use berth_sim::store::Object;
use berth_sim::strategy::with_account;

/// An object as the API server answers it: a Pod with its account and the token that it mounts.
pub(crate) fn shown(object: &Object, api: &ApiServer) -> Value {
    match object {
        Object::Pod(pod) => with_account(pod, api),
        other => other.to_json(),
    }
}
