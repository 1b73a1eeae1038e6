//! `kubectl autoscale` (v1.34). It creates the HorizontalPodAutoscaler alone: no metrics are simulated, so nothing scales.

use serde_json::{Value, json};

use super::create::create_one;
use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::errors::ErrorContext;
use crate::kinds::of_kind;
use crate::printers::report::{DRY_RUN, FIELD_MANAGER, OUTPUT, RECORD, Report, SAVE_CONFIG};
use crate::resource::files::{self, FILENAME};
use crate::resource::targets::{self, Target};
use berth_sim::store::Key;

pub(crate) const AUTOSCALE: Verb = Verb {
    name: "autoscale",
    about: "Auto-scale a deployment, replica set, stateful set, or replication controller",
    usage: "autoscale (-f FILENAME | TYPE NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU]",
    examples: &["kubectl autoscale deployment web --min=2 --max=10 --cpu=80%"],
    flags: &[
        FILENAME,
        OUTPUT,
        DRY_RUN,
        FIELD_MANAGER,
        RECORD,
        SAVE_CONFIG,
        Flag::number("min"),
        Flag::number("max"),
        Flag::word("cpu"),
        Flag::word("memory"),
        Flag::number("cpu-percent"),
        Flag::word("name"),
    ],
    run: autoscale,
};

const DEPRECATED: &str = "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).";

fn autoscale(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let number = |name: &str| call.arguments.number(name);
    let (min, max) = (number("min").unwrap_or(-1), number("max").unwrap_or(-1));
    if max < 1 {
        return Err(format!(
            "error: --max=MAXPODS is required and must be at least 1, max: {max}"
        ));
    }
    if max < min {
        return Err(format!(
            "error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}"
        ));
    }
    let metrics = metrics(call)?;
    let mut report = Report::new(call)?;
    if call.arguments.has("cpu-percent") {
        report.output.warn(DEPRECATED);
    }
    let (words, select) = (&call.arguments.words, targets::select);
    let found = files::targets_or(call, words, select, targets::NO_OBJECTS, cluster)?;
    let Some(autoscaler) = of_kind("HorizontalPodAutoscaler") else {
        return report.finish();
    };
    for Target { kind, key } in &found.targets {
        if !kind.scales {
            return Err(format!(
                "error: cannot autoscale a {}: could not find scale subresource for {} in discovery information",
                kind.kind,
                kind.qualified()
            ));
        }
        let object = cluster.api().get(kind.kind, key);
        let version = object.map(|object| object.to_json());
        let version = version.as_ref().and_then(|object| object.get("apiVersion"));
        let name = call.arguments.word("name").unwrap_or(key.name()).to_owned();
        let mut spec = json!({
            "scaleTargetRef": {"apiVersion": version, "kind": kind.kind, "name": key.name()},
            "maxReplicas": max,
        });
        if min > 0 {
            spec["minReplicas"] = min.into();
        }
        if !metrics.is_empty() {
            spec["metrics"] = Value::from(metrics.clone());
        }
        let value = json!({
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": name},
            "spec": spec,
        });
        let key = Key::new(key.namespace(), name);
        let created = create_one(
            &value,
            autoscaler,
            &key,
            ErrorContext::Nothing,
            call,
            cluster,
        )?;
        report.done(autoscaler, &created, "autoscaled");
    }
    report.finish_without(&found.missing)
}

/// The metrics of `--cpu`, `--memory` and the deprecated `--cpu-percent`.
fn metrics(call: &Call<'_>) -> Result<Vec<Value>, String> {
    let percent = call
        .arguments
        .number("cpu-percent")
        .filter(|percent| *percent >= 0);
    let (cpu, memory) = (call.arguments.word("cpu"), call.arguments.word("memory"));
    if percent.is_some() && cpu.is_some() {
        return Err("error: --cpu-percent and --cpu are mutually exclusive".to_owned());
    }
    let mut metrics = Vec::new();
    let percent = percent.filter(|percent| *percent > 0);
    metrics.extend(percent.map(|percent| metric("cpu", &utilization(percent))));
    for (name, text, unit) in [("cpu", cpu, "m"), ("memory", memory, "Mi")] {
        if let Some(text) = text {
            metrics.push(metric(name, &target(text, unit)?));
        }
    }
    Ok(metrics)
}

fn metric(name: &str, target: &Value) -> Value {
    json!({"type": "Resource", "resource": {"name": name, "target": target}})
}

fn utilization(percent: i64) -> Value {
    json!({"type": "Utilization", "averageUtilization": percent})
}

/// The target of `--cpu` or `--memory`: a percentage of the request, or an amount, by default in `unit`.
fn target(text: &str, unit: &str) -> Result<Value, String> {
    let failed = |why: &str| format!("error: failed to create v2 HorizontalPodAutoscaler: {why}");
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic() || it == '%');
    let number: i64 = digits
        .parse()
        .ok()
        .filter(|number| *number >= 0)
        .ok_or_else(|| failed("invalid input format"))?;
    let amount = match text.get(digits.len()..).unwrap_or_default() {
        "%" => return Ok(utilization(number)),
        "m" if unit == "m" => text.to_owned(),
        "M" | "Mi" | "Gi" | "Ki" => text.to_owned(),
        _ => format!("{number}{unit}"),
    };
    Ok(json!({"type": "AverageValue", "averageValue": amount}))
}
