//! The facts behind a verdict: device by device, what the search saw.

use super::{Claims, search};
use crate::cluster::devices::{Step, StepKind};
use crate::cluster::node::NodeInfo;
use crate::framework::plugin::Context;
use crate::framework::status::Facts;
use berth_protocol::fact::{Fact, FactKind};

/// The allocated claims that cannot be used on the node, then the steps of the search.
pub fn of(cx: Context<'_>, claims: &Claims, node: &NodeInfo) -> Facts {
    let mut facts = Facts::new();
    for index in claims.unusable_on(node) {
        if let Some(claim) = claims.all.get(index) {
            let name = claim.metadata.name.clone().unwrap_or_default();
            facts.push(device(name, "", "", "allocated elsewhere".to_owned()));
        }
    }
    if !claims.may_allocate() {
        return facts;
    }
    let mut steps = Vec::new();
    // The verdict tells of errors and of a search without end.
    let _ = search(cx, claims, node, Some(&mut steps));
    facts.extend(steps.iter().map(told));
    facts
}

fn told(step: &Step) -> Fact {
    let claim = step.claim.split_once('/').map_or("", |(_, name)| name);
    device(
        claim.to_owned(),
        &step.request,
        &step.device,
        outcome(&step.kind),
    )
}

fn device(claim: String, request: &str, device: &str, text: String) -> Fact {
    let place = [claim.as_str(), request, device];
    let place: Vec<&str> = place.into_iter().filter(|it| !it.is_empty()).collect();
    Fact::new(FactKind::Volume {
        name: place.join(" "),
        text,
    })
}

fn outcome(kind: &StepKind) -> String {
    match kind {
        StepKind::InUse => "in use".to_owned(),
        StepKind::NotSelected {
            class,
            expression,
            seen,
        } => {
            let whose = class
                .as_ref()
                .map_or_else(|| "selector".to_owned(), |class| format!("class {class}"));
            let seen: Vec<String> = seen
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            format!("{whose} is false: {expression} ({})", seen.join(", "))
        }
        StepKind::Elsewhere => "on other nodes".to_owned(),
        StepKind::Tainted => "tainted".to_owned(),
        StepKind::Constrained { attribute } => format!("matchAttribute {attribute} differs"),
        StepKind::Taken => "taken".to_owned(),
        StepKind::GivenBack => "given back".to_owned(),
    }
}
