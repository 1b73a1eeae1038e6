//! Taints of devices and the requests' tolerations (`resourceclaim.ToleratesTaint`).

use k8s_openapi::api::resource::v1::{Device, DeviceTaint, DeviceToleration};

/// Whether the tolerations cover every taint of a device that keeps allocations away.
pub fn tolerated(device: &Device, tolerations: &[DeviceToleration]) -> bool {
    device
        .taints
        .iter()
        .flatten()
        .filter(|taint| keeps_away(taint))
        .all(|taint| tolerations.iter().any(|it| tolerates(it, taint)))
}

/// Whether a taint keeps allocations away.
pub fn keeps_away(taint: &DeviceTaint) -> bool {
    matches!(&*taint.effect, "NoSchedule" | "NoExecute")
}

/// Whether the toleration covers the taint.
pub fn tolerates(toleration: &DeviceToleration, taint: &DeviceTaint) -> bool {
    let effect = toleration.effect.as_deref().unwrap_or_default();
    let key = toleration.key.as_deref().unwrap_or_default();
    if !effect.is_empty() && effect != taint.effect || !key.is_empty() && key != taint.key {
        return false;
    }
    match toleration.operator.as_deref() {
        Some("Exists") => true,
        None | Some("" | "Equal") => {
            toleration.value.as_deref().unwrap_or_default()
                == taint.value.as_deref().unwrap_or_default()
        }
        _ => false,
    }
}
