//! Devices: what the search for them did.

use berth_protocol::fact::DeviceOutcome;

/// What became of a device, at the end of a row: `gpu-0 in use`. `device`: `DRIVER/POOL/DEVICE`.
pub fn device_brief(device: &str, outcome: &DeviceOutcome) -> String {
    let name = device.rsplit('/').next().unwrap_or(device);
    match outcome {
        DeviceOutcome::ClaimElsewhere => "claim allocated elsewhere".to_owned(),
        DeviceOutcome::NoDevices => "no devices".to_owned(),
        DeviceOutcome::InUse => format!("{name} in use"),
        DeviceOutcome::NotSelected {
            class: Some(class), ..
        } => {
            format!("{name} not of class {class}")
        }
        DeviceOutcome::NotSelected { class: None, .. } => format!("{name} not selected"),
        DeviceOutcome::Elsewhere => format!("{name} on other nodes"),
        DeviceOutcome::Tainted => format!("{name} tainted"),
        DeviceOutcome::Constrained { .. } => format!("{name} does not match the others"),
        DeviceOutcome::Taken => format!("{name} taken"),
        DeviceOutcome::GivenBack => format!("{name} given back"),
    }
}
