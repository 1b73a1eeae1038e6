//! Capacity of devices that may be allocated several times (gate DRAConsumableCapacity): how much a request consumes,
//! and whether that much is left (`CmpRequestOverCapacity`).

use std::collections::BTreeMap;

use k8s_openapi::api::resource::v1::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, CapacityRequirements, Device, DeviceCapacity,
};

use berth_base::quantity::{Format, Quantity};

/// Amounts by the name of the capacity.
pub type Consumed = BTreeMap<String, Quantity>;

/// Whether a device may be allocated several times.
pub fn is_shared(device: &Device) -> bool {
    device.allow_multiple_allocations.unwrap_or(false)
}

/// What a request consumes of a device.
pub fn consumed_by(request: Option<&CapacityRequirements>, device: &Device) -> Consumed {
    let consumed = device.capacity.iter().flatten().map(|(name, capacity)| {
        let requested = requested(request, name);
        (name.clone(), consumed(requested, capacity))
    });
    consumed.collect()
}

/// The capacity that a request would exceed, that cannot be requested in this amount, or that the device lacks; `None`
/// if there is none. `used`: what allocations and the search itself have consumed.
pub fn exceeded(
    request: Option<&CapacityRequirements>,
    device: &Device,
    used: &Consumed,
) -> Option<String> {
    let has = |name: &String| {
        device
            .capacity
            .as_ref()
            .is_some_and(|it| it.contains_key(name))
    };
    let names = request.iter().flat_map(|it| &it.requests).flatten();
    let lacking = names.map(|(name, _)| name).find(|name| !has(name));
    if let Some(name) = lacking {
        return Some(name.clone());
    }
    let mut capacities = device.capacity.iter().flatten();
    let exceeded = capacities.find(|(name, capacity)| {
        let wanted = consumed(requested(request, name), capacity);
        let used = used.get(*name).copied().unwrap_or_default();
        violates(wanted, capacity.request_policy.as_ref())
            || parsed(&capacity.value.0) < used.add(wanted)
    });
    exceeded.map(|(name, _)| name.clone())
}

fn requested(request: Option<&CapacityRequirements>, name: &str) -> Option<Quantity> {
    let amount = request?.requests.as_ref()?.get(name)?;
    Some(parsed(&amount.0))
}

/// Without a request the policy's default, or else all; with one, the least amount that the policy allows.
fn consumed(requested: Option<Quantity>, capacity: &DeviceCapacity) -> Quantity {
    let policy = capacity.request_policy.as_ref();
    let Some(requested) = requested else {
        let default = policy.and_then(|it| it.default.as_ref());
        return parsed(&default.unwrap_or(&capacity.value).0);
    };
    let Some(policy) = policy else {
        return requested;
    };
    if let Some(range) = &policy.valid_range {
        return rounded_up(requested, range);
    }
    let mut values = policy.valid_values.iter().flatten().map(|it| parsed(&it.0));
    values.find(|it| requested <= *it).unwrap_or(requested)
}

/// The request, or the next step above it.
fn rounded_up(requested: Quantity, range: &CapacityRequestPolicyRange) -> Quantity {
    let least = parsed(&range.min.0);
    if requested < least {
        return least;
    }
    let Some(step) = step_of(range) else {
        return requested;
    };
    let beyond = requested.value().saturating_sub(least.value());
    let steps = beyond / step + i64::from(beyond % step != 0);
    let rounded = step.saturating_mul(steps).saturating_add(least.value());
    Quantity::from_value(rounded).with_format(Format::BinarySi)
}

/// The range's step, if it has one that leads anywhere.
fn step_of(range: &CapacityRequestPolicyRange) -> Option<i64> {
    let step = parsed(&range.step.as_ref()?.0).value();
    (step > 0).then_some(step)
}

fn violates(amount: Quantity, policy: Option<&CapacityRequestPolicy>) -> bool {
    let Some(policy) = policy else {
        return false;
    };
    let default = policy.default.as_ref().map(|it| parsed(&it.0));
    if default == Some(amount) {
        return false;
    }
    if let Some(range) = &policy.valid_range {
        let most = range.max.as_ref().map(|it| parsed(&it.0));
        let beyond = amount.value().saturating_sub(parsed(&range.min.0).value());
        return most.is_some_and(|most| amount > most)
            || step_of(range).is_some_and(|step| beyond % step != 0);
    }
    let values = policy.valid_values.as_deref().unwrap_or_default();
    !values.is_empty() && !values.iter().any(|it| parsed(&it.0) == amount)
}

fn parsed(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{consumed_by, exceeded};
    use k8s_openapi::api::resource::v1::{CapacityRequirements, Device};

    fn device() -> Device {
        let device = json!({"name": "nic", "allowMultipleAllocations": true, "capacity": {
            "bandwidth": {"value": "10Gi", "requestPolicy": {"default": "1Gi",
                "validRange": {"min": "1Gi", "max": "8Gi", "step": "1Gi"}}},
            "slots": {"value": "4", "requestPolicy": {"default": "1", "validValues": ["1", "2", "4"]}},
        }});
        serde_json::from_value(device).expect("a device")
    }

    fn request(bandwidth: &str, slots: &str) -> CapacityRequirements {
        let requests = json!({"requests": {"bandwidth": bandwidth, "slots": slots}});
        serde_json::from_value(requests).expect("a request")
    }

    #[test]
    fn requests_are_rounded_up_as_the_policy_says() {
        let shown = |request: Option<&CapacityRequirements>| {
            let consumed = consumed_by(request, &device());
            consumed
                .values()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(None), ["1Gi", "1"]);
        assert_eq!(shown(Some(&request("1500Mi", "3"))), ["2Gi", "4"]);
        assert_eq!(shown(Some(&request("1", "1"))), ["1Gi", "1"]);
    }

    #[test]
    fn what_is_left_limits_the_next_request() {
        let used = consumed_by(Some(&request("8Gi", "1")), &device());
        let none = super::Consumed::new();
        assert_eq!(exceeded(Some(&request("8Gi", "1")), &device(), &none), None);
        let over = exceeded(Some(&request("3Gi", "1")), &device(), &used);
        assert_eq!(over.as_deref(), Some("bandwidth"));
        assert_eq!(exceeded(Some(&request("2Gi", "2")), &device(), &used), None);
        // Beyond the policy's maximum, or unknown.
        let over = exceeded(Some(&request("9Gi", "1")), &device(), &none);
        assert_eq!(over.as_deref(), Some("bandwidth"));
        let unknown = json!({"requests": {"lanes": "1"}});
        let unknown = serde_json::from_value(unknown).expect("a request");
        assert_eq!(
            exceeded(Some(&unknown), &device(), &none).as_deref(),
            Some("lanes")
        );
    }
}
