//! Devices: what the search for them did.

use berth_words::{say, text};

use berth_protocol::fact::DeviceOutcome;

/// What became of a device, at the end of a row: `gpu-0 in use`. `device`: `DRIVER/POOL/DEVICE`.
pub fn device_brief(device: &str, outcome: &DeviceOutcome) -> String {
    let device = device.rsplit('/').next().unwrap_or(device);
    match outcome {
        DeviceOutcome::ClaimElsewhere => text!("claim allocated elsewhere").to_owned(),
        DeviceOutcome::BindingFailed { reason, .. } => say!("binding failed: {reason}"),
        DeviceOutcome::BindingTimedOut => text!("binding timed out").to_owned(),
        DeviceOutcome::NoDevices => text!("no devices").to_owned(),
        DeviceOutcome::InUse => say!("{device} in use"),
        DeviceOutcome::NotSelected {
            class: Some(class), ..
        } => say!("{device} not of class {class}"),
        DeviceOutcome::NotSelected { class: None, .. } => say!("{device} unsuitable"),
        DeviceOutcome::Elsewhere => say!("{device} on other nodes"),
        DeviceOutcome::Tainted => say!("{device} tainted"),
        DeviceOutcome::Exhausted { of } => say!("{device} has too little {of}"),
        DeviceOutcome::Constrained { .. } => say!("{device} does not match the others"),
        DeviceOutcome::Taken => say!("{device} taken"),
        DeviceOutcome::GivenBack => say!("{device} given back"),
    }
}

/// One step of the search: the claim, the request, the device, and what became of it with the values that it saw.
pub fn device_step(claim: &str, request: &str, device: &str, outcome: &DeviceOutcome) -> String {
    super::remark(&outcome.remark_on(claim, request, device))
}
