//! DefaultBinder: binds the Pod to the chosen node.
//!
//! - **Extension point**: Bind.
//! - **Why**: every profile needs a Bind plugin; one without is rejected.
//! - **Upstream**: `plugins/defaultbinder`, v1.34.

use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Bind, extends};

/// The plugin.
pub struct DefaultBinder;

extends!(DefaultBinder: Bind);

impl Bind for DefaultBinder {
    fn binds(&self, _pod: &PodInfo) -> bool {
        true
    }
}
