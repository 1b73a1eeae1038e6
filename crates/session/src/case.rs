//! Cases: what an attempt comes to, as a claim, and whether a case holds.

mod strip;

use std::collections::BTreeMap;

use berth_base::quantity::Quantity;
use berth_core::api::decode::Finding;
use berth_core::api::load::Loaded;
use berth_core::api::object::Manifest;
use berth_core::api::scenario::{Case, Claim, ClaimReason, ClaimSum, Counterfactual};
use berth_core::api::source::SourceFile;
use berth_core::api::yaml::Target as Place;
use berth_protocol::cycle::{Code, Cycle, NodeReport, NodeScore, Verdict};
use berth_protocol::edit::Edit;
use berth_protocol::fact::{FactKind, taint};
use berth_protocol::problem::Problem;
use berth_protocol::quantity;
use berth_protocol::remark::Remark;
use serde::Serialize;
use serde_json::{Value, json};

pub use strip::{Held, strip};

use super::preview::Placement;
use super::why_not::differences;
use crate::session::{Options, Session};
use crate::{edit, expectations, explain, fixes, pairing, preview};

/// The case at the beginning of a file; `None` if there is none, or if it cannot be read.
fn case_of(loaded: &Loaded) -> Option<Case> {
    match loaded.documents.first()?.object.as_deref() {
        Some(Manifest::Scenario(scenario)) => scenario.case().0,
        _ => None,
    }
}

/// Plays a case with each of these seeds, and returns what does not hold, or the problems of its file.
pub fn test(file: &SourceFile, seeds: &[u64]) -> Vec<Problem> {
    let broken = |seed: &u64| {
        let mut session = Session::new(Options {
            seed: *seed,
            ..Options::default()
        });
        let taken = session.apply(std::slice::from_ref(file));
        let mut problems = session.problems().to_vec();
        let loaded = session.manifests().loaded.clone();
        let Some(source) = loaded.documents.first().map(|first| first.source.clone()) else {
            return problems;
        };
        if !taken || session.has_errors() {
            return problems;
        }
        let broken = match case_of(&loaded) {
            Some(case) => broken(&mut session, &case),
            None => vec![(String::new(), Remark::no_case())],
        };
        problems.extend(broken.into_iter().map(|(path, message)| {
            let finding = Finding {
                target: Place::Value,
                ..Finding::error(path, message)
            };
            loaded.problem(&source, finding)
        }));
        problems
    };
    let all = seeds.iter().map(broken);
    let has_errors = |problems: &Vec<Problem>| problems.iter().any(Problem::is_error);
    let mut last = Vec::new();
    for problems in all {
        last = problems;
        if has_errors(&last) {
            break;
        }
    }
    last
}

/// Plays the run to its end. Returns what of a case does not hold, by path in the Scenario.
pub fn broken(session: &mut Session, case: &Case) -> Vec<(String, Remark)> {
    session.run_to_end();
    let mut broken = of_claim(session, &case.claim, "claim");
    let key = key_of(&case.claim);
    if let Some(it) = &case.counterfactual
        && let Some(position) = session.attempt_of(&key)
    {
        broken.extend(refuted(session, position, &key, it));
    }
    if let Some(otherwise) = &case.otherwise {
        broken.extend(on_other_side(session, otherwise));
    }
    broken
}

/// `namespace/name` of the Pod of a claim.
fn key_of(claim: &Claim) -> String {
    let (namespace, name) = claim.pod.split_once('/').unwrap_or(("default", &claim.pod));
    format!("{namespace}/{name}")
}

/// What of a claim does not hold at the end of a run. `path`: where it is in the Scenario.
fn of_claim(session: &Session, claim: &Claim, path: &str) -> Vec<(String, Remark)> {
    let mut broken = Vec::new();
    let outcomes = expectations::check(session, &[claim.expectation()]);
    let unmet = outcomes.into_iter().filter(|outcome| !outcome.met);
    broken.extend(unmet.map(|outcome| (path.to_owned(), outcome.why)));
    let key = key_of(claim);
    let Some(position) = session.attempt_of(&key) else {
        broken.push((format!("{path}.pod"), Remark::claim_never_tried(key)));
        return broken;
    };
    match explain::attempt(session, position) {
        Ok(cycle) => broken.extend(contradictions(path, claim, &claim_of(&cycle))),
        Err(why) => broken.push((path.to_owned(), why)),
    }
    broken
}

/// What does not hold of the claim on side `b` of the Scenario's comparison. It must not hold on both sides.
fn on_other_side(session: &Session, otherwise: &Claim) -> Vec<(String, Remark)> {
    const PATH: &str = "otherwise";
    let side = pairing::suggested(session).map(|pairing| pairing.b);
    let mut side = match pairing::open_side(session, &side.unwrap_or_default()) {
        Ok(side) => side,
        Err(why) => return vec![("compare.b".to_owned(), why)],
    };
    side.run_to_end();
    let broken = of_claim(&side, otherwise, PATH);
    match broken.is_empty() && of_claim(session, otherwise, PATH).is_empty() {
        true => vec![(PATH.to_owned(), Remark::otherwise_holds_on_both())],
        false => broken,
    }
}

/// Why a counterfactual does not hold for the attempt at a position.
fn refuted(
    session: &Session,
    position: usize,
    pod: &str,
    it: &Counterfactual,
) -> Option<(String, Remark)> {
    let found = match lands_after(session, position, &it.edits().unwrap_or_default()) {
        Ok(Some(found)) if found.feasible.contains(&it.node) => return None,
        found => found,
    };
    let path = |field: &str| format!("counterfactual.{field}");
    Some(match found {
        Ok(Some(found)) => (
            path("node"),
            Remark::counterfactual_lands(found.node, &it.node),
        ),
        Ok(None) => (path("edits"), Remark::counterfactual_waits(pod)),
        Err(why) => (path("edits"), Remark::counterfactual_refused(why)),
    })
}

/// Where the Pod of an attempt lands after edits, and which nodes pass then; `None` if it waits, or another Pod waits in its place.
///
/// # Errors
/// Why the edits cannot be made.
fn lands_after(
    session: &Session,
    position: usize,
    edits: &[Edit],
) -> Result<Option<Placement>, Remark> {
    let then = session.branch(position);
    let target = then.as_ref().and_then(fixes::target);
    let (Some(then), Some(target)) = (then, target) else {
        return Err(Remark::no_attempt(position));
    };
    let after = edit::objects_after(&then, edits);
    let after = after.map_err(|error| error.remark())?;
    Ok(preview::preview(&then, after, edits, &target).unwrap_or_default())
}

/// All that can be claimed of an attempt.
pub fn claim_of(cycle: &Cycle) -> Claim {
    let ranked = cycle
        .selected
        .as_ref()
        .and_then(|node| runner_up(cycle, node));
    Claim {
        pod: cycle.pod.clone(),
        waits: cycle.selected.is_none().then_some(true),
        node: cycle.selected.clone(),
        over: ranked.map(|(_, second)| second.node.clone()),
        by: ranked.and_then(|(first, second)| deciding(first, second)),
        reasons: Some(reasons_of(cycle)).filter(|reasons| !reasons.is_empty()),
    }
}

/// The scores of the selected node, and of the best one of the others: of several, the first by name.
pub(crate) fn runner_up<'c>(
    cycle: &'c Cycle,
    selected: &str,
) -> Option<(&'c NodeScore, &'c NodeScore)> {
    let scores = cycle.scores.as_deref()?;
    let first = scores.iter().find(|score| score.node == selected)?;
    let others = scores.iter().filter(|score| score.node != selected);
    let second = others.max_by(|a, b| {
        let by_total = a.total.cmp(&b.total);
        by_total.then_with(|| b.node.cmp(&a.node))
    })?;
    Some((first, second))
}

/// The Score plugin that gives one node the most over another; `None` if none gives it more.
fn deciding(first: &NodeScore, second: &NodeScore) -> Option<String> {
    let most = differences(first, second).into_iter().next()?;
    (most.margin() > 0).then_some(most.plugin)
}

fn reasons_of(cycle: &Cycle) -> Vec<ClaimReason> {
    if cycle.pre_filter.code != Code::Success {
        return vec![ClaimReason {
            plugin: cycle.pre_filter.plugin.clone(),
            reason: cycle.pre_filter.message.clone(),
            count: i64::from(cycle.search.nodes),
            sums: None,
        }];
    }
    let mut reasons: Vec<ClaimReason> = Vec::new();
    for report in &cycle.nodes {
        let Some(verdict) = report
            .verdict
            .as_ref()
            .filter(|it| it.code != Code::Success)
        else {
            continue;
        };
        for reason in &verdict.reasons {
            let is_same =
                |it: &&mut ClaimReason| it.plugin == verdict.plugin && it.reason == *reason;
            let sums = sums_of(report, verdict, reason);
            match reasons.iter_mut().find(is_same) {
                Some(known) => {
                    known.count += 1;
                    known.sums.get_or_insert_default().extend(sums);
                }
                None => reasons.push(ClaimReason {
                    plugin: verdict.plugin.clone(),
                    reason: reason.clone(),
                    count: 1,
                    sums: Some(sums),
                }),
            }
        }
    }
    for reason in &mut reasons {
        reason.sums = reason.sums.take().filter(|sums| !sums.is_empty());
    }
    reasons
}

/// The sums behind a plugin's reason on a node, each once.
pub(crate) fn sums_of(report: &NodeReport, verdict: &Verdict, reason: &str) -> Vec<ClaimSum> {
    // Only verdicts of plugins run separately have facts.
    let verdicts = report.failures.iter().chain([verdict]);
    let facts = verdicts
        .filter(|it| it.plugin == verdict.plugin)
        .flat_map(|it| &it.facts);
    let mut sums = Vec::new();
    for fact in facts.filter(|fact| fact.kind.is_behind(reason) && fact.kind.is_violated()) {
        let sum = ClaimSum {
            node: report.node.clone(),
            ..sum_of(&fact.kind)
        };
        if !sums.contains(&sum) {
            sums.push(sum);
        }
    }
    sums
}

/// A comparison as it is claimed, without its node.
fn sum_of(kind: &FactKind) -> ClaimSum {
    let sum = ClaimSum {
        of: about(kind),
        ..ClaimSum::default()
    };
    match kind {
        FactKind::Resource {
            resource,
            request,
            used,
            allocatable,
        } => ClaimSum {
            requested: json!(quantity::of(resource, *request)),
            free: json!(quantity::of(resource, allocatable.saturating_sub(*used))),
            ..sum
        },
        FactKind::VolumeCount {
            attached,
            new,
            limit,
            ..
        } => ClaimSum {
            requested: json!(new.to_string()),
            free: json!(limit.saturating_sub(*attached).to_string()),
            ..sum
        },
        FactKind::Spread {
            count,
            own,
            minimum,
            max_skew,
            ..
        } => ClaimSum {
            count: Some(count.saturating_add(*own)),
            minimum: Some(*minimum),
            max_skew: Some(*max_skew),
            ..sum
        },
        FactKind::PodAffinity { count, .. } => ClaimSum {
            count: Some(*count),
            ..sum
        },
        _ => sum,
    }
}

/// What a comparison is about.
fn about(kind: &FactKind) -> String {
    match kind {
        FactKind::Resource { resource, .. } => resource.clone(),
        FactKind::VolumeCount { driver, .. } => driver.clone(),
        FactKind::Spread {
            topology_key,
            domain,
            ..
        }
        | FactKind::PodAffinity {
            topology_key,
            domain,
            ..
        } => match domain {
            Some(domain) => format!("{topology_key}={domain}"),
            None => topology_key.clone(),
        },
        FactKind::Taint { key, value, effect } => taint(key, value, effect),
        FactKind::NodeRequirement {
            key,
            operator,
            values,
            ..
        } => {
            let text = format!("{key} {operator} {}", values.join(","));
            text.trim_end().to_owned()
        }
        FactKind::HostPort {
            host_ip,
            protocol,
            port,
        } => format!("{protocol} {host_ip}:{port}"),
        FactKind::Volume { name, outcome } => format!("{name} {}", tag(outcome)),
        // Which of several devices it is does not matter.
        FactKind::Device {
            claim,
            request,
            outcome,
            ..
        } => format!("{claim} {request} {}", tag(outcome)),
        FactKind::NodeName { wanted } => wanted.clone(),
        FactKind::Unschedulable => "spec.unschedulable".to_owned(),
        FactKind::NodeFeature { feature, .. } => feature.clone(),
    }
}

/// The name of an outcome, without its values.
fn tag(outcome: &impl Serialize) -> String {
    let written = json!(outcome);
    let tag = written.get("is").and_then(Value::as_str);
    tag.unwrap_or_default().to_owned()
}

/// What of a claim is found otherwise, by path in the Scenario. Whether the Pod has a node is an expectation.
fn contradictions(path: &str, claim: &Claim, found: &Claim) -> Vec<(String, Remark)> {
    let mut all = Vec::new();
    let fields = [
        ("over", &claim.over, &found.over),
        ("by", &claim.by, &found.by),
    ];
    for (field, claimed, found) in fields {
        if claimed.is_some() && claimed != found {
            all.push((format!("{path}.{field}"), differs(claimed, found)));
        }
    }
    let Some(reasons) = &claim.reasons else {
        return all;
    };
    let found = found.reasons.as_deref().unwrap_or_default();
    let is_same = |a: &ClaimReason, b: &ClaimReason| a.plugin == b.plugin && a.reason == b.reason;
    for (index, reason) in reasons.iter().enumerate() {
        let path = format!("{path}.reasons[{index}]");
        match found.iter().find(|it| is_same(it, reason)) {
            Some(found) => all.extend(of_reason(&path, reason, found)),
            None => all.push((path, Remark::claim_not_found(said(reason)))),
        }
    }
    let more = found
        .iter()
        .filter(|it| !reasons.iter().any(|known| is_same(it, known)));
    all.extend(more.map(|it| (format!("{path}.reasons"), Remark::claim_lacks(said(it)))));
    all
}

fn of_reason(path: &str, claimed: &ClaimReason, found: &ClaimReason) -> Vec<(String, Remark)> {
    let mut all = Vec::new();
    if claimed.count != found.count {
        let remark = Remark::claim_differs(claimed.count.to_string(), found.count.to_string());
        all.push((format!("{path}.count"), remark));
    }
    let found = found.sums.as_deref().unwrap_or_default();
    for (index, sum) in claimed.sums.iter().flatten().enumerate() {
        let path = format!("{path}.sums[{index}]");
        let same = found
            .iter()
            .find(|it| it.node == sum.node && it.of == sum.of);
        let Some(same) = same else {
            let what = format!("{}: {}", sum.node, sum.of);
            all.push((path, Remark::claim_not_found(what)));
            continue;
        };
        let (claimed, found) = (numbers(sum), numbers(same));
        all.extend(
            claimed
                .into_iter()
                .filter_map(|(field, (amount, written))| {
                    let found = found.get(field);
                    let is_other = found.is_none_or(|(found, _)| *found != amount);
                    let found = found.map(|(_, written)| written);
                    is_other.then(|| (format!("{path}.{field}"), differs(&Some(&written), &found)))
                }),
        );
    }
    all
}

fn said(reason: &ClaimReason) -> String {
    format!("{}: {}", reason.plugin, reason.reason)
}

fn differs<T: ToString>(claimed: &Option<T>, found: &Option<T>) -> Remark {
    let text = |it: &Option<T>| it.as_ref().map_or("-".to_owned(), ToString::to_string);
    Remark::claim_differs(text(claimed), text(found))
}

/// The numbers of a sum by field: what they come to, and as they are written.
fn numbers(sum: &ClaimSum) -> BTreeMap<&'static str, (String, String)> {
    let amount = |value: &Value| {
        let text = match value {
            Value::Null => return None,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let parsed = Quantity::parse(&text).map(|it| it.nanos().to_string());
        Some((parsed.unwrap_or_else(|_| text.clone()), text))
    };
    let number = |it: Option<i64>| it.map(|it| (it.to_string(), it.to_string()));
    let fields = [
        ("requested", amount(&sum.requested)),
        ("free", amount(&sum.free)),
        ("count", number(sum.count)),
        ("minimum", number(sum.minimum)),
        ("maxSkew", number(sum.max_skew)),
    ];
    let given = fields.into_iter();
    given.filter_map(|(field, it)| Some((field, it?))).collect()
}

#[cfg(test)]
mod tests;
