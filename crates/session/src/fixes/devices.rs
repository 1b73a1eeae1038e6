//! Fixes that loosen what a Pod's ResourceClaims ask for.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use berth_protocol::edit::{Edit, ObjectRef, PathStep};
use berth_protocol::fact::{DeviceOutcome, FactKind};
use berth_protocol::fix::Change;

use super::candidates::{Family, FixContext};
use super::fields::{get, key, steps};
use super::source::Source;

/// Removes a selector that was false, lowers a count, or takes all devices that there are.
pub fn candidates(context: &FixContext<'_>) -> Family {
    let mut family = Family::default();
    let is_false = context.facts().filter_map(|(_, fact)| match &fact.kind {
        FactKind::Device {
            outcome:
                DeviceOutcome::NotSelected {
                    class: None,
                    expression,
                    ..
                },
            ..
        } => Some(expression.as_str()),
        _ => None,
    });
    let is_false: BTreeSet<&str> = is_false.collect();
    let is_of_devices = |kind: &FactKind| matches!(kind, FactKind::Device { .. });
    if !context.facts().any(|(_, fact)| is_of_devices(&fact.kind)) {
        return family;
    }
    for (source, requests) in claims(context) {
        let list = get(&source.json, &requests).and_then(Value::as_array);
        for (index, request) in list.into_iter().flatten().enumerate() {
            for (path, name) in bodies(request, &requests, index) {
                loosen(&mut family, &source, &path, &name, &is_false);
            }
        }
    }
    family
}

/// The written claims and templates that the Pod names, each with the path to its requests.
fn claims(context: &FixContext<'_>) -> Vec<(Source, Vec<PathStep>)> {
    let named = context
        .pod
        .object
        .template
        .spec
        .resource_claims
        .iter()
        .flatten();
    let named = named.filter_map(|claim| {
        let (kind, name, path) = match (
            &claim.resource_claim_template_name,
            &claim.resource_claim_name,
        ) {
            (Some(name), _) => ("ResourceClaimTemplate", name, "spec.spec.devices.requests"),
            (None, Some(name)) => ("ResourceClaim", name, "spec.devices.requests"),
            (None, None) => return None,
        };
        let object = ObjectRef::new(kind, &*context.pod.object.namespace, name);
        Some((Source::find(context.session, &object)?, steps(path)))
    });
    named.collect()
}

/// The paths to what a request asks for, exactly or as one of several alternatives, with its name in allocations.
fn bodies(request: &Value, requests: &[PathStep], index: usize) -> Vec<(Vec<PathStep>, String)> {
    let at = [requests, &[PathStep::Index(index)]].concat();
    let text = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let name = text(request);
    if request.get("exactly").is_some() {
        return vec![([&at[..], &[key("exactly")]].concat(), name)];
    }
    let alternatives = request["firstAvailable"].as_array();
    alternatives
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(number, alternative)| {
            let inner = [key("firstAvailable"), PathStep::Index(number)];
            (
                [&at[..], &inner].concat(),
                format!("{name}/{}", text(alternative)),
            )
        })
        .collect()
}

fn loosen(
    family: &mut Family,
    source: &Source,
    path: &[PathStep],
    request: &str,
    is_false: &BTreeSet<&str>,
) {
    let Some(body) = get(&source.json, path) else {
        return;
    };
    let object = || source.object.clone();
    let selectors = body["selectors"].as_array();
    for (index, selector) in selectors.into_iter().flatten().enumerate() {
        let expression = selector["cel"]["expression"].as_str().unwrap_or_default();
        if is_false.contains(expression) {
            let what = Change::RemoveDeviceSelector {
                object: object(),
                request: request.to_owned(),
                expression: expression.to_owned(),
            };
            let path = [path, &[key("selectors"), PathStep::Index(index)]].concat();
            family.add(
                what,
                vec![Edit::Remove {
                    object: object(),
                    path,
                }],
            );
        }
    }
    let Some(count @ 2..) = body["count"].as_i64() else {
        return;
    };
    let counted = [path, &[key("count")]].concat();
    for to in (1..count).rev() {
        let what = Change::LowerDeviceCount {
            object: object(),
            request: request.to_owned(),
            from: count,
            to,
        };
        let edit = Edit::Set {
            object: object(),
            path: counted.clone(),
            value: json!(to),
        };
        family.add_to(format!("count of {request}"), what, vec![edit]);
    }
    let all = Edit::Set {
        object: object(),
        path: [path, &[key("allocationMode")]].concat(),
        value: json!("All"),
    };
    let uncounted = Edit::Remove {
        object: object(),
        path: counted,
    };
    let what = Change::TakeAllDevices {
        object: object(),
        request: request.to_owned(),
    };
    family.add(what, vec![all, uncounted]);
}
