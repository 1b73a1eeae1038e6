//! DefaultBinder: writes the chosen node into the Pod.
//!
//! - **Extension point**: Bind.
//! - **Why**: somebody has to; a profile without a Bind plugin is refused.
//! - **Upstream**: `plugins/defaultbinder`, v1.34.

use crate::cluster::pod::PodInfo;
use crate::framework::plugin::{Bind, Plugin};

/// The plugin.
pub struct DefaultBinder;

impl Plugin for DefaultBinder {
    fn name(&self) -> &'static str {
        "DefaultBinder"
    }
    fn as_bind(&self) -> Option<&dyn Bind> {
        Some(self)
    }
}

impl Bind for DefaultBinder {
    fn binds(&self, _pod: &PodInfo) -> bool {
        true
    }
}
