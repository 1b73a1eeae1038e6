//! Deployments, ReplicaSets, StatefulSets and DaemonSets.

use serde_json::Value;

use super::page::Page;
use super::pod::template;
use super::{Context, parts, volumes};
use crate::printers::fields::{Fields, pairs, selector};
use crate::printers::time;
use berth_sim::pod_util::phase_of;

fn head(page: &mut Page, object: &Value) {
    page.field(0, "Name", object.text("metadata.name"));
    page.field(0, "Namespace", object.text("metadata.namespace"));
}

fn created(page: &mut Page, object: &Value) {
    let created = time::long(object.text("metadata.creationTimestamp"));
    page.field(0, "CreationTimestamp", created);
}

pub(crate) fn deployment(page: &mut Page, object: &Value, context: &Context<'_>) {
    head(page, object);
    created(page, object);
    parts::metadata(page, object);
    page.field(0, "Selector", selector(object.at("spec.selector")));
    let status = object.at("status");
    let number = |field: &str| status.int(field);
    page.field(
        0,
        "Replicas",
        format!(
            "{} desired | {} updated | {} total | {} available | {} unavailable",
            object.int("spec.replicas"),
            number("updatedReplicas"),
            number("replicas"),
            number("availableReplicas"),
            number("unavailableReplicas")
        ),
    );
    page.field(0, "StrategyType", object.text("spec.strategy.type"));
    page.field(
        0,
        "MinReadySeconds",
        object.int("spec.minReadySeconds").to_string(),
    );
    let rolling = object.at("spec.strategy.rollingUpdate");
    if !rolling.is_null() {
        let (unavailable, surge) = (rolling.scalar("maxUnavailable"), rolling.scalar("maxSurge"));
        page.field(
            0,
            "RollingUpdateStrategy",
            format!("{unavailable} max unavailable, {surge} max surge"),
        );
    }
    template(page, object.at("spec.template"));
    parts::reasons(page, object);
    replica_sets(page, object, context);
}

/// The ReplicaSets of a Deployment: the one of its current template, and the old ones.
fn replica_sets(page: &mut Page, object: &Value, context: &Context<'_>) {
    let uid = object.text("metadata.uid");
    let sets = context.api.store().replica_sets.controlled_by(uid);
    let sets: Vec<Value> = sets.map(|set| berth_base::json::value(&**set)).collect();
    if sets.is_empty() {
        return;
    }
    let is_new = |set: &&Value| {
        let mut template = set.at("spec.template").clone();
        if let Some(labels) = template.pointer_mut("/metadata/labels")
            && let Some(labels) = labels.as_object_mut()
        {
            labels.remove("pod-template-hash");
        }
        template == *object.at("spec.template")
    };
    let newest = sets.iter().find(is_new).map(|set| set.text("metadata.uid"));
    let (new, old): (Vec<&Value>, Vec<&Value>) = sets
        .iter()
        .partition(|set| Some(set.text("metadata.uid")) == newest);
    page.field(0, "OldReplicaSets", sets_text(&old));
    page.field(0, "NewReplicaSet", sets_text(&new));
}

fn sets_text(sets: &[&Value]) -> String {
    let sets = sets.iter().map(|set| {
        format!(
            "{} ({}/{} replicas created)",
            set.text("metadata.name"),
            set.int("status.replicas"),
            set.int("spec.replicas")
        )
    });
    let sets: Vec<_> = sets.collect();
    crate::printers::fields::or_none(sets.join(", "))
}

pub(crate) fn replica_set(page: &mut Page, object: &Value, context: &Context<'_>) {
    let is_controller = object.text("kind") == "ReplicationController";
    head(page, object);
    let chosen = if is_controller {
        pairs(&object.entries("spec.selector"))
    } else {
        selector(object.at("spec.selector"))
    };
    page.field(0, "Selector", chosen);
    parts::metadata(page, object);
    parts::controlled_by(page, object);
    let (current, desired) = (object.int("status.replicas"), object.int("spec.replicas"));
    page.field(
        0,
        "Replicas",
        format!("{current} current / {desired} desired"),
    );
    page.field(0, "Pods Status", pods(object, context));
    template(page, object.at("spec.template"));
    parts::reasons(page, object);
}

pub(crate) fn stateful_set(page: &mut Page, object: &Value, context: &Context<'_>) {
    head(page, object);
    created(page, object);
    page.field(0, "Selector", selector(object.at("spec.selector")));
    parts::metadata(page, object);
    let (desired, total) = (object.int("spec.replicas"), object.int("status.replicas"));
    page.field(0, "Replicas", format!("{desired} desired | {total} total"));
    let strategy = object.at("spec.updateStrategy");
    page.field(0, "Update Strategy", strategy.text("type"));
    if strategy.has("rollingUpdate.partition") {
        page.field(
            1,
            "Partition",
            strategy.int("rollingUpdate.partition").to_string(),
        );
        if strategy.has("rollingUpdate.maxUnavailable") {
            page.field(
                1,
                "MaxUnavailable",
                strategy.scalar("rollingUpdate.maxUnavailable"),
            );
        }
    }
    page.field(0, "Pods Status", pods(object, context));
    template(page, object.at("spec.template"));
    volumes::claim_templates(page, object.items("spec.volumeClaimTemplates"));
}

pub(crate) fn daemon_set(page: &mut Page, object: &Value, context: &Context<'_>) {
    head(page, object);
    page.field(0, "Selector", selector(object.at("spec.selector")));
    let nodes = object.entries("spec.template.spec.nodeSelector");
    page.field(0, "Node-Selector", pairs(&nodes));
    parts::metadata(page, object);
    for (name, field) in [
        (
            "Desired Number of Nodes Scheduled",
            "desiredNumberScheduled",
        ),
        (
            "Current Number of Nodes Scheduled",
            "currentNumberScheduled",
        ),
        (
            "Number of Nodes Scheduled with Up-to-date Pods",
            "updatedNumberScheduled",
        ),
        (
            "Number of Nodes Scheduled with Available Pods",
            "numberAvailable",
        ),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ] {
        page.line(0, format!("{name}: {}", object.at("status").int(field)));
    }
    page.field(0, "Pods Status", pods(object, context));
    template(page, object.at("spec.template"));
}

/// The Pods that an object controls, counted by phase.
fn pods(object: &Value, context: &Context<'_>) -> String {
    const PHASES: [&str; 4] = ["Running", "Pending", "Succeeded", "Failed"];
    let uid = object.text("metadata.uid");
    let mut counts = [0_usize; 4];
    for pod in context.api.store().pods.controlled_by(uid) {
        let phase = phase_of(pod);
        for (count, name) in counts.iter_mut().zip(PHASES) {
            *count += usize::from(name == phase);
        }
    }
    let [running, waiting, succeeded, failed] = counts;
    format!("{running} Running / {waiting} Waiting / {succeeded} Succeeded / {failed} Failed")
}
