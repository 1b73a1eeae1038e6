//! `kubectl scale`.

use serde_json::{Value, json};

use crate::Cluster;
use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::printers::report::{self, DRY_RUN, OUTPUT, RECORD, Report};
use crate::resource::files::{self, FILENAME};
use crate::resource::targets::{self, Target};
use crate::resource::write;
use berth_sim::patch::merge;

pub(crate) const SCALE: Verb = Verb {
    name: "scale",
    about: "Set a new size for a deployment, replica set, or replication controller",
    usage: "scale [--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
    examples: &[
        "kubectl scale --replicas=3 deployment/web",
        "kubectl scale --current-replicas=2 --replicas=3 deployment/web",
    ],
    flags: &[
        FILENAME,
        OUTPUT,
        DRY_RUN,
        RECORD,
        Flag::number("replicas"),
        Flag::number("current-replicas"),
        Flag::word("resource-version"),
        Flag::word("selector").short('l'),
        Flag::switch("all"),
        Flag::duration("timeout"),
    ],
    run,
};

fn run(call: &mut Call<'_>, cluster: &mut dyn Cluster) -> Done {
    let Some(replicas) = call.arguments.number("replicas") else {
        return Err("error: required flag(s) \"replicas\" not set".to_owned());
    };
    if replicas < 0 {
        return Err("error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0".to_owned());
    }
    let expected = call.arguments.number("current-replicas");
    let dry = report::dry_run(call)?;
    let mut report = Report::new(call)?;
    let (words, select) = (&call.arguments.words, targets::select);
    let found = files::targets_or(call, words, select, targets::NO_OBJECTS, cluster)?;
    if found.targets.is_empty() && found.missing.is_empty() {
        return Err("error: no objects passed to scale".to_owned());
    }
    for target in &found.targets {
        match one(target, replicas, expected, dry, call, cluster) {
            Ok(object) => report.done(target.kind, &object, "scaled"),
            Err(complaint) => report.refuse(complaint),
        }
    }
    report.finish_without(&found.missing)
}

fn one(
    target: &Target,
    replicas: i64,
    expected: Option<i64>,
    dry: report::DryRun,
    call: &Call<'_>,
    cluster: &mut dyn Cluster,
) -> Result<Value, String> {
    let Target { kind, key } = target;
    if !kind.scales {
        return Err(
            "Error from server (NotFound): the server could not find the requested resource"
                .to_owned(),
        );
    }
    let patch = json!({"spec": {"replicas": replicas}});
    let mut edit = |object: &mut Value| {
        let now = object.pointer("/spec/replicas").and_then(Value::as_i64);
        let now = now.unwrap_or(1);
        if let Some(expected) = expected.filter(|expected| *expected >= 0 && *expected != now) {
            return Err(format!(
                "error: Expected replicas to be {expected}, was {now}"
            ));
        }
        merge(object, &patch);
        report::record(call, object);
        Ok(())
    };
    let changed = report::on(dry, cluster, |api| write::change(kind, key, api, &mut edit));
    Ok(changed.map(|(_, object)| object)?)
}
